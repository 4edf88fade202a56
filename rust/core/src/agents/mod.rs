//! The catalogue of agents: one file per agent, with one line in [`CATALOGUE`].
//!
//! The file of an agent contains its name, parameters, paper, the meaning of its counts, and its constructor. The
//! command line, Python, the documentation, sweeps and the tests of all agents read them from the catalogue.

mod adaptive_astar;
mod astar;
mod backward_astar;
mod da_lrta;
mod dijkstra;
mod dstar_lite;
mod gamma_trap;
mod goal_params;
mod hierarchy_params;
mod klrta;
mod lra;
mod lrta;
mod lrts;
mod param;
mod plrta;
mod pr_lrta;
mod pr_lrts;
mod pra;
mod rta;
mod rtaa;
mod single;
mod sla;
mod slat;
pub mod spec;
#[cfg(test)]
mod tests;
mod w_lrta;
mod wastar;

use crate::world::runs::Runner;
use spec::{Conflict, Param, Values};

/// All agents, in the order of the documentation.
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

/// An agent's entry in the catalogue. Agents set the fields that differ from [`Entry::new`].
pub struct Entry {
    /// Its name in specs.
    pub name: &'static str,
    /// Its name in the papers.
    pub title: &'static str,
    /// The paper that defines it.
    pub paper: &'static str,
    /// Creates the agent, or reports that parameters are incompatible.
    pub build: fn(&Values) -> Result<Box<dyn Runner>, Conflict>,
    /// A description of one or two sentences.
    pub about: &'static str,
    /// The states that count as expanded and touched.
    pub counts: &'static str,
    /// Whether it reaches the goal of every solvable problem.
    pub complete: bool,
    /// Whether its path is a shortest one.
    pub optimal: bool,
    /// Whether it learns heuristics and improves from trial to trial.
    pub learns: bool,
    /// Whether an agent that learns stops learning after some trial, if ties break in a fixed order.
    pub converges: bool,
    /// Whether it backtracks while it learns. Such agents make millions of moves on long, winding paths.
    pub backtracks: fn(&Values) -> bool,
    /// Its own parameters. It also has those of [`COMMON`], unless it has one of the same name.
    pub params: &'static [Param],
    /// The order of ties for some values of its parameters, if it is not the default of `ties`.
    pub usual_ties: fn(&Values) -> Option<&'static str>,
    /// Its parameters in the notation of the papers, after the title.
    pub label: fn(&Values) -> String,
    /// Whether the papers omit the title.
    pub untitled: bool,
    /// Specs, in addition to the default, that the tests of all agents run. They keep all promises of the entry.
    pub samples: &'static [&'static str],
    /// Specs of an incomplete agent that may never reach the goal.
    pub incomplete_samples: &'static [&'static str],
    /// Specs whose last trial follows a shortest path: their heuristics stay admissible, and when they stop learning,
    /// each move lowers the heuristic by its cost (rtaa-2006, Theorem 4).
    pub shortest_samples: &'static [&'static str],
}

/// The parameters of every agent.
pub const COMMON: &[Param] = &[Param::choice(
    "ties",
    &["n", "ne", "e", "se", "s", "sw", "w", "nw", "diagonal", "cardinal", "random"],
    "how ties break: clockwise from a direction, diagonal or cardinal moves first, or at random",
)];

impl Entry {
    /// A complete agent without parameters that learns nothing.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        paper: &'static str,
        build: fn(&Values) -> Result<Box<dyn Runner>, Conflict>,
    ) -> Entry {
        Entry {
            name,
            title,
            paper,
            build,
            about: "",
            counts: "",
            complete: true,
            optimal: false,
            learns: false,
            converges: true,
            backtracks: |_| false,
            params: &[],
            usual_ties: |_| None,
            label: |_| String::new(),
            untitled: false,
            samples: &[],
            incomplete_samples: &[],
            shortest_samples: &[],
        }
    }

    /// Its own and the common parameters.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> {
        let own = self.params;
        own.iter().chain(COMMON.iter().filter(|common| own.iter().all(|param| param.name != common.name)))
    }

    /// The default spec, followed by its samples.
    pub fn all_samples(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.samples.iter().copied())
    }
}
