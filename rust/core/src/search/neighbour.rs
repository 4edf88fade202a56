//! A lookahead of one move, which needs no tables.

use super::learned::Learned;
use super::ties::{Least, Ties};
use crate::cost::{Cost, add};
use crate::graph::{Graph, State};
use crate::meter::{Heuristic, Meter};

/// Expands `at`: the neighbour with the lowest sum of what going there weighs and its heuristic, and that sum.
///
/// Where weights are no larger than costs, the goal is the best of all neighbours on a grid: from any other one it is
/// still a move away, which is more than going straight there can cost on top.
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
    let mut best = Least::default();
    meter.expand_towards(at, h0, |neighbour, cost, h| {
        best.offer(ties, add(weigh(cost), learned.or(neighbour, h)), neighbour);
    });
    best.get()
}
