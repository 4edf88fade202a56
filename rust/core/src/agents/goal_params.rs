//! The parameters of goal control (see [`crate::control::goal`]), shared by LRTA* and PR LRTA*.

use super::spec::{MAX_LEVEL, Param, Values};
use crate::control::goal::{GoalControl, GoalSettings, Policy};
use crate::pdb::PathRule;

/// The policy.
pub(super) const GOAL: Param = Param::choice(
    "goal",
    &["global", "pdb", "mixed"],
    "target of a move: the goal, an intermediate goal from a pattern database, or the latter only if the depth stored \
     for the goal exceeds c",
);

/// The level of a database's regions.
pub(super) const LEVEL: Param = Param::integer("l", 0, MAX_LEVEL, "3", "level of abstraction of the pattern database");

/// The cap on stored depths.
pub(super) const CAP: Param = Param::count("c", "20", "cap c on depths from a pattern database");

/// The state of the next region that is the intermediate goal.
pub(super) const ENTRY: Param = Param::choice(
    "entry",
    &["entry", "centroid"],
    "intermediate goal: the state in which an optimal path enters the next region, or the centroid of that region",
);

/// The depth of moves from states visited before.
pub(super) const REENTRY: Param = Param::choice(
    "reentry",
    &["cap", "pdb"],
    "depth of a move from a state visited before, which heads for the global goal: c, or the depth stored for that \
     goal; applies to d=pdb only",
);

/// The path to the next region.
pub(super) const PATH: Param = Param::choice(
    "path",
    &["diagonal", "cardinal"],
    "moves that the optimal path to an intermediate goal takes first; on an abstract level the longest or the shortest",
);

/// The goal control of these values. `is_depth_stored` means that the agent also reads its depth from a database.
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
        path: PathRule::named(values.word("path")).expect("the parameter's words are the rules' names"),
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
