//! The open list of a best-first search: smallest f first, then larger g, then the lower rank among ties.
//!
//! Entries are spread over buckets by f and left as they come; only the bucket at hand is kept as a heap. Where the
//! heuristic is consistent f never falls and rises by at most twice an edge's cost, so most entries are appended to a
//! later bucket, and those that are never reached are never put in order.

use crate::cost::Cost;
use crate::graph::State;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An entry: f, then the complement of g, then the rank, then the state, in one integer, so that comparing entries is
/// comparing integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u128);

impl Entry {
    /// An entry.
    #[inline(always)]
    pub fn new(f: Cost, g: Cost, rank: u32, state: State) -> Entry {
        Entry((f as u128) << 96 | (!g as u128) << 64 | (rank as u128) << 32 | state as u128)
    }

    /// The cost of the way to the state.
    #[inline(always)]
    pub fn g(self) -> Cost {
        !((self.0 >> 64) as Cost)
    }

    /// The state.
    #[inline(always)]
    pub fn state(self) -> State {
        self.0 as State
    }

    /// The number of its bucket: buckets are a tenth of a cell wide.
    #[inline(always)]
    fn bucket(self) -> u32 {
        (self.0 >> (96 + 9)) as u32
    }
}

/// How many buckets lie ahead of the one at hand: more than three cells of f, where two diagonal moves are the most that
/// an edge can add.
const AHEAD: u32 = u64::BITS;

/// An open list.
pub struct OpenList {
    /// The bucket at hand, and everything before it.
    near: BinaryHeap<Reverse<Entry>>,
    /// Its number.
    at: u32,
    /// The buckets after it, by their numbers modulo [`AHEAD`].
    ahead: [Vec<Reverse<Entry>>; AHEAD as usize],
    /// Which of them have entries.
    filled: u64,
    /// What lies beyond them, which only heuristics that are not consistent need.
    far: Vec<Reverse<Entry>>,
}

impl Default for OpenList {
    fn default() -> Self {
        OpenList {
            near: BinaryHeap::new(),
            at: 0,
            ahead: std::array::from_fn(|_| Vec::new()),
            filled: 0,
            far: Vec::new(),
        }
    }
}

impl OpenList {
    /// Empties it, for a search that starts at `f`.
    pub fn clear(&mut self, f: Cost) {
        self.near.clear();
        while self.filled != 0 {
            self.ahead[self.filled.trailing_zeros() as usize].clear();
            self.filled &= self.filled - 1;
        }
        self.far.clear();
        self.at = Entry::new(f, 0, 0, 0).bucket();
    }

    /// Adds an entry.
    #[inline(always)]
    pub fn push(&mut self, entry: Entry) {
        let bucket = entry.bucket();
        let distance = bucket.wrapping_sub(self.at);
        if distance.wrapping_sub(1) < AHEAD - 1 {
            self.ahead[(bucket % AHEAD) as usize].push(Reverse(entry));
            self.filled |= 1 << (bucket % AHEAD);
        } else if bucket <= self.at {
            self.near.push(Reverse(entry));
        } else {
            self.far.push(Reverse(entry));
        }
    }

    /// Takes the first entry out.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Entry> {
        if self.near.is_empty() {
            self.advance();
        }
        self.near.pop().map(|Reverse(entry)| entry)
    }

    /// Goes to the next bucket that has entries.
    fn advance(&mut self) {
        if !self.far.is_empty() {
            self.bring_near();
        }
        if self.filled == 0 {
            return;
        }
        let steps = self.filled.rotate_right((self.at + 1) % AHEAD).trailing_zeros() + 1;
        self.at += steps;
        let place = self.at % AHEAD;
        self.filled &= !(1 << place);
        let empty = std::mem::take(&mut self.near).into_vec();
        let bucket = std::mem::replace(&mut self.ahead[place as usize], empty);
        self.near = BinaryHeap::from(bucket);
    }

    /// Spreads what lies beyond over the buckets, from its own first bucket on where there is nothing before it.
    fn bring_near(&mut self) {
        if self.filled == 0 {
            let first = self.far.iter().map(|Reverse(entry)| entry.bucket()).min().unwrap_or(self.at);
            self.at = first - 1;
        }
        for Reverse(entry) in std::mem::take(&mut self.far) {
            self.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Pushes and pops in any order, with small and large steps of f, up and down.
        #[test]
        fn entries_come_out_in_order(start in 0u32..1_000_000, steps in prop::collection::vec((any::<bool>(), -3..9i32, 0u32..9, 0..4u32), 1..400)) {
            let (mut open, mut reference) = (OpenList::default(), BinaryHeap::new());
            for _ in 0..2 {
                open.clear(start);
                let mut f = start;
                for (number, (pop, step, g, scale)) in steps.iter().enumerate() {
                    f = f.saturating_add_signed(step * [1, 700, 5741, 90_000][*scale as usize]);
                    let entry = Entry::new(f, *g, number as u32, number as State);
                    open.push(entry);
                    reference.push(Reverse(entry));
                    if *pop {
                        prop_assert_eq!(open.pop(), reference.pop().map(|Reverse(entry)| entry));
                    }
                }
                if start % 2 == 0 {
                    while let Some(Reverse(entry)) = reference.pop() {
                        prop_assert_eq!(open.pop(), Some(entry));
                    }
                    prop_assert_eq!(open.pop(), None);
                }
                reference.clear();
            }
        }
    }
}
