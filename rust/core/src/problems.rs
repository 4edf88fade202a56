//! Problem sets: random starts and goals with optimal costs in a given range.
//!
//! Problems are drawn from the largest component. A start is drawn, a flood computes the distances from it, and the
//! goal is drawn from the cells in the range. Long problems are rare, so starts that cannot have one are excluded
//! first: one end of a path of length c is at least c/2 away from any cell, and thus from the map's centre.

use crate::cost::{CARDINAL, Cost, Length, cells};
use crate::graph::State;
use crate::grid::Grid;
use crate::grid::components::Components;
use crate::rng::{Draw, stream};
use crate::search::tree::{Tree, farthest, length, reachable};
use std::collections::BTreeSet;

/// The width of MovingAI's buckets: bucket b has the optimal costs in [4·b, 4·b + 4).
pub const BUCKET: f64 = 4.0;

/// The number of consecutive draws without a new problem after which a set is incomplete.
const MAX_FAILURES: u32 = 200;

/// A start, a goal, and the moves of an optimal path between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The start of the path.
    pub start: State,
    /// The end of the path.
    pub goal: State,
    /// The length of the path.
    pub optimal: Length,
}

impl Problem {
    /// The number of its bucket in MovingAI's scenarios.
    pub fn bucket(&self) -> u32 {
        (self.optimal.cells() / BUCKET) as u32
    }
}

/// Reasons why problems cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ProblemsError {
    #[error("no cost is at least {min} and below {max}; increase the upper bound")]
    EmptyRange { min: f64, max: f64 },
    #[error("the map has no two connected cells; use a map with more free cells")]
    NotConnected,
    #[error(
        "found {found} of {wanted} problems with an optimal cost of at least {min} and below {max}; the longest path \
         found on the map is {longest:.2}"
    )]
    TooFew { found: usize, wanted: usize, min: f64, max: f64, longest: f64 },
}

/// Draws `count` different problems with an optimal cost of at least `min` and below `max`.
pub fn in_range(grid: &Grid, count: usize, min: f64, max: f64, seed: u64) -> Result<Vec<Problem>, ProblemsError> {
    if !(min < max && max > 0.0) {
        return Err(ProblemsError::EmptyRange { min, max });
    }
    let mut component = Component::new(grid)?;
    let problems = component.draw(count, min, max, seed);
    if problems.len() < count {
        let longest = cells(component.longest);
        return Err(ProblemsError::TooFew { found: problems.len(), wanted: count, min, max, longest });
    }
    Ok(problems)
}

/// Draws `count` different problems in every `every`-th of MovingAI's buckets, or fewer if no more were found.
///
/// The last bucket is that of the distance between two ends of the map: the cell farthest from any cell, and the cell
/// farthest from that. On most maps no path is longer. If one is, such problems are not drawn.
pub fn in_buckets(grid: &Grid, count: usize, every: u32, seed: u64) -> Result<Vec<Problem>, ProblemsError> {
    let mut component = Component::new(grid)?;
    let buckets = (cells(component.longest) / BUCKET) as u32 + 1;
    let mut problems = Vec::new();
    for bucket in (0..buckets).step_by(every.max(1) as usize) {
        let (min, max) = (bucket as f64 * BUCKET, (bucket + 1) as f64 * BUCKET);
        problems.extend(component.draw(count, min, max, seed));
    }
    Ok(problems)
}

/// The largest component of a grid, ordered by the distance from its centre.
struct Component<'a> {
    grid: &'a Grid,
    tree: Tree,
    /// The cells with their distances from the centre, in descending order.
    cells: Vec<(Cost, State)>,
    /// The longest distance found so far.
    longest: Cost,
}

