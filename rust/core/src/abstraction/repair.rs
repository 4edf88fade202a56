//! Keeping a hierarchy right while its ground changes: graph-abstraction-2007, Appendix A.2, Figure 19.
//!
//! Lines 1 to 9, RemoveEdge, are [`edge_gone`]: counts fall level by level as far as edges vanish. Lines 10 to 14,
//! RemoveState, are [`Hierarchy::block`]. Lines 15 to 25, HandleRepairQ, are [`Hierarchy::repair`]: from the lowest level
//! up, whatever no longer is a core with its leaves is split into cliques, the largest first, which stays; each of the
//! others is merged into an abstract state next to it where that makes a clique again, or extracted into a new one. The
//! degrees of states count as well as their edges, since one that comes down to degree 1 is to join its neighbour
//! (Section 4.2), and a state that has come to be alone is merged, too, where it can be.
//!
//! The paper leaves open how states and edges are added: a new cell begins as a state of its own on every level, its edges
//! raise counts level by level ([`edge_come`]), and the same queue puts in order what that brought about.

use super::Hierarchy;
use super::build::count_edge;
use super::level::{Edge, Layer, Level, Wait};
use crate::graph::{NO_STATE, State};
use std::ops::Range;

/// What waits on one level.
#[derive(Clone, Default)]
pub(super) struct Queue {
    /// States whose children may not belong together any more.
    repair: Vec<State>,
    /// States whose position is to be worked out anew.
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

    /// Lets a state of the first level, if there is one, wait for something.
    fn wait(&mut self, state: State, what: Wait) {
        let ([level, ..], [queue, ..]) = (&mut *self.levels, &mut *self.queues) else { return };
        if state != NO_STATE && level.wait(state, what) {
            match what {
                Wait::Repair => queue.repair.push(state),
                Wait::Position => queue.position.push(state),
            }
        }
    }

    /// Lets a state of the first level, if there is one, wait for both: its children are others than before.
    fn disturb(&mut self, state: State) {
        self.wait(state, Wait::Repair);
        self.wait(state, Wait::Position);
    }

    /// One end of an edge between two states of the first level, for the levels above it.
    fn end(&self, state: State) -> End {
        End { parent: self.levels[0].parent(state), degree: self.levels[0].degree(state) }
    }
}

/// One end of an edge that came or went.
#[derive(Clone, Copy)]
struct End {
    parent: State,
    /// How many edges the state has now.
    degree: u32,
}

/// An edge went, on the level below the first.
fn edge_gone(mut above: Above<'_>, ends: [End; 2]) {
    if above.levels.is_empty() {
        return;
    }
    let [one, other] = ends.map(|end| end.parent);
    if one == other {
        above.wait(one, Wait::Repair);
        return;
    }
    for end in ends.into_iter().filter(|end| end.degree <= 1) {
        above.wait(end.parent, Wait::Repair);
    }
    if above.levels[0].loosen(one, other, 1) {
        let ends = [above.end(one), above.end(other)];
        edge_gone(above.above(), ends);
    }
}

/// An edge came, on the level below the first.
fn edge_come(mut above: Above<'_>, ends: [End; 2]) {
    if above.levels.is_empty() {
        return;
    }
    let [one, other] = ends.map(|end| end.parent);
    // Who had no edges or one is not what it was.
    for end in ends.into_iter().filter(|end| end.degree <= 2) {
        above.wait(end.parent, Wait::Repair);
    }
    if one != other && above.levels[0].hold(one, other, 1) {
        let ends = [above.end(one), above.end(other)];
        edge_come(above.above(), ends);
    }
}

impl Hierarchy {
    /// A cell is blocked from now on: lines 10 to 14. Tells whether it was free. [`Hierarchy::repair`] is due.
    pub fn block(&mut self, cell: State) -> bool {
        if !self.is_state(0, cell) {
            return false;
        }
        for (from, direction) in self.ground.moves_about(cell) {
            if self.ground.has_move(from, direction) {
                self.lose(from, direction);
            }
        }
        let parent = self.ground.parent(cell);
        if parent != NO_STATE {
            self.levels[0].release(&mut self.ground, parent, cell);
            self.above_ground().disturb(parent);
        }
        self.ground.remove_cell(cell);
        true
    }

    /// A cell is free from now on, with the moves that the map's rule gives it and its corners. Tells whether it was
    /// blocked. [`Hierarchy::repair`] is due.
    pub fn unblock(&mut self, cell: State) -> bool {
        if cell as usize >= self.states(0) || self.is_state(0, cell) {
            return false;
        }
        self.ground.add_cell(cell);
        let mut child = cell;
        for number in 0..self.levels.len() {
            let state = self.levels[number].add_state(NO_STATE);
            match number {
                0 => self.levels[0].adopt(&mut self.ground, state, child),
                _ => {
                    let (lower, upper) = self.levels.split_at_mut(number);
                    upper[0].adopt(&mut lower[number - 1], state, child);
                }
            }
            Above { levels: &mut self.levels[number..], queues: &mut self.queues[number..] }.disturb(state);
            child = state;
        }
        for (from, direction) in self.ground.moves_about(cell) {
            if !self.ground.has_move(from, direction) && self.ground.allows(from, direction) {
                self.gain(from, direction);
            }
        }
        true
    }

