//! Depths for a single goal, for pictures: one column of a database of depths.

use super::build::InvalidKey;
use super::plane::{Distances, Plane};
use super::plies::Plies;
use crate::abstraction::{Hierarchy, Variant};
use crate::cost::{Cost, INFINITY};
use crate::graph::State;
use crate::grid::Grid;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A map divided into regions, and a goal.
pub struct SingleGoal {
    plane: Plane,
    goal: u32,
    /// The distance of each state to the representative of the goal's region.
    distances: Vec<Cost>,
}

impl SingleGoal {
    /// Divides the map into the states of a level. The goal is a free cell.
    pub fn new(grid: &Arc<Grid>, level: usize, variant: Variant, goal: State) -> Result<SingleGoal, InvalidKey> {
        let hierarchy = Hierarchy::of(grid, variant);
        if level > hierarchy.top() {
            return Err(InvalidKey::Level { level, top: hierarchy.top() });
        }
        let plane = Plane::new(grid, &hierarchy, 0, level);
        let goal = plane.regions[goal as usize];
        let distances = Distances::default().all(&plane, plane.representatives[goal as usize]).to_vec();
        Ok(SingleGoal { plane, goal, distances })
    }

    /// The number of regions.
    pub fn regions(&self) -> usize {
        self.plane.representatives.len()
    }

    /// The region of a cell; `None` for an obstacle.
    pub fn region(&self, cell: State) -> Option<u32> {
        let region = self.plane.regions[cell as usize];
        ((region as usize) < self.regions()).then_some(region)
    }

    /// The optimal depths in some regions, `None` without a path, computed by `jobs` threads, or one per core if it is
    /// 0.
    pub fn depths(&self, regions: Range<u32>, jobs: usize) -> Result<Vec<Option<u32>>, rayon::ThreadPoolBuildError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let depth = |plies: &mut Plies, region| self.depth(plies, region);
        Ok(threads.install(|| regions.into_par_iter().map_init(Plies::default, depth).collect()))
    }

    fn depth(&self, plies: &mut Plies, region: u32) -> Option<u32> {
        let SingleGoal { plane, goal, distances } = self;
        let from = plane.representatives[region as usize];
        if distances[from as usize] == INFINITY {
            return None;
        }
        if region == *goal {
            return Some(1);
        }
        plies.begin(plane, from);
        let is_optimal = |first| plane.is_optimal(from, first, |state| distances[state as usize]);
        Some(plies.depth(plane, plane.representatives[*goal as usize], is_optimal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{DiagonalRule, Shape};
    use crate::pdb::{Build, Database, Key, Kind, PathRule};
    use crate::rng::{Draw, stream};
    use crate::workers::Progress;
    use std::io::Cursor;

    #[test]
    fn depths_for_a_single_goal_equal_those_of_the_database() {
        let shape = Shape::new(24, 18);
        for seed in 0..6 {
            let mut drawn = stream(seed, &[]);
            let free = (0..shape.cells()).map(|_| drawn.below(10) > 2).collect();
            let grid = Arc::new(Grid::new(shape, DiagonalRule::Strict, free));
            for (level, variant) in (0..3).flat_map(|level| Variant::NAMES.map(|(_, variant)| (level, variant))) {
                let key = Key::new(Kind::Depths, (0, level), variant, PathRule::default());
                let build = Build::new(&grid, key).expect("the level exists");
                let bytes = build.write(Cursor::new(Vec::new()), 1, &Progress::default()).expect("memory suffices");
                let database = Database::from_bytes(bytes.into_inner(), &grid).expect("it is complete");
                let cells: Vec<State> = (0..shape.cells() as State).filter(|cell| grid.is_free(*cell)).collect();
                for goal in cells.iter().step_by(37) {
                    let single = SingleGoal::new(&grid, level, variant, *goal).expect("the level exists");
                    let depths = single.depths(0..single.regions() as u32, 2).expect("threads start");
                    for cell in &cells {
                        let region = single.region(*cell).expect("the cell is free");
                        let stored = database.depth(database.region(*cell), database.region(*goal));
                        assert_eq!(depths[region as usize].unwrap_or(1), stored, "seed {seed}, level {level}");
                    }
                }
            }
        }
    }
}
