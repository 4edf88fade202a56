//! Agents × problems over worker threads.
//!
//! A task is one agent on some problems of one grid. Workers take tasks in order, each with its own scratch memory, and
//! hand over what they finish task by task. Records depend on nothing but agent, problem and settings, so they are the
//! same on any number of threads.

use crate::abstraction::charts::{Chart, Charts};
use crate::agent::Memory;
use crate::agents::spec::Spec;
use crate::clock::Clock;
use crate::cost::Length;
use crate::foreign::beat::Beat;
use crate::foreign::{Foreign, Stranger};
use crate::graph::State;
use crate::grid::{Geometry, Grid};
use crate::pdb::{Database, Key};
use crate::problems::Problem;
use crate::rng;
use crate::search::ties::Ties;
use crate::workers::{self, Progress, Workers};
use crate::world::runs::Runner;
use crate::world::runs::{Outcome, Trials, World};
use crate::world::sensor::Sensor;
use crate::world::trial::{Limits, Setting, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

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

/// What holds for every trial of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What agents see.
    pub sensor: Sensor,
    /// What bounds each trial.
    pub limits: Limits,
    /// Whether agents walk once or until they have nothing left to learn.
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
    /// What happened.
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
    fn look((agent, level): (&Spec, usize), (grid, chart): (u32, &Chart)) -> Result<(), Unfit> {
        let top = chart.hierarchy.top();
        let obstacle = || Obstacle::Level { agent: agent.canonical(), level, top };
        if level > top { Err(Unfit { grid, obstacle: obstacle() }) } else { Ok(()) }
    }
}

/// The pattern databases that agents may ask for.
#[derive(Clone, Default)]
pub struct Shelf(Vec<Arc<Database>>);

impl Shelf {
    /// With these databases.
    pub fn new(databases: Vec<Arc<Database>>) -> Shelf {
        Shelf(databases)
    }

    /// With all that stand on others.
    #[cfg(test)]
    pub(crate) fn all(shelves: impl Iterator<Item = Shelf>) -> Shelf {
        Shelf(shelves.flat_map(|shelf| shelf.0).collect())
    }

    /// Those that an agent asks for on a map.
    fn find(&self, entrant: &Entrant, (grid, fingerprint): (u32, u128), sensor: Sensor) -> Found {
        let keys = entrant.runner.databases();
        let canonical = || entrant.canonical.clone();
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

/// An agent that is ready to walk.
pub struct Entrant {
    /// Its identity.
    canonical: String,
    /// The direction from which successors are visited.
    first: u8,
    /// Whether it draws from a stream of its own.
    random: bool,
    runner: Box<dyn Runner>,
}

impl Entrant {
    /// An agent of the catalogue.
    fn new(spec: &Spec) -> Entrant {
        let (first, random) = spec.order();
        Entrant { canonical: spec.canonical(), first, random, runner: spec.build() }
    }

    /// An agent from elsewhere, which visits successors clockwise from the direction `first` on.
    pub fn foreign(canonical: String, first: u8, agent: Foreign<impl Stranger + 'static>) -> Entrant {
        Entrant { canonical, first, random: true, runner: Box::new(agent) }
    }
}

/// Everything that workers share.
struct Work {
    grids: Vec<Arc<Grid>>,
    fingerprints: Vec<u128>,
    charts: Vec<Charts>,
    shelf: Shelf,
    agents: Vec<Spec>,
    problems: Vec<Placed>,
    tasks: Vec<Task>,
    settings: Settings,
    clock: Option<Clock>,
    next_task: AtomicUsize,
    progress: Arc<Progress>,
}

/// What a worker keeps from trial to trial.
#[derive(Default)]
pub struct Worker {
    world: World,
    memory: Memory,
}

/// One agent on one grid, ready for one problem after the other.
struct Pairing<'a> {
    grid: &'a Grid,
    fingerprint: u128,
    geometry: Geometry,
    chart: Option<Chart>,
    databases: Vec<Arc<Database>>,
    entrant: Entrant,
    settings: Settings,
    clock: Option<Clock>,
    cancelled: &'a AtomicBool,
}

impl<'a> Pairing<'a> {
    fn new(
        (grid, fingerprint, charts): (&'a Grid, u128, &Charts),
        (entrant, shelf): (Entrant, &Shelf),
        (settings, clock): (Settings, Option<Clock>),
        cancelled: &'a AtomicBool,
    ) -> Result<Pairing<'a>, Unfit> {
        let chart = entrant.runner.highest_level().map(|_| charts.chart(grid, settings.sensor).clone());
        let databases = shelf.find(&entrant, (0, fingerprint), settings.sensor)?;
        let geometry = grid.geometry(entrant.first);
        Ok(Pairing { grid, fingerprint, geometry, chart, databases, entrant, settings, clock, cancelled })
    }

    fn build(&self) -> Build {
        let of = |chart: &Chart| Build { ns: chart.build_ns, bytes: chart.hierarchy.bytes() as u64 };
        let mut build = self.chart.as_ref().map(of).unwrap_or_default();
        for database in &self.databases {
            build.ns += database.facts().build_ns;
            build.bytes += database.bytes();
        }
        build
    }

