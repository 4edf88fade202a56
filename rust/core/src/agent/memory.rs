//! The tables that agents share.

use crate::abstraction::Abstraction;
use crate::control::features::History;
use crate::cost::Cost;
use crate::graph::State;
use crate::pdb::Database;
use crate::search::best_first::BestFirst;
use crate::search::learned::{Learned, Learning};
use crate::search::learned_by_goal::LearnedByGoal;
use crate::search::lookahead::Lookahead;
use crate::search::table::{OwnTables, Table};
use crate::search::ties::Ties;
use crate::search::unbounded::Unbounded;
use std::sync::Arc;

/// The large tables of agents. Each worker thread owns one set and reuses it for all problems and agents; each table is
/// allocated when it is first used.
#[derive(Default)]
pub struct Memory {
    /// Heuristics learned towards the goal.
    pub learned: Learned,
    /// Heuristics learned towards intermediate goals.
    pub learned_by_goal: LearnedByGoal,
    /// Heuristics learned towards the goal without an upper bound.
    pub unbounded: Unbounded,
    /// Best-first search.
    pub best_first: BestFirst,
    /// Breadth-first lookahead.
    pub lookahead: Lookahead,
    /// Recent moves, for depth control by a decision tree.
    pub history: History,
    /// The abstraction hierarchy, for agents that need one.
    pub abstraction: Abstraction,
    /// The pattern databases that the agent uses, in the order of [`Needs`](super::Needs).
    pub databases: Vec<Arc<Database>>,
    /// How ties break in this trial.
    pub ties: Ties,
    /// Tables that only one agent uses. An agent gets its own with [`OwnTables::get`].
    pub own: OwnTables,
}

impl Memory {
    /// Resets the tables for a new problem with this many states.
    pub(crate) fn begin(&mut self, states: usize) {
        let Memory { learned, learned_by_goal, unbounded, best_first, lookahead, history, abstraction, own, .. } = self;
        let shared: [&mut dyn Table; 7] =
            [learned, learned_by_goal, unbounded, best_first, lookahead, history, abstraction];
        shared.into_iter().chain(own.iter_mut()).for_each(|table| table.reset(states));
    }

    fn tables(&self) -> impl Iterator<Item = &dyn Table> {
        let Memory { learned, learned_by_goal, unbounded, best_first, lookahead, history, abstraction, own, .. } = self;
        let shared: [&dyn Table; 7] =
            [learned, learned_by_goal, unbounded, best_first, lookahead, history, abstraction];
        shared.into_iter().chain(own.iter())
    }

    /// The sum of [`Table::peak_bytes`].
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.tables().map(Table::peak_bytes).sum()
    }

    /// See [`Table::risen`].
    pub(crate) fn risen(&self, state: State, goal: State, initial: impl Fn(State) -> Cost) -> f64 {
        self.tables().map(|table| table.risen(state, goal, &initial)).fold(0.0, f64::max)
    }

    /// Statistics of everything learned since the problem began.
    pub fn learning(&self) -> Learning {
        self.tables().map(Table::learning).fold(Learning::default(), Learning::and)
    }
}
