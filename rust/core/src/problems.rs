//! Problem sets: random starts and goals whose optimal cost lies where it is wanted.
//!
//! Problems are drawn from the largest component. A start is drawn, the whole map is flooded from it, and the goal is
//! drawn from the cells at the wanted distance. Long problems are rare, so starts that cannot have one are left out
//! beforehand: of a path of length c one end is at least c/2 away from any cell, hence also from the map's centre.

use crate::cost::{CARDINAL, Cost, INFINITY, Length};
use crate::graph::{NO_STATE, State};
use crate::grid::Grid;
use crate::grid::components::Components;
use crate::rng::{Draw, Stream, stream};
use crate::search::tree::Tree;
use std::collections::BTreeSet;

/// MovingAI sorts problems into buckets of optimal costs from 4·bucket up to, but not including, 4·bucket + 4.
pub const BUCKET: f64 = 4.0;

/// Draws in a row that may find nothing new before a set is given up.
const PATIENCE: u32 = 200;

/// A start, a goal, and the moves of an optimal path between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the path begins.
    pub start: State,
    /// Where it ends.
    pub goal: State,
    /// How long it is at least.
    pub optimal: Length,
}

impl Problem {
    /// The number of the bucket that MovingAI would put it in.
    pub fn bucket(&self) -> u32 {
        (self.optimal.cells() / BUCKET) as u32
    }
}

/// Why problems cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemsError {
    /// No cost is at least `least` and below `most`.
    #[error("no cost is at least {least} and below {most}")]
    EmptyRange {
        /// The lower end, included.
        least: f64,
        /// The upper end, not included.
        most: f64,
    },
    /// There are no two cells with a way between them.
    #[error("the map has no two cells with a way between them")]
    NoWays,
    /// The map has fewer problems in the range than wanted, or none.
    #[error(
        "found {found} of {wanted} problems with an optimal cost of at least {least} and below {most}; the longest \
         way found on the map is {longest:.2}"
    )]
    TooFew {
        /// How many were found.
        found: usize,
        /// How many were wanted.
        wanted: usize,
        /// The lower end of the range.
        least: f64,
        /// The upper end of the range.
        most: f64,
        /// The cost of the longest optimal path that was come across.
        longest: f64,
    },
}

/// `count` different problems with an optimal cost of at least `least` and below `most`.
pub fn in_range(grid: &Grid, count: usize, least: f64, most: f64, seed: u64) -> Result<Vec<Problem>, ProblemsError> {
    if !(least < most && most > 0.0) {
        return Err(ProblemsError::EmptyRange { least, most });
    }
    let mut survey = Survey::new(grid)?;
    let problems = survey.draw(count, least, most, &mut range_stream(seed, least, most));
    if problems.len() < count {
        let longest = Length::of_cost(survey.longest).cells();
        return Err(ProblemsError::TooFew { found: problems.len(), wanted: count, least, most, longest });
    }
    Ok(problems)
}

/// `count` different problems in every `every`-th of MovingAI's buckets; fewer in a bucket where no more were found.
///
/// The last bucket is that of the way between two ends of the map: the cell farthest from any, and the cell farthest
/// from that. On most maps no way is longer; where one is, such problems are not drawn.
pub fn in_buckets(grid: &Grid, count: usize, every: u32, seed: u64) -> Result<Vec<Problem>, ProblemsError> {
    let mut survey = Survey::new(grid)?;
    let buckets = (Length::of_cost(survey.longest).cells() / BUCKET) as u32 + 1;
    let mut problems = Vec::new();
    for bucket in (0..buckets).step_by(every.max(1) as usize) {
        let (least, most) = (bucket as f64 * BUCKET, (bucket + 1) as f64 * BUCKET);
        problems.extend(survey.draw(count, least, most, &mut range_stream(seed, least, most)));
    }
    Ok(problems)
}

/// Every range has its own stream: a set does not depend on which other sets are drawn.
fn range_stream(seed: u64, least: f64, most: f64) -> Stream {
    stream(seed, &[b"problems", &least.to_le_bytes(), &most.to_le_bytes()])
}

/// The largest component of a grid, seen from its centre.
struct Survey<'a> {
    grid: &'a Grid,
    tree: Tree,
    /// Its cells with their distances from the centre, the farthest first.
    cells: Vec<(Cost, State)>,
    /// The longest distance seen so far.
    longest: Cost,
}

