//! Records as Arrow columns.

use arrow_array::builder::{ListBuilder, StructBuilder, UInt16Builder, UInt64Builder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use numpy::{IntoPyArray, PyArray1};
use permove_core::batch::Record;
use permove_core::cost::CARDINAL;
use permove_core::histogram::{self, Count};
use permove_core::world::status::Status;
use permove_core::world::timing::Timing;
use permove_core::world::trial::Trial;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// Rows as Arrow columns.
#[pyclass(frozen, module = "permove._core")]
pub struct Table(RecordBatch);

/// The tables of records and of their trials.
pub fn tables(records: &[Record]) -> PyResult<(Table, Table)> {
    let table = |columns: Result<RecordBatch, ArrowError>| {
        columns.map(Table).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    };
    Ok((table(record_columns(records))?, table(trial_columns(records))?))
}

/// One row per record, one column per metric.
fn record_columns(records: &[Record]) -> Result<RecordBatch, ArrowError> {
    let integer = |of: fn(&Record) -> u64| -> ArrayRef { Arc::new(records.iter().map(of).collect::<UInt64Array>()) };
    let index = |of: fn(&Record) -> u32| -> ArrayRef { Arc::new(records.iter().map(of).collect::<UInt32Array>()) };
    let real =
        |of: fn(&Record) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(records.iter().map(of))) };
    let of_solved = |of: fn(&Record) -> f64| -> ArrayRef {
        let solved = |record: &Record| (record.outcome.total.status() == Status::Solved).then(|| of(record));
        Arc::new(records.iter().map(solved).collect::<Float64Array>())
    };
    let time = |of: fn(&Timing) -> u64| -> ArrayRef {
        Arc::new(records.iter().map(|record| record.outcome.timing.as_ref().map(of)).collect::<UInt64Array>())
    };
    let memory_bytes: UInt64Array = records.iter().map(|record| record.outcome.memory_bytes).collect();
    let unexpanded_moves: UInt64Array = records.iter().map(|record| record.outcome.unexpanded_moves).collect();
    let status: StringArray = records.iter().map(|record| Some(record.outcome.total.status().name())).collect();
    let reason: StringArray = records.iter().map(|record| record.outcome.total.reason()).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("agent", index(|r| r.agent), false),
        ("problem", index(|r| r.problem), false),
        ("status", Arc::new(status), false),
        ("cost", of_solved(|r| r.outcome.cost.cells()), true),
        ("suboptimality", of_solved(|r| r.outcome.cost.cells() / r.optimal.cells()), true),
        ("travel", real(|r| r.outcome.total.travel.cells()), false),
        ("moves", integer(|r| r.outcome.total.travel.moves()), false),
        ("trials", index(|r| r.outcome.trials), false),
        ("episodes", integer(|r| r.outcome.total.episodes), false),
        ("expanded", integer(|r| r.outcome.total.effort.expanded), false),
        ("expanded_max", integer(|r| r.outcome.total.worst.expanded), false),
        ("expanded_max_move", integer(|r| r.outcome.total.worst_move), false),
        ("touched", integer(|r| r.outcome.total.effort.touched), false),
        ("touched_max", integer(|r| r.outcome.total.worst.touched), false),
        ("time_ns", integer(|r| r.outcome.total.time_ns), false),
        ("expanded_histogram", histograms(records.iter().map(|r| Some(&r.outcome.expanded[..]))), true),
        ("time_max_ns", time(|timing| timing.max_ns), true),
        ("time_p99_ns", time(|timing| timing.p99_ns), true),
        ("time_p999_ns", time(|timing| timing.p999_ns), true),
        ("time_max_repeats_ns", lists(records.iter().map(|r| Some(&r.outcome.timing.as_ref()?.worst_ns[..]))), true),
        ("time_histogram", histograms(records.iter().map(|r| Some(&r.outcome.timing.as_ref()?.histogram[..]))), true),
        ("repeats", time(|timing| timing.repeats.into()), true),
        ("disturbed", time(|timing| timing.disturbed), true),
        ("first_move_expanded", integer(|r| r.outcome.total.first.effort.expanded), false),
        ("first_move_touched", integer(|r| r.outcome.total.first.effort.touched), false),
        ("first_move_ns", time(|timing| timing.first_ns), true),
        ("cold_first_ns", time(|timing| timing.cold_first_ns), true),
        ("updates", integer(|r| r.outcome.learning.updates), false),
        ("learned", real(|r| r.outcome.learning.raised as f64 / CARDINAL as f64), false),
        ("memory", integer(|r| r.outcome.learning.entries), false),
        ("memory_bytes", Arc::new(memory_bytes), true),
        ("visits_per_state", real(|r| r.outcome.visits_per_state()), false),
        ("visits_max", integer(|r| r.outcome.total.visited.max), false),
        ("discovered", integer(|r| r.outcome.total.discovered), false),
        ("build_ns", integer(|r| r.build.ns), false),
        ("build_bytes", integer(|r| r.build.bytes), false),
        ("unexpanded_moves", Arc::new(unexpanded_moves), true),
        ("reason", Arc::new(reason), true),
    ])
}

