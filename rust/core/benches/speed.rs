//! The cost of a state, an expansion, a move or a repair: on the embedded suite's known maps of 512 × 512 cells, in the
//! discovered mazes of rtaa-2006, and on small maps from trial to trial.
//!
//! `cargo bench -p permove-core -- NAME` measures only items with this name. If `PERMOVE_BENCH_MAPS` is a folder of
//! MovingAI's maps with their scenarios, they replace the embedded ones. After criterion's results, a table shows the
//! nanoseconds per unit, including everything, as the best of several runs, with the ratio to the A* of the crate
//! `pathfinding` per expansion on the same problems in the same run.
//!
//! `-- --once NAME` runs the item with this name once on one map and measures nothing; without a NAME it only loads the
//! map. `tests/bench/test_instructions.py` counts the instructions of such runs.

use criterion::{Criterion, Throughput};
use pathfinding::prelude::astar;
use permove_core::abstraction::{Hierarchy, Variant};
use permove_core::agent::{Agent, Episode, Memory};
use permove_core::agents::spec::Spec;
use permove_core::batch::collect::{Collection, Sample, Wanted};
use permove_core::batch::{Batch, DatabaseSet, Experiment, Placed, Settings, Task};
use permove_core::control::DepthControl;
use permove_core::control::features::FeatureSet;
use permove_core::control::tree::Tree as DecisionTree;
use permove_core::cost::{INFINITY, Length};
use permove_core::graph::{Graph, State};
use permove_core::grid::generate::generate;
use permove_core::grid::scenario;
use permove_core::grid::{DiagonalRule, Grid, Map, Terrain};
use permove_core::pdb::{Build, Database, Key, Kind, PathRule};
use permove_core::problems::{Problem, in_range};
use permove_core::search::lookahead::LookaheadContext;
use permove_core::search::tree::Tree;
use permove_core::workers::Progress;
use permove_core::world::runs::{Runner, Trials, World};
use permove_core::world::sensor::Sensor;
use permove_core::world::trial::{Limits, Setting};
use std::collections::HashMap;
use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// A grid with problems from its scenario.
struct Workload {
    grid: Arc<Grid>,
    problems: Vec<Placed>,
}

const MAPS: [&str; 4] = ["outdoor-lakes-512", "outdoor-valleys-512", "rooms-512", "caves-512"];
const PROBLEMS: usize = 30;
const MAZES: u64 = 40;
const SMALL: u64 = 10;
const ROUNDS: usize = 7;

/// The maps of the folder in `PERMOVE_BENCH_MAPS`, or those of the embedded suite, with their scenarios.
fn maps() -> Vec<Workload> {
    let Some(folder) = std::env::var_os("PERMOVE_BENCH_MAPS") else { return MAPS.map(embedded).into() };
    let entries = std::fs::read_dir(&folder).expect("PERMOVE_BENCH_MAPS is a folder");
    let mut maps: Vec<_> = entries.map(|entry| entry.expect("the folder is readable").path()).collect();
    maps.retain(|path| path.extension().is_some_and(|extension| extension == "map"));
    maps.sort();
    maps.iter().map(|map| workload(map, &map.with_extension("map.scen"))).collect()
}

/// A map of the embedded suite.
fn embedded(name: &str) -> Workload {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    workload(&root.join(format!("maps/{name}.map")), &root.join(format!("scenarios/{name}.map.scen")))
}

fn workload(map: &Path, scenario: &Path) -> Workload {
    let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let grid = Map::parse(&read(map)).expect("the map is valid").grid(DiagonalRule::Strict);
    let scenarios = scenario::parse(&read(scenario)).expect("the scenario is valid");
    let step = (scenarios.len() / PROBLEMS).max(1);
    let mut tree = Tree::default();
    let problems = scenarios.iter().step_by(step).enumerate().filter_map(|(ordinal, scenario)| {
        let state = |(x, y)| grid.shape().state(x, y);
        let (start, goal) = (state(scenario.start), state(scenario.goal));
        let cost = tree.distance(&grid, start, goal);
        // MovingAI's scenarios start with problems whose start is the goal.
        let problem = Problem { start, goal, optimal: Length::of_cost(cost).unwrap_or_default() };
        (problem.optimal.moves() > 0).then_some(Placed { grid: 0, ordinal: ordinal as u64, problem })
    });
    let problems = problems.collect();
    Workload { grid: Arc::new(grid), problems }
}

