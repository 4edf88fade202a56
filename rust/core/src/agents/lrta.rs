//! LRTA* with a fixed depth: Figure 1 of dynamic-control-2008, lines 1 to 8, with line 3 choosing the same d and the
//! global goal every time, LRTA* (F, G).
//!
//! Line 4: breadth-first plies with duplicate detection; path-max, so that g + h never falls along a branch. Line 5: the
//! frontier state with the lowest g + h. Line 6: its value becomes the heuristic of the current state. Line 7: one step
//! towards it. A goal within d plies ends the lookahead at its ply and is gone to; where a ply is empty, the one before
//! it is the frontier.
//!
//! With γ < 1 it is weighted LRTA* (Shimbo and Ishida 2003): f = γ·g + h in Figure 2 of graph-abstraction-2007, whose
//! tables call LRTS(1, γ, ∞) by that name. The initial heuristic is not consistent with weighted costs, and path-max from
//! the current state on would make most of its neighbours equal. So it begins one ply later. That is enough: the state
//! moved to has a lower h than the current one now has, so no circle is walked without learning.

use super::spec::{Kind, Param, Values};
use super::{Agent, Entry, Episode, Memory};
use crate::cost::Weight;
use crate::graph::Graph;
use crate::search::lookahead::Rules;
use crate::search::neighbour::best_neighbour;

/// Its entry in the catalogue.
pub const ENTRY: Entry = Entry {
    name: "lrta",
    title: "LRTA*",
    paper: "Korf 1990; dynamic-control-2008, Figure 1; graph-abstraction-2007, Figure 2",
    about: "Looks d moves ahead breadth first, raises the heuristic of where it stands, makes one move to the best.",
    counts: "expanded: states less than d moves away, (2d-1)² on open ground; touched: their successors",
    complete: true,
    optimal: false,
    learns: true,
    params: &[
        Param {
            name: "d",
            kind: Kind::Integer { least: 1, most: 1000 },
            default: "1",
            about: "the depth of the lookahead, in moves",
        },
        Param {
            name: "gamma",
            kind: Kind::Real { above: 0.0, most: 1.0 },
            default: "1",
            about: "the weight γ of the way to the frontier",
        },
    ],
    label: |values: &Values| {
        let gamma = values.real("gamma");
        let gamma = if gamma == 1.0 { String::new() } else { format!(", γ={gamma}") };
        format!("(F, G) d={}{gamma}", values.integer("d"))
    },
    build: |values| {
        let depth = values.integer("d") as u32;
        match Weight::new(values.real("gamma")) {
            Weight::ONE => Box::new(Lrta { depth }),
            weight => Box::new(WeightedLrta { depth, weight }),
        }
    },
};

pub(super) struct Lrta {
    pub(super) depth: u32,
}

impl Agent for Lrta {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let h0 = meter.heuristic(goal);
        let Memory { learned, lookahead, ties, .. } = memory;
        let before = learned.or(at, h0.of(at));
        let (f, next) = if self.depth == 1 {
            // The lookahead below, without its tables: the heuristic is consistent, so path-max changes nothing.
            match best_neighbour(meter, (learned, ties), &h0, at, |cost| cost) {
                Some((f, next)) => (f, Some(next)),
                None => (before, None),
            }
        } else {
            let h = |state| learned.or(state, h0.of(state));
            let rules = Rules { depth: self.depth, path_max: Some(before), weigh: |cost| cost };
            let promise = lookahead.run(meter, ties, (at, goal, None), rules, h);
            (promise.f, lookahead.first(promise.state))
        };
        if let Some(next) = next {
            learned.set(at, before, f);
            plan.push(next);
        }
    }
}

/// With γ < 1.
struct WeightedLrta {
    depth: u32,
    weight: Weight,
}

impl Agent for WeightedLrta {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let h0 = meter.heuristic(goal);
        let Memory { learned, lookahead, ties, .. } = memory;
        let before = learned.or(at, h0.of(at));
        let best = if self.depth == 1 {
            best_neighbour(meter, (learned, ties), &h0, at, |cost| self.weight.of(cost))
        } else {
            let h = |state| learned.or(state, h0.of(state));
            let rules = Rules { depth: self.depth, path_max: Some(0), weigh: |cost| self.weight.of(cost) };
            let promise = lookahead.run(meter, ties, (at, goal, None), rules, h);
            lookahead.first(promise.state).map(|next| (promise.f, next))
        };
        if let Some((f, next)) = best {
            learned.set(at, before, f.max(before));
            plan.push(next);
        }
    }
}
