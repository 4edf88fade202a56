//! An agent's knowledge of the grid. Under the free-space assumption unknown cells are free.

use super::sensor::{Sensor, View};
use crate::graph::State;
use crate::grid::{DiagonalRule, Grid, Shape, legal_moves};

/// An agent's model of a grid. Workers reuse it: each problem undoes the changes of the last one.
#[derive(Default)]
pub struct Model {
    moves: Vec<u8>,
    /// The moves if every cell is free.
    open: Vec<u8>,
    /// The cells known to be blocked.
    blocked: Vec<bool>,
    /// The same cells as a list, in the order of their discovery.
    found: Vec<State>,
    /// The size and rule of `moves`.
    kind: Option<(Shape, DiagonalRule)>,
}

impl Model {
    /// Forgets all discoveries: every cell of a grid of this kind is free again.
    pub fn reset(&mut self, shape: Shape, rule: DiagonalRule) {
        let Model { moves, open, blocked, found, kind } = self;
        if *kind != Some((shape, rule)) {
            *blocked = vec![false; shape.cells()];
            *open = (0..shape.cells() as State).map(|state| legal_moves(shape, rule, state, |_| true)).collect();
            moves.clone_from(open);
            *kind = Some((shape, rule));
        } else if found.len() > shape.cells() / 64 {
            // Copying the map is cheaper than undoing many changes.
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

    /// Whether nothing in view is new, if a quick check can tell; `false` otherwise.
    #[inline(always)]
    pub fn is_familiar(&self, grid: &Grid, view: View) -> bool {
        view.sensor == Sensor::Cross && self.fresh(grid, view.at) == 0
    }

    /// The directions in which a cross shows blocked cells that were unknown. Under every rule a cardinal move is legal
    /// if the cell is free, so the masks of the current cell suffice.
    #[inline(always)]
    fn fresh(&self, grid: &Grid, at: State) -> u8 {
        const CARDINALS: u8 = 0b0101_0101;
        self.moves[at as usize] & !grid.moves()[at as usize] & CARDINALS
    }

    /// Adds the view of a sensor, and appends blocked cells that were unknown to `discovered`.
    #[inline(always)]
    pub fn sense(&mut self, grid: &Grid, view: View, discovered: &mut Vec<State>) {
        if view.sensor == Sensor::Cross {
            let mut fresh = self.fresh(grid, view.at);
            while fresh != 0 {
                let state = grid.shape().neighbour(view.at, fresh.trailing_zeros() as usize);
                fresh &= fresh - 1;
                self.block(grid, state.expect("moves end on the grid"), discovered);
            }
        } else {
            view.look(grid.shape(), |state| {
                if !grid.is_free(state) && !self.blocked[state as usize] {
                    self.block(grid, state, discovered);
                }
            });
        }
    }

    /// Removes the moves into a cell, out of it, and past its corners if the rule forbids these.
    fn block(&mut self, grid: &Grid, state: State, discovered: &mut Vec<State>) {
        let (shape, rule) = (grid.shape(), grid.rule());
        discovered.push(state);
        self.blocked[state as usize] = true;
        self.found.push(state);
        self.moves[state as usize] = 0;
        shape.around(state, |direction, neighbour| {
            // The move from that neighbour, and from a cardinal neighbour also the two diagonal moves next to it.
            let back = 1u8.rotate_left(direction as u32 + 4);
            let diagonals = if rule == DiagonalRule::Strict && direction % 2 == 0 {
                back.rotate_left(1) | back.rotate_right(1)
            } else {
                0
            };
            self.moves[neighbour as usize] &= !(back | diagonals);
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
        fn a_complete_model_equals_the_grid_and_can_be_reset(
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
                // Crosses from all free cells show the cells next to these, squares the rest.
                for sensor in [Sensor::Cross, Sensor::Square(1)] {
                    for at in (0..shape.cells() as State).filter(|at| sensor != Sensor::Cross || grid.is_free(*at)) {
                        model.sense(&grid, sensor.from(at), &mut discovered);
                        for (direction, bit) in [(0, 0b1u8), (2, 0b100), (4, 0b1_0000), (6, 0b100_0000)] {
                            let free = shape.neighbour(at, direction).is_some_and(|to| grid.is_free(to));
                            let is_legal = model.moves()[at as usize] & bit != 0;
                            prop_assert_eq!(grid.is_free(at) && is_legal, grid.is_free(at) && free);
                        }
                    }
                }
                prop_assert_eq!(model.moves(), grid.moves());
                prop_assert_eq!(discovered.len(), shape.cells() - grid.free_cells());
            }
        }
    }
}
