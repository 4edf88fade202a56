//! An agent on a problem: one trial, or trials until one passes without learning or discovery.
//!
//! Convergence (graph-abstraction-2007, Section 2): the agent is put back to the start with all that it knows. Cost,
//! and planning before the first move, are the final trial's; travel, planning and what is remembered are those of all
//! trials together. Nothing is reset between trials but where the agent stands.

use super::model::Model;
use super::sensor::Sensor;
use super::trial::{Setting, Status, Trace, Trial};
use crate::agents::{Agent, Memory};
use crate::clock::Ticks;
use crate::cost::Length;
use crate::graph::State;
use crate::problems::Problem;
use crate::search::learned::Learning;

/// How many trials an agent walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trials {
    /// One.
    Once,
    /// Until one passes without learning or discovery, at most this many.
    Converge {
        /// The cap.
        most: u32,
    },
}

/// Time per move, where it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    /// The first move of the final trial.
    pub first_ns: u64,
    /// The worst move.
    pub max_ns: u64,
    /// What 99% of the moves stay within.
    pub p99_ns: u64,
    /// What 99.9% of the moves stay within.
    pub p999_ns: u64,
}

/// What an agent's walk over all its trials came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// All trials together; how it ended and the planning before the first move are the final trial's.
    pub total: Trial,
    /// How far the agent walked in the final trial.
    pub cost: Length,
    /// How many trials there were.
    pub trials: u32,
    /// Time per move, in timed trials.
    pub times: Option<MoveTimes>,
    /// What the agent learned.
    pub learning: Learning,
    /// The trials one by one, where there may be several.
    pub each: Vec<Trial>,
}

/// The world as one worker keeps it, reused from problem to problem.
#[derive(Default)]
pub struct World {
    pub(super) model: Model,
    pub(super) plan: Vec<State>,
    pub(super) discovered: Vec<State>,
    pub(super) times: Vec<Ticks>,
}

impl World {
    /// Lets `agent` walk; none where it was abandoned. Of several trials the last is traced.
    pub fn walk<A: Agent>(
        &mut self,
        agent: &mut A,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Option<Walk> {
        let shape = setting.grid.shape();
        self.times.clear();
        if setting.sensor != Sensor::All {
            self.model.reset(shape, setting.grid.rule());
        }
        memory.begin(shape.cells());
        if let Some(hierarchy) = setting.hierarchy {
            memory.abstraction.begin(hierarchy);
        }
        memory.databases.clear();
        memory.databases.extend_from_slice(setting.databases);
        agent.begin_problem();

        let mut each = Vec::new();
        let trial = self.trial(agent, memory, (problem, Length::default()), setting, trace.as_deref_mut())?;
        let (mut total, mut cost, mut trials) = (trial.clone(), trial.travel, 1);
        if let Trials::Converge { most } = setting.trials {
            let mut trial = trial;
            while trial.status == Status::Solved && (trial.changes > 0 || trial.discovered > 0) {
                if trials == most {
                    total.status = Status::TrialCap;
                    total.reason = Some(format!("still learning after {most} trials"));
                    break;
                }
                let next = self.trial(agent, memory, (problem, total.travel), setting, trace.as_deref_mut())?;
                total.add(&next);
                (cost, trials) = (next.travel, trials + 1);
                each.push(std::mem::replace(&mut trial, next));
            }
            each.push(trial);
        }
        agent.end_problem();
        let times = setting.clock.map(|_| move_times(total.first.ns, &mut self.times));
        Some(Walk { total, cost, trials, times, learning: memory.learning(), each })
    }
}

impl Trial {
    /// Takes in the trial that came after.
    fn add(&mut self, next: &Trial) {
        self.status = next.status;
        self.reason.clone_from(&next.reason);
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

/// Worst move and quantiles; reorders `times`.
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
