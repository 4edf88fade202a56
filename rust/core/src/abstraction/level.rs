//! An abstract graph, and the interface that it shares with the ground.

use super::{Average, Changes, Position};
use crate::graph::{NO_STATE, State};
use crate::search::table::bytes;

/// A graph with states that have parents in the level above. The children of a parent are a circular list of siblings.
pub(super) trait Layer {
    /// The upper bound of the numbers of states.
    fn len(&self) -> usize;
    fn is_state(&self, state: State) -> bool;
    fn degree(&self, state: State) -> u32;
    fn neighbours(&self, state: State, visit: impl FnMut(State));
    /// The same neighbours in the order in which the testbed of aligned cliques creates the edges to them.
    #[inline]
    fn created_neighbours(&self, state: State, visit: impl FnMut(State)) {
        self.neighbours(state, visit);
    }
    fn is_edge(&self, one: State, other: State) -> bool;
    fn position(&self, state: State) -> Position;
    fn parent(&self, state: State) -> State;
    fn set_parent(&mut self, state: State, parent: State);
    /// The next child of the same parent. The last is followed by the first.
    fn sibling(&self, state: State) -> State;
    fn set_sibling(&mut self, state: State, next: State);

    /// Calls `visit` with all siblings of `first`, or with none if `first` is [`NO_STATE`].
    #[inline]
    fn each_sibling(&self, first: State, mut visit: impl FnMut(State)) {
        if first == NO_STATE {
            return;
        }
        let mut state = first;
        loop {
            visit(state);
            state = self.sibling(state);
            if state == first {
                return;
            }
        }
    }

    /// The neighbour of a state of degree 1.
    fn only_neighbour(&self, state: State) -> State {
        let mut only = NO_STATE;
        self.neighbours(state, |neighbour| only = neighbour);
        only
    }
}

/// An edge of an abstract graph: its target, and the number of edges that it represents on the level below.
///
/// Both are in one integer. States are fewer than 2²⁶, the maximal number of cells. The count is at most 16, since
/// edges of leaves do not leave their parents, and only slightly more during a repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge(u32);

impl Edge {
    const BITS: u32 = 26;
    /// The maximal count that can be stored.
    const MAX_COUNT: u32 = (1 << (32 - Self::BITS)) - 1;
    /// An unused entry. Its target is not a state, since a level has fewer states than there are cells.
    const NONE: Edge = Edge((1 << Self::BITS) - 1);

    #[inline(always)]
    pub(super) fn new(to: State, count: u32) -> Edge {
        debug_assert!(to < Self::NONE.0 && count <= Self::MAX_COUNT, "{to}, {count}");
        Edge(count << Self::BITS | to)
    }

    #[inline(always)]
    pub(super) fn to(self) -> State {
        self.0 & ((1 << Self::BITS) - 1)
    }

    #[inline(always)]
    pub(super) fn count(self) -> u32 {
        self.0 >> Self::BITS
    }
}

/// The edges of a state in chunks, with unused entries at the end.
type Block = [[Edge; CHUNK]];

/// The number of edges in a chunk.
const CHUNK: usize = 4;

/// The place of the edge to a state in a block.
#[inline(always)]
fn find_edge(block: &Block, to: State) -> Option<usize> {
    for (number, chunk) in block.iter().enumerate() {
        // A chunk is compared without branches, since the place of the edge in it is unpredictable.
        let [a, b, c, d] = chunk.map(|edge| (edge.to() == to) as u32);
        let found = a | b << 1 | c << 2 | d << 3;
        if found != 0 {
            return Some(number * CHUNK + found.trailing_zeros() as usize);
        }
    }
    None
}

/// The links of an abstract state.
#[derive(Clone, Copy)]
struct Links {
    /// One of its children, or [`NO_STATE`] for unused numbers.
    child: State,
    /// The next child of its parent.
    sibling: State,
    /// The first chunk of its edges.
    edges: u32,
    /// The number of its edges.
    degree: u16,
    /// The number of its chunks.
    chunks: u8,
    /// Whether it waits for repair, and for a new position.
    flags: u8,
}

/// The reasons to wait.
#[derive(Clone, Copy)]
pub(super) enum Wait {
    Repair = 1,
    Position = 2,
}

/// An abstract graph.
#[derive(Default)]
pub(super) struct Level {
    parents: Vec<State>,
    positions: Vec<Position>,
    links: Vec<Links>,
    edges: Vec<[Edge; CHUNK]>,
    /// The first chunks of unused blocks, by their number of chunks.
    spare_blocks: Vec<Vec<u32>>,
    /// Numbers of removed states.
    spare_states: Vec<State>,
    /// The number of edges, each counted from both ends.
    linked: usize,
    /// The removed states and the states with other children, if the level is watched.
    removed: Vec<State>,
    changed: Vec<State>,
    is_watched: bool,
    /// Whether anything changed: states, edges, or positions and thus costs.
    is_updated: bool,
}

