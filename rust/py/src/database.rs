//! Pattern databases.

use crate::error::{file_error, input_error};
use crate::grid::Grid;
use crate::hierarchy::variant;
use crate::map::rectangle;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use permove_core::agents::spec::Spec;
use permove_core::graph::State;
use permove_core::grid;
use permove_core::pdb::{self, Build, Facts, Halted, Key, Kind, PathRule, Rejected, SingleGoal};
use permove_core::workers::Progress;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A key as Python passes it: kind, base, level, abstraction and path.
type KeyParts<'a> = (&'a str, usize, usize, &'a str, &'a str);

fn key((kind, base, level, abstraction, path): KeyParts<'_>) -> PyResult<Key> {
    let known = Kind::NAMES.iter().find(|(name, _)| *name == kind);
    let (_, kind) = known.ok_or_else(|| input_error(format!("there is no kind '{kind}'; use subgoals or depths")))?;
    let unknown_path = || input_error(format!("there is no path rule '{path}'; use diagonal or cardinal"));
    let path = PathRule::named(path).ok_or_else(unknown_path)?;
    Ok(Key::new(*kind, (base, level), variant(abstraction)?, path))
}

fn parts(key: Key) -> KeyParts<'static> {
    let Key { kind, base, level, variant, path } = key;
    (kind.name(), base, level, variant.name(), path.name())
}

fn rejected(path: &str, rejected: Rejected) -> PyErr {
    match rejected {
        Rejected::Io(error) => PyOSError::new_err((error.raw_os_error(), error.to_string(), path.to_owned())),
        rejected => file_error(path, None, format!("{path}: {rejected}")),
    }
}

/// The header of a database's file.
#[pyclass(frozen, get_all, module = "permove._core")]
pub struct DatabaseFacts {
    kind: &'static str,
    base: usize,
    level: usize,
    abstraction: &'static str,
    path: &'static str,
    fingerprint: String,
    states: u32,
    regions: u32,
    pairs: u64,
    computed: u64,
    bytes: u64,
    build_ns: u64,
    jobs: u32,
    max_depth: u32,
}

impl DatabaseFacts {
    fn new(facts: &Facts, bytes: u64) -> Self {
        let &Facts { key, fingerprint, states, regions, computed, build_ns, jobs, max_depth, .. } = facts;
        let ((kind, base, level, abstraction, path), pairs) = (parts(key), facts.pairs());
        Self {
            kind,
            base,
            level,
            abstraction,
            path,
            fingerprint: format!("{fingerprint:032x}"),
            states,
            regions,
            pairs,
            computed,
            bytes,
            build_ns,
            jobs,
            max_depth,
        }
    }
}

/// A pattern database, mapped into memory.
#[pyclass(frozen, module = "permove._core")]
pub struct Database {
    pub database: Arc<pdb::Database>,
    grid: Arc<grid::Grid>,
}

#[pymethods]
impl Database {
    #[staticmethod]
    fn open(py: Python<'_>, path: &str, grid: &Grid) -> PyResult<Database> {
        let grid = Arc::clone(&grid.0);
        let database = py.detach(|| pdb::Database::open(path.as_ref(), &grid));
        Ok(Database { database: Arc::new(database.map_err(|error| rejected(path, error))?), grid })
    }

    #[staticmethod]
    fn look(path: &str) -> PyResult<DatabaseFacts> {
        let facts = pdb::Database::facts_of(path.as_ref()).map_err(|error| rejected(path, error))?;
        Ok(DatabaseFacts::new(&facts, std::fs::metadata(path)?.len()))
    }

    #[staticmethod]
    fn check(py: Python<'_>, path: &str) -> PyResult<DatabaseFacts> {
        let facts = py.detach(|| pdb::Database::check(path.as_ref())).map_err(|error| rejected(path, error))?;
        Ok(DatabaseFacts::new(&facts, std::fs::metadata(path)?.len()))
    }

    #[getter]
    fn facts(&self) -> DatabaseFacts {
        DatabaseFacts::new(self.database.facts(), self.database.bytes())
    }

    fn depths<'py>(&self, py: Python<'py>, x: i64, y: i64) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let (grid, database) = (&self.grid, &self.database);
        let Key { kind, base, .. } = database.facts().key;
        if base != 0 {
            return Err(input_error("only a database with base 0 has a depth for every cell"));
        }
        let goal = database.region(free_cell(&Grid(Arc::clone(grid)), x, y)?);
        let depth = |cell: State| match (grid.is_free(cell), kind) {
            (false, _) => -1,
            (true, Kind::Depths) => database.depth(database.region(cell), goal) as i32,
            (true, Kind::Subgoals) => {
                database.subgoal(database.region(cell), goal).map_or(1, |entry| entry.depth as i32)
            }
        };
        let depths = (0..grid.shape().cells() as State).map(depth).collect();
        Ok(rectangle(grid.shape(), depths).into_pyarray(py))
    }
}

