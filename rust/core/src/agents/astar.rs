//! A* (Hart, Nilsson & Raphael 1968), as rtaa-2006 recalls it in Section 2: the whole way before the first move.
//!
//! Ties between equal f go to the larger g (rtaa-2006, Section 8). The heuristic is consistent, so no state is expanded
//! twice.

use super::Entry;
use crate::agent::{Agent, Episode};
use crate::graph::Graph;
use crate::search::best_first::Rules;

pub const ENTRY: Entry = Entry {
    name: "astar",
    title: "A*",
    paper: "Hart, Nilsson & Raphael 1968; rtaa-2006, Section 2",
    about: "Plans a shortest way before the first move; ties go to the larger g.",
    counts: "expanded: states closed before the goal, each once; touched: their successors",
    optimal: true,
    build: |_| Ok(Box::new(AStar)),
    ..Entry::PLAIN
};

pub(super) struct AStar;

impl Agent for AStar {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        memory.best_first.find(meter, &mut memory.ties, at, goal, Rules::consistent(|_, h0| h0), plan);
    }
}
