//! Agents × problems over worker threads.
//!
//! A task is one agent on some problems of one grid. Workers take tasks in order, each with its own scratch memory, and
//! return the records of each finished task. Records depend only on agent, problem and settings, so they are the same
//! on any number of threads.

pub mod collect;
pub mod hierarchies;

use crate::abstraction::Variant;
use crate::agent::{Memory, Needs};
use crate::agents::spec::Spec;
use crate::clock::Clock;
use crate::cost::Length;
use crate::graph::State;
use crate::grid::{Geometry, Grid, Order};
use crate::pdb::{Database, Key};
use crate::plugins::heartbeat::Heartbeat;
use crate::plugins::{Plugin, PluginAgent};
use crate::problems::Problem;
use crate::rng;
use crate::search::ties::Ties;
use crate::system;
use crate::workers::{self, Progress, Workers};
use crate::world::runs::{Outcome, Runner, Trials, World, run_timed, run_traced};
use crate::world::sensor::Sensor;
use crate::world::trace::Trace;
use crate::world::trial::{Limits, Setting};
use hierarchies::{BuiltHierarchy, HierarchyCache};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The version of the records. It changes when the same agent, problem and settings produce another record, except for
/// measured times. Records of different versions are never combined. `tests/test_golden.py` checks it.
pub const RECORDS_VERSION: u32 = 3;

/// A problem on one of a batch's grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The number of the grid.
    pub grid: u32,
    /// Its place in its scenario, which is part of its identity.
    pub ordinal: u64,
    /// The problem.
    pub problem: Problem,
}

/// One agent on some problems of one grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The number of the agent.
    pub agent: u32,
    /// The numbers of the problems.
    pub problems: Vec<u32>,
}

/// Settings of every trial of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The sensor of all agents.
    pub sensor: Sensor,
    /// Limits of each trial.
    pub limits: Limits,
    /// Whether agents run once or until they have nothing left to learn.
    pub trials: Trials,
    /// Whether the time of each move is measured.
    pub timed: bool,
    /// How often a timed trial is repeated, so that the time of a move is the minimum over all repetitions.
    pub repeats: u32,
    /// The seed of everything random.
    pub seed: u64,
}

/// The result of one agent on one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The number of the agent.
    pub agent: u32,
    /// The number of the problem.
    pub problem: u32,
    /// The problem's optimal length.
    pub optimal: Length,
    /// The outcome of the run.
    pub outcome: Outcome,
    /// The preparation of the map before the first problem.
    pub build: Build,
}

/// The cost of an agent's preparations on a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The time, in nanoseconds.
    pub ns: u64,
    /// The memory.
    pub bytes: u64,
}

/// The reason why an agent cannot run on a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Incompatibility {
    #[error("level {level} of {agent} is above the top of the map's hierarchy, which is {top}; use {top} or lower")]
    Level { agent: String, level: usize, top: usize },
    #[error("{agent} needs a pattern database of this map ({key}); build it with `permove pdb build`")]
    Database { agent: String, key: Key },
    #[error("{agent} needs a pattern database, which describes the complete map; use sensor=all")]
    Sensor { agent: String },
}

/// The error for an agent that cannot run on a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Incompatible {
    /// The number of the map.
    pub grid: u32,
    /// The reason.
    pub reason: Incompatibility,
}

impl Incompatible {
    /// Checks that the highest level that an agent uses exists in the hierarchy of a map.
    fn check_level(agent: &Spec, level: usize, grid: u32, built: &BuiltHierarchy) -> Result<(), Incompatible> {
        let top = built.hierarchy.top();
        if level <= top {
            return Ok(());
        }
        Err(Incompatible { grid, reason: Incompatibility::Level { agent: agent.canonical(), level, top } })
    }
}

/// The pattern databases available to agents.
#[derive(Clone, Default)]
pub struct DatabaseSet(Vec<Arc<Database>>);

impl DatabaseSet {
    /// A set of these databases.
    pub fn new(databases: Vec<Arc<Database>>) -> DatabaseSet {
        DatabaseSet(databases)
    }

