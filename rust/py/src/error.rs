//! The mapping of the core's errors to Python exceptions.

use permove_core::agents::spec::SpecError;
use permove_core::batch::Unfit;
use permove_core::control::tree::TreeError;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::error::Error;

create_exception!(permove._core, InputError, PyValueError, "Something a user gave is wrong.");

create_exception!(
    permove._core,
    UnfitError,
    InputError,
    "An agent cannot work on a map: a sentence that says why, and the number of the map."
);

/// The facts of an error, which become attributes of the exception.
#[derive(Default)]
struct Facts<'a> {
    agent: Option<&'a str>,
    param: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<usize>,
}

impl<'a> Facts<'a> {
    fn of(error: &'a (dyn Error + 'static)) -> Facts<'a> {
        if let Some(error) = error.downcast_ref::<SpecError>() {
            let tree = if let SpecError::BadTree { error, .. } = error { Facts::of(error) } else { Facts::default() };
            Facts { agent: error.agent(), param: error.param(), ..tree }
        } else if let Some(error) = error.downcast_ref::<TreeError>() {
            Facts { file: Some(error.file()), line: error.line(), ..Facts::default() }
        } else {
            Facts::default()
        }
    }

    /// The exception with these facts. Facts that are unknown are `None`, an attribute of the class.
    fn explain(&self, sentence: String) -> PyErr {
        let error = InputError::new_err(sentence);
        let set = |py: Python<'_>| -> PyResult<()> {
            let exception = error.value(py);
            for (name, fact) in [("agent", self.agent), ("param", self.param), ("file", self.file)] {
                fact.map_or(Ok(()), |fact| exception.setattr(name, fact))?;
            }
            self.line.map_or(Ok(()), |line| exception.setattr("line", line))
        };
        Python::attach(set).err().unwrap_or(error)
    }
}

/// The exception for an error that a user caused, or for a sentence.
pub fn input_error(error: impl Into<Box<dyn Error + Send + Sync>>) -> PyErr {
    let error = error.into();
    Facts::of(&*error).explain(error.to_string())
}

/// The exception for an error in a file, in a line if that is known.
pub fn file_error(file: &str, line: Option<usize>, sentence: String) -> PyErr {
    Facts { file: Some(file), line, ..Facts::default() }.explain(sentence)
}

/// See [`UnfitError`].
pub fn unfit_error(unfit: &Unfit) -> PyErr {
    UnfitError::new_err((unfit.to_string(), unfit.grid))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for fact in ["agent", "param", "file", "line"] {
        py.get_type::<InputError>().setattr(fact, py.None())?;
    }
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("UnfitError", py.get_type::<UnfitError>())
}
