//! What an agent knows of the grid. Under the free-space assumption cells are free until they are seen to be blocked.

use super::sensor::Sensor;
use crate::graph::State;
use crate::grid::{DiagonalRule, Grid, Shape, legal_moves};

/// An agent's model of a grid, kept by the worker and reused: what one problem patched, the next undoes.
#[derive(Default)]
pub struct Model {
    moves: Vec<u8>,
    /// The cells known to be blocked.
    blocked: Vec<bool>,
    /// The same, as a list: what there is to undo.
    found: Vec<State>,
    /// The size and rule that `moves` was laid out for.
    laid_out: Option<(Shape, DiagonalRule)>,
}

impl Model {
    /// Forgets what was discovered: every cell of a grid of this kind is free again.
    pub fn reset(&mut self, shape: Shape, rule: DiagonalRule) {
        if self.laid_out == Some((shape, rule)) {
            let found = std::mem::take(&mut self.found);
            for &state in &found {
                self.blocked[state as usize] = false;
            }
            for &state in &found {
                self.patch(shape, rule, state);
            }
            self.found = found;
        } else {
            self.blocked = vec![false; shape.cells()];
            self.moves = (0..shape.cells() as State).map(|state| legal_moves(shape, rule, state, |_| true)).collect();
            self.laid_out = Some((shape, rule));
        }
        self.found.clear();
    }

    /// The moves that are legal as far as the agent knows.
    pub fn moves(&self) -> &[u8] {
        &self.moves
    }

    /// Takes in what `sensor` shows from `at`: the blocked cells that were not known yet are appended to
    /// `discovered`.
    pub fn sense(&mut self, grid: &Grid, sensor: Sensor, at: State, discovered: &mut Vec<State>) {
        let begin = discovered.len();
        sensor.look(grid.shape(), at, |state| {
            if !grid.is_free(state) && !self.blocked[state as usize] {
                self.blocked[state as usize] = true;
                discovered.push(state);
            }
        });
        for &state in &discovered[begin..] {
            self.found.push(state);
            self.patch(grid.shape(), grid.rule(), state);
        }
    }

    /// Works out the legal moves of a cell and of those around it anew.
    fn patch(&mut self, shape: Shape, rule: DiagonalRule, state: State) {
        let Model { moves, blocked, .. } = self;
        let mut work_out =
            |state: State| moves[state as usize] = legal_moves(shape, rule, state, |s| !blocked[s as usize]);
        work_out(state);
        (0..8).filter_map(|direction| shape.neighbour(state, direction)).for_each(work_out);
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
                for at in 0..shape.cells() as State {
                    model.sense(&grid, Sensor::Square(1), at, &mut discovered);
                }
                prop_assert_eq!(model.moves(), grid.moves());
                prop_assert_eq!(discovered.len(), shape.cells() - grid.free_cells());
            }
        }
    }
}
