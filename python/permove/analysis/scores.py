"""Scores: how the values of an agent on several problems become one number.

A mean can be dominated by a few hard problems; the other scores describe typical or bad cases. All resamples of the
bootstrap are scored at once, from the counts of the problems in each.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from permove.analysis.statistics import Resamples, Values
from permove.common.errors import InputError


@dataclass(frozen=True)
class Score:
    """A score: its name, its words in sentences, and how it is computed."""

    name: str
    words: str
    expression: Callable[[pl.Expr], pl.Expr]
    """The score of a column without missing values, as an aggregation."""
    resampled: Callable[[Resamples, Values], Values]
    """The score in each resample (row) of each agent (column), from an array of agents by problems, in which missing
    values are nan."""

    def of(self, values: Values) -> float:
        """Return the score of some values, without those that are nan; nan if there are none."""
        found = pl.Series("values", values[~np.isnan(values)], pl.Float64).to_frame().select(self.column("values"))
        return math.nan if found.item() is None else float(found.item())

    def column(self, name: str) -> pl.Expr:
        """Return the score of a column as an aggregation; null if it has no values."""
        return self.expression(pl.col(name).cast(pl.Float64).drop_nulls())

    def columns(self, name: str) -> dict[str, pl.Expr]:
        """Return the score of a column as `name`, and its standard error as `name_se`; null unless it is the mean."""
        error = pl.col(name).std() / pl.col(name).count().sqrt() if self.name == "mean" else pl.lit(None, pl.Float64)
        return {name: self.column(name), f"{name}_se": error}


def _sorted(resamples: Resamples, values: Values, score: Callable[[Values, Values], Values]) -> Values:
    """Score every agent with a function of its sorted values and of how many values of a resample are up to each."""
    found = np.full((resamples.count, len(values)), np.nan)
    for agent, own in enumerate(values):
        known = np.flatnonzero(~np.isnan(own))
        order = known[np.argsort(own[known], kind="stable")]
        if len(order):
            parts = [score(own[order], counts[:, order].cumsum(axis=1)) for counts in resamples.counts()]
            found[:, agent] = np.concatenate(parts)
    return found


def _quantile(share: float) -> Callable[[Resamples, Values], Values]:
    def score(values: Values, up_to: Values) -> Values:
        total = up_to[:, -1]
        position = share * np.maximum(total - 1, 0)
        low = np.floor(position)
        ends = [
            values[np.minimum((up_to <= at[:, None]).sum(axis=1), len(values) - 1)] for at in (low, np.ceil(position))
        ]
        return np.where(total > 0, ends[0] + (position - low) * (ends[1] - ends[0]), np.nan)

    return lambda resamples, values: _sorted(resamples, values, score)


def _interquartile_mean(resamples: Resamples, values: Values) -> Values:
    def score(values: Values, up_to: Values) -> Values:
        total = up_to[:, -1:]
        cut = np.floor(total / 4)
        inside = np.diff(np.clip(up_to, cut, total - cut), axis=1, prepend=cut)
        with np.errstate(invalid="ignore"):
            mean: Values = inside @ values / (total - 2 * cut)[:, 0]
        return mean

    return _sorted(resamples, values, score)


def _geometric_mean(resamples: Resamples, values: Values) -> Values:
    # A single zero makes the mean zero; its logarithm would make every resample nan, even those without it.
    zero = np.where(np.isnan(values), np.nan, (values <= 0).astype(float))
    logarithms = np.log(np.where(values > 0, values, np.where(np.isnan(values), np.nan, 1.0)))
    found: Values = np.where(resamples.means(zero) > 0, 0.0, np.exp(resamples.means(logarithms)))
    return found


def _cut(values: pl.Expr) -> pl.Expr:
    count = values.len().cast(pl.Int64)
    return values.sort().slice(count // 4, count - 2 * (count // 4))


MEAN = Score("mean", "mean", lambda values: values.mean(), Resamples.means)
MEDIAN = Score("median", "median", lambda values: values.median(), _quantile(0.5))

SCORES = {
    score.name: score
    for score in (
        MEAN,
        MEDIAN,
        # Sorted, so that the rounding does not depend on the order of the problems.
        Score("gmean", "geometric mean", lambda values: values.sort().log().mean().exp(), _geometric_mean),
        Score("iqm", "interquartile mean", lambda values: _cut(values).mean(), _interquartile_mean),
        Score("p95", "95th percentile", lambda values: values.quantile(0.95, "linear"), _quantile(0.95)),
    )
}
"""All scores by name. The interquartile mean omits a quarter of the values, rounded down, at both ends, as rliable."""


def find_score(name: str) -> Score:
    """Return the score of a name."""
    if name not in SCORES:
        raise InputError(f"unknown score '{name}'; choose one of {', '.join(SCORES)}")
    return SCORES[name]


def concentrated(name: str) -> pl.Expr:
    """Return whether a tenth of the values, rounded down, contributes more than half of their excess over 1."""
    excess = (pl.col(name).drop_nulls() - 1).sort(descending=True)
    return excess.head(excess.len() // 10).sum() > excess.sum() / 2
