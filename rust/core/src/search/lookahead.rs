//! Breadth-first lookahead, ply by ply, with duplicate detection.
//!
//! Ply k holds the states that are k moves away and no fewer; g is the cost of the cheapest of those shortest-in-moves
//! paths. A ply that holds the goal is finished and the lookahead ends there, at the goal. Where a ply would be empty,
//! the one before it is the frontier.

use super::ties::{Least, Ties};
use crate::cost::{Cost, add};
use crate::graph::{Graph, NO_STATE, State};
use crate::meter::Meter;

/// What is known of a state in the current lookahead.
#[derive(Clone, Copy, Default)]
struct Seen {
    g: Cost,
    /// The largest g + h along the path, with path-max; g + h without.
    f: Cost,
    /// The first move of the path.
    first: State,
    /// The number of the ply, counted on from lookahead to lookahead.
    ply: u32,
}

/// The most promising state of the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its value, g + h.
    pub f: Cost,
    /// The first move on the way there; none where there is no move at all.
    pub first: Option<State>,
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
    /// Looks `depth` plies ahead of `from`, never through `avoid`, and tells the most promising frontier state. With
    /// `path_max`, g + h never falls along a path.
    pub fn run<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ties: &mut Ties,
        (from, goal, avoid): (State, State, Option<State>),
        (depth, path_max): (u32, bool),
        heuristic: impl Fn(State) -> Cost,
    ) -> Promise {
        self.begin(meter.states(), depth);
        let Lookahead { seen, root, ply, next, .. } = self;
        let root = *root;
        if let Some(avoid) = avoid {
            seen[avoid as usize].ply = root;
        }
        seen[from as usize] = Seen { g: 0, f: heuristic(from), first: NO_STATE, ply: root };
        ply.clear();
        ply.push(from);

        for number in root + 1..=root + depth {
            next.clear();
            for &state in ply.iter() {
                let parent = seen[state as usize];
                meter.expand(state, |successor, cost| {
                    let known = &mut seen[successor as usize];
                    let g = add(parent.g, cost);
                    if known.ply < root {
                        next.push(successor);
                    } else if known.ply != number || g >= known.g {
                        return;
                    }
                    let first = if parent.first == NO_STATE { successor } else { parent.first };
                    *known = Seen { g, f: parent.f, first, ply: number };
                });
            }
            if next.is_empty() {
                break;
            }
            std::mem::swap(ply, next);
            let mut at_goal = None;
            for &state in ply.iter() {
                let known = &mut seen[state as usize];
                let f = add(known.g, heuristic(state));
                known.f = if path_max { f.max(known.f) } else { f };
                if state == goal {
                    at_goal = Some(Promise { f: known.f, first: Some(known.first) });
                }
            }
            if let Some(promise) = at_goal {
                return promise;
            }
        }

        let mut least = Least::default();
        for &state in ply.iter() {
            least.offer(ties, seen[state as usize].f, state);
        }
        let (f, state) = least.get().expect("a frontier is never empty");
        let first = seen[state as usize].first;
        Promise { f, first: (first != NO_STATE).then_some(first) }
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
