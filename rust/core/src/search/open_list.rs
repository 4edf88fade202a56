//! The open list of a best-first search: smallest f first, then larger g, then in the order of [`Ranks`].
//!
//! States are distributed over buckets by f. Only the current bucket is sorted, and states with a cheaper path by then
//! are dropped. With a consistent heuristic f never falls and rises by at most twice an edge's cost, so nearly all
//! states are appended to later buckets, and buckets that are never reached cost nothing more.

use super::ring::{AHEAD, Ring};
use super::table::bytes;
use super::ties::Ranks;
use crate::cost::Cost;
use crate::graph::State;
use std::collections::BinaryHeap;

/// A state in the current bucket: the complement of f, then g, then the complement of its rank among ties, then the
/// state. They form one integer, so that entries are compared as integers. The largest is the first.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ordered(u128);

impl Ordered {
    /// Creates the entry of a state reached at cost g, with its rank among ties.
    #[inline(always)]
    pub fn new(rank: u32, (f, g, state): (Cost, Cost, State)) -> Ordered {
        let (upper, lower) = ((!f as u64) << 32 | g as u64, (!rank as u64) << 32 | state as u64);
        Ordered((upper as u128) << 64 | lower as u128)
    }

    #[inline(always)]
    pub(super) fn state(self) -> State {
        self.0 as State
    }

    #[inline(always)]
    pub(super) fn g(self) -> Cost {
        (self.0 >> 64) as Cost
    }
}

/// A state in a later bucket, and the cost of the path to it.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    pub state: State,
    pub g: Cost,
}

/// Buckets with a larger capacity are released.
const MAX_CAPACITY: usize = 1 << 12;

/// The number of the bucket of `f`. On a grid, buckets are a sixth of a cell wide and a ring of them covers more than
/// eleven cells of f, while an edge adds at most two diagonal moves.
#[inline(always)]
fn bucket_of(f: Cost, grain: u32) -> u32 {
    f >> grain
}

/// An open list.
#[derive(Default)]
pub struct OpenList {
    /// The current bucket in order, the first state last, with unused space at the end.
    near: Vec<Ordered>,
    /// The number of its entries.
    left: usize,
    /// The entries added to it, or to a bucket before it, since it was sorted. There are few or none.
    late: BinaryHeap<Ordered>,
    /// The number of the current bucket.
    at: u32,
    /// The buckets after it.
    ahead: Ring<Waiting>,
    /// The entries beyond them, with their f. Only inconsistent heuristics need it.
    far: Vec<(Cost, Waiting)>,
}

impl OpenList {
    /// Empties the list for a search that starts at `f`. All calls get the same grain of the graph, which is thus a
    /// constant in compiled searches.
    pub fn clear(&mut self, grain: u32, f: Cost) {
        self.left = 0;
        self.late.clear();
        self.ahead.clear();
        self.far.clear();
        self.at = bucket_of(f, grain);
    }

    /// The bytes of its entries.
    pub fn bytes(&self) -> u64 {
        let OpenList { left, late, ahead, far, .. } = self;
        bytes::<Ordered>(left + late.len()) + bytes::<Waiting>(ahead.len()) + bytes::<(Cost, Waiting)>(far.len())
    }

    /// Adds the `serial`-th state that the search has generated.
    #[inline(always)]
    pub fn push(&mut self, grain: u32, ranks: Ranks, serial: u32, (f, g, state): (Cost, Cost, State)) {
        let bucket = bucket_of(f, grain);
        if bucket.wrapping_sub(self.at).wrapping_sub(1) < AHEAD - 1 {
            self.ahead.push(bucket, Waiting { state, g });
        } else if bucket <= self.at {
            self.push_near(Ordered::new(ranks.of(serial), (f, g, state)));
        } else {
            self.far.push((f, Waiting { state, g }));
        }
    }

    /// Adds a state with an f no larger than that of the last popped one.
    #[inline(always)]
    pub fn push_near(&mut self, entry: Ordered) {
        // A sibling of the last popped state usually precedes all others.
        if self.near[..self.left].last().is_none_or(|first| entry > *first) {
            if self.left == self.near.len() {
                self.make_room(1);
            }
            self.near[self.left] = entry;
            self.left += 1;
        } else {
            self.late.push(entry);
        }
    }

    /// Removes and returns the first state, with its g. `f_of` returns the f of a state reached at cost g, and whether
    /// no cheaper path to it is known.
    #[inline(always)]
    pub fn pop(
        &mut self,
        grain: u32,
        ranks: Ranks,
        f_of: impl Fn(State, Cost) -> (Cost, bool),
    ) -> Option<(State, Cost)> {
        loop {
            while let Some(entry) = self.first() {
                if f_of(entry.state(), entry.g()).1 {
                    return Some((entry.state(), entry.g()));
                }
            }
            if !self.far.is_empty() {
                self.bring_near(grain, ranks);
            } else if self.ahead.is_empty() {
                return None;
            }
            self.advance(ranks, &f_of);
        }
    }

    /// Removes and returns the first entry of the current bucket.
    #[inline(always)]
    fn first(&mut self) -> Option<Ordered> {
        match self.late.peek() {
            Some(late) if self.near[..self.left].last().is_none_or(|near| late > near) => self.late.pop(),
            _ => {
                self.left = self.left.checked_sub(1)?;
                Some(self.near[self.left])
            }
        }
    }

    #[cold]
    fn make_room(&mut self, more: usize) {
        self.near.resize(2 * (self.left + more), Ordered(0));
    }

