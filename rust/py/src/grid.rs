//! Grids: search spaces, their components, distances and optima.

use crate::error::input_error;
use crate::map::{rectangle, rule, shape};
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use permove_core::cost::{self, INFINITY, Length};
use permove_core::graph::{NO_STATE, State};
use permove_core::grid::components::Components;
use permove_core::grid::{self, DiagonalRule};
use permove_core::search::optimal::optimal_lengths;
use permove_core::search::tree::Tree;
use pyo3::prelude::*;
use std::io::Read;
use std::sync::Arc;

/// A map as a search space: free cells and legal moves.
#[pyclass(frozen, module = "permove._core")]
pub struct Grid(pub Arc<grid::Grid>);

/// The constructor of a grid and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyArray2<bool>>, &'static str, Option<Bound<'py, PyArray2<u8>>>));

/// The diagonal rule with a name.
pub fn diagonal_rule(name: &str) -> PyResult<DiagonalRule> {
    rule("diagonal", &DiagonalRule::NAMES, name)
}

impl Grid {
    /// The state of a cell, or an error if it is outside the grid.
    pub fn state(&self, x: i64, y: i64) -> PyResult<State> {
        let shape = self.0.shape();
        match (u32::try_from(x), u32::try_from(y)) {
            (Ok(x), Ok(y)) if x < shape.width && y < shape.height => Ok(shape.state(x, y)),
            _ => {
                let (width, height) = (shape.width, shape.height);
                Err(input_error(format!("the cell ({x}, {y}) is outside the grid of {width} × {height}")))
            }
        }
    }

    /// Raises an error if a path connects two of these cells, between which none of a finite cost was found.
    fn check_lengths(&self, py: Python<'_>, mut pairs: impl Iterator<Item = (State, State)>) -> PyResult<()> {
        let Some(first) = pairs.by_ref().find(|(from, to)| self.0.is_free(*from) && self.0.is_free(*to)) else {
            return Ok(());
        };
        let components = py.detach(|| Components::new(&self.0));
        let Some((from, to)) = std::iter::once(first).chain(pairs).find(|(from, to)| components.connected(*from, *to))
        else {
            return Ok(());
        };
        let ((x, y), (to_x, to_y)) = (self.0.shape().xy(from), self.0.shape().xy(to));
        let max = INFINITY / cost::CARDINAL;
        Err(input_error(format!(
            "the path from ({x}, {y}) to ({to_x}, {to_y}) is longer than {max} cells, the maximum; use a smaller map"
        )))
    }

    /// The grid that another process sends: its free cells, eight per byte, then the cliffs of each cell, if any.
    pub fn received(sender: &mut impl Read, size: (u64, u64), diagonal: &str, has_cliffs: bool) -> PyResult<Grid> {
        let (shape, rule) = (shape(size.0, size.1)?, diagonal_rule(diagonal)?);
        let mut bytes = |count: usize| {
            let mut bytes = vec![0; count];
            sender.read_exact(&mut bytes).map(|()| bytes)
        };
        let bits = bytes(shape.cells().div_ceil(8))?;
        let cliffs = bytes(if has_cliffs { shape.cells() } else { 0 })?;
        let free = (0..shape.cells()).map(|cell| bits[cell / 8] >> (7 - cell % 8) & 1 == 1).collect();
        Ok(Grid(Arc::new(grid::Grid::with_cliffs(shape, rule, free, cliffs))))
    }

    /// Rows of start x, start y, goal x, goal y as states.
    pub fn problems(&self, problems: ArrayView2<'_, u32>) -> PyResult<Vec<(State, State)>> {
        if problems.ncols() != 4 {
            return Err(input_error("problems need four columns: start x, start y, goal x, goal y"));
        }
        let state = |x: u32, y: u32| self.state(x as i64, y as i64);
        problems.rows().into_iter().map(|row| Ok((state(row[0], row[1])?, state(row[2], row[3])?))).collect()
    }
}