/// A column of lists of numbers.
fn lists<'a>(rows: impl Iterator<Item = Option<&'a [u64]>>) -> ArrayRef {
    let mut builder = ListBuilder::new(UInt64Builder::new());
    rows.for_each(|row| builder.append_option(row.map(|row| row.iter().copied().map(Some))));
    Arc::new(builder.finish())
}

/// A column of histograms, each a list of buckets that are not empty.
fn histograms<'a>(rows: impl Iterator<Item = Option<&'a [Count]>>) -> ArrayRef {
    let fields = [("bucket", DataType::UInt16), ("count", DataType::UInt64)];
    let fields: Fields = fields.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect();
    let mut builder = ListBuilder::new(StructBuilder::from_fields(fields, 0));
    for row in rows {
        for Count { bucket, count } in row.unwrap_or_default() {
            let values = builder.values();
            values.field_builder::<UInt16Builder>(0).expect("buckets come first").append_value(*bucket);
            values.field_builder::<UInt64Builder>(1).expect("counts come second").append_value(*count);
            values.append(true);
        }
        builder.append(row.is_some());
    }
    Arc::new(builder.finish())
}

/// The smallest and the largest value of each bucket of a histogram.
#[pyfunction]
pub fn bucket_bounds(py: Python<'_>) -> (Py<PyArray1<u64>>, Py<PyArray1<u64>>) {
    let (low, high): (Vec<u64>, Vec<u64>) = (0..histogram::BUCKETS).map(histogram::bounds).unzip();
    (low.into_pyarray(py).unbind(), high.into_pyarray(py).unbind())
}

/// One row per trial, one column per metric.
fn trial_columns(records: &[Record]) -> Result<RecordBatch, ArrowError> {
    let trials = || {
        let each = |record: &'_ Record| record.outcome.each.len();
        records.iter().flat_map(move |record| (0..each(record)).map(move |i| (record, i, &record.outcome.each[i])))
    };
    let integer = |of: fn(&Trial) -> u64| -> ArrayRef {
        Arc::new(trials().map(|(_, _, trial)| of(trial)).collect::<UInt64Array>())
    };
    let index = |of: fn(&Record, usize) -> u32| -> ArrayRef {
        Arc::new(trials().map(|(record, i, _)| of(record, i)).collect::<UInt32Array>())
    };
    let travel = Float64Array::from_iter_values(trials().map(|(_, _, trial)| trial.travel.cells()));
    let status: StringArray = trials().map(|(_, _, trial)| Some(trial.status().name())).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("agent", index(|record, _| record.agent), false),
        ("problem", index(|record, _| record.problem), false),
        ("trial", index(|_, i| i as u32 + 1), false),
        ("status", Arc::new(status), false),
        ("travel", Arc::new(travel), false),
        ("moves", integer(|t| t.travel.moves()), false),
        ("episodes", integer(|t| t.episodes), false),
        ("expanded", integer(|t| t.effort.expanded), false),
        ("touched", integer(|t| t.effort.touched), false),
        ("time_ns", integer(|t| t.time_ns), false),
        ("first_move_expanded", integer(|t| t.first.effort.expanded), false),
        ("first_move_touched", integer(|t| t.first.effort.touched), false),
        ("changes", integer(|t| t.changes), false),
        ("discovered", integer(|t| t.discovered), false),
    ])
}

#[pymethods]
impl Table {
    /// Consumers may ask for another schema but always get this one.
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
