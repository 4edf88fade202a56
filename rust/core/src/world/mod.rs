//! The world an agent walks in: what it senses, what it believes, and its trials from start to goal.

pub mod model;
pub mod sensor;
mod stroll;
pub mod trial;
pub mod walk;
