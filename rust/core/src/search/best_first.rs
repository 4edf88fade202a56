//! A* and everything of its shape: bounded by a number of expansions, weighted, with or without re-opening.
//!
//! States come off the open list by the smallest f, ties going to the larger g and then as [`Ties`] says. A successor
//! whose f is no larger than that of the state being expanded is next in that order, so it is taken at once and never
//! enters the list: on open ground most of a search goes straight on.

use super::ties::Ties;
use crate::cost::{Cost, add};
use crate::graph::{Graph, NO_STATE, State};
use crate::meter::Meter;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is known of a state in the current search.
#[derive(Clone, Copy, Default)]
struct Node {
    g: Cost,
    h: Cost,
    parent: State,
    /// Twice the number of the search that generated it, plus one when closed.
    stamp: u32,
}

/// An entry of the open list: f, then the complement of g, then the rank among ties, then the state, in one integer,
/// so that comparing entries is comparing integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u128);

impl Entry {
    #[inline(always)]
    fn new(f: Cost, g: Cost, rank: u32, state: State) -> Entry {
        Entry((f as u128) << 96 | (!g as u128) << 64 | (rank as u128) << 32 | state as u128)
    }

    #[inline(always)]
    fn g(self) -> Cost {
        !((self.0 >> 64) as Cost)
    }

    #[inline(always)]
    fn state(self) -> State {
        self.0 as State
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The goal, or at the limit some other state, was about to be expanded.
    At(State),
    /// The open list ran empty: the goal cannot be reached.
    Exhausted,
}

/// What sets one best-first search apart from another.
#[derive(Clone, Copy)]
pub struct Rules<H, W> {
    /// The heuristic of a state; asked once a state and search.
    pub heuristic: H,
    /// What an edge's cost counts for in f.
    pub weigh: W,
    /// Whether a closed state that is reached on a cheaper way is opened again; never happens where the heuristic is
    /// consistent.
    pub reopen: bool,
    /// Whether f never falls along a path (Mero 1984), for heuristics that are not consistent.
    pub path_max: bool,
    /// How many states may be expanded.
    pub limit: u64,
}

impl<H> Rules<H, fn(Cost) -> Cost> {
    /// A* with a consistent heuristic, to the end.
    pub fn consistent(heuristic: H) -> Self {
        Rules { heuristic, weigh: |cost| cost, reopen: false, path_max: false, limit: u64::MAX }
    }
}

/// A best-first search and its memory, used again from search to search.
#[derive(Default)]
pub struct BestFirst {
    nodes: Vec<Node>,
    search: u32,
    open: BinaryHeap<Reverse<Entry>>,
    closed: Vec<State>,
}

impl BestFirst {
    /// Searches from `from` until `goal` is about to be expanded, the limit is reached or nothing is left.
    pub fn run<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ties: &mut Ties,
        from: State,
        goal: State,
        rules: Rules<impl FnMut(State) -> Cost, impl Fn(Cost) -> Cost>,
    ) -> Ended {
        let Rules { mut heuristic, weigh, reopen, path_max, limit } = rules;
        self.begin(meter.states());
        let BestFirst { nodes, search, open, closed } = self;
        let fresh = *search << 1;
        let mut serial = 0u32;

        let mut state = from;
        nodes[from as usize] = Node { g: 0, h: heuristic(from), parent: NO_STATE, stamp: fresh };
        loop {
            if state == goal || closed.len() as u64 == limit {
                return Ended::At(state);
            }
            closed.push(state);
            let node = &mut nodes[state as usize];
            node.stamp = fresh | 1;
            let (g, f) = (node.g, add(node.g, node.h));
            // The best successor that precedes everything on the open list, if any.
            let mut next: Option<Entry> = None;
            meter.expand(state, |successor, cost| {
                let node = &mut nodes[successor as usize];
                let g = add(g, weigh(cost));
                if node.stamp < fresh {
                    node.h = heuristic(successor);
                } else if g >= node.g || (node.stamp != fresh && !reopen) {
                    return;
                }
                if path_max {
                    node.h = node.h.max(f.saturating_sub(g));
                }
                (node.g, node.parent, node.stamp) = (g, state, fresh);
                let successor_f = add(g, node.h);
                serial = serial.wrapping_add(1);
                let mut entry = Entry::new(successor_f, g, ties.rank(serial), successor);
                if successor_f <= f {
                    match &mut next {
                        None => {
                            next = Some(entry);
                            return;
                        }
                        Some(next) if entry < *next => std::mem::swap(next, &mut entry),
                        Some(_) => {}
                    }
                }
                open.push(Reverse(entry));
            });
            state = match next {
                Some(entry) => entry.state(),
                None => loop {
                    let Some(Reverse(entry)) = open.pop() else { return Ended::Exhausted };
                    let node = &nodes[entry.state() as usize];
                    // Entries that a cheaper way has overtaken stay in the list until they surface.
                    if node.stamp == fresh && node.g == entry.g() {
                        break entry.state();
                    }
                },
            };
        }
    }

    fn begin(&mut self, states: usize) {
        self.open.clear();
        self.closed.clear();
        if self.nodes.len() < states {
            self.nodes = vec![Node::default(); states];
            self.search = 0;
        }
        if self.search == u32::MAX >> 1 {
            self.nodes.fill(Node::default());
            self.search = 0;
        }
        self.search += 1;
    }

    /// The states expanded by the last search, in order; with re-opening a state may stand there twice.
    pub fn closed(&self) -> &[State] {
        &self.closed
    }

    /// Whether the last search expanded a state and did not open it again.
    #[inline(always)]
    pub fn is_closed(&self, state: State) -> bool {
        self.nodes[state as usize].stamp == self.search << 1 | 1
    }

    /// The cost of the path found to a state that the last search generated.
    #[inline(always)]
    pub fn g(&self, state: State) -> Cost {
        self.nodes[state as usize].g
    }

    /// The heuristic that the last search used for a state that it generated; with path-max, what that made of it.
    #[inline(always)]
    pub fn h(&self, state: State) -> Cost {
        self.nodes[state as usize].h
    }

    /// Puts another value where the last search had the heuristic of a state that it generated: room for updates.
    #[inline(always)]
    pub fn set_h(&mut self, state: State, value: Cost) {
        self.nodes[state as usize].h = value;
    }

    /// Appends the moves from the start of the last search to `to`, at most `most` of them, to `plan`.
    pub fn path(&self, to: State, most: u64, plan: &mut Vec<State>) {
        let begin = plan.len();
        let mut state = to;
        while self.nodes[state as usize].parent != NO_STATE {
            plan.push(state);
            state = self.nodes[state as usize].parent;
        }
        plan[begin..].reverse();
        plan.truncate(begin + most.min(u32::MAX as u64) as usize);
    }
}
