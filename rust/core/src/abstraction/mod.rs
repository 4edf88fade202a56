//! Clique abstraction: graph-abstraction-2007, Section 4.2 and Appendix A.
//!
//! A [`Hierarchy`] has the ground, which is the cells of a map with their moves, and [`Level`]s above it. Each level is
//! the abstraction of the one below, and the top has one state for every connected component. `build` is Figure 18,
//! `aligned` the other [`Variant`], `repair` is Figure 19, `check` verifies properties 1 to 8, and `graph` makes a
//! level a [`crate::graph::Graph`].
//!
//! The children of an abstract state are its **core**, up to four states that are all adjacent to each other, and its
//! **leaves**: states of degree 1, each adjacent to a state of the core. No edge of a leaf therefore leaves the
//! abstract state, and no abstract edge represents more than 16 edges below it.

mod agent_hierarchy;
mod aligned;
mod build;
mod check;
pub mod graph;
mod ground;
mod level;
mod repair;

use crate::cost::{CARDINAL, Cost};
use crate::graph::State;
use crate::grid::{DiagonalRule, Grid, Shape};
pub use agent_hierarchy::Abstraction;
pub use check::{Violation, max_children};
use ground::Ground;
use level::{Layer, Level};
use repair::{Buffers, Queue};

/// A position in units of cost, [`CARDINAL`] per cell. An abstract state is at the average of its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The west-east coordinate.
    pub x: u32,
    /// The north-south coordinate.
    pub y: u32,
}

impl Position {
    /// The middle of a cell.
    #[inline(always)]
    fn of_cell(shape: Shape, cell: State) -> Position {
        let (x, y) = shape.xy(cell);
        Position { x: x * CARDINAL, y: y * CARDINAL }
    }

    #[inline(always)]
    fn away(self, other: Position) -> (u32, u32) {
        (self.x.abs_diff(other.x), self.y.abs_diff(other.y))
    }

    /// The Euclidean distance.
    #[inline(always)]
    fn distance(self, other: Position) -> f64 {
        let (dx, dy) = self.away(other);
        let (dx, dy) = (dx as f64, dy as f64);
        (dx * dx + dy * dy).sqrt()
    }

    /// The cost of an edge between two states: their distance, rounded up, and at least 1.
    #[inline(always)]
    pub fn cost_to(self, other: Position) -> Cost {
        (self.distance(other).ceil() as Cost).max(1)
    }

    fn distance_squared(self, other: Position) -> u64 {
        let (dx, dy) = self.away(other);
        dx as u64 * dx as u64 + dy as u64 * dy as u64
    }
}

/// An average of positions, independent of their order.
#[derive(Default)]
struct Average {
    x: u64,
    y: u64,
    count: u64,
}

impl Average {
    #[inline(always)]
    fn add(&mut self, position: Position) {
        (self.x, self.y, self.count) = (self.x + position.x as u64, self.y + position.y as u64, self.count + 1);
    }

    #[inline(always)]
    fn get(&self) -> Position {
        // Counts up to four are by far the most frequent.
        let rounded = |sum: u64| match self.count {
            1 => sum as u32,
            2 => ((sum + 1) >> 1) as u32,
            3 => ((sum + 1) / 3) as u32,
            4 => ((sum + 2) >> 2) as u32,
            count => ((sum + count / 2) / count.max(1)) as u32,
        };
        Position { x: rounded(self.x), y: rounded(self.y) }
    }
}

fn average(positions: impl Iterator<Item = Position>) -> Position {
    let mut average = Average::default();
    positions.for_each(|position| average.add(position));
    average.get()
}

/// The cliques that become abstract states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    /// The first cliques in the order of states, as in Figure 18 of graph-abstraction-2007.
    Free = 0,
    /// First the squares of a grid whose sides double with every level, as in the testbed of the paper's authors.
    #[default]
    Aligned = 1,
}

impl Variant {
    /// Every variant with its name.
    pub const NAMES: [(&'static str, Variant); 2] = [("free", Variant::Free), ("aligned", Variant::Aligned)];

    /// Its name in specs and on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// The variant with a name.
    pub fn named(name: &str) -> Option<Variant> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, variant)| *variant)
    }
}

