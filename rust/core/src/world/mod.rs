//! The world in which an agent runs: its sensor, its model of the map, and its trials from start to goal.

mod ledger;
pub mod model;
mod observed;
pub mod runs;
pub mod sensor;
pub mod status;
pub mod timing;
pub mod trace;
pub mod trial;
pub mod visits;
