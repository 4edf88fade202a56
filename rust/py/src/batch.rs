//! Batches and single trials.

use crate::database::Database;
use crate::error::{incompatible_error, input_error};
use crate::grid::Grid;
use crate::problems;
use crate::records::{Table, tables};
use numpy::ndarray::{Array2, ArrayView1};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use permove_core::agents::spec::Spec;
use permove_core::batch::{self, DatabaseSet, Experiment, Placed, Record, Running, Settings, Task};
use permove_core::clock::Clock;
use permove_core::cost::CARDINAL;
use permove_core::graph::State;
use permove_core::grid::Shape;
use permove_core::workers::Progress;
use permove_core::world::runs::Trials;
use permove_core::world::sensor::Sensor;
use permove_core::world::trace;
use permove_core::world::trial::{Limits, Planning};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Settings of every trial, read from the attributes of `permove.records.settings.Settings`.
#[derive(FromPyObject)]
pub struct PySettings {
    sensor: String,
    seed: u64,
    timed: bool,
    repeats: u32,
    max_trials: Option<u32>,
    cutoff: Option<u64>,
    time_limit_ns: Option<u64>,
    alpha: Option<f64>,
    cap_each_trial: bool,
}

impl PySettings {
    pub fn read(&self) -> PyResult<Settings> {
        let sensor: Sensor = self.sensor.parse().map_err(input_error)?;
        let limits = Limits {
            cutoff: self.cutoff,
            time_limit_ns: self.time_limit_ns,
            alpha: self.alpha,
            cap_each_trial: self.cap_each_trial,
        };
        let trials = self.max_trials.map_or(Trials::Once, |max| Trials::Converge { max });
        Ok(Settings { sensor, limits, trials, timed: self.timed, repeats: self.repeats, seed: self.seed })
    }
}

/// Settings of a trace: one timed trial.
pub fn traced(settings: Settings) -> Settings {
    Settings { timed: true, trials: Trials::Once, ..settings }
}

fn database_set(databases: &[PyRef<'_, Database>]) -> DatabaseSet {
    DatabaseSet::new(databases.iter().map(|database| Arc::clone(&database.database)).collect())
}

/// A batch in progress.
#[pyclass(frozen, module = "permove._core")]
pub struct Batch {
    /// Locked while a thread waits for records; `None` once all records were returned.
    batch: Mutex<Option<batch::Batch>>,
    progress: Arc<Progress>,
    running: Arc<Running>,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (grids, problems, agents, task_agents, task_offsets, task_problems, settings, *, jobs,
        databases=Vec::new(), replicas=Vec::new()))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        grids: Vec<PyRef<'_, Grid>>,
        problems: &Bound<'_, PyAny>,
        agents: Vec<String>,
        task_agents: PyReadonlyArray1<'_, u32>,
        task_offsets: PyReadonlyArray1<'_, u64>,
        task_problems: PyReadonlyArray1<'_, u32>,
        settings: PySettings,
        jobs: usize,
        databases: Vec<PyRef<'_, Database>>,
        replicas: Vec<u32>,
    ) -> PyResult<Batch> {
        let settings = settings.read()?;
        let replicas = replicas.into_iter().chain(std::iter::repeat(0));
        let read = |(agent, replica): (&String, u32)| Ok(Spec::parse(agent).map_err(input_error)?.replica(replica));
        let agents = agents.iter().zip(replicas).map(read).collect::<PyResult<Vec<_>>>()?;
        let problems = problems::problems(&grids, problems)?;
        let (task_agents, task_offsets) = (task_agents.as_array(), task_offsets.as_array());
        let tasks = tasks(task_agents, task_offsets, task_problems.as_array(), agents.len(), &problems)?;
        let grids = grids.iter().map(|grid| Arc::clone(&grid.0)).collect();
        let databases = database_set(&databases);
        let experiment = Experiment { grids, problems, agents, databases, tasks, settings };
        let batch = py.detach(|| batch::Batch::start(experiment, jobs));
        let batch = batch.map_err(|incompatible| incompatible_error(py, &incompatible))?;
        let (progress, running) = (Arc::clone(batch.progress()), Arc::clone(batch.running()));
        Ok(Batch { progress, running, batch: Mutex::new(Some(batch)) })
    }

    fn next(&self, py: Python<'_>, timeout: f64) -> PyResult<Option<(Table, Table)>> {
        let timeout = Duration::try_from_secs_f64(timeout).map_err(input_error)?;
        let records = py.detach(|| {
            let mut batch = self.batch.lock().expect("no thread panics while waiting");
            let records = batch.as_mut().and_then(|batch| batch.next(timeout));
            if records.is_none() {
                *batch = None;
            }
            records
        });
        let Some(records) = records.filter(|records| !records.is_empty()) else { return Ok(None) };
        tables(&records).map(Some)
    }

    #[getter]
    fn finished(&self) -> u64 {
        self.progress.finished()
    }

    #[getter]
    fn done(&self, py: Python<'_>) -> bool {
        py.detach(|| self.batch.lock().expect("no thread panics while waiting").is_none())
    }

    fn running(&self) -> Vec<(u32, u32, f64)> {
        let seconds = |(agent, problem, time): (u32, u32, Duration)| (agent, problem, time.as_secs_f64());
        self.running.trials().map(seconds).collect()
    }

    fn cancel(&self) {
        self.progress.cancel();
    }
}

