//! Agents use only cells that they have sensed, and make only legal moves.

use super::{SETTINGS, run, samples, solve};
use crate::agent::{Agent, Episode};
use crate::agents::lrta::Lrta;
use crate::agents::single::Single;
use crate::batch::Settings;
use crate::cost::Cost;
use crate::graph::{Graph, State};
use crate::grid::{Grid, Shape};
use crate::rng;
use crate::testing::worlds;
use crate::world::sensor::Sensor;
use crate::world::status::Status;
use proptest::prelude::*;
use rand::RngExt;

/// The same map with random cells that the sensor does not show from these places.
fn with_random_unseen_cells(grid: &Grid, sensor: Sensor, places: &[State], seed: u64) -> Grid {
    let mut is_seen = vec![false; grid.shape().cells()];
    for &at in places {
        is_seen[at as usize] = true;
        sensor.from(at).look(grid.shape(), |state| is_seen[state as usize] = true);
    }
    let mut random = rng::stream(seed, &[b"elsewhere"]);
    let free = grid.free().iter().zip(is_seen).map(|(free, seen)| if seen { *free } else { random.random_bool(0.5) });
    Grid::new(grid.shape(), grid.rule(), free.collect())
}

/// Records every edge of the graph before every move, then moves as LRTA* does.
#[derive(Default)]
struct Recorder {
    edges: Vec<(State, State, Cost)>,
}

impl Agent for Recorder {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        for state in 0..episode.meter.states() as State {
            episode.meter.expand(state, |next, cost| self.edges.push((state, next, cost)));
        }
        Single(Lrta::new(1)).plan(episode);
    }
}

/// Moves straight towards the goal and ignores obstacles.
struct Blind(Shape);

impl Agent for Blind {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { at, goal, plan, .. } = episode;
        let ((mut x, mut y), (goal_x, goal_y)) = (self.0.xy(at), self.0.xy(goal));
        let step = |from: u32, to: u32| from.wrapping_add_signed(to.cmp(&from) as i32);
        while (x, y) != (goal_x, goal_y) {
            (x, y) = (step(x, goal_x), step(y, goal_y));
            plan.push(self.0.state(x, y));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_meter_shows_only_sensed_cells(world in worlds(16), radius in 1u32..6, seed: u64) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let sensor = Sensor::Square(radius);
        let (mut first, mut second) = (Recorder::default(), Recorder::default());
        let (_, trace) = run(&mut first, &grid, problem, sensor);
        let other = with_random_unseen_cells(&grid, sensor, &trace.states, seed);
        let (_, again) = run(&mut second, &other, problem, sensor);
        prop_assert_eq!(trace.states, again.states);
        prop_assert!(first.edges == second.edges);
    }

    #[test]
    fn moves_depend_only_on_sensed_cells(world in worlds(24), radius in 1u32..6, seed: u64) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let sensor = Sensor::Square(radius);
        let settings = Settings { sensor, ..SETTINGS };
        // Random ties depend on the fingerprint of the map.
        for (agent, _) in samples(false).filter(|(_, spec)| !spec.order().1) {
            let (_, trace) = solve(&grid, problem, agent, settings);
            let other = with_random_unseen_cells(&grid, sensor, &trace.states, seed);
            let (_, again) = solve(&other, problem, agent, settings);
            prop_assert_eq!(&trace.states, &again.states, "{}", agent);
            prop_assert_eq!(trace.expansions, again.expansions, "{}", agent);
        }
    }

    #[test]
    fn trials_contain_only_legal_moves(world in worlds(32), sensor in 0..4usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let sensor = [Sensor::All, Sensor::Square(1), Sensor::Square(5), Sensor::Cross][sensor];
        let (outcome, trace) = run(&mut Blind(grid.shape()), &grid, problem, sensor);
        let status = outcome.total.status();
        prop_assert!(matches!(status, Status::Solved | Status::Illegal), "{:?}", status);
        prop_assert_eq!(status == Status::Solved, trace.states.last() == Some(&problem.goal));
        for step in trace.states.windows(2) {
            let legal = (0..8).any(|direction| {
                grid.moves()[step[0] as usize] >> direction & 1 == 1
                    && grid.shape().neighbour(step[0], direction) == Some(step[1])
            });
            prop_assert!(legal, "{} to {}", step[0], step[1]);
        }
    }
}
