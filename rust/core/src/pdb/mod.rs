//! Pattern databases: dynamic-control-2008, Figures 6 and 8, and dynamic-control-2007, Figures 3 and 4.
//!
//! The states of one level of the clique abstraction divide a map into regions. A database has one entry per pair of
//! regions. A database of *subgoals* stores the intermediate goal, which is the state where the optimal path between
//! the representatives enters the next region, and the optimal depth for it. A database of *depths* stores the optimal
//! depth for the global goal. Depths are not capped, so one database serves all caps.
//!
//! The optimal depth for an intermediate goal depends only on that goal and the representative. A region has about a
//! dozen entry states, so the table stores their numbers, mostly in one byte, and few pairs need a search. Global goals
//! differ for all pairs, but they share the plies of the lookahead ([`plies`]), which do not depend on the goal. A
//! `plane` is the graph on which agents plan: the ground or, for PR LRTA*, a higher level. `build` fills the tables on
//! all cores, `file` writes and reads them, and `mapped` maps their files into memory.

mod build;
pub mod file;
mod mapped;
mod plane;
mod plies;
mod single;
#[cfg(test)]
mod tests;

pub use build::{Build, Halted, InvalidKey};
pub use file::{Database, Entry, Facts, Rejected};
pub use single::SingleGoal;

use crate::abstraction::Variant;

/// The content of a database for each pair of regions.
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

/// The moves that the optimal path of a database of subgoals takes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathRule {
    /// Diagonal moves, or the most expensive ones on an abstract level.
    #[default]
    Diagonal = 0,
    /// Cardinal moves, or the cheapest ones on an abstract level.
    Cardinal = 1,
}

impl PathRule {
    /// Every rule with its name.
    pub const NAMES: [(&'static str, PathRule); 2] =
        [("diagonal", PathRule::Diagonal), ("cardinal", PathRule::Cardinal)];

    /// Its name in specs and on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// The rule with a name.
    pub fn named(name: &str) -> Option<PathRule> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule)
    }
}

/// The identity of a database of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Its content.
    pub kind: Kind,
    /// The level on which agents plan; 0 is the ground.
    pub base: usize,
    /// The level whose states are the regions, at least the base.
    pub level: usize,
    /// The variant of the abstraction.
    pub variant: Variant,
    /// The moves that the optimal path takes first; always the default in a database of depths, which has no paths.
    pub path: PathRule,
}

impl Key {
    /// A key for regions on `level` and agents on level `base`.
    pub fn new(kind: Kind, (base, level): (usize, usize), variant: Variant, path: PathRule) -> Key {
        let path = if kind == Kind::Subgoals { path } else { PathRule::default() };
        Key { kind, base, level, variant, path }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Key { kind, base, level, variant, path } = self;
        write!(f, "{} of level {level} for agents on level {base}, abstraction={}", kind.name(), variant.name())?;
        if *kind == Kind::Subgoals { write!(f, ", path={}", path.name()) } else { Ok(()) }
    }
}

/// The entry of tables for pairs without a path, or that need none.
const NO_PATH: u32 = u32::MAX;
