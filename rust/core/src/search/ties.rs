//! How ties break: in the order in which successors are generated, or at random.

use crate::rng::Stream;
use rand::{Rng, RngExt};

/// What decides between equals.
#[derive(Clone, Debug)]
pub enum Ties {
    /// The one that was generated first.
    First,
    /// Any of them, drawn from the trial's own stream.
    Random(Stream),
}

impl Ties {
    /// A rank for the `serial`-th entry of an open list: among equals the lowest comes first.
    #[inline(always)]
    pub fn rank(&mut self, serial: u32) -> u32 {
        match self {
            Ties::First => serial,
            Ties::Random(stream) => stream.next_u32(),
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

/// The least of a sequence of values, with ties broken as told.
pub struct Least<T> {
    best: Option<(u32, T)>,
    equals: u32,
}

impl<T> Default for Least<T> {
    fn default() -> Self {
        Least { best: None, equals: 0 }
    }
}

impl<T> Least<T> {
    /// Takes one more into account, and returns the value that it or the one it replaces stood for: the larger of the
    /// two.
    #[inline(always)]
    pub fn offer(&mut self, ties: &mut Ties, value: u32, what: T) -> Option<u32> {
        let Some((best, _)) = self.best else {
            (self.best, self.equals) = (Some((value, what)), 1);
            return None;
        };
        if value < best {
            (self.best, self.equals) = (Some((value, what)), 1);
        } else if value == best {
            self.equals += 1;
            if ties.replaces(self.equals) {
                self.best = Some((value, what));
            }
        }
        Some(best.max(value))
    }

    /// The least value and what it belongs to; none where nothing was offered.
    #[inline(always)]
    pub fn get(self) -> Option<(u32, T)> {
        self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(ties: &mut Ties, values: &[u32]) -> Option<(u32, usize)> {
        let mut least = Least::default();
        for (i, value) in values.iter().enumerate() {
            least.offer(ties, *value, i);
        }
        least.get()
    }

    #[test]
    fn the_first_of_equals_wins_by_default() {
        assert_eq!(least(&mut Ties::First, &[3, 1, 2, 1]), Some((1, 1)));
        assert_eq!(least(&mut Ties::First, &[]), None);
    }

    #[test]
    fn at_random_every_equal_has_the_same_chance() {
        let mut ties = Ties::Random(crate::rng::stream(1, &[]));
        let mut chosen = [0; 5];
        for _ in 0..3000 {
            chosen[least(&mut ties, &[1, 9, 1, 1, 9]).expect("there are values").1] += 1;
        }
        assert_eq!((chosen[1], chosen[4]), (0, 0));
        assert!([0, 2, 3].iter().all(|i| (900..1100).contains(&chosen[*i])), "{chosen:?}");
    }
}
