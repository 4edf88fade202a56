//! The Python module `permove._core`: converts arguments, releases the GIL and maps errors. `_core.pyi` documents it.

mod agents;
mod batch;
mod checksum;
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
    use permove_core::plugins::heartbeat::Heartbeat;
    use permove_core::{batch, cost, pdb};
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        agents::{AgentInfo, Param, canonical, catalogue},
        batch::{Batch, Trace, solve, tick_overhead_ns},
        checksum::{checksum, is_sealed_json, seal_json},
        control::{Collection, DecisionTree, feature_names},
        database::{Database, DatabaseBuild, DatabaseFacts, GoalDepths, needs},
        generate::{draw_buckets, draw_problems, generate_map, generators},
        grid::Grid,
        hierarchy::{Hierarchy, survey_features},
        map::Map,
        plugins::{Plugin, PluginJob, PluginRunner, World, library_agents, no_records},
        records::{Table, bucket_bounds},
        scenario::Scenarios,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("DATABASE_MAGIC", pdb::file::MAGIC)?;
        module.add("RECORDS_VERSION", batch::RECORDS_VERSION)?;
        module.add("CARDINAL", cost::CARDINAL)?;
        module.add("DIAGONAL", cost::DIAGONAL)?;
        module.add("INFINITY", cost::INFINITY)?;
        module.add("HEARTBEAT_BYTES", Heartbeat::BYTES)?;
        module.add("PROBLEM_COLUMNS", crate::problems::COLUMNS)?;
        module.add("PastCutoff", module.py().get_type::<crate::plugins::PastCutoff>())?;
        crate::error::register(module)
    }
}
