//! Agents × problems over worker threads.
//!
//! A task is one agent on some problems of one grid. Workers take tasks in order, each with its own scratch memory, and
//! return the records of each finished task. Records depend only on agent, problem and settings, so they are the same on
//! any number of threads.

pub mod collect;
pub mod hierarchies;

use crate::agent::Memory;
use crate::agents::spec::Spec;
use crate::clock::Clock;
use crate::cost::Length;
use crate::graph::State;
use crate::grid::{Geometry, Grid};
use crate::pdb::{Database, Key};
use crate::plugins::heartbeat::Heartbeat;
use crate::plugins::{Plugin, PluginAgent};
use crate::problems::Problem;
use crate::rng;
use crate::search::ties::Ties;
use crate::workers::{self, Progress, Workers};
use crate::world::runs::{Outcome, Runner, Trials, World};
use crate::world::sensor::Sensor;
use crate::world::trace::Trace;
use crate::world::trial::{Limits, Setting};
use hierarchies::{BuiltHierarchy, HierarchyCache};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The version of the records. It changes whenever the same agent on the same problem with the same settings gives another
/// record, clocks aside; records of different versions are never combined. `tests/test_golden.py` checks it.
pub const RECORDS_VERSION: u32 = 1;

/// A problem on one of a batch's grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The number of the grid.
    pub grid: u32,
    /// Its ordinal in its scenario: part of its identity.
    pub ordinal: u64,
    /// Where to go.
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
    /// What agents see.
    pub sensor: Sensor,
    /// What bounds each trial.
    pub limits: Limits,
    /// Whether agents run once or until they have nothing left to learn.
    pub trials: Trials,
    /// Whether the time of each move is measured.
    pub timed: bool,
    /// The seed of everything random.
    pub seed: u64,
}

/// One agent on one problem.
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
    /// What was prepared on the map before any problem was given.
    pub build: Build,
}

/// What an agent's preparations on a map took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// In time.
    pub ns: u64,
    /// In memory.
    pub bytes: u64,
}

/// Why an agent cannot work on a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Obstacle {
    #[error("level {level} of {agent} is above the top of the map's hierarchy, which is {top}; use a level up to that")]
    Level { agent: String, level: usize, top: usize },
    #[error("{agent} needs a pattern database of {key} of this map; build it and hand it over")]
    Database { agent: String, key: Key },
    #[error("{agent} needs a pattern database, which is of the whole map; let it see all of it, with sensor=all")]
    Sensor { agent: String },
}

/// An agent that cannot work on a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{obstacle}")]
pub struct Unfit {
    /// The number of the map.
    pub grid: u32,
    /// Why not.
    pub obstacle: Obstacle,
}

impl Unfit {
    /// Finds out whether an agent can work on a map with this hierarchy.
    fn look((agent, level): (&Spec, usize), (grid, built): (u32, &BuiltHierarchy)) -> Result<(), Unfit> {
        let top = built.hierarchy.top();
        let obstacle = || Obstacle::Level { agent: agent.canonical(), level, top };
        if level > top { Err(Unfit { grid, obstacle: obstacle() }) } else { Ok(()) }
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

    /// The union of several sets.
    #[cfg(test)]
    pub(crate) fn all(sets: impl Iterator<Item = DatabaseSet>) -> DatabaseSet {
        DatabaseSet(sets.flat_map(|set| set.0).collect())
    }

    /// The databases that an agent needs on a map.
    fn find(&self, agent: &PreparedAgent, (grid, fingerprint): (u32, u128), sensor: Sensor) -> Found {
        let keys = agent.runner.databases();
        let canonical = || agent.canonical.clone();
        if !keys.is_empty() && sensor != Sensor::All {
            return Err(Unfit { grid, obstacle: Obstacle::Sensor { agent: canonical() } });
        }
        let find = |key: Key| {
            let is_it =
                |database: &&Arc<Database>| database.facts().key == key && database.facts().fingerprint == fingerprint;
            let missing = || Unfit { grid, obstacle: Obstacle::Database { agent: canonical(), key } };
            self.0.iter().find(is_it).cloned().ok_or_else(missing)
        };
        keys.into_iter().map(find).collect()
    }
}

type Found = Result<Vec<Arc<Database>>, Unfit>;

/// An agent that is ready to run.
pub struct PreparedAgent {
    /// Its identity.
    canonical: String,
    /// The direction from which successors are visited.
    first: u8,
    /// Whether it draws from a stream of its own.
    random: bool,
    runner: Box<dyn Runner>,
}

impl PreparedAgent {
    /// An agent of the catalogue.
    fn new(spec: &Spec) -> PreparedAgent {
        let (first, random) = spec.order();
        PreparedAgent { canonical: spec.canonical(), first, random, runner: spec.build() }
    }

