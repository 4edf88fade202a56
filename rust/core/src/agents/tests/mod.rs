//! Tests of all agents, and the helpers that they share.

mod algorithm_space;
mod catalogue;
mod convergence;
mod depth_control;
mod pattern_databases;
mod refinement;
mod replanning;
mod sensing;

use super::CATALOGUE;
use super::spec::Spec;
use crate::agent::{Agent, Episode, Memory};
use crate::batch::{self, DatabaseSet, Placed, Record, Settings};
use crate::cost::{Cost, INFINITY};
use crate::graph::{Graph, State};
use crate::grid::{Grid, Terrain};
use crate::meter::Meter;
use crate::pdb::{self, Database};
use crate::problems::Problem;
use crate::search::tree::Tree;
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
    // Far beyond what any agent needs here, so that an agent in an endless loop fails.
    limits: Limits { cutoff: None, time_limit_ns: None, alpha: Some(1e6) },
    trials: Trials::Once,
    timed: false,
    seed: 1,
};

fn solve(grid: &Grid, problem: Problem, agent: &str, settings: Settings) -> (Record, Trace) {
    let spec = Spec::parse(agent).expect("the test names agents that exist");
    let databases = database_set(grid, &spec).expect("the map has its levels");
    let placed = Placed { grid: 0, ordinal: 0, problem };
    batch::solve(grid, &spec, &databases, placed, settings).expect("the map has its levels")
}

/// The pattern databases that an agent needs on a map.
fn database_set(grid: &Grid, spec: &Spec) -> Result<DatabaseSet, pdb::Unfit> {
    databases(grid, spec).map(DatabaseSet::new)
}

/// The same, as a list.
fn databases(grid: &Grid, spec: &Spec) -> Result<Vec<Arc<Database>>, pdb::Unfit> {
    let keys = spec.build().databases();
    let databases = keys.into_iter().map(|key| {
        let build = pdb::Build::new(&Arc::new(grid.clone()), key)?;
        let bytes = build.write(Cursor::new(Vec::new()), 1, &Progress::default()).expect("memory takes all");
        Ok(Arc::new(Database::from_bytes(bytes.into_inner(), grid).expect("it is whole")))
    });
    databases.collect()
}

/// Every agent of the catalogue with default parameters, and some agents with other parameters.
fn agents() -> Vec<String> {
    let defaults = CATALOGUE.iter().map(|entry| entry.name.to_owned());
    let others = [
        "wastar(gamma=0.5, reopen=yes)",
        "backward-astar(ties=random)",
        "dstar-lite(prefer=smaller-g)",
        "dstar-lite(ties=random)",
        "rta(d=2)",
        "rta(d=4, ties=random)",
        "lrta(d=2)",
        "lrta(d=5, ties=se)",
        "lrta(gamma=0.4)",
        "lrta(d=3, gamma=0.4)",
        "lrta(d=oracle, dmax=4)",
        "lrta(d=oracle, dmax=7, gamma=0.4, ties=w)",
        "klrta(k=1)",
        "klrta(k=33, moves=inf, ties=random)",
        "klrta(k=7, update=current)",
        "plrta(q=1)",
        "plrta(q=40, requeue=raise, ties=random)",
        "lrts(d=3, gamma=0.5, T=10)",
        "lrts(d=5, gamma=0.8, ties=random)",
        "lrts(d=2, T=0)",
        "slat(T=1)",
        "gamma-trap(d=1, gamma=0.2)",
        "rtaa(k=1)",
        "rtaa(k=33, moves=2)",
        "rtaa(k=inf)",
        "pr-lrts(l=0, d=2)",
        "pr-lrts(l=2, d=3, gamma=0.4)",
        "pr-lrts(l=2, d=2, T=10, child=direct, forget=changed, replan=next)",
        "pr-lrts(l=1, d=5, h0=euclid, replan=discovery, ties=random)",
        "pr-lrts(l=2, d=3, levels=aal)",
        "pr-lrta(l=2, d=3, gamma=0.4)",
        "pr-lrta(d=5, h0=euclid, child=direct, ties=random)",
        "pr-lrta(l=2, child=descend)",
        "pra(l=1, ties=random)",
        "pra(l=2, k=3, h0=octile)",
        "pra(k=1, corridor=narrow)",
        "pra(k=1)",
        "pra(k=2)",
        "pra(l=2, k=1)",
    ];
    defaults.chain(others.map(str::to_owned)).collect()
}

/// Agents with pattern databases, which need a known map.
const DATABASED: [&str; 13] = [
    "lrta(goal=pdb, l=1)",
    "lrta(d=3, goal=pdb, l=2, ties=random)",
    "lrta(goal=pdb, l=2, gamma=0.4)",
    "lrta(d=pdb, l=1, c=10)",
    "lrta(d=pdb, goal=pdb, l=0, c=inf)",
    "lrta(d=pdb, goal=pdb, l=2)",
    "lrta(d=pdb, goal=pdb, l=2, entry=centroid)",
    "lrta(d=pdb, goal=pdb, l=1, c=1000, reentry=pdb)",
    "lrta(d=pdb, goal=mixed, l=2, c=5)",
    "lrta(d=oracle, dmax=6, goal=pdb, l=2)",
    "pr-lrta(l=1, d=pdb, c=5)",
    "pr-lrta(l=1, d=pdb, goal=pdb, l2=2)",
    "pr-lrta(l=1, d=3, goal=pdb, l2=2, ties=random)",
];

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
        at = *plan.last().expect("there is a way");
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
                let mut least = INFINITY;
                terrain.successors(state, |next, cost| least = least.min(cost + after[next as usize]));
                prop_assert!(h <= least, "consistent");
            }
        }
        Ok(())
    })
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
    let (geometry, never, mut trace) = (grid.geometry(0), AtomicBool::new(false), Trace::default());
    let setting = Setting {
        grid,
        geometry: &geometry,
        sensor,
        hierarchy: None,
        databases,
        limits: SETTINGS.limits,
        trials: Trials::Once,
        clock: None,
        cancelled: &never,
    };
    let outcome = agent.run(&mut World::default(), memory, problem, setting, Some(&mut trace));
    (outcome.expect("nobody abandons it"), trace)
}
