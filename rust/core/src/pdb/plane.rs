//! The graph that agents with a database plan on, laid out for very many searches: the ground, or a level above it.

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

/// An edge, and where it leads: its place in the list of entries of the region that it leaves, or [`WITHIN`] it.
#[derive(Clone, Copy)]
pub struct Edge {
    pub to: State,
    pub cost: Cost,
    pub entry: u32,
}

/// An edge that leaves no region.
pub const WITHIN: u32 = u32::MAX;

/// A graph cut into regions.
pub struct Plane {
    /// The ground, where that is what is planned on.
    ground: Option<Arc<Grid>>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// Where states lie: in cells on the ground, in units of cost above it.
    places: Vec<(u32, u32)>,
    /// What a step along the shorter side adds to the heuristic, for every [`CARDINAL`] units.
    shorter: Cost,
    /// The region of every state; [`NO_REGION`] where there is no state.
    pub regions: Vec<u32>,
    /// The state that stands for each region: nearest to the average of its states.
    pub representatives: Vec<State>,
    /// Where the entries of each region begin, and where the last one's end.
    pub entry_starts: Vec<u32>,
    /// The states just outside of each region, which whoever leaves it enters, in their order; none where they were not
    /// asked for.
    pub entries: Vec<State>,
}

/// What is no state has no region.
pub const NO_REGION: u32 = u32::MAX;

impl Plane {
    /// Level `base` of a map, cut into the states of level `level`. Edges come in the order in which agents break ties by
    /// default.
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
            plane.lay_out(&Terrain::new(&geometry, grid.moves()), |state| hierarchy.is_state(0, state));
        } else {
            plane.lay_out(&AbstractGraph::<false>::new(hierarchy, base), |state| hierarchy.is_state(base, state));
        }
        plane.cut(hierarchy, base, level);
        plane
    }

    fn lay_out(&mut self, graph: &impl Graph, is_state: impl Fn(State) -> bool) {
        for state in 0..graph.states() as State {
            if is_state(state) {
                let edges = &mut self.edges;
                graph.successors(state, |to, cost| edges.push(Edge { to, cost, entry: WITHIN }));
            }
            self.starts.push(self.edges.len() as u32);
        }
    }

    fn cut(&mut self, hierarchy: &Hierarchy, base: usize, level: usize) {
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

    /// The same with the entries of each region, which [`Plane::way_out`] needs.
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

    /// States are below this number.
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

    /// Where a state lies.
    #[inline(always)]
    pub fn place(&self, state: State) -> (u32, u32) {
        self.places[state as usize]
    }

    /// The initial heuristic of agents, between two places.
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

    /// The places of a region's entries in the list of all.
    pub fn entries_of(&self, region: u32) -> Range<usize> {
        self.entry_starts[region as usize] as usize..self.entry_starts[region as usize + 1] as usize
    }

    /// Whether a path that is optimal can begin with the `first` of a state's edges, given the distances of both of its
    /// ends to the goal.
    #[inline]
    pub fn is_optimal(&self, from: State, first: u32, distance: impl Fn(State) -> Cost) -> bool {
        let edge = self.edges(from)[first as usize];
        add(distance(edge.to), edge.cost) == distance(from)
    }

    /// Where the optimal path from a region's representative leaves it, given all distances to the goal: the place of that
    /// entry in the region's list, none where there is no way. Of several optimal moves the path takes the costliest, that
    /// is a diagonal one on the ground, and of those the first.
    #[inline]
    pub fn way_out(&self, distances: &[Cost], region: u32) -> Option<u32> {
        let mut at = self.representatives[region as usize];
        if distances[at as usize] == INFINITY {
            return None;
        }
        loop {
            let left = distances[at as usize];
            let mut best = Edge { to: at, cost: 0, entry: WITHIN };
            for edge in self.edges(at) {
                if edge.cost > best.cost && add(distances[edge.to as usize], edge.cost) == left {
                    best = *edge;
                }
            }
            if best.entry != WITHIN {
                return Some(best.entry);
            }
            assert!(best.cost > 0, "a path leads on until it leaves the region");
            at = best.to;
        }
    }
}

/// Distances on a plane, and the memory to compute them again and again.
#[derive(Default)]
pub struct Distances {
    tree: Tree,
    near: Vec<Cost>,
    reached: Vec<State>,
    open: BinaryHeap<Reverse<(Cost, State)>>,
}

impl Distances {
    /// The distance from one state to every other, [`INFINITY`] where there is no way.
    pub fn all<'d>(&'d mut self, plane: &Plane, from: State) -> &'d [Cost] {
        match &plane.ground {
            Some(grid) => self.tree.distances(grid, from),
            None => self.until(plane, from, None),
        }
    }

    /// The same up to the distance of `last`; what is farther away may seem so.
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