    /// A plug-in, which visits successors clockwise, starting with the direction `first`.
    pub fn plugin(canonical: String, first: u8, agent: PluginAgent<impl Plugin + 'static>) -> PreparedAgent {
        PreparedAgent { canonical, first, random: true, runner: Box::new(agent) }
    }
}

/// Data shared by all workers.
struct Work {
    grids: Vec<Arc<Grid>>,
    fingerprints: Vec<u128>,
    caches: Vec<HierarchyCache>,
    databases: DatabaseSet,
    agents: Vec<Spec>,
    problems: Vec<Placed>,
    tasks: Vec<Task>,
    settings: Settings,
    clock: Option<Clock>,
    next_task: AtomicUsize,
    progress: Arc<Progress>,
}

/// Memory that a worker reuses for all its trials.
#[derive(Default)]
pub struct Worker {
    world: World,
    memory: Memory,
}

/// One agent on one grid, ready to run problems.
struct Pairing<'a> {
    grid: &'a Grid,
    fingerprint: u128,
    geometry: Geometry,
    hierarchy: Option<BuiltHierarchy>,
    databases: Vec<Arc<Database>>,
    agent: PreparedAgent,
    settings: Settings,
    clock: Option<Clock>,
    cancelled: &'a AtomicBool,
}

impl<'a> Pairing<'a> {
    fn new(
        (grid, fingerprint, cache): (&'a Grid, u128, &HierarchyCache),
        (agent, databases): (PreparedAgent, &DatabaseSet),
        (settings, clock): (Settings, Option<Clock>),
        cancelled: &'a AtomicBool,
    ) -> Result<Pairing<'a>, Unfit> {
        let hierarchy = agent.runner.highest_level().map(|_| cache.get(grid, settings.sensor).clone());
        let databases = databases.find(&agent, (0, fingerprint), settings.sensor)?;
        let geometry = grid.geometry(agent.first);
        Ok(Pairing { grid, fingerprint, geometry, hierarchy, databases, agent, settings, clock, cancelled })
    }

    fn build(&self) -> Build {
        let of = |built: &BuiltHierarchy| Build { ns: built.build_ns, bytes: built.hierarchy.bytes() as u64 };
        let mut build = self.hierarchy.as_ref().map(of).unwrap_or_default();
        for database in &self.databases {
            build.ns += database.facts().build_ns;
            build.bytes += database.bytes();
        }
        build
    }

    /// Runs one problem; `None` if the run was cancelled.
    fn run(&mut self, worker: &mut Worker, placed: Placed, trace: Option<&mut Trace>) -> Option<Outcome> {
        let Placed { ordinal, problem, .. } = placed;
        worker.memory.ties = if self.agent.random {
            let cells = [problem.start, problem.goal].map(State::to_le_bytes).concat();
            let identity: [&[u8]; 4] =
                [self.agent.canonical.as_bytes(), &self.fingerprint.to_le_bytes(), &cells, &ordinal.to_le_bytes()];
            Ties::Random(rng::stream(self.settings.seed, &identity))
        } else {
            Ties::First
        };
        let setting = Setting {
            grid: self.grid,
            geometry: &self.geometry,
            sensor: self.settings.sensor,
            hierarchy: self.hierarchy.as_ref().map(|built| &built.hierarchy),
            databases: &self.databases,
            limits: self.settings.limits,
            trials: self.settings.trials,
            clock: self.clock,
            cancelled: self.cancelled,
        };
        self.agent.runner.run(&mut worker.world, &mut worker.memory, problem, setting, trace)
    }
}

