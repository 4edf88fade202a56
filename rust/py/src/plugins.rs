//! Plug-ins: agents in Python behind the same metered trial, and the way to those in libraries.

use crate::batch::{Given, Trace, placed, traced};
use crate::error::input_error;
use crate::grid::Grid;
use crate::records::{Finished, Table};
use numpy::ndarray::ArrayView1;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use permove_core::batch::{self, PreparedAgent, Settings, Worker};
use permove_core::graph::{MOST_SUCCESSORS, State, Successor};
use permove_core::grid::Shape;
use permove_core::plugins::heartbeat::Heartbeat;
use permove_core::plugins::library::{self, Kind, Library};
use permove_core::plugins::{self, Access, PluginAgent};
use permove_core::{cost, grid};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

create_exception!(permove._core, PastCutoff, PyException, "Planning went on past ten times the cutoff.");

/// What an agent in Python sees of the world while it plans.
#[pyclass(unsendable, module = "permove._core")]
struct World {
    /// There only while `plan` runs.
    access: Cell<Option<NonNull<dyn Access>>>,
    discovered: RefCell<Vec<State>>,
    seed: Cell<u64>,
    shape: Cell<Shape>,
}

impl World {
    /// Lets somebody use the access of the episode.
    #[allow(unsafe_code)]
    fn with<R>(&self, using: impl FnOnce(&mut dyn Access) -> R) -> PyResult<R> {
        let Some(mut access) = self.access.get() else {
            return Err(PyRuntimeError::new_err("the world can be asked only while plan runs"));
        };
        // SAFETY: the pointer is there only while `Planner::plan`, which has the access to itself, waits for Python; this
        // class never leaves its thread, and `using` calls nothing that comes back here.
        Ok(using(unsafe { access.as_mut() }))
    }

    fn successors<'py>(
        &self,
        py: Python<'py>,
        read: impl FnOnce(&mut dyn Access, &mut [Successor; MOST_SUCCESSORS]) -> Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut successors = [Successor::default(); MOST_SUCCESSORS];
        let count = self.with(|access| {
            read(access, &mut successors).ok_or_else(|| match access.fault() {
                Some(fault) => PyValueError::new_err(fault.to_owned()),
                None => PastCutoff::new_err("planning went on past ten times the cutoff"),
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
        // Sums of large heuristics pass infinity, and are infinite.
        let value = value.min(cost::INFINITY.into()) as cost::Cost;
        self.with(|access| access.learn(state, value))
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
        Err(PyValueError::new_err(format!("the cell {x},{y} lies outside of a map of {width} × {height}")))
    }
}

/// An agent in Python: a function that makes one, and the one at hand.
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
            self.instance = Some(make().map_err(|error: PyErr| told(py, &error))?);
            Ok(())
        })
    }

    fn begin_trial(&mut self) -> Result<(), String> {
        let Some(instance) = &self.instance else { return Ok(()) };
        Python::attach(|py| {
            let object = instance.object.bind(py);
            let begin = || object.getattr_opt("begin_trial")?.map_or(Ok(()), |begin| begin.call0().map(drop));
            begin().map_err(|error| told(py, &error))
        })
    }

    fn discovered(&mut self, blocked: &[State]) -> Result<(), String> {
        Python::attach(|py| self.world.borrow(py).discovered.borrow_mut().extend_from_slice(blocked));
        Ok(())
    }

    #[allow(unsafe_code)]
    fn plan<A: Access>(&mut self, access: &mut A) -> Result<(), String> {
        let access: &mut dyn Access = access;
        let Some(instance) = &self.instance else { return Err("it was not made".to_owned()) };
        Python::attach(|py| {
            let world = self.world.bind(py);
            // SAFETY: only the lifetime changes, and the pointer is taken away again before `access` is used or ends.
            let pointer =
                unsafe { std::mem::transmute::<NonNull<dyn Access + '_>, NonNull<dyn Access>>(access.into()) };
            world.borrow().access.set(Some(pointer));
            let planned = instance.plan.bind(py).call1((world,));
            let world = world.borrow();
            world.access.set(None);
            world.discovered.borrow_mut().clear();
            let planned = planned.map_err(|error| told(py, &error))?;
            follow(&planned, access)
        })
    }

    fn end_problem(&mut self) {
        if let Some(instance) = self.instance.take() {
            Python::attach(|_| drop(instance));
        }
    }
}

/// Takes the moves that `plan` returned: a state, several of them, or nothing.
fn follow(planned: &Bound<'_, PyAny>, access: &mut dyn Access) -> Result<(), String> {
    if let Ok(state) = planned.extract::<State>() {
        access.go(state);
        return Ok(());
    }
    if planned.is_none() {
        return Ok(());
    }
    let neither = || {
        let shown = planned.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
        let shown: String = shown.chars().take(60).collect();
        format!("plan returned {shown}, which is neither a state nor several")
    };
    for state in planned.try_iter().map_err(|_| neither())? {
        let state = state.and_then(|state| state.extract::<State>());
        access.go(state.map_err(|_| neither())?);
    }
    Ok(())
}

