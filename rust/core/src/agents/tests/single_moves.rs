//! Runs move by move and runs by plans have the same outcome, whether they are traced or not.

use super::{incomplete_samples, samples, setting};
use crate::agent::Memory;
use crate::agents::spec::Spec;
use crate::cost::Length;
use crate::grid::{DiagonalRule, Grid};
use crate::problems::Problem;
use crate::rng;
use crate::search::ties::Ties;
use crate::testing::worlds;
use crate::world::runs::{Outcome, Trials, World};
use crate::world::status::Status;
use crate::world::trace::Trace;
use crate::world::trial::{Limits, Setting};
use proptest::prelude::*;

/// Every sample that plans on the ground without databases.
fn on_the_ground() -> impl Iterator<Item = (&'static str, Spec)> {
    samples(false).chain(incomplete_samples()).filter(|(_, spec)| spec.needs().level.is_none())
}

fn run(spec: &Spec, grid: &Grid, problem: Problem, (limits, trials): (Limits, Trials), is_traced: bool) -> Outcome {
    let (order, is_random) = spec.order();
    let ties = if is_random { Ties::Random(rng::stream(1, &[])) } else { Ties::First };
    let (geometry, mut trace) = (grid.geometry(order), Trace::default());
    let setting = Setting { limits, trials, ..setting(grid, &geometry) };
    let mut memory = Memory { ties, ..Memory::default() };
    let trace = is_traced.then_some(&mut trace);
    let outcome = spec.build().run(&mut World::default(), &mut memory, problem, setting, trace);
    outcome.expect("the run is not cancelled").without_times()
}

proptest! {
    /// A traced run uses plans, an untraced run single moves if the agent plans them.
    #[test]
    fn single_moves_and_plans_have_the_same_outcome(
        world in worlds(48), cutoff in 0..20u64, alpha in 0.5..50.0f64, max in 1..5u32
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let limits = Limits { alpha: Some(alpha), ..Limits::default() };
        for (agent, spec) in on_the_ground() {
            for (cutoff, trials) in [(None, Trials::Once), (Some(cutoff), Trials::Converge { max })] {
                let bounds = (Limits { cutoff, ..limits }, trials);
                let expected = run(&spec, &grid, problem, bounds, true);
                prop_assert_eq!(run(&spec, &grid, problem, bounds, false), expected, "{}", agent);
            }
        }
    }
}

#[test]
fn agents_without_a_path_are_stuck_by_single_moves_and_by_plans() {
    let bounds = (Limits::default(), Trials::Once);
    for rows in [[".@.", ".@."], ["..@", "..@"], ["@@@", ".@."]] {
        let grid = Grid::drawn(DiagonalRule::Free, &rows);
        let shape = grid.shape();
        let problem = Problem { start: shape.state(0, 1), goal: shape.state(2, 1), optimal: Length::default() };
        for (agent, spec) in on_the_ground() {
            let actual = run(&spec, &grid, problem, bounds, false);
            assert_eq!(actual.total.status(), Status::Stuck, "{agent}");
            assert_eq!(actual, run(&spec, &grid, problem, bounds, true), "{agent}");
        }
    }
}
