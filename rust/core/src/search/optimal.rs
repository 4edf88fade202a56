//! The optima of many problems on one grid, on several threads.

use super::tree::Tree;
use crate::cost::{INFINITY, Length};
use crate::graph::State;
use crate::grid::Grid;
use rayon::prelude::*;

/// The length of an optimal path for each pair of start and goal, none where there is no way.
///
/// `jobs` is the number of threads, 0 for one on every core. It fails only where the system has no more threads.
pub fn optimal_lengths(
    grid: &Grid,
    problems: &[(State, State)],
    jobs: usize,
) -> Result<Vec<Option<Length>>, rayon::ThreadPoolBuildError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let length = |tree: &mut Tree, &(start, goal): &(State, State)| match tree.distance(grid, start, goal) {
        INFINITY => None,
        cost => Some(Length::of_cost(cost)),
    };
    Ok(threads.install(|| problems.par_iter().map_init(Tree::default, length).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::DiagonalRule;

    #[test]
    fn optima_are_the_same_on_any_number_of_threads() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["....", ".@@.", "...@", "@@@."]);
        let cells = 0..grid.shape().cells() as State;
        let problems: Vec<_> = cells.clone().flat_map(|start| cells.clone().map(move |goal| (start, goal))).collect();
        let alone = optimal_lengths(&grid, &problems, 1).unwrap();
        assert_eq!(alone, optimal_lengths(&grid, &problems, 3).unwrap());
        assert_eq!(alone[grid.shape().state(2, 2) as usize], Some(Length { cardinal: 4, diagonal: 0 }));
        assert_eq!(alone[grid.shape().state(3, 3) as usize], None);
    }
}
