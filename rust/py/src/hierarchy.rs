//! Clique abstractions of grids.

use crate::error::input_error;
use crate::grid::Grid;
use crate::map::rectangle;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use permove_core::abstraction::{self, Variant};
use permove_core::batch::hierarchies::{BuiltHierarchy, HierarchyCache};
use permove_core::graph::State;
use permove_core::grid;
use permove_core::survey::{FEATURES, Survey};
use permove_core::world::sensor::Sensor;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// The variant of the abstraction with a name.
pub fn variant(name: &str) -> PyResult<Variant> {
    let unknown = || input_error(format!("there is no abstraction '{name}'; use free or aligned"));
    Variant::named(name).ok_or_else(unknown)
}

/// A grid and its abstractions.
#[pyclass(frozen, module = "permove._core")]
pub struct Hierarchy {
    grid: Arc<grid::Grid>,
    hierarchy: Arc<abstraction::Hierarchy>,
    #[pyo3(get)]
    top: usize,
    #[pyo3(get)]
    bytes: usize,
    #[pyo3(get)]
    build_ns: u64,
}

impl Hierarchy {
    /// Checks that a level exists and is at least `min`.
    fn level(&self, level: u64, min: u64) -> PyResult<usize> {
        let top = self.hierarchy.top() as u64;
        if (min..=top).contains(&level) {
            Ok(level as usize)
        } else {
            Err(input_error(format!("there is no level {level}; use {min} to {top}")))
        }
    }

    /// The number of callbacks of `visit` for each state of a level.
    fn counts<'py>(
        &self,
        py: Python<'py>,
        level: usize,
        visit: impl Fn(State, &mut dyn FnMut(State)) + Sync,
    ) -> Bound<'py, PyArray1<u32>> {
        let count = |state| {
            let mut count = 0;
            visit(state, &mut |_| count += 1);
            count
        };
        let states = 0..self.hierarchy.states(level) as State;
        let counts: Vec<u32> =
            py.detach(|| states.filter(|state| self.hierarchy.is_state(level, *state)).map(count).collect());
        counts.into_pyarray(py)
    }
}

#[pymethods]
impl Hierarchy {
    #[new]
    #[pyo3(signature = (grid, abstraction = "aligned"))]
    fn new(py: Python<'_>, grid: &Grid, abstraction: &str) -> PyResult<Hierarchy> {
        let (grid, variant) = (Arc::clone(&grid.0), variant(abstraction)?);
        let built = py.detach(|| HierarchyCache::default().get(&grid, variant, Sensor::All).clone());
        let BuiltHierarchy { hierarchy, build_ns } = built;
        Ok(Hierarchy { grid, top: hierarchy.top(), bytes: hierarchy.bytes(), build_ns, hierarchy })
    }

    fn states(&self, level: u64) -> PyResult<usize> {
        Ok(self.hierarchy.count(self.level(level, 0)?))
    }

    fn degrees<'py>(&self, py: Python<'py>, level: u64) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let level = self.level(level, 0)?;
        Ok(self.counts(py, level, |state, visit| self.hierarchy.neighbours(level, state, visit)))
    }

    fn children<'py>(&self, py: Python<'py>, level: u64) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let level = self.level(level, 1)?;
        Ok(self.counts(py, level, |state, visit| self.hierarchy.children(level, state, visit)))
    }

    fn regions<'py>(&self, py: Python<'py>, level: u64) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let (hierarchy, level) = (&self.hierarchy, self.level(level, 0)?);
        let region = |cell| match hierarchy.is_state(0, cell) {
            true => hierarchy.ancestor(0, cell, level) as i32,
            false => -1,
        };
        let regions = py.detach(|| (0..hierarchy.states(0) as State).map(region).collect());
        Ok(rectangle(hierarchy.shape(), regions).into_pyarray(py))
    }

    fn survey<'py>(
        &self,
        py: Python<'py>,
        problems: PyReadonlyArray2<'_, u32>,
    ) -> PyResult<(Bound<'py, PyArray2<f32>>, u64, u64)> {
        let problems = Grid(Arc::clone(&self.grid)).problems(problems.as_array())?;
        let (rows, prepared, surveyed) = py.detach(|| {
            let started = Instant::now();
            let mut survey = Survey::new(&self.grid, &self.hierarchy);
            let prepared = started.elapsed();
            let rows: Vec<_> = problems.iter().map(|(start, goal)| survey.of(*start, *goal)).collect();
            (rows, prepared, started.elapsed() - prepared)
        });
        Ok((Array2::from(rows).into_pyarray(py), prepared.as_nanos() as u64, surveyed.as_nanos() as u64))
    }

    fn check(&self, py: Python<'_>) -> Option<String> {
        let check = || self.hierarchy.check(self.grid.moves(), |cell| self.grid.is_free(cell));
        py.detach(check).err().map(|broken| broken.to_string())
    }
}

#[pyfunction]
pub fn survey_features() -> Vec<&'static str> {
    FEATURES.to_vec()
}
