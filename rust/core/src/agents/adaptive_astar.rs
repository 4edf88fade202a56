//! Adaptive A* (Koenig & Likhachev 2005): the main idea of rtaa-2006, Section 2.
//!
//! Local Repair A* that learns: after each search h[s] := f[s̄] - g[s] for every expanded state s, where s̄ is the goal
//! and f[s̄] its distance. Section 2 says that RTAA* "reduces to the case discussed above if its lookahead is infinity";
//! so it is built here, with every movement made.

use super::Entry;
use super::rtaa::Rtaa;

pub const ENTRY: Entry = Entry {
    name: "adaptive-astar",
    title: "Adaptive A*",
    paper: "Koenig & Likhachev 2005; rtaa-2006, Section 2",
    about: "Plans a shortest way by A*, anew whenever that is blocked, with heuristics raised by each search.",
    counts: "expanded: states closed before the goal, each once a search; touched: their successors",
    optimal: true,
    learns: true,
    build: |_| Ok(Box::new(Rtaa { lookahead: u64::MAX, movements: u64::MAX })),
    ..Entry::PLAIN
};
