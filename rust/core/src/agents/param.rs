//! Parameterized real-time heuristic search, w · lop_b(wc · c + h) + da + E: Algorithm 1 of per-map-selection-2016, lines
//! 1 to 11, with N_b^f as in its equation 1.
//!
//! Line 6 raises the heuristic of the current state to w times what the learning operator makes of wc · c + h over the b
//! best neighbours, by c + h. Lines 7 and 8 take a state that learned away from the graph, where the neighbours that it
//! leaves behind reach each other without it. Line 9 moves to the neighbour with the least c + h. Line 5, depression
//! avoidance, lets the agent choose among those neighbours alone whose heuristics rose the least so far.
//!
//! The reading is the one under which the paper's figures come out (`reading=fitted`): line 5 restricts the move and not
//! what is learned; of |N| neighbours the best ⌈b·|N|⌉ teach, at least one; a state is expendable if its remaining
//! neighbours form one contiguous arc of the ring of eight around it; ties go to the first clockwise from north-west.
//! `reading=printed` is Algorithm 1 to the letter: line 5 restricts lines 6 and 9 alike, ⌊b·|N|⌋ neighbours teach, and
//! neighbours reach each other also where they touch at a corner. The median of an even number of values is the mean of
//! the middle two.
//!
//! What is learned is rounded to whole units of cost: two states have learned the same where their values are the same.
//! With w > 1 heuristics grow beyond all bounds, see [`crate::search::unbounded`]: infinite ones stay so, and are ties.

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
    name: "param",
    title: "w·lop_b(wc·c+h)+da+E",
    paper: "per-map-selection-2016, Algorithm 1",
    about: "Looks at its neighbours, learns from some of them what the operator makes of their weighted values, may take \
            away the state it leaves, and moves to the best.",
    counts: "expanded: the current state; touched: its neighbours, also those that were taken away",
    complete: false,
    learns: true,
    params: &[
        WEIGHT,
        COST_WEIGHT,
        Param::between("b", 0.0, 1.0, "the share of the neighbours that teach, best first; 0 is the best alone"),
        Param::choice("lop", &["min", "avg", "median", "max"], "what is made of their values"),
        Param::flag("da", "whether depressions are avoided"),
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
    build: |values| {
        Parameters {
            w: values.real("w"),
            wc: values.real("wc"),
            b: values.real("b"),
            operator: Operator::named(values.word("lop")),
            avoids: values.is("da", "yes"),
        }
        .agent(values)
    },
    incomplete_samples: &[
        "param(E=yes)",
        "param(E=yes, ties=random)",
        "param(lop=median, E=yes)",
        "param(w=2, lop=avg, da=yes, ties=random)",
        "param(lop=median, b=0.3, wc=2, da=yes, E=yes)",
        "param(w=4)",
    ],
    ..Entry::PLAIN
};

/// The parameter w.
pub(super) const WEIGHT: Param = Param::between("w", 1.0, 10.0, "the weight of what is learned");

/// The parameter wc.
pub(super) const COST_WEIGHT: Param =
    Param::between("wc", 1.0, 10.0, "the weight of the cost of a move in what is learned");

/// The parameter E.
pub(super) const EXPENDABLE: Param = Param::flag("E", "whether expendable states are taken away when they learned");

/// Algorithm 1 as its figures have it, or to the letter.
pub(super) const READING: Param =
    Param::choice("reading", &["fitted", "printed"], "Algorithm 1 as the paper's figures come out, or to the letter");

/// Ties break clockwise from north-west: other orders move the paper's means by a tenth.
pub(super) const TIES: Param = super::COMMON[0].with_default("nw");

/// The learning operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Min,
    Avg,
    Median,
    Max,
}

impl Operator {
    fn named(name: &str) -> Operator {
        match name {
            "min" => Operator::Min,
            "avg" => Operator::Avg,
            "median" => Operator::Median,
            _ => Operator::Max,
        }
    }
}

/// The parameters but for those that every algorithm of the space has under its own name.
pub(super) struct Parameters {
    pub(super) w: f64,
    pub(super) wc: f64,
    pub(super) b: f64,
    pub(super) operator: Operator,
    pub(super) avoids: bool,
}

impl Parameters {
    /// LRTA* under its own parameters.
    pub(super) const PLAIN: Parameters = Parameters { w: 1.0, wc: 1.0, b: 1.0, operator: Operator::Min, avoids: false };