/// A ground graph and its abstractions.
pub struct Hierarchy {
    variant: Variant,
    ground: Ground,
    /// Level 1 first.
    levels: Vec<Level>,
    /// The queues of states that need repair, level 1 first.
    queues: Vec<Queue>,
    /// Buffers for repairs.
    buffers: Buffers,
}

impl Hierarchy {
    /// Builds the hierarchy of a map.
    pub fn of(grid: &Grid, variant: Variant) -> Hierarchy {
        let (ground, buffers) = (Ground::new(grid), Buffers::default());
        let mut hierarchy = Hierarchy { variant, ground, levels: Vec::new(), queues: Vec::new(), buffers };
        hierarchy.grow();
        hierarchy
    }

    /// Builds the hierarchy of a map without obstacles, which an agent without knowledge assumes.
    pub fn open(shape: Shape, rule: DiagonalRule, variant: Variant) -> Hierarchy {
        Hierarchy::of(&Grid::new(shape, rule, vec![true; shape.cells()]), variant)
    }

    /// The number of the highest level. 0 is the ground.
    pub fn top(&self) -> usize {
        self.levels.len()
    }

    /// The size of the map.
    pub fn shape(&self) -> Shape {
        self.ground.shape()
    }

    /// The upper bound of the numbers of a level's states.
    pub fn states(&self, level: usize) -> usize {
        if level == 0 { self.ground.len() } else { self.levels[level - 1].len() }
    }

    /// Whether a number is a state of a level.
    #[inline(always)]
    pub fn is_state(&self, level: usize, state: State) -> bool {
        if level == 0 { self.ground.is_state(state) } else { self.levels[level - 1].is_state(state) }
    }

    /// The number of states of a level.
    pub fn count(&self, level: usize) -> usize {
        if level == 0 { self.ground.count() } else { self.levels[level - 1].count() }
    }

    /// The position of a state.
    #[inline(always)]
    pub fn position(&self, level: usize, state: State) -> Position {
        if level == 0 { self.ground.position(state) } else { self.levels[level - 1].position(state) }
    }

    /// The parent of a state below the top.
    #[inline(always)]
    pub fn parent(&self, level: usize, state: State) -> State {
        if level == 0 { self.ground.parent(state) } else { self.levels[level - 1].parent(state) }
    }

    /// The ancestor on level `to` of a state on level `from`, which is not above it.
    #[inline(always)]
    pub fn ancestor(&self, from: usize, state: State, to: usize) -> State {
        (from..to).fold(state, |state, level| self.parent(level, state))
    }

    /// Calls `visit` with each child of a state above the ground.
    #[inline]
    pub fn children(&self, level: usize, state: State, visit: impl FnMut(State)) {
        let first = self.levels[level - 1].child(state);
        if level == 1 {
            self.ground.each_sibling(first, visit)
        } else {
            self.levels[level - 2].each_sibling(first, visit)
        }
    }

    /// Calls `visit` with each neighbour of a state.
    #[inline]
    pub fn neighbours(&self, level: usize, state: State, visit: impl FnMut(State)) {
        if level == 0 { self.ground.neighbours(state, visit) } else { self.levels[level - 1].neighbours(state, visit) }
    }

    /// Calls `visit` with each descendant on level `to` of a state on level `from`.
    pub fn descendants(&self, from: usize, state: State, to: usize, visit: &mut impl FnMut(State)) {
        if from == to {
            visit(state);
        } else {
            self.children(from, state, |child| self.descendants(from - 1, child, to, visit));
        }
    }

    /// The child nearest to the position of a state, the average of its children.
    pub fn nearest_child(&self, level: usize, state: State) -> State {
        let centre = self.position(level, state);
        let mut nearest = (u64::MAX, crate::graph::NO_STATE);
        self.children(level, state, |child| {
            let distance = self.position(level - 1, child).distance_squared(centre);
            nearest = nearest.min((distance, child));
        });
        nearest.1
    }

