//! The tables that agents share.

use crate::abstraction::Abstraction;
use crate::control::features::History;
use crate::cost::{Cost, INFINITY};
use crate::graph::State;
use crate::pdb::Database;
use crate::search::bands::Bands;
use crate::search::best_first::BestFirst;
use crate::search::incremental::Incremental;
use crate::search::learned::{Learned, Learning};
use crate::search::learned_by_goal::LearnedByGoal;
use crate::search::lookahead::Lookahead;
use crate::search::ties::Ties;
use crate::search::unbounded::Unbounded;
use crate::search::update_queue::UpdateQueue;
use std::sync::Arc;

/// The large tables of agents. Each worker thread owns one set and reuses it for all problems and agents; each table is
/// allocated when it is first used.
pub struct Memory {
    /// Heuristics learned towards the goal.
    pub learned: Learned,
    /// Heuristics learned towards intermediate goals.
    pub learned_by_goal: LearnedByGoal,
    /// Heuristics learned towards the goal without an upper bound.
    pub unbounded: Unbounded,
    /// Best-first search.
    pub best_first: BestFirst,
    /// Incremental search.
    pub incremental: Incremental,
    /// Breadth-first lookahead.
    pub lookahead: Lookahead,
    /// The last moves, for depth control by a decision tree.
    pub history: History,
    /// States of an update in progress.
    pub bands: Bands,
    /// States that are queued for an update.
    pub updates: UpdateQueue,
    /// The abstraction hierarchy, for agents that need one.
    pub abstraction: Abstraction,
    /// The pattern databases that the agent uses, in the order of [`Agent::databases`](super::Agent::databases).
    pub databases: Vec<Arc<Database>>,
    /// How ties break in this trial.
    pub ties: Ties,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            learned: Learned::default(),
            learned_by_goal: LearnedByGoal::default(),
            unbounded: Unbounded::default(),
            best_first: BestFirst::default(),
            incremental: Incremental::default(),
            lookahead: Lookahead::default(),
            history: History::default(),
            bands: Bands::default(),
            updates: UpdateQueue::default(),
            abstraction: Abstraction::default(),
            databases: Vec::new(),
            ties: Ties::First,
        }
    }
}

impl Memory {
    /// A new problem with this many states begins.
    pub(crate) fn begin(&mut self, states: usize) {
        self.learned.reset(states);
        self.learned_by_goal.reset();
        self.unbounded.reset();
        self.updates.clear();
        self.history.forget();
    }

    /// The increase of a state's heuristic over its initial value, in units of cost: the maximum over the goal and all
    /// intermediate goals. Infinite if the learned value is, or if the state was removed.
    pub(crate) fn risen(&self, state: State, goal: State, initial: impl Fn(State) -> Cost) -> f64 {
        let towards_goal = initial(goal);
        let learned = self.learned.or_anywhere(state, towards_goal);
        let bounded = match self.learned_by_goal.risen(state, initial).max(learned - towards_goal) {
            _ if learned == INFINITY => f64::INFINITY,
            risen => f64::from(risen),
        };
        match self.unbounded.or_gone(state, towards_goal) {
            (_, true) => f64::INFINITY,
            (value, false) => bounded.max(value - f64::from(towards_goal)),
        }
    }

    /// Statistics of everything learned since the problem began.
    pub fn learning(&self) -> Learning {
        self.learned.learning().and(self.learned_by_goal.learning()).and(self.unbounded.learning())
    }
}
