//! permove's core: agents that may plan only a little before every move, and the harness that measures them.
//!
//! Data flows one way: a [`grid::Map`] file becomes a [`grid::Grid`]; a [`world::trial`] runs one agent of the
//! [`agents`] catalogue from start to goal on it, and the agent reads successors only through the [`meter::Meter`]; a
//! [`batch::Batch`] runs agents × problems on every core and returns one [`batch::Record`] for each pair.
//! This crate does not depend on Python, and agents do not use files, threads or clocks.
//!
//! Modules form layers. A module may use only modules in earlier rows of this table:
//!
//! | layer | modules |
//! | --- | --- |
//! | basics | [`cost`], [`rng`], [`clock`], [`workers`] |
//! | graphs | [`graph`] |
//! | ground and meter | [`grid`], [`meter`] |
//! | searches | [`search`] |
//! | problems and abstraction | [`problems`], [`abstraction`] |
//! | preparation | [`pdb`], [`survey`] |
//! | control of depth and goal | [`control`] |
//! | interface of agents | [`agent`] |
//! | trials | [`world`] |
//! | agents | [`agents`], [`plugins`] |
//! | experiments | [`batch`] |
//!
//! Tests are exempt.

pub mod abstraction;
pub mod agent;
pub mod agents;
pub mod batch;
pub mod clock;
pub mod control;
pub mod cost;
pub mod graph;
pub mod grid;
pub mod meter;
pub mod pdb;
pub mod plugins;
pub mod problems;
pub mod rng;
pub mod search;
pub mod survey;
#[cfg(test)]
mod testing;
pub mod workers;
pub mod world;
