//! The papers' theorems on convergence, checked on generated maps, and LRTS against its pseudocode.

use super::{SETTINGS, places, samples, solve, stays_consistent, until_converged, watch};
use crate::agent::{Agent, Episode, Memory, Table};
use crate::agents::CATALOGUE;
use crate::agents::lrts::Lrts;
use crate::agents::plrta::PLrta;
use crate::batch::Settings;
use crate::cost::{CARDINAL, Cost, DIAGONAL, Weight};
use crate::graph::{Graph, State};
use crate::grid::{DiagonalRule, Grid, Terrain};
use crate::meter::Meter;
use crate::problems::Problem;
use crate::testing::worlds;
use crate::world::runs::{Outcome, Trials};
use crate::world::sensor::Sensor;
use crate::world::status::Status;
use crate::world::trace::Trace;
use crate::world::trial::Trial;
use proptest::prelude::*;
use std::collections::HashMap;

const SENSORS: [Sensor; 4] = [Sensor::All, Sensor::Square(1), Sensor::Square(5), Sensor::Cross];

/// γ and T of the papers and some values between them, including a tiny T.
const GAMMAS: [f64; 6] = [0.2, 0.4, 0.5, 0.7, 0.8, 1.0];
const QUOTAS: [f64; 6] = [0.0, 1e-3, 1.0, 10.0, 100.0, f64::INFINITY];

/// Runs an agent to convergence, and checks the properties of all agents.
fn converge(grid: &Grid, problem: Problem, agent: &str, sensor: Sensor) -> Result<(Outcome, Trace), TestCaseError> {
    let (record, trace) = solve(grid, problem, agent, until_converged(sensor));
    let outcome = record.outcome;
    prop_assert_eq!(outcome.total.status(), Status::Solved, "{} {} {:?}", agent, sensor, outcome.total.reason());
    prop_assert!(outcome.each.iter().all(|trial| trial.status() == Status::Solved), "{}", agent);
    // The final trial is the first in which nothing was learned or discovered.
    let settled = outcome.each.iter().position(|trial| trial.changes == 0 && trial.discovered == 0);
    prop_assert_eq!(settled.map(|last| last + 1), Some(outcome.each.len()), "{}", agent);

    let sum = |of: fn(&Trial) -> u64| outcome.each.iter().map(of).sum::<u64>();
    prop_assert_eq!(outcome.trials as usize, outcome.each.len());
    prop_assert_eq!(outcome.total.travel.cardinal, sum(|trial| trial.travel.cardinal));
    prop_assert_eq!(outcome.total.travel.diagonal, sum(|trial| trial.travel.diagonal));
    prop_assert_eq!(outcome.total.episodes, sum(|trial| trial.episodes));
    prop_assert_eq!(outcome.total.effort.expanded, sum(|trial| trial.effort.expanded));
    prop_assert_eq!(outcome.total.effort.touched, sum(|trial| trial.effort.touched));
    prop_assert_eq!(outcome.total.time_ns, sum(|trial| trial.time_ns));
    prop_assert_eq!(outcome.total.discovered, sum(|trial| trial.discovered));
    prop_assert_eq!(outcome.learning.changes, sum(|trial| trial.changes));
    let max = |of: fn(&Trial) -> u64| outcome.each.iter().map(of).max();
    prop_assert_eq!(Some(outcome.total.worst.expanded), max(|trial| trial.worst.expanded));
    prop_assert_eq!(Some(outcome.total.worst.touched), max(|trial| trial.worst.touched));
    let last = outcome.each.last().expect("there is a trial");
    prop_assert_eq!((outcome.cost, outcome.total.first), (last.travel, last.first));
    prop_assert_eq!(trace.states.len() as u64, last.travel.moves() + 1);
    Ok((outcome, trace))
}

