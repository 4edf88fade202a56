//! The run of an agent on a problem: one trial, or trials until one passes without learning or discovery.
//!
//! Convergence (graph-abstraction-2007, Section 2): between trials only the agent's position is reset. Cost and
//! first-move planning are those of the final trial; travel, planning and memory are totals over all trials.

use super::model::{Found, Model};
use super::sensor::Sensor;
use super::status::{End, Status};
use super::timing::{Stopwatch, Timing};
use super::trace::Trace;
use super::trial::{Setting, TooSlow, Trial};
use super::visits::Visits;
use crate::agent::{Agent, Memory, Needs};
use crate::cost::Length;
use crate::graph::State;
use crate::histogram::{Count, Histogram};
use crate::problems::Problem;
use crate::search::learned::Learning;
use crate::search::table::bytes;
use crate::system::usage;
use std::time::{Duration, Instant};

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

/// The outcome of an agent's run over all its trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Totals over all trials; status and first-move planning are those of the final trial.
    pub total: Trial,
    /// The length of the final trial's path.
    pub cost: Length,
    /// The number of trials.
    pub trials: u32,
    /// The planned moves of all trials by states expanded.
    pub expanded: Vec<Count>,
    /// Times of planned moves, in timed runs.
    pub timing: Option<Timing>,
    /// Statistics of what the agent learned.
    pub learning: Learning,
    /// The bytes in use by the agent: the sum over its tables and its plan of each one's peak in all trials. `None` if
    /// the agent is a plug-in that does not report them.
    pub memory_bytes: Option<u64>,
    /// See [`Agent::unexpanded_moves`].
    pub unexpanded_moves: Option<u64>,
    /// Each trial; empty for [`Trials::Once`].
    pub each: Vec<Trial>,
}

/// The world of one worker, reused for all its problems.
#[derive(Default)]
pub struct World {
    pub(super) model: Model,
    pub(super) plan: Vec<State>,
    /// The maximum number of moves of a plan of the current problem.
    pub(super) longest_plan: usize,
    pub(super) visits: Visits,
    pub(super) discovered: Found,
    pub(super) histogram: Histogram,
    pub(super) stopwatch: Stopwatch,
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
        world.longest_plan = 0;

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
        // The first move of a plan is made at once; only the others are stored.
        let plan = bytes::<State>(world.longest_plan.saturating_sub(1));
        let memory_bytes = self.peak_bytes().map(|own| own + memory.peak_bytes() + plan);
        self.end_problem();
        let expanded = world.histogram.take(total.worst.expanded);
        Some(Outcome {
            total,
            cost,
            trials,
            expanded,
            timing: None,
            learning: memory.learning(),
            memory_bytes,
            unexpanded_moves: self.unexpanded_moves(),
            each,
        })
    }
}

#[cfg(test)]
impl Outcome {
    /// The same outcome without measured times, which differ between runs.
    pub(crate) fn without_times(mut self) -> Outcome {
        self.timing = None;
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
        self.visited.add(next.visited);
    }
}

/// The time on a core for repetitions of one problem. Long trials are repeated less often, but at least twice: only
/// repeated moves are watched.
const BUDGET: Duration = Duration::from_secs(2);

/// Short trials are repeated more often, for at least this long, so that one bad moment does not affect all
/// repetitions.
const MIN_DURATION: Duration = Duration::from_millis(20);

/// The time that the current thread was on a core or, if the system does not measure it, since `started`.
fn time_on_core(started: Instant) -> Duration {
    usage().cpu_ns.map_or_else(|| started.elapsed(), Duration::from_nanos)
}

/// The maximum number of repetitions, in multiples of those that were asked for.
const MAX_REPEATS: u32 = 4;