    /// Advances to the next bucket with entries, if any, and sorts it.
    fn advance(&mut self, ranks: Ranks, f_of: impl Fn(State, Cost) -> (Cost, bool)) {
        let Some(number) = self.ahead.next(self.at + 1) else { return };
        self.at = number;
        let mut bucket = self.ahead.take(number);
        if self.near.len() < self.left + bucket.len() {
            self.make_room(bucket.len());
        }
        let OpenList { near, left, at, ahead, .. } = self;
        let shuffle = shuffle(ranks, *at);
        for (number, Waiting { state, g }) in bucket.drain(..).enumerate() {
            // The entry is written before it is counted, since a branch on its validity would be unpredictable.
            let (f, is_cheapest) = f_of(state, g);
            near[*left] = Ordered::new(ranks.of(number as u32 ^ shuffle), (f, g, state));
            *left += is_cheapest as usize;
        }
        // The border of a large search passes through all buckets and would leave all of them at its size.
        if bucket.capacity() <= MAX_CAPACITY {
            ahead.put_back(number, bucket);
        }
        sort(&mut near[..*left]);
    }

    /// Distributes the entries beyond over the buckets, which start at the first of them if all others are empty.
    fn bring_near(&mut self, grain: u32, ranks: Ranks) {
        if self.ahead.is_empty() {
            let first = self.far.iter().map(|(f, _)| bucket_of(*f, grain)).min().unwrap_or(self.at);
            self.at = first - 1;
        }
        for (f, Waiting { state, g }) in std::mem::take(&mut self.far) {
            self.push(grain, ranks, 0, (f, g, state));
        }
    }
}

/// A mask for the numbers of a bucket's states before they are ranked. The states are in the order of their generation,
/// and later states have larger numbers. With random ties, the mask gives each bucket a different order.
#[inline(always)]
pub(super) fn shuffle(ranks: Ranks, bucket: u32) -> u32 {
    if let Ranks::Shuffled(_) = ranks { bucket << 16 } else { 0 }
}

/// Sorts entries. Sorting networks for few entries avoid unpredictable branches.
#[inline(always)]
pub(super) fn sort(entries: &mut [Ordered]) {
    match entries.len() {
        0 | 1 => {}
        2 => network::<2, 1>(entries, [(0, 1)]),
        3 => network::<3, 3>(entries, [(0, 1), (1, 2), (0, 1)]),
        4 => network::<4, 5>(entries, [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]),
        5 => network::<5, 9>(entries, [(0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)]),
        6 => network::<6, 12>(
            entries,
            [(0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)],
        ),
        _ => entries.sort_unstable(),
    }
}

/// Sorts `N` entries by comparing `M` pairs of places.
#[inline(always)]
fn network<const N: usize, const M: usize>(entries: &mut [Ordered], pairs: [(usize, usize); M]) {
    let Some(entries) = entries.first_chunk_mut::<N>() else { return };
    for (one, other) in pairs {
        (entries[one], entries[other]) = (entries[one].min(entries[other]), entries[one].max(entries[other]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GRAIN;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    /// Pops the first state and returns its f and g.
    fn popped(open: &mut OpenList, known: &[(Cost, Cost)]) -> Option<(Reverse<Cost>, Cost)> {
        let f = |state: State| known[state as usize].0;
        let (state, g) = open.pop(GRAIN, Ranks::Serial, |state, _| (f(state), true))?;
        Some((Reverse(f(state)), g))
    }

    proptest! {
        /// Pushes and pops in any order, with small and large steps of f, up and down.
        #[test]
        fn states_are_popped_in_order(
            start in 0u32..1_000_000,
            steps in prop::collection::vec((any::<bool>(), -3..9i32, 0u32..9, 0..4u32), 1..400)
        ) {
            let (mut open, ranks) = (OpenList::default(), Ranks::Serial);
            for drain in [false, true] {
                open.clear(GRAIN, start);
                let (mut known, mut reference, mut f) = (Vec::new(), BinaryHeap::new(), start);
                for (number, (pop, step, g, scale)) in steps.iter().enumerate() {
                    f = f.saturating_add_signed(step * [1, 700, 5741, 90_000][*scale as usize]);
                    known.push((f, *g));
                    open.push(GRAIN, ranks, number as u32, (f, *g, number as State));
                    reference.push((Reverse(f), *g));
                    if *pop {
                        prop_assert_eq!(popped(&mut open, &known), reference.pop());
                    }
                }
                while let Some(first) = reference.pop().filter(|_| drain) {
                    prop_assert_eq!(popped(&mut open, &known), Some(first));
                }
                prop_assert!(!drain || popped(&mut open, &known).is_none());
            }
        }
    }

    /// A network that sorts all sequences of zeros and ones sorts everything.
    #[test]
    fn sorting_networks_sort_everything() {
        for length in 0..9 {
            for bits in 0..1u128 << length {
                let mut entries: Vec<Ordered> = (0..length).map(|place| Ordered(bits >> place & 1)).collect();
                sort(&mut entries);
                assert!(entries.is_sorted(), "{length} entries, {bits:b}");
                assert_eq!(entries.iter().filter(|entry| entry.0 == 1).count(), bits.count_ones() as usize);
            }
        }
    }

    #[test]
    fn ties_go_to_older_states_and_outdated_entries_are_dropped() {
        let (mut open, ranks) = (OpenList::default(), Ranks::Serial);
        open.clear(GRAIN, 0);
        for state in 0..4 {
            open.push(GRAIN, ranks, state, (5000, 7, state));
        }
        let f_of = |state: State, _| (5000, state != 1);
        let order: Vec<_> = std::iter::from_fn(|| open.pop(GRAIN, ranks, f_of).map(|(state, _)| state)).collect();
        assert_eq!(order, [0, 2, 3]);
    }
}
