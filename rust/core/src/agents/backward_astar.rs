//! Repeated A* from the goal to the agent: "Backward A* Search" in rtaa-2006, Section 8 and Table 1.
//!
//! Edges are symmetric, so the same search runs the other way. It ends where the agent's state is about to be expanded.
//! What blocks the way is near the agent, that is at the end of the search: there the heuristic misleads it longest
//! (rtaa-2006, footnote 1).

use super::Entry;
use crate::agent::{Agent, Episode};
use crate::graph::Graph;
use crate::search::best_first::Rules;

pub const ENTRY: Entry = Entry {
    name: "backward-astar",
    title: "backward A*",
    paper: "rtaa-2006, Section 8, Backward A* Search",
    about: "Plans a shortest way by A* from the goal to itself, and another from scratch whenever that is blocked.",
    counts: "expanded: states closed before the agent's own, each once a search; touched: their successors",
    optimal: true,
    build: |_| Ok(Box::new(BackwardAStar)),
    samples: &["backward-astar(ties=random)"],
    ..Entry::PLAIN
};

pub(super) struct BackwardAStar;

impl Agent for BackwardAStar {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let (begin, rules) = (plan.len(), Rules::consistent(|_, h0| h0));
        if memory.best_first.find(meter, &mut memory.ties, goal, at, rules, plan) {
            // It leads from the goal, which is not on it, to where the agent stands already.
            plan.pop();
            plan[begin..].reverse();
            plan.push(goal);
        }
    }
}
