//! Plug-ins: agents in Python and in libraries, run in the same metered trials as built-in agents.

use crate::batch::{PySettings, Trace, traced};
use crate::error::input_error;
use crate::grid::Grid;
use crate::problems;
use crate::records::{Table, tables};
use numpy::PyReadonlyArray1;
use permove_core::batch::{Placed, PluginRun, PreparedAgent, Record, Settings, Worker};
use permove_core::cost;
use permove_core::graph::{MAX_SUCCESSORS, State, Successor};
use permove_core::grid::Shape;
use permove_core::plugins::heartbeat::Heartbeat;
use permove_core::plugins::library::{self, Kind, Library};
use permove_core::plugins::{self, Access, PluginAgent};
use permove_core::world::trace;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

create_exception!(permove._core, PastCutoff, PyException, "Planning has exceeded ten times the cutoff.");

/// The view of an agent in Python while it plans.
#[pyclass(unsendable, module = "permove._core")]
pub struct World {
    /// Set only while `plan` runs.
    access: Cell<Option<NonNull<dyn Access>>>,
    discovered: RefCell<Vec<State>>,
    seed: Cell<u64>,
    shape: Cell<Shape>,
}

impl World {
    /// Calls `call` with the access of the episode.
    #[allow(unsafe_code)]
    fn with<R>(&self, call: impl FnOnce(&mut dyn Access) -> R) -> PyResult<R> {
        let Some(mut access) = self.access.get() else {
            return Err(PyRuntimeError::new_err("the world is available only while plan runs"));
        };
        // SAFETY: the pointer is set only while `Planner::plan`, which owns the access, waits for Python. This class
        // stays in its thread, and `call` does not call this function again.
        Ok(call(unsafe { access.as_mut() }))
    }

    fn successors<'py>(
        &self,
        py: Python<'py>,
        read: impl FnOnce(&mut dyn Access, &mut [Successor; MAX_SUCCESSORS]) -> Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut successors = [Successor::default(); MAX_SUCCESSORS];
        let count = self.with(|access| {
            read(access, &mut successors).ok_or_else(|| match access.fault() {
                Some(fault) => PyValueError::new_err(fault.to_owned()),
                None => PastCutoff::new_err("planning has exceeded ten times the cutoff"),
            })
        })??;
        PyList::new(py, successors[..count].iter().map(|successor| (successor.state, successor.cost, successor.h)))
    }
}

#[pymethods]
impl World {
    #[getter]
    fn at(&self) -> PyResult<State> {
        self.with(|access| access.at())
    }

    #[getter]
    fn goal(&self) -> PyResult<State> {
        self.with(|access| access.goal())
    }

    #[getter]
    fn width(&self) -> u32 {
        self.shape.get().width
    }

    #[getter]
    fn height(&self) -> u32 {
        self.shape.get().height
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.seed.get()
    }

    #[getter]
    fn discovered(&self) -> Vec<State> {
        self.discovered.borrow().clone()
    }

    #[getter]
    fn expanded(&self) -> PyResult<u64> {
        self.with(|access| access.effort().expanded)
    }

    #[getter]
    fn cutoff(&self) -> PyResult<Option<u64>> {
        self.with(|access| access.cutoff())
    }

    fn expand<'py>(&self, py: Python<'py>, state: State) -> PyResult<Bound<'py, PyList>> {
        self.successors(py, |access, successors| access.expand(state, successors))
    }

    fn reread<'py>(&self, py: Python<'py>, state: State) -> PyResult<Bound<'py, PyList>> {
        self.successors(py, |access, successors| access.reread(state, successors))
    }

    fn heuristic(&self, state: State) -> PyResult<u32> {
        self.with(|access| access.heuristic(state))
    }

    #[pyo3(signature = (state, goal=None))]
    fn initial(&self, state: State, goal: Option<State>) -> PyResult<u32> {
        self.with(|access| access.initial(state, goal.unwrap_or(access.goal())))
    }

    fn learn(&self, state: State, value: u64) -> PyResult<()> {
        // Sums of large heuristics exceed infinity and count as infinite.
        let value = value.min(cost::INFINITY.into()) as cost::Cost;
        self.with(|access| access.learn(state, value))
    }

    fn memory(&self, bytes: u64) -> PyResult<()> {
        self.with(|access| access.memory(bytes))
    }

    fn cell(&self, state: State) -> (u32, u32) {
        self.shape.get().xy(state)
    }

    fn state(&self, x: u32, y: u32) -> PyResult<State> {
        let shape = self.shape.get();
        if x < shape.width && y < shape.height {
            return Ok(shape.state(x, y));
        }
        let (width, height) = (shape.width, shape.height);
        Err(PyValueError::new_err(format!("the cell {x},{y} is outside the map of {width} × {height}")))
    }
}

