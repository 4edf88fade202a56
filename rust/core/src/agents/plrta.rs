//! Prioritized LRTA* (Rayner et al. 2007): P LRTA* (F, G) in dynamic-control-2008, Section 7.1, algorithm 6.
//!
//! A lookahead of depth 1 updates the current state. If an update raises a heuristic, the neighbours of that state
//! enter a queue of at most q states, sorted by the increase. Up to q states are then taken from the queue and updated,
//! which may add their neighbours. Finally the agent moves to the best neighbour. The rest of the queue is kept for
//! later moves and trials. A full queue drops its last state for a state with a higher priority. A queued state keeps
//! its place, or moves up with `requeue=raise`.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Episode, Memory};
use crate::cost::{Cost, add};
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::learned::Learned;
use crate::search::ties::{Minimum, Ties};
use crate::search::update_queue::UpdateQueue;

pub const ENTRY: Entry = Entry {
    about: "Updates the current state and up to q states near recent changes, the largest change first, and moves to \
            the best neighbour.",
    counts: "expanded: the current state and the states updated from the queue, at most 1 + q; touched: their \
             successors, and again those of the current state to choose the move",
    learns: true,
    params: &[
        Param::integer("q", 1, 10_000, "10", "length of the queue, and maximum number of updates from it per move"),
        Param::choice(
            "requeue",
            &["keep", "raise"],
            "effect of a larger change next to a queued state: keep its place, or raise it",
        ),
    ],
    label: |values| {
        let requeue = if values.is("requeue", "keep") { "" } else { ", requeue=raise" };
        format!("(F, G) q={}{requeue}", values.integer("q"))
    },
    samples: &["plrta(q=1)", "plrta(q=40, requeue=raise, ties=random)"],
    shortest_samples: &["plrta", "plrta(q=1)", "plrta(q=100, requeue=raise)"],
    ..Entry::new("plrta", "P LRTA*", "Rayner et al. 2007; dynamic-control-2008, Section 7.1", |values| {
        let (length, raise) = (values.integer("q") as u32, values.is("requeue", "raise"));
        Ok(Box::new(PLrta { length, raise, neighbours: Vec::with_capacity(8) }))
    })
};

pub(super) struct PLrta {
    pub(super) length: u32,
    pub(super) raise: bool,
    /// The neighbours of the state that is being updated.
    pub(super) neighbours: Vec<State>,
}

impl Agent for PLrta {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, ties, own, .. } = memory;
        let queue = own.get::<UpdateQueue>();
        queue.resize(meter.states(), self.length);
        self.update(meter, learned, ties, queue, at, goal);
        for _ in 0..self.length {
            let Some(state) = queue.pop() else { break };
            self.update(meter, learned, ties, queue, state, goal);
        }

        let h0 = meter.heuristic(goal);
        let mut best = Minimum::default();
        let all = |_, _| true;
        meter.reread_if(at, all, |next, cost| {
            best.offer(ties, add(cost, learned.or(next, h0.of(next))), next);
        });
        plan.extend(best.get().map(|(_, next)| next));
    }
}

impl PLrta {
    /// Raises the heuristic of a state to the minimum over its neighbours, and queues them if that changed it.
    fn update<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        learned: &mut Learned,
        ties: &mut Ties,
        queue: &mut UpdateQueue,
        state: State,
        goal: State,
    ) {
        let h0 = meter.heuristic(goal);
        let before = learned.or(state, h0.of(state));
        let mut min_value = Cost::MAX;
        self.neighbours.clear();
        meter.expand_towards(state, &h0, |neighbour, cost, initial| {
            min_value = min_value.min(add(cost, learned.or(neighbour, initial)));
            self.neighbours.push(neighbour);
        });
        // Cells may be discovered to be blocked while they are in the queue.
        if self.neighbours.is_empty() {
            return;
        }
        let value = min_value.max(before);
        learned.set(state, before, value);
        if value > before {
            // The heuristic of the goal is always 0.
            for &neighbour in self.neighbours.iter().filter(|neighbour| **neighbour != goal) {
                queue.push(ties, neighbour, value - before, self.raise);
            }
        }
    }
}
