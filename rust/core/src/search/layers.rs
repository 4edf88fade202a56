//! Best-first search for edges of equal cost, with two arrays as the open list.
//!
//! On a 4-connected grid the numbers of moves of all paths between two cells have the same parity, and so does every
//! heuristic that is the length of a path. If it is also consistent, f stays the same from a state to its successor or
//! rises by two moves. States with the current f form a stack with the largest g on top. All others wait for the next f
//! in the order of their generation. The order of expansions is that of [`OpenList`](super::open_list::OpenList).

use super::best_first::{Ended, Node, Searched};
use super::open_list::{Ordered, Waiting, shuffle, sort};
use super::table::bytes;
use super::ties::Ranks;
use crate::cost::Cost;
use crate::graph::{Graph, State};
use crate::meter::Meter;
use std::cell::Cell;
use std::hint::select_unpredictable;

/// The maximal number of successors of a state.
const BRANCHING: usize = 4;

/// The two arrays, with unused space at their ends.
#[derive(Default)]
pub(super) struct Layers {
    near: Vec<Ordered>,
    later: Vec<Waiting>,
}

/// The results of a search.
pub(super) struct Found<'a> {
    /// The nodes of all states.
    pub nodes: &'a [Cell<Node>],
    /// See [`Node::key`].
    pub search: u64,
    pub closed: &'a mut Vec<State>,
}

/// The ends, the cost of an edge and the limit of a search.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub from: State,
    pub goal: State,
    pub unit: Cost,
    pub limit: u64,
}

/// Whether all sums stay below infinity. No path is longer than one through all states, but agents raise `h`, the
/// heuristic of the start, without limit if the goal is unreachable.
pub(super) fn sums_are_finite(states: usize, unit: Cost, h: Cost) -> bool {
    (states as u64 * unit as u64) < 1 << 30 && h < 1 << 31
}

impl Layers {
    /// Runs a search from the start, whose node is set, if [`sums_are_finite`]. See
    /// [`super::best_first::BestFirst::run`].
    #[inline(always)]
    pub fn run<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        ranks: Ranks,
        Task { from, goal, unit, limit }: Task,
        heuristic: impl Fn(State, Cost) -> Cost,
        Found { nodes, search, closed }: Found<'_>,
    ) -> Searched {
        let h0 = meter.heuristic(goal);
        let (mut state, mut key, mut f) = (from, search, nodes[from as usize].get().h);
        let (mut serial, mut generated, mut left, mut waiting) = (0u32, 1u32, 0, 0);
        let ended = loop {
            if state == goal || closed.len() as u64 == limit {
                break Ended::At(state);
            }
            closed.push(state);
            key += unit as u64;
            let g = key as Cost;
            if self.later.len() < waiting + BRANCHING {
                self.later.resize(2 * (waiting + BRANCHING), Waiting::default());
            }
            if self.near.len() < left + BRANCHING {
                self.make_room(left + BRANCHING);
            }
            let (near, later) = (&mut self.near[..], &mut self.later[..]);
            // The first of the successors with this f. All others with this f have a smaller g.
            let mut next: Option<(u32, State)> = None;
            // The last node replaces invalid states, whose results are ignored.
            let is_cheaper = |successor: State, _| key < nodes[(successor as usize).min(nodes.len() - 1)].get().key;
            meter.expand_if_towards(state, &h0, is_cheaper, |successor, _, h0| {
                let h = heuristic(successor, h0);
                let before = nodes[successor as usize].replace(Node { key, h, parent: state });
                generated += (before.key ^ key > Cost::MAX as u64) as u32;
                serial = serial.wrapping_add(1);
                debug_assert!(g + h == f || g + h == f + 2 * unit, "f stays or rises by two moves");
                if g + h > f {
                    later[waiting] = Waiting { state: successor, g };
                    waiting += 1;
                    return;
                }
                let rank = ranks.of(serial);
                next = match next {
                    None => Some((rank, successor)),
                    Some((before, sibling)) => {
                        let is_first = rank < before;
                        let loser = select_unpredictable(is_first, (before, sibling), (rank, successor));
                        near[left] = Ordered::new(loser.0, (0, g, loser.1));
                        left += 1;
                        // A third successor.
                        if left > 1 && near[left - 1] < near[left - 2] {
                            near.swap(left - 1, left - 2);
                        }
                        Some(select_unpredictable(is_first, (rank, successor), (before, sibling)))
                    }
                };
            });
            state = match next {
                Some((_, state)) => state,
                None => {
                    if left == 0 {
                        f += 2 * unit;
                        left = self.advance(ranks, waiting, f >> meter.grain(), |state, g| {
                            nodes[state as usize].get().key == search | g as u64
                        });
                        waiting = 0;
                    }
                    let Some(first) = left.checked_sub(1) else { break Ended::Exhausted };
                    left = first;
                    let entry = self.near[left];
                    key = search | entry.g() as u64;
                    entry.state()
                }
            };
        };
        let open_bytes = Some(bytes::<Ordered>(left) + bytes::<Waiting>(waiting));
        Searched { ended, generated: generated as usize, pushed: serial as usize, open_bytes }
    }

    /// Sorts the waiting states, except those with a cheaper path, and returns their number.
    #[inline(always)]
    fn advance(
        &mut self,
        ranks: Ranks,
        waiting: usize,
        bucket: u32,
        is_cheapest: impl Fn(State, Cost) -> bool,
    ) -> usize {
        if self.near.len() < waiting {
            self.make_room(waiting);
        }
        let (shuffle, mut left) = (shuffle(ranks, bucket), 0);
        let near = &mut self.near[..];
        for (number, &Waiting { state, g }) in self.later[..waiting].iter().enumerate() {
            near[left] = Ordered::new(ranks.of(number as u32 ^ shuffle), (0, g, state));
            left += is_cheapest(state, g) as usize;
        }
        sort(&mut near[..left]);
        left
    }

    #[cold]
    fn make_room(&mut self, entries: usize) {
        self.near.resize(2 * entries, Ordered::default());
    }
}