    /// The descendant on level `to` that represents a state on level `from`: the nearest child on every level, or the
    /// descendant nearest to the average of all.
    pub fn representative(&self, from: usize, state: State, to: usize, reading: Reading) -> State {
        if reading == Reading::Descend || from - to <= 1 {
            return (to..from).rev().fold(state, |state, level| self.nearest_child(level + 1, state));
        }
        let mut all = Vec::new();
        self.descendants(from, state, to, &mut |state| all.push(state));
        let centre = average(all.iter().map(|state| self.position(to, *state)));
        let distance = |state: &State| (self.position(to, *state).distance_squared(centre), *state);
        all.into_iter().min_by_key(distance).expect("every state has a child")
    }

    /// The goal on level `to` if it is a descendant of `state` on level `from`, otherwise the representative.
    pub fn target(&self, from: usize, state: State, (to, goal): (usize, State), reading: Reading) -> State {
        if self.ancestor(to, goal, from) == state { goal } else { self.representative(from, state, to, reading) }
    }

    /// Starts to record the changes of a level above the ground.
    pub fn watch(&mut self, level: usize) {
        if level > 0 {
            self.levels[level - 1].watch();
        }
    }

    /// Stops recording the changes of a level and drops the recorded ones.
    pub fn unwatch(&mut self, level: usize) {
        if level > 0 {
            self.levels[level - 1].unwatch();
        }
    }

    /// The changes of a watched level since the last call.
    pub fn take_changes(&mut self, level: usize) -> Changes<'_> {
        self.levels[level - 1].take_changes()
    }

    /// The memory size in bytes.
    pub fn bytes(&self) -> usize {
        self.ground.bytes() + self.levels.iter().map(Level::bytes).sum::<usize>()
    }

    /// The memory size in bytes without space for further entries, so that it does not depend on earlier repairs.
    pub fn bytes_in_use(&self) -> u64 {
        self.ground.bytes_in_use() + self.levels.iter().map(Level::bytes_in_use).sum::<u64>()
    }
}

/// The changes of a level.
pub struct Changes<'a> {
    /// States that were removed, even if their numbers are used again.
    pub removed: std::vec::Drain<'a, State>,
    /// States with other children than before, including removed ones.
    pub changed: std::vec::Drain<'a, State>,
    /// Whether anything changed: states, edges, or positions and thus costs.
    pub is_updated: bool,
}

/// The reading of footnote 3 of graph-abstraction-2007, which defines the descendant that represents an abstract state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The child nearest to the average of the children, on every level.
    Descend,
    /// The state nearest to the average of all descendants on its level.
    Direct,
}

impl Clone for Hierarchy {
    fn clone(&self) -> Self {
        Hierarchy {
            variant: self.variant,
            ground: self.ground.clone(),
            levels: self.levels.clone(),
            queues: self.queues.clone(),
            buffers: Buffers::default(),
        }
    }

