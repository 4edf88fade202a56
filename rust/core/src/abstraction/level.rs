//! One abstract graph, and what the ground has in common with it.

use super::{Average, Changes, Position};
use crate::graph::{NO_STATE, State};

/// A graph whose states have a parent in the level above, and hang together in circles of siblings.
pub(super) trait Layer {
    /// States are below this number.
    fn len(&self) -> usize;
    fn is_state(&self, state: State) -> bool;
    fn degree(&self, state: State) -> u32;
    fn neighbours(&self, state: State, visit: impl FnMut(State));
    fn is_edge(&self, one: State, other: State) -> bool;
    fn position(&self, state: State) -> Position;
    fn parent(&self, state: State) -> State;
    fn set_parent(&mut self, state: State, parent: State);
    /// The next of the children of one parent; the last is followed by the first.
    fn sibling(&self, state: State) -> State;
    fn set_sibling(&mut self, state: State, next: State);

    /// Calls `visit` with all states of a circle of siblings; with none where `first` is none.
    #[inline]
    fn circle(&self, first: State, mut visit: impl FnMut(State)) {
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

/// An edge of an abstract graph: where it leads, and how many edges of the level below it stands for.
///
/// Both in one integer: states are fewer than 2²⁶, the most cells that a map can have, and since leaves have no edge that
/// leaves their parent the count is at most 16, a little more while a repair is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge(u32);

impl Edge {
    const BITS: u32 = 26;
    /// The largest count that there is room for.
    const MOST: u32 = (1 << (32 - Self::BITS)) - 1;
    /// What fills room that no edge takes. It leads to a number that is no state: a level has fewer states than there are
    /// cells.
    const NONE: Edge = Edge((1 << Self::BITS) - 1);

    #[inline(always)]
    pub(super) fn new(to: State, count: u32) -> Edge {
        debug_assert!(to < Self::NONE.0 && count <= Self::MOST, "{to}, {count}");
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

/// The room of a state's edges, [`STEP`] by [`STEP`], where those that are none come last.
type Room = [[Edge; STEP]];

/// Room for edges comes in multiples of this.
const STEP: usize = 4;

/// Where in its room the edge is that leads to a state.
#[inline(always)]
fn place_of(room: &Room, to: State) -> Option<usize> {
    for (number, step) in room.iter().enumerate() {
        // All of a step at once: where in it the search would end is nothing that a branch predictor can guess.
        let [a, b, c, d] = step.map(|edge| (edge.to() == to) as u32);
        let found = a | b << 1 | c << 2 | d << 3;
        if found != 0 {
            return Some(number * STEP + found.trailing_zeros() as usize);
        }
    }
    None
}

/// What an abstract state hangs on.
#[derive(Clone, Copy)]
struct Links {
    /// One of its children; none where there is no such state (any more).
    child: State,
    /// The next child of its parent.
    sibling: State,
    /// Where the room of its edges begins, in [`STEP`]s.
    edges: u32,
    /// How many there are.
    degree: u16,
    /// For how many there is room, in [`STEP`]s.
    room: u8,
    /// Whether it waits for repair, and whether for its position to be worked out anew.
    flags: u8,
}

/// What a state may wait for.
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
    edges: Vec<[Edge; STEP]>,
    /// Where there is room that nobody uses, by its size in steps.
    spare_room: Vec<Vec<u32>>,
    /// Numbers that are no states any more.
    spare_states: Vec<State>,
    /// How many edges there are, each counted from both ends.
    linked: usize,
    /// States that went, and states that have other children than before, since someone asked; kept only where someone
    /// will.
    gone: Vec<State>,
    changed: Vec<State>,
    is_watched: bool,
    /// Whether anything at all changed since then: states, edges, or positions and with them costs.
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

    /// Gives back room that a level that was built to its end does not need.
    pub(super) fn settle(&mut self) {
        self.parents.shrink_to_fit();
        self.positions.shrink_to_fit();
        self.links.shrink_to_fit();
        self.edges.shrink_to_fit();
        self.is_updated = false;
    }

    /// A new state without children and edges.
    pub(super) fn add_state(&mut self, parent: State) -> State {
        let links = Links { child: NO_STATE, sibling: NO_STATE, edges: 0, degree: 0, room: 0, flags: 0 };
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

    /// Takes away a state without children and edges; its parent has let go of it.
    pub(super) fn remove_state(&mut self, state: State) {
        let links = &mut self.links[state as usize];
        debug_assert!(links.child == NO_STATE && links.degree == 0, "nothing hangs on it");
        self.parents[state as usize] = NO_STATE;
        let (edges, room) = (links.edges, links.room);
        (links.room, links.flags, links.sibling) = (0, 0, NO_STATE);
        self.free_room(edges, room);
        self.spare_states.push(state);
        if self.is_watched {
            self.gone.push(state);
        }
        self.change(state);
    }

    fn change(&mut self, state: State) {
        if self.is_watched {
            self.changed.push(state);
        }
        self.is_updated = true;
    }

    /// Keeps from now on what changes.
    pub(super) fn watch(&mut self) {
        self.is_watched = true;
    }

    /// Keeps no longer what changes.
    pub(super) fn unwatch(&mut self) {
        (self.is_watched, self.is_updated) = (false, false);
        self.gone.clear();
        self.changed.clear();
    }

    /// What changed since this was last asked.
    pub(super) fn take_changes(&mut self) -> Changes<'_> {
        let is_updated = std::mem::take(&mut self.is_updated);
        Changes { gone: self.gone.drain(..), changed: self.changed.drain(..), is_updated }
    }

    pub(super) fn count(&self) -> usize {
        self.links.len() - self.spare_states.len()
    }

    /// Whether a number is left over from a state that was removed.
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
        &self.edges.as_flattened()[edges as usize * STEP..][..degree as usize]
    }

    #[inline(always)]
    fn room(&self, state: State) -> &Room {
        let Links { edges, room, .. } = self.links[state as usize];
        &self.edges[edges as usize..][..room as usize]
    }

    /// Makes a state of the level below the child of another parent than before, if it had one.
    pub(super) fn adopt<L: Layer>(&mut self, below: &mut L, state: State, child: State) {
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

    /// Lets go of a child.
    pub(super) fn release<L: Layer>(&mut self, below: &mut L, state: State, child: State) {
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

    /// Works the position of a state that has children out anew, and tells whether it changed.
    pub(super) fn place<L: Layer>(&mut self, below: &L, state: State) -> bool {
        let mut average = Average::default();
        below.circle(self.child(state), |child| average.add(below.position(child)));
        let position = average.get();
        let is_new = std::mem::replace(&mut self.positions[state as usize], position) != position;
        self.is_updated |= is_new;
        is_new
    }

    /// Gives a state without edges these.
    pub(super) fn set_edges(&mut self, state: State, edges: &[Edge]) {
        let room = edges.len().div_ceil(STEP);
        let at = self.find_room(room);
        self.edges[at as usize..].as_flattened_mut()[..edges.len()].copy_from_slice(edges);
        let links = &mut self.links[state as usize];
        (links.edges, links.degree, links.room) = (at, edges.len() as u16, room as u8);
        self.linked += edges.len();
    }

    /// So many more edges below stand behind the edge between two states; tells whether that is new.
    pub(super) fn hold(&mut self, one: State, other: State, count: u32) -> bool {
        self.hold_from(one, other, count) & self.hold_from(other, one, count)
    }

    fn hold_from(&mut self, from: State, to: State, count: u32) -> bool {
        let Some(place) = place_of(self.room(from), to) else {
            self.add_edge(from, Edge::new(to, count));
            return true;
        };
        let edge = &mut self.edges[self.links[from as usize].edges as usize..].as_flattened_mut()[place];
        assert!(edge.count() + count <= Edge::MOST, "an edge stands for {} others", edge.count() + count);
        *edge = Edge::new(to, edge.count() + count);
        false
    }

    #[inline(never)]
    fn add_edge(&mut self, from: State, edge: Edge) {
        let Links { mut edges, degree, room, .. } = self.links[from as usize];
        if degree as usize == room as usize * STEP {
            // Most states have more edges than fit into one step, and so begin with two.
            let more = (room as usize + 1).max(2);
            let at = self.find_room(more);
            self.edges.copy_within(edges as usize..edges as usize + room as usize, at as usize);
            self.free_room(edges, room);
            let links = &mut self.links[from as usize];
            (links.edges, links.room) = (at, more as u8);
            edges = at;
        }
        self.edges[edges as usize..].as_flattened_mut()[degree as usize] = edge;
        self.links[from as usize].degree += 1;
        self.linked += 1;
        self.is_updated = true;
    }

    /// So many edges less below stand behind the edge between two states; tells whether it is gone with them.
    pub(super) fn loosen(&mut self, one: State, other: State, count: u32) -> bool {
        self.loosen_from(one, other, count) & self.loosen_from(other, one, count)
    }

    fn loosen_from(&mut self, from: State, to: State, count: u32) -> bool {
        let place = place_of(self.room(from), to).expect("an edge that stands for another is there");
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

    /// So many edges below between `other` and `from` are now between `other` and `to`; tells whether that one is new, and
    /// whether this one is gone.
    pub(super) fn pass(&mut self, other: State, (from, to): (State, State), count: u32) -> (bool, bool) {
        let (is_new, is_old) = (self.hold_from(to, other, count), self.loosen_from(from, other, count));
        if is_new && is_old {
            let place = place_of(self.room(other), from).expect("an edge leads both ways");
            self.edges[self.links[other as usize].edges as usize..].as_flattened_mut()[place] = Edge::new(to, count);
        } else {
            self.hold_from(other, to, count);
            self.loosen_from(other, from, count);
        }
        (is_new, is_old)
    }

    /// Room without edges.
    fn find_room(&mut self, steps: usize) -> u32 {
        assert!(steps <= u8::MAX as usize, "a state with {} neighbours", steps * STEP);
        if let Some(at) = self.spare_room.get_mut(steps).and_then(Vec::pop) {
            self.edges[at as usize..][..steps].fill([Edge::NONE; STEP]);
            return at;
        }
        let at = self.edges.len();
        self.edges.resize(at + steps, [Edge::NONE; STEP]);
        at as u32
    }

    fn free_room(&mut self, at: u32, steps: u8) {
        if steps > 0 {
            if self.spare_room.len() <= steps as usize {
                self.spare_room.resize(steps as usize + 1, Vec::new());
            }
            self.spare_room[steps as usize].push(at);
        }
    }

    /// Notes that a state waits for something, and tells whether it did not before.
    #[inline]
    pub(super) fn wait(&mut self, state: State, what: Wait) -> bool {
        let flags = &mut self.links[state as usize].flags;
        let is_new = *flags & what as u8 == 0;
        *flags |= what as u8;
        is_new
    }

    /// Notes that a state waits no longer.
    #[inline]
    pub(super) fn wait_no_longer(&mut self, state: State, what: Wait) {
        self.links[state as usize].flags &= !(what as u8);
    }

    pub(super) fn bytes(&self) -> usize {
        fn of<T>(vec: &Vec<T>) -> usize {
            vec.capacity() * size_of::<T>()
        }
        let spare: usize = self.spare_room.iter().map(of).sum();
        let changes = of(&self.spare_states) + of(&self.gone) + of(&self.changed);
        of(&self.parents) + of(&self.positions) + of(&self.links) + of(&self.edges) + spare + changes
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
        place_of(self.room(one), other).is_some()
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
        self.spare_room.clone_from(&other.spare_room);
        self.spare_states.clone_from(&other.spare_states);
        self.linked = other.linked;
        self.gone.clone_from(&other.gone);
        self.changed.clone_from(&other.changed);
        self.is_watched = other.is_watched;
        self.is_updated = other.is_updated;
    }
}
