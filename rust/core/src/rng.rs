//! Random streams: the same seed and the same words give the same numbers on every machine and any number of threads.

use rand::SeedableRng;
use xxhash_rust::xxh3::Xxh3;

/// The generator behind everything that is drawn: its output is fixed by its definition, not by a library's version.
pub type Stream = rand_xoshiro::Xoshiro256PlusPlus;

/// The stream that belongs to a seed and the bytes that identify what it is drawn for.
pub fn stream(seed: u64, identity: &[&[u8]]) -> Stream {
    let mut hash = Xxh3::with_seed(seed);
    for part in identity {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Stream::seed_from_u64(hash.digest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_differ_by_seed_and_by_identity_alone() {
        let draw = |seed, identity: &[&[u8]]| stream(seed, identity).next_u64();
        assert_eq!(draw(1, &[b"a", b"b"]), draw(1, &[b"a", b"b"]));
        assert_ne!(draw(1, &[b"a", b"b"]), draw(2, &[b"a", b"b"]));
        assert_ne!(draw(1, &[b"ab", b""]), draw(1, &[b"a", b"b"]));
    }
}