/// An agent in Python: a function that creates instances, and the current instance.
struct Planner {
    make: Py<PyAny>,
    world: Py<World>,
    instance: Option<Instance>,
}

struct Instance {
    object: Py<PyAny>,
    plan: Py<PyAny>,
}

impl Planner {
    fn new(py: Python<'_>, make: Py<PyAny>, shape: Shape) -> PyResult<Planner> {
        let (access, discovered) = (Cell::new(None), RefCell::default());
        let world = World { access, discovered, seed: Cell::new(0), shape: Cell::new(shape) };
        Ok(Planner { make, world: Py::new(py, world)?, instance: None })
    }
}

impl plugins::Plugin for Planner {
    fn begin_problem(&mut self, seed: u64, shape: Shape) -> Result<(), String> {
        Python::attach(|py| {
            let world = self.world.borrow(py);
            world.seed.set(seed);
            world.shape.set(shape);
            world.discovered.borrow_mut().clear();
            let make = || {
                let object = self.make.call0(py)?;
                let plan = object.getattr(py, "plan")?;
                Ok(Instance { object, plan })
            };
            self.instance = Some(make().map_err(|error: PyErr| message(py, &error))?);
            Ok(())
        })
    }

    fn begin_trial(&mut self) -> Result<(), String> {
        let Some(instance) = &self.instance else { return Ok(()) };
        Python::attach(|py| {
            let object = instance.object.bind(py);
            let begin = || object.getattr_opt("begin_trial")?.map_or(Ok(()), |begin| begin.call0().map(drop));
            begin().map_err(|error| message(py, &error))
        })
    }

    fn discovered(&mut self, blocked: &[State]) -> Result<(), String> {
        Python::attach(|py| self.world.borrow(py).discovered.borrow_mut().extend_from_slice(blocked));
        Ok(())
    }

    #[allow(unsafe_code)]
    fn plan<A: Access>(&mut self, access: &mut A) -> Result<(), String> {
        let access: &mut dyn Access = access;
        let Some(instance) = &self.instance else { return Err("the instance does not exist".to_owned()) };
        Python::attach(|py| {
            let world = self.world.bind(py);
            // SAFETY: only the lifetime changes, and the pointer is removed before `access` is used or dropped.
            let pointer =
                unsafe { std::mem::transmute::<NonNull<dyn Access + '_>, NonNull<dyn Access>>(access.into()) };
            world.borrow().access.set(Some(pointer));
            let planned = instance.plan.bind(py).call1((world,));
            let world = world.borrow();
            world.access.set(None);
            world.discovered.borrow_mut().clear();
            let planned = planned.map_err(|error| message(py, &error))?;
            add_moves(&planned, access)
        })
    }

    fn end_problem(&mut self) {
        if let Some(instance) = self.instance.take() {
            Python::attach(|_| drop(instance));
        }
    }
}

/// Adds the moves that `plan` returned: a state, several states, or None.
fn add_moves(planned: &Bound<'_, PyAny>, access: &mut dyn Access) -> Result<(), String> {
    if let Ok(state) = planned.extract::<State>() {
        access.go(state);
        return Ok(());
    }
    if planned.is_none() {
        return Ok(());
    }
    let invalid = || {
        let shown = planned.repr().map_or_else(|_| "an invalid value".to_owned(), |text| text.to_string());
        let shown: String = shown.chars().take(60).collect();
        format!("plan returned {shown}, which is neither a state nor several states")
    };
    for state in planned.try_iter().map_err(|_| invalid())? {
        let state = state.and_then(|state| state.extract::<State>());
        access.go(state.map_err(|_| invalid())?);
    }
    Ok(())
}

/// An exception in one line, with its file and line.
fn message(py: Python<'_>, error: &PyErr) -> String {
    let place = || -> PyResult<Option<String>> {
        let Some(mut at) = error.traceback(py).map(Bound::into_any) else { return Ok(None) };
        while let Some(next) = Some(at.getattr("tb_next")?).filter(|next| !next.is_none()) {
            at = next;
        }
        let file: String = at.getattr("tb_frame")?.getattr("f_code")?.getattr("co_filename")?.extract()?;
        let name = Path::new(&file).file_name().map_or(file.clone(), |name| name.to_string_lossy().into_owned());
        Ok(Some(format!(" ({name}, line {})", at.getattr("tb_lineno")?)))
    };
    format!("{error}{}", place().ok().flatten().unwrap_or_default())
}

/// The creator of a plug-in's agents.
enum Maker {
    Python(Py<PyAny>),
    Library { library: Library, name: String, values: Vec<f64> },
}

/// A plug-in's agent.
#[pyclass(frozen, module = "permove._core")]
pub struct Plugin(Maker);

#[pymethods]
impl Plugin {
    #[staticmethod]
    fn python(make: Py<PyAny>) -> Plugin {
        Plugin(Maker::Python(make))
    }

