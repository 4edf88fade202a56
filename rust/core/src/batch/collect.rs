//! Training data for decision trees: features and label of every move of LRTA* (ORACLE, G).
//!
//! The agent makes the move of d_max, which is also that of the label's depth, and updates from the search to that
//! depth. Its pre-search is the beginning of the oracle's search. Samples are in the order of the problems, on any
//! number of threads.

use super::Placed;
use crate::agent::{Agent, Episode, Memory};
use crate::control::features::{FeatureSet, Features, features};
use crate::control::oracle::{Answer, label, look};
use crate::graph::Graph;
use crate::grid::Grid;
use crate::search::lookahead::LookaheadContext;
use crate::search::ties::Ties;
use crate::workers::{self, Progress, Workers};
use crate::world::runs::{Runner, Trials, World};
use crate::world::sensor::Sensor;
use crate::world::trial::{Limits, Setting};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// The data to collect.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The set of features.
    pub set: FeatureSet,
    /// The number of recent moves that features consider.
    pub n: u32,
    /// The depth of the pre-search, at most `dmax`.
    pub presearch: u32,
    /// The depth of the oracle's search.
    pub dmax: u32,
    /// The maximum travel, in multiples of the optimum.
    pub alpha: Option<f64>,
}

/// One move of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The input of a decision tree.
    pub features: Features,
    /// The depth that the tree should choose.
    pub label: u32,
}

/// The agent whose moves are collected.
struct Collector {
    wanted: Wanted,
    is_fresh: bool,
    answers: Vec<Answer>,
    samples: Vec<Sample>,
}

impl Agent for Collector {
    fn begin_trial(&mut self) {
        self.is_fresh = true;
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, lookahead, history, .. } = memory;
        let Wanted { set, n, presearch, dmax, .. } = self.wanted;
        if std::mem::take(&mut self.is_fresh) {
            history.begin_trial(meter.states(), n as usize);
        }
        let h0 = meter.heuristic(goal);
        let heuristic = |state| learned.or(state, h0.of(state));
        let before = heuristic(at);
        let context = LookaheadContext { from: at, goal, path_max: Some(before), weigh: |cost| cost, heuristic };
        lookahead.begin(meter.states(), dmax, &context);
        self.answers.clear();
        look(meter, lookahead, &context, presearch, &mut self.answers);
        let features = features(set, meter, lookahead, history, &context, &h0);
        look(meter, lookahead, &context, dmax, &mut self.answers);
        let label = label(&self.answers);
        let Some(&Answer { f, next }) = self.answers.get(label as usize - 1) else { return };
        self.samples.push(Sample { features, label });
        learned.set(at, before, f);
        history.record(at, next, f - before);
        plan.push(next);
    }
}

/// Data shared by all workers.
struct Work {
    grids: Vec<Arc<Grid>>,
    problems: Vec<Placed>,
    wanted: Wanted,
    next: AtomicUsize,
    progress: Arc<Progress>,
}

impl Work {
    /// Runs problems until there are none left.
    fn run(&self, mut send: impl FnMut(usize, Vec<Sample>)) {
        let (mut world, mut memory) = (World::default(), Memory::default());
        memory.ties = Ties::First;
        let mut collector = Collector { wanted: self.wanted, is_fresh: true, answers: Vec::new(), samples: Vec::new() };
        while !self.progress.is_cancelled() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(placed) = self.problems.get(number) else { return };
            let grid = &self.grids[placed.grid as usize];
            let setting = Setting {
                grid,
                geometry: &grid.geometry(0),
                sensor: Sensor::All,
                hierarchy: None,
                databases: &[],
                limits: Limits { alpha: self.wanted.alpha, ..Limits::default() },
                trials: Trials::Once,
                clock: None,
                too_slow: None,
                cancelled: self.progress.cancelled(),
            };
            if collector.run(&mut world, &mut memory, placed.problem, setting, None).is_none() {
                return;
            }
            send(number, std::mem::take(&mut collector.samples));
            self.progress.advance();
        }
    }
}

/// A collection in progress.
pub struct Collection {
    workers: Workers<(usize, Vec<Sample>)>,
    samples: Vec<Option<Vec<Sample>>>,
}

impl Collection {
    /// Starts `jobs` workers, or one per core if `jobs` is 0.
    ///
    /// # Panics
    /// If a problem refers to a grid that does not exist.
    pub fn start(grids: Vec<Arc<Grid>>, problems: Vec<Placed>, wanted: Wanted, jobs: usize) -> Collection {
        assert!(problems.iter().all(|placed| (placed.grid as usize) < grids.len()), "the grid of a problem exists");
        let samples = vec![None; problems.len()];
        let (count, progress) = (workers::threads(jobs).min(problems.len()), Arc::new(Progress::default()));
        let work =
            Arc::new(Work { grids, problems, wanted, next: AtomicUsize::new(0), progress: Arc::clone(&progress) });
        let run = move |sender: Sender<_>| work.run(|number, samples| drop(sender.send((number, samples))));
        Collection { workers: Workers::start(count, progress, run), samples }
    }

    /// Waits up to `timeout`. Returns whether the collection has finished or was cancelled.
    ///
    /// # Panics
    /// If a worker panicked, which no user input causes.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        let Some(collected) = self.workers.next(timeout) else { return true };
        for (number, samples) in collected {
            self.samples[number] = Some(samples);
        }
        false
    }

    /// The moves of each problem, in order; `None` if the collection was cancelled or has not finished.
    pub fn samples(&self) -> Option<Vec<&[Sample]>> {
        self.samples.iter().map(|samples| samples.as_deref()).collect()
    }

    /// The progress in problems, a handle for other threads.
    pub fn progress(&self) -> &Arc<Progress> {
        self.workers.progress()
    }
}
