//! The effort of a trial, counted move by move.

use crate::cost::{CARDINAL, DIAGONAL, Length};
use crate::histogram::Histogram;
use crate::meter::Effort;

/// The planning of one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planning {
    /// In states.
    pub effort: Effort,
    /// In nanoseconds, in timed trials.
    pub ns: u64,
}

/// The counts of a trial so far.
#[derive(Default)]
pub(super) struct Ledger {
    /// The number of moves, the number of diagonal ones, and their cost.
    pub(super) moves: u64,
    diagonal: u64,
    pub(super) travelled: u64,
    pub(super) episodes: u64,
    pub(super) effort: Effort,
    /// Planning since the last move, which is charged to the next one.
    pub(super) pending: Planning,
    /// Whether there was an episode since the last move.
    is_planned: bool,
    pub(super) peaks: Peaks,
}

/// The moves that took more planning than those before them.
#[derive(Clone, Copy, Default)]
pub(super) struct Peaks {
    pub(super) first: Planning,
    /// The maxima of expanded and touched, possibly of different moves.
    pub(super) worst: Effort,
    /// The move with the maximum of expanded.
    pub(super) worst_move: u64,
}

impl Ledger {
    /// Adds an episode. `moves_before` is the number of moves of earlier trials. The histogram counts planned moves, so
    /// an episode that plans the same move again replaces the earlier one.
    #[inline(always)]
    pub(super) fn plan(&mut self, planning: Planning, moves_before: u64, histogram: &mut Histogram) {
        if self.is_planned {
            histogram.remove(self.pending.effort.expanded);
        }
        histogram.add(self.pending.effort.expanded + planning.effort.expanded);
        self.is_planned = true;
        self.episodes += 1;
        self.effort.add(planning.effort);
        self.pending.effort.add(planning.effort);
        self.pending.ns += planning.ns;
        let (Effort { expanded, touched }, worst) = (self.pending.effort, self.peaks.worst);
        if self.moves == 0 || expanded > worst.expanded || touched > worst.touched {
            self.peaks = self.peaks.with(self.pending, self.moves == 0, moves_before + self.moves + 1);
        }
    }

    /// Adds a move and returns its planning.
    #[inline(always)]
    pub(super) fn advance(&mut self, direction: u32) -> Planning {
        // Without a branch, which would be unpredictable.
        let is_diagonal = u64::from(direction & 1);
        self.moves += 1;
        self.diagonal += is_diagonal;
        self.travelled += u64::from(CARDINAL) + is_diagonal * u64::from(DIAGONAL - CARDINAL);
        self.is_planned = false;
        std::mem::take(&mut self.pending)
    }

    /// The distance travelled.
    pub(super) fn travel(&self) -> Length {
        Length { cardinal: self.moves - self.diagonal, diagonal: self.diagonal }
    }
}

impl Peaks {
    /// Adds the planning of a move. Cold, since few moves set a new maximum. By value, so that the counts of the loop
    /// stay in registers.
    #[cold]
    fn with(mut self, planning: Planning, is_first: bool, number: u64) -> Peaks {
        if is_first {
            self.first = planning;
        }
        if planning.effort.expanded > self.worst.expanded {
            (self.worst.expanded, self.worst_move) = (planning.effort.expanded, number);
        }
        self.worst.touched = self.worst.touched.max(planning.effort.touched);
        self
    }
}
