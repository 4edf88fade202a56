//! Generated problems, for the tests of all modules.

use crate::cost::{Cost, INFINITY, Length};
use crate::graph::{Graph, State};
use crate::grid::generate::{KINDS, generate};
use crate::grid::{DiagonalRule, Grid, Shape};
use crate::problems::Problem;
use crate::rng::{self, Stream};
use crate::search::tree::Tree;
use proptest::prelude::*;
use rand::RngExt;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A generated map with a random problem; `None` if the map has no two connected cells.
pub(crate) fn world(kind: usize, side: u32, rule: DiagonalRule, seed: u64) -> Option<(Grid, Problem)> {
    let map = generate(KINDS[kind].name, side as u64, side as u64, seed, []).expect("sizes and kinds are valid");
    with_problem(map.grid(rule), seed)
}

/// A grid with a random problem; `None` if it has no two connected cells.
fn with_problem(grid: Grid, seed: u64) -> Option<(Grid, Problem)> {
    let mut random = rng::stream(seed, &[b"problem"]);
    let mut tree = Tree::default();
    for _ in 0..200 {
        let mut cell = || random.random_range(0..grid.shape().cells()) as State;
        let (start, goal) = (cell(), cell());
        let cost = tree.distance(&grid, start, goal);
        if start != goal && cost != INFINITY {
            return Some((grid, Problem { start, goal, optimal: Length::of_cost(cost).expect("the map is small") }));
        }
    }
    None
}

/// A grid of random obstacles.
pub(crate) fn random_grid(random: &mut Stream, width: u32, height: u32, density: f64, rule: DiagonalRule) -> Grid {
    let shape = Shape::new(width, height);
    Grid::new(shape, rule, (0..shape.cells()).map(|_| !random.random_bool(density)).collect())
}

/// The grid with a cliff on this share of the edges between free cells.
pub(crate) fn with_random_cliffs(random: &mut Stream, grid: Grid, share: f64) -> Grid {
    let cliff = |random: &mut Stream, direction: u8| (random.random_bool(share) as u8) << direction;
    let cliffs = (0..grid.shape().cells()).map(|_| cliff(random, 2) | cliff(random, 4)).collect();
    Grid::with_cliffs(grid.shape(), grid.rule(), grid.free().to_vec(), cliffs)
}

prop_compose! {
    /// Maps of all kinds and diagonal rules with up to `max` cells per side. Small maps are more frequent.
    pub(crate) fn worlds(max: u32)(
        kind in 0..KINDS.len(), size in 0.0..1.0f64, rule in 0..3usize, seed: u64
    ) -> Option<(Grid, Problem)> {
        let side = 8 + (size.powi(4) * (max - 8) as f64).round() as u32;
        world(kind, side, DiagonalRule::NAMES[rule].1, seed)
    }
}

prop_compose! {
    /// [`worlds`] with cliffs.
    pub(crate) fn worlds_with_cliffs(max: u32)(
        world in worlds(max), share in prop::sample::select(vec![0.02, 0.1, 0.3]), seed: u64
    ) -> Option<(Grid, Problem)> {
        with_problem(with_random_cliffs(&mut rng::stream(seed, &[b"cliffs"]), world?.0, share), seed)
    }
}

/// Distances by Dijkstra's algorithm as in a textbook, through the states inside and up to their neighbours.
pub(crate) fn distances(graph: &impl Graph, from: State, is_inside: impl Fn(State) -> bool) -> Vec<Cost> {
    let mut distances = vec![INFINITY; graph.states()];
    let mut open = BinaryHeap::from([Reverse((0, from))]);
    distances[from as usize] = 0;
    while let Some(Reverse((distance, state))) = open.pop() {
        if distance > distances[state as usize] || !is_inside(state) {
            continue;
        }
        graph.successors(state, |next, cost| {
            if distance + cost < distances[next as usize] {
                distances[next as usize] = distance + cost;
                open.push(Reverse((distance + cost, next)));
            }
        });
    }
    distances
}
