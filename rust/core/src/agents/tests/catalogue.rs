//! The guarantees of the catalogue on generated maps: theorems of the papers, optimal paths, exact counts.

use super::{SETTINGS, databases, incomplete_samples, run, run_with, samples, solve, stays_consistent, watch};
use crate::agent::{Agent, Episode, Memory, Replan};
use crate::agents::astar::AStar;
use crate::agents::klrta::KLrta;
use crate::agents::lrta::Lrta;
use crate::agents::rtaa::Rtaa;
use crate::agents::single::Single;
use crate::agents::spec::Spec;
use crate::agents::{CATALOGUE, Entry};
use crate::batch::{self, Batch, DatabaseSet, Experiment, Placed, Record, Settings, Task};
use crate::cost::{Cost, INFINITY, Length};
use crate::graph::{Graph, State};
use crate::grid::{DiagonalRule, Grid, Shape, Terrain};
use crate::problems::Problem;
use crate::search::tree::Tree;
use crate::testing::{world, worlds};
use crate::world::sensor::Sensor;
use crate::world::status::Status;
use crate::world::trace::Ends;
use crate::world::trial::Limits;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// The samples without databases that solve a problem in seconds.
pub(super) fn samples_in_reach(problem: Problem) -> impl Iterator<Item = (&'static str, Spec)> {
    samples(false).filter(move |(_, spec)| !spec.backtracks() || problem.optimal.cells() < 120.0)
}

