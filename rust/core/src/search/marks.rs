//! A set of states that is cleared in constant time.

use super::table::bytes;
use crate::graph::State;

/// A set of states.
#[derive(Default)]
pub struct Marks {
    /// The number of the last set that contained each state.
    numbers: Vec<u32>,
    number: u32,
    /// The number of states in the set, and its maximum over earlier sets.
    len: usize,
    peak: usize,
}

impl Marks {
    /// Clears the set for a new problem.
    pub fn reset(&mut self) {
        self.clear(0);
        self.peak = 0;
    }

    /// Clears the set, with space for `states` states.
    pub fn clear(&mut self, states: usize) {
        (self.peak, self.len) = (self.peak.max(self.len), 0);
        if self.numbers.len() < states {
            self.numbers.resize(states, 0);
        }
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.numbers.fill(0);
            self.number = 1;
        }
    }

    /// Adds a state.
    #[inline(always)]
    pub fn mark(&mut self, state: State) {
        let number = &mut self.numbers[state as usize];
        self.len += (*number != self.number) as usize;
        *number = self.number;
    }

    /// Whether a state is in the set.
    #[inline(always)]
    pub fn has(&self, state: State) -> bool {
        self.numbers.get(state as usize).is_some_and(|number| *number == self.number)
    }

    /// The bytes of the largest set since the start of the problem.
    pub fn peak_bytes(&self) -> u64 {
        bytes::<u32>(self.peak.max(self.len))
    }
}
