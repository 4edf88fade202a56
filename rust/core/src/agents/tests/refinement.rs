//! The theorems of graph-abstraction-2007 on refining abstract plans, checked on generated maps.

use super::{SETTINGS, places, solve, until_converged};
use crate::abstraction::{Hierarchy, Reading, Variant};
use crate::agents::spec::Spec;
use crate::batch::{self, DatabaseSet, Incompatibility, Placed, Settings};
use crate::cost::CARDINAL;
use crate::graph::{Corridor, State};
use crate::grid::generate::generate;
use crate::grid::{DiagonalRule, Grid, Terrain};
use crate::meter::Meter;
use crate::problems::{Problem, in_range};
use crate::search::best_first::{BestFirst, Ended, Rules};
use crate::search::ties::Ties;
use crate::world::sensor::Sensor;
use crate::world::status::Status;
use crate::world::trial::Limits;
use proptest::prelude::*;

const GAMMAS: [&str; 4] = ["0.2", "0.4", "0.8", "1"];
const OPTIONS: [&str; 7] =
    ["child=descend", "child=direct", "forget=changed", "forget=all", "replan=discovery", "replan=next", "h0=euclid"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Section 6: without abstraction PR LRTS makes the same moves and has the same records as LRTS.
    #[test]
    fn without_abstraction_pr_lrts_is_lrts(
        world in places(8, 40), depth in 1u32..6, gamma in 0..GAMMAS.len(), sensor in 0..3usize, quota in 0..2usize
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let sensor = [Sensor::All, Sensor::Square(10), Sensor::Cross][sensor];
        let params = format!("d={depth}, gamma={}, T={}", GAMMAS[gamma], ["10", "inf"][quota]);
        let settings = until_converged(sensor);
        let (plain, plain_trace) = solve(&grid, problem, &format!("lrts({params})"), settings);
        let (refined, refined_trace) = solve(&grid, problem, &format!("pr-lrts(l=0, {params})"), settings);
        prop_assert_eq!(plain.build, refined.build);
        prop_assert_eq!(plain.outcome.without_times(), refined.outcome.without_times());
        prop_assert_eq!(plain_trace.states, refined_trace.states);
        prop_assert_eq!(plain_trace.expansions, refined_trace.expansions);
    }

    /// Theorems 6.2 and 6.3: every trial reaches the goal, and learning and discovery end.
    #[test]
    fn pr_lrts_reaches_the_goal_on_every_trial_and_converges(
        world in places(16, 64), level in 1usize..5, depth in 1u32..6, gamma in 0..GAMMAS.len(), quota in 0..2usize,
        option in 0..OPTIONS.len(), sensor in 0..3usize
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let sensor = [Sensor::Square(10), Sensor::Square(2), Sensor::All][sensor];
        let (gamma, quota, option) = (GAMMAS[gamma], ["10", "inf"][quota], OPTIONS[option]);
        let text = format!("pr-lrts(l={level}, d={depth}, gamma={gamma}, T={quota}, {option})");
        let spec = Spec::parse(&text).expect("the spec is valid");
        let placed = Placed { grid: 0, ordinal: 0, problem };
        // Small maps have fewer levels, which is the only error.
        let (record, _) = match batch::solve(&grid, &spec, &DatabaseSet::default(), placed, until_converged(sensor)) {
            Ok(solved) => solved,
            Err(error) => {
                let Incompatibility::Level { level: required, top, .. } = error.reason else { panic!("{error}") };
                prop_assert!(required == level && top < level);
                return Ok(());
            }
        };
        let total = &record.outcome.total;
        prop_assert_eq!(total.status(), Status::Solved, "{} {} {:?}", text, sensor, total.reason());
        prop_assert!(record.outcome.each.iter().all(|trial| trial.status() == Status::Solved));
        let last = record.outcome.each.last().expect("there is a trial");
        prop_assert_eq!((last.changes, last.discovered), (0, 0));
    }

    /// Any algorithms plan legal moves, and those without LRTS reach the goal.
    #[test]
    fn levels_may_have_any_algorithms(world in places(24, 64), letters in "[al][alp]{0,2}[al]", depth in 1u32..4) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let level = letters.len() - 1;
        let text = format!("pr-lrts(l={level}, d={depth}, levels={letters})");
        let spec = Spec::parse(&text).expect("the spec is valid");
        let limits = Limits { alpha: Some(100.0), ..SETTINGS.limits };
        let settings = Settings { sensor: Sensor::Square(5), limits, ..SETTINGS };
        let placed = Placed { grid: 0, ordinal: 0, problem };
        let solved = batch::solve(&grid, &spec, &DatabaseSet::default(), placed, settings);
        let Ok((record, _)) = solved else { return Ok(()) };
        let status = record.outcome.total.status();
        let is_valid = status == Status::Solved || status == Status::TravelCap && letters.contains('l');
        prop_assert!(is_valid, "{} {:?}", text, status);
    }

    /// Lemma 6.1, Lemma B.2 and Theorem B.1. Let k be the maximum number of children of a state, e = √2, and c the
    /// minimum cost of an abstract edge. An abstract state has at most kˡ cells, and a refined cheapest abstract path
    /// costs at most e²k²ˡ / min(c, 1) times the shortest path, plus e·kˡ within the last state.
    #[test]
    fn refined_paths_are_within_their_bounds(
        world in places(16, 64), level in 1usize..5, variant in prop::sample::select(Variant::NAMES.to_vec())
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let hierarchy = Hierarchy::of(&grid, variant.1);
        if level > hierarchy.top() {
            return Ok(());
        }
        let (mut children, mut max_cells, mut cheapest) = (0, 0u64, f64::MAX);
        for number in 1..=level {
            for state in (0..hierarchy.states(number) as State).filter(|state| hierarchy.is_state(number, *state)) {
                let mut count = 0u64;
                hierarchy.children(number, state, |_| count += 1);
                children = count.max(children);
                if number < level {
                    continue;
                }
                let mut cells = 0;
                hierarchy.descendants(number, state, 0, &mut |_| cells += 1);
                max_cells = max_cells.max(cells);
                let at = hierarchy.position(level, state);
                hierarchy.neighbours(level, state, |other| {
                    let cost = at.cost_to(hierarchy.position(level, other)) as f64 / CARDINAL as f64;
                    cheapest = cheapest.min(cost);
                });
            }
        }
        // Lemma 6.1: adjacent abstract states are connected within the corridor of their cells, so a path between them
        // has fewer moves than the two have cells.
        let geometry = grid.geometry(0);
        let terrain = Terrain::new(&geometry, grid.moves());
        let mut best_first = BestFirst::default();
        let states = (0..hierarchy.states(level) as State).filter(|state| hierarchy.is_state(level, *state));
        for state in states.step_by(3) {
            let mut others = Vec::new();
            hierarchy.neighbours(level, state, |other| others.push(other));
            for other in others {
                let is_inside = |cell| [state, other].contains(&hierarchy.ancestor(0, cell, level));
                let corridor = Corridor::new(&terrain, is_inside);
                let ends = [state, other].map(|end| hierarchy.representative(level, end, 0, Reading::Descend));
                let rules = Rules::consistent(|_, h0| h0);
                let mut meter = Meter::new(&corridor, None);
                let ended = best_first.run(&mut meter, &mut Ties::First, ends[0], ends[1], rules);
                prop_assert_eq!(ended, Ended::At(ends[1]));
                let (mut path, mut cells) = (Vec::new(), 0);
                best_first.path(ends[1], u64::MAX, &mut path);
                for end in [state, other] {
                    hierarchy.descendants(level, end, 0, &mut |_| cells += 1);
                }
                prop_assert!(path.len() < cells);
            }
        }

        let power = (children as f64).powi(level as i32);
        prop_assert!(max_cells as f64 <= power);

        let letters = format!("a{}a", "p".repeat(level - 1));
        let (record, _) = solve(&grid, problem, &format!("pr-lrts(l={level}, levels={letters}, h0=euclid)"), SETTINGS);
        prop_assert_eq!(record.outcome.total.status(), Status::Solved);
        let e = std::f64::consts::SQRT_2;
        let bound = e * e * power * power / cheapest.min(1.0) * problem.optimal.cells() + e * power;
        prop_assert!(record.outcome.cost.cells() <= bound, "{} > {}", record.outcome.cost.cells(), bound);
    }
}

