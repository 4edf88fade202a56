//! Times of planned moves, from several repetitions of the same trials.
//!
//! Trials are deterministic, so the same move can be timed again. The time of a move is the minimum over all
//! repetitions: other programs and interrupts only ever add to it. From the second repetition on, moves that take long
//! are watched: their time is at most the time that the thread was on a core, and the system reports whether it took
//! the core away. Short moves that take longer than the agent's own model predicts are watched only in some
//! repetitions, since calls of the system slow the next microseconds down. A move that is over the model and that was
//! interrupted whenever it was watched is disturbed.

use super::ledger::Planning;
use super::trial::TooSlow;
use crate::histogram::{Count, Histogram};
use crate::system::{Usage, usage};

/// Moves that take at least this long are watched. Two calls of the system are negligible then.
const LONG_NS: u64 = 50_000;

/// A move is over the model if it takes more than this many times what the model predicts, ...
const EXCESS: f64 = 2.0;
/// ... plus this much: about the time of an interrupt that the model cannot predict.
const SLACK_NS: f64 = 2_000.0;

/// The worst move has settled if its two fastest repetitions agree up to this share, ...
const SETTLED: f64 = 0.05;
/// ... plus this much: the resolution of slow clocks.
const RESOLUTION_NS: f64 = 20.0;

/// The times of a run's planned moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The first move of the final trial.
    pub first_ns: u64,
    /// The first move on tables that were never touched before.
    pub cold_first_ns: u64,
    /// The worst move.
    pub max_ns: u64,
    /// The 99th percentile of the planned moves.
    pub p99_ns: u64,
    /// The 99.9th percentile.
    pub p999_ns: u64,
    /// The number of repetitions.
    pub repeats: u32,
    /// The number of disturbed moves.
    pub disturbed: u64,
    /// The time of the worst move in each repetition.
    pub worst_ns: Vec<u64>,
    /// All planned moves.
    pub histogram: Vec<Count>,
}

/// Times the planned moves of trials; reused from problem to problem.
#[derive(Default)]
pub(super) struct Stopwatch {
    /// The planned moves of the current repetition.
    times: Vec<u64>,
    touched: Vec<u64>,
    /// Their numbers, counted from 1 since the first trial.
    numbers: Vec<u64>,
    /// The moves so far, planned or not.
    moves: u64,
    /// The first planned move of each trial.
    starts: Vec<usize>,
    /// Whether the system interrupted the move that is being planned; `None` if that is not watched.
    interrupted: Option<bool>,
    /// The times of earlier repetitions, of which the first `repeats` count.
    earlier: Vec<Vec<u64>>,
    repeats: usize,
    /// The fastest and the second fastest time of each move.
    minima: Vec<u64>,
    seconds: Vec<u64>,
    watched: Vec<Watch>,
    model: Model,
    histogram: Histogram,
}

/// How a move is watched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    /// Its time is taken from the tick counter alone.
    No,
    /// It takes long, or it is over the model and was not interrupted in some repetition.
    Clean,
    /// It is over the model, and it was interrupted whenever it was watched.
    Disturbed,
}

/// The state of a watched move at its start.
#[derive(Clone, Copy)]
pub(super) struct Watched(Option<Usage>);

impl Stopwatch {
    /// Begins the repetitions of a problem.
    pub(super) fn begin(&mut self) {
        self.repeats = 0;
        self.watched.clear();
        self.begin_repetition();
    }

    /// Begins a repetition.
    pub(super) fn begin_repetition(&mut self) {
        self.times.clear();
        self.touched.clear();
        self.numbers.clear();
        self.starts.clear();
        self.moves = 0;
        self.interrupted = None;
    }

    /// Begins a trial of the current repetition.
    pub(super) fn begin_trial(&mut self) {
        self.starts.push(self.times.len());
    }

    /// Looks at the thread before an episode, if its move is watched.
    #[inline(always)]
    pub(super) fn watch(&self) -> Watched {
        let place = self.times.len();
        let is_watched = match self.watched.get(place) {
            None | Some(Watch::No) => false,
            Some(Watch::Clean) => self.minima[place] >= LONG_NS,
            // Two repetitions without calls of the system come first, and every other one is without them.
            Some(Watch::Disturbed) => {
                self.minima[place] >= LONG_NS || (self.repeats > 0 && self.repeats.is_multiple_of(2))
            }
        };
        Watched(is_watched.then(usage))
    }

