//! Prioritized LRTA* (Rayner et al. 2007), P LRTA* (F, G) in Section 7.1 of dynamic-control-2008, algorithm 6.
//!
//! A lookahead of depth 1 updates the current state. Where that raises a state's heuristic, its neighbours are put onto a
//! queue of at most q, sorted by how much it rose. Then up to q states are taken from the queue and updated, and may put
//! their own neighbours onto it. Last, one move to the best neighbour. What is left in the queue waits for the next move,
//! of the next trial too. A full queue gives up its last for what comes before it. A state that is in the queue already
//! stays where it is, or with `requeue=raise` moves up.

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
    name: "plrta",
    title: "P LRTA*",
    paper: "Rayner et al. 2007; dynamic-control-2008, Section 7.1",
    about: "Looks at its neighbours, then updates up to q states near recent changes, the largest change first; makes one \
            move to the best.",
    counts: "expanded: the current state and the states updated from the queue, 1 + q or fewer; touched: their \
             successors, and again those of the current state to choose the move",
    learns: true,
    params: &[
        Param::integer(
            "q",
            1,
            10_000,
            "10",
            "the length of the queue, and how many states of it are updated before a move",
        ),
        Param::choice(
            "requeue",
            &["keep", "raise"],
            "what a larger change beside a state that is in the queue already does: keep its place, or raise it",
        ),
    ],
    label: |values| {
        let requeue = if values.is("requeue", "keep") { "" } else { ", requeue=raise" };
        format!("(F, G) q={}{requeue}", values.integer("q"))
    },
    build: |values| {
        let (length, raise) = (values.integer("q") as u32, values.is("requeue", "raise"));
        Ok(Box::new(PLrta { length, raise, neighbours: Vec::with_capacity(8) }))
    },
    samples: &["plrta(q=1)", "plrta(q=40, requeue=raise, ties=random)"],
    shortest_samples: &["plrta", "plrta(q=1)", "plrta(q=100, requeue=raise)"],
    ..Entry::PLAIN
};

pub(super) struct PLrta {
    pub(super) length: u32,
    pub(super) raise: bool,
    /// Of the state that is being updated.
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
    /// Raises a state's heuristic to what its neighbours allow and, where that changed it, puts them onto the queue.
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
        let mut least = Cost::MAX;
        self.neighbours.clear();
        meter.expand_towards(state, &h0, |neighbour, cost, initial| {
            least = least.min(add(cost, learned.or(neighbour, initial)));
            self.neighbours.push(neighbour);
        });
        // None where the state was discovered to be blocked while it was waiting.
        if self.neighbours.is_empty() {
            return;
        }
        let value = least.max(before);
        learned.set(state, before, value);
        if value > before {
            // The goal's heuristic is right as it is.
            for &neighbour in self.neighbours.iter().filter(|neighbour| **neighbour != goal) {
                queue.push(ties, neighbour, value - before, self.raise);
            }
        }
    }
}
