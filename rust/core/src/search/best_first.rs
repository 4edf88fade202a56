//! A* and its variants: bounded by a number of expansions, weighted, with or without re-opening.
//!
//! States are expanded in the order of the [`OpenList`]: smallest f first, ties by larger g. A successor with an f no
//! larger than that of the expanded state is next in this order, so it is expanded directly and never enters the list.
//! In open areas most of a search avoids the list in this way.

use super::layers::{self, Found, Layers, Task};
use super::open_list::{OpenList, Ordered};
use super::table::{Table, bytes};
use super::ties::{Ranks, Ties};
use crate::cost::{Cost, INFINITY, add};
use crate::graph::{Graph, State};
use crate::meter::Meter;
use std::cell::Cell;
use std::hint::select_unpredictable;

/// The data of a state in the last search that generated it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// The complement of the search's number, then g. Entries of earlier searches are larger than all of this one, so
    /// that one comparison detects a new or cheaper path to the state.
    pub key: u64,
    pub h: Cost,
    /// The predecessor on the path. The highest bit marks closed states, unless states are re-opened.
    pub parent: u32,
}

impl Node {
    const UNSEEN: Node = Node { key: u64::MAX, h: 0, parent: 0 };
    const CLOSED: u32 = 1 << 31;
    /// The parent of the start. All states are smaller.
    const NO_PARENT: u32 = Self::CLOSED - 1;

    #[inline(always)]
    fn g(&self) -> Cost {
        self.key as Cost
    }
}

/// Paths of at least this length count as none, so that sums with an edge of any level stay below infinity.
const LONGEST: Cost = INFINITY - (1 << 27);

/// A successor that precedes all entries of the open list.
#[derive(Clone, Copy)]
struct Candidate {
    serial: u32,
    f: Cost,
    g: Cost,
    state: State,
}

impl Candidate {
    #[inline(always)]
    fn ordered(self, ranks: Ranks) -> Ordered {
        Ordered::new(ranks.of(self.serial), (self.f, self.g, self.state))
    }
}

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The goal, or another state at the limit, was about to be expanded.
    At(State),
    /// The open list is empty: the goal is unreachable.
    Exhausted,
}

/// The end of a search, with its size.
pub(super) struct Searched {
    pub ended: Ended,
    /// The number of generated states.
    pub generated: usize,
    /// The number of entries of the open list, including those that were removed.
    pub pushed: usize,
    /// The bytes of its remaining entries, unless it is an [`OpenList`].
    pub open_bytes: Option<u64>,
}

/// The parameters that distinguish best-first searches.
#[derive(Clone, Copy)]
pub struct Rules<H, W> {
    /// The heuristic of a state, given its initial value.
    pub heuristic: H,
    /// The weight of an edge's cost in f.
    pub weigh: W,
    /// Whether a closed state is opened again when a cheaper path to it is found. Consistent heuristics never cause
    /// this, and the search is faster without the check.
    pub reopen: bool,
    /// Whether f never falls along a path (Mero 1984), for heuristics that are not consistent.
    pub path_max: bool,
    /// Whether the heuristic is consistent and is the length of a path to the goal, possibly through blocked cells. The
    /// open list is simpler then if all edges have the same cost.
    pub is_length: bool,
    /// The maximal number of expansions.
    pub limit: u64,
}

impl<H> Rules<H, fn(Cost) -> Cost> {
    /// A* without a limit. Re-opening is enabled, but it never happens with a consistent heuristic and costs nothing.
    pub fn consistent(heuristic: H) -> Self {
        Rules { heuristic, weigh: |cost| cost, reopen: true, path_max: false, is_length: true, limit: u64::MAX }
    }
}

/// A best-first search with memory that is reused by all searches.
#[derive(Default)]
pub struct BestFirst {
    /// In cells, since tests of successors and visits to them interleave, on one thread.
    nodes: Vec<Cell<Node>>,
    /// The complement of the current search's number, in the upper half.
    search: u64,
    open: OpenList,
    layers: Layers,
    closed: Vec<State>,
    /// The maximum over all searches of the bytes in use at their ends.
    peak_bytes: u64,
}

impl Table for BestFirst {
    fn reset(&mut self, _states: usize) {
        self.peak_bytes = 0;
    }

    fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }
}

