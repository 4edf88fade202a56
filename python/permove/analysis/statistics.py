"""Errors of means, of ratios and of differences between agents that walked the same problems, and correlation.

The bootstrap draws problems, not records: every agent is seen on the same ones, so that what a resample tells of two
agents is a paired comparison.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from permove.common.draws import stream

Values = NDArray[np.float64]

RESAMPLES = 1000
"""How often the problems are drawn anew where nobody says otherwise."""

CONFIDENCE = 0.95
"""What an interval is expected to hold."""

PIECE = 2**24
"""How many counts of problems are held at a time; where all are fewer, they are kept."""


def standard_error(values: Values) -> float:
    """The standard deviation of a mean; nan for fewer than two values."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def ratio_error(over: Values, under: Values) -> float:
    """The standard error of a ratio of totals: that of the mean residual, relative to the mean below the line."""
    return standard_error(over - over.sum() / under.sum() * under) / float(under.mean())


def paired(one: Values, other: Values) -> tuple[float, float]:
    """The mean difference between two agents on the same problems, and its standard error."""
    difference = one - other
    return float(difference.mean()), standard_error(difference)


def correlation(one: Values, other: Values) -> float:
    """Pearson's coefficient of correlation; nan where one of them does not vary."""
    one, other = one - one.mean(), other - other.mean()
    scale = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / scale if scale > 0 else math.nan


class Resamples:
    """Problems drawn anew, with replacement, as many as there are and many times; decided by their number and the seed.

    Values are tables with a row for each agent and a column for each problem; nan where there is none.
    """

    def __init__(self, problems: int, *, seed: int = 0, count: int = RESAMPLES) -> None:
        self.problems, self.seed, self.count = problems, seed, count
        self._kept: list[Values] | None = None

    def means(self, values: Values) -> Values:
        """The mean of each agent, a column each, in each resample; nan where nothing was drawn that it has."""
        return self.ratios(values, np.where(np.isnan(values), np.nan, 1.0))

    def ratios(self, over: Values, under: Values) -> Values:
        """The ratio of two totals of each agent, a column each, in each resample."""
        there = ~np.isnan(over + under)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio: Values = self._totals(np.where(there, over, 0.0)) / self._totals(np.where(there, under, 0.0))
        return ratio

    def _totals(self, values: Values) -> Values:
        return np.concatenate([counts @ values.T for counts in self._counts()])

    def _counts(self) -> Iterator[Values]:
        """How often each problem was drawn: a row for each resample, some at a time."""
        if self._kept is not None:
            yield from self._kept
            return
        piece = max(PIECE // max(self.problems, 1), 1)
        drawn = (self._drawn(first, min(first + piece, self.count)) for first in range(0, self.count, piece))
        if self.count * self.problems <= PIECE:
            self._kept = list(drawn)
            yield from self._kept
        else:
            yield from drawn

    def _drawn(self, first: int, last: int) -> Values:
        counts = np.empty((last - first, self.problems))
        for row, number in enumerate(range(first, last)):
            # The upper bits of a draw, so that their remainders favour no problem by more than 1 in 2^32.
            drawn = (stream(self.seed, f"resample {number}", self.problems) >> np.uint64(11)) % np.uint64(self.problems)
            counts[row] = np.bincount(drawn.astype(np.int64), minlength=self.problems)
        return counts


def interval(samples: Values, confidence: float = CONFIDENCE) -> tuple[Values, Values]:
    """The ends of the percentile interval of each column of resampled figures; nan where a column has none."""
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    # One of the samples, not something between two: ratios may be infinite.
    low, high = np.quantile(samples, ends, axis=0, method="inverted_cdf")
    # Where some resamples have no figure, which is rare and slow to look through, the others tell.
    holes = np.isnan(low) & ~np.isnan(samples).all(axis=0)
    if holes.any():
        low[holes], high[holes] = np.nanquantile(samples[:, holes], ends, axis=0, method="inverted_cdf")
    return low, high
