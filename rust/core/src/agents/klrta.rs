//! Koenig's LRTA* (Koenig 2004), K LRTA* (F, G) in dynamic-control-2008 and "LRTA*" in rtaa-2006, Section 5.
//!
//! A search of the shape of A* expands k states, or fewer where the goal is about to be expanded. Then the heuristic of
//! every expanded state becomes the least sum of the distance to a state at the border of the search and that state's
//! heuristic, by Dijkstra's algorithm (the system of equations in rtaa-2006, Section 5). The agent goes towards the
//! state that was about to be expanded: one move, or all of them. `update=current` raises the current state alone, the
//! only variant that looks like the curve published in Figures 10 and 15 of dynamic-control-2008; its heuristic is not
//! consistent, so its search uses path-max, without which it walks in circles.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode, Memory};
use crate::cost::{INFINITY, add};
use crate::graph::Graph;
use crate::meter::Meter;
use crate::search::bands::Bands;
use crate::search::best_first::{Ended, Rules};

pub const ENTRY: Entry = Entry {
    name: "klrta",
    title: "K LRTA*",
    paper: "Koenig 2004; rtaa-2006, Section 5; dynamic-control-2008, Section 7.1",
    about: "Expands k states as A* would, updates all of them by Dijkstra's algorithm, goes towards the border.",
    counts: "expanded: states of the search, k or fewer; touched: their successors, and twice more in the update",
    learns: true,
    params: &[
        Param::count("k", "10", "the lookahead: how many states to expand"),
        Param::count("moves", "1", "how many moves to make before planning again; inf: all the way to the border"),
        Param::choice(
            "update",
            &["all", "current"],
            "which heuristics to update: of all expanded states, or of the current one alone",
        ),
    ],
    label: |values| {
        let moves =
            if values.integer("moves") == 1 { String::new() } else { format!(", moves={}", values.get("moves")) };
        let update = if values.is("update", "all") { "" } else { ", update=current" };
        format!("(k={}{moves}{update})", values.get("k"))
    },
    build: |values| {
        let (lookahead, moves) = (values.integer("k"), values.integer("moves"));
        Ok(Box::new(KLrta { lookahead, moves, update_all: values.is("update", "all") }))
    },
    samples: &["klrta(k=1)", "klrta(k=33, moves=inf, ties=random)", "klrta(k=7, update=current)"],
    shortest_samples: &["klrta(k=1)", "klrta(k=9)", "klrta(k=33, moves=inf)"],
    ..Entry::PLAIN
};

pub(super) struct KLrta {
    pub(super) lookahead: u64,
    pub(super) moves: u64,
    pub(super) update_all: bool,
}

impl Agent for KLrta {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, best_first, ties, .. } = memory;
        let h = |state, h0| learned.or(state, h0);
        let mut rules = Rules { limit: self.lookahead, ..Rules::consistent(h) };
        (rules.reopen, rules.path_max, rules.is_length) = (self.update_all, !self.update_all, self.update_all);
        let Ended::At(end) = best_first.run(meter, ties, at, goal, rules) else { return };
        if self.update_all {
            update(meter, memory);
        } else {
            learned.set(at, best_first.h(at), add(best_first.g(end), best_first.h(end)));
        }
        memory.best_first.path(end, self.moves, plan);
    }
}

/// Dijkstra's algorithm from the border of the last search inwards. The new values stand where the search had g.
fn update<G: Graph>(meter: &mut Meter<'_, G>, memory: &mut Memory) {
    let Memory { learned, best_first, own, .. } = memory;
    let bands = own.get::<Bands>();
    best_first.begin_update();
    let mut least = INFINITY;
    for &state in best_first.closed() {
        let value = meter.reread_min(state, |successor, cost| best_first.value_outside(successor, cost));
        best_first.set_g(state, value);
        least = least.min(value);
    }
    bands.clear(least);
    for &state in best_first.closed() {
        let value = best_first.g(state);
        if value < INFINITY {
            bands.push(value, state);
        }
    }
    while let Some((value, state)) = bands.pop() {
        // Otherwise a smaller value was found since.
        if value == best_first.g(state) {
            learned.set(state, best_first.h(state), value);
            meter.reread_if(state, best_first.lower(value), |successor, cost| {
                let value = add(value, cost);
                best_first.set_g(successor, value);
                bands.push(value, successor);
            });
        }
    }
}
