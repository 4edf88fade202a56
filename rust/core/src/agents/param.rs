//! Parameterized real-time heuristic search, w · lop_b(wc · c + h) + da + E: Algorithm 1 of per-map-selection-2016,
//! lines 1 to 11, with N_b^f as in its equation 1.
//!
//! Line 5, depression avoidance, limits the choice to the neighbours whose heuristics have risen the least. Line 6
//! raises the heuristic of the current state to w times the learning operator's value of wc · c + h over the b best
//! neighbours by c + h. Lines 7 and 8 remove a state after it has learned, if its neighbours reach each other without
//! it. Line 9 moves to the neighbour with the lowest c + h.
//!
//! `reading=fitted` reproduces the paper's results. Line 5 restricts the move but not the learning. The best ⌈b·|N|⌉
//! of |N| neighbours are used, at least one. A state is expendable if its remaining neighbours form one contiguous arc
//! of the ring of eight around it. Ties go to the first neighbour clockwise from north-west. `reading=printed` is the
//! literal Algorithm 1: line 5 restricts lines 6 and 9, ⌊b·|N|⌋ neighbours are used, and neighbours that touch at a
//! corner also reach each other. The median of an even number of values is the mean of the middle two.
//!
//! Learned values are rounded to integer units of cost, so that equal increases compare as equal. With w > 1 heuristics
//! grow without bound, see [`crate::search::unbounded`]. Infinite values stay infinite and are ties.

use super::Entry;
use super::single::{Single, Step};
use super::spec::{Conflict, Param, Values};
use crate::agent::{Memory, SingleEpisode};
use crate::cost::{CARDINAL, Cost, DIAGONAL, INFINITY, Sum};
use crate::graph::{Graph, Neighbourhood, State};
use crate::rng::Stream;
use crate::search::learned::Learned;
use crate::search::neighbour::best_neighbour;
use crate::search::ties::Ties;
use crate::search::unbounded::{Estimate, Unbounded, or_removed, rounded};
use crate::world::runs::Runner;
use rand::seq::SliceRandom;

pub const ENTRY: Entry = Entry {
    about: "Learns from the weighted values of some neighbours, combined by the learning operator, may remove the \
            state that it leaves, and moves to the best neighbour.",
    counts: "expanded: the current state; touched: its neighbours, including removed ones",
    complete: false,
    learns: true,
    params: &[
        WEIGHT,
        COST_WEIGHT,
        Param::between("b", 0.0, 1.0, "share of the neighbours to learn from, best first; 0 is only the best one"),
        Param::choice("lop", &["min", "avg", "median", "max"], "learning operator, which combines their values"),
        Param::flag("da", "avoid heuristic depressions"),
        EXPENDABLE,
        READING,
        TIES,
    ],
    label: |values| {
        let weight = |name| Some(values.real(name)).filter(|w| *w != 1.0).map(|w| format!("{w}·")).unwrap_or_default();
        let share = Some(values.real("b")).filter(|b| *b != 1.0).map(|b| format!("_{b}")).unwrap_or_default();
        let part = |name| if values.word(name) == "yes" { format!("+{name}") } else { String::new() };
        let (w, wc, lop) = (weight("w"), weight("wc"), values.word("lop"));
        let unusual = values.unusual(ENTRY.params, &["reading"]);
        format!("{w}{lop}{share}({wc}c+h){}{}{unusual}", part("da"), part("E"))
    },
    untitled: true,
    incomplete_samples: &[
        "param(E=yes)",
        "param(E=yes, ties=random)",
        "param(lop=median, E=yes)",
        "param(w=2, lop=avg, da=yes, ties=random)",
        "param(lop=median, b=0.3, wc=2, da=yes, E=yes)",
        "param(w=4)",
    ],
    ..Entry::new("param", "w·lop_b(wc·c+h)+da+E", "per-map-selection-2016, Algorithm 1", |values| {
        let [w, wc, b] = ["w", "wc", "b"].map(|name| values.real(name));
        let operator = match values.word("lop") {
            "min" => Operator::Min,
            "avg" => Operator::Avg,
            "median" => Operator::Median,
            _ => Operator::Max,
        };
        Parameters { w, wc, b, operator, avoids: values.is("da", "yes") }.agent(values)
    })
};

/// The parameter w.
pub(super) const WEIGHT: Param = Param::between("w", 1.0, 10.0, "weight of the learned value");

/// The parameter wc.
pub(super) const COST_WEIGHT: Param =
    Param::between("wc", 1.0, 10.0, "weight of the cost of a move in the learned value");

/// The parameter E.
pub(super) const EXPENDABLE: Param = Param::flag("E", "remove expendable states after they have learned");

/// The interpretation of Algorithm 1.
pub(super) const READING: Param =
    Param::choice("reading", &["fitted", "printed"], "Algorithm 1 as it reproduces the paper's results, or literally");

