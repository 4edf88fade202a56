//! An agent's knowledge of the grid. Under the free-space assumption cells are free until they are seen to be blocked.

use super::sensor::{Sensor, View};
use crate::graph::State;
use crate::grid::{DiagonalRule, Grid, Shape, legal_moves};

/// An agent's model of a grid, which a worker reuses: the next problem undoes the patches of the last one.
#[derive(Default)]
pub struct Model {
    moves: Vec<u8>,
    /// The moves if every cell is free.
    open: Vec<u8>,
    /// The cells known to be blocked.
    blocked: Vec<bool>,
    /// The same cells as a list, which the next problem undoes.
    found: Vec<State>,
    /// The size and rule of `moves`.
    laid_out: Option<(Shape, DiagonalRule)>,
}

impl Model {
    /// Forgets all discoveries: every cell of a grid of this kind is free again.
    pub fn reset(&mut self, shape: Shape, rule: DiagonalRule) {
        let Model { moves, open, blocked, found, laid_out } = self;
        if *laid_out != Some((shape, rule)) {
            *blocked = vec![false; shape.cells()];
            *open = (0..shape.cells() as State).map(|state| legal_moves(shape, rule, state, |_| true)).collect();
            moves.clone_from(open);
            *laid_out = Some((shape, rule));
        } else if found.len() > shape.cells() / 64 {
            // Copying the map is cheaper than undoing many patches.
            moves.copy_from_slice(open);
            found.iter().for_each(|state| blocked[*state as usize] = false);
        } else {
            for &state in found.iter() {
                blocked[state as usize] = false;
                moves[state as usize] = open[state as usize];
                shape.around(state, |_, neighbour| moves[neighbour as usize] = open[neighbour as usize]);
            }
        }
        found.clear();
    }

    /// The moves that are legal as far as the agent knows.
    pub fn moves(&self) -> &[u8] {
        &self.moves
    }

    /// The cells that are known to be blocked, in the order in which they were discovered.
    pub fn found(&self) -> &[State] {
        &self.found
    }

    /// Whether nothing in view is new, if that can be decided quickly; `false` otherwise.
    #[inline(always)]
    pub fn is_familiar(&self, grid: &Grid, view: View) -> bool {
        view.sensor == Sensor::Cross && self.fresh(grid, view.at) == 0
    }

    /// The directions in which a cross shows blocked cells that were not known yet. Under every rule a cardinal move is
    /// legal if the cell is free, so the masks of the current cell are enough.
    #[inline(always)]
    fn fresh(&self, grid: &Grid, at: State) -> u8 {
        const CARDINALS: u8 = 0b0101_0101;
        self.moves[at as usize] & !grid.moves()[at as usize] & CARDINALS
    }

    /// Adds what is in view: blocked cells that were not known yet are appended to `discovered`.
    #[inline(always)]
    pub fn sense(&mut self, grid: &Grid, view: View, discovered: &mut Vec<State>) {
        if view.sensor == Sensor::Cross {
            let mut fresh = self.fresh(grid, view.at);
            while fresh != 0 {
                let state = grid.shape().neighbour(view.at, fresh.trailing_zeros() as usize);
                fresh &= fresh - 1;
                self.block(grid, state.expect("moves lead to cells within"), discovered);
            }
        } else {
            view.look(grid.shape(), |state| {
                if !grid.is_free(state) && !self.blocked[state as usize] {
                    self.block(grid, state, discovered);
                }
            });
        }
    }

    /// Removes the moves into a cell, out of it, and past it if the rule forbids to cut its corners.
    fn block(&mut self, grid: &Grid, state: State, discovered: &mut Vec<State>) {
        let (shape, rule) = (grid.shape(), grid.rule());
        discovered.push(state);
        self.blocked[state as usize] = true;
        self.found.push(state);
        self.moves[state as usize] = 0;
        shape.around(state, |direction, neighbour| {
            // The move back from that neighbour; from a cardinal one also the two adjacent diagonal moves.
            let back = 1u8.rotate_left(direction as u32 + 4);
            let past = if rule == DiagonalRule::Strict && direction % 2 == 0 {
                back.rotate_left(1) | back.rotate_right(1)
            } else {
                0
            };
            self.moves[neighbour as usize] &= !(back | past);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::RngExt;

    proptest! {
        #[test]
        fn a_model_that_has_seen_everything_is_the_grid_and_forgets_it_again(
            width in 1u32..20, height in 1u32..20, density in 0.0..0.8f64, seed: u64, rule in 0..3usize
        ) {
            let mut random = crate::rng::stream(seed, &[]);
            let shape = Shape::new(width, height);
            let rule = DiagonalRule::NAMES[rule].1;
            let grid = Grid::new(shape, rule, (0..shape.cells()).map(|_| !random.random_bool(density)).collect());
            let open = Grid::new(shape, rule, vec![true; shape.cells()]);
            let mut model = Model::default();
            for _ in 0..2 {
                model.reset(shape, rule);
                prop_assert_eq!(model.moves(), open.moves());
                let mut discovered = Vec::new();
                // A cross from every free cell shows what can be bumped into, a square the rest.
                for sensor in [Sensor::Cross, Sensor::Square(1)] {
                    for at in (0..shape.cells() as State).filter(|at| sensor != Sensor::Cross || grid.is_free(*at)) {
                        model.sense(&grid, sensor.from(at), &mut discovered);
                        for (direction, way) in [(0, 0b1u8), (2, 0b100), (4, 0b1_0000), (6, 0b100_0000)] {
                            let free = shape.neighbour(at, direction).is_some_and(|to| grid.is_free(to));
                            prop_assert_eq!(grid.is_free(at) && model.moves()[at as usize] & way != 0, grid.is_free(at) && free);
                        }
                    }
                }
                prop_assert_eq!(model.moves(), grid.moves());
                prop_assert_eq!(discovered.len(), shape.cells() - grid.free_cells());
            }
        }
    }
}
