//! Agents that plan one move at a time.
//!
//! Such a move costs as little as the bookkeeping of plans, so trials avoid that: see `world/trial.rs`.

use crate::agent::{Agent, Episode, SingleEpisode};
use crate::graph::{Graph, State};

/// An algorithm that plans one move.
pub(super) trait Step: Send {
    /// The next state; `None` means that there is no path.
    fn step<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State>;
}

/// The agent that makes the moves of a [`Step`].
pub(super) struct Single<S>(pub(super) S);

impl<S: Step> Agent for Single<S> {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        plan.extend(self.0.step(SingleEpisode { meter, memory, at, goal }));
    }

    const STEPS: bool = true;

    #[inline(always)]
    fn single_move<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        self.0.step(episode)
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::Spec;
    use crate::agent::Memory;
    use crate::cost::Length;
    use crate::grid::{DiagonalRule, Grid};
    use crate::problems::Problem;
    use crate::rng;
    use crate::search::ties::Ties;
    use crate::testing::worlds;
    use crate::world::runs::{Outcome, Trials, World};
    use crate::world::sensor::Sensor;
    use crate::world::status::Status;
    use crate::world::trace::Trace;
    use crate::world::trial::{Limits, Setting};
    use proptest::prelude::*;
    use std::sync::atomic::AtomicBool;

    const AGENTS: [&str; 12] = [
        "lrta(d=1)",
        "lrta(d=3, ties=e)",
        "lrta(d=1, gamma=0.4)",
        "lrta(d=1, ties=random)",
        "param",
        "param(E=yes)",
        "param(E=yes, ties=random)",
        "param(lop=median, E=yes)",
        "param(w=2, lop=avg, da=yes, ties=random)",
        "da-lrta",
        "da-lrta(wc=7, E=yes)",
        "w-lrta(w=3)",
    ];

    fn run(agent: &str, grid: &Grid, problem: Problem, (limits, trials): (Limits, Trials), is_traced: bool) -> Outcome {
        let spec = Spec::parse(agent).expect("there is such an agent");
        let (first, is_random) = spec.order();
        let ties = if is_random { Ties::Random(rng::stream(1, &[])) } else { Ties::First };
        let (geometry, never, mut trace) = (grid.geometry(first), AtomicBool::new(false), Trace::default());
        let setting = Setting {
            grid,
            geometry: &geometry,
            sensor: Sensor::All,
            hierarchy: None,
            databases: &[],
            limits,
            trials,
            clock: None,
            cancelled: &never,
        };
        let mut memory = Memory { ties, ..Memory::default() };
        let trace = is_traced.then_some(&mut trace);
        let outcome = spec.build().run(&mut World::default(), &mut memory, problem, setting, trace);
        let mut outcome = outcome.expect("nobody abandons it");
        // All but the clock.
        outcome.total.time_ns = 0;
        outcome.each.iter_mut().for_each(|trial| trial.time_ns = 0);
        outcome
    }

    proptest! {
        /// A traced run uses plans, an untraced run single moves.
        #[test]
        fn single_moves_come_to_what_plans_come_to(
            world in worlds(48), cutoff in 0..20u64, alpha in 0.5..50.0f64, most in 1..5u32
        ) {
            let Some((grid, problem)) = world else { return Ok(()) };
            let limits = Limits { cutoff: None, time_limit_ns: None, alpha: Some(alpha) };
            for agent in AGENTS {
                for (cutoff, trials) in [(None, Trials::Once), (Some(cutoff), Trials::Converge { most })] {
                    let bounds = (Limits { cutoff, ..limits }, trials);
                    let expected = run(agent, &grid, problem, bounds, true);
                    prop_assert_eq!(run(agent, &grid, problem, bounds, false), expected, "{}", agent);
                }
            }
        }
    }

    #[test]
    fn who_has_no_way_ends_alike_by_single_moves_and_by_plans() {
        let bounds = (Limits { cutoff: None, time_limit_ns: None, alpha: None }, Trials::Once);
        for rows in [[".@.", ".@."], ["..@", "..@"], ["@@@", ".@."]] {
            let grid = Grid::drawn(DiagonalRule::Free, &rows);
            let shape = grid.shape();
            let problem = Problem { start: shape.state(0, 1), goal: shape.state(2, 1), optimal: Length::default() };
            for agent in AGENTS {
                let found = run(agent, &grid, problem, bounds, false);
                assert_eq!(found.total.status(), Status::Stuck, "{agent}");
                assert_eq!(found, run(agent, &grid, problem, bounds, true), "{agent}");
            }
        }
    }
}
