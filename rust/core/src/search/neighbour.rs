//! A lookahead of one move, which needs no tables.

use super::learned::Learned;
use super::ties::{Least, Ties};
use crate::cost::{Cost, add};
use crate::graph::{Graph, State};
use crate::meter::Meter;

/// Expands `at`: the neighbour with the lowest sum of the cost of going there and its heuristic, and that sum.
#[inline(always)]
pub fn best_neighbour<G: Graph>(
    meter: &mut Meter<'_, G>,
    learned: &Learned,
    ties: &mut Ties,
    at: State,
    goal: State,
) -> Option<(Cost, State)> {
    if matches!(ties, Ties::First) {
        return meter.expand_to_least(at, goal, |state, cost, h| add(cost, learned.or_anywhere(state, h)));
    }
    let mut best = Least::default();
    meter.expand_towards(at, goal, |neighbour, cost, h| {
        best.offer(ties, add(cost, learned.or(neighbour, h)), neighbour);
    });
    best.get()
}