    /// The time of an episode that took `ns` by the tick counter.
    #[inline(always)]
    pub(super) fn time(&mut self, Watched(before): Watched, ns: u64) -> u64 {
        let Some(before) = before else { return ns };
        let after = usage();
        let is_interrupted = after.interruptions != before.interruptions;
        self.interrupted = Some(is_interrupted || self.interrupted == Some(true));
        let on_core = after.cpu_ns.zip(before.cpu_ns).map_or(u64::MAX, |(after, before)| after - before);
        ns.min(on_core)
    }

    /// Records a move, made or not, and its planning if it was planned.
    #[inline(always)]
    pub(super) fn record(&mut self, planned: Option<Planning>) {
        self.moves += 1;
        let Some(Planning { effort, ns }) = planned else { return };
        if let Some(watch @ Watch::Disturbed) = self.watched.get_mut(self.times.len())
            && self.interrupted == Some(false)
        {
            *watch = Watch::Clean;
        }
        self.interrupted = None;
        self.times.push(ns);
        self.touched.push(effort.touched);
        self.numbers.push(self.moves);
    }

    /// Ends a repetition. Returns whether it counts: only if it has as many planned moves as the first one.
    pub(super) fn end_repetition(&mut self) -> bool {
        if self.repeats > 0 && self.times.len() != self.minima.len() {
            return false;
        }
        if self.repeats == 0 {
            self.minima.clone_from(&self.times);
            self.seconds.clear();
            self.seconds.resize(self.times.len(), u64::MAX);
            self.model = Model::fit(&self.touched, &self.times);
            let watch = |(&touched, &ns): (&u64, &u64)| match self.model.exceeds(touched, ns) {
                true => Watch::Disturbed,
                false if ns >= LONG_NS => Watch::Clean,
                false => Watch::No,
            };
            self.watched.clear();
            self.watched.extend(self.touched.iter().zip(&self.times).map(watch));
        } else {
            for ((min, second), ns) in self.minima.iter_mut().zip(&mut self.seconds).zip(&self.times) {
                *second = (*second).min(*ns).max(*min);
                *min = (*min).min(*ns);
            }
            for ((watch, touched), min) in self.watched.iter_mut().zip(&self.touched).zip(&self.minima) {
                if *watch == Watch::Disturbed && !self.model.exceeds(*touched, *min) {
                    *watch = Watch::Clean;
                }
            }
        }
        if self.earlier.len() == self.repeats {
            self.earlier.push(Vec::new());
        }
        std::mem::swap(&mut self.earlier[self.repeats], &mut self.times);
        self.repeats += 1;
        true
    }

    /// The number of moves that were disturbed in all repetitions so far.
    pub(super) fn disturbed(&self) -> u64 {
        self.watched.iter().filter(|watch| **watch == Watch::Disturbed).count() as u64
    }

    /// Whether further repetitions are not expected to change the result: no move is disturbed, and the two fastest
    /// repetitions agree on the worst move.
    pub(super) fn is_settled(&self) -> bool {
        let worst = (0..self.minima.len()).max_by_key(|place| self.minima[*place]);
        let agrees = |place| self.seconds[place] as f64 <= (1.0 + SETTLED) * self.minima[place] as f64 + RESOLUTION_NS;
        worst.is_none_or(agrees) && self.disturbed() == 0
    }

    /// The first move whose time exceeds a limit in every repetition.
    pub(super) fn too_slow(&self, limit_ns: u64) -> Option<TooSlow> {
        let place = self.minima.iter().position(|ns| *ns > limit_ns)?;
        Some(TooSlow { number: self.numbers[place], ns: self.minima[place], limit_ns })
    }

