//! Histograms of planning episodes, from which the share above any limit can be read.
//!
//! Values below 64 have buckets of their own. Above that, each octave has 32 buckets, so a bucket is at most 1/32 wide.

/// The number of bits of a value that select a bucket within its octave.
const BITS: u32 = 5;
/// The number of buckets per octave.
const WIDTH: u64 = 1 << BITS;
/// Values below this have buckets of their own.
const EXACT: u64 = 2 * WIDTH;
/// The number of buckets, which cover all values.
pub const BUCKETS: usize = (EXACT + (u64::BITS - BITS - 1) as u64 * WIDTH) as usize;

/// The bucket of a value.
#[inline(always)]
pub fn bucket(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let octave = value.ilog2() - BITS;
    ((value >> octave) + u64::from(octave) * WIDTH) as usize
}

/// The smallest and the largest value of a bucket.
pub fn bounds(bucket: usize) -> (u64, u64) {
    let number = bucket as u64;
    if number < EXACT {
        return (number, number);
    }
    let octave = number / WIDTH - 1;
    let low = (number - octave * WIDTH) << octave;
    (low, low + ((1 << octave) - 1))
}

/// A bucket that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number of the bucket.
    pub bucket: u16,
    /// The number of values in it.
    pub count: u64,
}

/// A histogram that is reused.
pub struct Histogram(Box<[u64; BUCKETS]>);

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram(Box::new([0; BUCKETS]))
    }
}

impl Histogram {
    /// Adds a value.
    #[inline(always)]
    pub fn add(&mut self, value: u64) {
        self.0[bucket(value)] += 1;
    }

    /// Removes a value that was added before.
    #[cold]
    pub fn remove(&mut self, value: u64) {
        self.0[bucket(value)] -= 1;
    }

    /// Empties the histogram and returns its content. No value was above `max`, so higher buckets need not be read.
    pub fn take(&mut self, max: u64) -> Vec<Count> {
        let used = self.0[..=bucket(max)].iter_mut().enumerate().filter(|(_, count)| **count > 0);
        used.map(|(bucket, count)| Count { bucket: bucket as u16, count: std::mem::take(count) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_cover_all_values_without_gaps() {
        assert_eq!(bounds(0).0, 0);
        for number in 1..BUCKETS {
            assert_eq!(bounds(number).0, bounds(number - 1).1 + 1, "bucket {number}");
        }
        assert_eq!(bounds(BUCKETS - 1).1, u64::MAX);
    }

    proptest! {
        #[test]
        fn a_value_is_within_its_narrow_bucket(value: u64, shift in 0..64u32) {
            let value = value >> shift;
            let (low, high) = bounds(bucket(value));
            prop_assert!(low <= value && value <= high);
            prop_assert!(high - low <= value / WIDTH);
        }

        #[test]
        fn a_histogram_returns_what_was_added(values in proptest::collection::vec(0..100_000u64, 1..50)) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|value| histogram.add(*value));
            histogram.add(7);
            histogram.remove(7);
            let max = *values.iter().max().expect("there are values");
            let counts = histogram.take(max);
            for Count { bucket: number, count } in &counts {
                let expected = values.iter().filter(|value| bucket(**value) == usize::from(*number)).count();
                prop_assert_eq!(*count, expected as u64);
            }
            prop_assert_eq!(counts.iter().map(|each| each.count).sum::<u64>(), values.len() as u64);
            prop_assert!(histogram.take(u64::MAX).is_empty());
        }
    }
}
