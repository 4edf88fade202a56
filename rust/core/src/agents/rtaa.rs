//! Real-Time Adaptive A*: Figure 1 of rtaa-2006, lines 1 to 17.
//!
//! Line 3: A* expands `lookahead` states, or fewer where the goal is about to be expanded; s̄ is the state that was about
//! to be expanded. Lines 4-5: no such state, no way. Lines 6-7: h[s] := g[s̄] + h[s̄] - g[s] for every expanded state.
//! Lines 8-16: `movements` moves towards s̄, ended early by the trial when a discovery blocks the way.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode, Memory};
use crate::cost::add;
use crate::graph::Graph;
use crate::search::best_first::{Ended, Rules};

pub const ENTRY: Entry = Entry {
    name: "rtaa",
    title: "RTAA*",
    paper: "rtaa-2006, Figure 1",
    about: "Expands k states as A* would, raises each by one subtraction, goes to the state expanded next.",
    counts: "expanded: states of the search, k or fewer; touched: their successors",
    learns: true,
    params: &[
        Param::count("k", "10", "the lookahead: how many states to expand"),
        Param::count(
            "moves",
            "inf",
            "the movements: how many moves to make before planning again; inf: all the way to s̄",
        ),
    ],
    label: |values| {
        let moves = values.get("moves").to_string();
        let moves = if moves == "inf" { String::new() } else { format!(", moves={moves}") };
        format!("(k={}{moves})", values.get("k"))
    },
    build: |values| Ok(Box::new(Rtaa { lookahead: values.integer("k"), movements: values.integer("moves") })),
    samples: &["rtaa(k=1)", "rtaa(k=33, moves=2)", "rtaa(k=inf)"],
    shortest_samples: &["rtaa(k=1)", "rtaa(k=7, moves=3)", "rtaa(k=33)", "rtaa(k=inf)"],
    ..Entry::PLAIN
};

pub(super) struct Rtaa {
    pub(super) lookahead: u64,
    pub(super) movements: u64,
}

impl Agent for Rtaa {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, best_first, ties, .. } = memory;
        let h = |state, h0| learned.or(state, h0);
        let rules = Rules { limit: self.lookahead, ..Rules::consistent(h) };
        let Ended::At(end) = best_first.run(meter, ties, at, goal, rules) else { return };
        let f = add(best_first.g(end), best_first.h(end));
        let closed = best_first.closed().iter();
        learned.set_all(closed.map(|state| (*state, best_first.h(*state), f - best_first.g(*state))));
        best_first.path(end, self.movements, plan);
    }
}