/// A maze of rtaa-2006, Section 8, with one problem.
fn maze(seed: u64) -> Workload {
    let map = generate("maze", 151, 151, seed, [("border", 0.0)]).expect("mazes of that size exist");
    let grid = map.grid(DiagonalRule::None);
    let problems = in_range(&grid, 1, 1.0, f64::INFINITY, seed).expect("mazes have problems");
    let problems = problems.into_iter().map(|problem| Placed { grid: 0, ordinal: 0, problem }).collect();
    Workload { grid: Arc::new(grid), problems }
}

/// A map of 200 × 200 cells with some problems.
fn small(seed: u64) -> Workload {
    let map = generate("outdoor", 200, 200, seed, []).expect("maps of that size exist");
    let grid = map.grid(DiagonalRule::Strict);
    let problems = in_range(&grid, 5, 40.0, 80.0, seed).expect("the map is large enough");
    let problems = problems.into_iter().map(|problem| Placed { grid: 0, ordinal: 0, problem }).collect();
    Workload { grid: Arc::new(grid), problems }
}

/// The maps and trials of a measurement.
#[derive(Clone, Copy, PartialEq)]
enum Setup {
    Maps,
    Mazes,
    Once,
    Converging,
}

impl Setup {
    fn title(self) -> &'static str {
        match self {
            Setup::Maps => "maps of 512 × 512",
            Setup::Mazes => "mazes, discovered",
            Setup::Once => "maps of 200 × 200, discovered, one trial",
            Setup::Converging => "the same to convergence",
        }
    }
}

/// The unit of a measurement.
#[derive(Clone, Copy, Debug)]
enum Unit {
    State,
    Expansion,
    Move,
    Cell,
    Query,
}

/// The units of a run, and the time of its preparation, which is subtracted.
struct Measured {
    units: u64,
    prepared_ns: u64,
}

impl From<u64> for Measured {
    fn from(units: u64) -> Measured {
        Measured { units, prepared_ns: 0 }
    }
}

/// A measurement: the function runs it once and returns the number of units.
struct Item {
    setup: Setup,
    name: &'static str,
    unit: Unit,
    target: Option<f64>,
    run: fn(&Item, &[Workload]) -> Measured,
}

const fn on_maps(name: &'static str, unit: Unit, target: Option<f64>, run: fn(&Item, &[Workload]) -> Measured) -> Item {
    Item { setup: Setup::Maps, name, unit, target, run }
}

const fn in_mazes(name: &'static str, target: Option<f64>, run: fn(&Item, &[Workload]) -> Measured) -> Item {
    Item { setup: Setup::Mazes, name, unit: Unit::Expansion, target, run }
}

