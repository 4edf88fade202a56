//! Dynamic control with pattern databases: agents reach the goal under every control of depth and goal, and missing
//! databases are reported.

use super::{SETTINGS, database_set, samples};
use crate::agents::spec::Spec;
use crate::batch::{self, DatabaseSet, Incompatibility, Placed, Settings};
use crate::grid::{DiagonalRule, Grid};
use crate::pdb::Kind;
use crate::problems::in_range;
use crate::testing::worlds;
use crate::world::runs::Trials;
use crate::world::sensor::Sensor;
use crate::world::status::Status;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_agent_with_any_control_reaches_the_goal_in_every_trial(
        world in worlds(64), goal in 0..3usize, depth in 0..3usize, level in 0usize..5, cap in 1u32..30,
        options in 0..4usize
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let (goal, depth) = (["global", "pdb", "mixed"][goal], ["pdb", "1", "4"][depth]);
        let (entry, reentry) = (["entry", "centroid"][options % 2], ["cap", "pdb"][options / 2]);
        let text = format!("lrta(d={depth}, goal={goal}, l={level}, c={cap}, entry={entry}, reentry={reentry})");
        let spec = Spec::parse(&text).expect("the spec is valid");
        // Small maps have fewer levels.
        let Ok(databases) = database_set(&grid, &spec) else { return Ok(()) };
        let settings = Settings { trials: Trials::Converge { max: 3 }, ..SETTINGS };
        let placed = Placed { grid: 0, ordinal: 0, problem };
        let (record, _) = batch::solve(&grid, &spec, &databases, placed, settings).expect("all databases exist");
        let statuses: Vec<_> = record.outcome.each.iter().map(|trial| trial.status()).collect();
        prop_assert!(statuses.iter().all(|status| *status == Status::Solved), "{} {:?}", text, statuses);
        prop_assert_eq!(record.build.bytes > 0, !spec.needs().databases.is_empty());
    }
}

#[test]
fn missing_databases_are_reported() {
    let grid = Grid::drawn(DiagonalRule::Strict, &["....", "....", "...."]);
    let problem = in_range(&grid, 1, 1.0, 9.0, 1).expect("there is a path")[0];
    let spec = Spec::parse("lrta(goal=pdb, l=1)").expect("the spec is valid");
    let placed = Placed { grid: 0, ordinal: 0, problem };
    let reason = |databases: &DatabaseSet, sensor| {
        let settings = Settings { sensor, ..SETTINGS };
        batch::solve(&grid, &spec, databases, placed, settings).expect_err("the agent cannot run").reason
    };
    let missing = reason(&DatabaseSet::default(), Sensor::All);
    assert!(matches!(missing, Incompatibility::Database { key, .. } if key.kind == Kind::Subgoals && key.level == 1));
    let unknown = reason(&database_set(&grid, &spec).expect("the map has its levels"), Sensor::Square(3));
    assert!(matches!(unknown, Incompatibility::Sensor { .. }));
    // Databases of another map do not help.
    let other = Grid::drawn(DiagonalRule::Strict, &["....", ".@..", "...."]);
    let missing = reason(&database_set(&other, &spec).expect("the map has its levels"), Sensor::All);
    assert!(matches!(missing, Incompatibility::Database { .. }));
}

#[test]
fn labels_are_those_of_the_papers() {
    let label = |text: &str| Spec::parse(text).expect("the spec is valid").label();
    assert_eq!(label("lrta(d=4)"), "LRTA* (F, G) d=4");
    assert_eq!(label("lrta(d=2, goal=pdb, l=3)"), "LRTA* (F, PDB) d=2, ℓ=3");
    assert_eq!(label("lrta(d=pdb, goal=pdb, l=3, c=20)"), "LRTA* (PDB, PDB) ℓ=3, c=20");
    assert_eq!(label("lrta(d=pdb, l=4, c=inf)"), "LRTA* (PDB, G) ℓ=4, c=inf");
    assert_eq!(
        label("lrta(d=pdb, goal=mixed, l=4, c=30, entry=centroid)"),
        "LRTA* (PDB, G+I) ℓ=4, c=30, entry centroid"
    );
    assert!(samples(true).all(|(text, _)| label(text).contains("PDB") || label(text).contains("G+I")));
}
