//! A level of a hierarchy as a [`Graph`], and corridors through any graph.

use super::level::Layer;
use super::{Hierarchy, Position};
use crate::cost::{CARDINAL, Cost, DIAGONAL};
use crate::graph::{Graph, State};

/// An abstract graph. Edges cost the Euclidean distance between their ends.
///
/// The initial heuristic is octile, as in graph-abstraction-2007, and with it not consistent; with `EUCLID` it is the
/// Euclidean distance, which is.
#[derive(Clone, Copy)]
pub struct AbstractGraph<'a, const EUCLID: bool = false> {
    hierarchy: &'a Hierarchy,
    level: usize,
}

impl<'a, const EUCLID: bool> AbstractGraph<'a, EUCLID> {
    /// A level above the ground.
    ///
    /// # Panics
    /// Where there is no such level, which whoever builds agents checks first.
    pub fn new(hierarchy: &'a Hierarchy, level: usize) -> Self {
        assert!((1..=hierarchy.top()).contains(&level), "a level above the ground, and not above the top");
        AbstractGraph { hierarchy, level }
    }
}

impl<const EUCLID: bool> Graph for AbstractGraph<'_, EUCLID> {
    type Aim = Position;

    #[inline(always)]
    fn aim(&self, goal: State) -> Position {
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
            visit(edge.to(), at.distance(level.position(edge.to())));
        }
        edges.len() as u32
    }

    #[inline(always)]
    fn heuristic_to(&self, aim: Position, state: State) -> Cost {
        let position = self.hierarchy.levels[self.level - 1].position(state);
        let (dx, dy) = position.away(aim);
        if EUCLID {
            if position == aim { 0 } else { position.distance(aim) }
        } else {
            let diagonal = dx.min(dy) as u64 * (DIAGONAL - CARDINAL) as u64 / CARDINAL as u64;
            dx.max(dy) + diagonal as Cost
        }
    }

    /// An edge spans twice as many cells with every level.
    #[inline(always)]
    fn grain(&self) -> u32 {
        (crate::graph::GRAIN + self.level as u32).min(20)
    }
}

/// What of a graph lies within a corridor; who is outside is no successor of anyone.
#[derive(Clone, Copy)]
pub struct Corridor<'a, G, I> {
    graph: &'a G,
    is_inside: I,
}

impl<'a, G: Graph, I: Fn(State) -> bool> Corridor<'a, G, I> {
    /// The part of a graph where `is_inside` holds.
    pub fn new(graph: &'a G, is_inside: I) -> Self {
        Corridor { graph, is_inside }
    }
}

impl<G: Graph, I: Fn(State) -> bool> Graph for Corridor<'_, G, I> {
    type Aim = G::Aim;

    #[inline(always)]
    fn aim(&self, goal: State) -> G::Aim {
        self.graph.aim(goal)
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
    fn successors_towards(&self, state: State, aim: G::Aim, mut visit: impl FnMut(State, Cost, Cost)) -> u32 {
        let mut count = 0;
        self.graph.successors_towards(state, aim, |successor, cost, h| {
            if (self.is_inside)(successor) {
                count += 1;
                visit(successor, cost, h);
            }
        });
        count
    }

    #[inline(always)]
    fn heuristic_to(&self, aim: G::Aim, state: State) -> Cost {
        self.graph.heuristic_to(aim, state)
    }

    #[inline(always)]
    fn grain(&self) -> u32 {
        self.graph.grain()
    }
}
