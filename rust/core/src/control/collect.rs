//! Training data for decision trees: features and label of every move of trips that an oracle guides.
//!
//! As LRTA* (ORACLE, G) does, the agent makes the move of d_max, which is that of the label's depth, and updates from the
//! search to that depth, once a move; its pre-search is the beginning of the oracle's search. Workers take one problem
//! after the other; what comes out is in the order of the problems, on any number of threads.

use super::features::{FeatureSet, Features, features};
use super::oracle::{Answer, label, look};
use crate::agent::{Agent, Episode, Memory};
use crate::batch::Placed;
use crate::graph::Graph;
use crate::grid::Grid;
use crate::search::lookahead::Outlook;
use crate::search::ties::Ties;
use crate::workers::{self, Progress, Workers};
use crate::world::runs::{Trials, World};
use crate::world::sensor::Sensor;
use crate::world::trial::{Limits, Setting};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// What is collected.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Which features.
    pub set: FeatureSet,
    /// How many of the last moves they look at.
    pub n: u32,
    /// How deep the pre-search goes; not deeper than `dmax`.
    pub presearch: u32,
    /// How deep the oracle looks.
    pub dmax: u32,
    /// Trips end where travel is more than so many times the optimum.
    pub alpha: Option<f64>,
}

/// One move of a trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// What a decision tree would know of it.
    pub features: Features,
    /// The depth that it should choose.
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
        let outlook = Outlook { from: at, goal, path_max: Some(before), weigh: |cost| cost, heuristic };
        lookahead.begin(meter.states(), dmax, &outlook);
        self.answers.clear();
        look(meter, lookahead, &outlook, presearch, &mut self.answers);
        let features = features(set, meter, (&*lookahead, &*history), &outlook, &h0);
        look(meter, lookahead, &outlook, dmax, &mut self.answers);
        let label = label(&self.answers);
        let Some(&Answer { f, next }) = self.answers.get(label as usize - 1) else { return };
        self.samples.push(Sample { features, label });
        learned.set(at, before, f);
        history.record(at, next, f - before);
        plan.push(next);
    }
}

/// Everything that workers share.
struct Work {
    grids: Vec<Arc<Grid>>,
    problems: Vec<Placed>,
    wanted: Wanted,
    next: AtomicUsize,
    progress: Arc<Progress>,
}

impl Work {
    /// One problem after the other, as long as there are any.
    fn run(&self, mut hand_over: impl FnMut(usize, Vec<Sample>)) {
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
                limits: Limits { cutoff: None, time_limit_ns: None, alpha: self.wanted.alpha },
                trials: Trials::Once,
                clock: None,
                cancelled: self.progress.cancelled(),
            };
            if world.run(&mut collector, &mut memory, placed.problem, setting, None).is_none() {
                return;
            }
            hand_over(number, std::mem::take(&mut collector.samples));
            self.progress.advance();
        }
    }
}

/// A collection on its way.
pub struct Collection {
    workers: Workers<(usize, Vec<Sample>)>,
    samples: Vec<Option<Vec<Sample>>>,
}

impl Collection {
    /// Starts `jobs` workers, or one per core where that is 0.
    ///
    /// # Panics
    /// Where a problem names a grid that is not there.
    pub fn start(grids: Vec<Arc<Grid>>, problems: Vec<Placed>, wanted: Wanted, jobs: usize) -> Collection {
        assert!(problems.iter().all(|placed| (placed.grid as usize) < grids.len()), "its grid is there");
        let samples = vec![None; problems.len()];
        let (count, progress) = (workers::threads(jobs).min(problems.len()), Arc::new(Progress::default()));
        let work =
            Arc::new(Work { grids, problems, wanted, next: AtomicUsize::new(0), progress: Arc::clone(&progress) });
        let run = move |sender: Sender<_>| work.run(|number, samples| drop(sender.send((number, samples))));
        Collection { workers: Workers::start(count, progress, run), samples }
    }

    /// Waits up to `timeout`; whether everything is collected, or abandoned.
    ///
    /// # Panics
    /// Where a worker did: nothing that a user gives makes one panic.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        let Some(collected) = self.workers.next(timeout) else { return true };
        for (number, samples) in collected {
            self.samples[number] = Some(samples);
        }
        false
    }

    /// The moves of each problem, in their order; none where the collection was cancelled or is not finished.
    pub fn samples(&self) -> Option<Vec<&[Sample]>> {
        self.samples.iter().map(|samples| samples.as_deref()).collect()
    }

    /// A handle on its progress, for others than who waits for it: units are problems.
    pub fn progress(&self) -> &Arc<Progress> {
        self.workers.progress()
    }
}