    /// The databases that an agent needs on a map.
    fn find(
        &self,
        agent: &PreparedAgent,
        grid: u32,
        fingerprint: u128,
        sensor: Sensor,
    ) -> Result<Vec<Arc<Database>>, Incompatible> {
        let keys = agent.runner.needs().databases;
        let canonical = || agent.canonical.clone();
        if !keys.is_empty() && sensor != Sensor::All {
            return Err(Incompatible { grid, reason: Incompatibility::Sensor { agent: canonical() } });
        }
        let find = |key: Key| {
            let wanted = |database: &&Arc<Database>| {
                let facts = database.facts();
                (facts.key, facts.fingerprint) == (key, fingerprint)
            };
            let missing = || Incompatible { grid, reason: Incompatibility::Database { agent: canonical(), key } };
            self.0.iter().find(wanted).cloned().ok_or_else(missing)
        };
        keys.into_iter().map(find).collect()
    }
}

/// An agent that is ready to run.
pub struct PreparedAgent {
    /// Its identity.
    canonical: String,
    /// The order in which successors are visited.
    order: Order,
    /// Whether it breaks ties at random.
    random: bool,
    /// Added to the seed of random ties.
    replica: u32,
    runner: Box<dyn Runner>,
}

impl PreparedAgent {
    /// An agent of the catalogue.
    fn new(spec: &Spec) -> PreparedAgent {
        let (order, random) = spec.order();
        PreparedAgent { canonical: spec.canonical(), order, random, replica: spec.replica, runner: spec.build() }
    }

    /// A plug-in, which visits successors clockwise, starting with the direction `first`.
    pub fn plugin(canonical: String, first: u8, agent: PluginAgent<impl Plugin + 'static>) -> PreparedAgent {
        PreparedAgent { canonical, order: first.into(), random: true, replica: 0, runner: Box::new(agent) }
    }
}

/// The input of a batch.
#[allow(missing_docs)]
pub struct Experiment {
    pub grids: Vec<Arc<Grid>>,
    pub problems: Vec<Placed>,
    pub agents: Vec<Spec>,
    pub databases: DatabaseSet,
    pub tasks: Vec<Task>,
    pub settings: Settings,
}

impl Experiment {
    /// The grid of a task's problems; `None` if it has no problems.
    fn grid_of(&self, task: &Task) -> Option<u32> {
        Some(self.problems[*task.problems.first()? as usize].grid)
    }

    fn check_numbers(&self) {
        for task in &self.tasks {
            assert!((task.agent as usize) < self.agents.len(), "the agent of a task exists");
            let grids = || task.problems.iter().map(|number| self.problems[*number as usize].grid);
            assert!(grids().all(|grid| Some(grid) == self.grid_of(task)), "a task has one grid");
            assert!(grids().all(|grid| (grid as usize) < self.grids.len()), "the grid of a task exists");
        }
    }
}

/// The trials in progress, one per worker. Values are read while workers write them, so they may be out of date for a
/// moment.
pub struct Running {
    epoch: Instant,
    workers: Vec<Current>,
    next_worker: AtomicUsize,
}

/// The trial of one worker.
#[derive(Default)]
struct Current {
    /// The number of the agent in the upper half, and that of the problem in the lower half.
    pair: AtomicU64,
    /// Its start in nanoseconds since the epoch; 0 if there is none.
    started: AtomicU64,
}

impl Running {
    fn new(workers: usize) -> Running {
        let workers = (0..workers).map(|_| Current::default()).collect();
        Running { epoch: Instant::now(), workers, next_worker: AtomicUsize::new(0) }
    }

    /// The place and the entry of a worker that starts.
    fn worker(&self) -> (usize, &Current) {
        let place = self.next_worker.fetch_add(1, Ordering::Relaxed);
        (place, &self.workers[place])
    }

    fn begin(&self, current: &Current, agent: u32, problem: u32) {
        current.pair.store(u64::from(agent) << 32 | u64::from(problem), Ordering::Relaxed);
        current.started.store(self.epoch.elapsed().as_nanos().max(1) as u64, Ordering::Relaxed);
    }