/// Ties break clockwise from north-west. Other orders change the paper's means by a tenth.
pub(super) const TIES: Param = super::COMMON[0].with_default("nw");

/// The learning operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Min,
    Avg,
    Median,
    Max,
}

/// The parameters that some algorithms of the space fix.
pub(super) struct Parameters {
    pub(super) w: f64,
    pub(super) wc: f64,
    pub(super) b: f64,
    pub(super) operator: Operator,
    pub(super) avoids: bool,
}

impl Parameters {
    /// The parameters of LRTA*.
    pub(super) const PLAIN: Parameters = Parameters { w: 1.0, wc: 1.0, b: 1.0, operator: Operator::Min, avoids: false };

    /// The agent with these parameters, and with E and the reading of `values`.
    pub(super) fn agent(self, values: &Values) -> Result<Box<dyn Runner>, Conflict> {
        let Parameters { w, wc, b, operator, avoids } = self;
        let removes = values.is("E", "yes");
        let printed = values.is("reading", "printed");
        // The minimum over all neighbours is an integer. With wc = 1 the best neighbour has it for any b.
        let is_integral = w == 1.0 && operator == Operator::Min && (b == 1.0 || wc == 1.0) && !(avoids && printed);
        if is_integral {
            let costs = [CARDINAL, DIAGONAL].map(|cost| rounded(wc * Estimate::from(cost)) as Cost);
            return Ok(match (avoids, removes) {
                (false, false) if wc == 1.0 => Box::new(Single(Plain)),
                (false, false) => Box::new(Single(Integral::<false, false> { costs, printed })),
                (false, true) => Box::new(Single(Integral::<false, true> { costs, printed })),
                (true, false) => Box::new(Single(Integral::<true, false> { costs, printed })),
                (true, true) => Box::new(Single(Integral::<true, true> { costs, printed })),
            });
        }
        // Products such as 0.7 · 10 are not exactly integers.
        const TOLERANCE: f64 = 1e-9;
        let count = |all: usize| {
            let share = b * all as f64;
            let count = if printed { (share + TOLERANCE).floor() } else { (share - TOLERANCE).ceil() };
            (count as usize).clamp(1, 8)
        };
        let source_counts = std::array::from_fn(count);
        let costs = [CARDINAL, DIAGONAL].map(|cost| rounded(wc * Estimate::from(cost)));
        let rule = Rule { w, costs, source_counts, operator, printed };
        Ok(match (avoids, removes) {
            (false, false) => Box::new(Single(Parameterized::<false, false>(rule))),
            (false, true) => Box::new(Single(Parameterized::<false, true>(rule))),
            (true, false) => Box::new(Single(Parameterized::<true, false>(rule))),
            (true, true) => Box::new(Single(Parameterized::<true, true>(rule))),
        })
    }
}

/// min(c + h) for any b: LRTA* with a lookahead of one move.
struct Plain;

impl Step for Plain {
    #[inline(always)]
    fn step<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        let SingleEpisode { meter, memory: Memory { learned, ties, .. }, at, goal } = episode;
        let h0 = meter.heuristic(goal);
        let before = learned.or(at, h0.of(at));
        let (f, next) = best_neighbour(meter, learned, ties, &h0, at, |cost| cost)?;
        learned.set(at, before, f.max(before));
        Some(next)
    }
}

/// min(wc · c + h) over all neighbours, with or without depression avoidance and removal of expendable states. Its
/// values are bounded and need no rounding, so it uses integers, which are faster.
struct Integral<const DA: bool, const E: bool> {
    /// wc · c of a cardinal and of a diagonal move.
    costs: [Cost; 2],
    printed: bool,
}

impl<const DA: bool, const E: bool> Step for Integral<DA, E> {
    #[inline(always)]
    fn step<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        let SingleEpisode { meter, memory: Memory { learned, ties, .. }, at, goal } = episode;
        let h0 = meter.heuristic(goal);
        let before = learned.or(at, h0.of(at));
        let around = meter.expand_around(at, &h0)?;
        match ties {
            Ties::First => self.choose(&around, learned, before, around.ranks),
            Ties::Random(stream) => self.choose(&around, learned, before, &shuffled(&around, stream)),
        }
    }
}

