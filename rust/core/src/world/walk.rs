//! An agent on a problem: one trial, or trials until one passes without learning or discovery.
//!
//! Convergence (graph-abstraction-2007, Section 2): the agent is put back to the start with all that it knows. Cost,
//! and planning before the first move, are the final trial's; travel, planning and what is remembered are those of all
//! trials together. Nothing is reset between trials but where the agent stands.

use super::model::Model;
use super::sensor::Sensor;
use super::trial::{Planning, Setting, Status, Trace, Trial};
use crate::agents::{Agent, Memory};
use crate::clock::Ticks;
use crate::cost::Length;
use crate::graph::State;
use crate::meter::Effort;
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
    /// How it ended.
    pub status: Status,
    /// Why, unless it was solved.
    pub reason: Option<String>,
    /// How far the agent walked in the final trial.
    pub cost: Length,
    /// How many trials there were.
    pub trials: u32,
    /// How far the agent walked in all of them.
    pub travel: Length,
    /// How many times it planned.
    pub episodes: u64,
    /// All planning.
    pub effort: Effort,
    /// Planning before the first move of the final trial.
    pub first: Planning,
    /// The most planning before any one move; expanded and touched each on its own.
    pub worst: Effort,
    /// Which move had the most states expanded before it, counted from 1 in the first trial on; 0 where there was none.
    pub worst_move: u64,
    /// How long it all took.
    pub time_ns: u64,
    /// Time per move, in timed trials.
    pub times: Option<MoveTimes>,
    /// What the agent learned.
    pub learning: Learning,
    /// How many blocked cells were discovered.
    pub discovered: u64,
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
        agent.begin_problem();

        let mut walk: Option<Walk> = None;
        loop {
            let before = walk.as_ref().map_or(Length::default(), |walk| walk.travel);
            let trial = self.trial(agent, memory, (problem, before), setting, trace.as_deref_mut())?;
            let walk = match &mut walk {
                Some(walk) => {
                    walk.add(&trial);
                    walk
                }
                None => walk.insert(Walk::of(&trial)),
            };
            let is_settled = trial.changes == 0 && trial.discovered == 0;
            let is_over = match setting.trials {
                Trials::Once => true,
                Trials::Converge { most } => {
                    walk.each.push(trial);
                    if walk.status == Status::Solved && !is_settled && walk.trials == most {
                        walk.status = Status::TrialCap;
                        walk.reason = Some(format!("still learning after {most} trials"));
                    }
                    walk.status != Status::Solved || is_settled
                }
            };
            if is_over {
                walk.learning = memory.learned.learning();
                walk.times = setting.clock.map(|_| move_times(walk.first.ns, &mut self.times));
                return Some(walk.clone());
            }
        }
    }
}

impl Walk {
    fn of(trial: &Trial) -> Walk {
        Walk {
            status: trial.status,
            reason: trial.reason.clone(),
            cost: trial.travel,
            trials: 1,
            travel: trial.travel,
            episodes: trial.episodes,
            effort: trial.effort,
            first: trial.first,
            worst: trial.worst,
            worst_move: trial.worst_move,
            time_ns: trial.time_ns,
            times: None,
            learning: Learning::default(),
            discovered: trial.discovered,
            each: Vec::new(),
        }
    }

    fn add(&mut self, trial: &Trial) {
        self.status = trial.status;
        self.reason.clone_from(&trial.reason);
        self.cost = trial.travel;
        self.trials += 1;
        self.travel.cardinal += trial.travel.cardinal;
        self.travel.diagonal += trial.travel.diagonal;
        self.episodes += trial.episodes;
        self.effort.add(trial.effort);
        self.first = trial.first;
        if trial.worst.expanded > self.worst.expanded {
            (self.worst.expanded, self.worst_move) = (trial.worst.expanded, trial.worst_move);
        }
        self.worst.touched = self.worst.touched.max(trial.worst.touched);
        self.time_ns += trial.time_ns;
        self.discovered += trial.discovered;
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
