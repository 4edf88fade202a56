//! Connected components of a grid.

use super::{Grid, Terrain};
use crate::graph::{Graph, NO_STATE, State};

/// The components of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of every cell, numbered from 0 by first cell; [`NO_STATE`] for obstacles.
    pub of: Vec<u32>,
    /// The number of cells of each component.
    pub sizes: Vec<usize>,
}

impl Components {
    /// Floods the grid from every cell that is not yet in a component.
    pub fn new(grid: &Grid) -> Components {
        let geometry = grid.geometry(0);
        let terrain = Terrain::new(&geometry, grid.moves());
        let mut of = vec![NO_STATE; grid.shape().cells()];
        let mut sizes = Vec::new();
        let mut stack: Vec<State> = Vec::new();
        for seed in 0..of.len() as State {
            if !grid.is_free(seed) || of[seed as usize] != NO_STATE {
                continue;
            }
            let component = sizes.len() as u32;
            let mut size = 0;
            of[seed as usize] = component;
            stack.push(seed);
            while let Some(state) = stack.pop() {
                size += 1;
                terrain.successors(state, |next, _| {
                    if of[next as usize] == NO_STATE {
                        of[next as usize] = component;
                        stack.push(next);
                    }
                });
            }
            sizes.push(size);
        }
        Components { of, sizes }
    }

    /// Whether a path connects two cells.
    pub fn connected(&self, a: State, b: State) -> bool {
        let component = self.of[a as usize];
        component != NO_STATE && component == self.of[b as usize]
    }

    /// The component with the most cells; the first one on ties.
    pub fn largest(&self) -> Option<u32> {
        let max = self.sizes.iter().max()?;
        self.sizes.iter().position(|size| size == max).map(|component| component as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::DiagonalRule;

    #[test]
    fn components_depend_on_the_diagonal_rule() {
        let rows = [".@.", "@..", "..."];
        let sizes = |rule| Components::new(&Grid::drawn(rule, &rows)).sizes;
        assert_eq!(sizes(DiagonalRule::Strict), [1, 6]);
        assert_eq!(sizes(DiagonalRule::Free), [7]);
        assert_eq!(sizes(DiagonalRule::None), [1, 6]);
    }

    #[test]
    fn obstacles_are_connected_to_nothing() {
        let components = Components::new(&Grid::drawn(DiagonalRule::Strict, &[".@"]));
        assert!(components.connected(0, 0));
        assert!(!components.connected(0, 1) && !components.connected(1, 1));
        assert_eq!(components.largest(), Some(0));
    }
}
