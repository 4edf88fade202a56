//! Repair of a hierarchy after changes of its ground: graph-abstraction-2007, Appendix A.2, Figure 19.
//!
//! Lines 1 to 9, RemoveEdge, are [`edge_removed`], which decreases counts, on each higher level only if the edge below
//! vanished. Lines 10 to 14, RemoveState, are [`Hierarchy::block`]. Lines 15 to 25, HandleRepairQ, are
//! [`Hierarchy::repair`]: from the lowest level up, children that are not a core with its leaves are split into
//! cliques, and the largest stays. Each of the others is merged into an adjacent abstract state if that makes a clique,
//! or extracted into a new one. Changes of degrees also need repair: states of degree 1 join their neighbours (Section
//! 4.2), and single children are merged.
//!
//! Both variants of the abstraction are repaired in the same way, which keeps all properties but not the squares: a
//! repaired hierarchy drifts to at most a quarter more states per level than a rebuilt one, whichever the variant.
//!
//! The paper does not define how states and edges are added. A new cell gets its own state on every level, its edges
//! increase counts level by level ([`edge_added`]), and the same queue repairs the result.

use super::Hierarchy;
use super::build::count_edge;
use super::level::{Edge, Layer, Level, Wait};
use crate::graph::{NO_STATE, State};
use std::ops::Range;

/// The waiting states of one level.
#[derive(Clone, Default)]
pub(super) struct Queue {
    /// States with children that may no longer belong together.
    repair: Vec<State>,
    /// States whose positions must be recomputed.
    position: Vec<State>,
}

/// The levels from some level up, with their queues.
struct Above<'a> {
    levels: &'a mut [Level],
    queues: &'a mut [Queue],
}

impl Above<'_> {
    /// The levels above the first of these.
    fn above(&mut self) -> Above<'_> {
        let (levels, queues) = (&mut *self.levels, &mut *self.queues);
        match (levels, queues) {
            ([_, levels @ ..], [_, queues @ ..]) => Above { levels, queues },
            _ => Above { levels: &mut [], queues: &mut [] },
        }
    }

    /// Enqueues a state of the first level, if there is one.
    fn enqueue(&mut self, state: State, what: Wait) {
        let ([level, ..], [queue, ..]) = (&mut *self.levels, &mut *self.queues) else { return };
        if state != NO_STATE && level.set_waiting(state, what) {
            match what {
                Wait::Repair => queue.repair.push(state),
                Wait::Position => queue.position.push(state),
            }
        }
    }

    /// Enqueues a state of the first level, if there is one, for both reasons after a change of its children.
    fn enqueue_both(&mut self, state: State) {
        self.enqueue(state, Wait::Repair);
        self.enqueue(state, Wait::Position);
    }

    /// One end of an edge between two states of the first level, for the levels above it.
    fn end(&self, state: State) -> End {
        End { parent: self.levels[0].parent(state), degree: self.levels[0].degree(state) }
    }
}

/// One end of an added or removed edge.
#[derive(Clone, Copy)]
struct End {
    parent: State,
    /// The number of the state's edges after the change.
    degree: u32,
}

/// Updates the levels after an edge was removed on the level below the first.
fn edge_removed(mut above: Above<'_>, ends: [End; 2]) {
    if above.levels.is_empty() {
        return;
    }
    let [one, other] = ends.map(|end| end.parent);
    if one == other {
        above.enqueue(one, Wait::Repair);
        return;
    }
    for end in ends.into_iter().filter(|end| end.degree <= 1) {
        above.enqueue(end.parent, Wait::Repair);
    }
    if above.levels[0].decrease_count(one, other, 1) {
        let ends = [above.end(one), above.end(other)];
        edge_removed(above.above(), ends);
    }
}

/// Updates the levels after an edge was added on the level below the first.
fn edge_added(mut above: Above<'_>, ends: [End; 2]) {
    if above.levels.is_empty() {
        return;
    }
    let [one, other] = ends.map(|end| end.parent);
    // States that had at most one edge may belong to another parent now.
    for end in ends.into_iter().filter(|end| end.degree <= 2) {
        above.enqueue(end.parent, Wait::Repair);
    }
    if one != other && above.levels[0].increase_count(one, other, 1) {
        let ends = [above.end(one), above.end(other)];
        edge_added(above.above(), ends);
    }
}

