//! The catalogue: one file per agent, one line each in [`CATALOGUE`].
//!
//! An agent's file states everything about it: name, parameters, paper, what its counts mean, constructor. The command
//! line, Python, the documentation, sweeps and the test matrix all read it from here.

mod adaptive_astar;
mod astar;
mod backward_astar;
#[cfg(test)]
mod controlled;
#[cfg(test)]
mod convergence;
mod da_lrta;
#[cfg(test)]
mod databased;
mod dijkstra;
mod dstar_lite;
mod gamma_trap;
mod goal_params;
mod klrta;
mod lra;
mod lrta;
mod lrts;
mod param;
#[cfg(test)]
mod parameterized;
mod plrta;
mod pr_lrta;
mod pr_lrts;
mod pra;
#[cfg(test)]
pub(crate) mod promises;
#[cfg(test)]
mod refining;
#[cfg(test)]
mod rivals;
mod rta;
mod rtaa;
#[cfg(test)]
mod sensing;
mod single;
mod sla;
mod slat;
pub mod spec;
mod w_lrta;
mod wastar;

use crate::abstraction::Abstraction;
use crate::control::features::History;
use crate::cost::{Cost, INFINITY};
use crate::graph::{Graph, State};
use crate::grid::Shape;
use crate::meter::Meter;
use crate::pdb::{Database, Key};
use crate::problems::Problem;
use crate::search::bands::Bands;
use crate::search::best_first::BestFirst;
use crate::search::incremental::Incremental;
use crate::search::learned::{Learned, Learning};
use crate::search::learned_by_goal::LearnedByGoal;
use crate::search::lookahead::Lookahead;
use crate::search::ties::Ties;
use crate::search::unbounded::Unbounded;
use crate::search::update_queue::UpdateQueue;
use crate::world::trial::{Setting, Trace};
use crate::world::walk::{Walk, World};
use spec::{Kind, Param, Values};
use std::sync::Arc;

/// Every agent, in the order of the documentation.
pub const CATALOGUE: &[Entry] = &[
    dijkstra::ENTRY,
    astar::ENTRY,
    wastar::ENTRY,
    lra::ENTRY,
    backward_astar::ENTRY,
    adaptive_astar::ENTRY,
    dstar_lite::ENTRY,
    rta::ENTRY,
    lrta::ENTRY,
    klrta::ENTRY,
    plrta::ENTRY,
    lrts::ENTRY,
    sla::ENTRY,
    slat::ENTRY,
    gamma_trap::ENTRY,
    rtaa::ENTRY,
    pr_lrts::ENTRY,
    pr_lrta::ENTRY,
    pra::ENTRY,
    param::ENTRY,
    da_lrta::ENTRY,
    w_lrta::ENTRY,
];

/// What the catalogue says of an agent.
pub struct Entry {
    /// Its name in specs.
    pub name: &'static str,
    /// Its name in the papers.
    pub title: &'static str,
    /// Where it is defined.
    pub paper: &'static str,
    /// What it does, in a sentence or two.
    pub about: &'static str,
    /// What is counted as expanded and touched.
    pub counts: &'static str,
    /// Whether it reaches the goal of every solvable problem.
    pub complete: bool,
    /// Whether its path is a shortest one.
    pub optimal: bool,
    /// Whether it learns heuristics, and walks better from trial to trial.
    pub learns: bool,
    /// Its own parameters; those of [`COMMON`] come on top, where it has none of the same name.
    pub params: &'static [Param],
    /// Its parameters as the papers write them, after the title.
    pub label: fn(&Values) -> String,
    /// Whether the papers write it without the title.
    pub untitled: bool,
    /// Makes one.
    pub build: fn(&Values) -> Box<dyn Walker>,
}

/// The parameters of every agent.
pub const COMMON: &[Param] = &[Param {
    name: "ties",
    kind: Kind::Choice(&["n", "ne", "e", "se", "s", "sw", "w", "nw", "random"]),
    default: "n",
    about: "how ties break: clockwise from a direction, or at random",
}];

impl Entry {
    /// All its parameters.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> {
        let own = self.params;
        own.iter().chain(COMMON.iter().filter(|common| own.iter().all(|param| param.name != common.name)))
    }
}

/// An algorithm that plans the next moves.
///
/// It reaches successors only through the [`Meter`], and keeps what it needs from move to move in itself (small) or in
/// [`Memory`] (large).
pub trait Agent: Send {
    /// Why its parameters do not fit together, in a clause that follows its name.
    fn objection(&self) -> Option<String> {
        None
    }

    /// The highest level of abstraction that it uses; none where it needs no hierarchy.
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

    /// A new problem begins: forget what is in yourself. [`Memory`] has been told already.
    fn begin_problem(&mut self) {}

