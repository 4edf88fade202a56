//! Whole-map shortest paths, as fast as a flood.
//!
//! A move has one of two costs, so Dijkstra's open list is two queues: states reached by a cardinal move and states
//! reached by a diagonal one. States are closed in the order of their distance, so what is appended to either queue
//! is already in order, and the next state is the nearer of two heads. Of several shortest paths to a state only the
//! canonical one is followed, diagonal moves first, so that most states are generated once.

use crate::cost::{CARDINAL, Cost, DIAGONAL, INFINITY, add};
use crate::graph::State;
use crate::grid::{DiagonalRule, Grid};

/// Distances from one cell of a grid, and the memory to compute them again and again.
#[derive(Default)]
pub struct Tree {
    distances: Vec<Cost>,
    cardinal: Queue,
    diagonal: Queue,
}

/// Where the path to a generated state came from, and its length.
#[derive(Clone, Copy)]
struct Generated {
    distance: Cost,
    state: State,
    direction: u8,
}

/// A queue in an array that only grows, since a state enters it at most a few times.
#[derive(Default)]
struct Queue {
    entries: Vec<Generated>,
    head: usize,
}

impl Queue {
    fn clear(&mut self) {
        self.entries.clear();
        self.head = 0;
    }

    #[inline(always)]
    fn next_distance(&self) -> Cost {
        self.entries.get(self.head).map_or(Cost::MAX, |entry| entry.distance)
    }
}

impl Tree {
    /// The distance from `from` to every cell, [`INFINITY`] where there is no way.
    pub fn distances(&mut self, grid: &Grid, from: State) -> &[Cost] {
        self.flood(grid, from, None);
        &self.distances
    }

    /// The distance from `from` to `to`, [`INFINITY`] where there is no way; stops when it is known.
    pub fn distance(&mut self, grid: &Grid, from: State, to: State) -> Cost {
        self.flood(grid, from, Some(to));
        self.distances[to as usize]
    }

    fn flood(&mut self, grid: &Grid, from: State, to: Option<State>) {
        self.distances.clear();
        self.distances.resize(grid.shape().cells(), INFINITY);
        self.cardinal.clear();
        self.diagonal.clear();
        if !grid.is_free(from) {
            return;
        }
        match grid.rule() {
            DiagonalRule::Strict => self.run(grid, from, to, canonical_strict),
            DiagonalRule::Free => self.run(grid, from, to, canonical_free),
            DiagonalRule::None => self.run(grid, from, to, |moves, _, _| moves),
        }
    }

    /// `canonical` keeps the moves worth making, given the moves legal here and those legal one step back, both turned
    /// so that the direction of arrival is bit 0, and whether that direction is diagonal.
    #[inline(always)]
    fn run(&mut self, grid: &Grid, from: State, to: Option<State>, canonical: impl Fn(u8, u8, bool) -> u8) {
        let (moves, offsets) = (grid.moves(), grid.shape().offsets());
        self.distances[from as usize] = 0;
        self.generate(&offsets, Generated { distance: 0, state: from, direction: 0 }, moves[from as usize]);
        loop {
            let (cardinal, diagonal) = (self.cardinal.next_distance(), self.diagonal.next_distance());
            let queue = if cardinal <= diagonal { &mut self.cardinal } else { &mut self.diagonal };
            let Some(&entry) = queue.entries.get(queue.head) else { return };
            queue.head += 1;
            if self.distances[entry.state as usize] < entry.distance {
                continue; // reached on a shorter way since
            }
            if Some(entry.state) == to {
                return;
            }
            let turn = entry.direction as u32;
            let back = entry.state.wrapping_add_signed(-offsets[entry.direction as usize & 7]);
            let here = moves[entry.state as usize].rotate_right(turn);
            let before = moves[back as usize].rotate_right(turn);
            self.generate(&offsets, entry, canonical(here, before, turn & 1 == 1));
        }
    }

    /// Appends the successors of `from` in the directions `turned`, seen from its direction of arrival.
    #[inline(always)]
    fn generate(&mut self, offsets: &[i32; 8], from: Generated, turned: u8) {
        let mut left = turned;
        while left != 0 {
            let direction = (left.trailing_zeros() as u8 + from.direction) & 7;
            left &= left - 1;
            let state = from.state.wrapping_add_signed(offsets[direction as usize]);
            let (queue, cost) =
                if direction & 1 == 0 { (&mut self.cardinal, CARDINAL) } else { (&mut self.diagonal, DIAGONAL) };
            let distance = add(from.distance, cost);
            if distance < self.distances[state as usize] {
                self.distances[state as usize] = distance;
                queue.entries.push(Generated { distance, state, direction });
            }
        }
    }
}

/// Straight on is always worth it. A turn of 45° or 90° to one side after a cardinal move is not where the diagonal
/// move to that side was legal one step earlier: it led there sooner, or as soon and diagonal first. The moves back
/// are never worth it, and after a diagonal move only the three ahead are.
#[inline(always)]
fn canonical_strict(here: u8, before: u8, diagonal: bool) -> u8 {
    let worth = if diagonal { AHEAD } else { after_cardinal(before) };
    here & worth
}

/// As [`canonical_strict`], but a diagonal move may squeeze past an obstacle: then the cell behind that obstacle is
/// reached best from here.
#[inline(always)]
fn canonical_free(here: u8, before: u8, diagonal: bool) -> u8 {
    let worth = if diagonal {
        AHEAD | (!before & 0b0000_0010) << 1 | (!before & 0b1000_0000) >> 1
    } else {
        after_cardinal(before)
    };
    here & worth
}

/// Straight on and 45° to either side.
const AHEAD: u8 = 0b1000_0011;

#[inline(always)]
fn after_cardinal(before: u8) -> u8 {
    let right = if before & 0b0000_0010 == 0 { 0b0000_0110 } else { 0 };
    let left = if before & 0b1000_0000 == 0 { 0b1100_0000 } else { 0 };
    1 | right | left
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
