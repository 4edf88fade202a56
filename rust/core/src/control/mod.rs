//! Control of the depth and the goal of a move: line 3 of Figure 1 of dynamic-control-2008. The two controls are
//! independent, so they can be combined freely. Goal control is in [`goal`].
//!
//! For each move, depth control gets a [`LookaheadContext`] with the goal of that move and the heuristic towards it. It
//! begins the lookahead and returns its depth. The pre-search of a decision tree is the beginning of that lookahead.

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

/// The control of the lookahead depth.
pub enum DepthControl {
    /// A fixed depth: F.
    Fixed(u32),
    /// The depth that a pattern database stores for the goal of the move: PDB.
    Stored,
    /// The depth that a decision tree chooses by features of a pre-search and of recent moves: DT.
    Tree(Arc<Tree>),
    /// The lowest depth whose move is that of the maximum depth: ORACLE.
    Oracle(Oracle),
}

impl DepthControl {
    /// Begins a problem.
    pub fn begin_problem(&mut self) {
        if let DepthControl::Oracle(oracle) = self {
            oracle.begin_problem();
        }
    }

    /// The peak of its own data, see [`Table::peak_bytes`](crate::search::table::Table::peak_bytes).
    pub fn peak_bytes(&self) -> u64 {
        if let DepthControl::Oracle(oracle) = self { oracle.peak_bytes() } else { 0 }
    }

    /// Begins a trial. The last move planned in each state is kept.
    pub fn begin_trial(&self, history: &mut History, states: usize) {
        if let DepthControl::Tree(tree) = self {
            history.begin_trial(states, tree.n as usize);
        }
    }

    /// Begins a lookahead and returns its depth. The lookahead may already have some plies, or more than the depth.
    ///
    /// `stored` is the depth from a pattern database, `h0` the initial heuristic towards the goal of the context.
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
                // No lookahead has more plies than the graph has states.
                let depth = stored.min(meter.states() as u32);
                lookahead.begin(meter.states(), depth, context);
                depth
            }
            DepthControl::Tree(tree) => {
                lookahead.begin(meter.states(), tree.dmax, context);
                lookahead.reach(meter, tree.presearch, context);
                tree.depth(&features(tree.set, meter, lookahead, history, context, h0))
            }
            DepthControl::Oracle(oracle) => {
                let depth = meter.foresee(|meter| oracle.label(meter, lookahead, context));
                lookahead.begin(meter.states(), depth, context);
                depth
            }
        }
    }

    /// The fixed or stored depth; `None` if the depth depends on a search.
    #[inline(always)]
    pub fn known(&self, stored: u32) -> Option<u32> {
        match self {
            DepthControl::Fixed(depth) => Some(*depth),
            DepthControl::Stored => Some(stored),
            DepthControl::Tree(_) | DepthControl::Oracle(_) => None,
        }
    }

    /// Records a planned move, and the increase of the heuristic of its first state.
    #[inline]
    pub fn planned(&self, history: &mut History, at: State, next: State, raised: Cost) {
        if let DepthControl::Tree(_) = self {
            history.record(at, next, raised);
        }
    }
}
