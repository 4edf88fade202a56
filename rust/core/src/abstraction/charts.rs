//! The hierarchies of the maps of a batch, each built when it is first needed, by whoever needs it.

use super::Hierarchy;
use crate::grid::Grid;
use crate::world::sensor::Sensor;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A hierarchy and how long it took to build.
#[derive(Clone)]
pub struct Chart {
    /// The hierarchy.
    pub hierarchy: Arc<Hierarchy>,
    /// The time that it took.
    pub build_ns: u64,
}

impl Chart {
    fn build(build: impl FnOnce() -> Hierarchy) -> Chart {
        let begun = Instant::now();
        let hierarchy = Arc::new(build());
        Chart { hierarchy, build_ns: begun.elapsed().as_nanos() as u64 }
    }
}

/// The charts of one map.
#[derive(Clone, Default)]
pub struct Charts {
    known: Arc<OnceLock<Chart>>,
    /// Of a map of this size without obstacles: maps of the same size share it.
    open: Arc<OnceLock<Chart>>,
}

impl Charts {
    /// The charts of some maps, none of them drawn yet.
    pub fn of(grids: &[Arc<Grid>]) -> Vec<Charts> {
        let mut open = HashMap::new();
        let charts = |grid: &Arc<Grid>| {
            let kind = (grid.shape().width, grid.shape().height, grid.rule());
            Charts { known: Arc::default(), open: Arc::clone(open.entry(kind).or_default()) }
        };
        grids.iter().map(charts).collect()
    }

    /// The hierarchy that an agent with a sensor begins with on a map.
    pub fn chart(&self, grid: &Grid, sensor: Sensor) -> &Chart {
        match sensor {
            Sensor::All => self.known.get_or_init(|| Chart::build(|| Hierarchy::of(grid))),
            _ => self.open.get_or_init(|| Chart::build(|| Hierarchy::open(grid.shape(), grid.rule()))),
        }
    }
}