    /// The edge between two cells is gone: lines 1 to 9. Tells whether there was one. [`Hierarchy::repair`] is due.
    pub fn remove_edge(&mut self, one: State, other: State) -> bool {
        if !self.is_state(0, one) || !self.is_state(0, other) {
            return false;
        }
        let Some(direction) = self.ground.direction(one, other) else { return false };
        self.lose(one, direction);
        true
    }

    /// The edge between two free cells next to each other that the map's rule allows is there again. Tells whether there
    /// was none. [`Hierarchy::repair`] is due.
    pub fn add_edge(&mut self, one: State, other: State) -> bool {
        if !self.is_state(0, one) || !self.is_state(0, other) {
            return false;
        }
        let leads = |direction: &usize| self.shape().neighbour(one, *direction) == Some(other);
        let Some(direction) = (0..8).find(leads) else { return false };
        if self.ground.has_move(one, direction) || !self.ground.allows(one, direction) {
            return false;
        }
        self.gain(one, direction);
        true
    }

    fn above_ground(&mut self) -> Above<'_> {
        Above { levels: &mut self.levels, queues: &mut self.queues }
    }

    fn lose(&mut self, cell: State, direction: usize) {
        let to = self.ground.remove_move(cell, direction);
        let ends = [cell, to].map(|cell| End { parent: self.ground.parent(cell), degree: self.ground.degree(cell) });
        edge_gone(self.above_ground(), ends);
    }

    fn gain(&mut self, cell: State, direction: usize) {
        let to = self.ground.add_move(cell, direction);
        let ends = [cell, to].map(|cell| End { parent: self.ground.parent(cell), degree: self.ground.degree(cell) });
        edge_come(self.above_ground(), ends);
    }

    /// Puts in order what changes have left behind: lines 15 to 25.
    pub fn repair(&mut self) {
        for number in 0..self.levels.len() {
            let (queues, work) = (&mut self.queues[number..], &mut self.work);
            match number {
                0 => {
                    let above = Above { levels: &mut self.levels, queues };
                    Repair { below: &mut self.ground, above }.run(work);
                }
                _ => {
                    let (lower, upper) = self.levels.split_at_mut(number);
                    Repair { below: &mut lower[number - 1], above: Above { levels: upper, queues } }.run(work);
                }
            }
        }
        // What was one component at the top may be a few states with edges now.
        self.grow();
    }
}

/// The repair of one level: the first of `above`.
struct Repair<'a, L> {
    below: &'a mut L,
    above: Above<'a>,
}