impl<'a> Component<'a> {
    fn new(grid: &'a Grid) -> Result<Component<'a>, ProblemsError> {
        let components = Components::new(grid);
        let largest = components.largest().filter(|largest| components.sizes[*largest as usize] > 1);
        let largest = largest.ok_or(ProblemsError::NotConnected)?;
        let first = components.of.iter().position(|component| *component == largest);
        let first = first.expect("a component has a cell") as State;

        // The centre is nearest to both ends, which are the cell farthest from any cell, and the cell farthest from it.
        let mut tree = Tree::default();
        let (_, one_end) = farthest(tree.distances(grid, first));
        let from_one_end = tree.distances(grid, one_end).to_vec();
        let (longest, other_end) = farthest(&from_one_end);
        let from_other_end = tree.distances(grid, other_end);
        let eccentricity = |cell: &usize| from_one_end[*cell].max(from_other_end[*cell]);
        let centre = (0..from_one_end.len()).min_by_key(eccentricity).expect("there are cells") as State;

        let mut cells: Vec<(Cost, State)> = reachable(tree.distances(grid, centre)).collect();
        cells.sort_unstable_by_key(|(distance, cell)| (std::cmp::Reverse(*distance), *cell));
        Ok(Component { grid, tree, cells, longest })
    }

    /// Draws up to `count` different problems.
    fn draw(&mut self, count: usize, min: f64, max: f64, seed: u64) -> Vec<Problem> {
        // Each range has its own stream, so that a set does not depend on the other sets that are drawn.
        let mut random = stream(seed, &[b"problems", &min.to_le_bytes(), &max.to_le_bytes()]);
        // Integer costs have a relative error of 1e-8, less than this margin, so the wider range excludes no problem.
        const MARGIN: f64 = 0.01;
        let units = |cells: f64| cells * CARDINAL as f64;
        let half = units(min / 2.0 - MARGIN);
        let near_range = units(min - MARGIN)..units(max + MARGIN);
        let far_enough = self.cells.partition_point(|(distance, _)| *distance as f64 >= half) as u32;
        let (mut problems, mut goals, mut seen, mut failures) = (Vec::new(), Vec::new(), BTreeSet::new(), 0);
        while problems.len() < count && failures < MAX_FAILURES && far_enough > 0 {
            let (_, end) = self.cells[random.below(far_enough) as usize];
            let distances = self.tree.distances(self.grid, end);
            goals.clear();
            for (distance, goal) in reachable(distances) {
                self.longest = self.longest.max(distance);
                if goal != end && near_range.contains(&(distance as f64)) {
                    let length = length(self.grid, distances, goal);
                    if (min..max).contains(&length.cells()) {
                        goals.push((goal, length));
                    }
                }
            }
            failures += 1;
            if goals.is_empty() {
                continue;
            }
            let (other_end, optimal) = goals[random.below(goals.len() as u32) as usize];
            // Both ends are the goal equally often, although only one of them is drawn from the distant cells.
            let (start, goal) = if random.chance(0.5) { (end, other_end) } else { (other_end, end) };
            if seen.insert((start, goal)) {
                problems.push(Problem { start, goal, optimal });
                failures = 0;
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::DiagonalRule;
    use crate::grid::generate::{KINDS, generate};
    use proptest::prelude::*;

    fn grid(kind: usize, width: u64, height: u64, seed: u64) -> Grid {
        generate(KINDS[kind].name, width, height, seed, []).unwrap().grid(DiagonalRule::Strict)
    }

    fn assert_optimal(grid: &Grid, problem: &Problem) {
        assert_eq!(Tree::default().length(grid, problem.start, problem.goal), Some(problem.optimal));
        assert_ne!(problem.start, problem.goal);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn costs_are_optimal_and_in_range(
            kind in 0..KINDS.len(), width in 24u64..64, height in 24u64..64, seed: u64, min in 0.0..12.0f64
        ) {
            let grid = grid(kind, width, height, seed);
            let max = min + 5.0;
            if let Ok(problems) = in_range(&grid, 12, min, max, seed) {
                prop_assert_eq!(problems.len(), 12);
                for problem in &problems {
                    assert_optimal(&grid, problem);
                    prop_assert!((min..max).contains(&problem.optimal.cells()));
                }
                prop_assert_eq!(Ok(problems), in_range(&grid, 12, min, max, seed));
            }
        }

        #[test]
        fn buckets_are_movingais_and_reach_from_end_to_end(
            kind in 0..KINDS.len(), side in 16u64..64, every in 1u32..4, seed: u64
        ) {
            let grid = grid(kind, side, side, seed);
            let problems = in_buckets(&grid, 3, every, seed).unwrap();
            let buckets: Vec<u32> = problems.iter().map(Problem::bucket).collect();
            prop_assert!(buckets.is_sorted());
            for problem in &problems {
                assert_optimal(&grid, problem);
                prop_assert_eq!(problem.bucket(), (problem.optimal.cells() / 4.0).floor() as u32);
                prop_assert_eq!(problem.bucket() % every, 0);
            }
            let (mut tree, components) = (Tree::default(), Components::new(&grid));
            let any = (0..).find(|cell| components.connected(*cell, problems[0].start)).unwrap();
            let (_, one_end) = farthest(tree.distances(&grid, any));
            let (distance, _) = farthest(tree.distances(&grid, one_end));
            let reached = (distance / CARDINAL / 4) / every * every;
            prop_assert!(*buckets.last().unwrap() >= reached.saturating_sub(every), "{buckets:?}, {reached}");
        }
    }

    #[test]
    fn problems_are_different() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["...", "...", "..."]);
        let problems = in_range(&grid, 24, 1.0, 1.1, 1).unwrap();
        let pairs: BTreeSet<_> = problems.iter().map(|problem| (problem.start, problem.goal)).collect();
        assert_eq!(pairs.len(), 24, "all 12 cardinal moves, both ways");
    }

    #[test]
    fn the_longest_path_of_a_maze_is_found() {
        let grid = grid(3, 65, 65, 7);
        assert_eq!(KINDS[3].name, "maze");
        let (mut tree, mut longest) = (Tree::default(), 0);
        for from in (0..grid.shape().cells() as State).filter(|cell| grid.is_free(*cell)) {
            longest = longest.max(farthest(tree.distances(&grid, from)).0);
        }
        let longest = cells(longest);
        assert_eq!(in_range(&grid, 1, longest, longest + 1.0, 1).unwrap()[0].optimal.cells(), longest);
    }

    #[test]
    fn impossible_ranges_are_errors() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["....", ".@@."]);
        assert_eq!(in_range(&grid, 1, 4.0, 4.0, 1), Err(ProblemsError::EmptyRange { min: 4.0, max: 4.0 }));
        assert!(matches!(in_range(&grid, 1, f64::NAN, 4.0, 1), Err(ProblemsError::EmptyRange { .. })));
        let too_few = ProblemsError::TooFew { found: 0, wanted: 1, min: 6.0, max: 9.0, longest: 5.0 };
        assert_eq!(in_range(&grid, 1, 6.0, 9.0, 1), Err(too_few));
        let too_few = ProblemsError::TooFew { found: 2, wanted: 3, min: 5.0, max: 9.0, longest: 5.0 };
        assert_eq!(in_range(&grid, 3, 5.0, 9.0, 1), Err(too_few));
        let islands = Grid::drawn(DiagonalRule::Strict, &[".@."]);
        assert_eq!(in_range(&islands, 1, 1.0, 9.0, 1), Err(ProblemsError::NotConnected));
        assert_eq!(in_buckets(&islands, 1, 1, 1), Err(ProblemsError::NotConnected));
    }
}
