//! permove's core: agents that may plan only a little before every move, and the harness that measures them.
//!
//! Data flows one way: a [`grid::Map`] file becomes a [`grid::Grid`]; a [`world::trial`] runs one agent of the
//! [`agents`] catalogue from start to goal on it, and the agent reads successors only through the [`meter::Meter`]; a
//! [`batch::Batch`] runs agents × problems on every core and returns one [`batch::Record`] for each pair.
//! This crate does not depend on Python, and agents do not use files, threads or clocks.
//!
//! Modules form layers: ARCHITECTURE.md lists them, and `tests/test_layers.py` checks every import.

pub mod abstraction;
pub mod agent;
pub mod agents;
pub mod batch;
pub mod clock;
pub mod control;
pub mod cost;
pub mod graph;
pub mod grid;
pub mod histogram;
pub mod meter;
pub mod pdb;
pub mod plugins;
pub mod problems;
pub mod rng;
pub mod search;
pub mod survey;
pub mod system;
#[cfg(test)]
mod testing;
pub mod workers;
pub mod world;
