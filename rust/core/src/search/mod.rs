//! What agents share: searches, open lists, learned heuristics. Nothing here decides where an agent moves.

pub mod optimal;
pub mod tree;
