//! Weighted A*: f = γ·g + h (dynamic-control-2008, Table 3, whose "15 g + h" reads γ = 1/15, that is g + 15 h).
//!
//! γ is applied once to each edge cost and rounded, so that sums stay integers. With γ < 1 the heuristic is not
//! consistent with the weighted costs and a cheaper way to a closed state may turn up; whether it is opened again
//! changes the counts severalfold, so both are offered.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode};
use crate::cost::Weight;
use crate::graph::Graph;
use crate::search::best_first::Rules;

pub const ENTRY: Entry = Entry {
    name: "wastar",
    title: "weighted A*",
    paper: "Pohl 1970; dynamic-control-2008, Table 3",
    about: "Plans the whole way before the first move by γ·g + h: the smaller γ, the greedier.",
    counts: "expanded: states closed before the goal, again when re-opened; touched: their successors",
    params: &[
        Param::share("gamma", "1/15", "the weight γ of the way so far"),
        Param::flag("reopen", "whether closed states are opened again when a cheaper way to them is found"),
    ],
    label: |values| {
        let reopen = if values.is("reopen", "yes") { ", re-opening" } else { "" };
        format!("(γ={:.3}{reopen})", values.real("gamma"))
    },
    build: |values| {
        let weight = Weight::new(values.real("gamma"));
        Ok(Box::new(WeightedAStar { weight, reopen: values.is("reopen", "yes") }))
    },
    samples: &["wastar(gamma=0.5, reopen=yes)"],
    ..Entry::PLAIN
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
