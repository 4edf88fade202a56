//! The interface of agents: what every algorithm implements, and the data that it plans with.

mod memory;

pub use crate::search::table::Table;
pub use memory::Memory;

use crate::graph::{Graph, State};
use crate::grid::Shape;
use crate::meter::Meter;
use crate::pdb::Key;

/// An algorithm that plans the next moves.
///
/// It reads successors only through the [`Meter`]. State that it keeps from move to move is in the agent itself (small)
/// or in [`Memory`] (large).
pub trait Agent: Send {
    /// The highest level of abstraction that it uses; `None` if it needs no hierarchy.
    fn highest_level(&self) -> Option<usize> {
        None
    }

    /// The pattern databases that it uses.
    fn databases(&self) -> Vec<Key> {
        Vec::new()
    }

    /// When discoveries end a plan.
    fn replan(&self) -> Replan {
        Replan::Blocked
    }

    /// A new problem begins: reset the state in the agent. [`Memory`] is reset by the caller.
    fn begin_problem(&mut self) {}

    /// A trial begins at the start. Everything learned and discovered in earlier trials is kept.
    fn begin_trial(&mut self) {}

    /// A move is about to be planned; moves of a trial are numbered from 1.
    fn begin_episode(&mut self, _number: u64) {}

    /// Plans one or more moves. An empty plan means that there is no path.
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>);

    /// Whether every plan is one move, so that runs may call [`Agent::single_move`] instead of [`Agent::plan`].
    const STEPS: bool = false;

    /// The one move that it plans from the current state; `None` means that there is no path.
    fn single_move<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        let SingleEpisode { meter, memory, at, goal } = episode;
        let mut plan = Vec::new();
        self.plan(Episode { meter, memory, at, goal, plan: &mut plan });
        plan.first().copied()
    }

    /// The reason why it cannot continue, if it failed while planning.
    fn failure(&mut self) -> Option<String> {
        None
    }

    /// The agent has sensed blocked cells; the graph behind the meter is already updated.
    fn discovered(&mut self, _discovery: Discovery<'_>) {}

    /// The problem has ended, solved or not.
    fn end_problem(&mut self) {}
}

/// When discoveries end a plan, so that the agent plans again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replan {
    /// As soon as any of its moves is known to be blocked.
    Blocked,
    /// When its next move is known to be blocked.
    NextBlocked,
    /// Whenever anything was discovered.
    Discovered,
}

/// One planning episode: the data that an agent may use, and the plan that it writes.
pub struct Episode<'a, 'g, G> {
    /// The only access to successors.
    pub meter: &'a mut Meter<'g, G>,
    /// The agent's tables.
    pub memory: &'a mut Memory,
    /// The current state.
    pub at: State,
    /// The goal.
    pub goal: State,
    /// The agent appends its moves here; the first one starts at `at`.
    pub plan: &'a mut Vec<State>,
}

/// A planning episode of exactly one move: the data that an agent may use.
pub struct SingleEpisode<'a, 'g, G> {
    /// The only access to successors.
    pub meter: &'a mut Meter<'g, G>,
    /// The agent's tables.
    pub memory: &'a mut Memory,
    /// The current state.
    pub at: State,
    /// The goal.
    pub goal: State,
}

/// A change of the agent's knowledge of the map.
#[derive(Clone, Copy, Debug)]
pub struct Discovery<'a> {
    /// Cells that it assumed to be free and that are blocked. Moves between the cells around them may have changed, too.
    pub blocked: &'a [State],
    /// The size of the map.
    pub shape: Shape,
}