/// A* as in a textbook: a binary heap, ties to the larger g and then to the older entry, a closed list.
fn textbook_astar(grid: &Grid, problem: Problem) -> usize {
    let geometry = grid.geometry(0);
    let terrain = Terrain::new(&geometry, grid.moves());
    let h = |state| terrain.heuristic(state, problem.goal);
    let mut g = vec![INFINITY; grid.shape().cells()];
    let mut closed = HashSet::new();
    let mut open = BinaryHeap::new();
    let mut serial = 0;
    g[problem.start as usize] = 0;
    open.push(Reverse((h(problem.start), Reverse(0), serial, problem.start)));
    while let Some(Reverse((_, Reverse(cost), _, state))) = open.pop() {
        if state == problem.goal {
            break;
        }
        if !closed.insert(state) {
            continue;
        }
        terrain.successors(state, |next, edge| {
            if cost + edge < g[next as usize] {
                serial += 1;
                g[next as usize] = cost + edge;
                open.push(Reverse((cost + edge + h(next), Reverse(cost + edge), serial, next)));
            }
        });
    }
    closed.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_agent_reaches_the_goal_and_keeps_its_promises(world in worlds(128)) {
        let Some((grid, problem)) = world else { return Ok(()) };
        for (agent, spec) in samples_in_reach(problem) {
            let entry = spec.entry();
            let (Record { outcome, .. }, trace) = solve(&grid, problem, agent, SETTINGS);
            let is_solved = outcome.total.status() == Status::Solved;
            prop_assert!(!entry.complete || is_solved, "{} {:?}", agent, outcome.total.reason());
            prop_assert!(!entry.optimal || outcome.total.travel == problem.optimal, "{}", agent);
            prop_assert!(outcome.total.travel.units() >= problem.optimal.units(), "{}", agent);
            // Only ground states are traced; agents with a hierarchy also expand abstract ones.
            let (traced, expanded) = (trace.expansions.len() as u64, outcome.total.effort.expanded);
            let has_levels = spec.needs().level.is_some();
            prop_assert!(traced == expanded || has_levels && traced < expanded, "{}", agent);
            prop_assert_eq!(trace.planning.len() as u64, outcome.total.travel.moves());
        }
    }

    #[test]
    fn a_trace_contains_all_learning_and_discoveries_with_their_time(world in worlds(32), sensor in 0..4usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let sensor = [Sensor::All, Sensor::Square(1), Sensor::Square(5), Sensor::Cross][sensor];
        let geometry = grid.geometry(0);
        let terrain = Terrain::new(&geometry, grid.moves());
        let with_databases = samples(true).filter(|_| sensor == Sensor::All);
        for (agent, spec) in samples_in_reach(problem).chain(incomplete_samples()).chain(with_databases) {
            let (mut runner, mut memory) = (spec.build(), Memory::default());
            if runner.needs().level.is_some() {
                continue;
            }
            let Ok(databases) = databases(&grid, &spec) else { continue };
            let (outcome, trace) = run_with(&mut *runner, &mut memory, &grid, problem, (sensor, &databases));
            let mut risen = vec![0.0; grid.shape().cells()];
            trace.rises.iter().for_each(|rise| risen[rise.state as usize] = rise.to);
            for state in 0..risen.len() as State {
                let expected = memory.risen(state, problem.goal, |goal| terrain.heuristic(state, goal));
                prop_assert_eq!(risen[state as usize], expected, "{} of {}", agent, state);
            }
            prop_assert_eq!(trace.discovered.len() as u64, outcome.total.discovered, "{}", agent);
            prop_assert!(trace.discovered.iter().all(|state| !grid.is_free(*state)), "{}", agent);
            let end = Ends {
                expansions: trace.expansions.len(),
                rises: trace.rises.len(),
                discovered: trace.discovered.len(),
            };
            prop_assert_eq!(trace.ends.last(), Some(&end), "{}", agent);
            prop_assert_eq!(trace.ends.len(), trace.planning.len() + 1, "{}", agent);
            for (step, planning) in trace.ends.windows(2).zip(&trace.planning) {
                let expanded = (step[1].expansions - step[0].expansions) as u64;
                prop_assert_eq!(expanded, planning.effort.expanded, "{}", agent);
            }
        }
    }

    #[test]
    fn every_agent_reaches_the_goal_in_unknown_terrain(world in worlds(64), sensor in 0..3usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let sensor = [Sensor::Square(1), Sensor::Square(5), Sensor::Cross][sensor];
        for (agent, _) in samples_in_reach(problem) {
            let (Record { outcome, .. }, _) = solve(&grid, problem, agent, Settings { sensor, ..SETTINGS });
            prop_assert_eq!(outcome.total.status(), Status::Solved, "{} {:?}", agent, outcome.total.reason());
        }
    }

    #[test]
    fn astar_expands_as_many_states_as_the_textbook_and_none_twice(world in worlds(128)) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let (_, trace) = solve(&grid, problem, "astar", SETTINGS);
        prop_assert_eq!(trace.expansions.len(), textbook_astar(&grid, problem));
        prop_assert_eq!(trace.expansions.iter().collect::<HashSet<_>>().len(), trace.expansions.len());
    }

    /// Theorem 5 of rtaa-2006.
    #[test]
    fn with_lookahead_one_rtaa_and_klrta_are_the_same(world in worlds(64)) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let states = |agent| solve(&grid, problem, agent, SETTINGS).1.states;
        prop_assert_eq!(states("rtaa(k=1)"), states("klrta(k=1)"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Theorems 1 and 2 of rtaa-2006.
    #[test]
    fn rtaa_keeps_heuristics_consistent_and_monotone(world in worlds(24), lookahead in 1u64..60, movements in 1u64..9) {
        let Some((grid, problem)) = world else { return Ok(()) };
        stays_consistent(&mut Rtaa { lookahead, movements }, &grid, problem)?;
    }

    #[test]
    fn klrta_keeps_heuristics_consistent_and_monotone(world in worlds(24), lookahead in 1u64..60, moves in 1u64..9) {
        let Some((grid, problem)) = world else { return Ok(()) };
        stays_consistent(&mut KLrta { lookahead, moves, update_all: true }, &grid, problem)?;
    }

    #[test]
    fn lrta_of_depth_one_keeps_heuristics_consistent_and_monotone(world in worlds(24)) {
        let Some((grid, problem)) = world else { return Ok(()) };
        stays_consistent(&mut Single(Lrta::new(1)), &grid, problem)?;
    }

    #[test]
    fn lrta_never_lowers_its_heuristic(world in worlds(24), depth in 2u32..8) {
        let Some((grid, problem)) = world else { return Ok(()) };
        watch(&mut Single(Lrta::new(depth)), &grid, problem, |before, after| {
            prop_assert!(before.iter().zip(after).all(|(before, after)| before <= after));
            Ok(())
        })?;
    }

    /// rtaa-2006, Section 5: the heuristics of LRTA* dominate those of RTAA* after the same search.
    #[test]
    fn one_update_of_klrta_dominates_that_of_rtaa(world in worlds(24), lookahead in 1u64..60) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let rtaa = after_one_episode(&mut Rtaa { lookahead, movements: 1 }, &grid, problem);
        let klrta = after_one_episode(&mut KLrta { lookahead, moves: 1, update_all: true }, &grid, problem);
        prop_assert!(rtaa.iter().zip(&klrta).all(|(rtaa, klrta)| rtaa <= klrta));
    }
}