/// Runs an agent on a problem as [`Runner::run`] does, and times its moves in `repeats` repetitions: fewer if they take
/// long, more if they are short or if moves were disturbed. The time limit applies to the minimum over the repetitions.
pub fn run_timed(
    agent: &mut dyn Runner,
    world: &mut World,
    memory: &mut Memory,
    problem: Problem,
    setting: Setting<'_>,
    repeats: u32,
) -> Option<Outcome> {
    let ties = std::mem::take(&mut memory.ties);
    world.stopwatch.begin();
    // The first move is planned on new tables, which were never touched before.
    *memory = Memory { ties: ties.clone(), ..Memory::default() };
    let too_slow = Some(TooSlow { number: 1, ns: 0, limit_ns: 0 });
    let first_move = Setting { too_slow, trials: Trials::Once, ..setting };
    let cold_first_ns = agent.run(world, memory, problem, first_move, None)?.total.first.ns;
    // The first complete run is not timed. It counts as untimed runs do, and it touches all tables.
    memory.ties = ties.clone();
    let untimed = Setting { clock: None, ..setting };
    let mut outcome = agent.run(world, memory, problem, untimed, None)?;
    let started = Instant::now();
    let before = time_on_core(started);
    let max_repeats = if repeats == 1 { 1 } else { MAX_REPEATS * repeats };
    for number in 1..=max_repeats {
        memory.ties = ties.clone();
        world.stopwatch.begin_repetition();
        let repeated = agent.run(world, memory, problem, setting, None)?;
        if number == 1 && !repeated.is_same_run(&outcome) {
            // A plug-in that is not deterministic: its record is that of the only repetition.
            outcome = repeated;
            world.stopwatch.end_repetition();
            break;
        }
        if !repeated.is_same_run(&outcome) || !world.stopwatch.end_repetition() {
            break;
        }
        outcome.total.time_ns = outcome.total.time_ns.min(repeated.total.time_ns);
        let elapsed = time_on_core(started) - before;
        let is_enough = number >= repeats && elapsed >= MIN_DURATION && world.stopwatch.is_settled();
        if is_enough || (number >= 2 && elapsed / number * (number + 1) > BUDGET) {
            break;
        }
    }
    let too_slow = setting.limits.time_limit_ns.and_then(|limit_ns| world.stopwatch.too_slow(limit_ns));
    if too_slow.is_some() {
        memory.ties = ties;
        outcome = agent.run(world, memory, problem, Setting { too_slow, ..untimed }, None)?;
    }
    let timing = world.stopwatch.timing(cold_first_ns, too_slow);
    outcome.total.first.ns = timing.first_ns;
    outcome.timing = Some(timing);
    Some(outcome)
}

/// Runs an agent on a problem once, and traces and times that run.
pub fn run_traced(
    agent: &mut dyn Runner,
    world: &mut World,
    memory: &mut Memory,
    problem: Problem,
    mut setting: Setting<'_>,
    trace: &mut Trace,
) -> Option<Outcome> {
    if setting.limits.time_limit_ns.is_some() {
        let ties = memory.ties.clone();
        run_timed(agent, world, memory, problem, setting, 1)?;
        setting.too_slow = setting.limits.time_limit_ns.and_then(|limit_ns| world.stopwatch.too_slow(limit_ns));
        memory.ties = ties;
    }
    world.stopwatch.begin();
    let mut outcome = agent.run(world, memory, problem, setting, Some(trace))?;
    world.stopwatch.end_repetition();
    outcome.timing = Some(world.stopwatch.timing(outcome.total.first.ns, None));
    Some(outcome)
}

impl Outcome {
    /// The visits of all trials, divided by the states that each of them visited.
    pub fn visits_per_state(&self) -> f64 {
        // The start of each trial is a visit, too.
        let visits = self.total.travel.moves() + u64::from(self.trials);
        visits as f64 / self.total.visited.states as f64
    }

    /// Whether another run did the same, as far as counters can tell.
    fn is_same_run(&self, other: &Outcome) -> bool {
        let counts = |outcome: &Outcome| (outcome.total.travel, outcome.total.effort, outcome.total.episodes);
        counts(self) == counts(other) && self.trials == other.trials
    }
}
