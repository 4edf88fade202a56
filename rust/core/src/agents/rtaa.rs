//! Real-Time Adaptive A*: Figure 1 of rtaa-2006, lines 1 to 17.
//!
//! Line 3: A* expands `lookahead` states, or fewer if it is about to expand the goal; s̄ is the state that it would
//! expand next. Lines 4 and 5: without such a state there is no path. Lines 6 and 7: h[s] := g[s̄] + h[s̄] - g[s] for
//! each expanded state s. Lines 8 to 16: the agent makes `movements` moves towards s̄, or fewer if a discovery blocks
//! the path.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode, Memory};
use crate::cost::add;
use crate::graph::Graph;
use crate::search::best_first::{Ended, Rules};

pub const ENTRY: Entry = Entry {
    about: "Expands k states as A* does, raises the heuristic of each with one subtraction, and moves towards the \
            state that A* would expand next.",
    counts: "expanded: states of the search, at most k; touched: their successors",
    learns: true,
    params: &[
        Param::count("k", "10", "lookahead: number of states to expand"),
        Param::count("moves", "inf", "number of moves before planning again; inf moves to the end of the path"),
    ],
    label: |values| {
        let moves = values.get("moves").to_string();
        let moves = if moves == "inf" { String::new() } else { format!(", moves={moves}") };
        format!("(k={}{moves})", values.get("k"))
    },
    samples: &["rtaa(k=1)", "rtaa(k=33, moves=2)", "rtaa(k=inf)"],
    shortest_samples: &["rtaa(k=1)", "rtaa(k=7, moves=3)", "rtaa(k=33)", "rtaa(k=inf)"],
    ..Entry::new("rtaa", "RTAA*", "rtaa-2006, Figure 1", |values| {
        Ok(Box::new(Rtaa { lookahead: values.integer("k"), movements: values.integer("moves") }))
    })
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