    /// The result after all repetitions, of which there was at least one, up to the move at which the trial stops.
    pub(super) fn timing(&mut self, cold_first_ns: u64, stop: Option<TooSlow>) -> Timing {
        let disturbed = self.disturbed();
        let made = |stop: TooSlow| self.numbers.partition_point(|number| *number <= stop.number);
        let moves = &self.minima[..stop.map_or(self.minima.len(), made)];
        let first = self.starts.iter().rev().find(|start| **start < moves.len());
        let worst = (0..moves.len()).max_by_key(|place| moves[*place]);
        let max_ns = worst.map_or(0, |worst| moves[worst]);
        moves.iter().for_each(|ns| self.histogram.add(*ns));
        let mut sorted = moves.to_vec();
        let mut quantile = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            if sorted.is_empty() { 0 } else { *sorted.select_nth_unstable(rank.clamp(1, moves.len()) - 1).1 }
        };
        Timing {
            first_ns: first.map_or(0, |first| moves[*first]),
            cold_first_ns,
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
            max_ns,
            repeats: self.repeats as u32,
            disturbed,
            worst_ns: worst
                .map_or(Vec::new(), |worst| self.earlier[..self.repeats].iter().map(|times| times[worst]).collect()),
            histogram: self.histogram.take(max_ns),
        }
    }
}

/// The agent's own model of its times: ns = a + b · touched.
#[derive(Clone, Copy, Default)]
struct Model {
    a: f64,
    b: f64,
}

impl Model {
    /// Fits the model to relative errors, without the moves that take far longer than most.
    fn fit(touched: &[u64], times: &[u64]) -> Model {
        /// The work of an episode that touches nothing, in touched states; only for the first guess.
        const BASE: f64 = 4.0;
        let points = || touched.iter().zip(times).map(|(touched, ns)| (*touched as f64, *ns as f64));
        let mut rates: Vec<f64> = points().map(|(touched, ns)| ns / (touched + BASE)).collect();
        if rates.is_empty() {
            return Model::default();
        }
        let middle = rates.len() / 2;
        let median = *rates.select_nth_unstable_by(middle, f64::total_cmp).1;
        let guess = Model { a: BASE * median, b: median };
        // Weighted least squares; the weights make the errors relative.
        let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (touched, ns) in points().filter(|(touched, ns)| *ns > 0.0 && *ns <= EXCESS * guess.predict(*touched)) {
            let weight = 1.0 / (ns * ns);
            w += weight;
            x += weight * touched;
            y += weight * ns;
            xx += weight * touched * touched;
            xy += weight * touched * ns;
        }
        let spread = w * xx - x * x;
        if spread <= 1e-9 * w * xx {
            // All moves touch equally many states, or there is nothing to fit.
            return if w > 0.0 { Model { a: y / w, b: 0.0 } } else { guess };
        }
        let b = ((w * xy - x * y) / spread).max(0.0);
        Model { a: ((y - b * x) / w).max(0.0), b }
    }

    fn predict(self, touched: f64) -> f64 {
        self.a + self.b * touched
    }

