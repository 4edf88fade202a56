//! Breadth-first lookahead, ply by ply, with duplicate detection.
//!
//! Ply k holds the states that are k moves away and no fewer; g is the cost of the cheapest of those shortest-in-moves
//! paths. A ply that holds the goal is finished and the lookahead ends there, at the goal. Where a ply would be empty,
//! the one before it is the frontier.
//!
//! A lookahead can go on where it stopped: one to depth p is the first p plies of any deeper one, and on its way to depth d
//! it gives the answer of every depth up to d.

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

/// The context of a lookahead: where it begins and ends, and how it values states.
#[derive(Clone, Copy)]
pub struct LookaheadContext<W, H> {
    /// The state that it begins at.
    pub from: State,
    /// The state that ends it.
    pub goal: State,
    /// With path-max, g + h never falls along a path, nor below this value.
    pub path_max: Option<Cost>,
    /// The amount that an edge of some cost adds to g.
    pub weigh: W,
    /// The heuristic of a state, with everything that was learned.
    pub heuristic: H,
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
    /// The frontier.
    ply: Vec<State>,
    next: Vec<State>,
    /// The number of the frontier's ply.
    number: u32,
    /// The least value in the frontier, and the largest of those of the plies before it.
    min: Cost,
    max_of_min: Cost,
    /// The value and the state that are the least in the frontier, the first of equals.
    first: (Cost, State),
    /// The value of the goal and the goal, where it lies in the frontier.
    at_goal: Option<(Cost, State)>,
    /// Whether no state is further away than the frontier.
    is_exhausted: bool,
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

    /// Keeps the lookahead that was just begun away from a state.
    pub fn avoid(&mut self, state: State) {
        self.seen[state as usize].ply = self.root;
    }

    /// Begins a lookahead that continues ply by ply, up to `max_depth`, on a graph with this many states.
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
        self.number = self.root;
        (self.min, self.max_of_min, self.first) = (0, 0, (f, from));
        (self.at_goal, self.is_exhausted) = (None, false);
    }

    /// Goes on until the frontier is `depth` moves away, or where it ends before that.
    #[inline(always)]
    pub fn reach<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        depth: u32,
        context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    ) {
        while self.depth() < depth && self.deepen(meter, context) {}
    }

    /// Goes on by one ply, unless the goal lies in the frontier or no state lies beyond it; tells whether it did.
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
        debug_assert!(number <= self.end, "a lookahead goes no deeper than was said when it began");
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
        self.max_of_min = self.min.max(self.max_of_min);
        // Value and place in one number, so that the least is the first of equals, without a branch.
        let mut least = u64::MAX;
        for (place, &state) in (0..).zip(ply.iter()) {
            let known = &mut seen[state as usize];
            let f = add(known.g, (context.heuristic)(state));
            known.f = if context.path_max.is_some() { f.max(known.f) } else { f };
            least = least.min((known.f as u64) << 32 | place);
            if state == context.goal {
                self.at_goal = Some((known.f, state));
            }
        }
        self.first = ((least >> 32) as Cost, ply[least as u32 as usize]);
        (self.min, self.number) = (self.first.0, number);
        true
    }

    /// The goal, where it lies in the frontier, or else the most promising state of the frontier.
    #[inline(always)]
    pub fn promise(&self, ties: &mut Ties) -> Promise {
        let (f, state) = match (self.at_goal, &ties) {
            (Some(at_goal), _) => at_goal,
            (None, Ties::First) => self.first,
            (None, Ties::Random(_)) => {
                let mut least = Least::default();
                for &state in &self.ply {
                    least.offer(ties, self.seen[state as usize].f, state);
                }
                least.get().expect("a frontier is never empty")
            }
        };
        Promise { f, state, max_of_min: f.max(self.max_of_min) }
    }

    /// How many moves away the frontier is.
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.number - self.root
    }

    /// The states of the frontier.
    pub fn frontier(&self) -> &[State] {
        &self.ply
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

    fn number_plies(&mut self, states: usize, depth: u32) {
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
