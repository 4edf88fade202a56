//! The one border where the core's errors become Python's.

use permove_core::batch::Unfit;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(permove._core, InputError, PyValueError, "Something a user gave is wrong.");

create_exception!(
    permove._core,
    UnfitError,
    InputError,
    "An agent cannot work on a map: a sentence that says why, and the number of the map."
);

/// Anything that went wrong with what a user gave, as one sentence.
pub fn input_error(sentence: impl std::fmt::Display) -> PyErr {
    InputError::new_err(sentence.to_string())
}

/// See [`UnfitError`].
pub fn unfit_error(unfit: &Unfit) -> PyErr {
    UnfitError::new_err((unfit.to_string(), unfit.grid))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<InputError>())?;
    module.add("UnfitError", module.py().get_type::<UnfitError>())
}
