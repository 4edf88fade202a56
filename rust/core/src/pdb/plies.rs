//! The plies of LRTA*'s lookahead from one state, whatever the goal: which states are k moves away, on which of the
//! shortest-in-moves paths. With them the optimal depth for a goal is a look at one ply after the other.

use super::plane::Plane;
use crate::cost::{Cost, add};
use crate::graph::State;

/// The plies around one state, grown as far as someone looked.
#[derive(Default)]
pub struct Plies {
    /// All states, ply by ply, in the order in which the lookahead comes upon them, the source first.
    states: Vec<State>,
    places: Vec<(u32, u32)>,
    /// The cost of the way there.
    costs: Vec<Cost>,
    /// Where the state before each on that way stands.
    parents: Vec<u32>,
    /// With which of the source's edges that way begins.
    firsts: Vec<u32>,
    /// Where each ply ends.
    ends: Vec<u32>,
    /// Where a state stands, if it does.
    index: Vec<u32>,
    /// The largest g + h on the way to each state, towards the goal at hand.
    values: Vec<Cost>,
}

impl Plies {
    /// Begins anew, around another state.
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

    /// Where a state stands; none where no ply has it yet.
    fn position(&self, state: State) -> Option<usize> {
        let index = self.index[state as usize] as usize;
        (self.states.get(index) == Some(&state)).then_some(index)
    }

    /// Grows one more ply; tells whether there is one.
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
        let is_more = self.states.len() > end;
        if is_more {
            self.ends.push(self.states.len() as u32);
        }
        is_more
    }

    /// The least depth at which a lookahead from the source begins with an optimal move, as `is_optimal` tells of the
    /// source's edges. Where no depth does, the one from which on all look the same: that of the goal, or of the last ply.
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
        let aim = plane.place(goal);
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
                // The heuristic is consistent: g + h never falls on the way.
                least(
                    begin,
                    (begin..end).map(|at| add(self.costs[at], plane.heuristic::<GROUND>(self.places[at], aim))),
                )
            } else {
                for at in begin..end {
                    let value = add(self.costs[at], plane.heuristic::<GROUND>(self.places[at], aim));
                    self.values.push(value.max(self.values[self.parents[at] as usize]));
                }
                least(begin, self.values[begin..end].iter().copied())
            };
            if is_optimal(self.firsts[best]) {
                return depth;
            }
            begin = end;
        }
        unreachable!("plies come to an end")
    }
}

/// Where the first of the least values stands, if the first value stands at `begin`.
#[inline(always)]
fn least(begin: usize, values: impl Iterator<Item = Cost>) -> usize {
    let (mut least, mut best) = (Cost::MAX, begin);
    for (at, value) in values.enumerate() {
        if value < least {
            (least, best) = (value, begin + at);
        }
    }
    best
}
