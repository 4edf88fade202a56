//! The mapping of the core's errors to Python exceptions.

use permove_core::agents::spec::SpecError;
use permove_core::batch::Incompatible;
use permove_core::control::tree::TreeError;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::error::Error;

create_exception!(
    permove._core,
    InputError,
    PyValueError,
    "The input of a user is invalid; the message says what is wrong, where, and how to fix it.

Typical use:

    try:
        pm.run(\"embedded\", \"lrta(d=0)\")
    except pm.InputError as error:
        print(error, error.agent, error.param)"
);

create_exception!(
    permove._core,
    IncompatibleAgentError,
    InputError,
    "An agent cannot run on a map; `grid` is the number of the map."
);

/// The exception for an error or a message about a user's input.
pub fn input_error(error: impl Into<Box<dyn Error + Send + Sync>>) -> PyErr {
    let error = error.into();
    let spec = error.downcast_ref::<SpecError>();
    let tree = match spec {
        Some(SpecError::BadTree { error, .. }) => Some(error),
        _ => error.downcast_ref::<TreeError>(),
    };
    let (agent, param) = (spec.and_then(SpecError::agent), spec.and_then(SpecError::param));
    let (file, line) = (tree.map(TreeError::file), tree.and_then(TreeError::line));
    with_facts(error.to_string(), [("agent", agent), ("param", param), ("file", file)], line)
}

/// The exception for an error in a file, with its line if that is known.
pub fn file_error(file: &str, line: Option<usize>, message: String) -> PyErr {
    with_facts(message, [("file", Some(file))], line)
}

/// The exception with the known facts as attributes.
fn with_facts<const N: usize>(message: String, facts: [(&str, Option<&str>); N], line: Option<usize>) -> PyErr {
    let error = InputError::new_err(message);
    let set = |py: Python<'_>| -> PyResult<()> {
        let exception = error.value(py);
        for (name, fact) in facts {
            fact.map_or(Ok(()), |fact| exception.setattr(name, fact))?;
        }
        line.map_or(Ok(()), |line| exception.setattr("line", line))
    };
    Python::attach(set).err().unwrap_or(error)
}

/// The exception for an agent that cannot run on a map.
pub fn incompatible_error(py: Python<'_>, incompatible: &Incompatible) -> PyErr {
    let error = IncompatibleAgentError::new_err(incompatible.to_string());
    error.value(py).setattr("grid", incompatible.grid).map_or_else(|failed| failed, |()| error)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for fact in ["agent", "param", "file", "line"] {
        py.get_type::<InputError>().setattr(fact, py.None())?;
    }
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("IncompatibleAgentError", py.get_type::<IncompatibleAgentError>())
}
