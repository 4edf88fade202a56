//! Plug-ins that plan like built-in agents, and plug-ins that violate the rules.

use super::*;
use crate::agents::spec::Spec;
use crate::batch::{self, DatabaseSet, Placed, PluginRun, PreparedAgent, Record, Settings, Worker};
use crate::cost::{CARDINAL, Length};
use crate::grid::{DiagonalRule, Grid};
use crate::problems::Problem;
use crate::world::runs::Trials;
use crate::world::sensor::Sensor;

/// A plug-in that calls a function in each episode.
struct Calling<F>(F);

impl<F: FnMut(&mut dyn Access) -> Result<(), String> + Send> Plugin for Calling<F> {
    fn begin_problem(&mut self, _: u64, _: Shape) -> Result<(), String> {
        Ok(())
    }

    fn begin_trial(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn discovered(&mut self, _: &[State]) -> Result<(), String> {
        Ok(())
    }

    fn plan<A: Access>(&mut self, access: &mut A) -> Result<(), String> {
        (self.0)(access)
    }

    fn end_problem(&mut self) {}
}

/// LRTA*, which has no tables of its own.
fn lrta(access: &mut dyn Access) -> Result<(), String> {
    access.memory(0);
    lrta_moves(access)
}

fn lrta_moves(access: &mut dyn Access) -> Result<(), String> {
    let (at, mut successors) = (access.at(), [Successor::default(); MAX_SUCCESSORS]);
    let count = access.expand(at, &mut successors).ok_or("stopped")?;
    let best =
        successors[..count].iter().min_by_key(|successor| successor.cost + successor.h).ok_or("nowhere to go")?;
    access.learn(at, best.cost + best.h);
    access.go(best.state);
    Ok(())
}

fn grid() -> Grid {
    let rows = [
        "....................",
        ".##############.....",
        "..............#.....",
        "..............#.....",
        "....................",
    ];
    Grid::drawn(DiagonalRule::Strict, &rows)
}

fn placed(grid: &Grid) -> Placed {
    let (start, goal) = (grid.shape().state(3, 3), grid.shape().state(18, 0));
    Placed { grid: 0, ordinal: 0, problem: Problem { start, goal, optimal: Length { cardinal: 15, diagonal: 3 } } }
}

fn settings(cutoff: Option<u64>, sensor: Sensor, trials: Trials) -> Settings {
    let limits = Limits { cutoff, alpha: Some(1000.0), ..Limits::default() };
    Settings { sensor, limits, trials, timed: false, repeats: 1, seed: 0 }
}

fn run(settings: Settings, plan: impl FnMut(&mut dyn Access) -> Result<(), String> + Send + 'static) -> Record {
    let grid = grid();
    let heartbeat = Arc::new(Heartbeat::unseen().expect("memory suffices"));
    let agent = PluginAgent::new(Calling(plan), grid.shape(), settings.limits, Arc::clone(&heartbeat));
    let agent = PreparedAgent::plugin("test".to_owned(), 0, agent);
    let problems = [(0, placed(&grid))];
    let plugin = PluginRun { grid: &grid, agent, settings, heartbeat: &heartbeat };
    let records = plugin.run(&problems, Duration::MAX, &mut Worker::default(), None);
    records.into_iter().next().expect("one problem, one record")
}

fn once(plan: impl FnMut(&mut dyn Access) -> Result<(), String> + Send + 'static) -> Record {
    run(settings(Some(10), Sensor::All, Trials::Once), plan)
}

fn end(record: &Record) -> String {
    format!("{}: {}", record.outcome.total.status().name(), record.outcome.total.end)
}

#[test]
fn a_plugin_that_plans_like_lrta_gets_the_same_record() {
    let grid = grid();
    for sensor in [Sensor::All, Sensor::Square(2), Sensor::Cross] {
        for trials in [Trials::Once, Trials::Converge { max: 1000 }] {
            let settings = settings(None, sensor, trials);
            let spec = Spec::parse("lrta(d=1)").expect("the spec is valid");
            let solved = batch::solve(&grid, &spec, &DatabaseSet::default(), placed(&grid), settings);
            let (builtin, _) = solved.expect("lrta runs on every map");
            let mut plugin = run(settings, lrta).outcome.without_times();
            assert_eq!(plugin.unexpanded_moves.take(), Some(0), "{sensor:?} {trials:?}");
            assert_eq!(plugin, builtin.outcome.without_times(), "{sensor:?} {trials:?}");
            assert!(plugin.learning.changes > 0);
        }
    }
}

#[test]
fn memory_is_the_maximum_that_was_reported_plus_what_was_learned() {
    let reports = |reports: [Option<u64>; 3]| {
        let mut episodes = 0;
        let record = once(move |access| {
            lrta_moves(access)?;
            if let Some(bytes) = reports[episodes.min(2)] {
                access.memory(bytes);
            }
            episodes += 1;
            Ok(())
        });
        (record.outcome.memory_bytes, 8 * record.outcome.learning.entries)
    };
    assert_eq!(reports([None; 3]).0, None);
    let (bytes, learned) = reports([Some(5), Some(700), None]);
    assert!(learned > 0);
    assert_eq!(bytes, Some(700 + learned));
    assert_eq!(reports([None, None, Some(0)]), (Some(learned), learned));
}

#[test]
fn expansions_stop_after_ten_times_the_cutoff_and_the_trial_ends() {
    let record = once(|access| {
        let (at, mut successors) = (access.at(), [Successor::default(); MAX_SUCCESSORS]);
        let mut seen = 0;
        while access.expand(at, &mut successors).is_some() {
            seen += 1;
        }
        assert!(access.reread(at, &mut successors).is_none());
        assert_eq!(seen, 100);
        Err("stopped".to_owned())
    });
    assert_eq!(end(&record), "cutoff: move 1 expanded 100 states, over 10");
}

#[test]
fn rereading_an_unexpanded_state_expands_it() {
    let record = once(|access| {
        let (at, mut successors) = (access.at(), [Successor::default(); MAX_SUCCESSORS]);
        let count = access.reread(at, &mut successors);
        assert_eq!(access.reread(at, &mut successors), count);
        assert_eq!(access.effort().expanded, 1);
        assert_eq!(Some(access.effort().touched), count.map(|count| 2 * count as u64));
        Err("enough".to_owned())
    });
    assert_eq!(end(&record), "error: move 1: enough");
    assert_eq!(record.outcome.total.effort.expanded, 1);
}

#[test]
fn an_invalid_state_ends_the_trial() {
    let record = once(|access| {
        let mut successors = [Successor::default(); MAX_SUCCESSORS];
        assert_eq!(access.expand(100, &mut successors), None);
        assert_eq!((access.heuristic(u32::MAX), access.initial(0, 100)), (INFINITY, INFINITY));
        access.learn(u32::MAX, 5);
        Ok(())
    });
    assert_eq!(end(&record), "error: move 1: it requested the successors of 100, but states are 0 to 99");
}

#[test]
fn illegal_moves_are_reported_with_their_destination() {
    let to = |state| {
        once(move |access| {
            access.go(state);
            Ok(())
        })
    };
    let grid = grid();
    assert_eq!(end(&to(grid.shape().state(14, 3))), "illegal: move 1 from 3,3 leads to 14,3, which is a wall");
    assert_eq!(end(&to(grid.shape().state(9, 3))), "illegal: move 1 from 3,3 leads to 9,3, which is not a neighbour");
    assert_eq!(end(&to(500)), "illegal: move 1 from 3,3 leads to the state 500, which is outside the map");
    let to_itself = end(&to(grid.shape().state(3, 3)));
    assert_eq!(to_itself, "illegal: move 1 from 3,3 leads to 3,3, which no legal move reaches");
}

#[test]
fn heuristics_never_fall_below_the_initial_one_and_entries_are_counted_once() {
    let record = once(|access| {
        let (at, goal) = (access.at(), access.goal());
        let initial = access.initial(at, goal);
        access.learn(at, initial + CARDINAL);
        assert_eq!(access.heuristic(at), initial + CARDINAL);
        access.learn(at, 0);
        assert_eq!(access.heuristic(at), initial);
        for value in [7, 0, 7] {
            access.learn(goal, value);
        }
        assert_eq!(access.heuristic(goal), 7);
        Ok(())
    });
    assert_eq!(record.outcome.total.status().name(), "stuck");
    assert_eq!(record.outcome.learning.entries, 2);
}
