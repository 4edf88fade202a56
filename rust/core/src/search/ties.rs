//! Tie-breaking: by the order in which successors are generated, or at random.

use crate::cost::Cost;
use crate::graph::{NO_STATE, State};
use crate::rng::Stream;
use rand::{Rng, RngExt};
use std::cmp::Ordering;

/// The choice among ties.
#[derive(Clone, Debug, Default)]
pub enum Ties {
    /// The state that was generated first.
    #[default]
    First,
    /// A random one, drawn from the trial's own stream.
    Random(Stream),
}

impl Ties {
    /// The ranks of the states of a new search.
    pub fn ranks(&mut self) -> Ranks {
        match self {
            Ties::First => Ranks::Serial,
            Ties::Random(stream) => Ranks::Shuffled(stream.next_u32()),
        }
    }

    /// Whether the `n`-th of several ties, from 2, replaces the one chosen before.
    #[inline(always)]
    pub fn replaces(&mut self, n: u32) -> bool {
        match self {
            Ties::First => false,
            Ties::Random(stream) => stream.random_range(0..n) == 0,
        }
    }
}

/// The order of the states of one search among ties.
#[derive(Clone, Copy, Debug)]
pub enum Ranks {
    /// In the order of their generation.
    Serial,
    /// At random, drawn once per search, since one draw per state would cost more than its expansion.
    Shuffled(u32),
}

impl Ranks {
    /// The rank of the `serial`-th state. The lowest rank is first.
    #[inline(always)]
    pub fn of(self, serial: u32) -> u32 {
        match self {
            Ranks::Serial => serial,
            // The finalizer of MurmurHash3, which is one to one. Each bit of the sum changes half of the rank's bits.
            Ranks::Shuffled(salt) => {
                let mut rank = serial.wrapping_add(salt);
                rank = (rank ^ rank >> 16).wrapping_mul(0x85eb_ca6b);
                rank = (rank ^ rank >> 13).wrapping_mul(0xc2b2_ae35);
                rank ^ rank >> 16
            }
        }
    }
}

/// The state with the minimal value in a sequence, with the given tie-breaking.
pub struct Minimum {
    /// Wider than a cost, so that the initial value is larger than any.
    value: u64,
    state: State,
    ties_so_far: u32,
}

impl Default for Minimum {
    fn default() -> Self {
        Minimum { value: u64::MAX, state: NO_STATE, ties_so_far: 0 }
    }
}

impl Minimum {
    /// Adds a candidate, and returns the larger of its value and the minimum so far.
    #[inline(always)]
    pub fn offer(&mut self, ties: &mut Ties, value: Cost, state: State) -> Cost {
        let value = value as u64;
        let beaten = self.value.max(value).min(Cost::MAX as u64) as Cost;
        match ties {
            // A branch on the best neighbour is unpredictable. The black box stops the compiler from making one.
            Ties::First => {
                let better = std::hint::black_box((value < self.value) as State).wrapping_neg();
                self.state ^= (self.state ^ state) & better;
            }
            Ties::Random(_) => {
                self.ties_so_far = match value.cmp(&self.value) {
                    Ordering::Less => 1,
                    Ordering::Equal => self.ties_so_far + 1,
                    Ordering::Greater => self.ties_so_far,
                };
                if value < self.value || value == self.value && ties.replaces(self.ties_so_far) {
                    self.state = state;
                }
            }
        }
        self.value = self.value.min(value);
        beaten
    }

    /// The minimal value and its state, or `None` if there was no candidate.
    #[inline(always)]
    pub fn get(self) -> Option<(Cost, State)> {
        (self.state != NO_STATE).then_some((self.value as Cost, self.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimum(ties: &mut Ties, values: &[Cost]) -> Option<(Cost, State)> {
        let mut minimum = Minimum::default();
        for (i, value) in values.iter().enumerate() {
            minimum.offer(ties, *value, i as State);
        }
        minimum.get()
    }

    #[test]
    fn the_first_of_several_ties_wins_by_default() {
        assert_eq!(minimum(&mut Ties::First, &[3, 1, 2, 1]), Some((1, 1)));
        assert_eq!(minimum(&mut Ties::First, &[]), None);
    }

    #[test]
    fn shuffled_ranks_are_one_to_one_and_fair() {
        let mut ties = Ties::Random(crate::rng::stream(1, &[]));
        let mut firsts = [0; 3];
        for _ in 0..3000 {
            let ranks = ties.ranks();
            let first = (5..8).min_by_key(|serial| ranks.of(*serial)).expect("there are three");
            firsts[first as usize - 5] += 1;
        }
        // Five standard deviations of a fair draw.
        assert!(firsts.iter().all(|count| (1000i32 - count).abs() < 130), "{firsts:?}");
        let ranks: std::collections::HashSet<u32> = (0..1000).map(|serial| ties.ranks().of(serial)).collect();
        assert!(ranks.len() > 990);
        assert_eq!(Ranks::Serial.of(7), 7);
    }

    #[test]
    fn random_ties_are_fair() {
        let mut ties = Ties::Random(crate::rng::stream(1, &[]));
        let mut chosen = [0; 5];
        for _ in 0..3000 {
            chosen[minimum(&mut ties, &[1, 9, 1, 1, 9]).expect("there are values").1 as usize] += 1;
        }
        assert_eq!((chosen[1], chosen[4]), (0, 0));
        assert!([0, 2, 3].iter().all(|i| (900..1100).contains(&chosen[*i])), "{chosen:?}");
    }
}
