//! Plug-ins: agents written in any language, run in the same metered trials as built-in agents.
//!
//! A [`Plugin`] plans through [`Access`], which offers the meter, the table of learned heuristics and the plan of an
//! episode. The same algorithm therefore makes the same moves and gets the same counts as a built-in agent. A mistake
//! of a plug-in ends the trial with a reason. Another process detects crashes and endless loops by a
//! [`heartbeat::Heartbeat`].

mod expansions;
pub mod heartbeat;
pub mod library;

use crate::agent::{Agent, Discovery, Episode, Memory};
use crate::cost::{Cost, INFINITY};
use crate::graph::{Graph, MAX_SUCCESSORS, State, Successor};
use crate::grid::Shape;
use crate::meter::{Effort, Heuristic, Meter};
use crate::search::learned::Learned;
use crate::search::ties::Ties;
use crate::world::trial::Limits;
use expansions::Expansions;
use heartbeat::Heartbeat;
use rand::Rng;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum number of moves of a plan. A longer plan is assumed to be endless.
const MAX_MOVES: usize = 1 << 24;

/// The maximum of the bytes that a plug-in can report, more than any machine has.
const MAX_MEMORY: u64 = 1 << 53;

/// Metered calls return no data once this multiple of the cutoff is exceeded.
const GRACE_FACTOR: u64 = 10;

/// The data that a plug-in may use in one planning episode.
pub trait Access {
    /// The current state.
    fn at(&self) -> State;

    /// The goal.
    fn goal(&self) -> State;

    /// Expands a state: writes its successors in the order of ties, and returns their number. `None` if the cutoff is
    /// far exceeded, or if the state is invalid, see [`Access::fault`].
    fn expand(&mut self, state: State, successors: &mut [Successor; MAX_SUCCESSORS]) -> Option<usize>;

    /// Reads the successors of a state again. If it was expanded in this episode, they count as touched only. Otherwise
    /// it is expanded.
    fn reread(&mut self, state: State, successors: &mut [Successor; MAX_SUCCESSORS]) -> Option<usize>;

    /// The learned heuristic of a state, or the initial one if nothing was learned; infinity for an invalid state.
    fn heuristic(&self, state: State) -> Cost;

    /// The initial heuristic between two states; infinity if one of them is invalid.
    fn initial(&self, state: State, goal: State) -> Cost;

    /// Sets the heuristic of a state, to at least its initial value.
    fn learn(&mut self, state: State, value: Cost);

    /// Appends a move to the plan.
    fn go(&mut self, state: State);

    /// Reports the bytes that the plug-in's own tables use now, without the heuristics that it has learned here.
    fn memory(&mut self, bytes: u64);

    /// The effort counted so far in this episode.
    fn effort(&self) -> Effort;

    /// The number of states that may be expanded per move.
    fn cutoff(&self) -> Option<u64>;

    /// The first mistake of the plug-in, if any.
    fn fault(&self) -> Option<&str>;
}

/// An agent outside this crate. Its errors are clauses that explain the failure.
pub trait Plugin: Send {
    /// Creates a new instance for a problem on a map of this shape, with a seed for random choices.
    fn begin_problem(&mut self, seed: u64, shape: Shape) -> Result<(), String>;

    /// See [`Agent::begin_trial`].
    fn begin_trial(&mut self) -> Result<(), String>;

    /// Reports blocked cells that were discovered since the last episode.
    fn discovered(&mut self, blocked: &[State]) -> Result<(), String>;

    /// Plans one or more moves.
    fn plan<A: Access>(&mut self, access: &mut A) -> Result<(), String>;

    /// Deletes the instance.
    fn end_problem(&mut self);
}

/// A plug-in as an [`Agent`].
pub struct PluginAgent<P> {
    plugin: P,
    shape: Shape,
    limits: Limits,
    heartbeat: Arc<Heartbeat>,
    /// Events to report to the plug-in before it plans again.
    events: Events,
    expansions: Expansions,
    /// The maximum of the bytes that the plug-in has reported for this problem.
    memory_bytes: Option<u64>,
    failure: Option<String>,
}

#[derive(Default)]
struct Events {
    problem: bool,
    trial: bool,
    trials: u64,
    blocked: Vec<State>,
}

impl Events {
    #[inline(always)]
    fn is_any(&self) -> bool {
        self.problem | self.trial | !self.blocked.is_empty()
    }
}

impl<P: Plugin> PluginAgent<P> {
    /// An agent for problems on maps of this shape.
    pub fn new(plugin: P, shape: Shape, limits: Limits, heartbeat: Arc<Heartbeat>) -> PluginAgent<P> {
        let (events, expansions) = (Events::default(), Expansions::default());
        PluginAgent { plugin, shape, limits, heartbeat, events, expansions, memory_bytes: None, failure: None }
    }

    #[cold]
    fn notify(&mut self, ties: &mut Ties) -> Result<(), String> {
        if std::mem::take(&mut self.events.problem) {
            let seed = match ties {
                Ties::First => 0,
                Ties::Random(stream) => stream.next_u64(),
            };
            self.plugin.begin_problem(seed, self.shape)?;
        }
        if std::mem::take(&mut self.events.trial) {
            self.plugin.begin_trial()?;
        }
        if !self.events.blocked.is_empty() {
            self.plugin.discovered(&self.events.blocked)?;
            self.events.blocked.clear();
        }
        Ok(())
    }
}

impl<P: Plugin> Agent for PluginAgent<P> {
    fn begin_problem(&mut self) {
        self.events = Events { problem: true, blocked: std::mem::take(&mut self.events.blocked), ..Events::default() };
        self.events.blocked.clear();
        self.expansions.begin_problem();
        (self.memory_bytes, self.failure) = (None, None);
    }

