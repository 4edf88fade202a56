//! Dijkstra's algorithm. It plans a complete path before the first move and uses no heuristic.
//!
//! It is a baseline for counts; none of the papers defines it.

use super::Entry;
use crate::agent::{Agent, Episode};
use crate::graph::Graph;
use crate::search::best_first::{Ended, Rules};

pub const ENTRY: Entry = Entry {
    about: "Plans a shortest path before the first move, nearest states first, without a heuristic.",
    counts: "expanded: states closed before the goal; touched: their successors",
    optimal: true,
    ..Entry::new("dijkstra", "Dijkstra", "Dijkstra 1959", |_| Ok(Box::new(Dijkstra)))
};

struct Dijkstra;

impl Agent for Dijkstra {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let rules = Rules { is_length: false, ..Rules::consistent(|_, _| 0) };
        if let Ended::At(end) = memory.best_first.run(meter, &mut memory.ties, at, goal, rules) {
            memory.best_first.path(end, u64::MAX, plan);
        }
    }
}