impl BestFirst {
    /// Searches from `from` until `goal` is about to be expanded, the limit is reached or the open list is empty.
    pub fn run<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ties: &mut Ties,
        from: State,
        goal: State,
        rules: Rules<impl Fn(State, Cost) -> Cost, impl Fn(Cost) -> Cost>,
    ) -> Ended {
        self.begin(meter.states());
        let ranks = ties.ranks();
        let h = (rules.heuristic)(from, meter.heuristic(goal).of(from));
        self.nodes[from as usize].set(Node { key: self.search, h, parent: Node::NO_PARENT });
        let are_finite = |unit: &Cost| rules.is_length && layers::sums_are_finite(meter.states(), *unit, h);
        let Searched { ended, generated, pushed, open_bytes } = match G::UNIT.filter(are_finite) {
            Some(unit) => {
                let task = Task { from, goal, unit, limit: rules.limit };
                let found = Found { nodes: &self.nodes, search: self.search, closed: &mut self.closed };
                self.layers.run(meter, ranks, task, rules.heuristic, found)
            }
            None => self.search(meter, ranks, (from, h), goal, rules),
        };
        let known = bytes::<Node>(generated) + bytes::<State>(self.closed.len());
        // The open list is counted only if the search may have been the largest one.
        if known + bytes::<Ordered>(pushed.saturating_sub(self.closed.len())) > self.peak_bytes {
            let open_bytes = open_bytes.unwrap_or_else(|| self.open.bytes());
            self.peak_bytes = self.peak_bytes.max(known + open_bytes);
        }
        ended
    }

    /// Searches with an [`OpenList`] from a state with the heuristic `h`, whose node is set.
    #[inline(always)]
    fn search<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ranks: Ranks,
        (from, h): (State, Cost),
        goal: State,
        rules: Rules<impl Fn(State, Cost) -> Cost, impl Fn(Cost) -> Cost>,
    ) -> Searched {
        let Rules { heuristic, weigh, reopen, path_max, limit, .. } = rules;
        let BestFirst { nodes, open, closed, .. } = self;
        let nodes = &nodes[..];
        let (mut serial, mut generated, grain) = (0u32, 1u32, meter.grain());
        let h0 = meter.heuristic(goal);
        let mut state = from;
        open.clear(grain, h);
        let ended = loop {
            if state == goal || closed.len() as u64 == limit {
                break Ended::At(state);
            }
            closed.push(state);
            let mut node = nodes[state as usize].get();
            if !reopen {
                node.parent |= Node::CLOSED;
                nodes[state as usize].set(node);
            }
            let f = add(node.g(), node.h);
            if node.g() > LONGEST {
                break Ended::Exhausted;
            }
            // The first of the successors that precede all entries of the open list.
            let mut next: Option<Candidate> = None;
            let key_of = |cost| node.key + weigh(cost) as u64;
            let cheaper = |successor: State, cost| {
                nodes.get(successor as usize).is_some_and(|node| key_of(cost) < node.get().key)
            };
            meter.expand_if_towards(state, &h0, cheaper, |successor, cost, h0| {
                let (cell, key) = (&nodes[successor as usize], key_of(cost));
                let (mut node, g) = (cell.get(), key as Cost);
                let is_known = key ^ node.key <= Cost::MAX as u64;
                if !reopen && is_known && node.parent & Node::CLOSED != 0 {
                    return;
                }
                node.h = select_unpredictable(is_known, node.h, heuristic(successor, h0));
                if path_max {
                    node.h = node.h.max(f.saturating_sub(g));
                }
                (node.key, node.parent) = (key, state);
                cell.set(node);
                serial = serial.wrapping_add(1);
                generated += !is_known as u32;
                let successor_f = add(g, node.h);
                if successor_f > f {
                    open.push(grain, ranks, serial, (successor_f, g, successor));
                    return;
                }
                let candidate = Candidate { serial, f: successor_f, g, state: successor };
                next = match next {
                    None => Some(candidate),
                    Some(before) => {
                        let (one, other) = (candidate.ordered(ranks), before.ordered(ranks));
                        open.push_near(one.min(other));
                        Some(select_unpredictable(one > other, candidate, before))
                    }
                };
            });
            state = match next {
                Some(next) => next.state,
                None => {
                    let f_of = |state: State, g| {
                        let node = nodes[state as usize].get();
                        (add(g, node.h), node.g() == g)
                    };
                    let Some((successor, _)) = open.pop(grain, ranks, f_of) else { break Ended::Exhausted };
                    successor
                }
            };
        };
        Searched { ended, generated: generated as usize, pushed: serial as usize, open_bytes: None }
    }

    /// Searches without a limit and appends the moves from `from` to `goal` to `path`. Returns whether there is a path.
    pub fn find<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ties: &mut Ties,
        from: State,
        goal: State,
        rules: Rules<impl Fn(State, Cost) -> Cost, impl Fn(Cost) -> Cost>,
        path: &mut Vec<State>,
    ) -> bool {
        let ended = self.run(meter, ties, from, goal, rules);
        if let Ended::At(end) = ended {
            self.path(end, u64::MAX, path);
        }
        ended != Ended::Exhausted
    }

    fn begin(&mut self, states: usize) {
        assert!(states < Node::NO_PARENT as usize, "states leave room for a mark");
        self.closed.clear();
        if self.nodes.len() < states {
            self.nodes = vec![Cell::new(Node::UNSEEN); states];
            self.closed = Vec::with_capacity(states);
            self.search = u64::MAX << 32;
        }
        // A search and its update have different numbers.
        if self.search <= 2 << 32 {
            self.nodes.fill(Cell::new(Node::UNSEEN));
            self.search = u64::MAX << 32;
        }
        self.search -= 1 << 32;
    }

    /// Starts an update of the states that the last search expanded, with infinity as the [`BestFirst::g`] of each.
    pub fn begin_update(&mut self) {
        let BestFirst { nodes, search, closed, .. } = self;
        // A separate number distinguishes the expanded states from all others by their keys.
        *search -= 1 << 32;
        for &state in closed.iter() {
            let cell = &nodes[state as usize];
            cell.set(Node { key: *search | INFINITY as u64, ..cell.get() });
        }
    }

    /// During an update: the cost of the edge plus the heuristic of a state that the search generated but did not
    /// expand, infinity for expanded states, and an arbitrary value for invalid states.
    #[inline(always)]
    pub fn value_outside(&self, state: State, cost: Cost) -> Cost {
        // The last state replaces invalid ones, since a branch here would be unpredictable.
        let node = self.nodes[(state as usize).min(self.nodes.len() - 1)].get();
        select_unpredictable(node.key <= self.search | INFINITY as u64, INFINITY, node.h.wrapping_add(cost))
    }

    /// During an update: whether a state was expanded, with a [`BestFirst::g`] above `value` plus the cost of the edge,
    /// where `value` is that of its neighbour.
    #[inline(always)]
    pub fn lower(&self, value: Cost) -> impl Fn(State, Cost) -> bool {
        // Such keys are between the next value and infinity, with the number of the update.
        let (nodes, above, room) = (&self.nodes[..], self.search + value as u64 + 1, (INFINITY - value) as u64);
        move |successor, cost| {
            let key = nodes.get(successor as usize).map_or(u64::MAX, |node| node.get().key);
            key.wrapping_sub(above + cost as u64) < room.saturating_sub(cost as u64)
        }
    }

    /// The states expanded by the last search, in order. With re-opening a state may occur twice.
    pub fn closed(&self) -> &[State] {
        &self.closed
    }

    /// The cost of the path found to a state that the last search generated.
    #[inline(always)]
    pub fn g(&self, state: State) -> Cost {
        self.nodes[state as usize].get().g()
    }

    /// The heuristic that the last search used for a state that it generated, including path-max.
    #[inline(always)]
    pub fn h(&self, state: State) -> Cost {
        self.nodes[state as usize].get().h
    }

    /// Replaces the [`BestFirst::g`] of a state that the last search generated, for use by an update.
    #[inline(always)]
    pub fn set_g(&self, state: State, value: Cost) {
        let cell = &self.nodes[state as usize];
        cell.set(Node { key: self.search | value as u64, ..cell.get() });
    }

    /// Appends the moves from the start of the last search to `to`, at most `max` of them, to `plan`.
    pub fn path(&self, to: State, max: u64, plan: &mut Vec<State>) {
        let begin = plan.len();
        let mut state = to;
        loop {
            let parent = self.nodes[state as usize].get().parent & !Node::CLOSED;
            if parent == Node::NO_PARENT {
                break;
            }
            plan.push(state);
            state = parent;
        }
        plan[begin..].reverse();
        plan.truncate(begin + max.min(u32::MAX as u64) as usize);
    }
}