impl<const DA: bool, const E: bool> Integral<DA, E> {
    /// Updates the current state, whose heuristic was `before`, and chooses the next one.
    ///
    /// Wide sums cannot overflow, which avoids checks with unpredictable branches.
    #[inline(always)]
    fn choose(
        &self,
        around: &Neighbourhood<'_>,
        learned: &mut Learned,
        before: Cost,
        ranks: &[u64; 8],
    ) -> Option<State> {
        // Two alternating minima of each kind: they have shorter dependency chains than one, and need fewer registers
        // than eight.
        let (mut removed, mut best, mut update) = (0, [NONE; 2], [NONE; 2]);
        let entries = around.entries(learned.table());
        for direction in 0..8 {
            let (entry, initial) = (entries[direction], around.heuristics[direction]);
            let is_removed = E && entry == INFINITY;
            removed |= u8::from(is_removed) << direction;
            let is_absent = !around.legal >> direction & 1 | u8::from(is_removed);
            let absent = u64::from(is_absent).wrapping_neg();
            let h = entry.max(initial);
            let turn = direction / 2 % 2;
            update[turn] = update[turn].min((Sum::from(self.costs[direction % 2]) + Sum::from(h)) | absent);
            let cost = if direction % 2 == 0 { CARDINAL } else { DIAGONAL };
            // Among equal increases, c + h and c + the initial h have the same order.
            let key = match DA {
                true => u64::from((h - initial).min(i32::MAX as Cost)) << 33 | u64::from(cost + initial) << 6,
                false => (Sum::from(cost) + Sum::from(h)).min(Sum::from(INFINITY)) << 6,
            };
            best[turn] = best[turn].min(key | ranks[direction] | absent);
        }
        let best = best[0].min(best[1]);
        if best == NONE {
            return None;
        }
        let update = update[0].min(update[1]).min(Sum::from(INFINITY)) as Cost;
        // A removed state, such as the start in a later trial, learns nothing: no update exceeds infinity.
        learned.raise_or_remove(around.at, before, update, E && is_expendable(around.legal & !removed, self.printed));
        Some(around.state(direction(best)))
    }
}

/// Random ranks of the directions, see [`Neighbourhood::ranks`].
#[cold]
fn shuffled(around: &Neighbourhood<'_>, stream: &mut Stream) -> [u64; 8] {
    let mut places = around.ranks.map(|rank| rank >> 3);
    places.shuffle(stream);
    std::array::from_fn(|direction| places[direction] << 3 | direction as u64)
}

/// The learning rule.
struct Rule {
    w: f64,
    /// wc · c of a cardinal and of a diagonal move.
    costs: [Estimate; 2],
    /// The number of neighbours to learn from, by the number of neighbours.
    source_counts: [usize; 9],
    operator: Operator,
    printed: bool,
}

/// Any parameters, with or without depression avoidance and removal of expendable states.
struct Parameterized<const DA: bool, const E: bool>(Rule);

impl<const DA: bool, const E: bool> Step for Parameterized<DA, E> {
    #[inline(always)]
    fn step<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        let SingleEpisode { meter, memory: Memory { unbounded, ties, .. }, at, goal } = episode;
        let Parameterized(rule) = self;
        unbounded.make_room(meter.states());
        let h0 = meter.heuristic(goal);
        let (before, is_removed) = unbounded.or_removed(at, h0.of(at));
        let around = meter.expand_around(at, &h0)?;
        let neighbours = match ties {
            Ties::First => Neighbours::look::<DA, E>(&around, unbounded, around.ranks, rule.costs),
            Ties::Random(stream) => {
                Neighbours::look::<DA, E>(&around, unbounded, &shuffled(&around, stream), rule.costs)
            }
        };
        // Line 5.
        let choice = if DA { neighbours.min_rises() } else { neighbours.keys };
        let best = minimum(&choice);
        if best == NONE {
            return None;
        }
        // Line 6.
        let all = if DA && rule.printed { &choice } else { &neighbours.keys };
        let value = rounded(rule.w * neighbours.update(all, rule));
        // Lines 7 and 8. A removed state, such as the start in a later trial, learns nothing.
        if !(E && is_removed) {
            unbounded.raise(at, before, value, E && is_expendable(neighbours.remaining, rule.printed));
        }
        // Line 9.
        Some(around.state(direction(best)))
    }
}

/// The neighbours of a state, clockwise from north.
///
/// All eight are computed, and missing ones are masked, because branches on them would be unpredictable.
struct Neighbours {
    /// wc · c + h, as bits, which sort like the numbers.
    updates: [u64; 8],
    /// The increase of h, as bits.
    rises: [u64; 8],
    /// c + h as [`key`]s.
    keys: [u64; 8],
    /// A bit for each neighbour that exists and was not removed.
    remaining: u8,
}

/// The key, and the bits, of a missing neighbour: larger than all others.
const NONE: u64 = u64::MAX;

/// A positive number with its rank among ties and its direction in one integer. The bits of floating-point numbers sort
/// like the numbers, and integers below 2⁴⁷ do not use the low bits that hold the rank.
#[inline(always)]
fn key(value: Estimate, rank: u64) -> u64 {
    value.to_bits() & !63 | rank
}

/// The direction of a key.
#[inline(always)]
fn direction(key: u64) -> usize {
    key as usize & 7
}

