//! Random streams. The same seed and identity give the same numbers on every machine, with any number of threads.

use rand::{Rng, SeedableRng};
use xxhash_rust::xxh3::Xxh3;

/// The generator of all random numbers. Its definition fixes its output, independently of a library's version.
pub type Stream = rand_xoshiro::Xoshiro256PlusPlus;

/// The stream of a seed and of the bytes that identify its use.
pub fn stream(seed: u64, identity: &[&[u8]]) -> Stream {
    let mut hash = Xxh3::with_seed(seed);
    for part in identity {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Stream::seed_from_u64(hash.digest())
}

/// Draws with arithmetic that is defined here, since stored maps and problem sets must not change with a library.
pub trait Draw {
    /// An integer below `bound`, which is at least 1.
    fn below(&mut self, bound: u32) -> u32;

    /// A number in [0, 1).
    fn unit(&mut self) -> f64;

    /// An integer from `min` to `max`, both included.
    fn between(&mut self, min: u32, max: u32) -> u32 {
        min + self.below(max - min + 1)
    }

    /// True with this probability.
    fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

impl Draw for Stream {
    fn below(&mut self, bound: u32) -> u32 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u32
    }

    fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_and_by_identity_alone() {
        let draw = |seed, identity: &[&[u8]]| stream(seed, identity).next_u64();
        assert_eq!(draw(1, &[b"a", b"b"]), draw(1, &[b"a", b"b"]));
        assert_ne!(draw(1, &[b"a", b"b"]), draw(2, &[b"a", b"b"]));
        assert_ne!(draw(1, &[b"ab", b""]), draw(1, &[b"a", b"b"]));
    }

    #[test]
    fn draws_cover_exactly_their_range() {
        let mut random = stream(1, &[]);
        let drawn: std::collections::BTreeSet<u32> = (0..200).map(|_| random.between(3, 7)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
        assert!((0..200).all(|_| (0.0..1.0).contains(&random.unit())));
        assert!((0..200).all(|_| random.chance(1.0) && !random.chance(0.0)));
    }
}
