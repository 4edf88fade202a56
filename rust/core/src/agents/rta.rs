//! RTA* (Korf 1990). Its stored values guide a single trial and do not improve later ones.
//!
//! The value of a neighbour is the cost of the move plus its stored value. For a neighbour that the agent has not left
//! before, a lookahead of d - 1 plies finds the best g + h instead, without passing through the current state (Korf's
//! mini-min rule, see dynamic-control-2008, Section 7.1). The agent moves to the best neighbour and stores the value of
//! the second best in the state that it leaves. With a single neighbour that value is infinite.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode, Memory};
use crate::cost::{Cost, INFINITY, add};
use crate::graph::{Graph, State};
use crate::search::lookahead::LookaheadContext;
use crate::search::ties::Minimum;

pub const ENTRY: Entry = Entry {
    about: "Looks d moves ahead through each neighbour, moves to the best one, and stores the value of the second best \
            in the state that it leaves.",
    counts: "expanded: the current state, and for each new neighbour the states less than d - 1 moves from it; \
             touched: their successors",
    learns: true,
    // The stored values are useful in the same trial only.
    converges: false,
    params: &[Param::integer("d", 1, 100, "1", "lookahead depth, in moves")],
    label: |values| format!("(d={})", values.integer("d")),
    samples: &["rta(d=2)", "rta(d=4, ties=random)"],
    ..Entry::new(
        "rta",
        "RTA*",
        "Korf 1990; dynamic-control-2008, footnote 3; per-map-selection-2016, Section 5",
        |values| Ok(Box::new(Rta { depth: values.integer("d") as u32, neighbours: Vec::with_capacity(8) })),
    )
};

struct Rta {
    depth: u32,
    /// Neighbours with the costs of the moves to them and their initial heuristics.
    neighbours: Vec<(State, Cost, Cost)>,
}

impl Agent for Rta {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let h0 = meter.heuristic(goal);
        let Memory { learned, lookahead, ties, .. } = memory;
        self.neighbours.clear();
        meter.expand_towards(at, &h0, |neighbour, cost, h| self.neighbours.push((neighbour, cost, h)));

        let mut best = Minimum::default();
        let mut second = INFINITY;
        for &(neighbour, cost, initial) in &self.neighbours {
            let heuristic = |state| learned.or(state, h0.of(state));
            let ahead = match learned.entry(neighbour) {
                Some(stored) => stored,
                None if self.depth == 1 || neighbour == goal => initial,
                None => {
                    let weigh = |cost| cost;
                    let context = LookaheadContext { from: neighbour, goal, path_max: None, weigh, heuristic };
                    lookahead.begin(meter.states(), self.depth - 1, &context);
                    lookahead.avoid(at);
                    lookahead.reach(meter, self.depth - 1, &context);
                    lookahead.promise(ties).f
                }
            };
            let value = add(cost, ahead);
            second = second.min(best.offer(ties, value, neighbour));
        }
        if let Some((_, neighbour)) = best.get() {
            learned.store(at, learned.or(at, h0.of(at)), second);
            plan.push(neighbour);
        }
    }
}
