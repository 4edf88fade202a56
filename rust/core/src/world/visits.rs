//! The visits of a trial to each state: scrubbing is the repeated visiting of the same states.

use crate::graph::State;
use std::collections::HashMap;

/// Counts visits, with memory that is reused for all trials.
#[derive(Default)]
pub(super) struct Visits {
    /// The number of visits to each state, without those in `carried`. In bytes, so that the table stays in the cache.
    counts: Vec<u8>,
    /// The visited states, followed by an unused place.
    visited: Vec<State>,
    states: usize,
    max: u8,
    /// The visits that do not fit into `counts`.
    carried: HashMap<State, u64>,
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
    /// The number of visits that are carried at once.
    const CARRIED: u8 = 128;

    /// Begins a trial at its start, which counts as a visit.
    pub(super) fn begin(&mut self, states: usize, start: State) {
        for state in &self.visited[..self.states] {
            self.counts[*state as usize] = 0;
        }
        if self.counts.len() < states {
            self.counts.resize(states, 0);
            self.visited.resize(states + 1, start);
        }
        (self.states, self.max) = (0, 0);
        self.carried.clear();
        self.add(start);
    }

    /// Adds a visit.
    #[inline(always)]
    pub(super) fn add(&mut self, state: State) {
        // Whether the state is new is unpredictable, so the next one overwrites it otherwise.
        self.visited[self.states] = state;
        let count = &mut self.counts[state as usize];
        self.states += (*count == 0) as usize;
        *count += 1;
        self.max = self.max.max(*count);
        if *count == u8::MAX {
            self.carry(state);
        }
    }

    #[cold]
    #[inline(never)]
    fn carry(&mut self, state: State) {
        self.counts[state as usize] -= Self::CARRIED;
        *self.carried.entry(state).or_default() += u64::from(Self::CARRIED);
    }

    /// The visits of the trial so far.
    pub(super) fn visited(&self) -> Visited {
        // A state with carried visits has more than any without.
        let carried =
            self.carried.iter().map(|(state, carried)| carried + u64::from(self.counts[*state as usize])).max();
        Visited { states: self.states as u64, max: carried.unwrap_or(u64::from(self.max)) }
    }
}

impl Visited {
    /// Adds another trial, whose visits count separately.
    pub(super) fn add(&mut self, next: Visited) {
        self.states += next.states;
        self.max = self.max.max(next.max);
    }
}