    #[staticmethod]
    fn library(path: &str, name: String, values: Vec<f64>) -> PyResult<Plugin> {
        let library = Library::open(Path::new(path)).map_err(input_error)?;
        library.agent(&name, values.clone()).map_err(input_error)?;
        Ok(Plugin(Maker::Library { library, name, values }))
    }
}

/// A parameter of an agent in a library: name, description, words of a choice, is an integer, minimum, maximum,
/// default.
type Parameter = (String, String, Vec<String>, bool, f64, f64, f64);

#[pyfunction]
pub fn library_agents(path: &str) -> PyResult<Vec<(String, String, Vec<Parameter>)>> {
    let library = Library::open(Path::new(path)).map_err(input_error)?;
    let parameter = |parameter: &library::Parameter| {
        let library::Parameter { name, about, kind, min, max, default } = parameter.clone();
        let is_integer = kind != Kind::Real;
        let words = if let Kind::Choice(words) = kind { words } else { Vec::new() };
        (name, about, words, is_integer, min, max, default)
    };
    let agent = |agent: &library::Description| {
        (agent.name.clone(), agent.about.clone(), agent.parameters.iter().map(parameter).collect())
    };
    Ok(library.agents().map(agent).collect())
}

/// A plug-in's agent on one grid.
#[pyclass(unsendable, module = "permove._core")]
pub struct PluginRunner {
    grid: Grid,
    plugin: Py<Plugin>,
    canonical: String,
    first: u8,
    settings: Settings,
    heartbeat: Arc<Heartbeat>,
    worker: Worker,
}

impl PluginRunner {
    fn on(
        grid: Grid,
        plugin: Py<Plugin>,
        (canonical, first): (String, u8),
        settings: PySettings,
        heartbeat: Heartbeat,
    ) -> PyResult<PluginRunner> {
        let (settings, heartbeat) = (settings.read()?, Arc::new(heartbeat));
        if first > 7 {
            return Err(input_error(format!("the direction {first} is out of range; use 0 to 7")));
        }
        Ok(PluginRunner { grid, plugin, canonical, first, settings, heartbeat, worker: Worker::default() })
    }

    fn agent(&self, py: Python<'_>) -> PyResult<PreparedAgent> {
        let (canonical, shape, limits) = (self.canonical.clone(), self.grid.0.shape(), self.settings.limits);
        let heartbeat = Arc::clone(&self.heartbeat);
        Ok(match &self.plugin.get().0 {
            Maker::Python(make) => {
                let planner = Planner::new(py, make.clone_ref(py), shape)?;
                PreparedAgent::plugin(canonical, self.first, PluginAgent::new(planner, shape, limits, heartbeat))
            }
            Maker::Library { library, name, values } => {
                let agent = library.agent(name, values.clone()).map_err(input_error)?;
                PreparedAgent::plugin(canonical, self.first, PluginAgent::new(agent, shape, limits, heartbeat))
            }
        })
    }

    /// Runs problems without releasing the GIL, which agents in Python need and no other thread of the process uses.
    fn records(
        &mut self,
        py: Python<'_>,
        problems: &[(u32, Placed)],
        settings: Settings,
        timeout: Duration,
        trace: Option<&mut trace::Trace>,
    ) -> PyResult<Vec<Record>> {
        let agent = self.agent(py)?;
        let run = PluginRun { grid: &self.grid.0, agent, settings, heartbeat: &self.heartbeat };
        Ok(run.run(problems, timeout, &mut self.worker, trace))
    }
}

#[pymethods]
impl PluginRunner {
    #[new]
    fn new(
        grid: PyRef<'_, Grid>,
        plugin: Py<Plugin>,
        canonical: String,
        first: u8,
        settings: PySettings,
    ) -> PyResult<PluginRunner> {
        let heartbeat = Heartbeat::unseen().map_err(PyOSError::new_err)?;
        PluginRunner::on(Grid(Arc::clone(&grid.0)), plugin, (canonical, first), settings, heartbeat)
    }

