//! Tests of all agents, and shared helpers.

mod algorithm_space;
mod catalogue;
mod cliffs;
mod convergence;
mod depth_control;
mod pattern_databases;
mod refinement;
mod replanning;
mod sensors;
mod single_moves;

use super::spec::Spec;
use super::{CATALOGUE, Entry};
use crate::agent::{Agent, Episode, Memory};
use crate::batch::{self, DatabaseSet, Placed, Record, Settings};
use crate::cost::{Cost, INFINITY};
use crate::graph::{Graph, State};
use crate::grid::generate::KINDS;
use crate::grid::{DiagonalRule, Geometry, Grid, Terrain};
use crate::meter::Meter;
use crate::pdb::{self, Database};
use crate::problems::Problem;
use crate::search::tree::Tree;
use crate::testing::world;
use crate::workers::Progress;
use crate::world::runs::{Outcome, Runner, Trials, World};
use crate::world::sensor::Sensor;
use crate::world::trace::Trace;
use crate::world::trial::{Limits, Setting};
use proptest::prelude::*;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const SETTINGS: Settings = Settings {
    sensor: Sensor::All,
    // Far more than any agent needs here, so that an agent in an endless loop fails.
    limits: Limits { cutoff: None, time_limit_ns: None, alpha: Some(1e6), cap_each_trial: false },
    trials: Trials::Once,
    timed: false,
    repeats: 1,
    seed: 1,
};

fn solve(grid: &Grid, problem: Problem, agent: &str, settings: Settings) -> (Record, Trace) {
    let spec = Spec::parse(agent).expect("tests use valid specs");
    let databases = database_set(grid, &spec).expect("the map has its levels");
    let placed = Placed { grid: 0, ordinal: 0, problem };
    batch::solve(grid, &spec, &databases, placed, settings).expect("the map has its levels")
}

/// The pattern databases that an agent needs on a map.
fn database_set(grid: &Grid, spec: &Spec) -> Result<DatabaseSet, pdb::InvalidKey> {
    databases(grid, spec).map(DatabaseSet::new)
}

/// The databases of [`database_set`] as a list.
fn databases(grid: &Grid, spec: &Spec) -> Result<Vec<Arc<Database>>, pdb::InvalidKey> {
    let keys = spec.needs().databases;
    let databases = keys.into_iter().map(|key| {
        let build = pdb::Build::new(&Arc::new(grid.clone()), key)?;
        let bytes = build.write(Cursor::new(Vec::new()), 1, &Progress::default()).expect("memory suffices");
        Ok(Arc::new(Database::from_bytes(bytes.into_inner(), grid).expect("it is complete")))
    });
    databases.collect()
}

/// The samples of all agents in the catalogue, either those that need pattern databases or those that do not.
fn samples(need_databases: bool) -> impl Iterator<Item = (&'static str, Spec)> {
    let all = parsed(CATALOGUE.iter().flat_map(Entry::all_samples));
    all.filter(move |(_, spec)| spec.needs().databases.is_empty() != need_databases)
}

/// The samples that may never reach the goal.
fn incomplete_samples() -> impl Iterator<Item = (&'static str, Spec)> {
    parsed(CATALOGUE.iter().flat_map(|entry| entry.incomplete_samples.iter().copied()))
}

fn parsed(texts: impl Iterator<Item = &'static str>) -> impl Iterator<Item = (&'static str, Spec)> {
    texts.map(|text| (text, Spec::parse(text).expect("samples are valid specs")))
}

/// Runs an agent on a known grid and calls `check` with the heuristic before and after each episode.
fn watch<A: Agent>(
    agent: &mut A,
    grid: &Grid,
    problem: Problem,
    mut check: impl FnMut(&[Cost], &[Cost]) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let geometry = grid.geometry(0);
    let terrain = Terrain::new(&geometry, grid.moves());
    let mut memory = Memory::default();
    memory.begin(grid.shape().cells());
    agent.begin_problem();
    agent.begin_trial();
    let heuristic = |memory: &Memory| -> Vec<Cost> {
        (0..grid.shape().cells() as State)
            .map(|state| memory.learned.or(state, terrain.heuristic(state, problem.goal)))
            .collect()
    };
    let (mut at, mut before) = (problem.start, heuristic(&memory));
    let mut plan = Vec::new();
    while at != problem.goal {
        plan.clear();
        let mut meter = Meter::new(&terrain, None);
        let memory = &mut memory;
        agent.plan(Episode { meter: &mut meter, memory, at, goal: problem.goal, plan: &mut plan });
        at = *plan.last().expect("there is a path");
        let after = heuristic(memory);
        check(&before, &after)?;
        before = after;
    }
    Ok(())
}

/// Checks that the heuristic never decreases and stays admissible and consistent.
fn stays_consistent<A: Agent>(agent: &mut A, grid: &Grid, problem: Problem) -> Result<(), TestCaseError> {
    let mut tree = Tree::default();
    let distances = tree.distances(grid, problem.goal);
    let geometry = grid.geometry(0);
    let terrain = Terrain::new(&geometry, grid.moves());
    watch(agent, grid, problem, |before, after| {
        prop_assert!(before.iter().zip(after).all(|(before, after)| before <= after), "monotone");
        prop_assert_eq!(after[problem.goal as usize], 0);
        for state in 0..after.len() as State {
            let h = after[state as usize];
            if grid.is_free(state) {
                prop_assert!(h <= distances[state as usize], "admissible");
                let mut min = INFINITY;
                terrain.successors(state, |next, cost| min = min.min(cost + after[next as usize]));
                prop_assert!(h <= min, "consistent");
            }
        }
        Ok(())
    })
}

/// One trial on a known map, without a hierarchy or databases.
fn setting<'a>(grid: &'a Grid, geometry: &'a Geometry) -> Setting<'a> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let Settings { sensor, limits, trials, .. } = SETTINGS;
    Setting {
        grid,
        geometry,
        sensor,
        hierarchy: None,
        databases: &[],
        limits,
        trials,
        clock: None,
        too_slow: None,
        cancelled: &NEVER,
    }
}

fn until_converged(sensor: Sensor) -> Settings {
    Settings { sensor, trials: Trials::Converge { max: 100_000 }, ..SETTINGS }
}

prop_compose! {
    /// As [`worlds`](crate::testing::worlds), but all sizes are equally likely, since agents learn little on small
    /// maps.
    fn places(min: u32, max: u32)(
        kind in 0..KINDS.len(), side in min..=max, rule in 0..3usize, seed: u64
    ) -> Option<(Grid, Problem)> {
        world(kind, side, DiagonalRule::NAMES[rule].1, seed)
    }
}

/// Runs one trial of an agent that is not in the catalogue.
fn run<A: Agent>(agent: &mut A, grid: &Grid, problem: Problem, sensor: Sensor) -> (Outcome, Trace) {
    run_with(agent, &mut Memory::default(), grid, problem, (sensor, &[]))
}

/// Runs one trial of an agent without a hierarchy, and leaves its tables in `memory`.
fn run_with(
    agent: &mut dyn Runner,
    memory: &mut Memory,
    grid: &Grid,
    problem: Problem,
    (sensor, databases): (Sensor, &[Arc<Database>]),
) -> (Outcome, Trace) {
    let (geometry, mut trace) = (grid.geometry(0), Trace::default());
    let setting = Setting { sensor, databases, ..setting(grid, &geometry) };
    let outcome = agent.run(&mut World::default(), memory, problem, setting, Some(&mut trace));
    (outcome.expect("the run is not cancelled"), trace)
}
