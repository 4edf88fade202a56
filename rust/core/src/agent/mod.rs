//! The interface of agents: the methods that every algorithm implements, and the data that it plans with.

mod memory;

pub use crate::search::table::Table;
pub use memory::Memory;

use crate::abstraction::Variant;
use crate::graph::{Graph, State};
use crate::grid::Shape;
use crate::meter::Meter;
use crate::pdb::Key;

/// An algorithm that plans the next moves.
///
/// It reads successors only through the [`Meter`]. It keeps small state in itself and tables in [`Memory`].
pub trait Agent: Send {
    /// The data about the map that it needs.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The discoveries that end a plan.
    fn replan(&self) -> Replan {
        Replan::Blocked
    }

    /// Resets the agent for a new problem. The caller resets [`Memory`].
    fn begin_problem(&mut self) {}

    /// Begins a trial at the start. The agent keeps what it learned and discovered in earlier trials.
    fn begin_trial(&mut self) {}

    /// Announces the planning of a move; moves of a trial are numbered from 1.
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

    /// Reports blocked cells that the agent has sensed. The graph behind the meter is already updated.
    fn discovered(&mut self, _discovery: Discovery<'_>) {}

    /// The peak of its own data since the problem began, in addition to [`Memory::peak_bytes`]; `None` if unknown.
    /// Lists of at most eight neighbours do not count.
    fn peak_bytes(&self) -> Option<u64> {
        Some(0)
    }

    /// Ends the problem, solved or not.
    fn end_problem(&mut self) {}

    /// The moves of the problem that left states which the agent had never expanded; only plug-ins count them.
    fn unexpanded_moves(&self) -> Option<u64> {
        None
    }
}

/// The data about a map that an agent needs before it runs.
#[derive(Default)]
pub struct Needs {
    /// The highest level of the hierarchy that it uses; `None` if it uses no hierarchy.
    pub level: Option<usize>,
    /// The variant of that hierarchy.
    pub variant: Variant,
    /// The pattern databases, in the order of [`Memory::databases`].
    pub databases: Vec<Key>,
}

/// The discoveries that end a plan, so that the agent plans again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replan {
    /// Discoveries that block any of its moves.
    Blocked,
    /// Discoveries that block its next move.
    NextBlocked,
    /// All discoveries.
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
    /// Blocked cells that it assumed to be free. Moves between the cells around them may also have changed.
    pub blocked: &'a [State],
    /// Moves across cliffs that it assumed to be legal, once for both directions.
    pub lost: &'a [(State, State)],
    /// The size of the map.
    pub shape: Shape,
}
