//! The graph on which agents with a database plan, the ground or a higher level, stored for many searches.

use super::PathRule;
use crate::abstraction::graph::AbstractGraph;
use crate::abstraction::{Hierarchy, Reading};
use crate::cost::{CARDINAL, Cost, DIAGONAL, INFINITY, add};
use crate::graph::{Graph, State};
use crate::grid::{DiagonalRule, Grid, Terrain};
use crate::search::tree::Tree;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

/// An edge, and its place in the list of entries of the region that it leaves; [`WITHIN`] if it stays in the region.
#[derive(Clone, Copy)]
pub struct Edge {
    pub to: State,
    pub cost: Cost,
    pub entry: u32,
}

/// The entry of an edge that stays in its region.
pub const WITHIN: u32 = u32::MAX;

/// A graph divided into regions.
pub struct Plane {
    /// The grid, if agents plan on the ground.
    ground: Option<Arc<Grid>>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// The positions of states, in cells on the ground, in units of cost on higher levels.
    places: Vec<(u32, u32)>,
    /// The cost that a cell along the shorter side adds to the heuristic.
    shorter: Cost,
    /// The region of every state; [`NO_REGION`] for invalid states.
    pub regions: Vec<u32>,
    /// The representative of each region, which is nearest to the average of its states.
    pub representatives: Vec<State>,
    /// The start of the entries of each region, and the end of the last ones.
    pub entry_starts: Vec<u32>,
    /// The states next to each region, sorted. See [`Plane::with_entries`].
    pub entries: Vec<State>,
}

/// The region of invalid states.
pub const NO_REGION: u32 = u32::MAX;

impl Plane {
    /// Level `base` of a map, divided into the states of level `level`. Edges are in the default order of ties.
    pub fn new(grid: &Arc<Grid>, hierarchy: &Hierarchy, base: usize, level: usize) -> Plane {
        let shorter = if grid.rule() == DiagonalRule::None && base == 0 { CARDINAL } else { DIAGONAL - CARDINAL };
        let states = hierarchy.states(base);
        let place = |state| {
            let position = hierarchy.position(base, state);
            if base == 0 { (position.x / CARDINAL, position.y / CARDINAL) } else { (position.x, position.y) }
        };
        let mut plane = Plane {
            ground: (base == 0).then(|| Arc::clone(grid)),
            starts: vec![0],
            edges: Vec::new(),
            places: (0..states as State)
                .map(|state| if hierarchy.is_state(base, state) { place(state) } else { (0, 0) })
                .collect(),
            shorter,
            regions: Vec::new(),
            representatives: Vec::new(),
            entry_starts: Vec::new(),
            entries: Vec::new(),
        };
        if base == 0 {
            let geometry = grid.geometry(0);
            plane.add_edges(&Terrain::new(&geometry, grid.moves()), |state| hierarchy.is_state(0, state));
        } else {
            plane.add_edges(&AbstractGraph::<false>::new(hierarchy, base), |state| hierarchy.is_state(base, state));
        }
        plane.divide(hierarchy, base, level);
        plane
    }

    fn add_edges(&mut self, graph: &impl Graph, is_state: impl Fn(State) -> bool) {
        for state in 0..graph.states() as State {
            if is_state(state) {
                let edges = &mut self.edges;
                graph.successors(state, |to, cost| edges.push(Edge { to, cost, entry: WITHIN }));
            }
            self.starts.push(self.edges.len() as u32);
        }
    }

    fn divide(&mut self, hierarchy: &Hierarchy, base: usize, level: usize) {
        let mut numbers = vec![NO_REGION; hierarchy.states(level)];
        for state in (0..hierarchy.states(level) as State).filter(|state| hierarchy.is_state(level, *state)) {
            numbers[state as usize] = self.representatives.len() as u32;
            self.representatives.push(hierarchy.representative(level, state, base, Reading::Direct));
        }
        let region = |state| match hierarchy.is_state(base, state) {
            true => numbers[hierarchy.ancestor(base, state, level) as usize],
            false => NO_REGION,
        };
        self.regions = (0..self.states() as State).map(region).collect();
        self.entry_starts = vec![0; self.representatives.len() + 1];
    }

    /// Adds the entries of each region, which [`Plane::exit`] needs.
    pub fn with_entries(mut self) -> Plane {
        let mut entered: Vec<(u32, State)> = Vec::new();
        for state in 0..self.states() as State {
            let region = self.regions[state as usize];
            let outside = self.edges(state).iter().filter(|edge| self.regions[edge.to as usize] != region);
            entered.extend(outside.map(|edge| (region, edge.to)));
        }
        entered.sort_unstable();
        entered.dedup();
        self.entries = entered.iter().map(|(_, state)| *state).collect();
        let mut at = 0;
        for (region, end) in (0..).zip(&mut self.entry_starts[1..]) {
            at += entered[at..].partition_point(|entry| entry.0 == region);
            *end = at as u32;
        }
        for state in 0..self.states() {
            let region = self.regions[state];
            for edge in self.starts[state] as usize..self.starts[state + 1] as usize {
                let to = self.edges[edge].to;
                if self.regions[to as usize] != region {
                    let entries = &self.entries[self.entries_of(region)];
                    self.edges[edge].entry = entries.partition_point(|entry| *entry < to) as u32;
                }
            }
        }
        self
    }

