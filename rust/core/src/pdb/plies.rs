//! The plies of LRTA*'s lookahead from one state for any goal: the states that are k moves away, and cheapest paths
//! with the fewest moves to them. To find the optimal depth for a goal, one ply after the other is checked.

use super::plane::Plane;
use crate::cost::{Cost, add};
use crate::graph::State;

/// The plies around one state, computed on demand.
#[derive(Default)]
pub struct Plies {
    /// All states, ply by ply, in the order of the lookahead, the source first.
    states: Vec<State>,
    places: Vec<(u32, u32)>,
    /// The cost of the path to each state.
    costs: Vec<Cost>,
    /// The index of the previous state on that path.
    parents: Vec<u32>,
    /// The number of the source's edge with which that path begins.
    firsts: Vec<u32>,
    /// The end of each ply.
    ends: Vec<u32>,
    /// The index of each state, if it is in a ply.
    index: Vec<u32>,
    /// The maximum of g + h on the path to each state, for the current goal.
    values: Vec<Cost>,
}

impl Plies {
    /// Starts again around another state.
    pub fn begin(&mut self, plane: &Plane, source: State) {
        self.index.resize(plane.states(), 0);
        for list in [&mut self.states, &mut self.parents, &mut self.firsts, &mut self.ends, &mut self.costs] {
            list.clear();
        }
        self.places.clear();
        self.push(plane, source, 0, (0, 0));
        self.ends.push(1);
    }

    fn push(&mut self, plane: &Plane, state: State, cost: Cost, (parent, first): (u32, u32)) {
        self.index[state as usize] = self.states.len() as u32;
        self.states.push(state);
        self.places.push(plane.place(state));
        self.costs.push(cost);
        self.parents.push(parent);
        self.firsts.push(first);
    }

    /// The index of a state; `None` if no ply contains it yet.
    fn position(&self, state: State) -> Option<usize> {
        let index = self.index[state as usize] as usize;
        (self.states.get(index) == Some(&state)).then_some(index)
    }

    /// Adds the next ply. Returns whether there is one.
    fn grow(&mut self, plane: &Plane) -> bool {
        let ply = self.ends.len();
        let begin = if ply > 1 { self.ends[ply - 2] } else { 0 } as usize;
        let end = self.ends[ply - 1] as usize;
        for at in begin..end {
            for (number, edge) in plane.edges(self.states[at]).iter().enumerate() {
                let cost = add(self.costs[at], edge.cost);
                let first = if at == 0 { number as u32 } else { self.firsts[at] };
                match self.position(edge.to) {
                    None => self.push(plane, edge.to, cost, (at as u32, first)),
                    Some(known) if known >= end && cost < self.costs[known] => {
                        (self.costs[known], self.parents[known], self.firsts[known]) = (cost, at as u32, first);
                    }
                    Some(_) => {}
                }
            }
        }
        let is_deeper = self.states.len() > end;
        if is_deeper {
            self.ends.push(self.states.len() as u32);
        }
        is_deeper
    }

    /// The lowest depth at which a lookahead from the source begins with an optimal move; `is_optimal` checks the
    /// source's edges. If there is none, the depth of the goal or of the last ply, since greater depths give the same
    /// result.
    pub fn depth(&mut self, plane: &Plane, goal: State, is_optimal: impl FnMut(u32) -> bool) -> u32 {
        if plane.is_ground() {
            self.depth_on::<true>(plane, goal, is_optimal)
        } else {
            self.depth_on::<false>(plane, goal, is_optimal)
        }
    }

    fn depth_on<const GROUND: bool>(
        &mut self,
        plane: &Plane,
        goal: State,
        mut is_optimal: impl FnMut(u32) -> bool,
    ) -> u32 {
        let place = plane.place(goal);
        self.values.clear();
        self.values.push(0);
        let mut begin = 1;
        for depth in 1.. {
            if depth as usize == self.ends.len() && !self.grow(plane) {
                return (depth - 1).max(1);
            }
            let end = self.ends[depth as usize] as usize;
            if self.position(goal).is_some_and(|at| (begin..end).contains(&at)) {
                return depth;
            }
            let best = if GROUND {
                // The heuristic is consistent, so g + h never decreases along the path.
                minimum(
                    begin,
                    (begin..end).map(|at| add(self.costs[at], plane.heuristic::<GROUND>(self.places[at], place))),
                )
            } else {
                for at in begin..end {
                    let value = add(self.costs[at], plane.heuristic::<GROUND>(self.places[at], place));
                    self.values.push(value.max(self.values[self.parents[at] as usize]));
                }
                minimum(begin, self.values[begin..end].iter().copied())
            };
            if is_optimal(self.firsts[best]) {
                return depth;
            }
            begin = end;
        }
        unreachable!("the number of plies is finite")
    }
}

/// The index of the first minimum, if the first value has the index `begin`.
#[inline(always)]
fn minimum(begin: usize, values: impl Iterator<Item = Cost>) -> usize {
    let (mut min, mut best) = (Cost::MAX, begin);
    for (at, value) in values.enumerate() {
        if value < min {
            (min, best) = (value, begin + at);
        }
    }
    best
}
