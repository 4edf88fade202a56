//! A* (Hart, Nilsson & Raphael 1968), as in rtaa-2006, Section 2. It plans a complete path before the first move.
//!
//! Among equal f the larger g comes first (rtaa-2006, Section 8). The heuristic is consistent, so A* expands no state
//! twice.

use super::Entry;
use crate::agent::{Agent, Episode};
use crate::graph::Graph;
use crate::search::best_first::Rules;

pub const ENTRY: Entry = Entry {
    about: "Plans a shortest path before the first move. Among states with equal f it expands the one with the larger \
            g.",
    counts: "expanded: states closed before the goal, each once; touched: their successors",
    optimal: true,
    ..Entry::new("astar", "A*", "Hart, Nilsson & Raphael 1968; rtaa-2006, Section 2", |_| Ok(Box::new(AStar)))
};

pub(super) struct AStar;

impl Agent for AStar {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        memory.best_first.find(meter, &mut memory.ties, at, goal, Rules::consistent(|_, h0| h0), plan);
    }
}