impl Hierarchy {
    /// Blocks a cell: lines 10 to 14. Returns whether it was free. [`Hierarchy::repair`] must follow.
    pub fn block(&mut self, cell: State) -> bool {
        if !self.is_state(0, cell) {
            return false;
        }
        for (from, direction) in self.ground.affected_moves(cell) {
            if self.ground.has_move(from, direction) {
                self.remove_move(from, direction);
            }
        }
        let parent = self.ground.parent(cell);
        if parent != NO_STATE {
            self.levels[0].remove_child(&mut self.ground, parent, cell);
            self.above_ground().enqueue_both(parent);
        }
        self.ground.remove_cell(cell);
        true
    }

    /// Unblocks a cell, with the moves from it and past its corners that the map's rule allows. Returns whether it was
    /// blocked. [`Hierarchy::repair`] must follow.
    pub fn unblock(&mut self, cell: State) -> bool {
        if cell as usize >= self.states(0) || self.is_state(0, cell) {
            return false;
        }
        self.ground.add_cell(cell);
        let mut child = cell;
        for number in 0..self.levels.len() {
            let state = self.levels[number].add_state(NO_STATE);
            match number {
                0 => self.levels[0].add_child(&mut self.ground, state, child),
                _ => {
                    let (lower, upper) = self.levels.split_at_mut(number);
                    upper[0].add_child(&mut lower[number - 1], state, child);
                }
            }
            Above { levels: &mut self.levels[number..], queues: &mut self.queues[number..] }.enqueue_both(state);
            child = state;
        }
        for (from, direction) in self.ground.affected_moves(cell) {
            if !self.ground.has_move(from, direction) && self.ground.allows(from, direction) {
                self.add_move(from, direction);
            }
        }
        true
    }

    /// Removes the edge between two cells: lines 1 to 9. Returns whether it existed. [`Hierarchy::repair`] must follow.
    pub fn remove_edge(&mut self, one: State, other: State) -> bool {
        if !self.is_state(0, one) || !self.is_state(0, other) {
            return false;
        }
        let Some(direction) = self.ground.direction(one, other) else { return false };
        self.remove_move(one, direction);
        true
    }

    /// Adds the edge between two adjacent free cells if the map's rule allows it. Returns whether there was none.
    /// [`Hierarchy::repair`] must follow.
    pub fn add_edge(&mut self, one: State, other: State) -> bool {
        if !self.is_state(0, one) || !self.is_state(0, other) {
            return false;
        }
        let leads_to_other = |direction: &usize| self.shape().neighbour(one, *direction) == Some(other);
        let Some(direction) = (0..8).find(leads_to_other) else { return false };
        if self.ground.has_move(one, direction) || !self.ground.allows(one, direction) {
            return false;
        }
        self.add_move(one, direction);
        true
    }

    fn above_ground(&mut self) -> Above<'_> {
        Above { levels: &mut self.levels, queues: &mut self.queues }
    }

    fn remove_move(&mut self, cell: State, direction: usize) {
        let to = self.ground.remove_move(cell, direction);
        let ends = [cell, to].map(|cell| End { parent: self.ground.parent(cell), degree: self.ground.degree(cell) });
        edge_removed(self.above_ground(), ends);
    }

    fn add_move(&mut self, cell: State, direction: usize) {
        let to = self.ground.add_move(cell, direction);
        let ends = [cell, to].map(|cell| End { parent: self.ground.parent(cell), degree: self.ground.degree(cell) });
        edge_added(self.above_ground(), ends);
    }

    /// Repairs the hierarchy after changes: lines 15 to 25.
    pub fn repair(&mut self) {
        for number in 0..self.levels.len() {
            let (queues, buffers) = (&mut self.queues[number..], &mut self.buffers);
            match number {
                0 => {
                    let above = Above { levels: &mut self.levels, queues };
                    Repair { below: &mut self.ground, above }.run(buffers);
                }
                _ => {
                    let (lower, upper) = self.levels.split_at_mut(number);
                    Repair { below: &mut lower[number - 1], above: Above { levels: upper, queues } }.run(buffers);
                }
            }
        }
        // A component at the top may now be several states with edges.
        self.grow();
    }
}

/// The repair of one level, the first of `above`.
struct Repair<'a, L> {
    below: &'a mut L,
    above: Above<'a>,
}

