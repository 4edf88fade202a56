//! One trial: an agent moves from start to goal, planning in episodes, and all its planning is counted.
//!
//! A planning episode yields one or more moves. Its effort is charged to the first of them. An episode that exceeds the
//! cutoff is finished and counted; then the trial ends.

use super::ledger::Ledger;
pub use super::ledger::Planning;
use super::observed::{Observed, plan_on};
use super::runs::{Trials, World};
use super::sensor::Sensor;
use super::status::{End, Status};
use super::trace::Trace;
use super::visits::{Visited, Visits};
use crate::abstraction::Hierarchy;
use crate::agent::{Agent, Memory, SingleEpisode};
use crate::clock::Clock;
use crate::cost::Length;
use crate::graph::{Graph, State};
use crate::grid::components::Components;
use crate::grid::{Geometry, Grid, Terrain};
use crate::histogram::Histogram;
use crate::meter::{Effort, Meter};
use crate::pdb::Database;
use crate::problems::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A bounded lookahead cannot detect that the goal is unreachable. The trial checks this after this many moves per
/// cell, when the cost of the check is negligible.
const MOVES_PER_CELL: u64 = 8;

/// Limits of a trial.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The maximum number of states expanded for any single move.
    pub cutoff: Option<u64>,
    /// The maximum planning time of any single move in nanoseconds; only in timed runs.
    pub time_limit_ns: Option<u64>,
    /// The maximum travel over all trials, in multiples of the optimum.
    pub alpha: Option<f64>,
    /// Whether the maximum travel applies to each trial instead.
    pub cap_each_trial: bool,
}

impl Limits {
    /// The units of cost that may be travelled after `before` in earlier trials.
    fn max_travel(self, optimal: Length, before: Length) -> u64 {
        let max = self.alpha.map_or(u64::MAX, |alpha| (alpha * optimal.units() as f64) as u64);
        if self.cap_each_trial { max } else { max.saturating_sub(before.units()) }
    }
}

/// A move whose planning time exceeds the limit in every repetition of the trial, so that the trial stops there.
#[derive(Clone, Copy, Debug)]
pub struct TooSlow {
    /// The number of the move, counted from 1 since the first trial.
    pub number: u64,
    /// Its time in nanoseconds.
    pub ns: u64,
    /// The limit.
    pub limit_ns: u64,
}

/// The result of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its end.
    pub end: End,
    /// The distance that the agent travelled.
    pub travel: Length,
    /// The number of planning episodes.
    pub episodes: u64,
    /// All planning.
    pub effort: Effort,
    /// The planning of the first move.
    pub first: Planning,
    /// The maximum planning of any single move; expanded and touched separately.
    pub worst: Effort,
    /// The move with the most states expanded, counted from 1 since the first trial; 0 if there was none.
    pub worst_move: u64,
    /// The duration of the trial.
    pub time_ns: u64,
    /// The number of heuristic values that changed.
    pub changes: u64,
    /// The number of blocked cells that were discovered.
    pub discovered: u64,
    /// The visits to states. The start counts as a visit.
    pub visited: Visited,
}

impl Trial {
    /// The kind of its end.
    pub fn status(&self) -> Status {
        self.end.status()
    }

    /// A description of its end; `None` if it was solved.
    pub fn reason(&self) -> Option<String> {
        (self.end != End::Solved).then(|| self.end.to_string())
    }
}

/// The circumstances of a trial.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// The map's geometry, with successors in the order in which the agent breaks ties.
    pub geometry: &'a Geometry,
    /// The agent's sensor.
    pub sensor: Sensor,
    /// The hierarchy of the map, or of one without obstacles if the map is unknown; for agents that need it.
    pub hierarchy: Option<&'a Arc<Hierarchy>>,
    /// The pattern databases that the agent needs.
    pub databases: &'a [Arc<Database>],
    /// The limits of the trial.
    pub limits: Limits,
    /// Whether the agent runs once or until it has nothing left to learn.
    pub trials: Trials,
    /// The clock of timed trials.
    pub clock: Option<Clock>,
    /// Where a trial that is over the time limit stops.
    pub too_slow: Option<TooSlow>,
    /// Set to cancel the trial.
    pub cancelled: &'a AtomicBool,
}