impl Level {
    pub(super) fn with_capacity(states: usize) -> Level {
        Level {
            parents: Vec::with_capacity(states),
            positions: Vec::with_capacity(states),
            links: Vec::with_capacity(states),
            ..Level::default()
        }
    }

    /// Releases memory that a complete level does not need.
    pub(super) fn finish(&mut self) {
        self.parents.shrink_to_fit();
        self.positions.shrink_to_fit();
        self.links.shrink_to_fit();
        self.edges.shrink_to_fit();
        self.is_updated = false;
    }

    /// Adds a state without children and edges.
    pub(super) fn add_state(&mut self, parent: State) -> State {
        let links = Links { child: NO_STATE, sibling: NO_STATE, edges: 0, degree: 0, chunks: 0, flags: 0 };
        let state = match self.spare_states.pop() {
            Some(state) => {
                self.parents[state as usize] = parent;
                self.links[state as usize] = links;
                state
            }
            None => {
                self.parents.push(parent);
                self.positions.push(Position::default());
                self.links.push(links);
                self.links.len() as State - 1
            }
        };
        self.links[state as usize].sibling = state;
        self.change(state);
        state
    }

    /// Removes a state without children and edges, after its parent has removed it.
    pub(super) fn remove_state(&mut self, state: State) {
        let links = &mut self.links[state as usize];
        debug_assert!(links.child == NO_STATE && links.degree == 0, "the state has no children and edges");
        self.parents[state as usize] = NO_STATE;
        let (edges, chunks) = (links.edges, links.chunks);
        (links.chunks, links.flags, links.sibling) = (0, 0, NO_STATE);
        self.free(edges, chunks);
        self.spare_states.push(state);
        if self.is_watched {
            self.removed.push(state);
        }
        self.change(state);
    }

    fn change(&mut self, state: State) {
        if self.is_watched {
            self.changed.push(state);
        }
        self.is_updated = true;
    }

    /// Starts to record changes.
    pub(super) fn watch(&mut self) {
        self.is_watched = true;
    }

    /// Stops recording changes.
    pub(super) fn unwatch(&mut self) {
        (self.is_watched, self.is_updated) = (false, false);
        self.removed.clear();
        self.changed.clear();
    }

