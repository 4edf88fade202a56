//! Generated maps and drawn problems.

use crate::error::input_error;
use crate::grid::Grid;
use crate::map::Map;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use permove_core::grid::Shape;
use permove_core::grid::generate::{self, KINDS};
use permove_core::problems::{self, Problem, ProblemsError};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// An option of a kind of map: name, default, minimum, maximum, description.
type Setting = (&'static str, f64, f64, f64, &'static str);

#[pyfunction]
pub fn generators() -> Vec<(&'static str, &'static str, Vec<Setting>)> {
    let setting = |option: &generate::Setting| (option.name, option.default, option.min, option.max, option.about);
    KINDS.iter().map(|kind| (kind.name, kind.about, kind.options.iter().map(setting).collect())).collect()
}

#[pyfunction]
pub fn generate_map(
    py: Python<'_>,
    kind: &str,
    width: u64,
    height: u64,
    seed: u64,
    options: BTreeMap<String, f64>,
) -> PyResult<Map> {
    let options = options.iter().map(|(name, value)| (name.as_str(), *value));
    py.detach(|| generate::generate(kind, width, height, seed, options)).map(Map).map_err(input_error)
}

/// Rows of start x, start y, goal x, goal y, and rows of cardinal and diagonal moves.
type Rows<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray2<i64>>);

#[pyfunction]
pub fn draw_problems<'py>(
    py: Python<'py>,
    grid: &Grid,
    count: usize,
    min: f64,
    max: f64,
    seed: u64,
) -> PyResult<Rows<'py>> {
    let drawn = py.detach(|| problems::in_range(&grid.0, count, min, max, seed));
    rows(py, grid.0.shape(), drawn)
}

#[pyfunction]
pub fn draw_buckets<'py>(py: Python<'py>, grid: &Grid, count: usize, every: u32, seed: u64) -> PyResult<Rows<'py>> {
    let drawn = py.detach(|| problems::in_buckets(&grid.0, count, every, seed));
    rows(py, grid.0.shape(), drawn)
}

fn rows(py: Python<'_>, shape: Shape, drawn: Result<Vec<Problem>, ProblemsError>) -> PyResult<Rows<'_>> {
    let drawn = drawn.map_err(input_error)?;
    let cells = |problem: &Problem| {
        let ((x, y), (goal_x, goal_y)) = (shape.xy(problem.start), shape.xy(problem.goal));
        [x, y, goal_x, goal_y]
    };
    let moves = |problem: &Problem| [problem.optimal.cardinal as i64, problem.optimal.diagonal as i64];
    let (cells, moves): (Vec<_>, Vec<_>) = drawn.iter().map(|problem| (cells(problem), moves(problem))).unzip();
    Ok((Array2::from(cells).into_pyarray(py), Array2::from(moves).into_pyarray(py)))
}
