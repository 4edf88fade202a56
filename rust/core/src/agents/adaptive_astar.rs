//! Adaptive A* (Koenig & Likhachev 2005), as in rtaa-2006, Section 2.
//!
//! It is Local Repair A* that learns: after each search h[s] := f[s̄] - g[s] for each expanded state s, where s̄ is the
//! goal and f[s̄] its distance. That is RTAA* with an infinite lookahead that makes all its moves (Section 2).

use super::Entry;
use super::rtaa::Rtaa;

pub const ENTRY: Entry = Entry {
    about: "Plans a shortest path with A*, and plans again when a discovery blocks it. Each search raises the \
            heuristics.",
    counts: "expanded: states closed before the goal, each once per search; touched: their successors",
    optimal: true,
    learns: true,
    ..Entry::new("adaptive-astar", "Adaptive A*", "Koenig & Likhachev 2005; rtaa-2006, Section 2", |_| {
        Ok(Box::new(Rtaa { lookahead: u64::MAX, movements: u64::MAX }))
    })
};