    /// The changes since the last call.
    pub(super) fn take_changes(&mut self) -> Changes<'_> {
        let is_updated = std::mem::take(&mut self.is_updated);
        Changes { removed: self.removed.drain(..), changed: self.changed.drain(..), is_updated }
    }

    pub(super) fn count(&self) -> usize {
        self.links.len() - self.spare_states.len()
    }

    /// Whether a number belongs to a removed state.
    pub(super) fn is_spare(&self, state: State) -> bool {
        self.links[state as usize].sibling == NO_STATE
    }

    pub(super) fn is_linked(&self) -> bool {
        self.linked > 0
    }

    #[inline(always)]
    pub(super) fn child(&self, state: State) -> State {
        self.links[state as usize].child
    }

    #[inline(always)]
    pub(super) fn edges(&self, state: State) -> &[Edge] {
        let Links { edges, degree, .. } = self.links[state as usize];
        &self.edges.as_flattened()[edges as usize * CHUNK..][..degree as usize]
    }

    #[inline(always)]
    fn block(&self, state: State) -> &Block {
        let Links { edges, chunks, .. } = self.links[state as usize];
        &self.edges[edges as usize..][..chunks as usize]
    }

    /// Adds a state of the level below as a child, after its former parent has removed it.
    pub(super) fn add_child<L: Layer>(&mut self, below: &mut L, state: State, child: State) {
        let links = &mut self.links[state as usize];
        if links.child == NO_STATE {
            links.child = child;
            below.set_sibling(child, child);
        } else {
            let next = below.sibling(links.child);
            below.set_sibling(child, next);
            below.set_sibling(links.child, child);
        }
        below.set_parent(child, state);
        self.change(state);
    }

    /// Adds a state with children that have no parent.
    pub(super) fn add_parent<'a, L: Layer>(&mut self, below: &mut L, children: impl IntoIterator<Item = &'a State>) {
        let parent = self.add_state(NO_STATE);
        children.into_iter().for_each(|child| self.add_child(below, parent, *child));
    }

    pub(super) fn remove_child<L: Layer>(&mut self, below: &mut L, state: State, child: State) {
        let links = &mut self.links[state as usize];
        let next = below.sibling(child);
        if next == child {
            links.child = NO_STATE;
        } else {
            let mut before = next;
            while below.sibling(before) != child {
                before = below.sibling(before);
            }
            below.set_sibling(before, next);
            links.child = if links.child == child { next } else { links.child };
        }
        below.set_sibling(child, child);
        self.change(state);
    }

    /// Recomputes the position of a state with children. Returns whether it changed.
    pub(super) fn update_position<L: Layer>(&mut self, below: &L, state: State) -> bool {
        let mut average = Average::default();
        below.each_sibling(self.child(state), |child| average.add(below.position(child)));
        let position = average.get();
        let is_new = std::mem::replace(&mut self.positions[state as usize], position) != position;
        self.is_updated |= is_new;
        is_new
    }

    /// Sets the edges of a state without edges.
    pub(super) fn set_edges(&mut self, state: State, edges: &[Edge]) {
        let chunks = edges.len().div_ceil(CHUNK);
        let at = self.allocate(chunks);
        self.edges[at as usize..].as_flattened_mut()[..edges.len()].copy_from_slice(edges);
        let links = &mut self.links[state as usize];
        (links.edges, links.degree, links.chunks) = (at, edges.len() as u16, chunks as u8);
        self.linked += edges.len();
    }

    /// Stores the edges of all states without gaps.
    pub(super) fn compact(&mut self) {
        let edges = std::mem::take(&mut self.edges);
        self.edges.reserve_exact(self.links.iter().map(|links| (links.degree as usize).div_ceil(CHUNK)).sum());
        self.spare_blocks.clear();
        for links in &mut self.links {
            let chunks = (links.degree as usize).div_ceil(CHUNK);
            let block = &edges[links.edges as usize..][..chunks];
            (links.edges, links.chunks) = (self.edges.len() as u32, chunks as u8);
            self.edges.extend_from_slice(block);
        }
    }

    /// Increases the count of the edge between two states. Returns whether the edge is new.
    pub(super) fn increase_count(&mut self, one: State, other: State, count: u32) -> bool {
        self.increase_from(one, other, count) & self.increase_from(other, one, count)
    }

    fn increase_from(&mut self, from: State, to: State, count: u32) -> bool {
        let Some(place) = find_edge(self.block(from), to) else {
            self.add_edge(from, Edge::new(to, count));
            return true;
        };
        let edge = &mut self.edges[self.links[from as usize].edges as usize..].as_flattened_mut()[place];
        assert!(edge.count() + count <= Edge::MAX_COUNT, "an edge represents {} edges", edge.count() + count);
        *edge = Edge::new(to, edge.count() + count);
        false
    }

    #[inline(never)]
    fn add_edge(&mut self, from: State, edge: Edge) {
        let Links { mut edges, degree, chunks, .. } = self.links[from as usize];
        if degree as usize == chunks as usize * CHUNK {
            // Most states have more edges than one chunk has, so they start with two.
            let more = (chunks as usize + 1).max(2);
            let at = self.allocate(more);
            self.edges.copy_within(edges as usize..edges as usize + chunks as usize, at as usize);
            self.free(edges, chunks);
            let links = &mut self.links[from as usize];
            (links.edges, links.chunks) = (at, more as u8);
            edges = at;
        }
        self.edges[edges as usize..].as_flattened_mut()[degree as usize] = edge;
        self.links[from as usize].degree += 1;
        self.linked += 1;
        self.is_updated = true;
    }

    /// Decreases the count of the edge between two states. Returns whether the edge was removed.
    pub(super) fn decrease_count(&mut self, one: State, other: State, count: u32) -> bool {
        self.decrease_from(one, other, count) & self.decrease_from(other, one, count)
    }

    fn decrease_from(&mut self, from: State, to: State, count: u32) -> bool {
        let place = find_edge(self.block(from), to).expect("the abstraction of an edge is an edge");
        let links = &mut self.links[from as usize];
        let edges = self.edges[links.edges as usize..].as_flattened_mut();
        let left = edges[place].count() - count;
        if left > 0 {
            edges[place] = Edge::new(to, left);
            return false;
        }
        links.degree -= 1;
        edges.swap(place, links.degree as usize);
        edges[links.degree as usize] = Edge::NONE;
        self.linked -= 1;
        self.is_updated = true;
        true
    }

    /// Moves edges below from the edge between `other` and `from` to that between `other` and `to`. Returns whether the
    /// latter is new, and whether the former was removed.
    pub(super) fn transfer(&mut self, other: State, (from, to): (State, State), count: u32) -> (bool, bool) {
        let (is_new, is_old) = (self.increase_from(to, other, count), self.decrease_from(from, other, count));
        if is_new && is_old {
            let place = find_edge(self.block(other), from).expect("an edge leads both ways");
            self.edges[self.links[other as usize].edges as usize..].as_flattened_mut()[place] = Edge::new(to, count);
        } else {
            self.increase_from(other, to, count);
            self.decrease_from(other, from, count);
        }
        (is_new, is_old)
    }

    /// Allocates a block without edges.
    fn allocate(&mut self, chunks: usize) -> u32 {
        assert!(chunks <= u8::MAX as usize, "a state with {} neighbours", chunks * CHUNK);
        if let Some(at) = self.spare_blocks.get_mut(chunks).and_then(Vec::pop) {
            self.edges[at as usize..][..chunks].fill([Edge::NONE; CHUNK]);
            return at;
        }
        let at = self.edges.len();
        self.edges.resize(at + chunks, [Edge::NONE; CHUNK]);
        at as u32
    }

    fn free(&mut self, at: u32, chunks: u8) {
        if chunks > 0 {
            if self.spare_blocks.len() <= chunks as usize {
                self.spare_blocks.resize(chunks as usize + 1, Vec::new());
            }
            self.spare_blocks[chunks as usize].push(at);
        }
    }

    /// Marks a state as waiting. Returns whether it was not before.
    #[inline]
    pub(super) fn set_waiting(&mut self, state: State, what: Wait) -> bool {
        let flags = &mut self.links[state as usize].flags;
        let is_new = *flags & what as u8 == 0;
        *flags |= what as u8;
        is_new
    }

    #[inline]
    pub(super) fn clear_waiting(&mut self, state: State, what: Wait) {
        self.links[state as usize].flags &= !(what as u8);
    }

    pub(super) fn bytes(&self) -> usize {
        fn of<T>(vec: &Vec<T>) -> usize {
            vec.capacity() * size_of::<T>()
        }
        let spare: usize = self.spare_blocks.iter().map(of).sum();
        let changes = of(&self.spare_states) + of(&self.removed) + of(&self.changed);
        of(&self.parents) + of(&self.positions) + of(&self.links) + of(&self.edges) + spare + changes
    }

    pub(super) fn bytes_in_use(&self) -> u64 {
        let Level { parents, positions, links, edges, spare_blocks, spare_states, removed, changed, .. } = self;
        let spare = spare_blocks.iter().map(Vec::len).sum::<usize>() + spare_states.len();
        let states = parents.len() + removed.len() + changed.len() + spare;
        bytes::<State>(states)
            + bytes::<Position>(positions.len())
            + bytes::<Links>(links.len())
            + bytes::<[Edge; CHUNK]>(edges.len())
    }
}