impl Work {
    /// Checks that the databases that the tasks need are available.
    fn look_after_databases(&self) -> Result<(), Unfit> {
        let prepared: Vec<_> = self.agents.iter().map(PreparedAgent::new).collect();
        let pairs = self.tasks.iter().filter_map(|task| {
            let grid = self.problems[*task.problems.first()? as usize].grid;
            Some((grid, task.agent))
        });
        for (grid, agent) in BTreeSet::from_iter(pairs) {
            self.databases.find(
                &prepared[agent as usize],
                (grid, self.fingerprints[grid as usize]),
                self.settings.sensor,
            )?;
        }
        Ok(())
    }

    /// Builds the hierarchies that the tasks need, and finds the first map that has too few levels for one of them.
    fn look_after_levels(&self, jobs: usize) -> Result<(), Unfit> {
        let levels: Vec<Option<usize>> = self.agents.iter().map(|agent| agent.build().highest_level()).collect();
        // The most demanding of the agents of each map.
        let mut demands: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
        for task in &self.tasks {
            if let (Some(level), Some(&first)) = (levels[task.agent as usize], task.problems.first()) {
                let demand = demands.entry(self.problems[first as usize].grid).or_default();
                *demand = (*demand).max((level, task.agent));
            }
        }
        let (demands, next) = (Vec::from_iter(demands), AtomicUsize::new(0));
        let look = || {
            let mut unfit = None;
            while let Some(&(grid, (level, agent))) = demands.get(next.fetch_add(1, Ordering::Relaxed)) {
                let hierarchy = self.caches[grid as usize].get(&self.grids[grid as usize], self.settings.sensor);
                unfit = unfit.or(Unfit::look((&self.agents[agent as usize], level), (grid, hierarchy)).err());
            }
            unfit
        };
        let found = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs.min(demands.len())).map(|_| scope.spawn(look)).collect();
            threads
                .into_iter()
                .filter_map(|thread| thread.join().expect("nobody panics"))
                .min_by_key(|unfit| unfit.grid)
        });
        found.map_or(Ok(()), Err)
    }

    fn run(&self, worker: &mut Worker, task: &Task) -> Vec<Record> {
        let mut records = Vec::with_capacity(task.problems.len());
        let Some(&first) = task.problems.first() else { return records };
        let grid = self.problems[first as usize].grid as usize;
        let mut pairing = Pairing::new(
            (&self.grids[grid], self.fingerprints[grid], &self.caches[grid]),
            (PreparedAgent::new(&self.agents[task.agent as usize]), &self.databases),
            (self.settings, self.clock),
            self.progress.cancelled(),
        )
        .expect("what it needs was looked for before");
        let build = pairing.build();
        for &number in &task.problems {
            let placed = self.problems[number as usize];
            let Some(outcome) = pairing.run(worker, placed, None) else { break };
            records.push(Record {
                agent: task.agent,
                problem: number,
                optimal: placed.problem.optimal,
                outcome,
                build,
            });
            self.progress.advance();
        }
        records
    }
}

/// Runs a single problem, timed and traced. Only the last trial is traced.
pub fn solve(
    grid: &Grid,
    (agent, databases): (&Spec, &DatabaseSet),
    placed: Placed,
    settings: Settings,
) -> Result<(Record, Trace), Unfit> {
    let (never, mut trace) = (AtomicBool::new(false), Trace::default());
    let context = (settings, Some(Clock::calibrated()));
    let cache = HierarchyCache::default();
    let mut pairing =
        Pairing::new((grid, grid.fingerprint(), &cache), (PreparedAgent::new(agent), databases), context, &never)?;
    if let (Some(level), Some(hierarchy)) = (pairing.agent.runner.highest_level(), &pairing.hierarchy) {
        Unfit::look((agent, level), (0, hierarchy))?;
    }
    let outcome = pairing.run(&mut Worker::default(), placed, Some(&mut trace)).expect("nobody abandons it");
    let build = pairing.build();
    Ok((Record { agent: 0, problem: 0, optimal: placed.problem.optimal, outcome, build }, trace))
}