fn tasks(
    agents: ArrayView1<'_, u32>,
    offsets: ArrayView1<'_, u64>,
    numbers: ArrayView1<'_, u32>,
    agent_count: usize,
    problems: &[Placed],
) -> PyResult<Vec<Task>> {
    let invalid = || input_error("tasks need existing agents, ranges and problems, and one grid each");
    if offsets.len() != agents.len() + 1 {
        return Err(invalid());
    }
    let task = |i: usize| {
        let range = offsets[i] as usize..offsets[i + 1] as usize;
        if agents[i] as usize >= agent_count || range.start > range.end || range.end > numbers.len() {
            return Err(invalid());
        }
        let numbers: Vec<u32> = range.map(|j| numbers[j]).collect();
        let grid = |number: &u32| problems.get(*number as usize).map(|problem| problem.grid);
        if numbers.iter().any(|number| grid(number).is_none() || grid(number) != grid(&numbers[0])) {
            return Err(invalid());
        }
        Ok(Task { agent: agents[i], problems: numbers })
    };
    (0..agents.len()).map(task).collect()
}

/// One trial, move by move.
#[pyclass(frozen, get_all, module = "permove._core")]
pub struct Trace {
    record: Py<Table>,
    cells: Py<PyArray2<u32>>,
    expanded: Py<PyArray1<u64>>,
    touched: Py<PyArray1<u64>>,
    time_ns: Py<PyArray1<u64>>,
    expansions: Py<PyArray2<u32>>,
    rises: (Py<PyArray2<u32>>, Py<PyArray1<f64>>),
    discovered: Py<PyArray2<u32>>,
    ends: Py<PyArray2<u64>>,
}

impl Trace {
    /// The trace of the trial of the last record.
    pub fn new(py: Python<'_>, records: &[Record], trace: &trace::Trace, shape: Shape) -> PyResult<Trace> {
        let cells = |states: &mut dyn Iterator<Item = State>| {
            let cells: Vec<[u32; 2]> = states.map(|state| shape.xy(state).into()).collect();
            Array2::from(cells).into_pyarray(py).unbind()
        };
        let per_move = |of: fn(&Planning) -> u64| PyArray1::from_iter(py, trace.planning.iter().map(of)).unbind();
        let risen = trace.rises.iter().map(|rise| rise.to / f64::from(CARDINAL));
        let ends = trace.ends.iter().map(|end| [end.expansions, end.rises, end.discovered].map(|n| n as u64));
        Ok(Trace {
            record: Py::new(py, tables(records)?.0)?,
            cells: cells(&mut trace.states.iter().copied()),
            expanded: per_move(|planning| planning.effort.expanded),
            touched: per_move(|planning| planning.effort.touched),
            time_ns: per_move(|planning| planning.ns),
            expansions: cells(&mut trace.expansions.iter().copied()),
            rises: (cells(&mut trace.rises.iter().map(|rise| rise.state)), PyArray1::from_iter(py, risen).unbind()),
            discovered: cells(&mut trace.discovered.iter().copied()),
            ends: Array2::from(Vec::from_iter(ends)).into_pyarray(py).unbind(),
        })
    }
}

#[pyfunction]
#[pyo3(signature = (grid, problem, agent, settings, *, databases=Vec::new()))]
pub fn solve(
    py: Python<'_>,
    grid: PyRef<'_, Grid>,
    problem: &Bound<'_, PyAny>,
    agent: &str,
    settings: PySettings,
    databases: Vec<PyRef<'_, Database>>,
) -> PyResult<Trace> {
    let settings = traced(settings.read()?);
    let spec = Spec::parse(agent).map_err(input_error)?;
    let placed = problems::problem(&grid, problem)?;
    let (shared, databases) = (Arc::clone(&grid.0), database_set(&databases));
    let (record, trace) = py
        .detach(|| batch::solve(&shared, &spec, &databases, placed, settings))
        .map_err(|incompatible| incompatible_error(py, &incompatible))?;
    Trace::new(py, &[record], &trace, shared.shape())
}

#[pyfunction]
pub fn tick_overhead_ns(py: Python<'_>) -> f64 {
    py.detach(|| Clock::calibrated().overhead_ns())
}