const ITEMS: &[Item] = &[
    on_maps("pathfinding's A*", Unit::Expansion, None, pathfinding_astar),
    on_maps("shortest-path tree", Unit::State, Some(10.0), tree),
    on_maps("dijkstra", Unit::Expansion, None, agent),
    on_maps("astar", Unit::Expansion, Some(60.0), agent),
    on_maps("rtaa(k=10)", Unit::Expansion, None, agent),
    on_maps("rtaa(k=100)", Unit::Expansion, Some(60.0), agent),
    on_maps("klrta(k=10)", Unit::Expansion, None, agent),
    on_maps("klrta(k=100)", Unit::Expansion, Some(100.0), agent),
    on_maps("lrta(d=1)", Unit::Move, Some(60.0), agent),
    on_maps("lrta(d=5)", Unit::Expansion, None, agent),
    on_maps("param(lop=min)", Unit::Move, Some(25.0), agent),
    on_maps("param(lop=median,E=yes)", Unit::Move, Some(60.0), agent),
    on_maps("da-lrta(E=yes)", Unit::Move, None, agent),
    on_maps("param(w=3,wc=3,b=0.5,lop=median,da=yes,E=yes)", Unit::Move, None, agent),
    on_maps("lrta(d=1,goal=pdb,l=3)", Unit::Move, Some(200.0), agent),
    on_maps("lrta(d=pdb,goal=pdb,l=3)", Unit::Move, None, agent),
    on_maps(PRESEARCH, Unit::Move, None, controlled),
    on_maps(WITH_TREE, Unit::Move, None, controlled),
    on_maps("hierarchy, built", Unit::State, Some(297.0), build::<FREE>),
    on_maps("hierarchy, repaired at random", Unit::Cell, Some(3000.0), repair::<FREE>),
    on_maps("hierarchy, discovered", Unit::Cell, Some(3000.0), discover::<FREE>),
    on_maps("aligned hierarchy, built", Unit::State, Some(297.0), build::<ALIGNED>),
    on_maps("aligned hierarchy, repaired at random", Unit::Cell, Some(3000.0), repair::<ALIGNED>),
    on_maps("aligned hierarchy, discovered", Unit::Cell, Some(3000.0), discover::<ALIGNED>),
    on_maps("pra", Unit::Query, Some(1e6), agent),
    on_maps("pr-lrts(l=3,d=3)", Unit::Move, None, agent),
    in_mazes("pathfinding's A*", None, pathfinding_astar),
    in_mazes("rtaa(k=33,ties=random)", Some(30.0), agent),
    in_mazes("rtaa(k=89,ties=random)", Some(30.0), agent),
    in_mazes("klrta(k=33,moves=inf,ties=random)", Some(60.0), agent),
    in_mazes("klrta(k=89,moves=inf,ties=random)", Some(60.0), agent),
    in_mazes("dstar-lite(ties=random)", Some(200.0), agent),
    in_mazes("lra(ties=random)", None, agent),
    in_mazes("backward-astar(ties=random)", None, agent),
    Item { setup: Setup::Once, name: "lrts(d=1)", unit: Unit::Move, target: None, run: agent },
    Item { setup: Setup::Once, name: "lrts(d=3,gamma=0.4,T=100)", unit: Unit::Move, target: None, run: agent },
    Item { setup: Setup::Converging, name: "lrts(d=1)", unit: Unit::Move, target: None, run: agent },
    Item { setup: Setup::Converging, name: "lrts(d=3,gamma=0.4,T=100)", unit: Unit::Move, target: None, run: agent },
];

/// LRTA* with an extensible lookahead of depth 1, without and with a decision tree that always chooses 1.
const PRESEARCH: &str = "lrta, pre-search alone";
const WITH_TREE: &str = "lrta, pre-search and tree";
const TREE_TARGET: f64 = 100.0;

fn tree(_: &Item, workloads: &[Workload]) -> Measured {
    let mut tree = Tree::default();
    let mut states = 0;
    for Workload { grid, problems } in workloads {
        for placed in problems {
            black_box(tree.distances(grid, placed.problem.start));
        }
        states += problems.len() * grid.free_cells();
    }
    (states as u64).into()
}

/// The variants of the abstraction, by their number in [`Variant::NAMES`].
const FREE: usize = Variant::Free as usize;
const ALIGNED: usize = Variant::Aligned as usize;

fn hierarchy<const VARIANT: usize>(grid: &Grid) -> Hierarchy {
    Hierarchy::of(grid, Variant::NAMES[VARIANT].1)
}

fn build<const VARIANT: usize>(_: &Item, workloads: &[Workload]) -> Measured {
    let built = |workload: &Workload| {
        black_box(hierarchy::<VARIANT>(&workload.grid));
        workload.grid.free_cells() as u64
    };
    workloads.iter().map(built).sum::<u64>().into()
}