/// An exception in a line: what it is, and where it was raised.
fn told(py: Python<'_>, error: &PyErr) -> String {
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

/// What makes a plug-in's agents.
enum Maker {
    Python(Py<PyAny>),
    Library { library: Arc<Library>, name: String, values: Vec<f64> },
}

/// A plug-in's agent, ready to be made.
#[pyclass(frozen, module = "permove._core")]
struct Plugin(Maker);

#[pymethods]
impl Plugin {
    #[staticmethod]
    fn python(make: Py<PyAny>) -> Plugin {
        Plugin(Maker::Python(make))
    }

    #[staticmethod]
    fn library(path: &str, name: String, values: Vec<f64>) -> PyResult<Plugin> {
        let library = Arc::new(Library::open(Path::new(path)).map_err(input_error)?);
        library.agent(&name, values.clone()).map_err(input_error)?;
        Ok(Plugin(Maker::Library { library, name, values }))
    }
}

/// A parameter of an agent in a library: name, about, words of a choice, whether it is whole, least, most, default.
type Parameter = (String, String, Vec<String>, bool, f64, f64, f64);

#[pyfunction]
fn library_agents(path: &str) -> PyResult<Vec<(String, String, Vec<Parameter>)>> {
    let library = Library::open(Path::new(path)).map_err(input_error)?;
    let parameter = |parameter: &library::Parameter| {
        let library::Parameter { name, about, kind, least, most, default } = parameter.clone();
        let is_whole = kind != Kind::Real;
        let words = if let Kind::Choice(words) = kind { words } else { Vec::new() };
        (name, about, words, is_whole, least, most, default)
    };
    let agent = |agent: &library::Description| {
        (agent.name.clone(), agent.about.clone(), agent.parameters.iter().map(parameter).collect())
    };
    Ok(library.agents().map(agent).collect())
}

/// A plug-in's agent on one grid.
#[pyclass(unsendable, module = "permove._core")]
struct Course {
    grid: Arc<grid::Grid>,
    plugin: Py<Plugin>,
    canonical: String,
    first: u8,
    settings: Settings,
    heartbeat: Arc<Heartbeat>,
    worker: Worker,
}

impl Course {
    fn agent(&self, py: Python<'_>) -> PyResult<PreparedAgent> {
        let (canonical, shape, limits) = (self.canonical.clone(), self.grid.shape(), self.settings.limits);
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
}

#[pymethods]
impl Course {
    #[new]
    #[pyo3(signature = (grid, plugin, canonical, first, settings, *, beat=None))]
    fn new(
        grid: PyRef<'_, Grid>,
        plugin: Py<Plugin>,
        canonical: String,
        first: u8,
        settings: Given,
        beat: Option<&str>,
    ) -> PyResult<Course> {
        let settings = settings.settings()?;
        if first > 7 {
            return Err(input_error("there are eight directions"));
        }
        let heartbeat = match beat {
            Some(path) => File::options().read(true).write(true).open(path).and_then(|file| Heartbeat::new(&file)),
            None => Heartbeat::unseen(),
        };
        Ok(Course {
            grid: Arc::clone(&grid.0),
            plugin,
            canonical,
            first,
            settings,
            heartbeat: Arc::new(heartbeat.map_err(PyOSError::new_err)?),
            worker: Worker::default(),
        })
    }

    fn walk(
        &mut self,
        py: Python<'_>,
        problems: PyReadonlyArray2<'_, i64>,
        numbers: PyReadonlyArray1<'_, u32>,
        seconds: f64,
    ) -> PyResult<(Table, Table)> {
        let timeout = Duration::try_from_secs_f64(seconds).map_err(input_error)?;
        let rows = problems.as_array();
        if rows.ncols() != 8 || rows.nrows() != numbers.as_array().len() {
            return Err(input_error("a problem has eight columns and a number"));
        }
        let grids = [&Grid(Arc::clone(&self.grid))];
        let places = rows.rows().into_iter().map(|row| placed(&grids, row));
        let numbered = numbers.as_array().into_iter().copied().zip(places);
        let problems = numbered.map(|(number, placed)| Ok((number, placed?))).collect::<PyResult<Vec<_>>>()?;
        let agent = self.agent(py)?;
        // An agent in Python needs the interpreter all the time, and in a worker nobody else does.
        let records = batch::run_alone(
            (&self.grid, &problems),
            (agent, &self.heartbeat),
            (self.settings, timeout),
            &mut self.worker,
            None,
        );
        let Finished { records, trials } = Finished::new(&records)?;
        Ok((records, trials))
    }

    fn trace(&mut self, py: Python<'_>, problem: Vec<i64>) -> PyResult<Trace> {
        let row: Vec<i64> = std::iter::once(0).chain(problem).collect();
        if row.len() != 8 {
            return Err(input_error("a problem has seven numbers: start, goal, optimal moves, ordinal"));
        }
        let grids = [&Grid(Arc::clone(&self.grid))];
        let problems = [(0, placed(&grids, ArrayView1::from(&row))?)];
        let (agent, mut trace) = (self.agent(py)?, Default::default());
        let records = batch::run_alone(
            (&self.grid, &problems),
            (agent, &self.heartbeat),
            (traced(self.settings), Duration::ZERO),
            &mut self.worker,
            Some(&mut trace),
        );
        Trace::new(py, &records, trace, self.grid.shape())
    }
}

#[pyfunction]
fn no_records() -> PyResult<(Table, Table)> {
    let Finished { records, trials } = Finished::new(&[])?;
    Ok((records, trials))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("PastCutoff", module.py().get_type::<PastCutoff>())?;
    module.add("CARDINAL", cost::CARDINAL)?;
    module.add("DIAGONAL", cost::DIAGONAL)?;
    module.add("INFINITY", cost::INFINITY)?;
    module.add("BEAT_BYTES", Heartbeat::BYTES)?;
    module.add_class::<World>()?;
    module.add_class::<Plugin>()?;
    module.add_class::<Course>()?;
    module.add_function(wrap_pyfunction!(library_agents, module)?)?;
    module.add_function(wrap_pyfunction!(no_records, module)?)
}