impl<'a> Survey<'a> {
    fn new(grid: &'a Grid) -> Result<Survey<'a>, ProblemsError> {
        let components = Components::new(grid);
        let largest = components.largest().filter(|largest| components.sizes[*largest as usize] > 1);
        let largest = largest.ok_or(ProblemsError::NoWays)?;
        let first = components.of.iter().position(|component| *component == largest);
        let first = first.expect("a component has a cell") as State;

        // The centre lies half-way between two ends: the cell farthest from any, and the cell farthest from that.
        let mut tree = Tree::default();
        let (_, one_end) = farthest(tree.distances(grid, first));
        let from_one_end = tree.distances(grid, one_end).to_vec();
        let (longest, other_end) = farthest(&from_one_end);
        let from_other_end = tree.distances(grid, other_end);
        let eccentricity = |cell: &usize| from_one_end[*cell].max(from_other_end[*cell]);
        let centre = (0..from_one_end.len()).min_by_key(eccentricity).expect("there are cells") as State;

        let mut cells: Vec<(Cost, State)> = tree
            .distances(grid, centre)
            .iter()
            .zip(0..)
            .filter(|(distance, _)| **distance != INFINITY)
            .map(|(distance, cell)| (*distance, cell))
            .collect();
        cells.sort_unstable_by_key(|(distance, cell)| (std::cmp::Reverse(*distance), *cell));
        Ok(Survey { grid, tree, cells, longest })
    }

    /// Up to `count` different problems.
    fn draw(&mut self, count: usize, least: f64, most: f64, random: &mut Stream) -> Vec<Problem> {
        // Integer costs are off by 1e-8 of a length, less than this margin: what lies outside is out for certain.
        const MARGIN: f64 = 0.01;
        let units = |cells: f64| cells * CARDINAL as f64;
        let half = units(least / 2.0 - MARGIN);
        let near_range = units(least - MARGIN)..units(most + MARGIN);
        let far_enough = self.cells.partition_point(|(distance, _)| *distance as f64 >= half) as u32;
        let (mut problems, mut seen) = (Vec::new(), BTreeSet::new());
        let mut in_vain = 0;
        let mut goals = Vec::new();
        while problems.len() < count && in_vain < PATIENCE && far_enough > 0 {
            let (_, end) = self.cells[random.below(far_enough) as usize];
            let distances = self.tree.distances(self.grid, end);
            goals.clear();
            for (distance, goal) in distances.iter().zip(0..).filter(|(distance, _)| **distance != INFINITY) {
                self.longest = self.longest.max(*distance);
                if goal != end && near_range.contains(&(*distance as f64)) {
                    let length = Length::of_cost(*distance);
                    if (least..most).contains(&length.cells()) {
                        goals.push((goal, length));
                    }
                }
            }
            in_vain += 1;
            if goals.is_empty() {
                continue;
            }
            let (other_end, optimal) = goals[random.below(goals.len() as u32) as usize];
            // The far end is as often the goal as it is the start.
            let (start, goal) = if random.chance(0.5) { (end, other_end) } else { (other_end, end) };
            if seen.insert((start, goal)) {
                problems.push(Problem { start, goal, optimal });
                in_vain = 0;
            }
        }
        problems
    }
}

/// The greatest distance and the first cell that has it.
fn farthest(distances: &[Cost]) -> (Cost, State) {
    let mut found = (0, NO_STATE);
    for (distance, cell) in distances.iter().zip(0..) {
        if *distance != INFINITY && (*distance > found.0 || found.1 == NO_STATE) {
            found = (*distance, cell);
        }
    }
    found
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
        let distance = Tree::default().distance(grid, problem.start, problem.goal);
        assert_eq!(problem.optimal, Length::of_cost(distance));
        assert_ne!(problem.start, problem.goal);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn costs_are_optimal_and_in_range(
            kind in 0..KINDS.len(), width in 24u64..64, height in 24u64..64, seed: u64, least in 0.0..12.0f64
        ) {
            let grid = grid(kind, width, height, seed);
            let most = least + 5.0;
            if let Ok(problems) = in_range(&grid, 12, least, most, seed) {
                prop_assert_eq!(problems.len(), 12);
                for problem in &problems {
                    assert_optimal(&grid, problem);
                    prop_assert!((least..most).contains(&problem.optimal.cells()));
                }
                prop_assert_eq!(Ok(problems), in_range(&grid, 12, least, most, seed));
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
    fn no_problem_comes_twice() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["...", "...", "..."]);
        let problems = in_range(&grid, 24, 1.0, 1.1, 1).unwrap();
        let pairs: BTreeSet<_> = problems.iter().map(|problem| (problem.start, problem.goal)).collect();
        assert_eq!(pairs.len(), 24, "all 12 cardinal moves, both ways");
    }

    #[test]
    fn the_longest_way_of_a_maze_is_found() {
        let grid = grid(3, 65, 65, 7);
        assert_eq!(KINDS[3].name, "maze");
        let (mut tree, mut longest) = (Tree::default(), 0);
        for from in (0..grid.shape().cells() as State).filter(|cell| grid.is_free(*cell)) {
            longest = longest.max(farthest(tree.distances(&grid, from)).0);
        }
        let longest = Length::of_cost(longest).cells();
        assert_eq!(in_range(&grid, 1, longest, longest + 1.0, 1).unwrap()[0].optimal.cells(), longest);
    }

    #[test]
    fn what_cannot_be_had_is_told() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["....", ".@@."]);
        assert_eq!(in_range(&grid, 1, 4.0, 4.0, 1), Err(ProblemsError::EmptyRange { least: 4.0, most: 4.0 }));
        assert!(matches!(in_range(&grid, 1, f64::NAN, 4.0, 1), Err(ProblemsError::EmptyRange { .. })));
        let too_few = ProblemsError::TooFew { found: 0, wanted: 1, least: 6.0, most: 9.0, longest: 5.0 };
        assert_eq!(in_range(&grid, 1, 6.0, 9.0, 1), Err(too_few));
        let too_few = ProblemsError::TooFew { found: 2, wanted: 3, least: 5.0, most: 9.0, longest: 5.0 };
        assert_eq!(in_range(&grid, 3, 5.0, 9.0, 1), Err(too_few));
        let islands = Grid::drawn(DiagonalRule::Strict, &[".@."]);
        assert_eq!(in_range(&islands, 1, 1.0, 9.0, 1), Err(ProblemsError::NoWays));
        assert_eq!(in_buckets(&islands, 1, 1, 1), Err(ProblemsError::NoWays));
    }
}
