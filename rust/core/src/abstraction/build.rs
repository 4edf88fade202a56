//! Construction of a level on top of another: graph-abstraction-2007, Appendix A.1, Figure 18.
//!
//! Lines 2 to 8: cliques of four, three and two states without a parent, each found from its first state in the order
//! of states and neighbours. Lines 10 to 16: a state of degree 1 joins the parent of its neighbour, which exists, since
//! the two would be a clique otherwise. All other states get their own parents. Lines 18 to 22: an edge between
//! children of different parents becomes an edge between the parents, or increases its count.

use super::aligned::{join_aligned, link_aligned};
use super::level::{Edge, Layer, Level};
use super::repair::Queue;
use super::{Hierarchy, Position, Variant};
use crate::graph::{NO_STATE, State};

impl Hierarchy {
    /// Adds levels until the highest has no edges and one state for every connected component.
    pub(super) fn grow(&mut self) {
        // The edges of the top, for aligned cliques.
        let mut edges = Vec::new();
        while self.levels.last().map_or_else(|| self.ground.is_linked(), Level::is_linked) {
            let squares = (self.variant == Variant::Aligned).then(|| self.squares());
            let level = match self.levels.last_mut() {
                None => abstracted(&mut self.ground, squares, &mut edges),
                Some(top) => abstracted(top, squares, &mut edges),
            };
            self.levels.push(level);
            self.queues.push(Queue::default());
        }
    }
}

/// The clique abstraction of a graph with states that have no parents yet, aligned if there are squares. `edges` are
/// those of the graph as [`link_aligned`] takes and returns them.
fn abstracted<L: Layer>(below: &mut L, squares: Option<Vec<[State; 4]>>, edges: &mut Vec<[State; 2]>) -> Level {
    let mut level = Level::with_capacity(below.len() / 3);
    if let Some(squares) = squares {
        join_aligned(below, &mut level, &squares);
        link_aligned(below, &mut level, edges);
    } else {
        join_free(below, &mut level);
        link(below, &mut level);
    }
    level.finish();
    level
}

/// Lines 2 to 16.
fn join_free<L: Layer>(below: &mut L, level: &mut Level) {
    let states = 0..below.len() as State;
    // Line 2. A state without a parent after a round belongs to no clique of that size, now or later.
    let mut remaining: Vec<State> = states.filter(|state| below.is_state(*state)).collect();
    let mut candidates = Vec::new();
    for size in [4, 3, 2] {
        remaining.retain(|&state| {
            if below.parent(state) != NO_STATE {
                return false;
            }
            // All other members of its clique follow this state, since an earlier member would have found the clique.
            candidates.clear();
            below.neighbours(state, |neighbour| {
                if neighbour > state && below.parent(neighbour) == NO_STATE {
                    candidates.push(neighbour);
                }
            });
            let Some(others) = clique(below, &candidates, size - 1) else { return true };
            level.add_parent(below, [state].iter().chain(&others[..size - 1]));
            false
        });
    }
    for state in remaining {
        if below.parent(state) != NO_STATE {
            continue;
        }
        if below.degree(state) == 1 {
            let parent = below.parent(below.only_neighbour(state));
            level.add_child(below, parent, state);
        } else {
            level.add_parent(below, &[state]);
        }
    }
}

/// The first `size` candidates, at most three, that are all adjacent to each other.
#[inline]
pub(super) fn clique<L: Layer>(below: &L, candidates: &[State], size: usize) -> Option<[State; 3]> {
    for (i, &one) in candidates.iter().enumerate() {
        if size == 1 {
            return Some([one; 3]);
        }
        for (j, &two) in candidates.iter().enumerate().skip(i + 1) {
            if !below.is_edge(one, two) {
                continue;
            }
            if size == 2 {
                return Some([one, two, two]);
            }
            for &three in &candidates[j + 1..] {
                if below.is_edge(one, three) && below.is_edge(two, three) {
                    return Some([one, two, three]);
                }
            }
        }
    }
    None
}

/// Lines 18 to 22, and the positions.
fn link<L: Layer>(below: &L, level: &mut Level) {
    let (mut edges, mut children): (Vec<Edge>, Vec<State>) = Default::default();
    for state in 0..level.len() as State {
        level.update_position(below, state);
        edges.clear();
        children.clear();
        below.each_sibling(level.child(state), |child| children.push(child));
        for &child in &children {
            below.neighbours(child, |neighbour| count_edge(&mut edges, state, below.parent(neighbour)));
        }
        level.set_edges(state, &edges);
    }
}

/// Counts an edge from `state` to `other`, unless they are equal.
#[inline]
pub(super) fn count_edge(edges: &mut Vec<Edge>, state: State, other: State) {
    if other == state {
        return;
    }
    match edges.iter_mut().find(|edge| edge.to() == other) {
        Some(edge) => *edge = Edge::new(other, edge.count() + 1),
        None => edges.push(Edge::new(other, 1)),
    }
}

const _: () = assert!(size_of::<Position>() == 8 && size_of::<Edge>() == 4);
