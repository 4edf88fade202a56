//! The oracle of dynamic-control-2008 and -2007: the shallowest depth that gives the move of the deepest.
//!
//! Section 5.1: from d_max down, as long as a search gives the action that d_max gives; all depths from the one chosen up
//! to d_max agree. "The same action" means the same under the fixed rule for ties. One search to d_max has the answers of
//! all depths, since that of depth k is the best of ply k.

use crate::cost::Cost;
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::lookahead::{Lookahead, LookaheadContext};
use crate::search::ties::Ties;

/// What a search of some depth says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value of its best state: what it would make the heuristic of where it set out from.
    pub f: Cost,
    /// Its move.
    pub next: State,
}

/// An oracle and its memory.
pub struct Oracle {
    dmax: u32,
    answers: Vec<Answer>,
}

impl Oracle {
    /// An oracle that looks so far ahead.
    pub fn new(dmax: u32) -> Oracle {
        Oracle { dmax, answers: Vec::new() }
    }

    /// The depth to search to; 1 where there is no move to make. The meter is one that does not count, since the search is
    /// the oracle's and not the agent's.
    pub fn label<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        lookahead: &mut Lookahead,
        context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    ) -> u32 {
        lookahead.begin(meter.states(), self.dmax, context);
        self.answers.clear();
        look(meter, lookahead, context, self.dmax, &mut self.answers);
        label(&self.answers)
    }
}

/// Goes on with a lookahead until its frontier is `depth` moves away, or where it ends before that, and appends the answer of
/// each ply.
pub fn look<G: Graph>(
    meter: &mut Meter<'_, G>,
    lookahead: &mut Lookahead,
    context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
    depth: u32,
    answers: &mut Vec<Answer>,
) {
    while lookahead.depth() < depth && lookahead.deepen(meter, context) {
        let promise = lookahead.promise(&mut Ties::First);
        let next = lookahead.first(promise.state).expect("a ply is a move away at least");
        answers.push(Answer { f: promise.f, next });
    }
}

/// The shallowest depth from which on all answers have the move of the last one; 1 where there are none.
///
/// A lookahead that ended early has the same answer at all greater depths.
pub fn label(answers: &[Answer]) -> u32 {
    let Some(last) = answers.last() else { return 1 };
    answers.len() as u32 - answers.iter().rev().skip(1).take_while(|answer| answer.next == last.next).count() as u32
}