/// The heuristic after the first episode of an agent.
fn after_one_episode<A: Agent>(agent: &mut A, grid: &Grid, problem: Problem) -> Vec<Cost> {
    let mut h = Vec::new();
    let _ = watch(agent, grid, problem, |_, after| {
        h = after.to_vec();
        Err(TestCaseError::reject("one episode is enough"))
    });
    h
}

fn open_ground(side: u32) -> (Grid, Problem) {
    let shape = Shape::new(side, side);
    let grid = Grid::new(shape, DiagonalRule::Strict, vec![true; shape.cells()]);
    let (start, goal) = (shape.state(side / 2, side / 2), shape.state(side - 1, side / 2));
    let optimal = Length { cardinal: (side - 1 - side / 2) as u64, diagonal: 0 };
    (grid, Problem { start, goal, optimal })
}

#[test]
fn a_lookahead_of_depth_d_expands_the_odd_squares() {
    let (grid, problem) = open_ground(61);
    for (depth, expanded) in [(1, 1), (2, 9), (3, 25), (4, 49), (6, 121), (14, 729)] {
        let (record, _) = solve(&grid, problem, &format!("lrta(d={depth})"), SETTINGS);
        assert_eq!(record.outcome.total.first.effort.expanded, expanded, "depth {depth}");
        assert_eq!(record.outcome.total.worst.expanded, expanded, "depth {depth}");
    }
}