    /// Agent, problem and duration of each trial in progress.
    pub fn trials(&self) -> impl Iterator<Item = (u32, u32, Duration)> {
        let now = self.epoch.elapsed();
        let trial = move |Current { pair, started }: &Current| {
            let (pair, started) = (pair.load(Ordering::Relaxed), started.load(Ordering::Relaxed));
            (started > 0).then(|| ((pair >> 32) as u32, pair as u32, now.saturating_sub(Duration::from_nanos(started))))
        };
        self.workers.iter().filter_map(trial)
    }
}

/// Data shared by all workers.
struct Work {
    experiment: Experiment,
    fingerprints: Vec<u128>,
    hierarchies: Vec<HierarchyCache>,
    clock: Option<Clock>,
    next_task: AtomicUsize,
    progress: Arc<Progress>,
    running: Arc<Running>,
}

/// Memory that a worker reuses for all its trials.
#[derive(Default)]
pub struct Worker {
    world: World,
    memory: Memory,
}

/// A grid with data derived from it.
#[derive(Clone, Copy)]
struct GridData<'a> {
    grid: &'a Grid,
    fingerprint: u128,
    hierarchies: &'a HierarchyCache,
}

impl<'a> GridData<'a> {
    fn new(grid: &'a Grid, hierarchies: &'a HierarchyCache) -> GridData<'a> {
        GridData { grid, fingerprint: grid.fingerprint(), hierarchies }
    }
}

/// One agent on one grid, ready to run problems.
struct Pairing<'a> {
    grid: GridData<'a>,
    geometry: Geometry,
    hierarchy: Option<BuiltHierarchy>,
    databases: Vec<Arc<Database>>,
    agent: PreparedAgent,
    build: Build,
    settings: Settings,
    clock: Option<Clock>,
    cancelled: &'a AtomicBool,
}

impl<'a> Pairing<'a> {
    fn new(
        grid: GridData<'a>,
        agent: PreparedAgent,
        databases: &DatabaseSet,
        settings: Settings,
        clock: Option<Clock>,
        cancelled: &'a AtomicBool,
    ) -> Result<Pairing<'a>, Incompatible> {
        let sensor = settings.sensor;
        let needs = agent.runner.needs();
        let hierarchy = needs.level.map(|_| grid.hierarchies.get(grid.grid, needs.variant, sensor).clone());
        let databases = databases.find(&agent, 0, grid.fingerprint, sensor)?;
        let cost = |built: &BuiltHierarchy| Build { ns: built.build_ns, bytes: built.hierarchy.bytes() as u64 };
        let mut build = hierarchy.as_ref().map(cost).unwrap_or_default();
        for database in &databases {
            build.ns += database.facts().build_ns;
            build.bytes += database.bytes();
        }
        let geometry = grid.grid.geometry(agent.order);
        Ok(Pairing { grid, geometry, hierarchy, databases, agent, build, settings, clock, cancelled })
    }

    /// Runs one problem; `None` if the run was cancelled. `agent` and `number` identify the record.
    fn run(
        &mut self,
        worker: &mut Worker,
        agent: u32,
        number: u32,
        placed: Placed,
        trace: Option<&mut Trace>,
    ) -> Option<Record> {
        let Placed { ordinal, problem, .. } = placed;
        let settings = self.settings;
        worker.memory.ties = if self.agent.random {
            let cells = [problem.start, problem.goal].map(State::to_le_bytes).concat();
            let fingerprint = self.grid.fingerprint.to_le_bytes();
            let identity: [&[u8]; 4] = [self.agent.canonical.as_bytes(), &fingerprint, &cells, &ordinal.to_le_bytes()];
            let seed = settings.seed.wrapping_add(self.agent.replica.into());
            Ties::Random(rng::stream(seed, &identity))
        } else {
            Ties::First
        };
        let setting = Setting {
            grid: self.grid.grid,
            geometry: &self.geometry,
            sensor: settings.sensor,
            hierarchy: self.hierarchy.as_ref().map(|built| &built.hierarchy),
            databases: &self.databases,
            limits: settings.limits,
            trials: settings.trials,
            clock: self.clock,
            too_slow: None,
            cancelled: self.cancelled,
        };
        let (runner, Worker { world, memory }) = (&mut *self.agent.runner, worker);
        let outcome = match trace {
            Some(trace) => run_traced(runner, world, memory, problem, setting, trace),
            None if settings.timed => run_timed(runner, world, memory, problem, setting, settings.repeats),
            None => runner.run(world, memory, problem, setting, None),
        }?;
        Some(Record { agent, problem: number, optimal: problem.optimal, outcome, build: self.build })
    }
}

