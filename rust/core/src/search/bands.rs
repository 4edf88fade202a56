//! A queue for Dijkstra's algorithm on the ground, with bands of values as wide as the cheapest move.
//!
//! No move stays within its band, so the values of the lowest band are final in any order, and nothing needs sorting.

use super::ring::{AHEAD, Ring};
use super::table::{Table, bytes};
use crate::cost::{CARDINAL, Cost};
use crate::graph::State;

/// States with their values, lowest band first.
#[derive(Default)]
pub struct Bands {
    bands: Ring<(Cost, State)>,
    /// The number of the lowest band that may have entries.
    at: u32,
    /// The entries beyond the bands, and their lowest band.
    waiting: Vec<(Cost, State)>,
    beyond: u32,
    /// A second vector for them, which is used while they are distributed.
    spare: Vec<(Cost, State)>,
    /// The number of entries, and its maximum.
    len: usize,
    peak: usize,
}

impl Table for Bands {
    fn reset(&mut self, _states: usize) {
        self.peak = 0;
    }

    fn peak_bytes(&self) -> u64 {
        bytes::<(Cost, State)>(self.peak)
    }
}

impl Bands {
    /// Empties the queue for values of at least `min`.
    pub fn clear(&mut self, min: Cost) {
        self.bands.clear();
        self.waiting.clear();
        (self.at, self.beyond, self.len) = (min / CARDINAL, u32::MAX, 0);
    }

    /// Adds a state. After the first pop, its value must exceed the last popped one by at least a move.
    #[inline(always)]
    pub fn push(&mut self, value: Cost, state: State) {
        let band = value / CARDINAL;
        self.len += 1;
        if band.wrapping_sub(self.at) < AHEAD {
            self.bands.push(band, (value, state));
        } else {
            self.waiting.push((value, state));
            self.beyond = self.beyond.min(band);
        }
    }

    /// Removes and returns a state of the lowest band.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(Cost, State)> {
        loop {
            let at = self.bands.next(self.at).unwrap_or(u32::MAX);
            if self.beyond <= at {
                if self.waiting.is_empty() {
                    return None;
                }
                self.spread();
                continue;
            }
            self.at = at;
            if let Some(entry) = self.bands.pop(at) {
                (self.peak, self.len) = (self.peak.max(self.len), self.len - 1);
                return Some(entry);
            }
        }
    }

    /// Distributes the waiting entries over the bands.
    #[cold]
    fn spread(&mut self) {
        // All entries in the bands are above the waiting ones and keep their places.
        (self.at, self.beyond) = (self.beyond, u32::MAX);
        let mut waiting = std::mem::take(&mut self.waiting);
        self.len -= waiting.len();
        std::mem::swap(&mut self.waiting, &mut self.spare);
        waiting.drain(..).for_each(|(value, state)| self.push(value, state));
        self.spare = waiting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn states_are_popped_by_band(
            values in prop::collection::vec(0..2_000_000u32, 1..80),
            steps in prop::collection::vec(0..900_000u32, 0..80)
        ) {
            let mut bands = Bands::default();
            for _ in 0..2 {
                bands.clear(*values.iter().min().expect("there are values"));
                let mut left = values.len() + steps.len();
                values.iter().enumerate().for_each(|(state, value)| bands.push(*value, state as State));
                let (mut steps, mut band) = (steps.iter(), 0);
                while let Some((value, _)) = bands.pop() {
                    left -= 1;
                    prop_assert!(value / CARDINAL >= band);
                    band = value / CARDINAL;
                    if let Some(step) = steps.next() {
                        bands.push(value + CARDINAL + step, 0);
                    }
                }
                prop_assert_eq!(left, steps.len());
            }
        }
    }
}
