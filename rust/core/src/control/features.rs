//! Features of a move for decision trees, from the last n moves and from a shallow pre-search: f1 to f11 of
//! dynamic-control-2008, Appendix A, or the four of dynamic-control-2007.
//!
//! Each feature takes constant time: the last n moves are in a ring, with running totals and a count for each state.
//! Distances are in cells. The papers leave the following open:
//! - Before n moves were made, the state n steps ago is the start.
//! - Heuristics are those before the update of this move.
//! - The successor of f9 to f11 is the next state. In f9 its heuristic is at least one unit of cost, so f9 is finite.
//! - If the pre-search ends early, at the goal or in a dead end, f5 uses open ground at the depth of its frontier.

use crate::cost::{CARDINAL, Cost};
use crate::graph::{Graph, State};
use crate::meter::{Heuristic, Meter};
use crate::search::lookahead::{Lookahead, LookaheadContext};
use crate::search::table::{Table, bytes};
use crate::search::ties::Ties;

/// The number of features of the largest set.
pub const MAX_FEATURES: usize = 11;

/// The features of a move, in the type that scikit-learn uses. A smaller set fills the first places.
pub type Features = [f32; MAX_FEATURES];

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureSet {
    /// The four of dynamic-control-2007.
    Four,
    /// f1 to f11 of dynamic-control-2008.
    Eleven,
}

impl FeatureSet {
    /// The sets by their names in tree files.
    pub const NAMES: [(&'static str, FeatureSet); 2] = [("2007", FeatureSet::Four), ("2008", FeatureSet::Eleven)];

    /// The set with a name.
    pub fn named(name: &str) -> Option<FeatureSet> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, set)| *set)
    }

    /// A short description of each feature.
    pub fn features(self) -> &'static [&'static str] {
        match self {
            FeatureSet::Four => &["distance to the goal", "distance from n moves ago", "revisits", "updates"],
            FeatureSet::Eleven => &[
                "f1 distance to the goal",
                "f2 distance from n moves ago",
                "f3 distinct states",
                "f4 volume of updates",
                "f5 open frontier",
                "f6 updated frontier",
                "f7 same action as last time here",
                "f8 same direction as before",
                "f9 ratio of heuristics",
                "f10 successor updated",
                "f11 heuristic falls",
            ],
        }
    }

    /// Whether some features need a pre-search.
    pub fn has_presearch(self) -> bool {
        self == FeatureSet::Eleven
    }
}

/// The past moves from a state.
#[derive(Clone, Copy, Default)]
struct Past {
    /// The number of the last n moves that were made from it.
    in_window: u32,
    /// The destination of the last move planned from it, plus 1; 0 if there was none.
    planned: State,
}

/// One of the last n moves.
#[derive(Clone, Copy)]
struct Step {
    from: State,
    raised: Cost,
}

/// The last n moves of a trial, and the last move planned from each state of a problem.
#[derive(Default)]
pub struct History {
    past: Vec<Past>,
    /// The states from which moves were planned.
    visited: Vec<State>,
    n: usize,
    /// The last moves, a ring after n of them.
    window: Vec<Step>,
    /// The maximum number of moves in the ring in earlier trials.
    peak: usize,
    /// The place of the oldest move in the ring.
    oldest: usize,
    last: Option<State>,
    distinct: u32,
    volume: u64,
    changes: u32,
}

impl Table for History {
    fn reset(&mut self, _states: usize) {
        for state in self.visited.drain(..) {
            self.past[state as usize] = Past::default();
        }
        self.clear();
        self.peak = 0;
    }

    fn peak_bytes(&self) -> u64 {
        let (states, moves) = (self.visited.len(), self.peak.max(self.window.len()));
        bytes::<Past>(states) + bytes::<State>(states) + bytes::<Step>(moves)
    }
}

impl History {
    /// Begins a trial on a graph with this many states; features use the last n moves.
    pub fn begin_trial(&mut self, states: usize, n: usize) {
        if self.past.len() < states {
            self.past.resize(states, Past::default());
        }
        for step in &self.window {
            self.past[step.from as usize].in_window = 0;
        }
        self.clear();
        self.n = n;
    }

    fn clear(&mut self) {
        self.peak = self.peak.max(self.window.len());
        self.window.clear();
        (self.oldest, self.last) = (0, None);
        (self.distinct, self.volume, self.changes) = (0, 0, 0);
    }

    /// Records a planned move, and the increase of the heuristic of its first state.
    #[inline]
    pub fn record(&mut self, from: State, to: State, raised: Cost) {
        let step = Step { from, raised };
        if self.window.len() < self.n {
            self.window.push(step);
        } else {
            let oldest = std::mem::replace(&mut self.window[self.oldest], step);
            self.oldest = if self.oldest + 1 == self.n { 0 } else { self.oldest + 1 };
            let past = &mut self.past[oldest.from as usize];
            past.in_window -= 1;
            self.distinct -= (past.in_window == 0) as u32;
            self.volume -= oldest.raised as u64;
            self.changes -= (oldest.raised > 0) as u32;
        }
        let past = &mut self.past[from as usize];
        if past.planned == 0 {
            self.visited.push(from);
        }
        self.distinct += (past.in_window == 0) as u32;
        past.in_window += 1;
        past.planned = to + 1;
        self.volume += raised as u64;
        self.changes += (raised > 0) as u32;
        self.last = Some(from);
    }
}

/// The features of the next move, given a pre-search from the current state.
#[inline]
pub fn features<G: Graph>(
    set: FeatureSet,
    meter: &Meter<'_, G>,
    lookahead: &Lookahead,
    history: &History,
    context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    h0: &Heuristic<'_, G>,
) -> Features {
    let at = context.from;
    let long_ago = history.window.get(history.oldest).map_or(at, |step| step.from);
    let mut features = [0.0; MAX_FEATURES];
    features[0] = cells(h0.of(at) as u64);
    features[1] = cells(meter.heuristic(long_ago).of(at) as u64);
    if set == FeatureSet::Four {
        features[2] = (history.window.len() as u32 - history.distinct) as f32;
        features[3] = history.changes as f32;
        return features;
    }
    features[2] = history.distinct as f32;
    features[3] = cells(history.volume);

    // The move of the pre-search under a fixed order of ties; `None` if no move exists.
    let promise = lookahead.promise(&mut Ties::First);
    let Some(next) = lookahead.first(promise.state) else { return features };
    let (h, h_next) = ((context.heuristic)(at), (context.heuristic)(next));
    let is_updated = |state: State| (context.heuristic)(state) > h0.of(state);
    let frontier = lookahead.frontier();
    let updated = frontier.iter().filter(|state| is_updated(**state)).count();
    features[4] = (frontier.len() as f64 / (meter.directions() * lookahead.depth()) as f64) as f32;
    features[5] = (updated as f64 / frontier.len() as f64) as f32;
    features[6] = flag(history.past[at as usize].planned == next + 1);
    // States are numbered row by row, so the same step is the same difference.
    features[7] = flag(history.last.is_some_and(|last| at.wrapping_sub(last) == next.wrapping_sub(at)));
    features[8] = (h as f64 / h_next.max(1) as f64) as f32;
    features[9] = flag(is_updated(next));
    features[10] = flag(h > h_next);
    features
}

fn cells(units: u64) -> f32 {
    (units as f64 / CARDINAL as f64) as f32
}

fn flag(holds: bool) -> f32 {
    holds as u32 as f32
}