/// Blocks and repairs scattered cells, one in twenty of the map's.
fn repair<const VARIANT: usize>(_: &Item, workloads: &[Workload]) -> Measured {
    let scattered = |grid: &Grid| {
        let cells = grid.shape().cells() as u64;
        let cell = move |number: u64| ((number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % cells) as State;
        (0..cells / 20).map(cell).collect()
    };
    block(workloads, hierarchy::<VARIANT>, scattered)
}

/// Discovers the map row by row, cell by cell, starting without knowledge.
fn discover<const VARIANT: usize>(_: &Item, workloads: &[Workload]) -> Measured {
    let blocked = |grid: &Grid| (0..grid.shape().cells() as State).filter(|cell| !grid.is_free(*cell)).collect();
    let open = |grid: &Grid| Hierarchy::open(grid.shape(), grid.rule(), Variant::NAMES[VARIANT].1);
    block(workloads, open, blocked)
}

/// Blocks cells one after the other, each with its repair.
fn block(workloads: &[Workload], start: fn(&Grid) -> Hierarchy, cells: impl Fn(&Grid) -> Vec<State>) -> Measured {
    let (mut units, mut prepared) = (0, Duration::ZERO);
    for Workload { grid, .. } in workloads {
        let started = Instant::now();
        let (mut hierarchy, cells) = (start(grid), cells(grid));
        prepared += started.elapsed();
        for cell in cells {
            if hierarchy.block(cell) {
                hierarchy.repair();
                units += 1;
            }
        }
    }
    Measured { units, prepared_ns: prepared.as_nanos() as u64 }
}

/// Runs one batch over all maps on one thread, so that memory is allocated once, as in other runs.
fn agent(item: &Item, workloads: &[Workload]) -> Measured {
    let spec = Spec::parse(item.name).expect("benchmarks name agents that exist");
    // Agents that learn make very many moves on some maps. Ten times the optimum suffices to measure a move.
    let (sensor, alpha) = match item.setup {
        Setup::Maps => (Sensor::All, Some(10.0)),
        Setup::Mazes => (Sensor::Cross, None),
        Setup::Once | Setup::Converging => (Sensor::Square(10), None),
    };
    let trials = if item.setup == Setup::Converging { Trials::Converge { max: 10_000 } } else { Trials::Once };
    let limits = Limits { alpha, ..Limits::default() };
    let settings = Settings { sensor, limits, trials, timed: false, repeats: 1, seed: 1 };
    let (mut problems, mut tasks) = (Vec::new(), Vec::new());
    for (grid, workload) in workloads.iter().enumerate() {
        let begin = problems.len() as u32;
        problems.extend(workload.problems.iter().map(|placed| Placed { grid: grid as u32, ..*placed }));
        tasks.push(Task { agent: 0, problems: (begin..problems.len() as u32).collect() });
    }
    let grids = workloads.iter().map(|workload| Arc::clone(&workload.grid)).collect();
    let grid_of: Vec<u32> = problems.iter().map(|placed| placed.grid).collect();
    let (databases, is_databased) = (database_set(&spec, workloads), !spec.needs().databases.is_empty());
    let experiment = Experiment { grids, problems, agents: vec![spec], databases, tasks, settings };
    let mut batch = Batch::start(experiment, 1).expect("maps have the levels that agents need");
    let (mut units, mut prepared) = (0, vec![0; workloads.len()]);
    while let Some(records) = batch.next(Duration::from_secs(1)) {
        for record in records {
            units += match item.unit {
                Unit::Move => record.outcome.total.travel.moves(),
                Unit::Query => 1,
                _ => record.outcome.total.effort.expanded,
            };
            // Databases were built before.
            prepared[grid_of[record.problem as usize] as usize] = if is_databased { 0 } else { record.build.ns };
        }
    }
    Measured { units, prepared_ns: prepared.into_iter().sum() }
}

/// The pattern databases of an agent on all maps, built once.
fn database_set(spec: &Spec, workloads: &[Workload]) -> DatabaseSet {
    type Built = HashMap<(u128, Key), Arc<Database>>;
    static BUILT: OnceLock<Mutex<Built>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().expect("no builder panics");
    let mut database = |grid: &Arc<Grid>, key| {
        let build = || Arc::new(Database::from_bytes(build_database(grid, key), grid).expect("it is complete"));
        Arc::clone(built.entry((grid.fingerprint(), key)).or_insert_with(build))
    };
    let keys = spec.needs().databases;
    let of_map = |workload: &Workload| keys.iter().map(|key| database(&workload.grid, *key)).collect::<Vec<_>>();
    DatabaseSet::new(workloads.iter().flat_map(of_map).collect())
}

fn build_database(grid: &Arc<Grid>, key: Key) -> Vec<u8> {
    let build = Build::new(grid, key).expect("the map has the level");
    build.write(Cursor::new(Vec::new()), 0, &Progress::default()).expect("writing to memory succeeds").into_inner()
}

/// The number of states of the map for which the targets of databases are set.
const DATABASE_STATES: usize = 105_000;

/// The databases with their time limits in seconds, on the map nearest to that size.
const DATABASES: [(Kind, usize, f64); 3] =
    [(Kind::Subgoals, 3, 5.0), (Kind::Subgoals, 1, 90.0), (Kind::Depths, 5, 600.0)];

/// LRTA* with controlled depth.
struct Controlled {
    depth: DepthControl,
    is_fresh: bool,
}

impl Agent for Controlled {
    fn begin_trial(&mut self) {
        self.is_fresh = true;
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, lookahead, history, ties, .. } = memory;
        if std::mem::take(&mut self.is_fresh) {
            self.depth.begin_trial(history, meter.states());
        }
        let h0 = meter.heuristic(goal);
        let heuristic = |state| learned.or(state, h0.of(state));
        let before = heuristic(at);
        let context = LookaheadContext { from: at, goal, path_max: Some(before), weigh: |cost| cost, heuristic };
        let depth = self.depth.choose(meter, lookahead, history, &context, 1, &h0);
        lookahead.reach(meter, depth, &context);
        let promise = lookahead.promise(ties);
        if let Some(next) = lookahead.first(promise.state) {
            learned.set(at, before, promise.f);
            self.depth.planned(history, at, next, promise.f - before);
            plan.push(next);
        }
    }
}

