//! The catalogue and the canonical form of specs.

use crate::error::input_error;
use permove_core::agents::spec::{self, Spec};
use permove_core::agents::{CATALOGUE, Entry};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// A parameter of an agent.
#[pyclass(frozen, get_all, module = "permove._core")]
pub struct Param {
    name: &'static str,
    default: &'static str,
    range: String,
    about: &'static str,
}

/// An entry of the catalogue.
#[pyclass(frozen, get_all, module = "permove._core")]
pub struct AgentInfo {
    name: &'static str,
    title: &'static str,
    paper: &'static str,
    about: &'static str,
    counts: &'static str,
    complete: bool,
    optimal: bool,
    learns: bool,
    params: Vec<Py<Param>>,
    samples: Vec<&'static str>,
    samples_with_databases: Vec<&'static str>,
}

impl AgentInfo {
    fn new(entry: &'static Entry, params: Vec<Py<Param>>) -> Self {
        let needs_databases = |sample: &&str| Spec::parse(sample).is_ok_and(|spec| !spec.needs().databases.is_empty());
        let samples_with_databases = entry.all_samples().filter(needs_databases).collect();
        let samples = entry.all_samples().chain(entry.incomplete_samples.iter().copied()).collect();
        let &Entry { name, title, paper, about, counts, complete, optimal, learns, .. } = entry;
        Self { name, title, paper, about, counts, complete, optimal, learns, params, samples, samples_with_databases }
    }
}

#[pyfunction]
pub fn catalogue(py: Python<'_>) -> PyResult<Vec<AgentInfo>> {
    let param = |param: &spec::Param| {
        let &spec::Param { name, default, about, kind } = param;
        Py::new(py, Param { name, default, range: kind.range(), about })
    };
    let info = |entry: &'static Entry| {
        let params = entry.all_params().map(param).collect::<PyResult<_>>()?;
        Ok(AgentInfo::new(entry, params))
    };
    CATALOGUE.iter().map(info).collect()
}

#[pyfunction]
pub fn canonical(name: &str, params: BTreeMap<String, String>) -> PyResult<(String, String)> {
    let params = params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let spec = Spec::new(name, params).map_err(input_error)?;
    Ok((spec.canonical(), spec.label()))
}
