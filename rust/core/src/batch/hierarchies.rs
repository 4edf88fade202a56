//! A cache of the hierarchies of a batch's maps. The first thread that needs a hierarchy builds it.

use crate::abstraction::Hierarchy;
use crate::grid::Grid;
use crate::world::sensor::Sensor;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A hierarchy and its build time.
#[derive(Clone)]
pub struct BuiltHierarchy {
    /// The hierarchy.
    pub hierarchy: Arc<Hierarchy>,
    /// The build time.
    pub build_ns: u64,
}

impl BuiltHierarchy {
    fn build(build: impl FnOnce() -> Hierarchy) -> BuiltHierarchy {
        let started = Instant::now();
        let hierarchy = Arc::new(build());
        BuiltHierarchy { hierarchy, build_ns: started.elapsed().as_nanos() as u64 }
    }
}

/// The hierarchies of one map.
#[derive(Clone, Default)]
pub struct HierarchyCache {
    /// The hierarchy of the map itself.
    known: Arc<OnceLock<BuiltHierarchy>>,
    /// The hierarchy of a map of this size without obstacles, shared by all maps of the same size.
    open: Arc<OnceLock<BuiltHierarchy>>,
}

impl HierarchyCache {
    /// The empty caches of some maps.
    pub fn of(grids: &[Arc<Grid>]) -> Vec<HierarchyCache> {
        let mut open = HashMap::new();
        let cache = |grid: &Arc<Grid>| {
            let kind = (grid.shape().width, grid.shape().height, grid.rule());
            HierarchyCache { known: Arc::default(), open: Arc::clone(open.entry(kind).or_default()) }
        };
        grids.iter().map(cache).collect()
    }

    /// The initial hierarchy of agents with this sensor on a map.
    pub fn get(&self, grid: &Grid, sensor: Sensor) -> &BuiltHierarchy {
        match sensor {
            Sensor::All => self.known.get_or_init(|| BuiltHierarchy::build(|| Hierarchy::of(grid))),
            _ => self.open.get_or_init(|| BuiltHierarchy::build(|| Hierarchy::open(grid.shape(), grid.rule()))),
        }
    }
}
