"""The best solution so far against travel, trial by trial: what an agent has found if learning is stopped early."""

import numpy as np
import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.scores import MEDIAN
from permove.analysis.statistics import Resamples, Values, interval
from permove.common.errors import InputError

POINTS = 40
"""Maximum number of points of a curve."""

ROUNDING = 1e-6
"""Maximum difference of sums of the same costs in another order."""

NONE = 1e300
"""Stands for a problem without a solution: larger than any suboptimality, but finite, so that it can be sorted."""


def so_far(trials: pl.DataFrame) -> pl.DataFrame:
    """Return every trial with its agent's `cumulative_travel` on the problem, and the `shortest_so_far`.

    Of several replicas, only the first one counts.
    """
    if "replica" in trials.columns:
        trials = trials.filter(pl.col("replica") == pl.col("replica").min())
    each = ("agent", *PROBLEM)
    ordered = trials.sort(*each, "trial")
    return ordered.with_columns(
        cumulative_travel=pl.col("travel").cum_sum().over(each), shortest_so_far=pl.col("travel").cum_min().over(each)
    )


def nowhere_above(trials: pl.DataFrame, names: str, base: str, *others: str) -> dict[tuple[str, int], bool]:
    """Return for each map and problem whether all others have solutions as short as `base` at every amount of travel.

    `names` is the column with the names of the agents.
    """
    curves = so_far(trials)
    found = {}
    for place, part in curves.partition_by("map", "problem", as_dict=True, maintain_order=True).items():
        of = part.partition_by(names, as_dict=True)
        found[str(place[0]), int(str(place[1]))] = all(_below(of[(each,)], of[(base,)]) for each in others)
    return found


def _below(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether a curve is nowhere above another one, which starts at its first solution."""
    travel, limit = (other[name].to_numpy() + ROUNDING for name in ("cumulative_travel", "shortest_so_far"))
    at = np.searchsorted(one["cumulative_travel"].to_numpy(), travel, side="right") - 1
    shortest = np.where(at >= 0, one["shortest_so_far"].to_numpy()[np.maximum(at, 0)], np.inf)
    return bool((shortest <= limit).all())


def best_so_far(trials: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """Return one row per agent and amount of travel, in multiples of the optimal cost.

    | column | meaning |
    | --- | --- |
    | label, agent, travel | the agent, and its travel over all trials so far |
    | problems, solved | number of problems, and the share of those with a solution within this travel |
    | median, low, high | the median suboptimality of the best solutions so far, with its bootstrap interval |

    A problem without a solution counts as infinitely bad, so there is a median as soon as half of them have one.
    """
    if trials.is_empty():
        raise InputError("the run has one trial per problem; `permove run --trials converge` runs until convergence")
    curves = so_far(trials).with_columns(
        place=pl.col("cumulative_travel") / pl.col("optimal"), value=pl.col("shortest_so_far") / pl.col("optimal")
    )
    low, high = float(curves["place"].to_numpy().min()), float(curves["place"].to_numpy().max())
    grid = np.unique(np.geomspace(low, max(high, low * 1.01), POINTS).round(3))
    grid[-1] = max(grid[-1], high)
    rows = []
    for agent in curves.partition_by("agent", maintain_order=True):
        values = _on_grid(agent, grid)
        several = len(values) > 1
        resampled = MEDIAN.resampled(Resamples(len(values), seed=seed), values.T) if several else values
        lows, highs = interval(resampled)
        for at, travel in enumerate(grid.tolist()):
            rows.append(
                {
                    "label": agent["label"][0],
                    "agent": agent["agent"][0],
                    "travel": travel,
                    "problems": len(values),
                    "solved": float((values[:, at] < NONE).mean()),
                    "median": _known(float(np.median(values[:, at]))),
                    "low": _known(float(lows[at])) if several else None,
                    "high": _known(float(highs[at])) if several else None,
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def _on_grid(curves: pl.DataFrame, grid: Values) -> Values:
    """Return the best value so far at each amount of travel, problems × amounts."""
    rows = []
    for own in curves.partition_by(PROBLEM, maintain_order=True):
        at = np.searchsorted(own["place"].to_numpy(), grid + 1e-9, side="right") - 1
        rows.append(np.where(at >= 0, own["value"].to_numpy()[np.maximum(at, 0)], NONE))
    return np.array(rows)


def _known(value: float) -> float | None:
    """Return a median, or `None` if at least half of the problems have no solution."""
    return None if np.isnan(value) or value > NONE / 1e100 else value