    /// The agent with these parameters, and with E and the reading of `values`.
    pub(super) fn agent(self, values: &Values) -> Result<Box<dyn Runner>, Conflict> {
        let Parameters { w, wc, b, operator, avoids } = self;
        let removes = values.is("E", "yes");
        let printed = values.is("reading", "printed");
        // The least of all neighbours' values is whole, and with wc = 1 the first of the best neighbours has it.
        let is_whole = w == 1.0 && operator == Operator::Min && (b == 1.0 || wc == 1.0) && !(avoids && printed);
        if is_whole {
            let costs = [CARDINAL, DIAGONAL].map(|cost| rounded(wc * Estimate::from(cost)) as Cost);
            return Ok(match (avoids, removes) {
                (false, false) if wc == 1.0 => Box::new(Single(Plain)),
                (false, false) => Box::new(Single(Whole::<false, false> { costs, printed })),
                (false, true) => Box::new(Single(Whole::<false, true> { costs, printed })),
                (true, false) => Box::new(Single(Whole::<true, false> { costs, printed })),
                (true, true) => Box::new(Single(Whole::<true, true> { costs, printed })),
            });
        }
        // Products such as 0.7 · 10 are a hair off the whole number that is meant.
        const HAIR: f64 = 1e-9;
        let count = |all: usize| {
            let share = b * all as f64;
            let count = if printed { (share + HAIR).floor() } else { (share - HAIR).ceil() };
            (count as usize).clamp(1, 8)
        };
        let teachers = std::array::from_fn(count);
        let costs = [CARDINAL, DIAGONAL].map(|cost| rounded(wc * Estimate::from(cost)));
        let rule = Rule { w, costs, teachers, operator, printed };
        Ok(match (avoids, removes) {
            (false, false) => Box::new(Single(Parameterized::<false, false>(rule))),
            (false, true) => Box::new(Single(Parameterized::<false, true>(rule))),
            (true, false) => Box::new(Single(Parameterized::<true, false>(rule))),
            (true, true) => Box::new(Single(Parameterized::<true, true>(rule))),
        })
    }
}

/// min(c + h): LRTA* with a lookahead of one, whatever b.
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

/// min(wc · c + h), of all neighbours, with depression avoidance or without, and with expendable states taken away or not:
/// nothing that it learns has to be rounded or grows beyond bounds, so that integers do, which are faster.
struct Whole<const DA: bool, const E: bool> {
    /// wc · c of a cardinal and of a diagonal move.
    costs: [Cost; 2],
    printed: bool,
}

