//! Shortest paths to all cells of a map, by a fast flood.
//!
//! Distances are divided into bands as wide as a cardinal move. No move stays within its band, so the states of the
//! current band are final and can be processed in any order, without a heap or sorting. They are in lists by direction
//! of arrival, and a loop without branches processes each list. Only the canonical one of several shortest paths to a
//! state is followed, diagonal moves first, so that most states are generated once.

use crate::cost::{CARDINAL, Cost, DIAGONAL, INFINITY, Length, add};
use crate::graph::{NO_STATE, State};
use crate::grid::{DiagonalRule, Grid};
use std::cmp::Reverse;

/// Distances from one cell of a grid, with memory that is reused.
#[derive(Default)]
pub struct Tree {
    distances: Vec<Cost>,
    bands: Bands,
}

/// The number of active bands: a diagonal move leads from a band to the next or the one after.
const AHEAD: usize = 3;

/// The states of the active bands, by the band's number modulo [`AHEAD`] and by direction of arrival. A state that was
/// reached again on a shorter path occurs twice, which costs time but changes nothing.
type Bands = [[List; 8]; AHEAD];

/// States, with unused space at the end: a state is first written, then counted, without a branch.
#[derive(Default)]
struct List {
    states: Vec<State>,
    len: usize,
}

impl List {
    /// Allocates space for `more` states.
    fn reserve(&mut self, more: usize) {
        if self.states.len() < self.len + more {
            self.states.resize(2 * (self.len + more), 0);
        }
    }

    /// Adds a state if it `is_new`. There must be space for it.
    #[inline(always)]
    fn push(&mut self, state: State, is_new: bool) {
        self.states[self.len] = state;
        self.len += is_new as usize;
    }
}

/// The data of a flood.
struct Flood<'a> {
    moves: &'a [u8],
    offsets: [i32; 8],
    canonical: &'static Canonical,
    distances: &'a mut [Cost],
    /// The number of the current band.
    band: u64,
}

impl Tree {
    /// The distances from `from` to all cells, [`INFINITY`] for unreachable ones.
    pub fn distances(&mut self, grid: &Grid, from: State) -> &[Cost] {
        self.flood(grid, from, NO_STATE);
        &self.distances
    }

    /// The length of a shortest path from `from` to `to`, or `None` if there is none of a finite [`Cost`].
    pub fn length(&mut self, grid: &Grid, from: State, to: State) -> Option<Length> {
        (self.distance(grid, from, to) < INFINITY).then(|| length(grid, &self.distances, to))
    }

    /// The distance from `from` to `to`, [`INFINITY`] if unreachable. Stops when it is known.
    pub fn distance(&mut self, grid: &Grid, from: State, to: State) -> Cost {
        self.flood(grid, from, to);
        self.distances[to as usize]
    }

    fn flood(&mut self, grid: &Grid, from: State, to: State) {
        let Tree { distances, bands } = self;
        distances.clear();
        distances.resize(grid.shape().cells(), INFINITY);
        bands.iter_mut().flatten().for_each(|list| list.len = 0);
        if !grid.is_free(from) {
            return;
        }
        let canonical = match grid.rule() {
            // A diagonal move passes no cliff, so this needs no exception for them.
            DiagonalRule::Strict => &STRICT,
            DiagonalRule::Free if !grid.cliffs().is_empty() => &FREE_WITH_CLIFFS,
            DiagonalRule::Free => &FREE,
            DiagonalRule::None => &NONE,
        };
        let (moves, offsets) = (grid.moves(), grid.shape().offsets());
        let mut flood = Flood { moves, offsets, canonical, distances, band: 0 };
        flood.distances[from as usize] = 0;
        flood.leave(bands, from, moves[from as usize]);
        while bands.iter().flatten().any(|list| list.len > 0) {
            flood.band += 1;
            // The distances of this band are final.
            if to != NO_STATE && (flood.distances[to as usize] as u64) < (flood.band + 1) * CARDINAL as u64 {
                return;
            }
            for direction in [1, 3, 5, 7] {
                flood.arrived_diagonally(bands, direction);
            }
            for direction in [0, 2, 4, 6] {
                flood.arrived_straight(bands, direction);
            }
        }
    }
}

