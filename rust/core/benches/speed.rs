//! What a state, an expansion or a move costs, on the embedded suite's maps of 512 × 512 cells.
//!
//! Figures of criterion first, then one table: nanoseconds per unit, best of several runs, everything included, and the
//! ratio to the A* of the crate `pathfinding` per expansion on the same grids and problems in the same run.

use criterion::{Criterion, Throughput};
use pathfinding::prelude::astar;
use permove_core::agents::spec::Spec;
use permove_core::batch::{Batch, Placed, Settings, Task};
use permove_core::graph::{Graph, State};
use permove_core::grid::scenario;
use permove_core::grid::{DiagonalRule, Grid, Map, Terrain};
use permove_core::problems::Problem;
use permove_core::search::tree::Tree;
use permove_core::world::sensor::Sensor;
use permove_core::world::trial::Limits;
use permove_core::world::walk::Trials;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A grid with problems spread over its scenario.
struct Workload {
    grid: Arc<Grid>,
    problems: Vec<Placed>,
}

const MAPS: [&str; 4] = ["outdoor-lakes-512", "outdoor-valleys-512", "rooms-512", "caves-512"];
const PROBLEMS: usize = 30;

fn workload(name: &str) -> Workload {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read(root.join(path)).expect("the embedded suite is there");
    let map = Map::parse(&read(&format!("maps/{name}.map"))).expect("the embedded maps are well formed");
    let grid = map.grid(DiagonalRule::Strict);
    let scenarios = scenario::parse(&read(&format!("scenarios/{name}.map.scen"))).expect("so are the scenarios");
    let step = (scenarios.len() / PROBLEMS).max(1);
    let mut tree = Tree::default();
    let problems = scenarios.iter().step_by(step).enumerate().map(|(ordinal, scenario)| {
        let state = |(x, y)| grid.shape().state(x, y);
        let (start, goal) = (state(scenario.start), state(scenario.goal));
        let optimal = permove_core::cost::Length::of_cost(tree.distance(&grid, start, goal));
        Placed { grid: 0, ordinal: ordinal as u64, problem: Problem { start, goal, optimal } }
    });
    let problems = problems.collect();
    Workload { grid: Arc::new(grid), problems }
}

/// What a run is divided by.
#[derive(Clone, Copy)]
enum Unit {
    State,
    Expansion,
    Move,
}

/// Something to measure: how to run it once, and how many units that was.
struct Item {
    name: &'static str,
    unit: Unit,
    target: Option<f64>,
    run: fn(&Item, &[Workload]) -> u64,
}

const ITEMS: [Item; 10] = [
    Item { name: "pathfinding's A*", unit: Unit::Expansion, target: None, run: theirs },
    Item { name: "shortest-path tree", unit: Unit::State, target: Some(10.0), run: tree },
    Item { name: "dijkstra", unit: Unit::Expansion, target: None, run: agent },
    Item { name: "astar", unit: Unit::Expansion, target: Some(60.0), run: agent },
    Item { name: "rtaa(k=10)", unit: Unit::Expansion, target: None, run: agent },
    Item { name: "rtaa(k=100)", unit: Unit::Expansion, target: Some(60.0), run: agent },
    Item { name: "klrta(k=10)", unit: Unit::Expansion, target: None, run: agent },
    Item { name: "klrta(k=100)", unit: Unit::Expansion, target: Some(100.0), run: agent },
    Item { name: "lrta(d=1)", unit: Unit::Move, target: Some(60.0), run: agent },
    Item { name: "lrta(d=5)", unit: Unit::Expansion, target: None, run: agent },
];

fn tree(_: &Item, workloads: &[Workload]) -> u64 {
    let mut tree = Tree::default();
    let mut states = 0;
    for Workload { grid, problems } in workloads {
        for placed in problems {
            black_box(tree.distances(grid, placed.problem.start));
        }
        states += problems.len() * grid.free_cells();
    }
    states as u64
}

/// One batch over all maps on one thread, so that memory is laid out once, as in any run.
fn agent(item: &Item, workloads: &[Workload]) -> u64 {
    let spec = Spec::parse(item.name).expect("benchmarks name agents that exist");
    // Agents that learn walk for long on some maps: ten times the optimum tells what a move costs.
    let limits = Limits { cutoff: None, time_limit_ns: None, alpha: Some(10.0) };
    let settings = Settings { sensor: Sensor::All, limits, trials: Trials::Once, timed: false, seed: 1 };
    let (mut problems, mut tasks) = (Vec::new(), Vec::new());
    for (grid, workload) in workloads.iter().enumerate() {
        let begin = problems.len() as u32;
        problems.extend(workload.problems.iter().map(|placed| Placed { grid: grid as u32, ..*placed }));
        tasks.push(Task { agent: 0, problems: (begin..problems.len() as u32).collect() });
    }
    let grids = workloads.iter().map(|workload| Arc::clone(&workload.grid)).collect();
    let mut batch = Batch::start(grids, vec![spec], problems, tasks, settings, 1);
    let mut units = 0;
    while let Some(records) = batch.next(Duration::from_secs(1)) {
        for record in records {
            units += match item.unit {
                Unit::Move => record.walk.travel.moves(),
                _ => record.walk.effort.expanded,
            };
        }
    }
    units
}

fn theirs(_: &Item, workloads: &[Workload]) -> u64 {
    let mut expanded = 0;
    for Workload { grid, problems } in workloads {
        let geometry = grid.geometry(0);
        let terrain = Terrain::new(&geometry, grid.moves());
        for Placed { problem: Problem { start, goal, .. }, .. } in problems {
            let successors = |state: &State| {
                expanded += 1;
                let mut successors = Vec::with_capacity(8);
                terrain.successors(*state, |next, cost| successors.push((next, cost)));
                successors
            };
            black_box(astar(start, successors, |state| terrain.heuristic(*state, *goal), |state| state == goal));
        }
    }
    expanded
}

fn main() {
    let workloads = MAPS.map(workload);
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    for item in &ITEMS {
        let mut group = criterion.benchmark_group("512x512");
        group.throughput(Throughput::Elements((item.run)(item, &workloads)));
        group.bench_function(item.name, |bencher| bencher.iter(|| (item.run)(item, &workloads)));
        group.finish();
    }
    criterion.final_summary();

    println!("\n{:20} {:>10} {:>10} {:>8} {:>18}", "", "unit", "ns a unit", "target", "ratio to the first");
    let mut first = None;
    for item in &ITEMS {
        let cost = (0..5)
            .map(|_| {
                let begun = Instant::now();
                let units = (item.run)(item, &workloads);
                begun.elapsed().as_nanos() as f64 / units as f64
            })
            .fold(f64::INFINITY, f64::min);
        let first = *first.get_or_insert(cost);
        let unit = match item.unit {
            Unit::State => "state",
            Unit::Expansion => "expansion",
            Unit::Move => "move",
        };
        let target = item.target.map_or(String::new(), |target| format!("≤ {target}"));
        println!("{:20} {unit:>10} {cost:>10.1} {target:>8} {:>18.3}", item.name, cost / first);
    }
}
