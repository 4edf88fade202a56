//! The oracle of dynamic-control-2008 and -2007: the lowest depth whose move is that of d_max.
//!
//! Section 5.1 decreases the depth from d_max as long as the search gives the same action, under a fixed order of ties.
//! A single search to d_max has the answers of all depths, since the answer of depth k is the best state of ply k.

use crate::cost::Cost;
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::lookahead::{Lookahead, LookaheadContext};
use crate::search::table::bytes;
use crate::search::ties::Ties;

/// The answer of a search to some depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value of its best state, which becomes the heuristic of the current state.
    pub f: Cost,
    /// Its move.
    pub next: State,
}

/// An oracle.
pub struct Oracle {
    dmax: u32,
    answers: Vec<Answer>,
    /// The maximum number of answers.
    peak: usize,
}

impl Oracle {
    /// An oracle with this maximum depth.
    pub fn new(dmax: u32) -> Oracle {
        Oracle { dmax, answers: Vec::new(), peak: 0 }
    }

    /// Begins a problem.
    pub fn begin_problem(&mut self) {
        self.peak = 0;
    }

    /// See [`Table::peak_bytes`](crate::search::table::Table::peak_bytes).
    pub fn peak_bytes(&self) -> u64 {
        bytes::<Answer>(self.peak)
    }

    /// The depth for the agent's search; 1 if no move exists. The oracle's own search is not counted as planning, so
    /// the caller passes a separate meter.
    pub fn label<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        lookahead: &mut Lookahead,
        context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    ) -> u32 {
        lookahead.begin(meter.states(), self.dmax, context);
        self.answers.clear();
        look(meter, lookahead, context, self.dmax, &mut self.answers);
        self.peak = self.peak.max(self.answers.len());
        label(&self.answers)
    }
}

/// Continues a lookahead up to `depth`, or until it ends, and appends the answer of each ply.
pub fn look<G: Graph>(
    meter: &mut Meter<'_, G>,
    lookahead: &mut Lookahead,
    context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    depth: u32,
    answers: &mut Vec<Answer>,
) {
    while lookahead.depth() < depth && lookahead.deepen(meter, context) {
        let promise = lookahead.promise(&mut Ties::First);
        let next = lookahead.first(promise.state).expect("a ply is at least one move away");
        answers.push(Answer { f: promise.f, next });
    }
}

/// The lowest depth from which all answers have the move of the last one; 1 if there are none. A lookahead that ended
/// early has the same answer at all greater depths.
pub fn label(answers: &[Answer]) -> u32 {
    let Some(last) = answers.last() else { return 1 };
    answers.len() as u32 - answers.iter().rev().skip(1).take_while(|answer| answer.next == last.next).count() as u32
}