impl Work {
    /// Checks that the databases that the tasks need are available.
    fn check_databases(&self) -> Result<(), Incompatible> {
        let Experiment { agents, tasks, databases, settings, .. } = &self.experiment;
        let prepared: Vec<_> = agents.iter().map(PreparedAgent::new).collect();
        let pairs = tasks.iter().filter_map(|task| Some((self.experiment.grid_of(task)?, task.agent)));
        for (grid, agent) in BTreeSet::from_iter(pairs) {
            databases.find(&prepared[agent as usize], grid, self.fingerprints[grid as usize], settings.sensor)?;
        }
        Ok(())
    }

    /// Builds the hierarchies that the tasks need, and rejects the first map that has too few levels.
    fn check_levels(&self, jobs: usize) -> Result<(), Incompatible> {
        let Experiment { grids, agents, tasks, settings, .. } = &self.experiment;
        let needs: Vec<Needs> = agents.iter().map(Spec::needs).collect();
        // The highest level used of each hierarchy, and the agent that uses it.
        let mut demands: BTreeMap<(u32, Variant), (usize, u32)> = BTreeMap::new();
        for task in tasks {
            let Needs { level, variant, .. } = needs[task.agent as usize];
            if let (Some(level), Some(grid)) = (level, self.experiment.grid_of(task)) {
                let demand = demands.entry((grid, variant)).or_default();
                *demand = (*demand).max((level, task.agent));
            }
        }
        let (demands, next) = (Vec::from_iter(demands), AtomicUsize::new(0));
        let check = || {
            let mut found = None;
            while let Some(&((grid, variant), (level, agent))) = demands.get(next.fetch_add(1, Ordering::Relaxed)) {
                let built = self.hierarchies[grid as usize].get(&grids[grid as usize], variant, settings.sensor);
                let checked = Incompatible::check_level(&agents[agent as usize], level, grid, built);
                found = found.or(checked.err());
            }
            found
        };
        let found = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs.min(demands.len())).map(|_| scope.spawn(check)).collect();
            let found = threads.into_iter().filter_map(|thread| thread.join().expect("checks do not panic"));
            found.min_by_key(|incompatible| incompatible.grid)
        });
        found.map_or(Ok(()), Err)
    }

    fn run(&self, worker: &mut Worker, task: &Task, current: &Current) -> Vec<Record> {
        let Experiment { grids, problems, agents, databases, settings, .. } = &self.experiment;
        let Some(grid) = self.experiment.grid_of(task).map(|grid| grid as usize) else { return Vec::new() };
        let data =
            GridData { grid: &grids[grid], fingerprint: self.fingerprints[grid], hierarchies: &self.hierarchies[grid] };
        let agent = PreparedAgent::new(&agents[task.agent as usize]);
        let mut pairing = Pairing::new(data, agent, databases, *settings, self.clock, self.progress.cancelled())
            .expect("databases were checked before");
        let mut records = Vec::with_capacity(task.problems.len());
        for &number in &task.problems {
            self.running.begin(current, task.agent, number);
            let Some(record) = pairing.run(worker, task.agent, number, problems[number as usize], None) else { break };
            records.push(record);
            self.progress.advance();
        }
        current.started.store(0, Ordering::Relaxed);
        records
    }
}

/// Runs a single problem, timed and traced. Only the last trial is traced.
pub fn solve(
    grid: &Grid,
    agent: &Spec,
    databases: &DatabaseSet,
    placed: Placed,
    settings: Settings,
) -> Result<(Record, Trace), Incompatible> {
    let (never, hierarchies) = (AtomicBool::new(false), HierarchyCache::default());
    let (data, prepared) = (GridData::new(grid, &hierarchies), PreparedAgent::new(agent));
    let mut pairing = Pairing::new(data, prepared, databases, settings, Some(Clock::calibrated()), &never)?;
    if let (Some(level), Some(built)) = (pairing.agent.runner.needs().level, &pairing.hierarchy) {
        Incompatible::check_level(agent, level, 0, built)?;
    }
    let mut trace = Trace::default();
    let record = pairing.run(&mut Worker::default(), 0, 0, placed, Some(&mut trace));
    Ok((record.expect("it is never cancelled"), trace))
}

