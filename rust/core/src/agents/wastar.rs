//! Weighted A*: f = γ·g + h (dynamic-control-2008, Table 3). "15 g + h" there means γ = 1/15, that is g + 15 h.
//!
//! γ is applied to each edge cost, and the product is rounded, so that sums stay integers. With γ < 1 the heuristic is
//! inconsistent with the weighted costs, and A* may find a cheaper path to a closed state. Reopening such states
//! changes the counts severalfold, so it is a parameter.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode};
use crate::cost::Weight;
use crate::graph::Graph;
use crate::search::best_first::Rules;

pub const ENTRY: Entry = Entry {
    about: "Plans a complete path before the first move by γ·g + h. A smaller γ makes the search greedier.",
    counts: "expanded: states closed before the goal, and again after reopening; touched: their successors",
    params: &[
        Param::share("gamma", "1/15", "weight γ of the cost so far"),
        Param::flag("reopen", "reopen closed states if a cheaper path to them is found"),
    ],
    label: |values| {
        let reopen = if values.is("reopen", "yes") { ", re-opening" } else { "" };
        format!("(γ={:.3}{reopen})", values.real("gamma"))
    },
    samples: &["wastar(gamma=0.5, reopen=yes)"],
    ..Entry::new("wastar", "weighted A*", "Pohl 1970; dynamic-control-2008, Table 3", |values| {
        let weight = Weight::new(values.real("gamma"));
        Ok(Box::new(WeightedAStar { weight, reopen: values.is("reopen", "yes") }))
    })
};

struct WeightedAStar {
    weight: Weight,
    reopen: bool,
}

impl Agent for WeightedAStar {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let rules = Rules {
            heuristic: |_, h0| h0,
            weigh: |cost| self.weight.of(cost),
            reopen: self.reopen,
            path_max: false,
            is_length: false,
            limit: u64::MAX,
        };
        memory.best_first.find(meter, &mut memory.ties, at, goal, rules, plan);
    }
}
