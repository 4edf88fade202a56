//! Map files, and the rules that convert them to grids.

use crate::error::{file_error, input_error};
use crate::grid::{Grid, diagonal_rule};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use permove_core::grid::map::TerrainRule;
use permove_core::grid::{self, Shape};
use pyo3::prelude::*;
use std::sync::Arc;

/// A map file: a rectangle of letters.
#[pyclass(frozen, module = "permove._core")]
pub struct Map(pub grid::Map);

/// A shape, or an error if a side is out of range.
pub fn shape(width: u64, height: u64) -> PyResult<Shape> {
    let sides = 1..=Shape::LONGEST_SIDE as u64;
    if !sides.contains(&width) || !sides.contains(&height) {
        let max = Shape::LONGEST_SIDE;
        return Err(input_error(format!(
            "a grid of {width} × {height} cells is not supported; use sides of 1 to {max}"
        )));
    }
    Ok(Shape::new(width as u32, height as u32))
}

/// The rule with a name.
pub fn rule<T: Copy>(kind: &str, names: &[(&str, T)], name: &str) -> PyResult<T> {
    let rule = names.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule);
    let known = || names.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
    rule.ok_or_else(|| input_error(format!("there is no {kind} rule `{name}`; use {}", known())))
}

#[pymethods]
impl Map {
    #[staticmethod]
    fn parse(text: &[u8], source: &str) -> PyResult<Map> {
        grid::Map::parse(text)
            .map(Map)
            .map_err(|error| file_error(source, Some(error.line), format!("{source}, {error}")))
    }

    #[getter]
    fn width(&self) -> u32 {
        self.0.shape().width
    }

    #[getter]
    fn height(&self) -> u32 {
        self.0.shape().height
    }

    fn letters<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        rectangle(self.0.shape(), self.0.letters().to_vec()).into_pyarray(py)
    }

    fn scaled(&self, width: u64, height: u64) -> PyResult<Map> {
        Ok(Map(self.0.scaled(shape(width, height)?)))
    }

    fn largest_part(&self, py: Python<'_>, terrain: &str, diagonal: &str) -> PyResult<Map> {
        let (terrain, diagonal) = (rule("terrain", &TerrainRule::NAMES, terrain)?, diagonal_rule(diagonal)?);
        Ok(Map(py.detach(|| self.0.largest_part(terrain, diagonal))))
    }

    fn text(&self) -> PyResult<Vec<u8>> {
        let unsupported =
            "a changed map with cliffs cannot be written, since no type of file supports it; write the original";
        self.0.text().ok_or_else(|| input_error(unsupported))
    }

    fn grid(&self, py: Python<'_>, terrain: &str, diagonal: &str) -> PyResult<Grid> {
        let (terrain, diagonal) = (rule("terrain", &TerrainRule::NAMES, terrain)?, diagonal_rule(diagonal)?);
        Ok(Grid(Arc::new(py.detach(|| self.0.grid_under(terrain, diagonal)))))
    }
}

/// Values of all cells, as an array of height × width.
pub fn rectangle<T>(shape: Shape, values: Vec<T>) -> Array2<T> {
    Array2::from_shape_vec((shape.height as usize, shape.width as usize), values).expect("one value for every cell")
}
