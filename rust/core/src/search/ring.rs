//! Buckets by number for the queues of searches, with a window of [`AHEAD`] numbers in use at any time.
//!
//! One integer has a bit for each bucket with entries, so that the next one is found without reading any bucket.

/// The size of the window.
pub const AHEAD: u32 = u64::BITS;

/// Buckets of entries, by their numbers modulo [`AHEAD`]. The caller keeps all numbers within a window.
pub struct Ring<T> {
    buckets: [Vec<T>; AHEAD as usize],
    /// The buckets with entries, as bits.
    filled: u64,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring { buckets: std::array::from_fn(|_| Vec::new()), filled: 0 }
    }
}

impl<T> Ring<T> {
    /// Removes all entries.
    pub fn clear(&mut self) {
        while self.filled != 0 {
            self.buckets[self.filled.trailing_zeros() as usize].clear();
            self.filled &= self.filled - 1;
        }
    }

    /// Whether there are no entries.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        let (mut filled, mut len) = (self.filled, 0);
        while filled != 0 {
            len += self.buckets[filled.trailing_zeros() as usize].len();
            filled &= filled - 1;
        }
        len
    }

    /// Whether a bucket has entries.
    #[inline(always)]
    pub fn is_filled(&self, number: u32) -> bool {
        self.filled >> (number % AHEAD) & 1 == 1
    }

    /// Appends an entry to a bucket.
    #[inline(always)]
    pub fn push(&mut self, number: u32, entry: T) {
        self.buckets[(number % AHEAD) as usize].push(entry);
        self.filled |= 1 << (number % AHEAD);
    }

    /// The number of the first bucket with entries, for a window that starts at `first`.
    #[inline(always)]
    pub fn next(&self, first: u32) -> Option<u32> {
        (self.filled != 0).then(|| first + self.filled.rotate_right(first % AHEAD).trailing_zeros())
    }

    /// Removes and returns the last entry of a bucket.
    #[inline(always)]
    pub fn pop(&mut self, number: u32) -> Option<T> {
        let entry = self.buckets[(number % AHEAD) as usize].pop();
        if entry.is_none() {
            self.filled &= !(1 << (number % AHEAD));
        }
        entry
    }

    /// Takes a bucket out. The caller empties it and calls [`Ring::put_back`], which keeps its capacity.
    #[inline(always)]
    pub fn take(&mut self, number: u32) -> Vec<T> {
        self.filled &= !(1 << (number % AHEAD));
        std::mem::take(&mut self.buckets[(number % AHEAD) as usize])
    }

    /// Puts an emptied bucket back, unless it has new entries.
    #[inline(always)]
    pub fn put_back(&mut self, number: u32, bucket: Vec<T>) {
        debug_assert!(bucket.is_empty(), "it was emptied");
        if !self.is_filled(number) {
            self.buckets[(number % AHEAD) as usize] = bucket;
        }
    }
}
