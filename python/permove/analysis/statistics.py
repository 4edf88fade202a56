"""Standard errors and bootstrap intervals of means, ratios and paired differences, and correlation.

The bootstrap resamples problems, not records. All agents use the same resampled problems, so a difference between two
agents in a resample is a paired comparison.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from permove.common.random_numbers import stream

Values = NDArray[np.float64]

RESAMPLES = 1000
"""Default number of resamples."""

CONFIDENCE = 0.95
"""Confidence level of intervals."""

PIECE = 2**24
"""Maximum number of problem counts in memory at a time; if all resamples fit, they are kept."""


def standard_error(values: Values) -> float:
    """Return the standard error of a mean; nan for fewer than two values."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def ratio_error(over: Values, under: Values) -> float:
    """Return the standard error of a ratio of totals: that of the mean residual, divided by the mean denominator."""
    return standard_error(over - over.sum() / under.sum() * under) / float(under.mean())


def paired(one: Values, other: Values) -> tuple[float, float]:
    """Return the mean difference between two agents on the same problems, and its standard error."""
    difference = one - other
    return float(difference.mean()), standard_error(difference)


def correlation(one: Values, other: Values) -> float:
    """Return Pearson's correlation coefficient; nan if one of the variables is constant."""
    one, other = one - one.mean(), other - other.mean()
    scale = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / scale if scale > 0 else math.nan


def mean_ranks(values: Values) -> Values:
    """Return the rank of each value, from 1; equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Values = (last - (counts - 1) / 2)[place]
    return ranks


MAX_EXACT = 50
"""Maximum number of differences for which Wilcoxon's test is exact; the counts of all signs are exact floats."""


def signed_rank_p(differences: Values) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test of differences that are not zero.

    Up to `MAX_EXACT` differences, all assignments of signs are counted, also if absolute differences are equal.
    """
    if not len(differences):
        return 1.0
    mean = mean_ranks(np.abs(differences))
    if len(differences) > MAX_EXACT:
        # Random signs give a rank sum with this standard deviation, which is nearly normal.
        deviation = float(mean @ np.sign(differences)) / math.sqrt(float(mean @ mean))
        return math.erfc(abs(deviation) / math.sqrt(2))
    # Mean ranks of equal differences are multiples of a half.
    ranks = (2 * mean).astype(np.int64)
    assignments = np.zeros(ranks.sum() + 1)
    assignments[0] = 1
    for rank in ranks:
        assignments[rank:] = assignments[rank:] + assignments[:-rank]
    observed = ranks[differences > 0].sum()
    tail = min(assignments[: observed + 1].sum(), assignments[observed:].sum())
    return float(min(1, 2 * tail / assignments.sum()))


class Resamples:
    """Bootstrap resamples of problems, drawn with replacement; determined by the number of problems and the seed.

    Values are arrays of agents (rows) by problems (columns); nan for missing values.
    """

    def __init__(self, problems: int, *, seed: int = 0, count: int = RESAMPLES) -> None:
        self.problems, self.seed, self.count = problems, seed, count
        self._kept: list[Values] | None = None

    def means(self, values: Values) -> Values:
        """Return the mean of each agent (column) in each resample (row); nan if the resample has none of its values."""
        return self.ratios(values, np.where(np.isnan(values), np.nan, 1.0))

    def ratios(self, over: Values, under: Values) -> Values:
        """Return the ratio of two totals for each agent (column) in each resample (row)."""
        known = ~np.isnan(over + under)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio: Values = self._totals(np.where(known, over, 0.0)) / self._totals(np.where(known, under, 0.0))
        return ratio

    def _totals(self, values: Values) -> Values:
        return np.concatenate([counts @ values.T for counts in self.counts()])

    def counts(self) -> Iterator[Values]:
        """Yield arrays of how often each resample (row) contains each problem (column), some resamples at a time."""
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
            # Only the upper bits are used: the remainders then favour no problem by more than 1 in 2^32.
            drawn = (stream(self.seed, f"resample {number}", self.problems) >> np.uint64(11)) % np.uint64(self.problems)
            counts[row] = np.bincount(drawn.astype(np.int64), minlength=self.problems)
        return counts


def interval(samples: Values, confidence: float = CONFIDENCE) -> tuple[Values, Values]:
    """Return the percentile interval of each column of resampled values; nan if a column has no values."""
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    # Ratios may be infinite, so the ends are samples, not interpolated values.
    low, high = np.quantile(samples, ends, axis=0, method="inverted_cdf")
    # Columns with some missing values are rare; nanquantile is slow, so only these use it.
    gaps = np.isnan(low) & ~np.isnan(samples).all(axis=0)
    if gaps.any():
        low[gaps], high[gaps] = np.nanquantile(samples[:, gaps], ends, axis=0, method="inverted_cdf")
    return low, high
