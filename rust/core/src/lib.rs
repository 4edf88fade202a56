//! permove's core: agents that may plan only a little before every move, and what it takes to measure them.
//!
//! Data flows one way: a [`grid::Map`] file becomes a [`grid::Grid`]; a [`world::trial`] lets one agent of the
//! [`agents`] catalogue walk from start to goal on it, reaching successors only through the [`meter::Meter`]; a
//! [`batch::Batch`] does that for agents × problems on every core and hands back one [`batch::Record`] each.
//! Nothing here knows of Python, and agents know nothing of files, threads or clocks.

pub mod abstraction;
pub mod agent;
pub mod agents;
pub mod batch;
pub mod clock;
pub mod control;
pub mod cost;
pub mod foreign;
pub mod graph;
pub mod grid;
pub mod meter;
pub mod pdb;
pub mod problems;
pub mod rng;
pub mod search;
pub mod survey;
pub mod workers;
pub mod world;
