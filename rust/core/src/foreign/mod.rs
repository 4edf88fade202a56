//! Agents from elsewhere: plug-ins, written in whatever language, behind the ordinary metered trial.
//!
//! A [`Stranger`] plans through [`Access`], which is all that it gets to see of an episode: the same meter, the same
//! table of learned heuristics and the same plan that built-in agents have, so that the same algorithm makes the same
//! moves and gets the same counts. What a stranger does wrong ends the trial with a reason. What brings down the whole
//! process, or never returns, is for others to notice: a [`beat::Beat`] tells them how far it was.

pub mod beat;
pub mod library;

use crate::agent::{Agent, Discovery, Episode, Memory};
use crate::cost::{Cost, INFINITY};
use crate::graph::{Graph, MOST_SUCCESSORS, State, Successor};
use crate::grid::Shape;
use crate::meter::{Effort, Heuristic, Meter};
use crate::search::learned::Learned;
use crate::search::marks::Marks;
use crate::search::ties::Ties;
use crate::world::trial::Limits;
use beat::Beat;
use rand::Rng;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A plan with more moves than this is taken for one that never ends.
const MOST_MOVES: usize = 1 << 24;

/// From so many times the cutoff on, metered calls give no data any more.
const PATIENCE: u64 = 10;

/// What a stranger may use in one planning episode.
pub trait Access {
    /// Where the agent stands.
    fn at(&self) -> State;

    /// Where it wants to go.
    fn goal(&self) -> State;

    /// Expands a state: how many successors there are, written in the order in which ties break. None: the cutoff is
    /// long passed, or there is no such state, see [`Access::fault`].
    fn expand(&mut self, state: State, successors: &mut [Successor; MOST_SUCCESSORS]) -> Option<usize>;

    /// Reads the successors of a state that was expanded in this episode once more, which counts as touched alone; any
    /// other state is expanded.
    fn reread(&mut self, state: State, successors: &mut [Successor; MOST_SUCCESSORS]) -> Option<usize>;

    /// The heuristic of a state: what was learned, or else the initial one; infinity for what is none.
    fn heuristic(&self, state: State) -> Cost;

    /// The initial heuristic between two states; infinity for what is none.
    fn initial(&self, state: State, goal: State) -> Cost;

    /// Sets the heuristic of a state. What is below the initial one has no effect.
    fn learn(&mut self, state: State, value: Cost);

    /// Appends a move to the plan.
    fn go(&mut self, state: State);

    /// What was counted so far in this episode.
    fn effort(&self) -> Effort;

    /// How many states may be expanded for a move.
    fn cutoff(&self) -> Option<u64>;

    /// What the stranger did wrong, if anything.
    fn fault(&self) -> Option<&str>;
}

/// An agent that was not written here. Whatever goes wrong in it is told in a clause.
pub trait Stranger: Send {
    /// A fresh instance for a problem on a map of this shape, with a seed for whatever it draws.
    fn begin_problem(&mut self, seed: u64, shape: Shape) -> Result<(), String>;

    /// See [`Agent::begin_trial`].
    fn begin_trial(&mut self) -> Result<(), String>;

    /// These cells were believed to be free, and were discovered to be blocked since the last episode.
    fn discovered(&mut self, blocked: &[State]) -> Result<(), String>;

    /// Plans one or more moves.
    fn plan<A: Access>(&mut self, access: &mut A) -> Result<(), String>;

    /// The instance is no longer needed.
    fn end_problem(&mut self);
}

/// A stranger as an agent like any other.
pub struct Foreign<S> {
    stranger: S,
    shape: Shape,
    limits: Limits,
    beat: Arc<Beat>,
    /// What is to be told to the stranger before it plans again.
    news: News,
    /// The states that were expanded in this episode.
    expanded: Marks,
    failure: Option<String>,
}

#[derive(Default)]
struct News {
    problem: bool,
    trial: bool,
    trials: u64,
    blocked: Vec<State>,
}

impl News {
    #[inline(always)]
    fn is_any(&self) -> bool {
        self.problem | self.trial | !self.blocked.is_empty()
    }
}

impl<S: Stranger> Foreign<S> {
    /// An agent for problems on maps of this shape.
    pub fn new(stranger: S, shape: Shape, limits: Limits, beat: Arc<Beat>) -> Foreign<S> {
        Foreign { stranger, shape, limits, beat, news: News::default(), expanded: Marks::default(), failure: None }
    }

