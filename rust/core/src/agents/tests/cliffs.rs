//! All agents on maps with cliffs.

use super::catalogue::samples_in_reach;
use super::{SETTINGS, incomplete_samples, samples, solve};
use crate::abstraction::{Abstraction, Hierarchy, Variant};
use crate::agents::spec::Spec;
use crate::batch::Settings;
use crate::graph::State;
use crate::grid::Grid;
use crate::testing::worlds_with_cliffs;
use crate::world::model::{Found, Model};
use crate::world::sensor::Sensor;
use crate::world::status::Status;
use crate::world::trial::Limits;
use proptest::prelude::*;
use std::sync::Arc;

const SENSORS: [Sensor; 4] = [Sensor::All, Sensor::Square(1), Sensor::Square(5), Sensor::Cross];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The trial rejects a move that the grid does not have.
    #[test]
    fn no_agent_moves_across_a_cliff(world in worlds_with_cliffs(40), sensor in 0..4usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let settings = Settings { sensor: SENSORS[sensor], ..SETTINGS };
        for (agent, spec) in samples_in_reach(problem) {
            let (record, trace) = solve(&grid, problem, agent, settings);
            let total = &record.outcome.total;
            let is_solved = total.status() == Status::Solved;
            prop_assert!(is_solved || !spec.entry().complete, "{} {:?}", agent, total.reason());
            prop_assert!(!spec.entry().optimal || sensor > 0 || total.travel == problem.optimal, "{}", agent);
            for step in trace.states.windows(2) {
                let moves = grid.moves()[step[0] as usize];
                prop_assert!(grid.steps().direction(moves, step[0], step[1]).is_some(), "{} {:?}", agent, step);
            }
        }
        for (agent, _) in incomplete_samples() {
            let (record, _) = solve(&grid, problem, agent, Settings { limits: few_moves(), ..settings });
            prop_assert_ne!(record.outcome.total.status(), Status::Illegal, "{}", agent);
        }
    }

    #[test]
    fn agents_with_databases_reach_the_goal_past_cliffs(world in worlds_with_cliffs(32)) {
        let Some((grid, problem)) = world else { return Ok(()) };
        for (agent, spec) in samples(true) {
            if !has_levels(&grid, &spec) {
                continue;
            }
            let (record, _) = solve(&grid, problem, agent, SETTINGS);
            prop_assert_eq!(record.outcome.total.status(), Status::Solved, "{}", agent);
        }
    }

    /// An open hierarchy with all discoveries is an abstraction of the map.
    #[test]
    fn hierarchies_are_repaired_after_discoveries_of_cliffs(
        world in worlds_with_cliffs(40), (_, variant) in prop::sample::select(Variant::NAMES.to_vec())
    ) {
        let Some((grid, _)) = world else { return Ok(()) };
        let (mut abstraction, mut model) = (Abstraction::default(), Model::default());
        abstraction.begin(&Arc::new(Hierarchy::open(grid.shape(), grid.rule(), variant)));
        model.reset(grid.shape(), grid.rule());
        for cell in 0..grid.shape().cells() as State {
            let mut found = Found::default();
            model.sense(&grid, Sensor::Square(1).from(cell), &mut found);
            abstraction.discover(&found.blocked, &found.lost);
            abstraction.repair(1);
        }
        let checked = abstraction.get().check(grid.moves(), |cell| grid.is_free(cell));
        prop_assert_eq!(checked, Ok(()));
        prop_assert_eq!(Hierarchy::of(&grid, variant).check(grid.moves(), |cell| grid.is_free(cell)), Ok(()));
    }
}

fn few_moves() -> Limits {
    Limits { alpha: Some(50.0), ..SETTINGS.limits }
}

fn has_levels(grid: &Grid, spec: &Spec) -> bool {
    let needs = spec.needs();
    let top = |variant| Hierarchy::of(grid, variant).top();
    needs.databases.iter().all(|key| key.level <= top(key.variant))
}