impl<L: Layer> Repair<'_, L> {
    fn run(&mut self, buffers: &mut Buffers) {
        let mut next = 0;
        // Repairs of a state enqueue the states that get its children.
        while let Some(&state) = self.above.queues[0].repair.get(next) {
            next += 1;
            self.level().clear_waiting(state, Wait::Repair);
            self.repair(state, buffers);
        }
        self.above.queues[0].repair.clear();

        let mut positions = std::mem::take(&mut self.above.queues[0].position);
        for state in positions.drain(..) {
            self.level().clear_waiting(state, Wait::Position);
            if self.level().is_state(state) && self.above.levels[0].update_position(self.below, state) {
                let parent = self.level().parent(state);
                self.above.above().enqueue(parent, Wait::Position);
            }
        }
        self.above.queues[0].position = positions;
    }

    fn level(&mut self) -> &mut Level {
        &mut self.above.levels[0]
    }

    /// Lines 17 to 24 for one state.
    fn repair(&mut self, state: State, buffers: &mut Buffers) {
        if !self.level().is_state(state) {
            self.remove_if_empty(state);
            return;
        }
        buffers.split(self.below, self.above.levels[0].child(state), state);
        // Line 19: the first group stays.
        let Buffers { core, groups, leaves, edges, .. } = buffers;
        for group in groups.iter().skip(1).map(|group| &core[group.clone()]) {
            let target = match self.mergeable(group, state) {
                Some(target) => target,
                None => self.extract(state),
            };
            for &child in group {
                self.move_child(child, (state, target), edges);
            }
        }
        // Leaves move to their neighbours.
        for &leaf in leaves.iter() {
            let target = self.below.parent(self.below.only_neighbour(leaf));
            if target != state {
                self.move_child(leaf, (state, target), edges);
            }
        }
        // A single child joins another state if possible.
        let first = self.level().child(state);
        if first != NO_STATE
            && self.below.sibling(first) == first
            && let Some(target) = self.mergeable(&[first], state)
        {
            self.move_child(first, (state, target), edges);
        }
        self.remove_if_empty(state);
    }

    /// Line 21: an abstract state next to a clique of children of `state`, with a core that forms a clique with it.
    fn mergeable(&self, group: &[State], state: State) -> Option<State> {
        let (below, level) = (&*self.below, &self.above.levels[0]);
        let mut found = None;
        let mut rejected = NO_STATE;
        below.neighbours(group[0], |neighbour| {
            let target = below.parent(neighbour);
            if found.is_some() || target == state || target == rejected || target == NO_STATE {
                return;
            }
            let (mut core, mut fits) = (group.len(), true);
            below.each_sibling(level.child(target), |child| {
                if below.degree(child) != 1 {
                    core += 1;
                    fits = fits && core <= 4 && group.iter().all(|member| below.is_edge(child, *member));
                }
            });
            if fits {
                found = Some(target);
            } else {
                rejected = target;
            }
        });
        found
    }

    /// Line 22: adds an abstract state, for now with the same parent.
    fn extract(&mut self, state: State) -> State {
        let parent = self.level().parent(state);
        let new = self.level().add_state(parent);
        if let ([level, upper, ..], false) = (&mut *self.above.levels, parent == NO_STATE) {
            upper.add_child(level, parent, new);
        }
        self.above.above().enqueue_both(parent);
        new
    }

    /// Moves a child with its edges from one abstract state to another.
    fn move_child(&mut self, child: State, (from, to): (State, State), edges: &mut Vec<Edge>) {
        self.above.levels[0].remove_child(self.below, from, child);
        self.above.levels[0].add_child(self.below, to, child);
        let Repair { below, above } = self;
        edges.clear();
        below.neighbours(child, |neighbour| count_edge(edges, NO_STATE, below.parent(neighbour)));
        let parent = above.levels[0].parent(from);
        let have_same_parent = above.levels[0].parent(to) == parent;
        let was_leaf = above.levels[0].degree(to) <= 1;
        for edge in edges.iter() {
            let (other, count) = (edge.to(), edge.count());
            let (is_new, is_old) = match other {
                _ if other == to => (false, above.levels[0].decrease_count(from, to, count)),
                _ if other == from => (above.levels[0].increase_count(to, from, count), false),
                _ => above.levels[0].transfer(other, (from, to), count),
            };
            // If one edge replaces another, only edges within a parent matter above.
            if is_new && is_old && have_same_parent {
                if above.levels[0].parent(other) == parent {
                    above.above().enqueue(parent, Wait::Repair);
                }
                continue;
            }
            // Additions precede removals, so that edges above that remain are not removed temporarily.
            if is_new {
                let ends = [above.end(to), above.end(other)];
                edge_added(above.above(), ends);
            }
            if is_old {
                let ends = [above.end(from), above.end(other)];
                edge_removed(above.above(), ends);
            }
        }
        // States that are no longer leaves, or have become leaves.
        if was_leaf {
            let parent = above.levels[0].parent(to);
            above.above().enqueue(parent, Wait::Repair);
        }
        if above.levels[0].degree(from) <= 1 {
            above.above().enqueue(parent, Wait::Repair);
        }
        above.enqueue(from, Wait::Position);
        above.enqueue(to, Wait::Position);
    }

    fn remove_if_empty(&mut self, state: State) {
        if self.level().child(state) != NO_STATE || self.level().is_spare(state) {
            return;
        }
        let parent = self.level().parent(state);
        if let ([level, upper, ..], false) = (&mut *self.above.levels, parent == NO_STATE) {
            upper.remove_child(level, parent, state);
        }
        self.above.above().enqueue_both(parent);
        self.level().remove_state(state);
    }
}