    /// Reuses the memory, so that a clone costs little more than copying the bytes.
    fn clone_from(&mut self, other: &Self) {
        self.variant = other.variant;
        self.ground.clone_from(&other.ground);
        self.levels.clone_from(&other.levels);
        self.queues.clone_from(&other.queues);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::generate::{KINDS, generate};
    use rand::RngExt;

    #[test]
    fn representatives_are_the_nearest_descendants() {
        // A square, and a corridor on its right that shares some states of level 2 with it.
        let grid = Grid::drawn(DiagonalRule::Strict, &["....@@@@", "........", "....@@@@", "....@@@@"]);
        let hierarchy = Hierarchy::of(&grid, Variant::Free);
        let (mut differ, mut states) = (0, 0);
        for level in 2..=hierarchy.top() {
            for state in (0..hierarchy.states(level) as State).filter(|state| hierarchy.is_state(level, *state)) {
                let mut cells = Vec::new();
                hierarchy.descendants(level, state, 0, &mut |cell| cells.push(cell));
                let centre = average(cells.iter().map(|cell| hierarchy.position(0, *cell)));
                let away = |cell: State| hierarchy.position(0, cell).distance_squared(centre);
                let direct = hierarchy.representative(level, state, 0, Reading::Direct);
                assert_eq!(Some(away(direct)), cells.iter().map(|cell| away(*cell)).min());
                let descend = hierarchy.representative(level, state, 0, Reading::Descend);
                let child = hierarchy.nearest_child(level, state);
                assert_eq!(descend, hierarchy.representative(level - 1, child, 0, Reading::Descend));
                assert!(cells.contains(&descend));
                states += 1;
                differ += (direct != descend) as u32;
            }
        }
        assert!(states > 2 && differ > 0, "{differ} of {states}");
    }

    fn bytes_per_state(hierarchy: &Hierarchy) -> f64 {
        hierarchy.bytes() as f64 / hierarchy.count(0) as f64
    }

    #[test]
    fn hierarchies_have_few_bytes_per_state() {
        for (kind, (_, variant)) in KINDS.iter().flat_map(|kind| Variant::NAMES.map(|named| (kind, named))) {
            let (map, side) = (generate(kind.name, 256, 256, 1, []).unwrap(), 768);
            let grid = map.grid(DiagonalRule::Strict);
            let bytes = bytes_per_state(&Hierarchy::of(&grid, variant));
            assert!(bytes <= 60.0, "{}: {bytes} bytes per state", kind.name);
            // The same map in the corner of a larger, blocked one.
            let mut free = vec![false; side * side];
            for (row, cells) in free.chunks_mut(side).rev().zip(grid.free().chunks(256)) {
                row[side - 256..].copy_from_slice(cells);
            }
            let grid = Grid::new(Shape::new(side as u32, side as u32), DiagonalRule::Strict, free);
            let bytes = bytes_per_state(&Hierarchy::of(&grid, variant));
            assert!(bytes <= 60.0, "{} in a corner: {bytes} bytes per state", kind.name);
        }
    }

    #[test]
    fn tiles_do_not_change_the_hierarchy() {
        // The small map has an entry for every cell, the large one only for tiles with free cells.
        let (small, large) = (Shape::new(24, 20), Shape::new(100, 90));
        let of_rule = |rule| Variant::NAMES.map(|(_, variant)| (rule, variant));
        for (rule, variant) in DiagonalRule::NAMES.into_iter().flat_map(|(_, rule)| of_rule(rule)) {
            // Aligned cliques depend on the position, up to the size of the largest square.
            let (left, top) = if variant == Variant::Aligned { (32, 32) } else { (13, 27) };
            let place = |cell: State| {
                let (x, y) = small.xy(cell);
                large.state(x + left, y + top)
            };
            let mut random = crate::rng::stream(1, &[rule.name().as_bytes()]);
            let (mut alone, mut among) = (vec![false; small.cells()], vec![false; large.cells()]);
            for cell in 0..small.cells() {
                alone[cell] = random.random_bool(0.8);
                among[place(cell as State) as usize] = alone[cell];
            }
            let mut alone = Hierarchy::of(&Grid::new(small, rule, alone), variant);
            let mut among = Hierarchy::of(&Grid::new(large, rule, among), variant);
            for _ in 0..200 {
                let cell = random.random_range(0..small.cells()) as State;
                match random.random_bool(0.5) {
                    true => assert_eq!(alone.block(cell), among.block(place(cell))),
                    false => assert_eq!(alone.unblock(cell), among.unblock(place(cell))),
                }
                alone.repair();
                among.repair();
                assert_eq!((alone.top(), alone.count(0)), (among.top(), among.count(0)));
                for level in 1..=alone.top() {
                    assert_eq!(alone.states(level), among.states(level));
                    for state in (0..alone.states(level) as State).filter(|state| alone.is_state(level, *state)) {
                        let (mut children, mut neighbours) = (Vec::new(), Vec::new());
                        alone.children(level, state, |child| {
                            children.push(if level == 1 { place(child) } else { child })
                        });
                        alone.neighbours(level, state, |neighbour| neighbours.push(neighbour));
                        among.children(level, state, |child| assert_eq!(child, children.remove(0)));
                        among.neighbours(level, state, |neighbour| assert_eq!(neighbour, neighbours.remove(0)));
                        assert!(children.is_empty() && neighbours.is_empty());
                    }
                }
            }
            // A distant cell gets its tile when it is unblocked.
            assert!(among.unblock(large.state(99, 0)) && among.is_state(0, large.state(99, 0)));
            assert!(!among.is_state(0, large.state(98, 0)));
        }
    }
}
