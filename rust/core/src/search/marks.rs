//! A set of states that is emptied at no cost.

use crate::graph::State;

/// States, marked or not.
#[derive(Default)]
pub struct Marks {
    /// The number of the set that each state was last in.
    numbers: Vec<u32>,
    number: u32,
}

impl Marks {
    /// Empties the set, with room for `states` states.
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
