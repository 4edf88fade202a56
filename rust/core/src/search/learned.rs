//! Learned heuristics that exceed the initial ones.
//!
//! In the dense array, 0 means that nothing was learned. The heuristic of a state is the maximum of its entry and the
//! initial heuristic, without a branch, and reading writes no entry. A list of written entries makes a reset as cheap
//! as the learning before it. Learning is counted here, not by agents.

use super::table::{Table, bytes};
use crate::cost::{Cost, INFINITY};
use crate::graph::State;
use std::hint::select_unpredictable;

/// Statistics of learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learning {
    /// The number of computed heuristic values, raised or not.
    pub updates: u64,
    /// The number of changed values.
    pub changes: u64,
    /// The total increase of values, in units of cost, without later decreases.
    pub raised: u64,
    /// The number of entries in the table.
    pub entries: u64,
}

impl Learning {
    /// The sum of two statistics.
    pub fn and(self, other: Learning) -> Learning {
        Learning {
            updates: self.updates + other.updates,
            changes: self.changes + other.changes,
            raised: self.raised + other.raised,
            entries: self.entries + other.entries,
        }
    }
}

/// A table of learned heuristics towards one goal.
#[derive(Default)]
pub struct Learned {
    values: Vec<Cost>,
    written: Vec<State>,
    updates: u64,
    changes: u64,
    raised: u64,
    entries: u64,
    /// The maximum of `entries` before some were forgotten.
    peak: u64,
    /// The number of entries in other tables.
    external: u64,
}

impl Table for Learned {
    fn reset(&mut self, states: usize) {
        self.forget_all();
        if self.values.len() < states {
            // A new array of zeros is mapped, not written.
            self.values = vec![0; states];
        }
        (self.updates, self.changes, self.raised, self.peak, self.external) = (0, 0, 0, 0, 0);
    }

    fn learning(&self) -> Learning {
        let &Learned { updates, changes, raised, entries, external, .. } = self;
        Learning { updates, changes, raised, entries: entries + external }
    }

    fn peak_bytes(&self) -> u64 {
        bytes::<(Cost, State)>(self.peak.max(self.entries) as usize)
    }

    fn risen(&self, state: State, goal: State, initial: &dyn Fn(State) -> Cost) -> f64 {
        let initial = initial(goal);
        match self.or_anywhere(state, initial) {
            INFINITY => f64::INFINITY,
            value => f64::from(value - initial),
        }
    }
}

impl Learned {
    /// Allocates entries for `states` states and keeps all existing ones.
    pub fn make_room(&mut self, states: usize) {
        if self.values.len() < states {
            self.values.resize(states, 0);
        }
    }

    /// Forgets the learned heuristic of a state.
    pub fn forget(&mut self, state: State) {
        if let Some(entry @ 1..) = self.values.get_mut(state as usize) {
            *entry = 0;
            self.peak = self.peak.max(self.entries);
            self.entries -= 1;
        }
    }

    /// Forgets all learned heuristics, but not the statistics.
    pub fn forget_all(&mut self) {
        for state in self.written.drain(..) {
            self.values[state as usize] = 0;
        }
        (self.peak, self.entries) = (self.peak.max(self.entries), 0);
    }

    /// Adds the learning of another table between `before` and `after`.
    pub fn count_external(&mut self, before: Learning, after: Learning) {
        self.updates += after.updates - before.updates;
        self.changes += after.changes - before.changes;
        self.raised += after.raised - before.raised;
        self.external += after.entries - before.entries;
    }

    /// Subtracts entries of another table that were forgotten.
    pub fn forget_external(&mut self, entries: u64) {
        self.external -= entries;
    }

    /// The heuristic of a state, given its initial value.
    #[inline(always)]
    pub fn or(&self, state: State, initial: Cost) -> Cost {
        self.values[state as usize].max(initial)
    }

    /// The entries of all states, 0 for states without one.
    #[inline(always)]
    pub fn table(&self) -> &[Cost] {
        &self.values
    }

    /// As [`Learned::or`], for a state that may be invalid.
    #[inline(always)]
    pub fn or_anywhere(&self, state: State, initial: Cost) -> Cost {
        self.values.get(state as usize).map_or(initial, |value| (*value).max(initial))
    }

    /// Sets the heuristic of a state with the value `before`. A value below the initial one has no effect.
    #[inline(always)]
    pub fn set(&mut self, state: State, before: Cost, value: Cost) {
        self.updates += 1;
        if value != before {
            self.changes += 1;
            self.raised += value.saturating_sub(before) as u64;
            self.write(state, value);
        }
    }

