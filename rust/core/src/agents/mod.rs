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
use spec::{Kind, Param, Values};

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
    /// Whether it learns heuristics, and improves from trial to trial.
    pub learns: bool,
    /// Its own parameters; those of [`COMMON`] come on top, where it has none of the same name.
    pub params: &'static [Param],
    /// Its parameters as the papers write them, after the title.
    pub label: fn(&Values) -> String,
    /// Whether the papers write it without the title.
    pub untitled: bool,
    /// Makes one.
    pub build: fn(&Values) -> Box<dyn Runner>,
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
