"""Convergence curves: what trial after trial costs until nothing is learned any more, over the same problems all along.

A problem on which an agent has converged stays at its final trial, so that a curve falls to what was reached in the
end, and none falls only because hard problems have dropped out of the mean.
"""

import numpy as np
import polars as pl

from permove.analysis.belonging import PROBLEM
from permove.analysis.statistics import Resamples, interval, standard_error
from permove.common.errors import InputError

MEASURES = {
    "travel": "travel in optimal costs",
    "moves": "moves",
    "expanded": "states expanded",
    "touched": "states touched",
    "time_ns": "time",
    "first_move_expanded": "states expanded for the first move",
    "changes": "changes of heuristic values",
}
"""What a trial has to show."""

STEPS = (1, 2, 5)
"""The trials that a curve is told at, and these times ten, a hundred, ..."""


def curves(trials: pl.DataFrame, measure: str = "travel", *, seed: int = 0) -> pl.DataFrame:
    """One row for each agent at each of some trials: 1, 2, 5, 10, ... and the last that any agent needed.

    | column | meaning |
    | --- | --- |
    | label, agent, trial | whose, and when |
    | problems, going | how many it walked, and on how many it goes on after this trial |
    | mean, se, low, high | the measure in that trial, or in the final one where it came before; with its interval |
    """
    if trials.is_empty():
        raise InputError("the run walked each problem once; `permove run --trials converge` learns, trial after trial")
    if measure not in MEASURES:
        raise InputError(f"a trial has no measure '{measure}'; there are {', '.join(MEASURES)}")
    value = pl.col(measure) / pl.col("optimal") if measure == "travel" else pl.col(measure).cast(pl.Float64)
    ordered = trials.select("label", "agent", *PROBLEM, "trial", value=value).sort("agent", *PROBLEM, "trial")
    last = ordered.group_by("agent", *PROBLEM, maintain_order=True).agg(last=pl.col("trial").max())
    rows = [row for mark in _marks(int(last["last"].to_numpy().max())) for row in _at(ordered, last, mark, seed)]
    return (
        pl.DataFrame(rows, infer_schema_length=None)
        .sort("agent", "trial")
        .with_columns(pl.col("se", "low", "high").cast(pl.Float64).fill_nan(None))
    )


def _marks(most: int) -> list[int]:
    marks = [step * 10**power for power in range(len(str(most))) for step in STEPS]
    return [mark for mark in marks if mark < most] + [most]


def _at(ordered: pl.DataFrame, last: pl.DataFrame, mark: int, seed: int) -> list[dict[str, object]]:
    """The row of each agent at one trial."""
    now = ordered.filter(pl.col("trial") <= mark).group_by("agent", *PROBLEM, maintain_order=True).last()
    going = dict(last.group_by("agent").agg((pl.col("last") > mark).sum()).iter_rows())
    rows: list[dict[str, object]] = []
    for own in now.partition_by("agent", maintain_order=True):
        values = own["value"].to_numpy()
        known = values[~np.isnan(values)]
        several = len(known) > 1
        low, high = interval(Resamples(len(values), seed=seed).means(values[None, :])) if several else ([np.nan],) * 2
        rows.append(
            {
                "label": own["label"][0],
                "agent": own["agent"][0],
                "trial": mark,
                "problems": own.height,
                "going": going[own["agent"][0]],
                "mean": float(known.mean()) if len(known) else None,
                "se": standard_error(known),
                "low": float(low[0]),
                "high": float(high[0]),
            }
        )
    return rows
