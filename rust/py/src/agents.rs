//! The catalogue and the canonical form of specs.

use crate::error::input_error;
use permove_core::agents::spec::Spec;
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
    fn new(py: Python<'_>, entry: &'static Entry) -> PyResult<AgentInfo> {
        let params = entry.all_params().map(|param| {
            let (name, default, about) = (param.name, param.default, param.about);
            Py::new(py, Param { name, default, range: param.kind.range(), about })
        });
        let needs_databases = |sample: &&str| Spec::parse(sample).is_ok_and(|spec| !spec.needs().databases.is_empty());
        let &Entry { name, title, paper, about, counts, complete, optimal, learns, .. } = entry;
        Ok(AgentInfo {
            name,
            title,
            paper,
            about,
            counts,
            complete,
            optimal,
            learns,
            params: params.collect::<PyResult<_>>()?,
            samples: entry.all_samples().chain(entry.incomplete_samples.iter().copied()).collect(),
            samples_with_databases: entry.all_samples().filter(needs_databases).collect(),
        })
    }
}

#[pyfunction]
pub fn catalogue(py: Python<'_>) -> PyResult<Vec<AgentInfo>> {
    CATALOGUE.iter().map(|entry| AgentInfo::new(py, entry)).collect()
}

#[pyfunction]
pub fn canonical(name: &str, params: BTreeMap<String, String>) -> PyResult<(String, String)> {
    let params = params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let spec = Spec::new(name, params).map_err(input_error)?;
    Ok((spec.canonical(), spec.label()))
}