/// Theorem 6.1: planning per move is bounded by a constant that does not depend on the size of the map.
#[test]
fn the_worst_move_does_not_grow_with_the_map() {
    let worst = |side: u64| -> u64 {
        let map = generate("random", side, side, 1, [("density", 0.2)]).expect("the generator knows random maps");
        let grid = map.grid(DiagonalRule::Strict);
        let far = side as f64 / 2.0;
        let problems = in_range(&grid, 12, far, far + 8.0, 1).expect("the map is large enough");
        let worst = |problem: &Problem| {
            solve(&grid, *problem, "pr-lrts(l=3, d=3)", Settings { sensor: Sensor::Square(10), ..SETTINGS })
                .0
                .outcome
                .total
                .worst
        };
        problems.iter().map(|problem| worst(problem).expanded).max().expect("there are problems")
    };
    let (small, large) = (worst(128), [256, 512, 1024].map(worst));
    println!("worst moves: {small}, {large:?}");
    // A* grows with the area, which is 64 times larger in the last map than in the first.
    assert!(large.into_iter().all(|worst| worst <= 2 * small), "{small}, {large:?}");
}

#[test]
fn a_level_above_the_top_is_rejected() {
    let grid = Grid::drawn(DiagonalRule::Strict, &["....", "....", "...."]);
    let top = Hierarchy::of(&grid, Variant::Free).top();
    let problem = in_range(&grid, 1, 1.0, 9.0, 1).expect("there is a path")[0];
    let spec = Spec::parse(&format!("pr-lrts(l={})", top + 1)).expect("the spec is valid");
    let error = batch::solve(&grid, &spec, &DatabaseSet::default(), Placed { grid: 0, ordinal: 0, problem }, SETTINGS)
        .expect_err("the level does not exist");
    assert!(error.to_string().contains(&format!("above the top of the map's hierarchy, which is {top}")));
}

#[test]
fn invalid_levels_are_rejected() {
    let error = |text| Spec::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error("pr-lrts(l=3, levels=al)").contains("has 2 letters, but l=3 needs 4"));
    assert!(error("pr-lrts(l=1, levels=pl)").contains("passes through the ground"));
    assert!(error("pr-lrts(l=1, levels=ax)").contains("out of range"));
    assert!(error("pra(l=99)").contains("out of range"));
    assert_eq!(error("pr-lrts(l=2, levels=apl)"), "");
}
