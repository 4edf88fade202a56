//! Local Repair A* (Zelinsky 1992): "Forward A* Search" in rtaa-2006, Section 8 and Table 1.
//!
//! A* plans the whole way on what the agent knows; where a discovery blocks the way, the trial abandons it and A* plans
//! anew from where the agent stands. That is `astar` to the letter: a plan does not know whether it will last. It has
//! the name that the papers give it in unknown terrain; where the map is known, there is nothing to repair.

use super::Entry;
use super::astar::AStar;

pub const ENTRY: Entry = Entry {
    name: "lra",
    title: "LRA*",
    paper: "Zelinsky 1992; rtaa-2006, Section 8, Forward A* Search",
    about: "Plans a shortest way by A*, and another from scratch whenever that turns out to be blocked.",
    counts: "expanded: states closed before the goal, each once a search; touched: their successors",
    optimal: true,
    build: |_| Ok(Box::new(AStar)),
    ..Entry::PLAIN
};