fn controlled(item: &Item, workloads: &[Workload]) -> Measured {
    static TREE: OnceLock<Arc<DecisionTree>> = OnceLock::new();
    let started = Instant::now();
    let tree = TREE.get_or_init(|| Arc::new(balanced_tree(workloads)));
    let prepared_ns = started.elapsed().as_nanos() as u64;
    let depth = if item.name == WITH_TREE { DepthControl::Tree(Arc::clone(tree)) } else { DepthControl::Fixed(1) };
    let mut agent = Controlled { depth, is_fresh: true };
    let (mut world, mut memory, never) = (World::default(), Memory::default(), AtomicBool::new(false));
    let mut moves = 0;
    for Workload { grid, problems } in workloads {
        let setting = Setting {
            grid,
            geometry: &grid.geometry(0),
            sensor: Sensor::All,
            hierarchy: None,
            databases: &[],
            limits: Limits { alpha: Some(10.0), ..Limits::default() },
            trials: Trials::Once,
            clock: None,
            too_slow: None,
            cancelled: &never,
        };
        for placed in problems {
            let outcome =
                agent.run(&mut world, &mut memory, placed.problem, setting, None).expect("it is not cancelled");
            moves += outcome.total.travel.moves();
        }
    }
    Measured { units: moves, prepared_ns }
}

/// A decision tree of twelve levels that always chooses 1, as deep as those of `permove train`. Each node halves the
/// remaining moves, with different features.
fn balanced_tree(workloads: &[Workload]) -> DecisionTree {
    let grids = workloads.iter().map(|workload| Arc::clone(&workload.grid)).collect();
    let place = |(grid, workload): (usize, &Workload)| -> Vec<Placed> {
        workload.problems.iter().map(|placed| Placed { grid: grid as u32, ..*placed }).collect()
    };
    let problems = workloads.iter().enumerate().flat_map(place).collect();
    let wanted = Wanted { set: FeatureSet::Eleven, n: 60, presearch: 1, dmax: 2, alpha: Some(5.0) };
    let mut collection = Collection::start(grids, problems, wanted, 0);
    while !collection.wait(Duration::from_secs(1)) {}
    let samples: Vec<Sample> = collection.samples().expect("it is not cancelled").concat();
    let mut nodes = Vec::new();
    halve(samples, 0, &mut nodes);
    let content = format!(
        r#"{{"format": "permove-tree", "version": 1, "features": "2008", "n": 60, "presearch": 1, "dmax": 2,
            "nodes": [{}]}}"#,
        nodes.join(", ")
    );
    DecisionTree::parse(content.as_bytes()).expect("the tree is valid")
}