impl Layer for Level {
    #[inline(always)]
    fn len(&self) -> usize {
        self.links.len()
    }

    #[inline(always)]
    fn is_state(&self, state: State) -> bool {
        self.links.get(state as usize).is_some_and(|links| links.child != NO_STATE)
    }

    #[inline(always)]
    fn degree(&self, state: State) -> u32 {
        self.links[state as usize].degree as u32
    }

    #[inline(always)]
    fn neighbours(&self, state: State, mut visit: impl FnMut(State)) {
        self.edges(state).iter().for_each(|edge| visit(edge.to()));
    }

    #[inline(always)]
    fn is_edge(&self, one: State, other: State) -> bool {
        find_edge(self.block(one), other).is_some()
    }

    #[inline(always)]
    fn position(&self, state: State) -> Position {
        self.positions[state as usize]
    }

    #[inline(always)]
    fn parent(&self, state: State) -> State {
        self.parents[state as usize]
    }

    #[inline(always)]
    fn set_parent(&mut self, state: State, parent: State) {
        self.parents[state as usize] = parent;
    }

    #[inline(always)]
    fn sibling(&self, state: State) -> State {
        self.links[state as usize].sibling
    }

    #[inline(always)]
    fn set_sibling(&mut self, state: State, next: State) {
        self.links[state as usize].sibling = next;
    }
}

impl Clone for Level {
    fn clone(&self) -> Self {
        let mut copy = Level::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        self.parents.clone_from(&other.parents);
        self.positions.clone_from(&other.positions);
        self.links.clone_from(&other.links);
        self.edges.clone_from(&other.edges);
        self.spare_blocks.clone_from(&other.spare_blocks);
        self.spare_states.clone_from(&other.spare_states);
        self.linked = other.linked;
        self.removed.clone_from(&other.removed);
        self.changed.clone_from(&other.changed);
        self.is_watched = other.is_watched;
        self.is_updated = other.is_updated;
    }
}