/// The source of an agent's moves, which also observes them. The loop of a trial is compiled for each implementation,
/// so observers cost nothing if they are not used.
pub(super) trait MoveSource<A: Agent> {
    /// The next move of the current plan; `None` if the agent has to plan.
    fn planned(&mut self, at: State) -> Option<State>;

    /// The planned moves by states expanded.
    fn histogram(&mut self) -> &mut Histogram;

    /// Plans from `at`. Returns the planning of this episode, and its first move if it found one.
    fn plan(&mut self, agent: &mut A, memory: &mut Memory, at: State, goal: State) -> (Planning, Option<State>);

    /// Records that the agent has moved, and the planning of this move.
    #[inline(always)]
    fn moved(&mut self, _: &mut A, _: &mut Memory, _from: State, _to: State, _: Planning) {}

    /// Records that the agent has tried an illegal move. Returns whether its sensor had not shown the obstacle, so that
    /// it plans again.
    #[inline(always)]
    fn bumped(&mut self, _: &mut A, _: &mut Memory, _at: State, _to: State) -> bool {
        false
    }
}

/// The moves of an agent that knows the map. Agents that plan one move at a time plan it about as fast as a plan is
/// stored and read, so they use no plan.
struct KnownMap<'a, G> {
    graph: &'a G,
    plan: &'a mut Vec<State>,
    longest_plan: &'a mut usize,
    /// The place of the next move in the plan.
    next: usize,
    histogram: &'a mut Histogram,
}

impl<A: Agent, G: Graph> MoveSource<A> for KnownMap<'_, G> {
    #[inline(always)]
    fn histogram(&mut self) -> &mut Histogram {
        self.histogram
    }

    #[inline(always)]
    fn planned(&mut self, _at: State) -> Option<State> {
        if A::STEPS {
            return None;
        }
        let to = self.plan.get(self.next).copied();
        self.next += 1;
        to
    }

    #[inline(always)]
    fn plan(&mut self, agent: &mut A, memory: &mut Memory, at: State, goal: State) -> (Planning, Option<State>) {
        if A::STEPS {
            let mut meter = Meter::new(self.graph, None);
            let to = agent.single_move(SingleEpisode { meter: &mut meter, memory, at, goal });
            return (Planning { effort: meter.effort(), ns: 0 }, to);
        }
        self.plan.clear();
        self.next = 1;
        let planning = plan_on(self.graph, None, agent, memory, at, goal, self.plan);
        *self.longest_plan = self.plan.len().max(*self.longest_plan);
        (planning, self.plan.first().copied())
    }
}

