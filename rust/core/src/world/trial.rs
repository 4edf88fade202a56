//! One trial: an agent walks from start to goal, planning in episodes, and everything it does is counted.
//!
//! A planning episode yields one or more moves; its effort is charged to the first of them, later moves of the same
//! plan cost nothing. The episode that passes the cutoff is finished and counted, then the trial ends.

use super::model::Model;
use super::sensor::Sensor;
use crate::agents::{Agent, Memory};
use crate::clock::{Clock, Ticks};
use crate::cost::Length;
use crate::graph::State;
use crate::grid::{Geometry, Grid, Terrain};
use crate::meter::{Effort, Meter};
use crate::problems::Problem;
use crate::search::learned::Learning;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What bounds a trial.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States that may be expanded for any one move.
    pub cutoff: Option<u64>,
    /// Nanoseconds that may pass planning any one move; only in timed trials.
    pub time_limit_ns: Option<u64>,
    /// Travel may be this many times the optimum.
    pub alpha: Option<f64>,
}

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The agent reached the goal.
    Solved,
    /// One move was planned past the cutoff.
    Cutoff,
    /// The agent walked past α times the optimum.
    TravelCap,
    /// The agent found no move.
    Stuck,
    /// The agent named a move that is none.
    Illegal,
}

impl Status {
    /// The status as records spell it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "solved",
            Status::Cutoff => "cutoff",
            Status::TravelCap => "travel-cap",
            Status::Stuck => "stuck",
            Status::Illegal => "illegal",
        }
    }
}

/// Time per move, where it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    /// The first move.
    pub first_ns: u64,
    /// The worst move.
    pub max_ns: u64,
    /// What 99% of the moves stay within.
    pub p99_ns: u64,
    /// What 99.9% of the moves stay within.
    pub p999_ns: u64,
}

/// What a trial came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// How it ended.
    pub status: Status,
    /// Why, unless it was solved.
    pub reason: Option<String>,
    /// How far the agent walked.
    pub travel: Length,
    /// All planning.
    pub effort: Effort,
    /// Planning before the first move.
    pub first: Effort,
    /// The most planning before any one move; expanded and touched each on its own.
    pub worst: Effort,
    /// Which move had the most states expanded before it, counted from 1; 0 where there was none.
    pub worst_move: u64,
    /// How long the trial took, all of it.
    pub time_ns: u64,
    /// Time per move, in timed trials.
    pub times: Option<MoveTimes>,
    /// What the agent learned.
    pub learning: Learning,
}

/// What one move cost to plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planning {
    /// In states.
    pub effort: Effort,
    /// In nanoseconds, in timed trials.
    pub ns: u64,
}

/// A trial move by move.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The start, then where each move led.
    pub states: Vec<State>,
    /// Planning before each move, and last for the move that was not made where the trial was not solved.
    pub planning: Vec<Planning>,
    /// Every state that was expanded, in order.
    pub expansions: Vec<State>,
}

/// The world as one worker keeps it, reused from trial to trial.
#[derive(Default)]
pub struct World {
    model: Model,
    plan: Vec<State>,
    discovered: Vec<State>,
    times: Vec<Ticks>,
}

/// The circumstances of a trial.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// The map's geometry, with successors in the order in which the agent breaks ties.
    pub geometry: &'a Geometry,
    /// What the agent sees.
    pub sensor: Sensor,
    /// What bounds the trial.
    pub limits: Limits,
    /// The clock of timed trials.
    pub clock: Option<Clock>,
    /// Raised to abandon the trial.
    pub cancelled: &'a AtomicBool,
}