    fn peak_bytes(&self) -> Option<u64> {
        self.memory_bytes
    }

    fn begin_trial(&mut self) {
        self.events.trial = true;
        self.events.trials += 1;
        self.expansions.begin_trial();
    }

    fn begin_episode(&mut self, number: u64) {
        self.heartbeat.planning(self.events.trials, number);
        self.expansions.begin_move(number);
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, ties, .. } = memory;
        if self.events.is_any()
            && let Err(failure) = self.notify(ties)
        {
            self.failure = Some(failure);
            return;
        }
        self.expansions.begin_episode(meter.states());
        let grace = |limit: u64| limit.saturating_mul(GRACE_FACTOR);
        let h0 = meter.heuristic(goal);
        let initial = h0.of(at);
        let mut access = Metered {
            max_expanded: self.limits.cutoff.map_or(u64::MAX, grace),
            deadline: self.limits.time_limit_ns.map(|ns| Instant::now() + Duration::from_nanos(grace(ns))),
            cutoff: self.limits.cutoff,
            meter,
            learned,
            expansions: &mut self.expansions,
            h0,
            at,
            initial,
            goal,
            plan: &mut *plan,
            memory_bytes: &mut self.memory_bytes,
            fault: None,
        };
        let planned = self.plugin.plan(&mut access);
        if planned.is_err() || access.fault.is_some() {
            // The plug-in's first mistake explains later errors.
            self.failure = access.fault.or(planned.err());
        }
        self.expansions.planned(at, goal, plan);
    }

    fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    fn discovered(&mut self, discovery: Discovery<'_>) {
        self.events.blocked.extend_from_slice(discovery.blocked);
    }

    fn end_problem(&mut self) {
        self.plugin.end_problem();
    }

    fn unexpanded_moves(&self) -> Option<u64> {
        Some(self.expansions.unexpanded_moves())
    }
}

struct Metered<'a, 'g, G: Graph> {
    meter: &'a mut Meter<'g, G>,
    learned: &'a mut Learned,
    expansions: &'a mut Expansions,
    h0: Heuristic<'g, G>,
    at: State,
    /// The initial heuristic of the current state.
    initial: Cost,
    goal: State,
    plan: &'a mut Vec<State>,
    memory_bytes: &'a mut Option<u64>,
    cutoff: Option<u64>,
    /// The maximum number of states to expand.
    max_expanded: u64,
    /// The time after which nothing is expanded.
    deadline: Option<Instant>,
    fault: Option<String>,
}

impl<G: Graph> Metered<'_, '_, G> {
    #[inline(always)]
    fn is_state(&mut self, state: State, action: &str) -> bool {
        let states = self.meter.states();
        if (state as usize) < states {
            return true;
        }
        self.fail(|| format!("{action} of {state}, but states are 0 to {}", states - 1));
        false
    }

    /// Records the first mistake, which explains later ones.
    #[cold]
    fn fail(&mut self, message: impl FnOnce() -> String) {
        self.fault.get_or_insert_with(message);
    }

    /// The initial heuristic of a state, cached for the current state, which is the most frequent one.
    #[inline(always)]
    fn initially(&self, state: State) -> Cost {
        if state == self.at { self.initial } else { self.h0.of(state) }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.meter.effort().expanded >= self.max_expanded
            || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }
}

impl<G: Graph> Access for Metered<'_, '_, G> {
    #[inline(always)]
    fn at(&self) -> State {
        self.at
    }

    fn goal(&self) -> State {
        self.goal
    }

    #[inline(always)]
    fn expand(&mut self, state: State, successors: &mut [Successor; MAX_SUCCESSORS]) -> Option<usize> {
        if self.is_over() || !self.is_state(state, "it requested the successors") {
            return None;
        }
        self.expansions.mark(state);
        Some(self.meter.expand_into(state, &self.h0, self.learned.table(), successors) as usize)
    }

    fn reread(&mut self, state: State, successors: &mut [Successor; MAX_SUCCESSORS]) -> Option<usize> {
        if !self.expansions.in_episode(state) {
            return self.expand(state, successors);
        }
        if self.is_over() {
            return None;
        }
        Some(self.meter.reread_into(state, &self.h0, self.learned.table(), successors) as usize)
    }

    #[inline(always)]
    fn heuristic(&self, state: State) -> Cost {
        if (state as usize) < self.meter.states() { self.learned.or(state, self.initially(state)) } else { INFINITY }
    }

    fn initial(&self, state: State, goal: State) -> Cost {
        let states = self.meter.states();
        if (state.max(goal) as usize) < states { self.meter.heuristic(goal).of(state) } else { INFINITY }
    }

    #[inline(always)]
    fn learn(&mut self, state: State, value: Cost) {
        if !self.is_state(state, "it set the heuristic") {
            return;
        }
        let initial = self.initially(state);
        let before = self.learned.or(state, initial);
        // An entry of 0 means that nothing was learned, so a raised value never falls back to 0.
        self.learned.set(state, before, value.max(initial).max(before.min(1)));
    }

    #[inline(always)]
    fn go(&mut self, state: State) {
        if self.plan.len() < MAX_MOVES {
            self.plan.push(state);
        } else {
            self.fail(|| format!("its plan has more than {MAX_MOVES} moves"));
        }
    }

    fn memory(&mut self, bytes: u64) {
        *self.memory_bytes = Some(bytes.min(MAX_MEMORY)).max(*self.memory_bytes);
    }

    fn effort(&self) -> Effort {
        self.meter.effort()
    }

    fn cutoff(&self) -> Option<u64> {
        self.cutoff
    }

    fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

#[cfg(test)]
mod tests;
