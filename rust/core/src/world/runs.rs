//! The run of an agent on a problem: one trial, or trials until one passes without learning or discovery.
//!
//! Convergence (graph-abstraction-2007, Section 2): between trials only the agent's position is reset. Cost and
//! first-move planning are those of the final trial; travel, planning and memory are totals over all trials.

use super::model::Model;
use super::sensor::Sensor;
use super::status::{End, Status};
use super::trace::Trace;
use super::trial::{Setting, Trial};
use crate::agent::{Agent, Memory, Needs};
use crate::clock::Ticks;
use crate::cost::Length;
use crate::graph::State;
use crate::problems::Problem;
use crate::search::learned::Learning;

/// The number of trials of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trials {
    /// One.
    Once,
    /// Trials until one passes without learning or discovery, up to a maximum number.
    Converge {
        /// The maximum.
        max: u32,
    },
}

/// Time per move, if it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    /// The first move of the final trial.
    pub first_ns: u64,
    /// The worst move.
    pub max_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The 99.9th percentile.
    pub p999_ns: u64,
}

/// The outcome of an agent's run over all its trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Totals over all trials; status and first-move planning are those of the final trial.
    pub total: Trial,
    /// The length of the final trial's path.
    pub cost: Length,
    /// The number of trials.
    pub trials: u32,
    /// Time per move, in timed trials.
    pub times: Option<MoveTimes>,
    /// Statistics of what the agent learned.
    pub learning: Learning,
    /// Each trial; empty for [`Trials::Once`].
    pub each: Vec<Trial>,
}

/// The world of one worker, reused for all its problems.
#[derive(Default)]
pub struct World {
    pub(super) model: Model,
    pub(super) plan: Vec<State>,
    pub(super) discovered: Vec<State>,
    pub(super) times: Vec<Ticks>,
}

/// An agent behind a pointer. The only dynamic call is the one per problem; the code inside is compiled for each agent.
pub trait Runner: Send {
    /// See [`Agent::needs`].
    fn needs(&self) -> Needs;

    /// Runs the agent on a problem; `None` if the run was cancelled. Only the last trial is traced.
    fn run(
        &mut self,
        world: &mut World,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Outcome>;
}

impl<A: Agent> Runner for A {
    fn needs(&self) -> Needs {
        Agent::needs(self)
    }

    fn run(
        &mut self,
        world: &mut World,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Option<Outcome> {
        let shape = setting.grid.shape();
        world.times.clear();
        if setting.sensor != Sensor::All {
            world.model.reset(shape, setting.grid.rule());
        }
        memory.begin(shape.cells());
        if let Some(hierarchy) = setting.hierarchy {
            memory.abstraction.begin(hierarchy);
        }
        memory.databases.clear();
        memory.databases.extend_from_slice(setting.databases);
        self.begin_problem();

        let mut each = Vec::new();
        let trial = world.trial(self, memory, problem, Length::default(), setting, trace.as_deref_mut())?;
        let (mut total, mut cost, mut trials) = (trial.clone(), trial.travel, 1);
        if let Trials::Converge { max } = setting.trials {
            let mut trial = trial;
            while trial.status() == Status::Solved && (trial.changes > 0 || trial.discovered > 0) {
                if trials == max {
                    total.end = End::TrialCap { trials };
                    break;
                }
                let next = world.trial(self, memory, problem, total.travel, setting, trace.as_deref_mut())?;
                total.add(&next);
                (cost, trials) = (next.travel, trials + 1);
                each.push(std::mem::replace(&mut trial, next));
            }
            each.push(trial);
        }
        self.end_problem();
        let times = setting.clock.map(|_| move_times(total.first.ns, &mut world.times));
        Some(Outcome { total, cost, trials, times, learning: memory.learning(), each })
    }
}

#[cfg(test)]
impl Outcome {
    /// The same outcome without measured times, which differ between runs.
    pub(crate) fn without_times(mut self) -> Outcome {
        self.times = None;
        for trial in self.each.iter_mut().chain([&mut self.total]) {
            (trial.time_ns, trial.first.ns) = (0, 0);
        }
        self
    }
}

impl Trial {
    /// Adds the next trial.
    fn add(&mut self, next: &Trial) {
        self.end.clone_from(&next.end);
        self.travel.cardinal += next.travel.cardinal;
        self.travel.diagonal += next.travel.diagonal;
        self.episodes += next.episodes;
        self.effort.add(next.effort);
        self.first = next.first;
        if next.worst.expanded > self.worst.expanded {
            (self.worst.expanded, self.worst_move) = (next.worst.expanded, next.worst_move);
        }
        self.worst.touched = self.worst.touched.max(next.worst.touched);
        self.time_ns += next.time_ns;
        self.changes += next.changes;
        self.discovered += next.discovered;
    }
}

/// The maximum and the quantiles. Reorders `times`.
fn move_times(first_ns: u64, times: &mut [u64]) -> MoveTimes {
    if times.is_empty() {
        return MoveTimes::default();
    }
    let mut quantile = |share: f64| {
        let rank = (share * times.len() as f64).ceil() as usize;
        *times.select_nth_unstable(rank.clamp(1, times.len()) - 1).1
    };
    MoveTimes { first_ns, p99_ns: quantile(0.99), p999_ns: quantile(0.999), max_ns: quantile(1.0) }
}