    /// One problem; none where it was abandoned.
    fn run(&mut self, worker: &mut Worker, placed: Placed, trace: Option<&mut Trace>) -> Option<Outcome> {
        let Placed { ordinal, problem, .. } = placed;
        worker.memory.ties = if self.entrant.random {
            let cells = [problem.start, problem.goal].map(State::to_le_bytes).concat();
            let identity: [&[u8]; 4] =
                [self.entrant.canonical.as_bytes(), &self.fingerprint.to_le_bytes(), &cells, &ordinal.to_le_bytes()];
            Ties::Random(rng::stream(self.settings.seed, &identity))
        } else {
            Ties::First
        };
        let setting = Setting {
            grid: self.grid,
            geometry: &self.geometry,
            sensor: self.settings.sensor,
            hierarchy: self.chart.as_ref().map(|chart| &chart.hierarchy),
            databases: &self.databases,
            limits: self.settings.limits,
            trials: self.settings.trials,
            clock: self.clock,
            cancelled: self.cancelled,
        };
        self.entrant.runner.run(&mut worker.world, &mut worker.memory, problem, setting, trace)
    }
}

impl Work {
    /// Finds out whether the databases that the tasks need are there.
    fn look_after_databases(&self) -> Result<(), Unfit> {
        let entrants: Vec<_> = self.agents.iter().map(Entrant::new).collect();
        let pairs = self.tasks.iter().filter_map(|task| {
            let grid = self.problems[*task.problems.first()? as usize].grid;
            Some((grid, task.agent))
        });
        for (grid, agent) in BTreeSet::from_iter(pairs) {
            self.shelf.find(
                &entrants[agent as usize],
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
                let chart = self.charts[grid as usize].chart(&self.grids[grid as usize], self.settings.sensor);
                unfit = unfit.or(Unfit::look((&self.agents[agent as usize], level), (grid, chart)).err());
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
            (&self.grids[grid], self.fingerprints[grid], &self.charts[grid]),
            (Entrant::new(&self.agents[task.agent as usize]), &self.shelf),
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

/// One problem on its own, move by move and timed; of several trials the last is traced.
pub fn solve(
    grid: &Grid,
    (agent, shelf): (&Spec, &Shelf),
    placed: Placed,
    settings: Settings,
) -> Result<(Record, Trace), Unfit> {
    let (never, mut trace) = (AtomicBool::new(false), Trace::default());
    let context = (settings, Some(Clock::calibrated()));
    let charts = Charts::default();
    let mut pairing = Pairing::new((grid, grid.fingerprint(), &charts), (Entrant::new(agent), shelf), context, &never)?;
    if let (Some(level), Some(chart)) = (pairing.entrant.runner.highest_level(), &pairing.chart) {
        Unfit::look((agent, level), (0, chart))?;
    }
    let outcome = pairing.run(&mut Worker::default(), placed, Some(&mut trace)).expect("nobody abandons it");
    let build = pairing.build();
    Ok((Record { agent: 0, problem: 0, optimal: placed.problem.optimal, outcome, build }, trace))
}

/// One agent on problems of one grid, in this thread, one after the other for as long as `patience` lasts and on one at
/// least; the beat tells which it is at, and records have its number. Traced, where a trace is given, is the last.
pub fn run_alone(
    (grid, problems): (&Grid, &[(u32, Placed)]),
    (entrant, beat): (Entrant, &Beat),
    (settings, patience): (Settings, Duration),
    worker: &mut Worker,
    mut trace: Option<&mut Trace>,
) -> Vec<Record> {
    let (never, charts, begun) = (AtomicBool::new(false), Charts::default(), Instant::now());
    let context = (settings, settings.timed.then(Clock::calibrated));
    let shelf = Shelf::default();
    let mut pairing = Pairing::new((grid, grid.fingerprint(), &charts), (entrant, &shelf), context, &never)
        .expect("agents from elsewhere need no databases");
    let mut records = Vec::new();
    for &(number, placed) in problems {
        beat.problem(number.into());
        let outcome = pairing.run(worker, placed, trace.as_deref_mut()).expect("nobody abandons it");
        let build = Build::default();
        records.push(Record { agent: 0, problem: number, optimal: placed.problem.optimal, outcome, build });
        beat.rest();
        if begun.elapsed() >= patience {
            break;
        }
    }
    records
}

/// A batch on its way.
pub struct Batch(Workers<Vec<Record>>);

impl Batch {
    /// Starts `jobs` workers, or one per core where that is 0, unless an agent cannot work on the map of one of its tasks.
    ///
    /// # Panics
    /// Where a task names an agent, problem or grid that is not there, or problems of several grids.
    pub fn start(
        grids: Vec<Arc<Grid>>,
        (agents, shelf): (Vec<Spec>, Shelf),
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
            charts: Charts::of(&grids),
            grids,
            fingerprints,
            shelf,
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

    /// Waits up to `timeout` for records and returns all that there are; none once everything was handed over.
    ///
    /// # Panics
    /// Where a worker did: nothing that a user gives makes one panic.
    pub fn next(&mut self, timeout: Duration) -> Option<Vec<Record>> {
        self.0.next(timeout).map(|records| records.concat())
    }

    /// A handle on the batch's progress, for others than who waits for its records: units are problems, and what was finished
    /// when it was cancelled is still handed over.
    pub fn progress(&self) -> &Arc<Progress> {
        self.0.progress()
    }
}