    /// An upper bound of the states.
    pub fn states(&self) -> usize {
        self.places.len()
    }

    /// Whether this is the ground, where the heuristic is consistent.
    pub fn is_ground(&self) -> bool {
        self.ground.is_some()
    }

    /// The edges of a state.
    #[inline(always)]
    pub fn edges(&self, state: State) -> &[Edge] {
        &self.edges[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// The position of a state.
    #[inline(always)]
    pub fn place(&self, state: State) -> (u32, u32) {
        self.places[state as usize]
    }

    /// The initial heuristic of agents between two positions.
    #[inline(always)]
    pub fn heuristic<const GROUND: bool>(&self, a: (u32, u32), b: (u32, u32)) -> Cost {
        let (dx, dy) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
        let (longer, shorter) = (dx.max(dy), dx.min(dy));
        if GROUND {
            longer * CARDINAL + shorter * self.shorter
        } else {
            longer + (shorter as u64 * self.shorter as u64 / CARDINAL as u64) as Cost
        }
    }

    /// The range of a region's entries in the list of all entries.
    pub fn entries_of(&self, region: u32) -> Range<usize> {
        self.entry_starts[region as usize] as usize..self.entry_starts[region as usize + 1] as usize
    }

    /// Whether an optimal path can begin with the edge `first` of a state, given the distances to the goal.
    #[inline]
    pub fn is_optimal(&self, from: State, first: u32, distance: impl Fn(State) -> Cost) -> bool {
        let edge = self.edges(from)[first as usize];
        add(distance(edge.to), edge.cost) == distance(from)
    }

    /// The entry through which the optimal path from a region's representative leaves the region, as a place in the
    /// region's list, given all distances to the goal; `None` without a path. Among optimal moves the path takes the
    /// first of the most expensive or of the cheapest ones, which are diagonal or cardinal on the ground.
    #[inline]
    pub fn exit(&self, distances: &[Cost], region: u32, path: PathRule) -> Option<u32> {
        let mut at = self.representatives[region as usize];
        if distances[at as usize] == INFINITY {
            return None;
        }
        loop {
            let remaining = distances[at as usize];
            let mut best = Edge { to: at, cost: 0, entry: WITHIN };
            for edge in self.edges(at) {
                let is_better = match path {
                    PathRule::Diagonal => edge.cost > best.cost,
                    PathRule::Cardinal => edge.cost < best.cost || best.cost == 0,
                };
                if is_better && add(distances[edge.to as usize], edge.cost) == remaining {
                    best = *edge;
                }
            }
            if best.entry != WITHIN {
                return Some(best.entry);
            }
            assert!(best.cost > 0, "a path continues until it leaves the region");
            at = best.to;
        }
    }
}

/// Distances on a plane, with reusable memory.
#[derive(Default)]
pub struct Distances {
    tree: Tree,
    near: Vec<Cost>,
    reached: Vec<State>,
    open: BinaryHeap<Reverse<(Cost, State)>>,
}

impl Distances {
    /// The distance from one state to every other, [`INFINITY`] without a path.
    pub fn all<'d>(&'d mut self, plane: &Plane, from: State) -> &'d [Cost] {
        match &plane.ground {
            Some(grid) => self.tree.distances(grid, from),
            None => self.until(plane, from, None),
        }
    }

    /// As [`Distances::all`], but only distances up to that of `last` are exact; larger ones may be too large.
    pub fn up_to<'d>(&'d mut self, plane: &Plane, from: State, last: State) -> &'d [Cost] {
        self.until(plane, from, Some(last))
    }

    fn until<'d>(&'d mut self, plane: &Plane, from: State, last: Option<State>) -> &'d [Cost] {
        let Distances { near, reached, open, .. } = self;
        near.resize(plane.states(), INFINITY);
        reached.drain(..).for_each(|state| near[state as usize] = INFINITY);
        open.clear();
        near[from as usize] = 0;
        reached.push(from);
        open.push(Reverse((0, from)));
        while let Some(Reverse((distance, state))) = open.pop() {
            if Some(state) == last {
                break;
            }
            if distance > near[state as usize] {
                continue;
            }
            for edge in plane.edges(state) {
                let (known, distance) = (&mut near[edge.to as usize], add(distance, edge.cost));
                if distance < *known {
                    if *known == INFINITY {
                        reached.push(edge.to);
                    }
                    *known = distance;
                    open.push(Reverse((distance, edge.to)));
                }
            }
        }
        near
    }
}
