//! Aligned cliques, the abstraction of the testbed of graph-abstraction-2007's authors.
//!
//! On level ℓ the map is a grid of squares with sides of 2·2^ℓ cells. The states of the four cells at distances of 2^ℓ
//! from the first corner of a square are joined if they are all adjacent to each other. On open ground all regions are
//! therefore squares. The other states form, one after the other, the first clique of four states without a parent, or
//! of three if there is none. The rest are joined last first: with a neighbour without a parent, or, for a state of
//! degree 1, with the parent of its neighbour. All others get their own parents.
//!
//! States and edges have the order in which the testbed creates them, since it decides which cliques are the first. An
//! abstract edge is created with the first of the edges that it represents.

use super::Hierarchy;
use super::build::clique;
use super::level::{Layer, Level};
use crate::graph::{NO_STATE, State};

impl Hierarchy {
    /// The states of the highest level that lie at the corners of squares, column by column as in the testbed; only
    /// squares with four states.
    pub(super) fn squares(&self) -> Vec<[State; 4]> {
        let (shape, top) = (self.shape(), self.top());
        let half = 1u32 << top;
        let starts = |cells: u32| (0..cells.saturating_sub(half)).step_by(2 * half as usize);
        let image = |x, y| {
            let cell = shape.state(x, y);
            self.is_state(0, cell).then(|| self.ancestor(0, cell, top))
        };
        let square = |(x, y)| {
            let corners = [image(x, y), image(x + half, y), image(x, y + half), image(x + half, y + half)];
            Some([corners[0]?, corners[1]?, corners[2]?, corners[3]?])
        };
        starts(shape.width).flat_map(|x| starts(shape.height).map(move |y| (x, y))).filter_map(square).collect()
    }
}

/// Joins the states of a level.
pub(super) fn join_aligned<L: Layer>(below: &mut L, level: &mut Level, squares: &[[State; 4]]) {
    for [one, others @ ..] in squares {
        let is_orphan = |state: &State| below.parent(*state) == NO_STATE;
        let is_clique = || is_edge_to_all(below, *one, others) && clique(below, others, 3).is_some();
        if is_orphan(one) && others.iter().all(is_orphan) && is_clique() {
            level.add_parent(below, [one].into_iter().chain(others));
        }
    }
    let (mut remaining, mut candidates) = (Vec::new(), Vec::new());
    for state in 0..below.len() as State {
        if !below.is_state(state) || below.parent(state) != NO_STATE {
            continue;
        }
        candidates.clear();
        below.created_neighbours(state, |neighbour| {
            if below.parent(neighbour) == NO_STATE {
                candidates.push(neighbour);
            }
        });
        match [3, 2].into_iter().find_map(|size| Some((size, clique(below, &candidates, size)?))) {
            Some((size, others)) => level.add_parent(below, [state].iter().chain(&others[..size])),
            None => remaining.push(state),
        }
    }
    for state in remaining.into_iter().rev() {
        if below.parent(state) == NO_STATE {
            join_last(below, level, state);
        }
    }
}

/// Links the states of a level in the order of the edges below, and replaces these by the edges of the level. An empty
/// list stands for the order of states and neighbours, which is that of the ground.
pub(super) fn link_aligned<L: Layer>(below: &L, level: &mut Level, edges: &mut Vec<[State; 2]>) {
    (0..level.len() as State).for_each(|state| _ = level.update_position(below, state));
    let mut link = |ends: &mut [State; 2]| {
        *ends = ends.map(|end| below.parent(end));
        ends[0] != ends[1] && level.increase_count(ends[0], ends[1], 1)
    };
    if edges.is_empty() {
        for state in (0..below.len() as State).filter(|state| below.is_state(*state)) {
            below.created_neighbours(state, |neighbour| {
                let mut ends = [state, neighbour];
                if neighbour < state && link(&mut ends) {
                    edges.push(ends);
                }
            });
        }
    } else {
        edges.retain_mut(link);
    }
    level.compact();
}

/// Joins a state that is not in a clique of three.
fn join_last<L: Layer>(below: &mut L, level: &mut Level, state: State) {
    let mut orphan = NO_STATE;
    below.created_neighbours(state, |neighbour| {
        if orphan == NO_STATE && below.parent(neighbour) == NO_STATE {
            orphan = neighbour;
        }
    });
    match orphan {
        NO_STATE if below.degree(state) == 1 => {
            let parent = below.parent(below.only_neighbour(state));
            level.add_child(below, parent, state);
        }
        NO_STATE => level.add_parent(below, &[state]),
        orphan => level.add_parent(below, &[state, orphan]),
    }
}

fn is_edge_to_all<L: Layer>(below: &L, one: State, others: &[State]) -> bool {
    others.iter().all(|other| below.is_edge(one, *other))
}
