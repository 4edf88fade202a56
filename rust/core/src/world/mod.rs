//! The world in which an agent runs: what it senses, what it assumes about the map, and its trials from start to goal.

pub mod model;
pub mod runs;
pub mod sensor;
mod single_moves;
pub mod trial;
