//! The one border where the core's errors become Python's.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(permove._core, InputError, PyValueError, "Something a user gave is wrong.");

/// Anything that went wrong with what a user gave, as one sentence.
pub fn input_error(sentence: impl std::fmt::Display) -> PyErr {
    InputError::new_err(sentence.to_string())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<InputError>())
}