impl Neighbours {
    #[inline(always)]
    fn look<const DA: bool, const E: bool>(
        around: &Neighbourhood<'_>,
        table: &Unbounded,
        ranks: &[u64; 8],
        costs: [Estimate; 2],
    ) -> Neighbours {
        let Neighbourhood { legal, heuristics, .. } = *around;
        let entries = around.entries(table.table());
        let mut all = Neighbours { updates: [NONE; 8], rises: [NONE; 8], keys: [NONE; 8], remaining: legal };
        for direction in 0..8 {
            let (h, is_removed) = or_removed(entries[direction], heuristics[direction]);
            if E {
                all.remaining &= !((is_removed as u8) << direction);
            }
            let absent = u64::from(all.remaining >> direction & 1).wrapping_sub(1);
            let cost = Estimate::from(if direction % 2 == 0 { CARDINAL } else { DIAGONAL });
            all.keys[direction] = key(cost + h, ranks[direction]) | absent;
            all.updates[direction] = (costs[direction % 2] + h).to_bits() | absent;
            if DA {
                all.rises[direction] = (h - Estimate::from(heuristics[direction])).to_bits() | absent;
            }
        }
        all
    }

    /// The keys of the neighbours whose heuristics rose the least.
    #[inline(always)]
    fn min_rises(&self) -> [u64; 8] {
        let min = minimum(&self.rises);
        std::array::from_fn(|i| self.keys[i] | u64::from(self.rises[i] == min).wrapping_sub(1))
    }

    /// The value of the learning operator for the best neighbours with `keys`, at least one.
    #[inline(always)]
    fn update(&self, keys: &[u64; 8], rule: &Rule) -> Estimate {
        let all = keys.iter().map(|key| usize::from(*key != NONE)).sum::<usize>();
        let count = rule.source_counts[all];
        if count == 1 {
            return Estimate::from_bits(self.updates[direction(minimum(keys))]);
        }
        let mut updates: [u64; 8] =
            std::array::from_fn(|i| self.updates[i] | u64::from(keys[i] != NONE).wrapping_sub(1));
        if count < all {
            let mut best = *keys;
            sort(&mut best);
            let is_used = |i: usize| u64::from(i < count).wrapping_sub(1);
            updates = std::array::from_fn(|i| self.updates[direction(best[i])] | is_used(i));
        }
        match rule.operator {
            Operator::Min => Estimate::from_bits(minimum(&updates)),
            Operator::Max => {
                Estimate::from_bits(updates.iter().fold(0, |max, bits| max.max(if *bits == NONE { 0 } else { *bits })))
            }
            Operator::Avg => {
                let value = |bits: &u64| Estimate::from_bits(if *bits == NONE { 0 } else { *bits });
                updates.iter().map(value).sum::<Estimate>() / count as Estimate
            }
            Operator::Median => {
                sort(&mut updates);
                let middle = |at: usize| Estimate::from_bits(updates[at & 7]);
                (middle((count - 1) / 2) + middle(count / 2)) / 2.0
            }
        }
    }
}

#[inline(always)]
fn minimum(values: &[u64; 8]) -> u64 {
    let pair = |i: usize| values[i].min(values[i + 4]);
    pair(0).min(pair(1)).min(pair(2).min(pair(3)))
}

/// Sorts eight integers with a network of 19 comparisons.
#[inline(always)]
fn sort(values: &mut [u64; 8]) {
    let [a, b, c, d, e, f, g, h] = *values;
    let order = |x: u64, y: u64| (x.min(y), x.max(y));
    let ((a, c), (b, d), (e, g), (f, h)) = (order(a, c), order(b, d), order(e, g), order(f, h));
    let ((a, e), (b, f), (c, g), (d, h)) = (order(a, e), order(b, f), order(c, g), order(d, h));
    let ((a, b), (c, d), (e, f), (g, h)) = (order(a, b), order(c, d), order(e, f), order(g, h));
    let ((c, e), (d, f)) = (order(c, e), order(d, f));
    let ((b, e), (d, g)) = (order(b, e), order(d, g));
    let ((b, c), (d, e), (f, g)) = (order(b, c), order(d, e), order(f, g));
    *values = [a, b, c, d, e, f, g, h];
}

/// Whether the remaining neighbours of a state reach each other without it, because they form at most one arc of the
/// ring around it. If `printed`, two cardinal neighbours that touch at a corner also reach each other.
#[inline(always)]
pub(super) fn is_expendable(remaining: u8, printed: bool) -> bool {
    const DIAGONALS: u8 = 0b1010_1010;
    let corners = if printed { remaining.rotate_left(1) & remaining.rotate_right(1) & DIAGONALS } else { 0 };
    let joined = remaining | corners;
    let ends = joined & !joined.rotate_left(1);
    ends & ends.wrapping_sub(1) == 0
}
