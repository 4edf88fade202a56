//! A cache of the hierarchies of a batch's maps. The first thread that needs a hierarchy builds it.

use crate::abstraction::{Hierarchy, Variant};
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
    /// The hierarchies of the map itself.
    known: Arc<Hierarchies>,
    /// The hierarchies of a map of this size without obstacles, shared by all maps of the same size.
    open: Arc<Hierarchies>,
}

/// A hierarchy of each variant.
type Hierarchies = [OnceLock<BuiltHierarchy>; Variant::NAMES.len()];

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
    pub fn get(&self, grid: &Grid, variant: Variant, sensor: Sensor) -> &BuiltHierarchy {
        let build = || match sensor {
            Sensor::All => Hierarchy::of(grid, variant),
            _ => Hierarchy::open(grid.shape(), grid.rule(), variant),
        };
        let hierarchies = if sensor == Sensor::All { &self.known } else { &self.open };
        hierarchies[variant as usize].get_or_init(|| BuiltHierarchy::build(build))
    }
}
