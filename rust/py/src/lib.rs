//! The Python module `permove._core`: converts, releases the GIL, maps errors. What it means stands in `_core.pyi`.

mod agents;
mod batch;
mod control;
mod database;
mod error;
mod generate;
mod grid;
mod hierarchy;
mod map;
mod plugins;
mod problems;
mod records;
mod scenario;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::register(module)?;
    map::register(module)?;
    grid::register(module)?;
    hierarchy::register(module)?;
    scenario::register(module)?;
    generate::register(module)?;
    agents::register(module)?;
    database::register(module)?;
    problems::register(module)?;
    records::register(module)?;
    batch::register(module)?;
    control::register(module)?;
    plugins::register(module)
}
