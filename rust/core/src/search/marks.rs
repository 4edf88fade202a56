//! A set of states that is cleared in constant time.

use crate::graph::State;

/// A set of states.
#[derive(Default)]
pub struct Marks {
    /// The number of the last set that contained each state.
    numbers: Vec<u32>,
    number: u32,
}

impl Marks {
    /// Clears the set, with space for `states` states.
    pub fn clear(&mut self, states: usize) {
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
        self.numbers[state as usize] = self.number;
    }

    /// Whether a state is in the set.
    #[inline(always)]
    pub fn has(&self, state: State) -> bool {
        self.numbers.get(state as usize).is_some_and(|number| *number == self.number)
    }
}
