//! The one border where the core's errors become Python's.

use permove_core::batch::Incompatible;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(permove._core, InputError, PyValueError, "Something a user gave is wrong.");

create_exception!(
    permove._core,
    IncompatibleAgentError,
    InputError,
    "An agent cannot run on a map; `grid` is the number of the map."
);

/// Anything that went wrong with what a user gave, as one sentence.
pub fn input_error(sentence: impl std::fmt::Display) -> PyErr {
    InputError::new_err(sentence.to_string())
}

/// See [`IncompatibleAgentError`].
pub fn incompatible_error(py: Python<'_>, incompatible: &Incompatible) -> PyErr {
    let error = IncompatibleAgentError::new_err(incompatible.to_string());
    error.value(py).setattr("grid", incompatible.grid).map_or_else(|failed| failed, |()| error)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<InputError>())?;
    module.add("IncompatibleAgentError", module.py().get_type::<IncompatibleAgentError>())
}