impl World {
    /// Runs one trial of `agent` from start to goal, after it has travelled `before` in earlier trials; `None` if the
    /// trial was cancelled.
    pub(super) fn trial<A: Agent>(
        &mut self,
        agent: &mut A,
        memory: &mut Memory,
        problem: Problem,
        before: Length,
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Trial> {
        let (started, changes) = (Instant::now(), memory.learning().changes);
        agent.begin_trial();
        let mut visits = std::mem::take(&mut self.visits);
        visits.begin(setting.grid.shape().cells(), problem.start);
        let (end, ledger, discovered) = if setting.sensor == Sensor::All && setting.clock.is_none() && trace.is_none() {
            let (end, ledger) = self.on_known_map(agent, memory, problem, before, setting, &mut visits)?;
            (end, ledger, 0)
        } else {
            let mut observed = Observed::new(self, setting, trace, agent, memory, problem);
            let (end, ledger) = run(&mut observed, agent, memory, problem, before, setting, &mut visits)?;
            if end != End::Solved {
                observed.fail(ledger.pending);
            }
            (end, ledger, observed.discovered)
        };
        let visited = visits.visited();
        self.visits = visits;
        Some(Trial {
            end,
            travel: ledger.travel(),
            episodes: ledger.episodes,
            effort: ledger.effort,
            first: ledger.peaks.first,
            worst: ledger.peaks.worst,
            worst_move: ledger.peaks.worst_move,
            time_ns: started.elapsed().as_nanos() as u64,
            changes: memory.learning().changes - changes,
            discovered,
            visited,
        })
    }

    fn on_known_map<A: Agent>(
        &mut self,
        agent: &mut A,
        memory: &mut Memory,
        problem: Problem,
        before: Length,
        setting: Setting<'_>,
        visits: &mut Visits,
    ) -> Option<(End, Ledger)> {
        // A local copy, which the agent cannot modify, so that it is not loaded again after each move.
        let geometry = setting.geometry.clone();
        let terrain = Terrain::new(&geometry, setting.grid.moves());
        let World { plan, longest_plan, histogram, .. } = self;
        plan.clear();
        let next = 0;
        match terrain.without_diagonals() {
            Some(graph) => {
                let mut source = KnownMap { graph: &graph, plan, longest_plan, next, histogram };
                run(&mut source, agent, memory, problem, before, setting, visits)
            }
            None => {
                let mut source = KnownMap { graph: &terrain, plan, longest_plan, next, histogram };
                run(&mut source, agent, memory, problem, before, setting, visits)
            }
        }
    }
}

/// Plans and moves until the trial ends; `None` if it was cancelled.
#[inline(always)]
fn run<A: Agent>(
    source: &mut impl MoveSource<A>,
    agent: &mut A,
    memory: &mut Memory,
    Problem { start, goal, optimal }: Problem,
    before: Length,
    Setting { grid, limits, cancelled, too_slow, .. }: Setting<'_>,
    visits: &mut Visits,
) -> Option<(End, Ledger)> {
    let (steps, legal) = (grid.steps(), grid.moves());
    let max_travel = limits.max_travel(optimal, before);
    let cutoff = limits.cutoff.unwrap_or(u64::MAX);
    let slow_number = too_slow.map_or(u64::MAX, |slow| slow.number - before.moves());
    let checked_after = MOVES_PER_CELL * grid.shape().cells() as u64;
    let (mut at, mut ledger) = (start, Ledger::default());
    // A local copy, whose counts stay in registers.
    let mut local_visits = std::mem::take(visits);
    let end = loop {
        if at == goal {
            break End::Solved;
        }
        if ledger.travelled > max_travel {
            break End::TravelCap { alpha: limits.alpha.unwrap_or_default() };
        }
        if ledger.moves == checked_after && !Components::new(grid).connected(at, goal) {
            break End::Unreachable { moves: checked_after };
        }
        let to = match source.planned(at) {
            Some(to) => to,
            None => {
                if cancelled.load(Ordering::Relaxed) {
                    return None;
                }
                let number = ledger.moves + 1;
                agent.begin_episode(number);
                let (planning, to) = source.plan(agent, memory, at, goal);
                ledger.plan(planning, before.moves(), source.histogram());
                let Planning { effort: Effort { expanded, .. }, .. } = ledger.pending;
                if expanded > cutoff {
                    break End::Cutoff { number, expanded, cutoff };
                }
                if number == slow_number
                    && let Some(TooSlow { ns, limit_ns, .. }) = too_slow
                {
                    break End::TimeLimit { number, ns, limit_ns };
                }
                if let Some(failure) = agent.failure() {
                    break End::Failed { number, failure };
                }
                let Some(to) = to else { break End::NoMove { number } };
                to
            }
        };
        let Some(direction) = steps.direction(legal[at as usize], at, to) else {
            if source.bumped(agent, memory, at, to) {
                continue;
            }
            break End::illegal(grid, ledger.moves + 1, at, to);
        };
        let planning = ledger.advance(direction);
        source.moved(agent, memory, at, to, planning);
        local_visits.add(to);
        at = to;
    };
    *visits = local_visits;
    Some((end, ledger))
}