impl Flood<'_> {
    /// Whether a path of this length belongs to the next band but one, instead of the next.
    #[inline(always)]
    fn is_late(&self, reached: Cost) -> bool {
        reached as u64 >= (self.band + 2) * CARDINAL as u64
    }

    /// Takes a list of the current band, or of a later one, out of the bands.
    fn take(&self, bands: &mut Bands, later: u64, direction: usize) -> List {
        std::mem::take(&mut bands[(self.band + later) as usize % AHEAD][direction & 7])
    }

    fn put_back(&self, bands: &mut Bands, later: u64, direction: usize, list: List) {
        bands[(self.band + later) as usize % AHEAD][direction & 7] = list;
    }

    /// The neighbour after a move, and whether its distance is new. An illegal move stays in place.
    #[inline(always)]
    fn step(&mut self, state: State, is_legal: bool, offset: i32, reached: Cost) -> (State, bool) {
        let next = if is_legal { state.wrapping_add_signed(offset) } else { state };
        let known = &mut self.distances[next as usize];
        let is_new = reached < *known;
        *known = reached.min(*known);
        (next, is_new)
    }

    /// Processes states reached by a cardinal move: straight on, and past obstacles to the sides.
    fn arrived_straight(&mut self, bands: &mut Bands, direction: usize) {
        let mut list = self.take(bands, 0, direction);
        let mut ahead = self.take(bands, 1, direction);
        ahead.reserve(list.len);
        let (bit, offset) = (1u8 << direction, self.offsets[direction]);
        // If both of these were legal one step back, only the move straight on is canonical.
        let sides = (bit.rotate_left(1) | bit.rotate_right(1)) & self.canonical.prunes;
        for &state in &list.states[..list.len] {
            let (moves, before) = (self.moves[state as usize], self.moves[state.wrapping_add_signed(-offset) as usize]);
            let reached = add(self.distances[state as usize], CARDINAL);
            let (next, is_new) = self.step(state, moves & bit != 0, offset, reached);
            ahead.push(next, is_new);
            if before & sides != sides || sides == 0 {
                self.leave(bands, state, moves & self.canonical.after(direction, before) & !bit);
            }
        }
        list.len = 0;
        self.put_back(bands, 0, direction, list);
        self.put_back(bands, 1, direction, ahead);
    }

    /// Processes states reached by a diagonal move: the three moves ahead, and past obstacles to the sides.
    fn arrived_diagonally(&mut self, bands: &mut Bands, direction: usize) {
        let mut list = self.take(bands, 0, direction);
        if list.len > 0 {
            let [mut ahead, mut late] = [1, 2].map(|later| self.take(bands, later, direction));
            let [mut left, mut right] = [7, 1].map(|turn| self.take(bands, 1, direction + turn));
            for next in [&mut ahead, &mut late, &mut left, &mut right] {
                next.reserve(list.len);
            }
            let bits = [0, 7, 1].map(|turn| 1u8 << ((direction + turn) & 7));
            let offsets = [0, 7, 1].map(|turn| self.offsets[(direction + turn) & 7]);
            for &state in &list.states[..list.len] {
                let (moves, distance) = (self.moves[state as usize], self.distances[state as usize]);
                let reached = add(distance, DIAGONAL);
                let is_late = self.is_late(reached);
                let (next, is_new) = self.step(state, moves & bits[0] != 0, offsets[0], reached);
                ahead.push(next, is_new & !is_late);
                late.push(next, is_new & is_late);
                let reached = add(distance, CARDINAL);
                let (next, is_new) = self.step(state, moves & bits[1] != 0, offsets[1], reached);
                left.push(next, is_new);
                let (next, is_new) = self.step(state, moves & bits[2] != 0, offsets[2], reached);
                right.push(next, is_new);
                if self.canonical.passes_obstacles {
                    let before = self.moves[state.wrapping_add_signed(-offsets[0]) as usize];
                    let moves = moves & self.canonical.after(direction, before) & !bits[0] & !bits[1] & !bits[2];
                    self.leave(bands, state, moves);
                }
            }
            list.len = 0;
            self.put_back(bands, 1, direction, ahead);
            self.put_back(bands, 2, direction, late);
            self.put_back(bands, 1, direction + 7, left);
            self.put_back(bands, 1, direction + 1, right);
        }
        self.put_back(bands, 0, direction, list);
    }

    /// Follows any moves from a state.
    #[inline]
    fn leave(&mut self, bands: &mut Bands, state: State, moves: u8) {
        let mut left = moves;
        while left != 0 {
            let direction = left.trailing_zeros() as usize & 7;
            left &= left - 1;
            let reached = add(self.distances[state as usize], [CARDINAL, DIAGONAL][direction & 1]);
            let (next, is_new) = self.step(state, true, self.offsets[direction], reached);
            let later = 1 + self.is_late(reached) as u64;
            let list = &mut bands[(self.band + later) as usize % AHEAD][direction];
            list.reserve(1);
            list.push(next, is_new);
        }
    }
}

/// The canonical moves, by direction of arrival and by which of the moves 45° to its right and left were legal before.
///
/// Straight on is always canonical. After a cardinal move, a turn of 45° or 90° to one side is not if the diagonal move
/// to that side was legal one step back: it led there earlier, or at the same time and diagonal first. After a diagonal
/// move the three moves ahead are canonical, and, if it passed an obstacle, the move to the cell behind it.
struct Canonical {
    moves: [[u8; 4]; 8],
    /// The moves that, one step back, decide on a turn after a cardinal move: all, or none if all turns are canonical.
    prunes: u8,
    /// Whether a diagonal move can pass an obstacle.
    passes_obstacles: bool,
}

