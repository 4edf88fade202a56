//! Breadth-first lookahead, ply by ply, with duplicate detection.
//!
//! Ply k holds the states that are k moves away and no fewer; g is the cost of the cheapest of those shortest-in-moves
//! paths. A ply that holds the goal is finished and the lookahead ends there, at the goal. Where a ply would be empty,
//! the one before it is the frontier.

use super::ties::{Least, Ties};
use crate::cost::{Cost, add};
use crate::graph::{Graph, State};
use crate::meter::Meter;

/// What is known of a state in the current lookahead.
#[derive(Clone, Copy, Default)]
struct Seen {
    g: Cost,
    /// The largest g + h along the path, with path-max; g + h without.
    f: Cost,
    /// The state before it on the path.
    parent: State,
    /// The number of the ply, counted on from lookahead to lookahead.
    ply: u32,
}

/// How to look ahead.
#[derive(Clone, Copy)]
pub struct Rules<W> {
    /// How many plies.
    pub depth: u32,
    /// With path-max g + h never falls along a path, nor below this value, which stands at its beginning.
    pub path_max: Option<Cost>,
    /// What an edge of some cost adds to g.
    pub weigh: W,
}

/// The most promising state of the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its value, g + h.
    pub f: Cost,
    /// The state; where there is no move at all, the one that the lookahead set out from.
    pub state: State,
    /// The largest of the least values of the plies, this one's the last of them.
    pub max_of_min: Cost,
}

/// A lookahead and its memory, used again from move to move.
#[derive(Default)]
pub struct Lookahead {
    seen: Vec<Seen>,
    /// The number of the current lookahead's ply 0.
    root: u32,
    /// One past the last ply that was used.
    end: u32,
    ply: Vec<State>,
    next: Vec<State>,
}

impl Lookahead {
    /// Looks ahead of `from`, never through `avoid`, and tells the most promising frontier state.
    pub fn run<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ties: &mut Ties,
        (from, goal, avoid): (State, State, Option<State>),
        rules: Rules<impl Fn(Cost) -> Cost>,
        heuristic: impl Fn(State) -> Cost,
    ) -> Promise {
        let Rules { depth, path_max, weigh } = rules;
        self.begin(meter.states(), depth);
        let Lookahead { seen, root, ply, next, .. } = self;
        let root = *root;
        if let Some(avoid) = avoid {
            seen[avoid as usize].ply = root;
        }
        let f = path_max.unwrap_or_else(|| heuristic(from));
        seen[from as usize] = Seen { g: 0, f, parent: from, ply: root };
        ply.clear();
        ply.push(from);

        // The least value of the current ply, and the largest of those of the plies before it.
        let (mut min, mut max_of_min) = (0, 0);
        for number in root + 1..=root + depth {
            next.clear();
            for &state in ply.iter() {
                let parent = seen[state as usize];
                meter.expand(state, |successor, cost| {
                    let known = &mut seen[successor as usize];
                    let g = add(parent.g, weigh(cost));
                    if known.ply < root {
                        next.push(successor);
                    } else if known.ply != number || g >= known.g {
                        return;
                    }
                    *known = Seen { g, f: parent.f, parent: state, ply: number };
                });
            }
            if next.is_empty() {
                break;
            }
            std::mem::swap(ply, next);
            max_of_min = min.max(max_of_min);
            min = Cost::MAX;
            let mut at_goal = None;
            for &state in ply.iter() {
                let known = &mut seen[state as usize];
                let f = add(known.g, heuristic(state));
                known.f = if path_max.is_some() { f.max(known.f) } else { f };
                min = min.min(known.f);
                if state == goal {
                    at_goal = Some(known.f);
                }
            }
            if let Some(f) = at_goal {
                return Promise { f, state: goal, max_of_min: f.max(max_of_min) };
            }
        }

        let mut least = Least::default();
        for &state in ply.iter() {
            least.offer(ties, seen[state as usize].f, state);
        }
        let (f, state) = least.get().expect("a frontier is never empty");
        Promise { f, state, max_of_min: f.max(max_of_min) }
    }

    /// The path of the last lookahead to one of its states, without the state that it set out from.
    pub fn path(&self, to: State, path: &mut Vec<State>) {
        let begin = path.len();
        let mut at = to;
        while self.seen[at as usize].ply != self.root {
            path.push(at);
            at = self.seen[at as usize].parent;
        }
        path[begin..].reverse();
    }

    /// The first move on that path; none where there is no move to make.
    pub fn first(&self, to: State) -> Option<State> {
        let mut first = None;
        let mut at = to;
        while self.seen[at as usize].ply != self.root {
            first = Some(at);
            at = self.seen[at as usize].parent;
        }
        first
    }

    fn begin(&mut self, states: usize, depth: u32) {
        if self.seen.len() < states {
            self.seen = vec![Seen::default(); states];
            self.end = 0;
        }
        if self.end > u32::MAX - depth - 2 {
            self.seen.fill(Seen::default());
            self.end = 0;
        }
        // Ply numbers start at 1: 0 means never seen.
        self.root = self.end + 1;
        self.end = self.root + depth;
    }
}