impl<L: Layer> Repair<'_, L> {
    fn run(&mut self, work: &mut Work) {
        let mut next = 0;
        // Repairs of one state let others wait, where they take in what was split off.
        while let Some(&state) = self.above.queues[0].repair.get(next) {
            next += 1;
            self.level().wait_no_longer(state, Wait::Repair);
            self.repair(state, work);
        }
        self.above.queues[0].repair.clear();

        let mut moved = std::mem::take(&mut self.above.queues[0].position);
        for state in moved.drain(..) {
            self.level().wait_no_longer(state, Wait::Position);
            if self.level().is_state(state) && self.above.levels[0].place(self.below, state) {
                let parent = self.level().parent(state);
                self.above.above().wait(parent, Wait::Position);
            }
        }
        self.above.queues[0].position = moved;
    }

    fn level(&mut self) -> &mut Level {
        &mut self.above.levels[0]
    }

    /// Lines 17 to 24 for one state.
    fn repair(&mut self, state: State, work: &mut Work) {
        if !self.level().is_state(state) {
            self.remove_if_empty(state);
            return;
        }
        work.sort_out(self.below, self.above.levels[0].child(state), state);
        // Line 19: the first group stays.
        let Work { core, groups, leaves, edges, .. } = work;
        for group in groups.iter().skip(1).map(|group| &core[group.clone()]) {
            let target = match self.mergeable(group, state) {
                Some(target) => target,
                None => self.extract(state),
            };
            for &child in group {
                self.give(child, (state, target), edges);
            }
        }
        // Leaves go where their neighbour is.
        for &leaf in leaves.iter() {
            let target = self.below.parent(self.below.only_neighbour(leaf));
            if target != state {
                self.give(leaf, (state, target), edges);
            }
        }
        // Who is alone in the end joins others where it can.
        let first = self.level().child(state);
        if first != NO_STATE
            && self.below.sibling(first) == first
            && let Some(target) = self.mergeable(&[first], state)
        {
            self.give(first, (state, target), edges);
        }
        self.remove_if_empty(state);
    }

    /// Line 21: an abstract state next to a clique of children of `state` whose core makes a clique together with it.
    fn mergeable(&self, group: &[State], state: State) -> Option<State> {
        let (below, level) = (&*self.below, &self.above.levels[0]);
        let mut found = None;
        let mut refused = NO_STATE;
        below.neighbours(group[0], |neighbour| {
            let target = below.parent(neighbour);
            if found.is_some() || target == state || target == refused || target == NO_STATE {
                return;
            }
            let (mut core, mut fits) = (group.len(), true);
            below.circle(level.child(target), |child| {
                if below.degree(child) != 1 {
                    core += 1;
                    fits = fits && core <= 4 && group.iter().all(|member| below.is_edge(child, *member));
                }
            });
            if fits {
                found = Some(target);
            } else {
                refused = target;
            }
        });
        found
    }

    /// Line 22: a new abstract state, for now with the same parent.
    fn extract(&mut self, state: State) -> State {
        let parent = self.level().parent(state);
        let new = self.level().add_state(parent);
        if let ([level, upper, ..], false) = (&mut *self.above.levels, parent == NO_STATE) {
            upper.adopt(level, parent, new);
        }
        self.above.above().disturb(parent);
        new
    }

    /// Gives a child of one abstract state to another, and its edges with it.
    fn give(&mut self, child: State, (from, to): (State, State), edges: &mut Vec<Edge>) {
        self.above.levels[0].release(self.below, from, child);
        self.above.levels[0].adopt(self.below, to, child);
        let Repair { below, above } = self;
        edges.clear();
        below.neighbours(child, |neighbour| count_edge(edges, NO_STATE, below.parent(neighbour)));
        let parent = above.levels[0].parent(from);
        let is_family = above.levels[0].parent(to) == parent;
        let was_leaf = above.levels[0].degree(to) <= 1;
        for edge in edges.iter() {
            let (other, count) = (edge.to(), edge.count());
            let (is_new, is_old) = match other {
                _ if other == to => (false, above.levels[0].loosen(from, to, count)),
                _ if other == from => (above.levels[0].hold(to, from, count), false),
                _ => above.levels[0].pass(other, (from, to), count),
            };
            // Where one edge takes the place of another, nothing changes above, but within a parent.
            if is_new && is_old && is_family {
                if above.levels[0].parent(other) == parent {
                    above.above().wait(parent, Wait::Repair);
                }
                continue;
            }
            // What comes comes first: so edges above that last are never taken away in between.
            if is_new {
                let ends = [above.end(to), above.end(other)];
                edge_come(above.above(), ends);
            }
            if is_old {
                let ends = [above.end(from), above.end(other)];
                edge_gone(above.above(), ends);
            }
        }
        // A leaf that is none any more, and one that has become one.
        if was_leaf {
            let parent = above.levels[0].parent(to);
            above.above().wait(parent, Wait::Repair);
        }
        if above.levels[0].degree(from) <= 1 {
            above.above().wait(parent, Wait::Repair);
        }
        above.wait(from, Wait::Position);
        above.wait(to, Wait::Position);
    }

    fn remove_if_empty(&mut self, state: State) {
        if self.level().child(state) != NO_STATE || self.level().is_spare(state) {
            return;
        }
        let parent = self.level().parent(state);
        if let ([level, upper, ..], false) = (&mut *self.above.levels, parent == NO_STATE) {
            upper.release(level, parent, state);
        }
        self.above.above().disturb(parent);
        self.level().remove_state(state);
    }
}

/// Room to work out how children belong together.
#[derive(Default)]
pub(super) struct Work {
    /// Children that are no leaves, clique by clique.
    core: Vec<State>,
    /// Where in `core` each clique is, the largest first.
    groups: Vec<Range<usize>>,
    /// Children of degree 1 that are adjacent to something else than a leaf.
    leaves: Vec<State>,
    /// Children that are no leaves as they come.
    unsorted: Vec<State>,
    /// Which of them are adjacent to which, as bits.
    adjacent: Vec<u64>,
    /// The edges of a child on its way.
    edges: Vec<Edge>,
}

impl Work {
    /// Splits the children of an abstract state into cliques and leaves.
    fn sort_out<L: Layer>(&mut self, below: &L, first: State, parent: State) {
        let Work { core, groups, leaves, unsorted, adjacent, .. } = self;
        core.clear();
        groups.clear();
        leaves.clear();
        unsorted.clear();
        below.circle(first, |child| {
            let is_leaf = below.degree(child) == 1 && {
                // Of two leaves that have but each other the first is the core.
                let other = below.only_neighbour(child);
                below.degree(other) != 1 || (other < child && below.parent(other) == parent)
            };
            if is_leaf { leaves.push(child) } else { unsorted.push(child) }
        });
        // There are four or a few more; of very many, which a hierarchy never has, the last would be alone.
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

/// The first `size` of some states that are all adjacent to each other, up to four of them, all as bits; none where there
/// are none.
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

/// The first state for which `find` finds some among those after it that are adjacent to it, together with them.
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