/// Depths for a single goal.
#[pyclass(frozen, module = "permove._core")]
pub struct GoalDepths {
    single: SingleGoal,
    shape: grid::Shape,
}

#[pymethods]
impl GoalDepths {
    #[new]
    fn new(py: Python<'_>, grid: &Grid, level: usize, abstraction: &str, x: i64, y: i64) -> PyResult<GoalDepths> {
        let (goal, variant) = (free_cell(grid, x, y)?, variant(abstraction)?);
        let grid = &grid.0;
        let single = py.detach(|| SingleGoal::new(grid, level, variant, goal)).map_err(input_error)?;
        Ok(GoalDepths { single, shape: grid.shape() })
    }

    #[getter]
    fn total(&self) -> usize {
        self.single.regions()
    }

    fn regions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let region = |cell| self.single.region(cell).map_or(-1, |region| region as i32);
        rectangle(self.shape, (0..self.shape.cells() as State).map(region).collect()).into_pyarray(py)
    }

    fn depths<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        count: usize,
        jobs: usize,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let total = self.single.regions();
        let (first, last) = (first.min(total) as u32, first.saturating_add(count).min(total) as u32);
        let depths = py
            .detach(|| self.single.depths(first..last, jobs))
            .map_err(|error| input_error(format!("{jobs} threads cannot be started ({error}); use fewer")))?;
        let depths: Vec<i32> = depths.into_iter().map(|depth| depth.map_or(-1, |depth| depth as i32)).collect();
        Ok(depths.into_pyarray(py))
    }
}

/// The state of a cell, or an error if it is not free.
fn free_cell(grid: &Grid, x: i64, y: i64) -> PyResult<State> {
    let goal = grid.state(x, y)?;
    match grid.0.is_free(goal) {
        true => Ok(goal),
        false => Err(input_error(format!("the goal ({x}, {y}) is an obstacle; choose a free cell"))),
    }
}

/// A database that is being built.
#[pyclass(frozen, module = "permove._core")]
pub struct DatabaseBuild {
    #[pyo3(get)]
    total: usize,
    file: String,
    progress: Arc<Progress>,
    outcome: Mutex<Option<Receiver<Result<(), Halted>>>>,
}

#[pymethods]
impl DatabaseBuild {
    #[new]
    fn new(py: Python<'_>, grid: &Grid, file: String, parts: KeyParts<'_>, jobs: usize) -> PyResult<DatabaseBuild> {
        let (key, grid) = (key(parts)?, Arc::clone(&grid.0));
        let build = py.detach(|| Build::new(&grid, key)).map_err(input_error)?;
        let (progress, (sender, outcome)) = (Arc::new(Progress::default()), channel());
        let (total, watched, path) = (build.total(), Arc::clone(&progress), PathBuf::from(&file));
        std::thread::spawn(move || {
            // Sending fails only if the object was dropped.
            let _ = sender.send(build.save(&path, jobs, &watched));
        });
        Ok(DatabaseBuild { total, file, progress, outcome: Mutex::new(Some(outcome)) })
    }

    #[getter]
    fn finished(&self) -> u64 {
        self.progress.finished()
    }

    fn wait(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        let timeout = Duration::try_from_secs_f64(timeout).map_err(input_error)?;
        let outcome = py.detach(|| {
            let mut outcome = self.outcome.lock().expect("no thread panics while waiting");
            let Some(receiver) = &*outcome else { return Ok(Some(Ok(()))) };
            match receiver.recv_timeout(timeout) {
                Ok(result) => {
                    *outcome = None;
                    Ok(Some(result))
                }
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err("the building thread panicked"),
            }
        });
        match outcome.expect("no input of a user causes a panic") {
            None => Ok(false),
            Some(Ok(()) | Err(Halted::Cancelled)) => Ok(true),
            Some(Err(Halted::Io(error))) => {
                Err(PyOSError::new_err((error.raw_os_error(), error.to_string(), self.file.clone())))
            }
            Some(Err(error @ Halted::Threads(_))) => Err(PyOSError::new_err(error.to_string())),
        }
    }

    fn cancel(&self) {
        self.progress.cancel();
    }
}

impl Drop for DatabaseBuild {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

#[pyfunction]
pub fn needs(agent: &str) -> PyResult<Vec<KeyParts<'static>>> {
    let keys = Spec::parse(agent).map_err(input_error)?.needs().databases;
    Ok(keys.into_iter().map(parts).collect())
}
