//! Goal control: the global goal (G), intermediate goals out of a pattern database (I, which dynamic-control-2008 calls
//! PDB), or these only where the global goal asks for too deep a search (G+I): dynamic-control-2008, Section 6 and
//! Appendix D; dynamic-control-2007, Figure 4.
//!
//! Goal and depth are looked up afresh for every move, from the region where the agent is. In the goal's own region the
//! goal is the global one, at depth 1.
//!
//! The re-entrance detector of Appendix D: with intermediate goals LRTA* may walk in circles, so a move from a state that
//! the agent has been to before goes for the global goal, and that move only. Since states that were visited stay so, an
//! agent that goes nowhere new is LRTA* with the global goal from then on, which is complete.

use crate::graph::State;
use crate::pdb::{Database, Key, Kind};
use std::sync::Arc;

/// The goal of a move, and the depth that is stored for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where to go.
    pub goal: State,
    /// The stored depth, capped; 1 where none is stored.
    pub depth: u32,
}

/// Which goals an agent moves towards.
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
}

/// Settings of goal control.
#[derive(Clone, Copy, Debug)]
pub struct GoalSettings {
    /// Which goals the agent moves towards.
    pub policy: Policy,
    /// Whether an intermediate goal is the next region's representative rather than where the path enters it.
    pub is_centroid: bool,
    /// The cap on depths from a database.
    pub cap: u32,
    /// Whether a move from a state visited before uses the depth stored for the global goal, rather than the cap.
    pub is_reentry_stored: bool,
    /// Whether the agent takes its depth from a database, too.
    pub is_depth_stored: bool,
}

impl GoalControl {
    /// Goal control with these settings.
    pub fn new(settings: GoalSettings) -> GoalControl {
        let GoalSettings { policy, is_centroid, cap, is_reentry_stored, is_depth_stored } = settings;
        let has_depths = match policy {
            Policy::Global => is_depth_stored,
            Policy::Intermediate => is_depth_stored && is_reentry_stored,
            Policy::Mixed => true,
        };
        GoalControl { policy, is_centroid, cap, is_reentry_stored, has_depths }
    }

    /// Whether it ever chooses another goal than the global one.
    pub fn is_dynamic(&self) -> bool {
        self.policy != Policy::Global
    }

    /// The databases that it needs, for agents that plan on level `base`.
    pub fn databases(&self, base: usize, level: usize) -> Vec<Key> {
        let kinds = [self.is_dynamic().then_some(Kind::Subgoals), self.has_depths.then_some(Kind::Depths)];
        kinds.into_iter().flatten().map(|kind| Key { kind, base, level }).collect()
    }

    /// Chooses for a move from `at`, given the databases that were asked for; `was_here` tells whether the agent has been
    /// there before.
    #[inline]
    pub fn choose(&self, databases: &[Arc<Database>], at: State, goal: State, was_here: bool) -> Choice {
        let depths = if self.has_depths { databases.last() } else { None };
        let global = |cap| {
            let stored = depths.map_or(cap, |depths| depths.depth(depths.region(at), depths.region(goal)));
            Choice { goal, depth: stored.min(self.cap) }
        };
        if self.policy == Policy::Global {
            return global(1);
        }
        if was_here {
            return if self.is_reentry_stored { global(self.cap) } else { Choice { goal, depth: self.cap } };
        }
        let subgoals = &databases[0];
        let (here, there) = (subgoals.region(at), subgoals.region(goal));
        if self.policy == Policy::Mixed && depths.is_some_and(|depths| depths.depth(here, there) <= self.cap) {
            return global(1);
        }
        match subgoals.subgoal(here, there) {
            None => Choice { goal, depth: 1 },
            Some(entry) if self.is_centroid => {
                Choice { goal: entry.centroid, depth: entry.centroid_depth.min(self.cap) }
            }
            Some(entry) => Choice { goal: entry.state, depth: entry.depth.min(self.cap) },
        }
    }
}