#[pymethods]
impl Grid {
    #[staticmethod]
    #[pyo3(signature = (free, diagonal, cliffs = None))]
    fn from_array(
        free: PyReadonlyArray2<'_, bool>,
        diagonal: &str,
        cliffs: Option<PyReadonlyArray2<'_, u8>>,
    ) -> PyResult<Grid> {
        let free = free.as_array();
        let (height, width) = free.dim();
        let (shape, rule) = (shape(width as u64, height as u64)?, diagonal_rule(diagonal)?);
        let cliffs = cliffs.as_ref().map(PyReadonlyArray2::as_array);
        if let Some((rows, columns)) = cliffs.as_ref().map(|cliffs| cliffs.dim()).filter(|dim| *dim != (height, width))
        {
            return Err(input_error(format!(
                "cliffs of {columns} × {rows} cells do not fit a grid of {width} × {height}"
            )));
        }
        let cliffs = cliffs.map_or(Vec::new(), |cliffs| cliffs.iter().copied().collect());
        let free = free.iter().copied().collect();
        Ok(Grid(Arc::new(grid::Grid::with_cliffs(shape, rule, free, cliffs))))
    }

    /// Pickles the cells, so that a grid can be sent to another process.
    fn __reduce__<'py>(slf: &Bound<'py, Grid>) -> PyResult<Reduced<'py>> {
        let grid = slf.get();
        Ok((slf.getattr("from_array")?, (grid.free(slf.py()), grid.diagonal(), grid.cliffs(slf.py()))))
    }

    #[getter]
    fn width(&self) -> u32 {
        self.0.shape().width
    }

    #[getter]
    fn height(&self) -> u32 {
        self.0.shape().height
    }

    #[getter]
    fn diagonal(&self) -> &'static str {
        self.0.rule().name()
    }

    #[getter]
    fn free_cells(&self) -> usize {
        self.0.free_cells()
    }

    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:032x}", self.0.fingerprint())
    }

    fn free<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        rectangle(self.0.shape(), self.0.free().to_vec()).into_pyarray(py)
    }

    fn cliffs<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<u8>>> {
        let cliffs = self.0.cliffs();
        (!cliffs.is_empty()).then(|| rectangle(self.0.shape(), cliffs.to_vec()).into_pyarray(py))
    }

    fn with_diagonal(&self, py: Python<'_>, diagonal: &str) -> PyResult<Grid> {
        let rule = diagonal_rule(diagonal)?;
        Ok(Grid(Arc::new(py.detach(|| self.0.with_rule(rule)))))
    }

    fn components<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let number = |component| if component == NO_STATE { -1 } else { component as i32 };
        let of = py.detach(|| Components::new(&self.0).of.into_iter().map(number).collect());
        rectangle(self.0.shape(), of).into_pyarray(py)
    }

    fn distances<'py>(&self, py: Python<'py>, x: i64, y: i64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let from = self.state(x, y)?;
        let cells = |cost: &u32| if *cost == INFINITY { f64::INFINITY } else { cost::cells(*cost) };
        let distances: Vec<f64> = py.detach(|| Tree::default().distances(&self.0, from).iter().map(cells).collect());
        let is_far = |to: State| distances[to as usize].is_infinite();
        self.check_lengths(py, (0..distances.len() as State).filter(|to| is_far(*to)).map(|to| (from, to)))?;
        Ok(rectangle(self.0.shape(), distances).into_pyarray(py))
    }

    fn optimal<'py>(
        &self,
        py: Python<'py>,
        problems: PyReadonlyArray2<'_, u32>,
        jobs: usize,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let problems = self.problems(problems.as_array())?;
        let lengths = py
            .detach(|| optimal_lengths(&self.0, &problems, jobs))
            .map_err(|error| input_error(format!("{jobs} threads cannot be started ({error}); use fewer")))?;
        let unsolved = problems.iter().zip(&lengths).filter(|(_, length)| length.is_none());
        self.check_lengths(py, unsolved.map(|(problem, _)| *problem))?;
        let moves = |length: Option<Length>| length.map_or([-1, -1], |l| [l.cardinal as i64, l.diagonal as i64]);
        let rows: Vec<[i64; 2]> = lengths.into_iter().map(moves).collect();
        Ok(Array2::from(rows).into_pyarray(py))
    }
}
