//! Breadth-first lookahead, ply by ply, with duplicate detection.
//!
//! Ply k contains the states at a distance of k moves, and g is the cost of the cheapest path with k moves. A lookahead
//! ends after the ply with the goal. If the next ply is empty, the last one is the frontier.
//!
//! A lookahead can be continued: the first p plies of any deeper lookahead are the lookahead to depth p.

use super::table::{Table, bytes};
use super::ties::{Minimum, Ties};
use crate::cost::{Cost, add};
use crate::graph::{Graph, State};
use crate::meter::Meter;

/// The data of a state in the current lookahead.
#[derive(Clone, Copy, Default)]
struct Seen {
    g: Cost,
    /// The maximal g + h along the path with path-max, otherwise g + h.
    f: Cost,
    /// The predecessor on the path.
    parent: State,
    /// The number of the ply, which keeps increasing from lookahead to lookahead.
    ply: u32,
}

/// The context of a lookahead: its start and end, and the values of states.
#[derive(Clone, Copy)]
pub struct LookaheadContext<W, H> {
    /// The state where it starts.
    pub from: State,
    /// The state where it ends.
    pub goal: State,
    /// With path-max, g + h neither decreases along a path nor falls below this value.
    pub path_max: Option<Cost>,
    /// The weight of an edge's cost in g.
    pub weigh: W,
    /// The heuristic of a state, including learning.
    pub heuristic: H,
}

/// The most promising state of the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its value, g + h.
    pub f: Cost,
    /// The state, or the start of the lookahead if there is no move.
    pub state: State,
    /// The maximum over the minimal values of all plies up to this one.
    pub max_of_min: Cost,
}

/// A lookahead with memory that is reused for all moves.
#[derive(Default)]
pub struct Lookahead {
    seen: Vec<Seen>,
    /// The number of the current lookahead's ply 0.
    root: u32,
    /// The number after the last used ply.
    end: u32,
    /// The frontier.
    ply: Vec<State>,
    next: Vec<State>,
    /// The number of the frontier's ply.
    number: u32,
    /// The minimal value in the frontier, and the maximum of the minima of all plies before it.
    min: Cost,
    max_of_min: Cost,
    /// The minimal value in the frontier and its state, the first one on ties.
    first: (Cost, State),
    /// The value of the goal and the goal, if it is in the frontier.
    at_goal: Option<(Cost, State)>,
    /// Whether no state is beyond the frontier.
    is_exhausted: bool,
    /// The number of states seen in the current lookahead, and the maximum of the bytes in use over all lookaheads.
    states: usize,
    peak_bytes: u64,
}

impl Table for Lookahead {
    fn reset(&mut self, _states: usize) {
        self.peak_bytes = 0;
    }

    fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }
}

