//! Who chooses the depth and the goal of a move: line 3 of Figure 1 of dynamic-control-2008. The two are independent parts,
//! so that any depth control goes with any goal control, which is in [`goal`].
//!
//! Depth control knows nothing of goals: it is asked anew for every move, with an [`LookaheadContext`] that has the goal of that
//! move and the heuristic learned towards it, wherever that is kept. It begins the lookahead and tells its depth; what it
//! has looked at so far, the pre-search of a decision tree, are the first plies of that lookahead.

pub mod features;
pub mod goal;
pub mod oracle;
pub mod tree;

use crate::cost::Cost;
use crate::graph::{Graph, State};
use crate::meter::{Heuristic, Meter};
use crate::search::lookahead::{Lookahead, LookaheadContext};
use features::{History, features};
use oracle::Oracle;
use std::sync::Arc;
use tree::Tree;

/// What chooses the depth of a lookahead.
pub enum DepthControl {
    /// Always the same: F.
    Fixed(u32),
    /// What a pattern database has for the goal of the move: PDB.
    Stored,
    /// A decision tree, by what a pre-search and the last moves were like: DT.
    Tree(Arc<Tree>),
    /// The shallowest depth whose move is that of the deepest: ORACLE.
    Oracle(Oracle),
}

impl DepthControl {
    /// A trial begins: the last moves are those of this trial. What was planned before in each state is remembered.
    pub fn begin_trial(&self, history: &mut History, states: usize) {
        if let DepthControl::Tree(tree) = self {
            history.begin_trial(states, tree.n() as usize);
        }
    }

    /// Begins a lookahead and tells how deep it is to go; the lookahead may be part of the way there, or deeper already.
    ///
    /// `stored` is what a pattern database has, `h0` the initial heuristic towards the goal of the context.
    #[inline]
    pub fn choose<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        lookahead: &mut Lookahead,
        history: &History,
        context: &LookaheadContext<impl Fn(Cost) -> Cost, impl Fn(State) -> Cost>,
        stored: u32,
        h0: &Heuristic<'_, G>,
    ) -> u32 {
        match self {
            DepthControl::Fixed(depth) => {
                lookahead.begin(meter.states(), *depth, context);
                *depth
            }
            DepthControl::Stored => {
                // No graph is deeper.
                let depth = stored.min(meter.states() as u32);
                lookahead.begin(meter.states(), depth, context);
                depth
            }
            DepthControl::Tree(tree) => {
                lookahead.begin(meter.states(), tree.dmax(), context);
                lookahead.reach(meter, tree.presearch(), context);
                tree.depth(&features(tree.set(), meter, lookahead, history, context, h0))
            }
            DepthControl::Oracle(oracle) => {
                let depth = meter.foresee(|meter| oracle.label(meter, lookahead, context));
                lookahead.begin(meter.states(), depth, context);
                depth
            }
        }
    }

    /// The depth that it has for every move, or that a pattern database has for this one; none where it takes a look.
    #[inline(always)]
    pub fn known(&self, stored: u32) -> Option<u32> {
        match self {
            DepthControl::Fixed(depth) => Some(*depth),
            DepthControl::Stored => Some(stored),
            DepthControl::Tree(_) | DepthControl::Oracle(_) => None,
        }
    }

    /// A move was planned, from a state whose heuristic rose by so much.
    #[inline]
    pub fn planned(&self, history: &mut History, at: State, next: State, raised: Cost) {
        if let DepthControl::Tree(_) = self {
            history.record(at, next, raised);
        }
    }
}