#[test]
fn an_episode_is_charged_to_its_first_move() {
    let (grid, problem) = open_ground(21);
    let (record, trace) = solve(&grid, problem, "astar", SETTINGS);
    let expanded: Vec<u64> = trace.planning.iter().map(|planning| planning.effort.expanded).collect();
    assert_eq!(expanded, [10, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(record.outcome.total.worst_move, 1);
    assert_eq!(record.outcome.total.effort.touched, 80);
}

#[test]
fn an_agent_that_exceeds_the_cutoff_is_stopped_and_its_count_reported() {
    let (grid, problem) = open_ground(21);
    let limits = Limits { cutoff: Some(9), ..SETTINGS.limits };
    let (record, _) = solve(&grid, problem, "astar", Settings { limits, ..SETTINGS });
    assert_eq!(record.outcome.total.status(), Status::Cutoff);
    assert_eq!(record.outcome.total.reason().as_deref(), Some("move 1 expanded 10 states, over 9"));
    assert_eq!((record.outcome.total.effort.expanded, record.outcome.total.travel.moves()), (10, 0));
    let limits = Limits { cutoff: Some(10), ..SETTINGS.limits };
    let (record, _) = solve(&grid, problem, "astar", Settings { limits, ..SETTINGS });
    assert_eq!(record.outcome.total.status(), Status::Solved);
}

#[test]
fn an_agent_that_exceeds_the_time_limit_is_stopped() {
    let (grid, problem) = open_ground(21);
    let limits = Limits { time_limit_ns: Some(0), ..SETTINGS.limits };
    let (record, _) = solve(&grid, problem, "astar", Settings { limits, timed: true, ..SETTINGS });
    assert_eq!(record.outcome.total.status(), Status::Cutoff);
    assert!(record.outcome.timing.is_some_and(|times| times.max_ns > 0 && times.first_ns == times.max_ns));
}

#[test]
fn an_agent_that_exceeds_the_travel_cap_is_stopped() {
    let grid = Grid::drawn(DiagonalRule::Strict, &["......", ".@@@@.", "....@.", ".@@@@.", "......"]);
    let problem = Problem {
        start: grid.shape().state(3, 2),
        goal: grid.shape().state(5, 2),
        optimal: Length { cardinal: 13, diagonal: 0 },
    };
    let limits = Limits { alpha: Some(1.0), ..SETTINGS.limits };
    let (record, _) = solve(&grid, problem, "lrta(d=1)", Settings { limits, ..SETTINGS });
    assert_eq!(record.outcome.total.status(), Status::TravelCap);
    assert!(record.outcome.total.travel.units() > problem.optimal.units());
}

#[test]
fn an_agent_without_a_path_is_stuck() {
    let grid = Grid::drawn(DiagonalRule::Strict, &["..@..", "..@..", "..@.."]);
    let problem = Problem { start: 0, goal: 4, optimal: Length { cardinal: 4, diagonal: 0 } };
    for agent in ["dijkstra", "astar", "wastar", "rtaa(k=100)", "klrta(k=100)"] {
        for sensor in [Sensor::All, Sensor::Square(1)] {
            let (record, _) = solve(&grid, problem, agent, Settings { sensor, ..SETTINGS });
            assert_eq!(record.outcome.total.status(), Status::Stuck, "{agent} {sensor}");
        }
    }
    let isolated = Grid::drawn(DiagonalRule::Strict, &[".@."]);
    let problem = Problem { start: 0, goal: 2, optimal: Length { cardinal: 2, diagonal: 0 } };
    // Without neighbours there is no hierarchy.
    let on_the_ground = |entry: &&Entry| Spec::parse(entry.name).is_ok_and(|spec| spec.needs().level.is_none());
    for agent in
        CATALOGUE.iter().filter(on_the_ground).map(|entry| entry.name).chain(["rta(d=3)", "lrta(d=3)", "lrts(d=3)"])
    {
        let (record, _) = solve(&isolated, problem, agent, SETTINGS);
        assert_eq!(record.outcome.total.status(), Status::Stuck, "{agent}");
    }
}

/// An agent that plans fixed moves.
struct Scripted(Vec<State>);

impl Agent for Scripted {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        episode.plan.extend(&self.0);
    }
}

#[test]
fn an_illegal_move_is_not_made() {
    let grid = Grid::drawn(DiagonalRule::Strict, &["...", ".@.", "..."]);
    let problem = Problem { start: 3, goal: 5, optimal: Length { cardinal: 4, diagonal: 0 } };
    for (sensor, through) in [(Sensor::All, 4), (Sensor::Square(1), 4), (Sensor::All, 5)] {
        let (outcome, _) = run(&mut Scripted(vec![through, 5]), &grid, problem, sensor);
        assert_eq!((outcome.total.status(), outcome.total.travel.moves()), (Status::Illegal, 0));
    }
}

#[test]
fn records_are_the_same_on_any_number_of_threads() {
    let (grid, problem) = (0..).find_map(|seed| world(2, 48, DiagonalRule::Strict, seed)).expect("caves have problems");
    let grid = Arc::new(grid);
    let mut tree = Tree::default();
    let distances = tree.distances(&grid, problem.start);
    let placed: Vec<Placed> = (0..distances.len() as State)
        .filter(|goal| (1..INFINITY).contains(&distances[*goal as usize]))
        .step_by(7)
        .enumerate()
        .map(|(ordinal, goal)| {
            let optimal = Length::of_cost(distances[goal as usize]).expect("the map is small");
            Placed { grid: 0, ordinal: ordinal as u64, problem: Problem { start: problem.start, goal, optimal } }
        })
        .collect();
    let specs: Vec<Spec> = samples(false).chain(samples(true)).map(|(_, spec)| spec).collect();
    let with_databases = samples(true).count();
    let databases = specs.iter().flat_map(|spec| databases(&grid, spec).expect("the map has its levels"));
    let databases = DatabaseSet::new(databases.collect());
    let run = |jobs, chunk, sensor| {
        let specs = match sensor {
            Sensor::All => specs.clone(),
            _ => specs[..specs.len() - with_databases].to_vec(),
        };
        let settings = Settings { sensor, ..SETTINGS };
        let numbers: Vec<u32> = (0..placed.len() as u32).collect();
        let tasks = (0..specs.len() as u32)
            .flat_map(|agent| numbers.chunks(chunk).map(move |part| Task { agent, problems: part.to_vec() }))
            .collect();
        let (grids, problems, databases) = (vec![grid.clone()], placed.clone(), databases.clone());
        let experiment = Experiment { grids, problems, agents: specs, databases, tasks, settings };
        let mut batch = Batch::start(experiment, jobs).expect("maps have the levels that agents need");
        let mut records = Vec::new();
        while let Some(some) = batch.next(Duration::from_secs(1)) {
            records.extend(some);
        }
        records.iter_mut().for_each(|record| (record.outcome.total.time_ns, record.build.ns) = (0, 0));
        records.sort_by_key(|record| (record.agent, record.problem));
        records
    };
    for sensor in [Sensor::All, Sensor::Square(10), Sensor::Square(1000)] {
        let sequential = run(1, 10, sensor);
        let skipped = if sensor == Sensor::All { 0 } else { with_databases };
        assert_eq!(sequential.len(), (specs.len() - skipped) * placed.len());
        assert!(sequential == run(3, 3, sensor), "three workers, {sensor}");
        // A worker keeps nothing from one problem to the next.
        for record in sequential.iter().step_by(37) {
            let (spec, placed) = (&specs[record.agent as usize], placed[record.problem as usize]);
            let settings = Settings { sensor, ..SETTINGS };
            let (fresh, _) = batch::solve(&grid, spec, &databases, placed, settings).expect("the map has its levels");
            assert_eq!(fresh.outcome.without_times(), record.outcome, "{} {sensor}", spec.canonical());
        }
    }
}

/// A* with a rule for replanning.
struct ReplanningAStar(Replan);

impl Agent for ReplanningAStar {
    fn replan(&self) -> Replan {
        self.0
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        AStar.plan(episode);
    }
}

#[test]
fn a_plan_ends_as_its_replanning_rule_says() {
    // The wall on the path is visible after three moves and adjacent after four. Walls next to the path are always
    // visible.
    let grid = Grid::drawn(DiagonalRule::None, &[".....@....", "..........", "@@@@@@@@@@"]);
    let problem = Problem { start: 0, goal: 9, optimal: Length { cardinal: 11, diagonal: 0 } };
    let planned = |replan| {
        let (outcome, trace) = run(&mut ReplanningAStar(replan), &grid, problem, Sensor::Square(2));
        assert_eq!((outcome.total.status(), outcome.total.travel), (Status::Solved, problem.optimal));
        let moves = trace.planning.iter().enumerate().filter(|(_, planning)| planning.effort.expanded > 0);
        moves.map(|(number, _)| number).collect::<Vec<_>>()
    };
    assert_eq!(planned(Replan::Blocked), [0, 3]);
    assert_eq!(planned(Replan::NextBlocked), [0, 4]);
    assert!(planned(Replan::Discovered).starts_with(&[0, 1, 2, 3]));
}
