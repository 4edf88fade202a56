//! Goal control: dynamic-control-2008, Section 6 and Appendix D; dynamic-control-2007, Figure 4. Moves head for the
//! global goal (G), for intermediate goals from a pattern database (I, called PDB in dynamic-control-2008), or for
//! intermediate goals only if the global goal needs too deep a search (G+I).
//!
//! Goal and depth are looked up for each move, by the region of the current state. In the goal's own region the goal is
//! the global one, at depth 1.
//!
//! The re-entrance detector of Appendix D: with intermediate goals LRTA* may run in circles, so each move from a state
//! visited before heads for the global goal. An agent that reaches no new states is therefore LRTA* with the global
//! goal, which is complete.

use crate::abstraction::Variant;
use crate::graph::State;
use crate::pdb::{Database, Key, Kind, PathRule};
use std::sync::Arc;

/// The goal of a move, and the depth that is stored for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The goal.
    pub goal: State,
    /// The stored depth, capped; 1 if none is stored.
    pub depth: u32,
}

/// The goals of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The global goal: G.
    #[default]
    Global,
    /// Intermediate goals from a pattern database: I.
    Intermediate,
    /// Intermediate goals only if the global goal needs too deep a search: G+I.
    Mixed,
}

/// Goal control, see [`GoalSettings`]; the default is the global goal.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoalControl {
    policy: Policy,
    is_centroid: bool,
    cap: u32,
    is_reentry_stored: bool,
    /// Whether a database of depths is used.
    has_depths: bool,
    path: PathRule,
}

/// Settings of goal control.
#[derive(Clone, Copy, Debug)]
pub struct GoalSettings {
    /// The goals of moves.
    pub policy: Policy,
    /// Whether an intermediate goal is the representative of the next region, rather than the state where the path
    /// enters it.
    pub is_centroid: bool,
    /// The cap on depths from a database.
    pub cap: u32,
    /// Whether a move from a state visited before uses the depth stored for the global goal, rather than the cap.
    pub is_reentry_stored: bool,
    /// Whether the agent also reads its depth from a database.
    pub is_depth_stored: bool,
    /// The moves that the path to an intermediate goal takes first.
    pub path: PathRule,
}

impl GoalControl {
    /// Goal control with these settings.
    pub fn new(settings: GoalSettings) -> GoalControl {
        let GoalSettings { policy, is_centroid, cap, is_reentry_stored, is_depth_stored, path } = settings;
        let has_depths = match policy {
            Policy::Global => is_depth_stored,
            Policy::Intermediate => is_depth_stored && is_reentry_stored,
            Policy::Mixed => true,
        };
        GoalControl { policy, is_centroid, cap, is_reentry_stored, has_depths, path }
    }

    /// Whether it may choose another goal than the global one.
    pub fn is_dynamic(&self) -> bool {
        self.policy != Policy::Global
    }

    /// Whether it needs databases.
    pub fn has_databases(&self) -> bool {
        self.is_dynamic() || self.has_depths
    }

    /// The databases that it needs, for agents that plan on level `base`.
    pub fn databases(&self, base: usize, level: usize, variant: Variant) -> Vec<Key> {
        let kinds = [self.is_dynamic().then_some(Kind::Subgoals), self.has_depths.then_some(Kind::Depths)];
        kinds.into_iter().flatten().map(|kind| Key::new(kind, (base, level), variant, self.path)).collect()
    }

    /// Chooses goal and depth of a move from `at`, given the databases that it needs. `is_visited` says whether the
    /// agent was at `at` before.
    #[inline]
    pub fn choose(&self, databases: &[Arc<Database>], at: State, goal: State, is_visited: bool) -> Choice {
        let depths = if self.has_depths { databases.last() } else { None };
        let global = |cap| {
            let stored = depths.map_or(cap, |depths| depths.depth(depths.region(at), depths.region(goal)));
            Choice { goal, depth: stored.min(self.cap) }
        };
        if self.policy == Policy::Global {
            return global(1);
        }
        if is_visited {
            return if self.is_reentry_stored { global(self.cap) } else { Choice { goal, depth: self.cap } };
        }
        let subgoals = &databases[0];
        let (region, goal_region) = (subgoals.region(at), subgoals.region(goal));
        if self.policy == Policy::Mixed && depths.is_some_and(|depths| depths.depth(region, goal_region) <= self.cap) {
            return global(1);
        }
        match subgoals.subgoal(region, goal_region) {
            None => Choice { goal, depth: 1 },
            Some(entry) if self.is_centroid => {
                Choice { goal: entry.centroid, depth: entry.centroid_depth.min(self.cap) }
            }
            Some(entry) => Choice { goal: entry.state, depth: entry.depth.min(self.cap) },
        }
    }
}
