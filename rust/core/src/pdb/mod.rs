//! Pattern databases: dynamic-control-2008, Figures 6 and 8, and dynamic-control-2007, Figures 3 and 4.
//!
//! A map is cut into regions, the states of a level of its clique abstraction. For every pair of regions a database of
//! *subgoals* stores the intermediate goal, where the optimal path from the one's representative to the other's enters
//! the next region, and the optimal depth for it; a database of *depths* stores the optimal depth for the global goal. No
//! depth is capped, so one database serves every cap.
//!
//! What makes them cheap: the optimal depth depends only on representative and intermediate goal, and a region has a dozen
//! entries, so an entry of the table is a byte, the place of an intermediate goal in its region's list, and next to no
//! pair needs a search of its own. Global goals have no entries to share, but all of them share the plies of the lookahead
//! ([`plies`]), which do not depend on the goal. A `plane` is the graph that agents plan on, the ground or, for PR
//! LRTA*, a level above it; `build` fills the tables on all cores; `file` writes and reads them.

mod build;
pub mod file;
mod plane;
mod plies;
mod single;
#[cfg(test)]
mod tests;

pub use build::{Build, Halted, Unfit};
pub use file::{Database, Entry, Facts, Refused};
pub use single::SingleGoal;

/// What a database stores for each pair of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The intermediate goal, and the optimal depth for it.
    Subgoals = 1,
    /// The optimal depth for the global goal.
    Depths = 2,
}

impl Kind {
    /// Every kind with its name.
    pub const NAMES: [(&'static str, Kind); 2] = [("subgoals", Kind::Subgoals), ("depths", Kind::Depths)];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize - 1].0
    }
}

/// What a database of a map is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// What it stores.
    pub kind: Kind,
    /// The level that agents plan on: 0 is the ground.
    pub base: usize,
    /// The level whose states are the regions, not below the base.
    pub level: usize,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of level {} for agents on level {}", self.kind.name(), self.level, self.base)
    }
}

/// What stands in tables where there is no way, or none is needed.
const NO_WAY: u32 = u32::MAX;