    fn run(
        &mut self,
        py: Python<'_>,
        problems: &Bound<'_, PyAny>,
        numbers: PyReadonlyArray1<'_, u32>,
        seconds: f64,
    ) -> PyResult<(Table, Table)> {
        let timeout = Duration::try_from_secs_f64(seconds).map_err(input_error)?;
        let problems = numbered(&self.grid, problems, &numbers)?;
        tables(&self.records(py, &problems, self.settings, timeout, None)?)
    }

    fn trace(&mut self, py: Python<'_>, problem: &Bound<'_, PyAny>) -> PyResult<Trace> {
        let (problems, mut trace) = ([(0, problems::problem(&self.grid, problem)?)], trace::Trace::default());
        let records = self.records(py, &problems, traced(self.settings), Duration::ZERO, Some(&mut trace))?;
        Trace::new(py, &records, &trace, self.grid.0.shape())
    }
}

/// Problems on a grid with their numbers.
fn numbered(
    grid: &Grid,
    problems: &Bound<'_, PyAny>,
    numbers: &PyReadonlyArray1<'_, u32>,
) -> PyResult<Vec<(u32, Placed)>> {
    let (problems, numbers) = (problems::problems(&[grid], problems)?, numbers.as_array());
    if problems.len() != numbers.len() {
        return Err(input_error("each problem needs a number"));
    }
    Ok(numbers.into_iter().copied().zip(problems).collect())
}

/// The problems of one agent on a grid that comes from a socket.
///
/// Code of a plug-in may find this object among the objects of Python. It can begin the job only once and get only the
/// next records, so it cannot explore the grid without being counted.
#[pyclass(unsendable, module = "permove._core")]
pub struct PluginJob {
    grid: Grid,
    problems: Vec<(u32, Placed)>,
    finished: usize,
    runner: Option<PluginRunner>,
}

#[pymethods]
impl PluginJob {
    #[new]
    fn new(
        descriptor: i32,
        shape: (u64, u64),
        diagonal: &str,
        has_cliffs: bool,
        problems: &Bound<'_, PyAny>,
        numbers: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<PluginJob> {
        // SAFETY: the caller owns the descriptor, and it stays open during this call.
        #[allow(unsafe_code)]
        let socket = unsafe { BorrowedFd::borrow_raw(descriptor) };
        let mut socket = File::from(socket.try_clone_to_owned()?);
        let grid = Grid::received(&mut socket, shape, diagonal, has_cliffs)?;
        let problems = numbered(&grid, problems, &numbers)?;
        Ok(PluginJob { grid, problems, finished: 0, runner: None })
    }

    fn begin(
        &mut self,
        plugin: Py<Plugin>,
        canonical: String,
        first: u8,
        settings: PySettings,
        heartbeat: &str,
    ) -> PyResult<()> {
        if self.runner.is_some() {
            return Err(input_error("the job has already begun; create another one"));
        }
        let heartbeat = File::options().read(true).write(true).open(heartbeat).and_then(|file| Heartbeat::new(&file));
        let heartbeat = heartbeat.map_err(PyOSError::new_err)?;
        let grid = Grid(Arc::clone(&self.grid.0));
        self.runner = Some(PluginRunner::on(grid, plugin, (canonical, first), settings, heartbeat)?);
        Ok(())
    }

    fn next(&mut self, py: Python<'_>, seconds: f64) -> PyResult<Option<(Table, Table)>> {
        let timeout = Duration::try_from_secs_f64(seconds).map_err(input_error)?;
        let runner = self.runner.as_mut().ok_or_else(|| input_error("the job has not begun; call begin"))?;
        let left = &self.problems[self.finished..];
        if left.is_empty() {
            return Ok(None);
        }
        let records = runner.records(py, left, runner.settings, timeout, None)?;
        self.finished += records.len();
        tables(&records).map(Some)
    }
}

#[pyfunction]
pub fn no_records() -> PyResult<(Table, Table)> {
    tables(&[])
}
