//! Learned heuristics that may grow beyond all bounds, and states that are gone for good.
//!
//! As [`super::learned`], but in floating point: with a weight w > 1 on what it learns, an agent's values grow w-fold
//! from update to update, past every integer. All that is stored was rounded to whole units of cost, so that up to 2⁵³
//! of them sums are exact and ties are real ties, as everywhere else; above that the nearest value stands for itself,
//! and above 1.8 · 10³⁰⁸ infinity does, which never falls again. Nothing here is ever no number: infinities are added
//! to, multiplied and compared, and no infinity is taken from another.

use super::learned::Learning;
use super::table::Table;
use crate::cost::Cost;
use crate::graph::State;

/// A heuristic value, in units of cost.
pub type Estimate = f64;

/// The entry of a state that is gone; 0 stands for nothing learned.
const GONE: Estimate = -1.0;

/// A table of learned heuristics towards one goal.
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

    /// Amounts above the largest integer are reported as that integer.
    fn learning(&self) -> Learning {
        let &Unbounded { updates, changes, raised, .. } = self;
        Learning { updates, changes, raised: raised as u64, entries: self.written.len() as u64 }
    }

    fn risen(&self, state: State, goal: State, initial: &dyn Fn(State) -> Cost) -> f64 {
        let initial = initial(goal);
        match self.or_gone(state, initial) {
            (_, true) => f64::INFINITY,
            (value, false) => value - f64::from(initial),
        }
    }
}

impl Unbounded {
    /// Makes room for `states` states.
    pub fn make_room(&mut self, states: usize) {
        if self.values.len() < states {
            self.values.resize(states, 0.0);
        }
    }

    /// The heuristic of a state, and whether it is gone, see [`or_gone`]; a state that is none has nothing learned.
    #[inline(always)]
    pub fn or_gone(&self, state: State, initial: Cost) -> (Estimate, bool) {
        or_gone(self.values.get(state as usize).copied().unwrap_or_default(), initial)
    }

    /// The entries of all states, for [`or_gone`].
    #[inline(always)]
    pub fn table(&self) -> &[Estimate] {
        &self.values
    }

    /// Sets the heuristic of a state whose value was `before`, unless the new one is no higher; where it is, and the state
    /// is expendable, it is taken away instead.
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
                true => GONE.to_bits(),
                false => value.to_bits(),
            });
        }
    }
}

/// The heuristic of a state, given its entry and its initial value, which is all that counts where it is gone, and whether
/// it is.
#[inline(always)]
pub fn or_gone(entry: Estimate, initial: Cost) -> (Estimate, bool) {
    let initial = Estimate::from(initial);
    (if entry > initial { entry } else { initial }, entry < 0.0)
}

/// The nearest whole number: without a call where the processor has no instruction for it.
#[inline(always)]
pub fn rounded(value: Estimate) -> Estimate {
    const WHOLE: Estimate = (1u64 << 52) as Estimate;
    if value < WHOLE { (value + WHOLE) - WHOLE } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_holds_what_was_learned_and_who_is_gone_until_it_forgets() {
        let mut table = Unbounded::default();
        table.make_room(3);
        assert_eq!(table.or_gone(1, 7), (7.0, false));
        table.raise(1, 7.0, 9.0, false);
        table.raise(1, 9.0, 8.0, true);
        table.raise(0, 1.0, Estimate::INFINITY, false);
        table.raise(0, Estimate::INFINITY, Estimate::INFINITY, true);
        table.raise(2, 1.0, 2.0, true);
        let told = [0, 1, 2, 99].map(|state| table.or_gone(state, 7));
        assert_eq!(told, [(f64::INFINITY, false), (9.0, false), (7.0, true), (7.0, false)]);
        assert_eq!(table.learning(), Learning { updates: 5, changes: 3, raised: u64::MAX, entries: 3 });
        table.reset(3);
        assert_eq!([0, 1, 2].map(|state| table.or_gone(state, 7)), [(7.0, false); 3]);
        assert_eq!(table.learning(), Learning::default());
    }

    proptest! {
        #[test]
        fn it_rounds_to_the_nearest(value in 0.0..1e17f64) {
            prop_assert_eq!(rounded(value), value.round_ties_even());
        }
    }
}