/// A plug-in's agent on one grid, run in the current thread.
pub struct PluginRun<'a> {
    /// The grid.
    pub grid: &'a Grid,
    /// The agent.
    pub agent: PreparedAgent,
    /// Settings of every trial.
    pub settings: Settings,
    /// Shows the number of the current problem.
    pub heartbeat: &'a Heartbeat,
}

impl PluginRun<'_> {
    /// Runs numbered problems until `timeout` has passed, but at least one. Records contain these numbers. `trace`
    /// receives the trace of the last problem.
    pub fn run(
        self,
        problems: &[(u32, Placed)],
        timeout: Duration,
        worker: &mut Worker,
        mut trace: Option<&mut Trace>,
    ) -> Vec<Record> {
        let PluginRun { grid, agent, settings, heartbeat } = self;
        let (never, hierarchies, started) = (AtomicBool::new(false), HierarchyCache::default(), Instant::now());
        let (data, databases) = (GridData::new(grid, &hierarchies), DatabaseSet::default());
        let clock = settings.timed.then(Clock::calibrated);
        if clock.is_some() {
            system::map_large_blocks();
            system::pin(None);
        }
        let mut pairing =
            Pairing::new(data, agent, &databases, settings, clock, &never).expect("plug-ins need no databases");
        let mut records = Vec::new();
        for &(number, placed) in problems {
            heartbeat.problem(number.into());
            let record = pairing.run(worker, 0, number, placed, trace.as_deref_mut());
            records.push(record.expect("it is never cancelled"));
            heartbeat.rest();
            if started.elapsed() >= timeout {
                break;
            }
        }
        records
    }
}

/// A batch in progress.
pub struct Batch {
    workers: Workers<Vec<Record>>,
    running: Arc<Running>,
}

impl Batch {
    /// Starts `jobs` workers, or one per core if `jobs` is 0. Fails if an agent cannot run on the map of one of its
    /// tasks.
    ///
    /// # Panics
    /// If a task refers to an agent, problem or grid that does not exist, or to problems of several grids.
    pub fn start(experiment: Experiment, jobs: usize) -> Result<Batch, Incompatible> {
        experiment.check_numbers();
        let jobs = workers::threads(jobs);
        let count = jobs.min(experiment.tasks.len());
        let running = Arc::new(Running::new(count));
        let work = Arc::new(Work {
            fingerprints: experiment.grids.iter().map(|grid| grid.fingerprint()).collect(),
            hierarchies: HierarchyCache::of(&experiment.grids),
            clock: experiment.settings.timed.then(Clock::calibrated),
            next_task: AtomicUsize::new(0),
            progress: Arc::default(),
            running: Arc::clone(&running),
            experiment,
        });
        work.check_databases()?;
        work.check_levels(jobs)?;
        let progress = Arc::clone(&work.progress);
        let workers = Workers::start(count, progress, move |sender| {
            let (mut worker, (place, current)) = (Worker::default(), work.running.worker());
            if work.clock.is_some() {
                system::map_large_blocks();
                system::pin((count > 1).then_some(place));
            }
            while !work.progress.is_cancelled() {
                let next = work.next_task.fetch_add(1, Ordering::Relaxed);
                let Some(task) = work.experiment.tasks.get(next) else { return };
                let _ = sender.send(work.run(&mut worker, task, current));
            }
        });
        Ok(Batch { workers, running })
    }

    /// Waits up to `timeout` for records and returns all available ones; `None` after the last ones.
    ///
    /// # Panics
    /// If a worker panicked, which no user input causes.
    pub fn next(&mut self, timeout: Duration) -> Option<Vec<Record>> {
        self.workers.next(timeout).map(|records| records.concat())
    }

    /// The progress in problems, a handle for other threads. Records finished before a cancellation are still returned.
    pub fn progress(&self) -> &Arc<Progress> {
        self.workers.progress()
    }

    /// A handle for other threads on the trials in progress.
    pub fn running(&self) -> &Arc<Running> {
        &self.running
    }
}
