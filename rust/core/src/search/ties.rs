//! How ties break: in the order in which successors are generated, or at random.

use crate::cost::Cost;
use crate::graph::{NO_STATE, State};
use crate::rng::Stream;
use rand::{Rng, RngExt};
use std::cmp::Ordering;

/// What decides between equals.
#[derive(Clone, Debug, Default)]
pub enum Ties {
    /// The one that was generated first.
    #[default]
    First,
    /// Any of them, drawn from the trial's own stream.
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

    /// Whether the `n`-th of equals seen so far (from 2 on) replaces the one chosen before.
    #[inline(always)]
    pub fn replaces(&mut self, n: u32) -> bool {
        match self {
            Ties::First => false,
            Ties::Random(stream) => stream.random_range(0..n) == 0,
        }
    }
}

/// How the states of one search rank among equals.
#[derive(Clone, Copy, Debug)]
pub enum Ranks {
    /// As they were generated.
    Serial,
    /// At random, drawn once a search: a draw for every state would cost more than expanding it.
    Shuffled(u32),
}

impl Ranks {
    /// The rank of the `serial`-th state: among equals the lowest comes first.
    #[inline(always)]
    pub fn of(self, serial: u32) -> u32 {
        match self {
            Ranks::Serial => serial,
            // The finalizer of MurmurHash3: one to one, and each bit of the sum changes half of the rank's.
            Ranks::Shuffled(salt) => {
                let mut rank = serial.wrapping_add(salt);
                rank = (rank ^ rank >> 16).wrapping_mul(0x85eb_ca6b);
                rank = (rank ^ rank >> 13).wrapping_mul(0xc2b2_ae35);
                rank ^ rank >> 16
            }
        }
    }
}

/// The state with the least value in a sequence, with ties broken as told.
pub struct Least {
    /// Wider than a cost, so that before the first offer it is larger than any.
    value: u64,
    state: State,
    equals: u32,
}

impl Default for Least {
    fn default() -> Self {
        Least { value: u64::MAX, state: NO_STATE, equals: 0 }
    }
}

impl Least {
    /// Takes one more into account, and returns the value that lost: its own, or the one that it replaces.
    #[inline(always)]
    pub fn offer(&mut self, ties: &mut Ties, value: Cost, state: State) -> Cost {
        let value = value as u64;
        let beaten = self.value.max(value).min(Cost::MAX as u64) as Cost;
        match ties {
            // By a mask, not by a branch: which neighbour is the best so far is nothing a branch predictor can guess.
            // Without the black box the compiler sees through it and branches all the same.
            Ties::First => {
                let better = std::hint::black_box((value < self.value) as State).wrapping_neg();
                self.state ^= (self.state ^ state) & better;
            }
            Ties::Random(_) => {
                self.equals = match value.cmp(&self.value) {
                    Ordering::Less => 1,
                    Ordering::Equal => self.equals + 1,
                    Ordering::Greater => self.equals,
                };
                if value < self.value || value == self.value && ties.replaces(self.equals) {
                    self.state = state;
                }
            }
        }
        self.value = self.value.min(value);
        beaten
    }

    /// The least value and its state; none where nothing was offered.
    #[inline(always)]
    pub fn get(self) -> Option<(Cost, State)> {
        (self.state != NO_STATE).then_some((self.value as Cost, self.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(ties: &mut Ties, values: &[Cost]) -> Option<(Cost, State)> {
        let mut least = Least::default();
        for (i, value) in values.iter().enumerate() {
            least.offer(ties, *value, i as State);
        }
        least.get()
    }

    #[test]
    fn the_first_of_equals_wins_by_default() {
        assert_eq!(least(&mut Ties::First, &[3, 1, 2, 1]), Some((1, 1)));
        assert_eq!(least(&mut Ties::First, &[]), None);
    }

    #[test]
    fn shuffled_ranks_are_one_to_one_and_put_any_of_three_first() {
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
    fn at_random_every_equal_has_the_same_chance() {
        let mut ties = Ties::Random(crate::rng::stream(1, &[]));
        let mut chosen = [0; 5];
        for _ in 0..3000 {
            chosen[least(&mut ties, &[1, 9, 1, 1, 9]).expect("there are values").1 as usize] += 1;
        }
        assert_eq!((chosen[1], chosen[4]), (0, 0));
        assert!([0, 2, 3].iter().all(|i| (900..1100).contains(&chosen[*i])), "{chosen:?}");
    }
}
