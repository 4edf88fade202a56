//! Buckets by number, of which a window of [`AHEAD`] numbers is in use at any time: what the queues of searches stand on.
//!
//! Which buckets have entries is one integer, so the next of them is found without looking at any.

/// How many numbers the window holds.
pub const AHEAD: u32 = u64::BITS;

/// Buckets of entries, by their numbers modulo [`AHEAD`]. Who uses it keeps all numbers within a window.
pub struct Ring<T> {
    buckets: [Vec<T>; AHEAD as usize],
    /// Which of them have entries.
    filled: u64,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring { buckets: std::array::from_fn(|_| Vec::new()), filled: 0 }
    }
}

impl<T> Ring<T> {
    /// Empties it.
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

    /// The number of the first bucket with entries, for a window that begins at `first`.
    #[inline(always)]
    pub fn next(&self, first: u32) -> Option<u32> {
        (self.filled != 0).then(|| first + self.filled.rotate_right(first % AHEAD).trailing_zeros())
    }

    /// Takes the last entry out of a bucket.
    #[inline(always)]
    pub fn pop(&mut self, number: u32) -> Option<T> {
        let entry = self.buckets[(number % AHEAD) as usize].pop();
        if entry.is_none() {
            self.filled &= !(1 << (number % AHEAD));
        }
        entry
    }

    /// Takes a bucket out, to be emptied and put back by [`Ring::put_back`] for its room.
    #[inline(always)]
    pub fn take(&mut self, number: u32) -> Vec<T> {
        self.filled &= !(1 << (number % AHEAD));
        std::mem::take(&mut self.buckets[(number % AHEAD) as usize])
    }

    /// Gives an empty bucket its room back, unless entries came meanwhile.
    #[inline(always)]
    pub fn put_back(&mut self, number: u32, bucket: Vec<T>) {
        debug_assert!(bucket.is_empty(), "it was emptied");
        if !self.is_filled(number) {
            self.buckets[(number % AHEAD) as usize] = bucket;
        }
    }
}