/// Buffers for splitting children into cliques and leaves.
#[derive(Default)]
pub(super) struct Buffers {
    /// Children that are not leaves, clique by clique.
    core: Vec<State>,
    /// The range of each clique in `core`, the largest first.
    groups: Vec<Range<usize>>,
    /// Children of degree 1 with a neighbour that is not a leaf.
    leaves: Vec<State>,
    /// Children that are not leaves, unsorted.
    unsorted: Vec<State>,
    /// The adjacency of these children, as bits.
    adjacent: Vec<u64>,
    /// The edges of a child that is moved.
    edges: Vec<Edge>,
}

impl Buffers {
    /// Splits the children of an abstract state into cliques and leaves.
    fn split<L: Layer>(&mut self, below: &L, first: State, parent: State) {
        let Buffers { core, groups, leaves, unsorted, adjacent, .. } = self;
        core.clear();
        groups.clear();
        leaves.clear();
        unsorted.clear();
        below.each_sibling(first, |child| {
            let is_leaf = below.degree(child) == 1 && {
                // If two leaves have only each other, the first is the core.
                let other = below.only_neighbour(child);
                below.degree(other) != 1 || (other < child && below.parent(other) == parent)
            };
            if is_leaf { leaves.push(child) } else { unsorted.push(child) }
        });
        // There are about four. Children beyond 64, which a hierarchy never has, would become single cliques.
        let sorted = unsorted.len().min(u64::BITS as usize);
        adjacent.clear();
        adjacent.resize(sorted, 0);
        for one in 0..sorted {
            for other in 0..one {
                let edge = below.is_edge(unsorted[one], unsorted[other]) as u64;
                adjacent[one] |= edge << other;
                adjacent[other] |= edge << one;
            }
        }
        let mut left = u64::MAX.checked_shr(u64::BITS - sorted as u32).unwrap_or(0);
        let mut size = sorted.min(4);
        while left != 0 {
            let mut members = clique(adjacent, left, size);
            if members == 0 {
                size -= 1;
                continue;
            }
            left &= !members;
            groups.push(core.len()..core.len() + size);
            while members != 0 {
                core.push(unsorted[members.trailing_zeros() as usize]);
                members &= members - 1;
            }
        }
        for &child in &unsorted[sorted..] {
            groups.push(core.len()..core.len() + 1);
            core.push(child);
        }
    }
}

/// The first `size` states, at most four, that are all adjacent to each other, as bits; 0 if there are none.
fn clique(adjacent: &[u64], among: u64, size: usize) -> u64 {
    let one = |among: u64| among & among.wrapping_neg();
    let two = |among| first_with(adjacent, among, one);
    let three = |among| first_with(adjacent, among, two);
    match size {
        1 => one(among),
        2 => two(among),
        3 => three(among),
        _ => first_with(adjacent, among, three),
    }
}

/// The first state for which `find` returns some of the adjacent states after it, together with these.
#[inline(always)]
fn first_with(adjacent: &[u64], mut among: u64, find: impl Fn(u64) -> u64) -> u64 {
    while among != 0 {
        let (place, first) = (among.trailing_zeros() as usize, among & among.wrapping_neg());
        among ^= first;
        let others = find(among & adjacent[place]);
        if others != 0 {
            return first | others;
        }
    }
    0
}
