//! A lookahead of one move, without tables.

use super::learned::Learned;
use super::ties::{Minimum, Ties};
use crate::cost::{Cost, add};
use crate::graph::{Graph, State};
use crate::meter::{Heuristic, Meter};

/// Expands `at` and returns the neighbour with the minimal sum of weighted cost and heuristic, with this sum.
///
/// If no weight exceeds the cost, the goal is the best neighbour on a grid: from any other neighbour it is at least one
/// more move away, which costs more than the difference between two moves.
#[inline(always)]
pub fn best_neighbour<G: Graph>(
    meter: &mut Meter<'_, G>,
    learned: &Learned,
    ties: &mut Ties,
    h0: &Heuristic<'_, G>,
    at: State,
    weigh: impl Fn(Cost) -> Cost,
) -> Option<(Cost, State)> {
    if matches!(ties, Ties::First) {
        return meter.expand_to_min_learned(at, h0, learned.table(), weigh);
    }
    let mut best = Minimum::default();
    meter.expand_towards(at, h0, |neighbour, cost, h| {
        best.offer(ties, add(weigh(cost), learned.or(neighbour, h)), neighbour);
    });
    best.get()
}
