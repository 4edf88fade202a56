//! The shared parts of agents: searches, lookaheads, learned heuristics and tie-breaking. No code here chooses moves.

pub mod bands;
pub mod best_first;
pub mod incremental;
mod layers;
pub mod learned;
pub mod learned_by_goal;
pub mod lookahead;
pub mod marks;
pub mod neighbour;
pub mod open_list;
pub mod optimal;
pub mod ring;
pub mod table;
pub mod ties;
pub mod tree;
pub mod unbounded;
pub mod update_queue;
