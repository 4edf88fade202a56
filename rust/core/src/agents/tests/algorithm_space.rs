//! The algorithm space of per-map-selection-2016 on generated maps: a literal Algorithm 1 makes the same moves, known
//! algorithms are points of the space, and values without an upper bound are handled.

use super::{SETTINGS, solve};
use crate::agents::param::is_expendable;
use crate::cost::{CARDINAL, DIAGONAL};
use crate::graph::State;
use crate::grid::generate::KINDS;
use crate::grid::{DIRECTIONS, DiagonalRule, Grid};
use crate::problems::Problem;
use crate::testing::{world, worlds};
use crate::world::status::Status;
use crate::world::trial::Limits;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug)]
struct Point {
    w: f64,
    wc: f64,
    b: f64,
    lop: &'static str,
    da: bool,
    expendable: bool,
    printed: bool,
}

impl Point {
    fn spec(&self) -> String {
        let word = |yes| if yes { "yes" } else { "no" };
        let Point { w, wc, b, lop, da, expendable, printed } = self;
        let reading = if *printed { "printed" } else { "fitted" };
        format!("param(w={w}, wc={wc}, b={b}, lop={lop}, da={}, E={}, reading={reading})", word(*da), word(*expendable))
    }
}

prop_compose! {
    fn points()(
        w in 1.0..10.0f64, wc in 1.0..10.0f64, b in 0.0..=1.0f64, plain in 0..4usize, lop in 0..4usize,
        da: bool, expendable: bool, printed: bool
    ) -> Point {
        // Half of the points lack one of the weights, which causes many ties.
        let (w, wc) = (if plain % 2 == 0 { 1.0 } else { w }, if plain < 2 { 1.0 } else { wc });
        Point { w, wc, b, lop: ["min", "avg", "median", "max"][lop], da, expendable, printed }
    }
}

/// The order of a value: beyond 2⁴⁷ the last bits are ignored.
fn rank(value: f64) -> u64 {
    value.to_bits() & !63
}

/// Algorithm 1, line by line, up to a maximum number of moves.
fn run(grid: &Grid, problem: Problem, point: &Point, max_moves: usize) -> Vec<State> {
    let shape = grid.shape();
    let h0 = |state: State| {
        let ((x, y), (goal_x, goal_y)) = (shape.xy(state), shape.xy(problem.goal));
        let (dx, dy) = (x.abs_diff(goal_x), y.abs_diff(goal_y));
        match grid.rule() {
            DiagonalRule::None => f64::from(CARDINAL * (dx + dy)),
            _ => f64::from(CARDINAL * dx.max(dy) + (DIAGONAL - CARDINAL) * dx.min(dy)),
        }
    };
    let (mut learned, mut removed) = (HashMap::new(), HashSet::new());
    let mut states = vec![problem.start];
    while states.len() <= max_moves && states[states.len() - 1] != problem.goal {
        let at = states[states.len() - 1];
        let h = |state: State| learned.get(&state).copied().unwrap_or_else(|| h0(state));
        // Clockwise from north-west.
        let directions = (7..15).map(|i| i % 8).filter(|direction| grid.moves()[at as usize] >> direction & 1 == 1);
        let neighbours: Vec<(usize, State)> = directions
            .map(|direction| (direction, shape.neighbour(at, direction).expect("moves end on the grid")))
            .filter(|(_, state)| !removed.contains(state))
            .collect();
        let cost = |direction: usize| f64::from(if direction.is_multiple_of(2) { CARDINAL } else { DIAGONAL });
        let f = |(direction, state): &(usize, State)| rank(cost(*direction) + h(*state));
        let mut chosen = neighbours.clone();
        if point.da {
            let rise = |state: State| (h(state) - h0(state)).to_bits();
            let min = chosen.iter().map(|(_, state)| rise(*state)).min();
            chosen.retain(|(_, state)| Some(rise(*state)) == min);
        }
        let mut sources = if point.printed { chosen.clone() } else { neighbours.clone() };
        sources.sort_by_key(f);
        let share = point.b * sources.len() as f64;
        let count = if point.printed { (share + 1e-9).floor() } else { (share - 1e-9).ceil() };
        sources.truncate((count as usize).max(1));
        let weighted = |direction: usize| (point.wc * cost(direction)).round_ties_even();
        let mut updates: Vec<f64> = sources.iter().map(|(direction, state)| weighted(*direction) + h(*state)).collect();
        updates.sort_by(f64::total_cmp);
        let Some(next) = chosen.iter().min_by_key(|neighbour| f(neighbour)) else { break };
        let update = match point.lop {
            "min" => updates[0],
            "max" => updates[updates.len() - 1],
            "avg" => updates.iter().sum::<f64>() / updates.len() as f64,
            _ => (updates[(updates.len() - 1) / 2] + updates[updates.len() / 2]) / 2.0,
        };
        let value = (point.w * update).round_ties_even();
        let rises = value > h(at);
        if rises {
            learned.insert(at, value);
        }
        if point.expendable && rises && connected(&neighbours, point.printed) {
            removed.insert(at);
        }
        states.push(next.1);
    }
    states
}

