//! The catalogue: one file per agent, one line each in [`CATALOGUE`].
//!
//! An agent's file contains everything about it: name, parameters, paper, the meaning of its counts, and its
//! constructor. The command line, Python, the documentation, sweeps and the test matrix all read it from here.

mod adaptive_astar;
mod astar;
mod backward_astar;
mod da_lrta;
mod dijkstra;
mod dstar_lite;
mod gamma_trap;
mod goal_params;
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

/// An agent's entry in the catalogue. An agent states what differs from [`Entry::PLAIN`].
pub struct Entry {
    /// Its name in specs.
    pub name: &'static str,
    /// Its name in the papers.
    pub title: &'static str,
    /// The paper that defines it.
    pub paper: &'static str,
    /// What it does, in a sentence or two.
    pub about: &'static str,
    /// What is counted as expanded and touched.
    pub counts: &'static str,
    /// Whether it reaches the goal of every solvable problem.
    pub complete: bool,
    /// Whether its path is a shortest one.
    pub optimal: bool,
    /// Whether it learns heuristics, and improves from trial to trial.
    pub learns: bool,
    /// Whether trials of an agent that learns end with one in which it learns nothing, if ties break in a fixed order.
    pub converges: bool,
    /// Whether it goes back while it learns: such agents make millions of moves on long, winding paths.
    pub backtracks: fn(&Values) -> bool,
    /// Its own parameters. It also has those of [`COMMON`], unless it has one of the same name.
    pub params: &'static [Param],
    /// Its parameters in the notation of the papers, after the title.
    pub label: fn(&Values) -> String,
    /// Whether the papers write it without the title.
    pub untitled: bool,
    /// Makes one, or reports that parameters are incompatible.
    pub build: fn(&Values) -> Result<Box<dyn Runner>, Conflict>,
    /// Specs, beside the default, that the tests of all agents run. They keep all promises of the entry.
    pub samples: &'static [&'static str],
    /// Specs of an agent that is not complete which may never reach the goal.
    pub incomplete_samples: &'static [&'static str],
    /// Specs whose last trial takes a shortest path: they learn admissible heuristics, and once there is nothing to learn,
    /// each move lowers the heuristic by its cost (rtaa-2006, Theorem 4).
    pub shortest_samples: &'static [&'static str],
}

/// The parameters of every agent.
pub const COMMON: &[Param] = &[Param::choice(
    "ties",
    &["n", "ne", "e", "se", "s", "sw", "w", "nw", "random"],
    "how ties break: clockwise from a direction, or at random",
)];

impl Entry {
    /// A complete agent without parameters that learns nothing. An agent sets its name, texts and `build` at least.
    pub const PLAIN: Entry = Entry {
        name: "",
        title: "",
        paper: "",
        about: "",
        counts: "",
        complete: true,
        optimal: false,
        learns: false,
        converges: true,
        backtracks: |_| false,
        params: &[],
        label: |_| String::new(),
        untitled: false,
        build: |_| unimplemented!("the ENTRY of every agent sets `build`"),
        samples: &[],
        incomplete_samples: &[],
        shortest_samples: &[],
    };

    /// All its parameters.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> {
        let own = self.params;
        own.iter().chain(COMMON.iter().filter(|common| own.iter().all(|param| param.name != common.name)))
    }

    /// The default spec, and then its samples.
    pub fn all_samples(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.samples.iter().copied())
    }
}
