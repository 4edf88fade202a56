//! A level of a hierarchy as a [`Graph`].

use super::level::Layer;
use super::{Hierarchy, Position};
use crate::cost::{CARDINAL, Cost, DIAGONAL};
use crate::graph::{Graph, State};

/// An abstract graph. The cost of an edge is the Euclidean distance between its ends.
///
/// The initial heuristic is the octile distance, as in graph-abstraction-2007, which is not consistent. With `EUCLID`
/// it is the Euclidean distance, which is.
#[derive(Clone, Copy)]
pub struct AbstractGraph<'a, const EUCLID: bool = false> {
    hierarchy: &'a Hierarchy,
    level: usize,
}

impl<'a, const EUCLID: bool> AbstractGraph<'a, EUCLID> {
    /// Creates the graph of a level above the ground.
    ///
    /// # Panics
    /// If there is no such level, which the construction of agents checks first.
    pub fn new(hierarchy: &'a Hierarchy, level: usize) -> Self {
        assert!((1..=hierarchy.top()).contains(&level), "the level is above the ground and not above the top");
        AbstractGraph { hierarchy, level }
    }
}

impl<const EUCLID: bool> Graph for AbstractGraph<'_, EUCLID> {
    type GoalHeuristic = Position;

    #[inline(always)]
    fn to_goal(&self, goal: State) -> Position {
        self.hierarchy.levels[self.level - 1].position(goal)
    }

    fn states(&self) -> usize {
        self.hierarchy.levels[self.level - 1].len()
    }

    #[inline(always)]
    fn successors(&self, state: State, mut visit: impl FnMut(State, Cost)) -> u32 {
        let level = &self.hierarchy.levels[self.level - 1];
        let (edges, at) = (level.edges(state), level.position(state));
        for edge in edges {
            visit(edge.to(), at.cost_to(level.position(edge.to())));
        }
        edges.len() as u32
    }

    #[inline(always)]
    fn heuristic_to(&self, to_goal: Position, state: State) -> Cost {
        let position = self.hierarchy.levels[self.level - 1].position(state);
        let (dx, dy) = position.away(to_goal);
        if EUCLID {
            // Rounded down while costs are rounded up, so that it is exactly consistent.
            position.distance(to_goal) as Cost
        } else {
            let diagonal = dx.min(dy) as u64 * (DIAGONAL - CARDINAL) as u64 / CARDINAL as u64;
            dx.max(dy) + diagonal as Cost
        }
    }

    /// The length of an edge doubles with every level.
    #[inline(always)]
    fn grain(&self) -> u32 {
        (crate::graph::GRAIN + self.level as u32).min(20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abstraction::Variant;
    use crate::grid::DiagonalRule;
    use crate::testing::random_grid;
    use proptest::prelude::*;
    use rand::RngExt;

    proptest! {
        /// Edges have the same cost in both directions, and the Euclidean heuristic is consistent.
        #[test]
        fn levels_are_graphs_with_a_consistent_heuristic(
            width in 4u32..40, height in 4u32..40, density in 0.0..0.5f64, rule in 0..3usize, seed: u64
        ) {
            let mut random = crate::rng::stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::NAMES[rule].1);
            let hierarchy = Hierarchy::of(&grid, Variant::Free);
            for level in 1..=hierarchy.top() {
                let graph = AbstractGraph::<true>::new(&hierarchy, level);
                let octile = AbstractGraph::<false>::new(&hierarchy, level);
                let states: Vec<State> =
                    (0..graph.states() as State).filter(|state| hierarchy.is_state(level, *state)).collect();
                let goal = states[random.random_range(0..states.len())];
                prop_assert_eq!((graph.heuristic(goal, goal), octile.heuristic(goal, goal)), (0, 0));
                for &state in &states {
                    prop_assert!(graph.heuristic(state, goal) <= octile.heuristic(state, goal) + 1);
                    let mut edges = Vec::new();
                    let count = graph.successors(state, |other, cost| edges.push((other, cost)));
                    prop_assert_eq!(count as usize, edges.len());
                    for (other, cost) in edges {
                        prop_assert!(cost > 0 && graph.heuristic(state, goal) <= cost + graph.heuristic(other, goal));
                        let mut back = None;
                        graph.successors(other, |end, cost| back = if end == state { Some(cost) } else { back });
                        prop_assert_eq!(back, Some(cost));
                    }
                }
            }
        }
    }
}
