//! A queue for Dijkstra's algorithm on the ground: states by bands of values as wide as the cheapest move.
//!
//! No move stays within its band, so the values of the lowest band are final and may come out in any order: nothing is
//! ever sorted.

use crate::cost::{CARDINAL, Cost};
use crate::graph::State;

/// How many bands are told apart; what lies beyond waits.
const AHEAD: u32 = u64::BITS;

/// States with their values, lowest band first.
pub struct Bands {
    /// By the band's number modulo [`AHEAD`].
    bands: [Vec<(Cost, State)>; AHEAD as usize],
    /// Which of them have entries.
    filled: u64,
    /// The number of the lowest band that may have entries.
    at: u32,
    /// What lies beyond the bands, and its lowest band.
    waiting: Vec<(Cost, State)>,
    beyond: u32,
    /// Room for them to wait while others are spread.
    spare: Vec<(Cost, State)>,
}

impl Default for Bands {
    fn default() -> Self {
        Bands {
            bands: std::array::from_fn(|_| Vec::new()),
            filled: 0,
            at: 0,
            waiting: Vec::new(),
            beyond: 0,
            spare: Vec::new(),
        }
    }
}

impl Bands {
    /// Empties it, for values from `least` on.
    pub fn clear(&mut self, least: Cost) {
        while self.filled != 0 {
            self.bands[self.filled.trailing_zeros() as usize].clear();
            self.filled &= self.filled - 1;
        }
        self.waiting.clear();
        (self.at, self.beyond) = (least / CARDINAL, u32::MAX);
    }

    /// Adds a state. Once something was taken out, its value must be larger than that by a move or more.
    #[inline(always)]
    pub fn push(&mut self, value: Cost, state: State) {
        let band = value / CARDINAL;
        if band.wrapping_sub(self.at) < AHEAD {
            self.bands[(band % AHEAD) as usize].push((value, state));
            self.filled |= 1 << (band % AHEAD);
        } else {
            self.waiting.push((value, state));
            self.beyond = self.beyond.min(band);
        }
    }

    /// Takes a state of the lowest band out.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(Cost, State)> {
        loop {
            let at = match self.filled {
                0 => u32::MAX,
                filled => self.at + filled.rotate_right(self.at % AHEAD).trailing_zeros(),
            };
            if self.beyond <= at {
                if self.waiting.is_empty() {
                    return None;
                }
                self.spread();
                continue;
            }
            self.at = at;
            if let Some(entry) = self.bands[(at % AHEAD) as usize].pop() {
                return Some(entry);
            }
            self.filled &= !(1 << (at % AHEAD));
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
