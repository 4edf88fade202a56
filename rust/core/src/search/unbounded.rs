//! Learned heuristics without an upper bound, and permanently removed states.
//!
//! This table is like [`super::learned`], but in floating point: with a weight w > 1 on learning, an agent's values
//! grow by a factor of w per update and exceed every integer. All stored values are rounded to integer units of cost,
//! so that sums up to 2⁵³ are exact and ties are real ties. Larger values are rounded to the nearest representable one,
//! and values above 1.8 · 10³⁰⁸ become infinity, permanently. No value is NaN, since infinities are added, multiplied
//! and compared, but never subtracted from each other.

use super::learned::Learning;
use super::table::{Table, bytes};
use crate::cost::Cost;
use crate::graph::State;

/// A heuristic value, in units of cost.
pub type Estimate = f64;

/// The entry of a removed state. 0 means that nothing was learned.
const REMOVED: Estimate = -1.0;

/// A table of learned heuristics to one goal.
#[derive(Default)]
pub struct Unbounded {
    values: Vec<Estimate>,
    written: Vec<State>,
    updates: u64,
    changes: u64,
    raised: Estimate,
}

impl Table for Unbounded {
    fn reset(&mut self, _states: usize) {
        for state in self.written.drain(..) {
            self.values[state as usize] = 0.0;
        }
        (self.updates, self.changes, self.raised) = (0, 0, 0.0);
    }

    /// Amounts above the maximal integer are reported as that integer.
    fn learning(&self) -> Learning {
        let &Unbounded { updates, changes, raised, .. } = self;
        Learning { updates, changes, raised: raised as u64, entries: self.written.len() as u64 }
    }

    fn peak_bytes(&self) -> u64 {
        let entries = self.written.len();
        bytes::<Estimate>(entries) + bytes::<State>(entries)
    }

    fn risen(&self, state: State, goal: State, initial: &dyn Fn(State) -> Cost) -> f64 {
        let initial = initial(goal);
        match self.or_removed(state, initial) {
            (_, true) => f64::INFINITY,
            (value, false) => value - f64::from(initial),
        }
    }
}

impl Unbounded {
    /// Allocates entries for `states` states.
    pub fn make_room(&mut self, states: usize) {
        if self.values.len() < states {
            self.values.resize(states, 0.0);
        }
    }

    /// The heuristic of a state, and whether it was removed, see [`or_removed`]. Nothing is learned for invalid states.
    #[inline(always)]
    pub fn or_removed(&self, state: State, initial: Cost) -> (Estimate, bool) {
        or_removed(self.values.get(state as usize).copied().unwrap_or_default(), initial)
    }

    /// The entries of all states, for [`or_removed`].
    #[inline(always)]
    pub fn table(&self) -> &[Estimate] {
        &self.values
    }

    /// Raises the heuristic of a state with the value `before` if the new one is higher. Expendable states are removed.
    #[inline(always)]
    pub fn raise(&mut self, state: State, before: Estimate, value: Estimate, is_expendable: bool) {
        self.updates += 1;
        if value > before {
            self.changes += 1;
            self.raised += value - before;
            let entry = &mut self.values[state as usize];
            if *entry == 0.0 {
                self.written.push(state);
            }
            *entry = Estimate::from_bits(match is_expendable {
                true => REMOVED.to_bits(),
                false => value.to_bits(),
            });
        }
    }
}

/// The heuristic of a state, given its entry and its initial value, and whether it was removed.
#[inline(always)]
pub fn or_removed(entry: Estimate, initial: Cost) -> (Estimate, bool) {
    let initial = Estimate::from(initial);
    (if entry > initial { entry } else { initial }, entry < 0.0)
}

/// The nearest integer, without a function call on processors that lack an instruction for it.
#[inline(always)]
pub fn rounded(value: Estimate) -> Estimate {
    const SHIFT: Estimate = (1u64 << 52) as Estimate;
    if value < SHIFT { (value + SHIFT) - SHIFT } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_and_removed_states_are_kept_until_a_reset() {
        let mut table = Unbounded::default();
        table.make_room(3);
        assert_eq!(table.or_removed(1, 7), (7.0, false));
        table.raise(1, 7.0, 9.0, false);
        table.raise(1, 9.0, 8.0, true);
        table.raise(0, 1.0, Estimate::INFINITY, false);
        table.raise(0, Estimate::INFINITY, Estimate::INFINITY, true);
        table.raise(2, 1.0, 2.0, true);
        let values = [0, 1, 2, 99].map(|state| table.or_removed(state, 7));
        assert_eq!(values, [(f64::INFINITY, false), (9.0, false), (7.0, true), (7.0, false)]);
        assert_eq!(table.learning(), Learning { updates: 5, changes: 3, raised: u64::MAX, entries: 3 });
        table.reset(3);
        assert_eq!([0, 1, 2].map(|state| table.or_removed(state, 7)), [(7.0, false); 3]);
        assert_eq!(table.learning(), Learning::default());
    }

    proptest! {
        #[test]
        fn rounded_returns_the_nearest_integer(value in 0.0..1e17f64) {
            prop_assert_eq!(rounded(value), value.round_ties_even());
        }
    }
}
