//! Learned heuristics with "separate heuristic tables for the different goals" (dynamic-control-2008, Section 2).
//!
//! An agent with intermediate goals learns little about each, so the tables share one list. Each state has a chain of
//! its learned values, one per goal. Most chains are empty, so reading a state is as cheap as in a dense table.

use super::learned::Learning;
use super::table::{Table, bytes};
use crate::cost::Cost;
use crate::graph::State;

/// Tables of learned heuristics, one for each goal.
#[derive(Default)]
pub struct LearnedByGoal {
    /// The number of the first entry in the chain of each state, from 1, or 0 if the chain is empty.
    heads: Vec<u32>,
    entries: Vec<Entry>,
    learning: Learning,
}

struct Entry {
    state: State,
    goal: State,
    value: Cost,
    /// The number of the next entry in the chain.
    next: u32,
}

impl Table for LearnedByGoal {
    fn reset(&mut self, _states: usize) {
        self.entries.drain(..).for_each(|entry| self.heads[entry.state as usize] = 0);
        self.learning = Learning::default();
    }

    fn learning(&self) -> Learning {
        self.learning
    }

    fn peak_bytes(&self) -> u64 {
        let chains = self.entries.iter().filter(|entry| entry.next == 0).count();
        bytes::<Entry>(self.entries.len()) + bytes::<u32>(chains)
    }

    fn risen(&self, state: State, _goal: State, initial: &dyn Fn(State) -> Cost) -> f64 {
        let (mut at, mut max) = (self.heads.get(state as usize).copied().unwrap_or(0), 0);
        while at != 0 {
            let entry = &self.entries[at as usize - 1];
            max = max.max(entry.value.saturating_sub(initial(entry.goal)));
            at = entry.next;
        }
        f64::from(max)
    }
}

impl LearnedByGoal {
    /// Allocates entries for `states` states.
    pub fn make_room(&mut self, states: usize) {
        if self.heads.len() < states {
            self.heads.resize(states, 0);
        }
    }

    /// The heuristic of a state to a goal, given its initial value. The state may be invalid.
    #[inline(always)]
    pub fn or(&self, goal: State, state: State, initial: Cost) -> Cost {
        let mut at = self.heads.get(state as usize).copied().unwrap_or(0);
        while at != 0 {
            let entry = &self.entries[at as usize - 1];
            if entry.goal == goal {
                return entry.value.max(initial);
            }
            at = entry.next;
        }
        initial
    }

    /// Sets the heuristic of a state to a goal, with the value `before`.
    #[inline]
    pub fn set(&mut self, goal: State, state: State, before: Cost, value: Cost) {
        self.learning.updates += 1;
        if value == before {
            return;
        }
        self.learning.changes += 1;
        self.learning.raised += value.saturating_sub(before) as u64;
        let head = self.heads[state as usize];
        let mut at = head;
        while at != 0 {
            let entry = &mut self.entries[at as usize - 1];
            if entry.goal == goal {
                entry.value = value;
                return;
            }
            at = entry.next;
        }
        self.entries.push(Entry { state, goal, value, next: head });
        self.heads[state as usize] = self.entries.len() as u32;
        self.learning.entries += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_have_separate_tables() {
        let mut learned = LearnedByGoal::default();
        for _ in 0..2 {
            learned.reset(4);
            learned.make_room(4);
            learned.set(7, 2, 5, 9);
            learned.set(8, 2, 5, 6);
            learned.set(7, 2, 9, 10);
            learned.set(7, 1, 3, 3);
            assert_eq!([7, 8, 9].map(|goal| learned.or(goal, 2, 5)), [10, 6, 5]);
            assert_eq!([0, 1, 2, 3, 99].map(|state| learned.or(7, state, 1)), [1, 1, 10, 1, 1]);
            assert_eq!([1, 2].map(|state| learned.risen(state, 0, &|goal| goal - 6)), [0.0, 9.0]);
            assert_eq!(learned.learning(), Learning { updates: 4, changes: 3, raised: 6, entries: 2 });
        }
    }
}
