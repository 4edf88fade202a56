//! Checksums of files.

use crate::error::input_error;
use permove_core::checksum::{self as core, Seal};
use pyo3::prelude::*;

#[pyfunction]
pub fn checksum(py: Python<'_>, content: &[u8]) -> String {
    py.detach(|| core::checksum(content))
}

#[pyfunction]
pub fn seal_json(text: &str) -> PyResult<String> {
    if !text.trim_end().ends_with('}') {
        return Err(input_error("only a JSON object can be sealed"));
    }
    Ok(core::seal_json(text))
}

/// `None` if there is no checksum.
#[pyfunction]
pub fn is_sealed_json(content: &[u8]) -> Option<bool> {
    match core::check_json(content) {
        Seal::Intact => Some(true),
        Seal::Missing => None,
        Seal::Broken => Some(false),
    }
}