    /// The agent stands at the start, with all that it has learned and discovered in earlier trials.
    fn begin_trial(&mut self) {}

    /// A move is about to be planned: its number in this trial, from 1 up.
    fn begin_episode(&mut self, _number: u64) {}

    /// Plans one or more moves; none at all means that there is no way.
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>);

    /// Whether every plan of its is one move, so that walks may ask for that move by [`Agent::single_move`].
    const STEPS: bool = false;

    /// The one move that it plans from where it stands; none means that there is no way.
    fn single_move<G: Graph>(&mut self, stance: Stance<'_, '_, G>) -> Option<State> {
        let Stance { meter, memory, at, goal } = stance;
        let mut plan = Vec::new();
        self.plan(Episode { meter, memory, at, goal, plan: &mut plan });
        plan.first().copied()
    }

    /// Why it cannot go on, where it broke down while it planned.
    fn failure(&mut self) -> Option<String> {
        None
    }

    /// Something was seen; the graph behind the meter knows it already.
    fn discovered(&mut self, _discovery: Discovery<'_>) {}

    /// The problem is over, however it ended.
    fn end_problem(&mut self) {}
}

/// When discoveries end a plan, and the agent plans anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replan {
    /// As soon as any of its moves is known to be blocked.
    Blocked,
    /// When its next move is known to be blocked.
    NextBlocked,
    /// Whenever anything was discovered.
    Discovered,
}

/// One planning episode: what an agent may use, where it stands, and where its moves go.
pub struct Episode<'a, 'g, G> {
    /// The way to successors.
    pub meter: &'a mut Meter<'g, G>,
    /// What the agent keeps.
    pub memory: &'a mut Memory,
    /// Where the agent stands.
    pub at: State,
    /// Where it wants to go.
    pub goal: State,
    /// The moves from `at` on are to be appended here.
    pub plan: &'a mut Vec<State>,
}

/// A planning episode of one move: what an agent may use, and where it stands.
pub struct Stance<'a, 'g, G> {
    /// The way to successors.
    pub meter: &'a mut Meter<'g, G>,
    /// What the agent keeps.
    pub memory: &'a mut Memory,
    /// Where the agent stands.
    pub at: State,
    /// Where it wants to go.
    pub goal: State,
}

/// What an agent has just learned of the map.
#[derive(Clone, Copy, Debug)]
pub struct Discovery<'a> {
    /// Cells that it believed to be free and that are blocked. The moves of the cells around them may have changed too.
    pub blocked: &'a [State],
    /// The size of the map.
    pub shape: Shape,
}

/// The large tables of agents. They belong to the worker thread and are reused from problem to problem, whatever the
/// agent; each is laid out when it is first used.
pub struct Memory {
    /// Heuristics learned towards the goal.
    pub learned: Learned,
    /// Heuristics learned towards intermediate goals.
    pub learned_by_goal: LearnedByGoal,
    /// Heuristics learned towards the goal that may grow beyond all bounds.
    pub unbounded: Unbounded,
    /// Best-first search.
    pub best_first: BestFirst,
    /// Search that is repaired rather than repeated.
    pub incremental: Incremental,
    /// Breadth-first lookahead.
    pub lookahead: Lookahead,
    /// The last moves, for depth control by a decision tree.
    pub history: History,
    /// States on their way through an update.
    pub bands: Bands,
    /// States whose turn to be updated will come.
    pub updates: UpdateQueue,
    /// The abstraction hierarchy, for agents that need one.
    pub abstraction: Abstraction,
    /// The pattern databases that the agent asked for, in that order.
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

    /// How far the heuristic of a state is above its initial value, in units of cost: towards the goal, or where that is
    /// more, towards an intermediate one. Infinite where the state is gone for good.
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

    /// What was learned since the problem began.
    pub fn learning(&self) -> Learning {
        self.learned.learning().and(self.learned_by_goal.learning()).and(self.unbounded.learning())
    }
}

/// An agent behind a pointer, called once a problem: inside, everything is compiled for the agent at hand.
pub trait Walker: Send {
    /// See [`Agent::objection`].
    fn objection(&self) -> Option<String>;

    /// See [`Agent::highest_level`].
    fn highest_level(&self) -> Option<usize>;

    /// See [`Agent::databases`].
    fn databases(&self) -> Vec<Key>;

    /// See [`World::walk`].
    fn walk(
        &mut self,
        world: &mut World,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Walk>;
}

impl<A: Agent> Walker for A {
    fn objection(&self) -> Option<String> {
        Agent::objection(self)
    }

    fn highest_level(&self) -> Option<usize> {
        Agent::highest_level(self)
    }

    fn databases(&self) -> Vec<Key> {
        Agent::databases(self)
    }

    fn walk(
        &mut self,
        world: &mut World,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Walk> {
        world.walk(self, memory, problem, setting, trace)
    }
}
