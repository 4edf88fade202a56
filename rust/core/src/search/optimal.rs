//! The optima of many problems on one grid, on several threads.
//!
//! A flood from each start visits far more than the path on a large map. A few floods from *landmarks* are computed
//! once instead: by the triangle inequality, the difference of two cells' distances to a landmark is a lower bound on
//! their distance (a differential heuristic), and A* with the best of these bounds stays close to the path.

use super::tree::{self, Tree, farthest};
use crate::cost::{Cost, INFINITY, Length, add};
use crate::graph::{Graph, State};
use crate::grid::{Grid, Terrain};
use rayon::prelude::*;

/// The number of landmarks. The distances of a cell to them fill one cache line.
const LANDMARKS: usize = 16;

/// With fewer problems, a flood from each start takes less time than the landmarks.
const FEW_PROBLEMS: usize = 2 * LANDMARKS;

/// The length of an optimal path for each pair of start and goal, or `None` if there is no path.
///
/// `jobs` is the number of threads, or 0 for one per core. It fails only if the system cannot create the threads.
pub fn optimal_lengths(
    grid: &Grid,
    problems: &[(State, State)],
    jobs: usize,
) -> Result<Vec<Option<Length>>, rayon::ThreadPoolBuildError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    Ok(threads.install(|| {
        if problems.len() < FEW_PROBLEMS {
            let length = |tree: &mut Tree, &(start, goal): &(State, State)| tree.length(grid, start, goal);
            return problems.par_iter().map_init(Tree::default, length).collect();
        }
        let landmarks = Landmarks::new(grid, problems[0].0);
        let searches = || Search::new(grid, &landmarks);
        let length = |search: &mut Search, &(start, goal): &(State, State)| search.length(start, goal);
        problems.par_iter().map_init(searches, length).collect()
    }))
}

/// The distances of every cell to the landmarks.
struct Landmarks(Vec<[Cost; LANDMARKS]>);

impl Landmarks {
    /// Landmarks in the component of `first`, each at the maximal distance from those before it. They are infinitely
    /// far from all other components, where all differences are 0.
    fn new(grid: &Grid, first: State) -> Landmarks {
        let mut distances = vec![[INFINITY; LANDMARKS]; grid.shape().cells()];
        let mut nearest = vec![INFINITY; grid.shape().cells()];
        let mut tree = Tree::default();
        let (_, mut landmark) = farthest(tree.distances(grid, first));
        for i in 0..LANDMARKS {
            let cells = distances.iter_mut().zip(&mut nearest);
            for ((cell, nearest), &distance) in cells.zip(tree.distances(grid, landmark)) {
                cell[i] = distance;
                *nearest = distance.min(*nearest);
            }
            (_, landmark) = farthest(&nearest);
        }
        Landmarks(distances)
    }

    /// A lower bound on the distance between two cells of one component.
    #[inline(always)]
    fn bound(&self, state: State, goal: &[Cost; LANDMARKS]) -> Cost {
        let differences = self.0[state as usize].iter().zip(goal).map(|(a, b)| a.abs_diff(*b));
        differences.fold(0, Cost::max)
    }

    /// Whether exactly one of two cells is in the component of the landmarks.
    fn separate(&self, a: State, b: State) -> bool {
        (self.0[a as usize][0] == INFINITY) != (self.0[b as usize][0] == INFINITY)
    }
}

/// A* with the bounds of landmarks, and its memory.
struct Search<'a> {
    grid: &'a Grid,
    landmarks: &'a Landmarks,
    /// The minimal cost from the start found so far.
    costs: Vec<Cost>,
    /// States whose costs must be reset.
    touched: Vec<State>,
    /// States by f = g + h, in steps of [`Search::STEP`] from that of the start. Each bucket is a stack, which is far
    /// cheaper than a heap, and its last state is probably the nearest to the goal.
    open: Vec<Vec<Open>>,
}

#[derive(Clone, Copy)]
struct Open {
    state: State,
    cost: Cost,
    f: Cost,
}

impl<'a> Search<'a> {
    /// The width of a bucket: wide enough that few are empty, narrow enough for a useful order.
    const STEP: Cost = 1 << 10;