/// The cost of a path of moves with weighted edges.
fn weighted(outcome: &Outcome, weight: Weight) -> u64 {
    outcome.cost.cardinal * weight.of(CARDINAL) as u64 + outcome.cost.diagonal * weight.of(DIAGONAL) as u64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Theorem 4 of rtaa-2006, for the agents with such samples. It also holds in unknown terrain, since agents assume
    /// that unknown cells are free and never overestimate distances.
    #[test]
    fn agents_with_admissible_heuristics_converge_to_a_shortest_path(world in places(8, 40), sensor in 0..4usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        for agent in CATALOGUE.iter().flat_map(|entry| entry.shortest_samples) {
            let (outcome, _) = converge(&grid, problem, agent, SENSORS[sensor])?;
            prop_assert_eq!(outcome.cost, problem.optimal, "{} {}", agent, SENSORS[sensor]);
        }
    }

    /// Theorem 6.3 of graph-abstraction-2007, for every agent that learns and breaks ties in a fixed order.
    #[test]
    fn agents_that_learn_converge(world in places(8, 36), sensor in 0..4usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        for (agent, spec) in samples(false) {
            if spec.entry().learns && spec.entry().converges && !spec.order().1 {
                converge(&grid, problem, agent, SENSORS[sensor])?;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Theorems 6.2 and 6.3 of graph-abstraction-2007 without abstraction: every trial reaches the goal, and learning
    /// ends.
    ///
    /// The bound on the final path, 1/γ times the shortest, is from Bulitko and Lee (2006). In the final trial h
    /// decreases by at least γ·g per plan, so γ·(its cost) ≤ h(start). If γ·g never exceeds the distance, h(start) ≤
    /// h*. That holds for d = 1, for γ·√2 ≤ 1, and if all moves have the same cost, because a path with the fewest
    /// moves is at most √2 times as long as the shortest. Otherwise h ≤ √2·h*.
    #[test]
    fn lrts_converges_within_its_bound(
        world in places(8, 40), sensor in 0..4usize, depth in 1u32..7, gamma in 0..GAMMAS.len(),
        quota in 0..QUOTAS.len()
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let (gamma, quota) = (GAMMAS[gamma], QUOTAS[quota]);
        let agent = format!("lrts(d={depth}, gamma={gamma}, T={quota})");
        let (outcome, _) = converge(&grid, problem, &agent, SENSORS[sensor])?;
        let weight = Weight::new(gamma);
        let (learned, optimal) = (weighted(&outcome, weight), problem.optimal.units());
        if depth == 1 || weight.of(DIAGONAL) <= CARDINAL || grid.rule() == DiagonalRule::None {
            prop_assert!(learned <= optimal, "{}: {} > {}", agent, learned, optimal);
        } else {
            prop_assert!(learned * CARDINAL as u64 <= optimal * DIAGONAL as u64, "{}", agent);
        }
    }

    /// The special cases of Section 6 of graph-abstraction-2007, move by move and trial by trial.
    #[test]
    fn special_cases_of_lrts_equal_the_agents_of_these_names(
        world in places(8, 40), sensor in 0..4usize, depth in 1u32..5, gamma in 0..GAMMAS.len()
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let gamma = GAMMAS[gamma];
        for (general, special) in [
            ("lrts(d=1, gamma=1, T=inf)".to_owned(), "lrta(d=1)".to_owned()),
            (format!("lrts(d=1, gamma={gamma}, T=inf)"), format!("lrta(d=1, gamma={gamma})")),
            (format!("lrts(d={depth}, gamma={gamma}, T=0)"), format!("gamma-trap(d={depth}, gamma={gamma})")),
            ("lrts(d=1, gamma=1, T=0)".to_owned(), "sla".to_owned()),
            (format!("lrts(d=1, gamma=1, T={gamma})"), format!("slat(T={gamma})")),
        ] {
            let (expected, expected_trace) = solve(&grid, problem, &general, until_converged(SENSORS[sensor]));
            let (actual, trace) = solve(&grid, problem, &special, until_converged(SENSORS[sensor]));
            prop_assert_eq!(trace.states, expected_trace.states);
            prop_assert_eq!(actual.outcome.without_times(), expected.outcome.without_times());
        }
    }

    #[test]
    fn the_first_trials_of_lrts_and_lrta_are_the_same(world in worlds(64), sensor in 0..4usize, ties in 0..8usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let ties = ["n", "ne", "e", "se", "s", "sw", "w", "nw"][ties];
        let settings = Settings { sensor: SENSORS[sensor], ..SETTINGS };
        let states = |agent: &str| solve(&grid, problem, agent, settings).1.states;
        prop_assert_eq!(states(&format!("lrts(ties={ties})")), states(&format!("lrta(ties={ties})")));
    }

    #[test]
    fn lrts_makes_the_moves_of_figure_3(
        world in places(8, 32), depth in 1u32..7, gamma in 0..GAMMAS.len(), quota in 0..QUOTAS.len(), max in 1u32..5
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let (gamma, quota) = (GAMMAS[gamma], QUOTAS[quota]);
        let settings = Settings { trials: Trials::Converge { max }, ..SETTINGS };
        let agent = format!("lrts(d={depth}, gamma={gamma}, T={quota})");
        let (record, trace) = solve(&grid, problem, &agent, settings);
        let mut textbook = Textbook::default();
        let trials = (0..record.outcome.trials).map(|_| textbook.trial(&grid, problem, (depth, gamma, quota)));
        prop_assert_eq!(Some(trace.states), trials.last());
    }

    #[test]
    fn the_heuristics_of_sla_stay_consistent(world in places(8, 20), quota in 0..QUOTAS.len()) {
        let Some((grid, problem)) = world else { return Ok(()) };
        stays_consistent(&mut Lrts::new(1, 1.0, QUOTAS[quota]), &grid, problem)?;
    }

    #[test]
    fn the_heuristics_of_plrta_stay_consistent(world in places(8, 20), length in 1u32..60, raise: bool) {
        let Some((grid, problem)) = world else { return Ok(()) };
        stays_consistent(&mut PLrta { length, raise, neighbours: Vec::new() }, &grid, problem)?;
    }

    #[test]
    fn lrts_never_lowers_its_heuristic(
        world in places(8, 20), depth in 1u64..7, gamma in 0..GAMMAS.len(), quota in 0..QUOTAS.len()
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        watch(&mut Lrts::new(depth, GAMMAS[gamma], QUOTAS[quota]), &grid, problem, |before, after| {
            prop_assert!(before.iter().zip(after).all(|(before, after)| before <= after));
            Ok(())
        })?;
    }

    #[test]
    fn plrta_expands_one_state_and_one_more_per_update(world in worlds(48), length in 1u64..60) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let (record, _) = solve(&grid, problem, &format!("plrta(q={length})"), SETTINGS);
        prop_assert_eq!(record.outcome.learning.updates, record.outcome.total.effort.expanded);
        prop_assert_eq!(record.outcome.total.first.effort.expanded.min(1), 1);
        prop_assert!(record.outcome.total.worst.expanded <= 1 + length);
    }

    /// Theorem 6.3 of graph-abstraction-2007: all later trials follow the same path.
    #[test]
    fn after_convergence_every_trial_is_the_same(
        world in places(8, 36), depth in 1u64..5, gamma in 0..GAMMAS.len(), quota in 0..QUOTAS.len()
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let mut agent = Lrts::new(depth, GAMMAS[gamma], QUOTAS[quota]);
        let mut memory = Memory::default();
        memory.begin(grid.shape().cells());
        agent.begin_problem();
        let mut runs = std::iter::repeat_with(|| {
            let before = memory.learned.learning().changes;
            let path = trial(&mut agent, &mut memory, &grid, problem);
            (path, memory.learned.learning().changes - before)
        });
        let (path, _) = runs.find(|(_, changes)| *changes == 0).expect("it converges");
        prop_assert!(runs.take(3).all(|again| again == (path.clone(), 0)));
    }

    #[test]
    fn a_cap_on_trials_is_reported(world in places(8, 40), max in 1u32..4, sensor in 0..4usize) {
        let Some((grid, problem)) = world else { return Ok(()) };
        for agent in ["lrta", "lrts(d=3, gamma=0.5, T=10)", "plrta", "rtaa(k=3)"] {
            let (outcome, _) = converge(&grid, problem, agent, SENSORS[sensor])?;
            let settings = Settings { trials: Trials::Converge { max }, ..until_converged(SENSORS[sensor]) };
            let capped = solve(&grid, problem, agent, settings).0.outcome;
            prop_assert_eq!(capped.trials, max.min(outcome.trials));
            prop_assert_eq!(capped.each.len(), capped.trials as usize);
            if max < outcome.trials {
                prop_assert_eq!(capped.total.status(), Status::TrialCap);
                prop_assert_eq!(capped.total.reason(), Some(format!("still learning after {max} trials")));
            } else {
                prop_assert_eq!((capped.total.status(), capped.total.reason()), (Status::Solved, None));
            }
        }
    }
}

/// Runs one trial of an agent on a known grid.
fn trial<A: Agent>(agent: &mut A, memory: &mut Memory, grid: &Grid, problem: Problem) -> Vec<State> {
    let geometry = grid.geometry(0);
    let terrain = Terrain::new(&geometry, grid.moves());
    let mut path = vec![problem.start];
    agent.begin_trial();
    while path.last() != Some(&problem.goal) {
        let at = path[path.len() - 1];
        let mut meter = Meter::new(&terrain, None);
        agent.plan(Episode { meter: &mut meter, memory, at, goal: problem.goal, plan: &mut path });
    }
    path
}

/// Figure 3 of graph-abstraction-2007 line by line, with hash tables.
#[derive(Default)]
struct Textbook {
    learned: HashMap<State, Cost>,
}

impl Textbook {
    fn trial(&mut self, grid: &Grid, problem: Problem, (depth, gamma, quota): (u32, f64, f64)) -> Vec<State> {
        let geometry = grid.geometry(0);
        let terrain = Terrain::new(&geometry, grid.moves());
        let goal = problem.goal;
        let weighed = |cost| Weight::new(gamma).of(cost);
        let quota = if quota.is_finite() { (quota * CARDINAL as f64).round() } else { f64::INFINITY };
        let mut states = vec![problem.start];
        let mut taken: Vec<Vec<State>> = Vec::new();
        let mut u = 0.0;
        while states.last() != Some(&goal) {
            let at = states[states.len() - 1];
            let h = |state: State| self.learned.get(&state).copied().unwrap_or(terrain.heuristic(state, goal));
            // Line 1.
            let mut plies: Vec<Vec<State>> = vec![vec![at]];
            let mut paths: HashMap<State, (Cost, Vec<State>)> = HashMap::from([(at, (0, vec![at]))]);
            while plies.len() <= depth as usize && !paths.contains_key(&goal) {
                let mut ply: Vec<State> = Vec::new();
                for state in &plies[plies.len() - 1] {
                    let (g, path) = paths[state].clone();
                    terrain.successors(*state, |next, cost| {
                        let g = g + weighed(cost);
                        if paths.get(&next).is_none_or(|known| ply.contains(&next) && g < known.0) {
                            let path = path.iter().copied().chain([next]).collect();
                            if paths.insert(next, (g, path)).is_none() {
                                ply.push(next);
                            }
                        }
                    });
                }
                if ply.is_empty() {
                    break;
                }
                plies.push(ply);
            }
            // Line 2.
            let f = |state: &State| paths[state].0 + h(*state);
            let best_of = |ply: &Vec<State>| match ply.contains(&goal) {
                true => goal,
                false => *ply.iter().min_by_key(|state| f(state)).expect("no ply is empty"),
            };
            let best: Vec<State> = plies[1..].iter().map(best_of).collect();
            // Lines 3 and 4.
            let before = h(at);
            let after = best.iter().map(f).max().expect("there is a ply").max(before);
            self.learned.insert(at, after);
            u += (after - before) as f64;
            // Lines 5 to 9.
            let is_over = u > quota;
            u = u.min(quota);
            match taken.pop_if(|_| is_over) {
                Some(path) => states.extend(path.iter().rev().skip(1)),
                None => {
                    let path = &paths[&best[best.len() - 1]].1;
                    states.extend(&path[1..]);
                    taken.push(path.clone());
                }
            }
        }
        states
    }
}
