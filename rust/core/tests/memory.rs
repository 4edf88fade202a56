//! How much memory a worker takes, counted by the allocator.

use peak_alloc::PeakAlloc;
use permove_core::agents::CATALOGUE;
use permove_core::agents::spec::Spec;
use permove_core::batch::{Batch, DatabaseSet, Experiment, Placed, Settings, Task};
use permove_core::grid::DiagonalRule;
use permove_core::grid::generate::generate;
use permove_core::problems::in_range;
use permove_core::world::runs::Trials;
use permove_core::world::sensor::Sensor;
use permove_core::world::trial::Limits;
use std::sync::Arc;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

#[test]
fn a_map_of_1024_cells_a_side_and_all_scratch_of_a_worker_fit_into_64_mb() {
    let map = generate("random", 1024, 1024, 1, [("density", 0.1)]).expect("the generator knows random maps");
    let grid = Arc::new(map.grid(DiagonalRule::Strict));
    drop(map);
    let problems = in_range(&grid, 2, 900.0, 1100.0, 1).expect("the map is large enough");
    let placed: Vec<Placed> = problems.iter().map(|&problem| Placed { grid: 0, ordinal: 0, problem }).collect();
    // Hierarchies have a bound of their own.
    let on_the_ground = |spec: &Spec| spec.needs().level.is_none();
    let mut agents: Vec<Spec> =
        CATALOGUE.iter().map(|entry| Spec::parse(entry.name).expect("defaults exist")).filter(on_the_ground).collect();
    agents.push(Spec::parse("lrta(d=5)").expect("lrta takes a depth"));
    agents.push(Spec::parse("rtaa(k=inf)").expect("rtaa takes infinity"));
    let count = agents.len();
    let tasks = (0..agents.len() as u32).map(|agent| Task { agent, problems: vec![0, 1] }).collect();
    // A sensor, so that the agent's model is part of it.
    let sensor = Sensor::Square(2);
    let limits = Limits { alpha: Some(2.0), ..Limits::default() };
    let settings = Settings { sensor, limits, trials: Trials::Once, timed: true, repeats: 1, seed: 1 };

    ALLOCATOR.reset_peak_usage();
    let (grids, databases) = (vec![grid], DatabaseSet::default());
    let experiment = Experiment { grids, problems: placed, agents, databases, tasks, settings };
    let mut batch = Batch::start(experiment, 1).expect("maps have the levels that agents need");
    let mut records = 0;
    while let Some(some) = batch.next(Duration::from_secs(1)) {
        records += some.len();
    }
    assert_eq!(records, 2 * count);
    let peak = ALLOCATOR.peak_usage_as_mb();
    println!("peak: {peak:.1} MB");
    assert!(peak < 64.0, "{peak} MB");
}
