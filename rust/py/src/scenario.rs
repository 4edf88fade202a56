//! Scenario files as columns.

use crate::error::{file_error, input_error};
use crate::map::shape;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use permove_core::grid::scenario::{self, Scenario};
use pyo3::prelude::*;

/// The problems of one or more `.scen` files.
#[pyclass(frozen, module = "permove._core")]
pub struct Scenarios(pub Vec<Scenario>);

#[pymethods]
impl Scenarios {
    #[staticmethod]
    fn parse(py: Python<'_>, text: &[u8], source: &str) -> PyResult<Scenarios> {
        let parsed = py.detach(|| scenario::parse(text)).map(Scenarios);
        parsed.map_err(|error| file_error(source, Some(error.line), format!("{source}, {error}")))
    }

    fn text(&self) -> PyResult<Vec<u8>> {
        scenario::text(&self.0).map_err(|error| input_error(format!("the scenarios cannot be written: {error}")))
    }

    #[staticmethod]
    fn from_columns(
        map: Vec<String>,
        bucket: PyReadonlyArray1<'_, u32>,
        size: PyReadonlyArray2<'_, u32>,
        cells: PyReadonlyArray2<'_, u32>,
        length: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Scenarios> {
        let (bucket, size, cells) = (bucket.as_array(), size.as_array(), cells.as_array());
        let length = length.as_array();
        let rows = map.len();
        if bucket.len() != rows || size.dim() != (rows, 2) || cells.dim() != (rows, 4) || length.len() != rows {
            return Err(input_error("the columns of scenarios differ in length"));
        }
        let scenario = |(i, map)| {
            Ok(Scenario {
                bucket: bucket[i],
                map,
                shape: shape(size[(i, 0)] as u64, size[(i, 1)] as u64)?,
                start: (cells[(i, 0)], cells[(i, 1)]),
                goal: (cells[(i, 2)], cells[(i, 3)]),
                length: length[i],
                line: i + 2,
            })
        };
        map.into_iter().enumerate().map(scenario).collect::<PyResult<_>>().map(Scenarios)
    }

    #[getter]
    fn map(&self) -> Vec<&str> {
        self.0.iter().map(|scenario| scenario.map.as_str()).collect()
    }

    #[getter]
    fn bucket<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.0.iter().map(|scenario| scenario.bucket).collect::<Vec<_>>().into_pyarray(py)
    }

    #[getter]
    fn size<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        let rows: Vec<[u32; 2]> = self.0.iter().map(|s| [s.shape.width, s.shape.height]).collect();
        Array2::from(rows).into_pyarray(py)
    }

    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        let rows: Vec<[u32; 4]> = self.0.iter().map(|s| [s.start.0, s.start.1, s.goal.0, s.goal.1]).collect();
        Array2::from(rows).into_pyarray(py)
    }

    #[getter]
    fn length<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.iter().map(|scenario| scenario.length).collect::<Vec<_>>().into_pyarray(py)
    }

    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.0.iter().map(|scenario| scenario.line as u32).collect::<Vec<_>>().into_pyarray(py)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
