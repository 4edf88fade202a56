//! Koenig's LRTA* (Koenig 2004): K LRTA* (F, G) in dynamic-control-2008, "LRTA*" in rtaa-2006, Section 5.
//!
//! An A*-shaped search expands k states, or fewer if it is about to expand the goal. Dijkstra's algorithm then sets the
//! heuristic of each expanded state to the minimum, over the states at the border of the search, of the distance to the
//! border state plus its heuristic (the equations of rtaa-2006, Section 5). The agent makes one or all moves towards
//! the state that the search would expand next.
//!
//! `update=current` updates the current state only. No other variant resembles the published curve in Figures 10 and 15
//! of dynamic-control-2008. Its heuristic is inconsistent, and without path-max the agent would run in circles.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode, Memory};
use crate::cost::{INFINITY, add};
use crate::graph::Graph;
use crate::meter::Meter;
use crate::search::bands::Bands;
use crate::search::best_first::{Ended, Rules};

pub const ENTRY: Entry = Entry {
    about: "Expands k states as A* does, updates their heuristics with Dijkstra's algorithm, and moves towards the \
            border of the search.",
    counts: "expanded: states of the search, at most k; touched: their successors, and twice more in the update",
    learns: true,
    params: &[
        Param::count("k", "10", "lookahead: number of states to expand"),
        Param::count("moves", "1", "number of moves before planning again; inf moves to the border of the search"),
        Param::choice("update", &["all", "current"], "states to update: all expanded states, or only the current one"),
    ],
    label: |values| {
        let moves =
            if values.integer("moves") == 1 { String::new() } else { format!(", moves={}", values.get("moves")) };
        let update = if values.is("update", "all") { "" } else { ", update=current" };
        format!("(k={}{moves}{update})", values.get("k"))
    },
    samples: &["klrta(k=1)", "klrta(k=33, moves=inf, ties=random)", "klrta(k=7, update=current)"],
    shortest_samples: &["klrta(k=1)", "klrta(k=9)", "klrta(k=33, moves=inf)"],
    ..Entry::new("klrta", "K LRTA*", "Koenig 2004; rtaa-2006, Section 5; dynamic-control-2008, Section 7.1", |values| {
        let (lookahead, moves) = (values.integer("k"), values.integer("moves"));
        Ok(Box::new(KLrta { lookahead, moves, update_all: values.is("update", "all") }))
    })
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

/// Runs Dijkstra's algorithm from the border of the last search inwards. The new values replace the g of the search.
fn update<G: Graph>(meter: &mut Meter<'_, G>, memory: &mut Memory) {
    let Memory { learned, best_first, own, .. } = memory;
    let bands = own.get::<Bands>();
    best_first.begin_update();
    let mut min_value = INFINITY;
    for &state in best_first.closed() {
        let value = meter.reread_min(state, |successor, cost| best_first.value_outside(successor, cost));
        best_first.set_g(state, value);
        min_value = min_value.min(value);
    }
    bands.clear(min_value);
    for &state in best_first.closed() {
        let value = best_first.g(state);
        if value < INFINITY {
            bands.push(value, state);
        }
    }
    while let Some((value, state)) = bands.pop() {
        // An entry with another value is outdated.
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
