//! Decision trees that choose depths, and their training data.

use crate::error::input_error;
use crate::grid::Grid;
use crate::problems;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use permove_core::batch::collect::{self, Sample, Wanted};
use permove_core::control::features::{FeatureSet, MAX_FEATURES};
use permove_core::control::tree::{MAX_DEPTH, MAX_MOVES, TreeFile};
use permove_core::workers::Progress;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn feature_set(name: &str) -> PyResult<FeatureSet> {
    FeatureSet::named(name).ok_or_else(|| {
        let known = FeatureSet::NAMES.map(|(known, _)| known).join(" or ");
        input_error(format!("there are no features '{name}'; use {known}"))
    })
}

fn in_range(name: &str, value: u64, min: u64, max: u64) -> PyResult<u32> {
    if (min..=max).contains(&value) {
        Ok(value as u32)
    } else {
        Err(input_error(format!("{name} {value} is out of range; {name} is {min}..{max}")))
    }
}

/// A collection of features and labels in progress.
#[pyclass(frozen, module = "permove._core")]
pub struct Collection {
    collection: Mutex<collect::Collection>,
    progress: Arc<Progress>,
    features: usize,
    #[pyo3(get)]
    total: usize,
}

#[pymethods]
impl Collection {
    #[new]
    #[pyo3(signature = (grids, problems, *, features, n, presearch, dmax, jobs, alpha=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        grids: Vec<PyRef<'_, Grid>>,
        problems: &Bound<'_, PyAny>,
        features: &str,
        n: u64,
        presearch: u64,
        dmax: u64,
        jobs: usize,
        alpha: Option<f64>,
    ) -> PyResult<Collection> {
        let set = feature_set(features)?;
        let n = in_range("n", n, 1, MAX_MOVES)?;
        let dmax = in_range("dmax", dmax, 1, MAX_DEPTH)?;
        let (min, max) = if set.has_presearch() { (1, dmax as u64) } else { (0, 0) };
        let presearch = in_range("presearch", presearch, min, max)?;
        let problems = problems::problems(&grids, problems)?;
        let grids = grids.iter().map(|grid| Arc::clone(&grid.0)).collect();
        let (features, total) = (set.features().len(), problems.len());
        let wanted = Wanted { set, n, presearch, dmax, alpha };
        let collection = py.detach(|| collect::Collection::start(grids, problems, wanted, jobs));
        let (progress, collection) = (Arc::clone(collection.progress()), Mutex::new(collection));
        Ok(Collection { collection, progress, features, total })
    }

    fn wait(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        let timeout = Duration::try_from_secs_f64(timeout).map_err(input_error)?;
        Ok(py.detach(|| self.collection.lock().expect("no thread panics while waiting").wait(timeout)))
    }

    #[getter]
    fn finished(&self) -> u64 {
        self.progress.finished()
    }

    fn cancel(&self) {
        self.progress.cancel();
    }

    #[allow(clippy::type_complexity)]
    fn samples<'py>(
        &self,
        py: Python<'py>,
    ) -> Option<(Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>)> {
        let collection = self.collection.lock().expect("no thread panics while waiting");
        let by_problem = collection.samples()?;
        let samples = || by_problem.iter().copied().flatten();
        let features: Vec<f32> =
            samples().flat_map(|sample: &Sample| &sample.features[..self.features]).copied().collect();
        let labels: Vec<u32> = samples().map(|sample| sample.label).collect();
        let problems =
            by_problem.iter().zip(0..).flat_map(|(samples, number)| std::iter::repeat_n(number, samples.len()));
        let problems: Vec<u32> = problems.collect();
        let features =
            Array2::from_shape_vec((labels.len(), self.features), features).expect("all have the same features");
        Some((features.into_pyarray(py), labels.into_pyarray(py), problems.into_pyarray(py)))
    }
}

#[pyfunction]
pub fn feature_names(features: &str) -> PyResult<Vec<&'static str>> {
    Ok(feature_set(features)?.features().to_vec())
}

/// A decision tree from a file.
#[pyclass(frozen, module = "permove._core")]
pub struct DecisionTree {
    file: TreeFile,
    #[pyo3(get)]
    features: &'static str,
    #[pyo3(get)]
    n: u32,
    #[pyo3(get)]
    presearch: u32,
    #[pyo3(get)]
    dmax: u32,
    #[pyo3(get)]
    is_sealed: bool,
}

#[pymethods]
impl DecisionTree {
    #[staticmethod]
    fn read(path: &str) -> PyResult<DecisionTree> {
        let file = TreeFile::read(path).map_err(input_error)?;
        let tree = file.tree();
        let (features, _) = FeatureSet::NAMES.iter().find(|(_, set)| *set == tree.set).expect("every set has a name");
        let (n, presearch, dmax) = (tree.n, tree.presearch, tree.dmax);
        let is_sealed = file.is_sealed();
        Ok(DecisionTree { features, n, presearch, dmax, is_sealed, file })
    }

    fn depths<'py>(&self, py: Python<'py>, features: PyReadonlyArray2<'_, f32>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (features, tree) = (features.as_array(), self.file.tree());
        let count = tree.set.features().len();
        if features.ncols() != count {
            return Err(input_error(format!("the tree needs {count} features, not {}", features.ncols())));
        }
        let depth = |row: numpy::ndarray::ArrayView1<'_, f32>| {
            let mut features = [0.0; MAX_FEATURES];
            features.iter_mut().zip(row).for_each(|(feature, value)| *feature = *value);
            tree.depth(&features)
        };
        Ok(features.rows().into_iter().map(depth).collect::<Vec<_>>().into_pyarray(py))
    }

    fn __str__(&self) -> String {
        self.file.to_string()
    }
}
