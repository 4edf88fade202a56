"""Performance profiles: the share of problems within a factor of the optimum or of the best agent."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from permove.analysis.measures import Measure, Table
from permove.analysis.statistics import Values, interval
from permove.analysis.unsolved import Unsolved
from permove.common.errors import InputError

OPTIMUM, BEST = "optimum", "best"
"""References of profiles: the optimal cost, or the best ranked agent on each problem."""

FACTORS = (1.05, 1.1, 1.5, 2.0, 5.0, 10.0, 100.0)
"""Factors at which profiles are listed."""


def profiles(
    records: pl.DataFrame,
    measure: Measure,
    *,
    relative_to: str = OPTIMUM,
    factors: Sequence[float] = FACTORS,
    rule: Unsolved | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Return one row per ranked agent and factor, the agent that is most often within the factors first.

    | column | meaning |
    | --- | --- |
    | label, agent | the papers' notation and the canonical spec |
    | problems | number of problems that count, the same for all agents |
    | factor | the factor, such as 2 |
    | share, low, high | share of the problems on which the agent is within the factor, with its bootstrap interval |
    """
    rule = rule or Unsolved()
    table = Table(rule.comparable(records), rule=rule, seed=seed)
    values, problems = table.values(measure.column), table.problems.height
    if np.isnan(values).any():
        raise InputError(f"not all records have {measure.column}; choose another measure with --y")
    ratios = values if relative_to == OPTIMUM else _to_best(values)
    labels = dict(records.select("agent", "label").iter_rows())
    found = []
    for factor in factors:
        # The tolerance is that of rounding: a factor of 1 includes the best agent.
        within = (ratios <= factor * (1 + 1e-12)).astype(np.float64)
        low, high = interval(table.resamples.means(within)) if problems > 1 else (np.full(len(within), np.nan),) * 2
        shares = {"share": within.mean(axis=1), "low": low, "high": high}
        found.append(pl.DataFrame({"agent": table.agents, "factor": [float(factor)] * len(within), **shares}))
    return (
        pl.concat(found)
        .with_columns(
            label=pl.col("agent").replace_strict(labels, return_dtype=pl.String),
            problems=pl.lit(problems, pl.Int64),
            low=pl.col("low").fill_nan(None),
            high=pl.col("high").fill_nan(None),
        )
        .sort(-pl.col("share").sum().over("agent"), "agent", "factor")
        .select("label", "agent", "problems", "factor", "share", "low", "high")
    )


def _to_best(values: Values) -> Values:
    """Return the ratio of each value to the lowest one on its problem; 1 if both are zero."""
    best = values.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values == best, 1.0, values / best)