fn halve(mut samples: Vec<Sample>, level: usize, nodes: &mut Vec<String>) {
    if level == 12 || samples.len() < 2 {
        nodes.push(r#"{"depth": 1}"#.to_owned());
        return;
    }
    let (place, feature) = (nodes.len(), (level * 7 + nodes.len()) % FeatureSet::Eleven.features().len());
    let middle = samples.len() / 2;
    samples.select_nth_unstable_by(middle, |a, b| a.features[feature].total_cmp(&b.features[feature]));
    let threshold = samples[middle].features[feature];
    let (left, right): (Vec<_>, Vec<_>) = samples.into_iter().partition(|sample| sample.features[feature] <= threshold);
    nodes.push(String::new());
    halve(left, level + 1, nodes);
    let after = nodes.len();
    halve(right, level + 1, nodes);
    nodes[place] =
        format!(r#"{{"feature": {feature}, "threshold": {threshold}, "left": {}, "right": {after}}}"#, place + 1);
}

fn pathfinding_astar(_: &Item, workloads: &[Workload]) -> Measured {
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
    expanded.into()
}

/// Runs the item with this name once on the first map; loads the map if there is no name.
fn once(name: Option<&str>) {
    let map = [embedded(MAPS[0])];
    if let Some(name) = name {
        let item = ITEMS.iter().find(|item| item.setup == Setup::Maps && item.name == name);
        let item = item.unwrap_or_else(|| panic!("{name} is not an item on maps"));
        black_box((item.run)(item, &map).units);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == "--once") {
        return once(arguments.get(place + 1).map(String::as_str).filter(|name| !name.starts_with("--")));
    }
    let (maps, mazes, small) = (maps(), Vec::from_iter((0..MAZES).map(maze)), Vec::from_iter((0..SMALL).map(small)));
    let on = |item: &Item| match item.setup {
        Setup::Maps => &maps[..],
        Setup::Mazes => &mazes[..],
        Setup::Once | Setup::Converging => &small[..],
    };
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let items: Vec<&Item> = ITEMS.iter().filter(|item| item.name.contains(&wanted)).collect();
    for &item in &items {
        let mut group = criterion.benchmark_group(item.setup.title());
        group.throughput(Throughput::Elements((item.run)(item, on(item)).units));
        group.bench_function(item.name, |bencher| bencher.iter(|| (item.run)(item, on(item))));
        group.finish();
    }
    criterion.final_summary();

    // Items alternate, since other programs on the machine slow down different items at different times.
    let mut costs = vec![f64::INFINITY; items.len()];
    for _ in 0..ROUNDS {
        for (&item, cost) in items.iter().zip(&mut costs) {
            let started = Instant::now();
            let Measured { units, prepared_ns } = (item.run)(item, on(item));
            *cost = cost.min((started.elapsed().as_nanos() as f64 - prepared_ns as f64) / units as f64);
        }
    }
    println!("\n{:34} {:>10} {:>12} {:>8} {:>18}", "", "unit", "ns per unit", "target", "ratio to the first");
    let (mut first, mut setup, mut missed) = (f64::NAN, None, Vec::new());
    for (item, &cost) in items.iter().zip(&costs) {
        if setup.replace(item.setup) != Some(item.setup) {
            println!("{}", item.setup.title());
            first = cost;
        }
        let unit = format!("{:?}", item.unit).to_lowercase();
        let target = item.target.map_or(String::new(), |target| format!("≤ {target}"));
        println!("  {:32} {unit:>10} {cost:>12.1} {target:>8} {:>18.3}", item.name, cost / first);
        if let Some(target) = item.target.filter(|target| cost > *target) {
            missed.push(format!("{}, {}: {cost:.1} ns per {unit} (≤ {target})", item.setup.title(), item.name));
        }
    }
    let of = |name| items.iter().position(|item| item.name == name).map(|place| costs[place]);
    if let (Some(with), Some(without)) = (of(WITH_TREE), of(PRESEARCH)) {
        let added = with - without;
        let line = format!("a decision tree adds {added:.1} ns per move to its pre-search (≤ {TREE_TARGET})");
        println!("{line}");
        missed.extend((added > TREE_TARGET).then_some(line));
    }
    let off_target = |map: &&Workload| map.grid.free_cells().abs_diff(DATABASE_STATES);
    let grid = &maps.iter().min_by_key(off_target).expect("there are maps").grid;
    for (kind, level, target) in DATABASES.into_iter().filter(|(kind, ..)| kind.name().contains(&wanted)) {
        let started = Instant::now();
        let bytes = build_database(grid, Key::new(kind, (0, level), Variant::Free, PathRule::Diagonal)).len();
        let (seconds, megabytes) = (started.elapsed().as_secs_f64(), bytes as f64 / 1e6);
        let (name, states) = (kind.name(), grid.free_cells());
        let line = format!(
            "{name} of level {level} of a map with {states} states: {seconds:.1} s (≤ {target}), {megabytes:.0} MB"
        );
        println!("{line}");
        missed.extend((seconds > target).then_some(line));
    }
    if !missed.is_empty() {
        eprintln!("\nMissed {} of the targets:\n  {}", missed.len(), missed.join("\n  "));
        std::process::exit(1);
    }
}