#[cfg(test)]
mod tests {
    use crate::cost::{CARDINAL, Cost};
    use crate::graph::State;
    use crate::grid::{DiagonalRule, Terrain};
    use crate::meter::Meter;
    use crate::rng;
    use crate::search::best_first::{BestFirst, Ended, Rules};
    use crate::search::ties::Ties;
    use crate::testing::random_grid;
    use proptest::prelude::*;
    use rand::RngExt;

    proptest! {
        /// With initial heuristics and with learned ones, as of RTAA*.
        #[test]
        fn two_arrays_expand_the_same_states_as_an_open_list(
            width in 1u32..14, height in 1u32..14, density in 0.0..0.5f64, seed: u64, first in 0u8..8, at_random: bool,
            limit in 1u64..60, beyond in 0..3u32
        ) {
            let mut random = rng::stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::None);
            let (shape, geometry) = (grid.shape(), grid.geometry(first));
            let terrain = Terrain::new(&geometry, grid.moves()).without_diagonals().expect("there are none");
            let mut draw = || random.random_range(0..shape.cells() as State);
            let (mut from, goal) = (draw(), draw());
            // Up to values where sums would exceed infinity, and the arrays are not used.
            let far = [0, (1 << 31) / CARDINAL - 5, u32::MAX / CARDINAL - 40][beyond as usize] * CARDINAL;
            let mut learned: Vec<Cost> = vec![0; shape.cells()];
            let mut both = [BestFirst::default(), BestFirst::default()];
            let ties = if at_random { Ties::Random(rng::stream(seed, &[b"ties"])) } else { Ties::First };
            let mut ties = [ties.clone(), ties];
            for _ in 0..20 {
                let mut ends = [Ended::Exhausted; 2];
                let mut efforts = Vec::new();
                for (is_length, search) in [false, true].into_iter().zip(0..) {
                    let h = |state: State, h0: Cost| learned[state as usize].max(h0.saturating_add(far));
                    let rules = Rules { limit, is_length, ..Rules::consistent(h) };
                    let mut meter = Meter::new(&terrain, None);
                    ends[search] = both[search].run(&mut meter, &mut ties[search], from, goal, rules);
                    efforts.push(meter.effort());
                }
                prop_assert_eq!(ends[0], ends[1]);
                prop_assert_eq!(efforts[0], efforts[1]);
                let [one, other] = &both;
                prop_assert_eq!(one.closed(), other.closed());
                for &state in one.closed() {
                    prop_assert_eq!((one.g(state), one.h(state)), (other.g(state), other.h(state)));
                }
                let Ended::At(end) = ends[0] else { break };
                let mut paths = [Vec::new(), Vec::new()];
                one.path(end, u64::MAX, &mut paths[0]);
                other.path(end, u64::MAX, &mut paths[1]);
                prop_assert_eq!(&paths[0], &paths[1]);
                let f = one.g(end).saturating_add(one.h(end));
                one.closed().iter().for_each(|state| learned[*state as usize] = f - one.g(*state));
                if end == goal {
                    break;
                }
                from = end;
            }
        }
    }
}
