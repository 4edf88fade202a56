//! A queue for Dijkstra's algorithm on the ground: states by bands of values as wide as the cheapest move.
//!
//! No move stays within its band, so the values of the lowest band are final and may come out in any order: nothing is
//! ever sorted.

use super::ring::{AHEAD, Ring};
use super::table::Table;
use crate::cost::{CARDINAL, Cost};
use crate::graph::State;

/// States with their values, lowest band first.
#[derive(Default)]
pub struct Bands {
    bands: Ring<(Cost, State)>,
    /// The number of the lowest band that may have entries.
    at: u32,
    /// What lies beyond the bands, and its lowest band.
    waiting: Vec<(Cost, State)>,
    beyond: u32,
    /// Room for them to wait while others are spread.
    spare: Vec<(Cost, State)>,
}

impl Table for Bands {}

impl Bands {
    /// Empties it, for values from `least` on.
    pub fn clear(&mut self, least: Cost) {
        self.bands.clear();
        self.waiting.clear();
        (self.at, self.beyond) = (least / CARDINAL, u32::MAX);
    }

    /// Adds a state. Once something was taken out, its value must be larger than that by a move or more.
    #[inline(always)]
    pub fn push(&mut self, value: Cost, state: State) {
        let band = value / CARDINAL;
        if band.wrapping_sub(self.at) < AHEAD {
            self.bands.push(band, (value, state));
        } else {
            self.waiting.push((value, state));
            self.beyond = self.beyond.min(band);
        }
    }

    /// Takes a state of the lowest band out.
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
                return Some(entry);
            }
        }
    }

    /// Spreads what waits over the bands.
    #[cold]
    fn spread(&mut self) {
        // Nothing in the bands lies below what waits, and what is there still has its place.
        (self.at, self.beyond) = (self.beyond, u32::MAX);
        let mut waiting = std::mem::take(&mut self.waiting);
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
        fn bands_come_out_in_order(
            values in prop::collection::vec(0..2_000_000u32, 1..80), steps in prop::collection::vec(0..900_000u32, 0..80)
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
