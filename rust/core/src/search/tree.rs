//! Whole-map shortest paths, as fast as a flood.
//!
//! A move has one of two costs, so Dijkstra's open list is two queues: states reached by a cardinal move and states
//! reached by a diagonal one. States are closed in the order of their distance, so what is appended to either queue
//! is already in order, and the next state is the nearer of two heads. Of several shortest paths to a state only the
//! canonical one is followed, diagonal moves first, so that most states are generated once.

use crate::cost::{CARDINAL, Cost, DIAGONAL, INFINITY, add};
use crate::graph::{NO_STATE, State};
use crate::grid::{DiagonalRule, Grid};

/// Distances from one cell of a grid, and the memory to compute them again and again.
#[derive(Default)]
pub struct Tree {
    distances: Vec<Cost>,
    /// States reached by cardinal moves, and by diagonal ones.
    queues: [Queue; 2],
}

/// A state on its way through a queue: distance, state, direction of arrival, in one integer that compares by distance.
#[derive(Clone, Copy)]
struct Entry(u64);

impl Entry {
    #[inline(always)]
    fn new(distance: Cost, state: State, direction: usize) -> Entry {
        Entry((distance as u64) << 32 | (state as u64) << 3 | direction as u64)
    }

    #[inline(always)]
    fn distance(self) -> Cost {
        (self.0 >> 32) as Cost
    }

    #[inline(always)]
    fn state(self) -> State {
        self.0 as u32 >> 3
    }

    #[inline(always)]
    fn direction(self) -> usize {
        self.0 as usize & 7
    }
}

/// A queue in an array: entries from `head` to `tail`, then one that is beyond all others.
#[derive(Default)]
struct Queue {
    entries: Vec<Entry>,
    head: usize,
    tail: usize,
}

impl Queue {
    const END: Entry = Entry(u64::MAX);

    fn clear(&mut self, room: usize) {
        if self.entries.len() < room {
            self.entries.resize(room, Self::END);
        }
        (self.head, self.tail) = (0, 0);
        self.entries[0] = Self::END;
    }

    /// The first entry, or the end.
    #[inline(always)]
    fn first(&self) -> Entry {
        self.entries[self.head]
    }

    #[inline(always)]
    fn push(&mut self, entry: Entry) {
        if self.tail + 2 > self.entries.len() {
            self.grow();
        }
        self.entries[self.tail] = entry;
        self.tail += 1;
        self.entries[self.tail] = Self::END;
    }

    #[cold]
    fn grow(&mut self) {
        self.entries.resize(2 * self.entries.len() + 2, Self::END);
    }
}

impl Tree {
    /// The distance from `from` to every cell, [`INFINITY`] where there is no way.
    pub fn distances(&mut self, grid: &Grid, from: State) -> &[Cost] {
        self.flood(grid, from, NO_STATE);
        &self.distances
    }

    /// The distance from `from` to `to`, [`INFINITY`] where there is no way; stops when it is known.
    pub fn distance(&mut self, grid: &Grid, from: State, to: State) -> Cost {
        self.flood(grid, from, to);
        self.distances[to as usize]
    }

    fn flood(&mut self, grid: &Grid, from: State, to: State) {
        let (moves, offsets) = (grid.moves(), grid.shape().offsets());
        let worth = match grid.rule() {
            DiagonalRule::Strict => &STRICT,
            DiagonalRule::Free => &FREE,
            DiagonalRule::None => &NONE,
        };
        let Tree { distances, queues } = self;
        distances.clear();
        distances.resize(moves.len(), INFINITY);
        let distances = &mut distances[..];
        queues.iter_mut().for_each(|queue| queue.clear(moves.len()));
        if !grid.is_free(from) {
            return;
        }
        distances[from as usize] = 0;
        let (mut distance, mut state, mut directions) = (0, from, moves[from as usize]);
        loop {
            let reached = [add(distance, CARDINAL), add(distance, DIAGONAL)];
            while directions != 0 {
                let direction = directions.trailing_zeros() as usize & 7;
                directions &= directions - 1;
                let next = state.wrapping_add_signed(offsets[direction]);
                let reached = reached[direction & 1];
                let known = &mut distances[next as usize];
                if reached < *known {
                    *known = reached;
                    queues[direction & 1].push(Entry::new(reached, next, direction));
                }
            }
            let arrival = loop {
                // Chosen by arithmetic: which queue is next is as good as random to a branch predictor.
                let [cardinal, diagonal] = [queues[0].first(), queues[1].first()];
                queues[(diagonal.0 < cardinal.0) as usize].head += 1;
                let entry = Entry(cardinal.0.min(diagonal.0));
                if entry.0 == Queue::END.0 {
                    return;
                }
                (distance, state) = (entry.distance(), entry.state());
                // Otherwise it was reached on a shorter way since.
                if distances[state as usize] == distance {
                    break entry.direction();
                }
            };
            if state == to {
                return;
            }
            let back = state.wrapping_add_signed(-offsets[arrival]);
            let before = (moves[back as usize] as u32 * 0x101) >> arrival;
            let sides = (before >> 1 & 1 | before >> 6 & 2) as usize;
            directions = moves[state as usize] & worth[arrival][sides];
        }
    }
}

