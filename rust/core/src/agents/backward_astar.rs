//! Repeated A* from the goal to the agent: "Backward A* Search" in rtaa-2006, Section 8 and Table 1.
//!
//! Edges are symmetric, so the search is the same in both directions. Obstacles that block the path are near the agent,
//! where this search ends. The heuristic therefore misleads it longer than a forward search (rtaa-2006, footnote 1).

use super::Entry;
use crate::agent::{Agent, Episode};
use crate::graph::Graph;
use crate::search::best_first::Rules;

pub const ENTRY: Entry = Entry {
    about: "Plans a shortest path with A* from the goal to the agent, and plans again from scratch when a discovery \
            blocks it.",
    counts: "expanded: states closed before the current one, each once per search; touched: their successors",
    optimal: true,
    samples: &["backward-astar(ties=random)"],
    ..Entry::new("backward-astar", "backward A*", "rtaa-2006, Section 8, Backward A* Search", |_| {
        Ok(Box::new(BackwardAStar))
    })
};

pub(super) struct BackwardAStar;

impl Agent for BackwardAStar {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let (begin, rules) = (plan.len(), Rules::consistent(|_, h0| h0));
        if memory.best_first.find(meter, &mut memory.ties, goal, at, rules, plan) {
            // The path starts after the goal and ends at the current state.
            plan.pop();
            plan[begin..].reverse();
            plan.push(goal);
        }
    }
}
