//! A bounded queue of states whose heuristics need an update: largest priority first, each state once.
//!
//! It is a sorted array with access to both ends. At the lengths that fit between two moves, a shift of half the array
//! costs no more than the updates of a heap.

use super::table::{Table, bytes};
use super::ties::Ties;
use crate::cost::Cost;
use crate::graph::State;

/// The queue.
#[derive(Default)]
pub struct UpdateQueue {
    /// Keys and states in ascending order. A key is the priority, then the complement of the rank for ties.
    entries: Vec<(u64, State)>,
    /// The priority of each state in the queue, 0 for others.
    priorities: Vec<Cost>,
    length: usize,
    serial: u32,
    /// The maximum number of entries.
    peak: usize,
}

impl Table for UpdateQueue {
    fn reset(&mut self, _states: usize) {
        for (_, state) in self.entries.drain(..) {
            self.priorities[state as usize] = 0;
        }
        (self.serial, self.peak) = (0, 0);
    }

    fn peak_bytes(&self) -> u64 {
        bytes::<(u64, State)>(self.peak) + bytes::<Cost>(self.peak)
    }
}

impl UpdateQueue {
    /// Sets the maximal length and the number of states.
    pub fn resize(&mut self, states: usize, length: u32) {
        self.length = length as usize;
        if self.priorities.len() < states {
            self.priorities.resize(states, 0);
        }
    }

    /// Removes and returns the state with the largest priority.
    pub fn pop(&mut self) -> Option<State> {
        let (_, state) = self.entries.pop()?;
        self.priorities[state as usize] = 0;
        Some(state)
    }

    /// Adds a state. A state in the queue keeps its place, or moves up to a larger priority with `raise`. If the queue
    /// is full, a state with a larger priority replaces the one with the smallest.
    pub fn push(&mut self, ties: &mut Ties, state: State, priority: Cost, raise: bool) {
        let UpdateQueue { entries, priorities, length, serial, peak } = self;
        let known = priorities[state as usize];
        // The place that becomes free, if any.
        let free = if known != 0 {
            if !raise || priority <= known {
                return;
            }
            let ties = entries.partition_point(|(key, _)| *key >> 32 < known as u64);
            entries[ties..].iter().position(|entry| entry.1 == state).map(|place| ties + place)
        } else if entries.len() < *length {
            None
        } else {
            let (key, last) = entries[0];
            if priority as u64 <= key >> 32 {
                return;
            }
            priorities[last as usize] = 0;
            Some(0)
        };
        let key = (priority as u64) << 32 | !ties.ranks().of(*serial) as u64;
        *serial = serial.wrapping_add(1);
        priorities[state as usize] = priority;
        let place = entries.partition_point(|entry| entry.0 < key);
        match free {
            Some(free) => {
                entries.copy_within(free + 1..place, free);
                entries[place - 1] = (key, state);
            }
            None => {
                entries.insert(place, (key, state));
                *peak = entries.len().max(*peak);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compared with a list that is searched linearly.
        #[test]
        fn the_largest_priority_is_popped_and_the_smallest_dropped(
            length in 1usize..12, raise: bool, pushes in prop::collection::vec((0u32..20, 0u32..9), 0..200)
        ) {
            let mut queue = UpdateQueue::default();
            let mut list: Vec<(Cost, State)> = Vec::new();
            queue.resize(20, length as u32);
            for (state, priority) in pushes {
                if priority == 0 {
                    // The oldest entry with the largest priority.
                    let largest = list.iter().map(|entry| entry.0).max();
                    let place = list.iter().position(|entry| Some(entry.0) == largest);
                    prop_assert_eq!(queue.pop(), place.map(|place| list.remove(place).1));
                    continue;
                }
                queue.push(&mut Ties::First, state, priority, raise);
                match list.iter().position(|entry| entry.1 == state) {
                    Some(place) if raise && list[place].0 < priority => {
                        list.remove(place);
                        list.push((priority, state));
                    }
                    Some(_) => {}
                    None if list.len() < length => list.push((priority, state)),
                    None => {
                        // The newest entry with the smallest priority.
                        let smallest = list.iter().map(|entry| entry.0).min().expect("it is full");
                        let place = list.iter().rposition(|entry| entry.0 == smallest).expect("it is in there");
                        if smallest < priority {
                            list.remove(place);
                            list.push((priority, state));
                        }
                    }
                }
            }
            prop_assert!(list.len() <= length);
            let mut rest = Vec::new();
            while let Some(state) = queue.pop() {
                rest.push(state);
            }
            // A stable sort keeps the older of two ties in front.
            list.sort_by_key(|entry| std::cmp::Reverse(entry.0));
            prop_assert_eq!(rest, list.iter().map(|entry| entry.1).collect::<Vec<_>>());
        }
    }
}