    #[cold]
    fn tell(&mut self, ties: &mut Ties) -> Result<(), String> {
        if std::mem::take(&mut self.news.problem) {
            let seed = match ties {
                Ties::First => 0,
                Ties::Random(stream) => stream.next_u64(),
            };
            self.stranger.begin_problem(seed, self.shape)?;
        }
        if std::mem::take(&mut self.news.trial) {
            self.stranger.begin_trial()?;
        }
        if !self.news.blocked.is_empty() {
            self.stranger.discovered(&self.news.blocked)?;
            self.news.blocked.clear();
        }
        Ok(())
    }
}

impl<S: Stranger> Agent for Foreign<S> {
    fn begin_problem(&mut self) {
        self.news = News { problem: true, blocked: std::mem::take(&mut self.news.blocked), ..News::default() };
        self.news.blocked.clear();
        self.failure = None;
    }

    fn begin_trial(&mut self) {
        self.news.trial = true;
        self.news.trials += 1;
    }

    fn begin_episode(&mut self, number: u64) {
        self.beat.planning(self.news.trials, number);
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, ties, .. } = memory;
        if self.news.is_any()
            && let Err(failure) = self.tell(ties)
        {
            self.failure = Some(failure);
            return;
        }
        self.expanded.clear(meter.states());
        let patience = |limit: u64| limit.saturating_mul(PATIENCE);
        let h0 = meter.heuristic(goal);
        let initial = h0.of(at);
        let mut access = Metered {
            most: self.limits.cutoff.map_or(u64::MAX, patience),
            until: self.limits.time_limit_ns.map(|ns| Instant::now() + Duration::from_nanos(patience(ns))),
            cutoff: self.limits.cutoff,
            meter,
            learned,
            expanded: &mut self.expanded,
            h0,
            at,
            initial,
            goal,
            plan,
            fault: None,
        };
        let planned = self.stranger.plan(&mut access);
        if planned.is_err() || access.fault.is_some() {
            // What was at fault first explains what came of it.
            self.failure = access.fault.or(planned.err());
        }
    }

    fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    fn discovered(&mut self, discovery: Discovery<'_>) {
        self.news.blocked.extend_from_slice(discovery.blocked);
    }

    fn end_problem(&mut self) {
        self.stranger.end_problem();
    }
}

struct Metered<'a, 'g, G: Graph> {
    meter: &'a mut Meter<'g, G>,
    learned: &'a mut Learned,
    expanded: &'a mut Marks,
    h0: Heuristic<'g, G>,
    at: State,
    /// The initial heuristic there.
    initial: Cost,
    goal: State,
    plan: &'a mut Vec<State>,
    cutoff: Option<u64>,
    /// No more states than these are expanded.
    most: u64,
    /// Nothing is expanded after this moment.
    until: Option<Instant>,
    fault: Option<String>,
}

impl<G: Graph> Metered<'_, '_, G> {
    #[inline(always)]
    fn is_state(&mut self, state: State, what: &str) -> bool {
        let states = self.meter.states();
        if (state as usize) < states {
            return true;
        }
        self.wrong(|| format!("{what} of {state}, where states are 0 to {}", states - 1));
        false
    }

    /// Something is wrong; what was first explains what comes of it.
    #[cold]
    fn wrong(&mut self, told: impl FnOnce() -> String) {
        self.fault.get_or_insert_with(told);
    }

    /// The initial heuristic of a state: most ask for that of where they are.
    #[inline(always)]
    fn initially(&self, state: State) -> Cost {
        if state == self.at { self.initial } else { self.h0.of(state) }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.meter.effort().expanded >= self.most || self.until.is_some_and(|until| Instant::now() > until)
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
    fn expand(&mut self, state: State, successors: &mut [Successor; MOST_SUCCESSORS]) -> Option<usize> {
        if self.is_over() || !self.is_state(state, "it asked for the successors") {
            return None;
        }
        self.expanded.mark(state);
        Some(self.meter.expand_into(state, &self.h0, self.learned.table(), successors) as usize)
    }

    fn reread(&mut self, state: State, successors: &mut [Successor; MOST_SUCCESSORS]) -> Option<usize> {
        if !self.expanded.has(state) {
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
        // An entry of 0 is none, so what was raised above it does not fall back to it.
        self.learned.set(state, before, value.max(initial).max(before.min(1)));
    }

    #[inline(always)]
    fn go(&mut self, state: State) {
        if self.plan.len() < MOST_MOVES {
            self.plan.push(state);
        } else {
            self.wrong(|| format!("its plan has more than {MOST_MOVES} moves"));
        }
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