    fn exceeds(self, touched: u64, ns: u64) -> bool {
        ns as f64 > EXCESS * self.predict(touched as f64) + SLACK_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Effort;

    /// A repetition of one trial; each move has the states that it touches and its time, or was not planned.
    fn repetition(stopwatch: &mut Stopwatch, moves: &[Option<(u64, u64)>], interrupted: &[usize]) -> bool {
        stopwatch.begin_repetition();
        stopwatch.begin_trial();
        for (place, planned) in moves.iter().enumerate() {
            stopwatch.interrupted = Some(interrupted.contains(&place));
            let planning = |(touched, ns)| Planning { effort: Effort { expanded: 1, touched }, ns };
            stopwatch.record(planned.map(planning));
        }
        stopwatch.end_repetition()
    }

    fn steady(count: usize, ns: u64) -> Vec<Option<(u64, u64)>> {
        vec![Some((8, ns)); count]
    }

    #[test]
    fn a_move_counts_with_its_minimum_over_the_repetitions() {
        let mut stopwatch = Stopwatch::default();
        stopwatch.begin();
        for slow in 0..3 {
            let mut moves = steady(10, 100);
            moves[slow] = Some((8, 8_000_000));
            assert!(repetition(&mut stopwatch, &moves, &[slow]));
        }
        let timing = stopwatch.timing(7, None);
        assert_eq!((timing.max_ns, timing.first_ns, timing.cold_first_ns, timing.repeats), (100, 100, 7, 3));
        assert_eq!(timing.disturbed, 0);
    }

    #[test]
    fn quantiles_are_over_planned_moves_only() {
        let mut stopwatch = Stopwatch::default();
        stopwatch.begin();
        let mut moves = vec![None; 857];
        moves[0] = Some((90_000, 5_400_000));
        assert!(repetition(&mut stopwatch, &moves, &[]));
        let timing = stopwatch.timing(0, None);
        assert_eq!([timing.p99_ns, timing.p999_ns, timing.max_ns], [5_400_000; 3]);
        assert_eq!(timing.histogram.iter().map(|each| each.count).sum::<u64>(), 1);
    }

    #[test]
    fn a_move_is_disturbed_if_it_is_interrupted_in_every_repetition() {
        let (mut moves, mut stopwatch) = (steady(50, 100), Stopwatch::default());
        moves[20] = Some((8, 4_000_000));
        moves[30] = Some((8, 4_000_000));
        // A long move that the model predicts is not disturbed.
        moves[40] = Some((400_000, 5_000_000));
        stopwatch.begin();
        repetition(&mut stopwatch, &moves, &[]);
        assert_eq!(stopwatch.disturbed(), 2);
        repetition(&mut stopwatch, &moves, &[20, 30]);
        assert_eq!(stopwatch.disturbed(), 2);
        // Move 30 is slow without an interruption: that is how long the agent takes.
        repetition(&mut stopwatch, &moves, &[20]);
        assert_eq!(stopwatch.disturbed(), 1);
        moves[20] = Some((8, 120));
        repetition(&mut stopwatch, &moves, &[20]);
        assert_eq!(stopwatch.disturbed(), 0);
        assert_eq!(stopwatch.timing(0, None).worst_ns, [5_000_000; 4]);
    }

    #[test]
    fn short_moves_are_watched_only_in_every_other_repetition() {
        let (mut moves, mut stopwatch) = (steady(50, 100), Stopwatch::default());
        moves[20] = Some((8, 9_000));
        moves[30] = Some((400_000, 5_000_000));
        let mut watched = Vec::new();
        stopwatch.begin();
        for _ in 0..5 {
            let places = (0..50).filter(|place| {
                stopwatch.times = vec![0; *place];
                stopwatch.watch().0.is_some()
            });
            watched.push(places.collect::<Vec<_>>());
            repetition(&mut stopwatch, &moves, &[20]);
        }
        assert_eq!(watched, [vec![], vec![30], vec![20, 30], vec![30], vec![20, 30]]);
        assert_eq!(stopwatch.disturbed(), 1);
        moves[20] = Some((8, 120));
        repetition(&mut stopwatch, &moves, &[]);
        assert_eq!(stopwatch.disturbed(), 0);
    }

    #[test]
    fn the_worst_move_settles_when_its_two_fastest_repetitions_agree() {
        let mut stopwatch = Stopwatch::default();
        stopwatch.begin();
        let settled = [2_000, 1_500, 1_200, 1_400, 1_240].map(|ns| {
            let mut moves = steady(10, 100);
            moves[5] = Some((8, ns));
            repetition(&mut stopwatch, &moves, &[]);
            stopwatch.is_settled()
        });
        assert_eq!(settled, [false, false, false, false, true]);
        assert_eq!(stopwatch.timing(0, None).max_ns, 1_200);
    }

    #[test]
    fn a_move_exceeds_the_limit_only_if_it_does_in_every_repetition() {
        let mut stopwatch = Stopwatch::default();
        stopwatch.begin();
        let mut moves = vec![Some((8, 100)), None, Some((8, 900)), Some((8, 950))];
        repetition(&mut stopwatch, &moves, &[]);
        assert_eq!(stopwatch.too_slow(500).map(|slow| (slow.number, slow.ns)), Some((3, 900)));
        moves[2] = Some((8, 300));
        repetition(&mut stopwatch, &moves, &[]);
        let slow = stopwatch.too_slow(500);
        assert_eq!(slow.map(|slow| (slow.number, slow.ns)), Some((4, 950)));
        assert!(stopwatch.too_slow(950).is_none());
        let before = TooSlow { number: 3, ns: 0, limit_ns: 0 };
        assert_eq!(stopwatch.timing(0, Some(before)).max_ns, 300);
    }

    #[test]
    fn a_repetition_with_other_moves_does_not_count() {
        let mut stopwatch = Stopwatch::default();
        stopwatch.begin();
        assert!(repetition(&mut stopwatch, &steady(5, 100), &[]));
        assert!(!repetition(&mut stopwatch, &steady(6, 50), &[]));
        assert_eq!((stopwatch.timing(0, None).max_ns, stopwatch.timing(0, None).repeats), (100, 1));
    }
}