/// The moves worth making, by the direction of arrival and by which of the moves 45° to its right (1) and left (2) were
/// legal one step back.
///
/// Straight on is always worth it. After a cardinal move, a turn of 45° or 90° to one side is not where the diagonal
/// move to that side was legal one step back: it led there sooner, or as soon and diagonal first. After a diagonal move
/// the three moves ahead are worth it, and where it squeezed past an obstacle, the move to the cell behind that
/// obstacle. Moves back never are.
type Worth = [[u8; 4]; 8];

const STRICT: Worth = worth(false);
const FREE: Worth = worth(true);
const NONE: Worth = [[0xff; 4]; 8];

const fn worth(squeeze: bool) -> Worth {
    let mut worth = [[0; 4]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut sides = 0;
        while sides < 4 {
            let (right, left) = (sides & 1 == 1, sides & 2 == 2);
            // With the direction of arrival as bit 0.
            let mut moves = 0b0000_0001;
            if direction & 1 == 1 {
                moves |= 0b1000_0010;
                if squeeze && !right {
                    moves |= 0b0000_0100;
                }
                if squeeze && !left {
                    moves |= 0b0100_0000;
                }
            } else {
                if !right {
                    moves |= 0b0000_0110;
                }
                if !left {
                    moves |= 0b1100_0000;
                }
            }
            worth[direction][sides] = (moves as u8).rotate_left(direction as u32);
            sides += 1;
        }
        direction += 1;
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::grid::{Shape, Terrain};
    use proptest::prelude::*;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    /// Dijkstra as in the textbook.
    fn dijkstra(grid: &Grid, from: State) -> Vec<Cost> {
        let geometry = grid.geometry(0);
        let terrain = Terrain::new(&geometry, grid.moves());
        let mut distances = vec![INFINITY; grid.shape().cells()];
        let mut open = BinaryHeap::new();
        if grid.is_free(from) {
            distances[from as usize] = 0;
            open.push(Reverse((0, from)));
        }
        while let Some(Reverse((distance, state))) = open.pop() {
            if distance > distances[state as usize] {
                continue;
            }
            terrain.successors(state, |next, cost| {
                if distance + cost < distances[next as usize] {
                    distances[next as usize] = distance + cost;
                    open.push(Reverse((distance + cost, next)));
                }
            });
        }
        distances
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn distances_are_those_of_dijkstra(
            width in 1u32..24, height in 1u32..24, density in 0.0..0.6f64, seed: u64, rule in 0..3usize
        ) {
            use rand::RngExt;
            let mut random = crate::rng::stream(seed, &[]);
            let shape = Shape::new(width, height);
            let free = (0..shape.cells()).map(|_| !random.random_bool(density)).collect();
            let grid = Grid::new(shape, DiagonalRule::NAMES[rule].1, free);
            let from = random.random_range(0..shape.cells()) as State;
            let to = random.random_range(0..shape.cells()) as State;
            let expected = dijkstra(&grid, from);
            let mut tree = Tree::default();
            prop_assert_eq!(tree.distances(&grid, from), &expected[..]);
            prop_assert_eq!(tree.distance(&grid, from, to), expected[to as usize]);
        }
    }
}