    /// As [`Learned::set`], for many states with their old and new values. The counts stay in registers.
    #[inline(always)]
    pub fn set_all(&mut self, updates: impl ExactSizeIterator<Item = (State, Cost, Cost)>) {
        let Learned { values, written, .. } = self;
        let (values, known) = (&mut values[..], written.len());
        let (mut changes, mut raised) = (0, 0);
        self.updates += updates.len() as u64;
        for (state, before, value) in updates {
            let entry = &mut values[state as usize];
            let (is_change, old) = (value != before, *entry);
            changes += is_change as u64;
            raised += value.saturating_sub(before) as u64;
            *entry = select_unpredictable(is_change, value, old);
            if is_change & (old == 0) {
                written.push(state);
            }
        }
        self.changes += changes;
        self.raised += raised;
        self.entries += (self.written.len() - known) as u64;
    }

    /// Raises the heuristic of a state with the value `before` if the new one is higher, or to infinity if it is
    /// expendable.
    #[inline(always)]
    pub fn raise_or_remove(&mut self, state: State, before: Cost, value: Cost, is_expendable: bool) {
        self.updates += 1;
        if value > before {
            self.changes += 1;
            self.raised += (value - before) as u64;
            self.write(state, if is_expendable { INFINITY } else { value.min(INFINITY - 1) });
        }
    }

    /// As [`Learned::set`], but creates an entry even if the value is unchanged, for agents that record visited states.
    #[inline(always)]
    pub fn store(&mut self, state: State, before: Cost, value: Cost) {
        self.updates += 1;
        self.changes += (value != before) as u64;
        self.raised += value.saturating_sub(before) as u64;
        self.write(state, value);
    }

    /// The entry of a state, if it has one.
    #[inline(always)]
    pub fn entry(&self, state: State) -> Option<Cost> {
        Some(self.values[state as usize]).filter(|value| *value != 0)
    }

    #[inline(always)]
    fn write(&mut self, state: State, value: Cost) {
        let entry = &mut self.values[state as usize];
        if *entry == 0 {
            self.written.push(state);
            self.entries += 1;
        }
        *entry = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_until_a_reset() {
        let mut learned = Learned::default();
        learned.reset(4);
        assert_eq!(learned.or(2, 7), 7);
        learned.set(2, 7, 9);
        learned.set(2, 9, 9);
        learned.set(1, 5, 5);
        assert_eq!((learned.or(2, 7), learned.or(1, 5)), (9, 5));
        assert_eq!(learned.learning(), Learning { updates: 3, changes: 1, raised: 2, entries: 1 });
        learned.reset(4);
        assert_eq!(learned.or(2, 7), 7);
        assert_eq!(learned.learning(), Learning::default());
    }

    #[test]
    fn set_all_equals_many_calls_of_set() {
        let (mut one, mut all) = (Learned::default(), Learned::default());
        let updates = [(2, 7, 9), (1, 5, 5), (3, 4, 6), (2, 9, 11), (3, 6, 5), (0, 3, 2)];
        for table in [&mut one, &mut all] {
            table.reset(4);
            table.set(3, 2, 4);
        }
        updates.iter().for_each(|(state, before, value)| one.set(*state, *before, *value));
        all.set_all(updates.into_iter());
        assert_eq!((&one.values, &one.written, one.learning()), (&all.values, &all.written, all.learning()));
    }

    #[test]
    fn forgetting_keeps_the_statistics() {
        let mut learned = Learned::default();
        learned.reset(4);
        learned.set(2, 7, 9);
        learned.set(1, 5, 6);
        learned.forget(2);
        learned.forget(3);
        learned.forget(99);
        assert_eq!((learned.or(2, 7), learned.or(1, 5)), (7, 6));
        assert_eq!(learned.learning(), Learning { updates: 2, changes: 2, raised: 3, entries: 1 });
        learned.set(2, 7, 8);
        assert_eq!(learned.learning().entries, 2);
        learned.make_room(100);
        assert_eq!((learned.or(1, 5), learned.or(99, 3)), (6, 3));
        learned.count_external(Learning::default(), Learning { updates: 1, changes: 1, raised: 4, entries: 2 });
        assert_eq!(learned.learning(), Learning { updates: 4, changes: 4, raised: 8, entries: 4 });
        learned.forget_external(2);
        learned.forget_all();
        assert_eq!(learned.or(1, 5), 5);
        assert_eq!(learned.learning(), Learning { updates: 4, changes: 4, raised: 8, entries: 0 });
    }
}
