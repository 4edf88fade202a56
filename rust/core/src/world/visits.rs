//! The visits of a trial to each state: scrubbing is the repeated visiting of the same states.

use crate::graph::State;

/// Counts visits, with memory that is reused for all trials.
#[derive(Default)]
pub(super) struct Visits {
    /// The number of visits to each state, above `base`. Entries up to `base` are from earlier trials.
    counts: Vec<u64>,
    base: u64,
    /// The largest entry of this trial.
    max: u64,
    states: u64,
}

/// Statistics of visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visited {
    /// The number of states that were visited.
    pub states: u64,
    /// The maximum number of visits to one state.
    pub max: u64,
}

impl Visits {
    /// Begins a trial at its start, which counts as a visit.
    pub(super) fn begin(&mut self, states: usize, start: State) {
        if self.counts.len() < states {
            self.counts.resize(states, 0);
        }
        (self.base, self.states) = (self.max, 0);
        self.add(start);
    }

    /// Adds a visit.
    #[inline(always)]
    pub(super) fn add(&mut self, state: State) {
        // Without a branch, which would be unpredictable.
        let count = &mut self.counts[state as usize];
        self.states += (*count <= self.base) as u64;
        *count = (*count).max(self.base) + 1;
        self.max = self.max.max(*count);
    }

    /// The visits of the trial so far.
    pub(super) fn visited(&self) -> Visited {
        Visited { states: self.states, max: self.max - self.base }
    }
}

impl Visited {
    /// Adds another trial, whose visits count separately.
    pub(super) fn add(&mut self, next: Visited) {
        self.states += next.states;
        self.max = self.max.max(next.max);
    }
}
