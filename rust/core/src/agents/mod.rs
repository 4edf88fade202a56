//! The catalogue: one file per agent, one line each in [`CATALOGUE`].
//!
//! An agent's file states everything about it: name, parameters, paper, what its counts mean, constructor. The command
//! line, Python, the documentation, sweeps and the test matrix all read it from here.

mod astar;
mod dijkstra;
mod klrta;
mod lrta;
#[cfg(test)]
mod promises;
mod rta;
mod rtaa;
pub mod spec;
mod wastar;

use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::problems::Problem;
use crate::search::best_first::BestFirst;
use crate::search::learned::Learned;
use crate::search::lookahead::Lookahead;
use crate::search::ties::Ties;
use crate::world::trial::{Setting, Trace, Trial, World};
use spec::{Kind, Param, Values};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Every agent, in the order of the documentation.
pub const CATALOGUE: &[Entry] =
    &[dijkstra::ENTRY, astar::ENTRY, wastar::ENTRY, rta::ENTRY, lrta::ENTRY, klrta::ENTRY, rtaa::ENTRY];

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
    /// Its own parameters; those of [`COMMON`] come on top.
    pub params: &'static [Param],
    /// Its parameters as the papers write them, after the title.
    pub label: fn(&Values) -> String,
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

/// An algorithm that plans the next moves.
///
/// It reaches successors only through the [`Meter`], and keeps what it needs from move to move in itself (small) or in
/// [`Memory`] (large).
pub trait Agent: Send {
    /// A new problem begins: forget what is in yourself. [`Memory`] has been told already.
    fn begin(&mut self) {}

    /// Appends one or more moves from `at` towards `goal` to `plan`; none at all means that there is no way.
    fn plan<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        memory: &mut Memory,
        at: State,
        goal: State,
        plan: &mut Vec<State>,
    );

    /// These cells were seen to be blocked; the graph behind the meter knows it already.
    fn discovered(&mut self, _blocked: &[State]) {}
}

/// The large tables of agents. They belong to the worker thread and are reused from problem to problem, whatever the
/// agent; each is laid out when it is first used.
pub struct Memory {
    /// Heuristics learned towards the goal.
    pub learned: Learned,
    /// Best-first search.
    pub best_first: BestFirst,
    /// Breadth-first lookahead.
    pub lookahead: Lookahead,
    /// States on their way through an update: value and state in one integer.
    pub queue: BinaryHeap<Reverse<u64>>,
    /// How ties break in this trial.
    pub ties: Ties,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            learned: Learned::default(),
            best_first: BestFirst::default(),
            lookahead: Lookahead::default(),
            queue: BinaryHeap::new(),
            ties: Ties::First,
        }
    }
}

impl Memory {
    /// A new problem with this many states begins.
    pub(crate) fn begin(&mut self, states: usize) {
        self.learned.reset(states);
    }
}

/// An agent behind a pointer, called once a trial: inside the trial everything is compiled for the agent at hand.
pub trait Walker: Send {
    /// See [`World::trial`].
    fn walk(
        &mut self,
        world: &mut World,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Trial>;
}

impl<A: Agent> Walker for A {
    fn walk(
        &mut self,
        world: &mut World,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Trial> {
        world.trial(self, memory, problem, setting, trace)
    }
}
