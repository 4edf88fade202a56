//! The core of permove: agents for real-time heuristic search, and the harness that measures them.
//!
//! A [`grid::Map`] file becomes a [`grid::Grid`]. A [`world::trial`] runs one agent of the [`agents`] catalogue on it
//! from start to goal, and the agent reads successors only through the [`meter::Meter`]. A [`batch::Batch`] runs agents
//! × problems on all cores and returns one [`batch::Record`] for each pair. This crate does not depend on Python, and
//! agents do not use files, threads or clocks. ARCHITECTURE.md lists the layers of the modules, and
//! `tests/test_layers.py` checks every import.

pub mod abstraction;
pub mod agent;
pub mod agents;
pub mod batch;
pub mod checksum;
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
