//! A corridor through any [`Graph`].

use super::{Graph, State};
use crate::cost::Cost;

/// The part of a graph inside a corridor. States outside it are never returned as successors.
#[derive(Clone, Copy)]
pub struct Corridor<'a, G, I> {
    graph: &'a G,
    is_inside: I,
}

impl<'a, G: Graph, I: Fn(State) -> bool> Corridor<'a, G, I> {
    /// Creates the part of a graph where `is_inside` holds.
    pub fn new(graph: &'a G, is_inside: I) -> Self {
        Corridor { graph, is_inside }
    }
}

impl<G: Graph, I: Fn(State) -> bool> Graph for Corridor<'_, G, I> {
    type GoalHeuristic = G::GoalHeuristic;

    #[inline(always)]
    fn to_goal(&self, goal: State) -> G::GoalHeuristic {
        self.graph.to_goal(goal)
    }

    fn states(&self) -> usize {
        self.graph.states()
    }

    #[inline(always)]
    fn successors(&self, state: State, mut visit: impl FnMut(State, Cost)) -> u32 {
        let mut count = 0;
        self.graph.successors(state, |successor, cost| {
            if (self.is_inside)(successor) {
                count += 1;
                visit(successor, cost);
            }
        });
        count
    }

    #[inline(always)]
    fn successors_towards(
        &self,
        state: State,
        to_goal: G::GoalHeuristic,
        mut visit: impl FnMut(State, Cost, Cost),
    ) -> u32 {
        let mut count = 0;
        self.graph.successors_towards(state, to_goal, |successor, cost, h| {
            if (self.is_inside)(successor) {
                count += 1;
                visit(successor, cost, h);
            }
        });
        count
    }

    #[inline(always)]
    fn heuristic_to(&self, to_goal: G::GoalHeuristic, state: State) -> Cost {
        self.graph.heuristic_to(to_goal, state)
    }

    #[inline(always)]
    fn directions(&self) -> u32 {
        self.graph.directions()
    }

    #[inline(always)]
    fn grain(&self) -> u32 {
        self.graph.grain()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{DiagonalRule, Grid, Shape, Terrain};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn states_outside_are_neither_visited_nor_counted(
            blocked in 0u64..1 << 35, inside in 0u64..1 << 35, state in 0u32..35, goal in 0u32..35
        ) {
            let free = (0..35).map(|cell| blocked >> cell & 1 == 0).collect();
            let grid = Grid::new(Shape::new(7, 5), DiagonalRule::Strict, free);
            let geometry = grid.geometry(0);
            let terrain = Terrain::new(&geometry, grid.moves());
            let corridor = Corridor::new(&terrain, |state| inside >> state & 1 == 1);
            let (mut expected, mut visited, mut towards) = (Vec::new(), Vec::new(), Vec::new());
            terrain.successors(state, |s, cost| expected.push((s, cost, terrain.heuristic(s, goal))));
            expected.retain(|(s, ..)| inside >> s & 1 == 1);
            let count = corridor.successors(state, |s, cost| visited.push((s, cost, corridor.heuristic(s, goal))));
            let towards_count = corridor
                .successors_towards(state, corridor.to_goal(goal), |s, cost, h| towards.push((s, cost, h)));
            prop_assert_eq!((count, towards_count), (expected.len() as u32, expected.len() as u32));
            prop_assert_eq!((&visited, &towards), (&expected, &expected));
            prop_assert_eq!(corridor.successors_if(state, |s, _| s % 2 == 0, |_, _| {}), count);
        }
    }
}
