//! RTA* (Korf 1990), the real-time search that forgets nothing but cannot learn from trial to trial.
//!
//! Each neighbour of the current state is worth the cost of going there plus what is stored for it, where the agent has
//! been there already, or else the best g + h that its own lookahead finds d - 1 plies further on, never back through
//! the current state (Korf's mini-min rule, to which dynamic-control-2008 refers in Section 7.1). The agent moves to the
//! best neighbour and stores the value of the second best in the state that it leaves: what it would cost to come back
//! and go on from there. A state with a single way out is worth infinity.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode, Memory};
use crate::cost::{Cost, INFINITY, add};
use crate::graph::{Graph, State};
use crate::search::lookahead::LookaheadContext;
use crate::search::ties::Minimum;

pub const ENTRY: Entry = Entry {
    name: "rta",
    title: "RTA*",
    paper: "Korf 1990; dynamic-control-2008, footnote 3; per-map-selection-2016, Section 5",
    about: "Looks d moves ahead of every neighbour, goes to the best and stores the second best value behind it.",
    counts: "expanded: the current state, and for each new neighbour the states less than d - 1 moves from it; touched: \
             their successors",
    learns: true,
    // The values that it stores are of use in the same trial only.
    converges: false,
    params: &[Param::integer("d", 1, 100, "1", "the depth of the lookahead, in moves")],
    label: |values| format!("(d={})", values.integer("d")),
    build: |values| Ok(Box::new(Rta { depth: values.integer("d") as u32, neighbours: Vec::with_capacity(8) })),
    samples: &["rta(d=2)", "rta(d=4, ties=random)"],
    ..Entry::PLAIN
};

struct Rta {
    depth: u32,
    /// With the costs of going there and their initial heuristics.
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