impl World {
    /// Lets `agent` walk; none where the trial was abandoned.
    pub fn trial<A: Agent>(
        &mut self,
        agent: &mut A,
        memory: &mut Memory,
        problem: Problem,
        setting: Setting<'_>,
        mut trace: Option<&mut Trace>,
    ) -> Option<Trial> {
        let Setting { grid, geometry, sensor, limits, clock, cancelled } = setting;
        let World { model, plan, discovered, times } = self;
        let Problem { start, goal, optimal } = problem;
        let begun = Instant::now();
        let offsets = grid.shape().offsets();
        let furthest = limits.alpha.map_or(u64::MAX, |alpha| (alpha * optimal.units() as f64) as u64);
        let cutoff = limits.cutoff.unwrap_or(u64::MAX);
        let time_limit_ns = limits.time_limit_ns.unwrap_or(u64::MAX);

        let mut at = start;
        let (mut travel, mut travelled) = (Length::default(), 0u64);
        let (mut effort, mut first, mut worst, mut worst_move) = (Effort::default(), None, Effort::default(), 0);
        // Planning since the last move: what the next move costs.
        let mut pending = Planning::default();
        plan.clear();
        let mut next = 0;
        times.clear();
        if let Some(trace) = &mut trace {
            trace.states.push(start);
        }
        memory.begin(grid.shape().cells());
        agent.begin();
        let knows_all = sensor == Sensor::All;
        if !knows_all {
            model.reset(grid.shape(), grid.rule());
            discovered.clear();
            model.sense(grid, sensor, at, discovered);
            agent.discovered(discovered);
        }

        let (status, reason) = loop {
            if at == goal {
                break (Status::Solved, None);
            }
            if travelled > furthest {
                let alpha = limits.alpha.unwrap_or_default();
                break (Status::TravelCap, Some(format!("walked past {alpha} times the optimum")));
            }
            if next == plan.len() {
                if cancelled.load(Ordering::Relaxed) {
                    return None;
                }
                plan.clear();
                next = 0;
                let terrain = Terrain::new(geometry, if knows_all { grid.moves() } else { model.moves() });
                let mut meter = Meter::new(&terrain, trace.as_mut().map(|trace| &mut trace.expansions));
                let before = clock.map(|clock| clock.now());
                agent.plan(&mut meter, memory, at, goal, plan);
                if let (Some(clock), Some(before)) = (clock, before) {
                    pending.ns += clock.ns(before, clock.now());
                }
                let episode = meter.effort();
                effort.add(episode);
                pending.effort.add(episode);
                if pending.effort.expanded > worst.expanded {
                    (worst.expanded, worst_move) = (pending.effort.expanded, travel.moves() + 1);
                }
                worst.touched = worst.touched.max(pending.effort.touched);
                if pending.effort.expanded > cutoff {
                    let (number, expanded) = (travel.moves() + 1, pending.effort.expanded);
                    break (Status::Cutoff, Some(format!("move {number} expanded {expanded} states, over {cutoff}")));
                }
                if pending.ns > time_limit_ns {
                    let (number, ns) = (travel.moves() + 1, pending.ns);
                    break (Status::Cutoff, Some(format!("move {number} took {ns} ns to plan, over {time_limit_ns}")));
                }
                if plan.is_empty() {
                    break (Status::Stuck, Some(format!("move {} could not be planned", travel.moves() + 1)));
                }
            }

            let to = plan[next];
            let Some(direction) = direction(&offsets, grid.moves()[at as usize], at, to) else {
                if knows_all || direction(&offsets, model.moves()[at as usize], at, to).is_none() {
                    break (Status::Illegal, Some(format!("move {} leads where no move leads", travel.moves() + 1)));
                }
                // A sensor too short to show what is in the way: the agent runs into it, knows it now, and plans anew.
                discovered.clear();
                model.sense(grid, Sensor::Square(1), at, discovered);
                agent.discovered(discovered);
                next = plan.len();
                continue;
            };
            next += 1;
            at = to;
            if direction & 1 == 0 {
                travel.cardinal += 1
            } else {
                travel.diagonal += 1
            }
            travelled = travel.units();
            first.get_or_insert(pending.effort);
            if clock.is_some() {
                times.push(pending.ns);
            }
            if let Some(trace) = &mut trace {
                trace.states.push(at);
                trace.planning.push(pending);
            }
            pending = Planning::default();
            if !knows_all {
                discovered.clear();
                model.sense(grid, sensor, at, discovered);
                if !discovered.is_empty() {
                    agent.discovered(discovered);
                    if is_blocked(model.moves(), &offsets, at, &plan[next..]) {
                        next = plan.len();
                    }
                }
            }
        };
        // What was planned for a move that was never made was planned all the same.
        if status != Status::Solved {
            first.get_or_insert(pending.effort);
            if clock.is_some() {
                times.push(pending.ns);
            }
            if let Some(trace) = &mut trace {
                trace.planning.push(pending);
            }
        }

        Some(Trial {
            status,
            reason,
            travel,
            effort,
            first: first.unwrap_or_default(),
            worst,
            worst_move,
            time_ns: begun.elapsed().as_nanos() as u64,
            times: clock.map(|_| move_times(times)),
            learning: memory.learned.learning(),
        })
    }
}

/// The direction of the legal move from one cell to another.
#[inline(always)]
fn direction(offsets: &[i32; 8], moves: u8, from: State, to: State) -> Option<u32> {
    let step = to.wrapping_sub(from) as i32;
    let alike = offsets.iter().enumerate().fold(0u8, |found, (i, offset)| found | ((*offset == step) as u8) << i);
    let legal = alike & moves;
    (legal != 0).then(|| legal.trailing_zeros())
}

/// Whether a way has a move that is not legal any more.
fn is_blocked(moves: &[u8], offsets: &[i32; 8], from: State, way: &[State]) -> bool {
    let mut at = from;
    way.iter().any(|&to| {
        let legal = direction(offsets, moves[at as usize], at, to).is_some();
        at = to;
        !legal
    })
}

/// Worst move and quantiles; reorders `times`.
fn move_times(times: &mut [u64]) -> MoveTimes {
    let Some(&first_ns) = times.first() else { return MoveTimes::default() };
    let mut quantile = |share: f64| {
        let rank = (share * times.len() as f64).ceil() as usize;
        *times.select_nth_unstable(rank.clamp(1, times.len()) - 1).1
    };
    MoveTimes { first_ns, p99_ns: quantile(0.99), p999_ns: quantile(0.999), max_ns: quantile(1.0) }
}
