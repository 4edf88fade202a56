//! The parameters of goal control, see [`crate::control::goal`], shared by LRTA* and PR LRTA*.

use super::spec::{MAX_LEVEL, Param, Values};
use crate::control::goal::{GoalControl, GoalSettings, Policy};

/// The policy.
pub(super) const GOAL: Param = Param::choice(
    "goal",
    &["global", "pdb", "mixed"],
    "where a move is to lead: to the goal, to an intermediate goal out of a pattern database, or to that only \
     where the depth stored for the goal exceeds c",
);

/// The level of a database's regions.
pub(super) const LEVEL: Param =
    Param::integer("l", 0, MAX_LEVEL, "3", "the level of abstraction of the pattern database");

/// The cap on stored depths.
pub(super) const CAP: Param = Param::count("c", "20", "the cap c on depths out of a pattern database");

/// Which state of the next region an intermediate goal is.
pub(super) const ENTRY: Param = Param::choice(
    "entry",
    &["entry", "centroid"],
    "what an intermediate goal is: where an optimal path enters the next region, or the region's centroid",
);

/// The depth of moves from states visited before.
pub(super) const REENTRY: Param = Param::choice(
    "reentry",
    &["cap", "pdb"],
    "the depth of a move from a state visited before, which goes for the global goal: c, or what is stored for that \
     goal; a depth that no database controls stays as it is",
);

/// The goal control that the values describe; `is_depth_stored` if the agent takes its depth from a database, too.
pub(super) fn goal_control(values: &Values, is_depth_stored: bool) -> GoalControl {
    let policy = match values.word("goal") {
        "global" => Policy::Global,
        "pdb" => Policy::Intermediate,
        _ => Policy::Mixed,
    };
    GoalControl::new(GoalSettings {
        policy,
        is_centroid: values.is("entry", "centroid"),
        cap: values.integer("c").min(u32::MAX as u64) as u32,
        is_reentry_stored: values.is("reentry", "pdb"),
        is_depth_stored,
    })
}

/// The name of the goal control in the papers.
pub(super) fn name(values: &Values) -> &'static str {
    match values.word("goal") {
        "global" => "G",
        "pdb" => "PDB",
        _ => "G+I",
    }
}