/// Runs one agent on problems of one grid in this thread, until `timeout` has passed and on at least one problem. The
/// heartbeat shows the number of the current problem, which its record contains, too. Only the last problem is traced,
/// if a trace is given.
pub fn run_alone(
    (grid, problems): (&Grid, &[(u32, Placed)]),
    (agent, heartbeat): (PreparedAgent, &Heartbeat),
    (settings, timeout): (Settings, Duration),
    worker: &mut Worker,
    mut trace: Option<&mut Trace>,
) -> Vec<Record> {
    let (never, cache, begun) = (AtomicBool::new(false), HierarchyCache::default(), Instant::now());
    let context = (settings, settings.timed.then(Clock::calibrated));
    let databases = DatabaseSet::default();
    let mut pairing = Pairing::new((grid, grid.fingerprint(), &cache), (agent, &databases), context, &never)
        .expect("plug-ins need no databases");
    let mut records = Vec::new();
    for &(number, placed) in problems {
        heartbeat.problem(number.into());
        let outcome = pairing.run(worker, placed, trace.as_deref_mut()).expect("nobody abandons it");
        let build = Build::default();
        records.push(Record { agent: 0, problem: number, optimal: placed.problem.optimal, outcome, build });
        heartbeat.rest();
        if begun.elapsed() >= timeout {
            break;
        }
    }
    records
}

/// A batch in progress.
pub struct Batch(Workers<Vec<Record>>);

impl Batch {
    /// Starts `jobs` workers, or one per core if `jobs` is 0. Fails if an agent cannot work on the map of one of its tasks.
    ///
    /// # Panics
    /// If a task refers to an agent, problem or grid that does not exist, or to problems of several grids.
    pub fn start(
        grids: Vec<Arc<Grid>>,
        (agents, databases): (Vec<Spec>, DatabaseSet),
        problems: Vec<Placed>,
        tasks: Vec<Task>,
        settings: Settings,
        jobs: usize,
    ) -> Result<Batch, Unfit> {
        for task in &tasks {
            assert!((task.agent as usize) < agents.len(), "a task's agent is there");
            let grid_of = |number: &u32| problems[*number as usize].grid;
            assert!(task.problems.windows(2).all(|pair| grid_of(&pair[0]) == grid_of(&pair[1])), "one grid a task");
            assert!(task.problems.iter().all(|number| (grid_of(number) as usize) < grids.len()), "its grid is there");
        }
        let fingerprints = grids.iter().map(|grid| grid.fingerprint()).collect();
        let work = Arc::new(Work {
            caches: HierarchyCache::of(&grids),
            grids,
            fingerprints,
            databases,
            agents,
            problems,
            tasks,
            settings,
            clock: settings.timed.then(Clock::calibrated),
            next_task: AtomicUsize::new(0),
            progress: Arc::default(),
        });
        let jobs = workers::threads(jobs);
        work.look_after_databases()?;
        work.look_after_levels(jobs)?;
        let (count, progress) = (jobs.min(work.tasks.len()), Arc::clone(&work.progress));
        let workers = Workers::start(count, progress, move |sender| {
            let mut worker = Worker::default();
            while !work.progress.is_cancelled() {
                let Some(task) = work.tasks.get(work.next_task.fetch_add(1, Ordering::Relaxed)) else { return };
                let _ = sender.send(work.run(&mut worker, task));
            }
        });
        Ok(Batch(workers))
    }

    /// Waits up to `timeout` for records and returns all that are available; `None` after the last ones.
    ///
    /// # Panics
    /// If a worker panicked, which no user input causes.
    pub fn next(&mut self, timeout: Duration) -> Option<Vec<Record>> {
        self.0.next(timeout).map(|records| records.concat())
    }

    /// A handle for other threads on the batch's progress, counted in problems. Records that were finished before a
    /// cancellation are still returned.
    pub fn progress(&self) -> &Arc<Progress> {
        self.0.progress()
    }
}
