//! Records as Arrow columns.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt32Array, UInt64Array};
use arrow_schema::ArrowError;
use permove_core::batch::Record;
use permove_core::cost::CARDINAL;
use permove_core::world::trial::{MoveTimes, Status};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// Finished trials as Arrow columns.
#[pyclass(frozen, module = "permove._core")]
pub struct Records(RecordBatch);

impl Records {
    pub fn new(records: &[Record]) -> PyResult<Records> {
        columns(records).map(Records).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

/// One row a record, a column a measure.
fn columns(records: &[Record]) -> Result<RecordBatch, ArrowError> {
    let whole = |of: fn(&Record) -> u64| -> ArrayRef { Arc::new(records.iter().map(of).collect::<UInt64Array>()) };
    let index = |of: fn(&Record) -> u32| -> ArrayRef { Arc::new(records.iter().map(of).collect::<UInt32Array>()) };
    let real =
        |of: fn(&Record) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(records.iter().map(of))) };
    let of_solved = |of: fn(&Record) -> f64| -> ArrayRef {
        let solved = |record: &Record| (record.trial.status == Status::Solved).then(|| of(record));
        Arc::new(records.iter().map(solved).collect::<Float64Array>())
    };
    let time = |of: fn(MoveTimes) -> u64| -> ArrayRef {
        Arc::new(records.iter().map(|record| record.trial.times.map(of)).collect::<UInt64Array>())
    };
    let status: StringArray = records.iter().map(|record| Some(record.trial.status.name())).collect();
    let reason: StringArray = records.iter().map(|record| record.trial.reason.as_deref()).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("agent", index(|r| r.agent), false),
        ("problem", index(|r| r.problem), false),
        ("status", Arc::new(status), false),
        ("cost", of_solved(|r| r.trial.travel.cells()), true),
        ("suboptimality", of_solved(|r| r.trial.travel.cells() / r.optimal.cells()), true),
        ("travel", real(|r| r.trial.travel.cells()), false),
        ("moves", whole(|r| r.trial.travel.moves()), false),
        ("trials", index(|_| 1), false),
        ("expanded", whole(|r| r.trial.effort.expanded), false),
        ("expanded_max", whole(|r| r.trial.worst.expanded), false),
        ("expanded_max_move", whole(|r| r.trial.worst_move), false),
        ("touched", whole(|r| r.trial.effort.touched), false),
        ("touched_max", whole(|r| r.trial.worst.touched), false),
        ("time_ns", whole(|r| r.trial.time_ns), false),
        ("time_max_ns", time(|times| times.max_ns), true),
        ("time_p99_ns", time(|times| times.p99_ns), true),
        ("time_p999_ns", time(|times| times.p999_ns), true),
        ("first_move_expanded", whole(|r| r.trial.first.expanded), false),
        ("first_move_touched", whole(|r| r.trial.first.touched), false),
        ("first_move_ns", time(|times| times.first_ns), true),
        ("updates", whole(|r| r.trial.learning.updates), false),
        ("learned", real(|r| r.trial.learning.raised as f64 / CARDINAL as f64), false),
        ("memory", whole(|r| r.trial.learning.entries), false),
        // No agent so far prepares anything before its first trial.
        ("build_ns", whole(|_| 0), false),
        ("build_bytes", whole(|_| 0), false),
        ("reason", Arc::new(reason), true),
    ])
}

#[pymethods]
impl Records {
    /// Consumers may ask for another schema and must put up with this one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let reader = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Records>()
}
