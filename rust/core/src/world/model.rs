//! An agent's knowledge of the grid. Under the free-space assumption unknown cells are free.

use super::sensor::{Sensor, View};
use crate::graph::State;
use crate::grid::{CARDINALS, DiagonalRule, Grid, Shape, legal_moves};

/// New knowledge: blocked cells, and moves across cliffs, once for both directions.
#[derive(Default)]
pub struct Found {
    /// Blocked cells.
    pub blocked: Vec<State>,
    /// Lost moves between free cells.
    pub lost: Vec<(State, State)>,
}

impl Found {
    /// Empties it, keeping the memory.
    pub fn clear(&mut self) {
        self.blocked.clear();
        self.lost.clear();
    }

    /// The number of discoveries.
    pub fn count(&self) -> usize {
        self.blocked.len() + self.lost.len()
    }
}

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
    /// The known cliffs, as [`Grid::cliffs`]; empty until one is discovered.
    cliffs: Vec<u8>,
    /// The cells with moves that known cliffs affect.
    near_cliffs: Vec<State>,
    /// The size and rule of `moves`.
    kind: Option<(Shape, DiagonalRule)>,
}

impl Model {
    /// Forgets all discoveries: every cell of a grid of this kind is free again.
    pub fn reset(&mut self, shape: Shape, rule: DiagonalRule) {
        let Model { moves, open, blocked, found, cliffs, near_cliffs, kind } = self;
        if *kind != Some((shape, rule)) {
            *blocked = vec![false; shape.cells()];
            *open = (0..shape.cells() as State).map(|state| legal_moves(shape, rule, state, |_| true, &[])).collect();
            moves.clone_from(open);
            cliffs.clear();
            near_cliffs.clear();
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
        for state in near_cliffs.drain(..) {
            cliffs[state as usize] = 0;
            moves[state as usize] = open[state as usize];
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

    /// The directions in which a cross shows blocked cells or cliffs that were unknown. Under every rule a cardinal
    /// move is legal if the cell is free and there is no cliff, so the masks of the current cell suffice.
    #[inline(always)]
    fn fresh(&self, grid: &Grid, at: State) -> u8 {
        self.moves[at as usize] & !grid.moves()[at as usize] & CARDINALS
    }

    /// Adds the view of a sensor, and appends what was unknown to `discovered`: cells first, then cliffs. A cross shows
    /// the cliffs of its own cell, other sensors those of every cell that they show.
    #[inline(always)]
    pub fn sense(&mut self, grid: &Grid, view: View, discovered: &mut Found) {
        if view.sensor == Sensor::Cross {
            let mut fresh = self.fresh(grid, view.at);
            while fresh != 0 {
                let state = grid.shape().neighbour(view.at, fresh.trailing_zeros() as usize);
                let state = state.expect("moves end on the grid");
                fresh &= fresh - 1;
                if !grid.is_free(state) {
                    self.block(grid, state, &mut discovered.blocked);
                }
            }
            if !grid.cliffs().is_empty() {
                self.learn_cliffs(grid, view.at, &mut discovered.lost);
            }
        } else {
            view.look(grid.shape(), |state| {
                if !grid.is_free(state) && !self.blocked[state as usize] {
                    self.block(grid, state, &mut discovered.blocked);
                }
            });
            if !grid.cliffs().is_empty() {
                view.look(grid.shape(), |state| self.learn_cliffs(grid, state, &mut discovered.lost));
            }
        }
    }

    /// Learns the cliffs of a cell, and appends the moves that are no longer legal to `lost`.
    #[inline(never)]
    fn learn_cliffs(&mut self, grid: &Grid, state: State, lost: &mut Vec<(State, State)>) {
        let known = self.cliffs.get(state as usize).copied().unwrap_or(0);
        let fresh = grid.cliffs()[state as usize] & !known;
        (0..8).filter(|direction| fresh >> direction & 1 == 1).for_each(|to| self.add_cliff(grid, state, to, lost));
    }

    #[cold]
    fn add_cliff(&mut self, grid: &Grid, state: State, direction: usize, lost: &mut Vec<(State, State)>) {
        let (shape, rule) = (grid.shape(), grid.rule());
        let Model { moves, blocked, cliffs, near_cliffs, .. } = self;
        cliffs.resize(shape.cells(), 0);
        let other = shape.neighbour(state, direction).expect("cliffs are between cells");
        cliffs[state as usize] |= 1 << direction;
        cliffs[other as usize] |= 1 << ((direction + 4) % 8);
        // Diagonal moves that pass the cliff start at the two cells or next to them.
        let sides = [2, 6].map(|turn| (direction + turn) % 8);
        let next_to = [state, other].into_iter().flat_map(|cell| sides.map(|side| shape.neighbour(cell, side)));
        for cell in [Some(state), Some(other)].into_iter().chain(next_to).flatten() {
            let legal = legal_moves(shape, rule, cell, |cell| !blocked[cell as usize], cliffs);
            let removed = moves[cell as usize] & !legal;
            moves[cell as usize] = legal;
            near_cliffs.push(cell);
            let ends = (0..8).filter(|to| removed >> to & 1 == 1).filter_map(|to| shape.neighbour(cell, to));
            lost.extend(ends.filter(|end| cell < *end).map(|end| (cell, end)));
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
    use crate::testing::with_random_cliffs;
    use proptest::prelude::*;
    use rand::RngExt;

    proptest! {
        #[test]
        fn a_complete_model_equals_the_grid_and_can_be_reset(
            width in 1u32..20, height in 1u32..20, density in 0.0..0.8f64, seed: u64, rule in 0..3usize,
            cliffs in prop::sample::select(vec![0.0, 0.1])
        ) {
            let mut random = crate::rng::stream(seed, &[]);
            let shape = Shape::new(width, height);
            let rule = DiagonalRule::NAMES[rule].1;
            let grid = Grid::new(shape, rule, (0..shape.cells()).map(|_| !random.random_bool(density)).collect());
            let grid = with_random_cliffs(&mut random, grid, cliffs);
            let open = Grid::new(shape, rule, vec![true; shape.cells()]);
            let mut model = Model::default();
            for _ in 0..2 {
                model.reset(shape, rule);
                prop_assert_eq!(model.moves(), open.moves());
                let mut discovered = Found::default();
                // Crosses from all free cells show the cells next to these, squares the rest.
                for sensor in [Sensor::Cross, Sensor::Square(1)] {
                    for at in (0..shape.cells() as State).filter(|at| sensor != Sensor::Cross || grid.is_free(*at)) {
                        model.sense(&grid, sensor.from(at), &mut discovered);
                        for (direction, bit) in [(0, 0b1u8), (2, 0b100), (4, 0b1_0000), (6, 0b100_0000)] {
                            let is_legal = model.moves()[at as usize] & bit != 0;
                            let free = shape.neighbour(at, direction).is_some_and(|to| grid.is_free(to));
                            let has_cliff = grid.cliffs().get(at as usize).is_some_and(|cliffs| cliffs & bit != 0);
                            prop_assert_eq!(grid.is_free(at) && is_legal, grid.is_free(at) && free && !has_cliff);
                        }
                    }
                }
                prop_assert_eq!(model.moves(), grid.moves());
                prop_assert_eq!(discovered.blocked.len(), shape.cells() - grid.free_cells());
            }
        }
    }
}