impl Lookahead {
    /// Looks `depth` plies ahead and returns the most promising frontier state.
    pub fn run<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ties: &mut Ties,
        depth: u32,
        context: LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    ) -> Promise {
        self.begin(meter.states(), depth, &context);
        self.reach(meter, depth, &context);
        self.promise(ties)
    }

    /// Excludes a state from the lookahead that was just started.
    pub fn avoid(&mut self, state: State) {
        self.seen[state as usize].ply = self.root;
        self.states += 1;
    }

    /// Starts a lookahead that continues ply by ply, up to `max_depth`, on a graph with this many states.
    pub fn begin(
        &mut self,
        states: usize,
        max_depth: u32,
        context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    ) {
        self.number_plies(states, max_depth);
        let from = context.from;
        let f = context.path_max.unwrap_or_else(|| (context.heuristic)(from));
        self.seen[from as usize] = Seen { g: 0, f, parent: from, ply: self.root };
        self.ply.clear();
        self.ply.push(from);
        self.states = 1;
        self.number = self.root;
        (self.min, self.max_of_min, self.first) = (0, 0, (f, from));
        (self.at_goal, self.is_exhausted) = (None, false);
    }

    /// Continues until the frontier is `depth` moves away, or the lookahead ends.
    #[inline(always)]
    pub fn reach<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        depth: u32,
        context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    ) {
        while self.depth() < depth && self.deepen(meter, context) {}
    }

    /// Adds one ply, unless the goal is in the frontier or no state is beyond it. Returns whether it did.
    #[inline(always)]
    pub fn deepen<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    ) -> bool {
        if self.at_goal.is_some() || self.is_exhausted {
            return false;
        }
        let Lookahead { seen, root, ply, next, .. } = self;
        let (root, number) = (*root, self.number + 1);
        debug_assert!(number <= self.end, "a lookahead stays within its maximal depth");
        next.clear();
        for &state in ply.iter() {
            let parent = seen[state as usize];
            meter.expand(state, |successor, cost| {
                let known = &mut seen[successor as usize];
                let g = add(parent.g, (context.weigh)(cost));
                if known.ply < root {
                    next.push(successor);
                } else if known.ply != number || g >= known.g {
                    return;
                }
                *known = Seen { g, f: parent.f, parent: state, ply: number };
            });
        }
        if next.is_empty() {
            self.is_exhausted = true;
            return false;
        }
        std::mem::swap(ply, next);
        self.states += ply.len();
        self.peak_bytes = self.peak_bytes.max(bytes::<Seen>(self.states) + bytes::<State>(ply.len() + next.len()));
        self.max_of_min = self.min.max(self.max_of_min);
        // Value and place in one integer make the minimum the first one on ties, without a branch.
        let mut min = u64::MAX;
        for (place, &state) in (0..).zip(ply.iter()) {
            let known = &mut seen[state as usize];
            let f = add(known.g, (context.heuristic)(state));
            known.f = if context.path_max.is_some() { f.max(known.f) } else { f };
            min = min.min((known.f as u64) << 32 | place);
            if state == context.goal {
                self.at_goal = Some((known.f, state));
            }
        }
        self.first = ((min >> 32) as Cost, ply[min as u32 as usize]);
        (self.min, self.number) = (self.first.0, number);
        true
    }

    /// The goal if it is in the frontier, otherwise the most promising state of the frontier.
    #[inline(always)]
    pub fn promise(&self, ties: &mut Ties) -> Promise {
        let (f, state) = match (self.at_goal, &ties) {
            (Some(at_goal), _) => at_goal,
            (None, Ties::First) => self.first,
            (None, Ties::Random(_)) => {
                let mut min = Minimum::default();
                for &state in &self.ply {
                    min.offer(ties, self.seen[state as usize].f, state);
                }
                min.get().expect("a frontier is never empty")
            }
        };
        Promise { f, state, max_of_min: f.max(self.max_of_min) }
    }

    /// The distance of the frontier in moves.
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.number - self.root
    }

    /// The states of the frontier.
    pub fn frontier(&self) -> &[State] {
        &self.ply
    }

    /// Appends the path of the last lookahead to one of its states, without the start, to `path`.
    pub fn path(&self, to: State, path: &mut Vec<State>) {
        let begin = path.len();
        let mut at = to;
        while self.seen[at as usize].ply != self.root {
            path.push(at);
            at = self.seen[at as usize].parent;
        }
        path[begin..].reverse();
    }

    /// The first move on that path, or `None` if it has no moves.
    pub fn first(&self, to: State) -> Option<State> {
        let mut first = None;
        let mut at = to;
        while self.seen[at as usize].ply != self.root {
            first = Some(at);
            at = self.seen[at as usize].parent;
        }
        first
    }

    fn number_plies(&mut self, states: usize, depth: u32) {
        if self.seen.len() < states {
            self.seen = vec![Seen::default(); states];
            self.end = 0;
        }
        if self.end > u32::MAX - depth - 2 {
            self.seen.fill(Seen::default());
            self.end = 0;
        }
        // Ply numbers start at 1, since 0 marks unseen states.
        self.root = self.end + 1;
        self.end = self.root + depth;
    }
}