const STRICT: Canonical = Canonical { moves: canonical(false), prunes: 0xff, passes_obstacles: false };
const FREE: Canonical = Canonical { moves: canonical(true), prunes: 0xff, passes_obstacles: true };
/// Behind a cliff, as behind an obstacle, there may be a cell that only a detour reaches, so all moves are canonical.
const FREE_WITH_CLIFFS: Canonical = Canonical { moves: [[0xff; 4]; 8], prunes: 0, passes_obstacles: true };
const NONE: Canonical = Canonical { moves: [[0xff; 4]; 8], prunes: 0, passes_obstacles: false };

impl Canonical {
    /// The canonical moves after a move in `direction` from a cell with the legal moves `before`.
    #[inline(always)]
    fn after(&self, direction: usize, before: u8) -> u8 {
        let before = before.rotate_right(direction as u32);
        self.moves[direction][(before >> 1 & 1 | before >> 6 & 2) as usize]
    }
}

const fn canonical(passes_obstacles: bool) -> [[u8; 4]; 8] {
    let mut canonical = [[0; 4]; 8];
    let mut entry = 0;
    while entry < 32 {
        let (direction, sides) = (entry / 4, entry % 4);
        // Relative to the direction of arrival, which is bit 0.
        let (ahead, right, left) = match direction % 2 {
            0 => (0b0000_0001, 0b0000_0110, 0b1100_0000),
            _ if passes_obstacles => (0b1000_0011, 0b0000_0100, 0b0100_0000),
            _ => (0b1000_0011, 0, 0),
        };
        let moves: u8 = ahead | if sides & 1 == 0 { right } else { 0 } | if sides & 2 == 0 { left } else { 0 };
        canonical[direction][sides] = moves.rotate_left(direction as u32);
        entry += 1;
    }
    canonical
}

/// The reachable cells, with their distances.
pub fn reachable(distances: &[Cost]) -> impl Iterator<Item = (Cost, State)> {
    distances.iter().copied().zip(0..).filter(|(distance, _)| *distance != INFINITY)
}

/// The length of a shortest path to a state, traced back along the distances of its states from the path's start.
pub fn length(grid: &Grid, distances: &[Cost], to: State) -> Length {
    if let Some(length) = Length::of_cost(distances[to as usize]) {
        return length;
    }
    let (moves, offsets) = (grid.moves(), grid.shape().offsets());
    let (mut at, mut length) = (to, Length::default());
    while distances[at as usize] > 0 {
        let before = |direction: &usize| {
            let is_legal = moves[at as usize] >> direction & 1 == 1;
            let cost = if direction % 2 == 0 { CARDINAL } else { DIAGONAL };
            is_legal
                && add(distances[at.wrapping_add_signed(offsets[*direction]) as usize], cost) == distances[at as usize]
        };
        // Moves are symmetric, so the state before is a successor.
        let direction = (0..offsets.len()).find(before).expect("every state but the first has one before it");
        if direction % 2 == 0 {
            length.cardinal += 1
        } else {
            length.diagonal += 1
        }
        at = at.wrapping_add_signed(offsets[direction]);
    }
    length
}

/// The greatest finite distance and the first cell that has it.
pub fn farthest(distances: &[Cost]) -> (Cost, State) {
    let cells = reachable(distances).map(|(distance, cell)| (distance, Reverse(cell)));
    let (distance, Reverse(cell)) = cells.max().unwrap_or_default();
    (distance, cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::grid::Terrain;
    use crate::testing::{random_grid, with_random_cliffs};
    use proptest::prelude::*;
    use rand::RngExt;
    use std::collections::BinaryHeap;

    /// Dijkstra's algorithm, as in textbooks.
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
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn distances_equal_those_of_dijkstra(
            width in 1u32..24, height in 1u32..24, density in 0.0..0.6f64, seed: u64, rule in 0..3usize,
            cliffs in prop::sample::select(vec![0.0, 0.05, 0.4])
        ) {
            let mut random = crate::rng::stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::NAMES[rule].1);
            let grid = with_random_cliffs(&mut random, grid, cliffs);
            let mut cell = || random.random_range(0..grid.shape().cells()) as State;
            let (from, to) = (cell(), cell());
            let expected = dijkstra(&grid, from);
            let mut tree = Tree::default();
            prop_assert_eq!(tree.distances(&grid, from), &expected[..]);
            prop_assert_eq!(tree.distance(&grid, from, to), expected[to as usize]);
        }
    }
}