    fn new(grid: &'a Grid, landmarks: &'a Landmarks) -> Search<'a> {
        let costs = vec![INFINITY; grid.shape().cells()];
        Search { grid, landmarks, costs, touched: Vec::new(), open: Vec::new() }
    }

    /// The length of a shortest path from `start` to `goal`, or `None` if there is none of a finite [`Cost`].
    fn length(&mut self, start: State, goal: State) -> Option<Length> {
        if !self.grid.is_free(start) || self.landmarks.separate(start, goal) {
            return None;
        }
        let length = (self.search(start, goal) < INFINITY).then(|| tree::length(self.grid, &self.costs, goal));
        for state in self.touched.drain(..) {
            self.costs[state as usize] = INFINITY;
        }
        self.open.iter_mut().for_each(Vec::clear);
        length
    }

    fn search(&mut self, start: State, goal: State) -> Cost {
        let Search { grid, landmarks, costs, touched, open } = self;
        let geometry = grid.geometry(0);
        let (terrain, goal_distances) = (Terrain::new(&geometry, grid.moves()), landmarks.0[goal as usize]);
        let estimate = |state| terrain.heuristic(state, goal).max(landmarks.bound(state, &goal_distances));
        let start_f = estimate(start);
        let push = |open: &mut Vec<Vec<Open>>, entry: Open| {
            let bucket = ((entry.f - start_f) / Self::STEP) as usize;
            if bucket >= open.len() {
                open.resize_with(bucket + 1, Vec::new);
            }
            open[bucket].push(entry);
        };
        costs[start as usize] = 0;
        touched.push(start);
        push(open, Open { state: start, cost: 0, f: start_f });
        let mut bucket = 0;
        // The bounds are consistent, so f never falls along a path and no bucket gets entries after it was left. A
        // bucket is unsorted, so the goal's cost is final only after its bucket is empty.
        while bucket < open.len() && start_f as u64 + bucket as u64 * (Self::STEP as u64) < costs[goal as usize] as u64
        {
            while let Some(Open { state, cost, f }) = open[bucket].pop() {
                let outdated = costs[state as usize] < cost;
                if outdated || f >= costs[goal as usize] {
                    continue;
                }
                terrain.successors(state, |next, step| {
                    let (cost, before) = (add(cost, step), costs[next as usize]);
                    if cost < before {
                        if before == INFINITY {
                            touched.push(next);
                        }
                        costs[next as usize] = cost;
                        push(open, Open { state: next, cost, f: add(cost, estimate(next)) });
                    }
                });
            }
            bucket += 1;
        }
        costs[goal as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{DiagonalRule, Shape};
    use crate::testing::random_grid;
    use proptest::prelude::*;
    use rand::RngExt;

    #[test]
    fn moves_of_a_long_path_are_counted() {
        let side = 5743;
        let shape = Shape::new(side, side);
        let grid = Grid::new(shape, DiagonalRule::Strict, vec![true; shape.cells()]);
        let (start, goal) = (grid.shape().state(0, 0), grid.shape().state(side - 1, side - 1));
        let expected = Some(Length { cardinal: 0, diagonal: u64::from(side) - 1 });
        assert_eq!(optimal_lengths(&grid, &[(start, goal)], 1).unwrap(), [expected]);
    }

    proptest! {
        #[test]
        fn optima_equal_those_of_a_flood_with_any_number_of_threads(
            width in 1u32..24, height in 1u32..24, density in 0.0..0.6f64, seed: u64, rule in 0..3usize,
            count in 0..200, jobs in 1..4usize
        ) {
            let mut random = crate::rng::stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::NAMES[rule].1);
            let mut cell = || random.random_range(0..grid.shape().cells()) as State;
            let problems: Vec<(State, State)> = (0..count).map(|_| (cell(), cell())).collect();
            let mut tree = Tree::default();
            let expected = problems.iter().map(|&(start, goal)| tree.length(&grid, start, goal));
            prop_assert_eq!(optimal_lengths(&grid, &problems, jobs).unwrap(), expected.collect::<Vec<_>>());
        }
    }
}
