//! Local Repair A* (Zelinsky 1992): "Forward A* Search" in rtaa-2006, Section 8 and Table 1.
//!
//! A* plans a complete path on the known part of the map. If a discovery blocks it, the trial drops the plan and A*
//! plans again from the current state. The code is that of `astar`; this name is the one that papers use in unknown
//! terrain.

use super::Entry;
use super::astar::AStar;

pub const ENTRY: Entry = Entry {
    about: "Plans a shortest path with A*, and plans again from scratch when a discovery blocks it.",
    counts: "expanded: states closed before the goal, each once per search; touched: their successors",
    optimal: true,
    ..Entry::new("lra", "LRA*", "Zelinsky 1992; rtaa-2006, Section 8, Forward A* Search", |_| Ok(Box::new(AStar)))
};
