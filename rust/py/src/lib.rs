//! The Python module `permove._core`: converts arguments, releases the GIL and maps errors. `_core.pyi` documents it.

mod agents;
mod batch;
mod control;
mod database;
mod error;
mod generate;
mod grid;
mod hierarchy;
mod map;
mod plugins;
mod problems;
mod records;
mod scenario;

#[pyo3::pymodule]
mod _core {
    use permove_core::cost;
    use permove_core::plugins::heartbeat::Heartbeat;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::{Batch, Trace, solve, tick_overhead_ns};
    #[pymodule_export]
    use crate::control::{Collection, DecisionTree, feature_names};
    #[pymodule_export]
    use crate::database::{Database, DatabaseBuild, DatabaseFacts, GoalDepths, needs};
    #[pymodule_export]
    use crate::generate::{draw_buckets, draw_problems, generate_map, generators};
    #[pymodule_export]
    use crate::grid::Grid;
    #[pymodule_export]
    use crate::hierarchy::{Hierarchy, survey_features};
    #[pymodule_export]
    use crate::map::Map;
    #[pymodule_export]
    use crate::plugins::{Plugin, PluginRunner, World, library_agents, no_records};
    #[pymodule_export]
    use crate::records::{Table, bucket_bounds};
    #[pymodule_export]
    use crate::scenario::Scenarios;

    #[pymodule_export]
    const DATABASE_MAGIC: &[u8] = permove_core::pdb::file::MAGIC;
    #[pymodule_export]
    const RECORDS_VERSION: u32 = permove_core::batch::RECORDS_VERSION;
    #[pymodule_export]
    const CARDINAL: cost::Cost = cost::CARDINAL;
    #[pymodule_export]
    const DIAGONAL: cost::Cost = cost::DIAGONAL;
    #[pymodule_export]
    const INFINITY: cost::Cost = cost::INFINITY;
    #[pymodule_export]
    const HEARTBEAT_BYTES: usize = Heartbeat::BYTES;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("PROBLEM_COLUMNS", crate::problems::COLUMNS)?;
        module.add("PastCutoff", module.py().get_type::<crate::plugins::PastCutoff>())?;
        crate::error::register(module)?;
        crate::agents::register(module)
    }
}