impl<const DA: bool, const E: bool> Step for Whole<DA, E> {
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

impl<const DA: bool, const E: bool> Whole<DA, E> {
    /// Learns where it is, where the heuristic was `before`, and chooses the next state.
    ///
    /// Sums are wide, so that they need not be watched one by one: checks would become branches that nothing can predict.
    #[inline(always)]
    fn choose(
        &self,
        around: &Neighbourhood<'_>,
        learned: &mut Learned,
        before: Cost,
        ranks: &[u64; 8],
    ) -> Option<State> {
        // The least key and the least lesson: two of each by turns do not wait for each other as one would, and take less
        // room than eight.
        let (mut gone, mut best, mut lesson) = (0, [NONE; 2], [NONE; 2]);
        let entries = around.entries(learned.table());
        for direction in 0..8 {
            let (entry, initial) = (entries[direction], around.heuristics[direction]);
            let is_gone = E && entry == INFINITY;
            gone |= u8::from(is_gone) << direction;
            let is_absent = !around.legal >> direction & 1 | u8::from(is_gone);
            let absent = u64::from(is_absent).wrapping_neg();
            let h = entry.max(initial);
            let turn = direction / 2 % 2;
            lesson[turn] = lesson[turn].min((Sum::from(self.costs[direction % 2]) + Sum::from(h)) | absent);
            let cost = if direction % 2 == 0 { CARDINAL } else { DIAGONAL };
            // Among those that rose alike, c + h is in the order of what it was before.
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
        let lesson = lesson[0].min(lesson[1]).min(Sum::from(INFINITY)) as Cost;
        // Who is gone, as the start of a second trial may be, learns nothing: no lesson is above infinity.
        learned.raise_or_remove(around.at, before, lesson, E && is_expendable(around.legal & !gone, self.printed));
        Some(around.state(direction(best)))
    }
}

/// The ranks of the directions where any of equals may win, see [`Neighbourhood::ranks`].
#[cold]
fn shuffled(around: &Neighbourhood<'_>, stream: &mut Stream) -> [u64; 8] {
    let mut places = around.ranks.map(|rank| rank >> 3);
    places.shuffle(stream);
    std::array::from_fn(|direction| places[direction] << 3 | direction as u64)
}

/// How it learns.
struct Rule {
    w: f64,
    /// wc · c of a cardinal and of a diagonal move.
    costs: [Estimate; 2],
    /// How many of so many neighbours teach.
    teachers: [usize; 9],
    operator: Operator,
    printed: bool,
}

/// With depression avoidance or without, and with expendable states taken away or not.
struct Parameterized<const DA: bool, const E: bool>(Rule);

impl<const DA: bool, const E: bool> Step for Parameterized<DA, E> {
    #[inline(always)]
    fn step<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        let SingleEpisode { meter, memory: Memory { unbounded, ties, .. }, at, goal } = episode;
        let Parameterized(rule) = self;
        unbounded.make_room(meter.states());
        let h0 = meter.heuristic(goal);
        let (before, is_gone) = unbounded.or_removed(at, h0.of(at));
        let around = meter.expand_around(at, &h0)?;
        let neighbours = match ties {
            Ties::First => Neighbours::look::<DA, E>(&around, unbounded, around.ranks, rule.costs),
            Ties::Random(stream) => {
                Neighbours::look::<DA, E>(&around, unbounded, &shuffled(&around, stream), rule.costs)
            }
        };
        // Line 5.
        let choice = if DA { neighbours.least_learned() } else { neighbours.keys };
        let best = least(&choice);
        if best == NONE {
            return None;
        }
        // Line 6.
        let all = if DA && rule.printed { &choice } else { &neighbours.keys };
        let value = rounded(rule.w * neighbours.lesson(all, rule));
        // Lines 7 and 8. Who is gone, as the start of a second trial may be, learns nothing.
        if !(E && is_gone) {
            unbounded.raise(at, before, value, E && is_expendable(neighbours.remaining, rule.printed));
        }
        // Line 9.
        Some(around.state(direction(best)))
    }
}

/// The neighbours of a state, clockwise from north.
///
/// All eight are worked on, and those that are none are masked: which of them there are, which of them are the best and how
/// comparisons end is nothing that a branch predictor can guess.
struct Neighbours {
    /// wc · c + h, as bits, which are in the order of the numbers.
    lessons: [u64; 8],
    /// By how much h rose, as bits.
    rises: [u64; 8],
    /// c + h as [`key`]s.
    keys: [u64; 8],
    /// A bit for each that there is, and that was not taken away.
    remaining: u8,
}

/// The key, and the bits, of who is none: after all others.
const NONE: u64 = u64::MAX;

/// A positive number, and what ranks it among equals with its direction, in one integer: bits of floating point are in the
/// order of the numbers. Whole numbers below 2⁴⁷ do not have the bits that this takes away from them.
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
        let mut all = Neighbours { lessons: [NONE; 8], rises: [NONE; 8], keys: [NONE; 8], remaining: legal };
        for direction in 0..8 {
            let (h, is_gone) = or_removed(entries[direction], heuristics[direction]);
            if E {
                all.remaining &= !((is_gone as u8) << direction);
            }
            let absent = u64::from(all.remaining >> direction & 1).wrapping_sub(1);
            let cost = Estimate::from(if direction % 2 == 0 { CARDINAL } else { DIAGONAL });
            all.keys[direction] = key(cost + h, ranks[direction]) | absent;
            all.lessons[direction] = (costs[direction % 2] + h).to_bits() | absent;
            if DA {
                all.rises[direction] = (h - Estimate::from(heuristics[direction])).to_bits() | absent;
            }
        }
        all
    }

    /// The keys of those alone whose heuristics rose the least.
    #[inline(always)]
    fn least_learned(&self) -> [u64; 8] {
        let least = least(&self.rises);
        std::array::from_fn(|i| self.keys[i] | u64::from(self.rises[i] == least).wrapping_sub(1))
    }

    /// What the learning operator makes of the best neighbours among those with `keys`, of which there is one.
    #[inline(always)]
    fn lesson(&self, keys: &[u64; 8], rule: &Rule) -> Estimate {
        let all = keys.iter().map(|key| usize::from(*key != NONE)).sum::<usize>();
        let count = rule.teachers[all];
        if count == 1 {
            return Estimate::from_bits(self.lessons[direction(least(keys))]);
        }
        let mut lessons: [u64; 8] =
            std::array::from_fn(|i| self.lessons[i] | u64::from(keys[i] != NONE).wrapping_sub(1));
        if count < all {
            let mut best = *keys;
            sort(&mut best);
            let teaches = |i: usize| u64::from(i < count).wrapping_sub(1);
            lessons = std::array::from_fn(|i| self.lessons[direction(best[i])] | teaches(i));
        }
        match rule.operator {
            Operator::Min => Estimate::from_bits(least(&lessons)),
            Operator::Max => Estimate::from_bits(
                lessons.iter().fold(0, |most, bits| most.max(if *bits == NONE { 0 } else { *bits })),
            ),
            Operator::Avg => {
                let value = |bits: &u64| Estimate::from_bits(if *bits == NONE { 0 } else { *bits });
                lessons.iter().map(value).sum::<Estimate>() / count as Estimate
            }
            Operator::Median => {
                sort(&mut lessons);
                let middle = |at: usize| Estimate::from_bits(lessons[at & 7]);
                (middle((count - 1) / 2) + middle(count / 2)) / 2.0
            }
        }
    }
}

#[inline(always)]
fn least(values: &[u64; 8]) -> u64 {
    let pair = |i: usize| values[i].min(values[i + 4]);
    pair(0).min(pair(1)).min(pair(2).min(pair(3)))
}

/// Sorts eight integers: a network of 19 comparisons.
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

/// Whether the neighbours that remain of a state reach each other without it: where they form at most one arc of the ring
/// around it. To the letter they also do so from a cardinal one to the next, past the corner of a state.
#[inline(always)]
pub(super) fn is_expendable(remaining: u8, printed: bool) -> bool {
    const DIAGONALS: u8 = 0b1010_1010;
    let past = if printed { remaining.rotate_left(1) & remaining.rotate_right(1) & DIAGONALS } else { 0 };
    let joined = remaining | past;
    let ends = joined & !joined.rotate_left(1);
    ends & ends.wrapping_sub(1) == 0
}