/// Whether the cells in some directions are connected by sides, or by sides and corners if `printed`.
fn connected(neighbours: &[(usize, State)], printed: bool) -> bool {
    let cells: Vec<(i32, i32)> = neighbours.iter().map(|(direction, _)| DIRECTIONS[*direction]).collect();
    let Some(first) = cells.first() else { return true };
    let mut reached = vec![*first];
    let mut at = 0;
    while at < reached.len() {
        let (x, y) = reached[at];
        for cell in &cells {
            let (dx, dy) = ((cell.0 - x).abs(), (cell.1 - y).abs());
            let touches = if printed { dx.max(dy) == 1 } else { dx + dy == 1 };
            if touches && !reached.contains(cell) {
                reached.push(*cell);
            }
        }
        at += 1;
    }
    reached.len() == cells.len()
}

#[test]
fn a_state_is_expendable_if_its_neighbours_are_connected() {
    for mask in 0..=255u8 {
        let neighbours: Vec<_> = (0..8).filter(|direction| mask >> direction & 1 == 1).map(|d| (d, 0)).collect();
        for printed in [false, true] {
            assert_eq!(is_expendable(mask, printed), connected(&neighbours, printed), "{mask:08b} {printed}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn algorithm_1_makes_the_same_moves(world in worlds(40), point in points()) {
        let Some((grid, problem)) = world else { return Ok(()) };
        const MAX_MOVES: usize = 3000;
        let alpha = (MAX_MOVES as f64 / problem.optimal.cells()).min(1000.0);
        let settings = crate::batch::Settings { limits: Limits { alpha: Some(alpha), ..SETTINGS.limits }, ..SETTINGS };
        let (record, trace) = solve(&grid, problem, &point.spec(), settings);
        let expected = run(&grid, problem, &point, trace.states.len() - 1);
        prop_assert_eq!(&trace.states, &expected, "{:?} {:?}", point, record.outcome.total.status());
        // It removes only states that it does not need.
        if grid.rule() == DiagonalRule::Free {
            prop_assert_ne!(record.outcome.total.status(), Status::Stuck);
        }
    }

    #[test]
    fn known_algorithms_are_points_of_the_space(world in worlds(40), w in 1.0..10.0f64, expendable: bool) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let word = if expendable { "yes" } else { "no" };
        let names = [
            ("lrta(d=1, ties=nw)".to_owned(), "param()".to_owned()),
            (format!("w-lrta(w={w}, E={word})"), format!("param(wc={w}, E={word})")),
            (format!("da-lrta(wc={w}, E={word})"), format!("param(wc={w}, da=yes, E={word})")),
        ];
        for (name, point) in names {
            let (actual, expected) = (solve(&grid, problem, &point, SETTINGS), solve(&grid, problem, &name, SETTINGS));
            prop_assert_eq!(actual.0.outcome.total.status(), Status::Solved);
            prop_assert_eq!(actual.1.states, expected.1.states, "{}", name);
            prop_assert_eq!(actual.0.outcome.learning, expected.0.outcome.learning, "{}", name);
        }
    }
}

#[test]
fn unbounded_heuristics_become_infinite_and_not_nan() {
    let kind = KINDS.iter().position(|kind| kind.name == "maze").expect("mazes are a kind of map");
    let (grid, problem) = world(kind, 41, DiagonalRule::Free, 3).expect("mazes have problems");
    let settings = crate::batch::Settings { limits: Limits { alpha: Some(1e4), ..SETTINGS.limits }, ..SETTINGS };
    let (record, _) = solve(&grid, problem, "param(w=10, wc=10, lop=max)", settings);
    let outcome = &record.outcome.total;
    assert_eq!(outcome.status(), Status::TravelCap, "{outcome:?}");
    assert_eq!(record.outcome.learning.raised, u64::MAX);
}
