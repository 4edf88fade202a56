//! Dijkstra's algorithm for corridors and passages.

use crate::graph::{NO_STATE, State};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A search with memory that is reused.
#[derive(Default)]
pub(super) struct Search {
    pub cost: Vec<u32>,
    /// The predecessor of each state, [`NO_STATE`] for starts.
    pub before: Vec<State>,
    reached: Vec<State>,
    open: BinaryHeap<Reverse<(u32, State)>>,
}

impl Search {
    pub fn new(states: usize) -> Search {
        Search { cost: vec![u32::MAX; states], before: vec![NO_STATE; states], ..Search::default() }
    }

    pub fn clear(&mut self) {
        self.open.clear();
        for state in self.reached.drain(..) {
            self.cost[state as usize] = u32::MAX;
        }
    }

    /// Adds a path to a state. Returns whether it is the cheapest so far.
    pub fn reach(&mut self, state: State, cost: u32, before: State) -> bool {
        let is_cheapest = cost < self.cost[state as usize];
        if is_cheapest {
            self.cost[state as usize] = cost;
            self.before[state as usize] = before;
            self.reached.push(state);
            self.open.push(Reverse((cost, state)));
        }
        is_cheapest
    }

    /// Removes and returns the open state with the lowest cost.
    pub fn next(&mut self) -> Option<(u32, State)> {
        loop {
            let Reverse((cost, state)) = self.open.pop()?;
            if cost == self.cost[state as usize] {
                return Some((cost, state));
            }
        }
    }

    /// The states from `state` back to a start.
    pub fn path_to(&self, state: State) -> impl Iterator<Item = State> {
        std::iter::successors(Some(state), |state| {
            Some(self.before[*state as usize]).filter(|before| *before != NO_STATE)
        })
    }
}
