"""The Pareto front of two measures: whom nobody dominates (graph-abstraction-2007, Definition 5.1), and how surely.

Only agents that solved every problem compare: means over other problems would be of another difficulty.
"""

import numpy as np
import polars as pl

from permove.analysis.dominance import dominates
from permove.analysis.measures import Measure, Table
from permove.analysis.statistics import Values


def pareto(records: pl.DataFrame, x: Measure, y: Measure, *, seed: int = 0) -> pl.DataFrame:
    """The agents along the trade-off between two measures: the columns of `Table.averages` for both, and

    | column | meaning |
    | --- | --- |
    | dominated | whether another agent dominates this one; nothing where it does not compare |
    | dominated_by | the label of the one that does, of several the best in the second measure |
    | front | the share of bootstrap resamples of the problems in which nobody dominates it |
    """
    table = Table(records, seed=seed)
    frame = table.averages([x, y] if x != y else [x])
    solved_all = (pl.col("solved") == pl.col("problems")) & pl.col(x.column).is_not_null()
    compares = frame.select(solved_all & pl.col(y.column).is_not_null()).to_series().to_numpy()
    at = np.flatnonzero(compares)
    xs, ys = table.figures(x)[at], table.figures(y)[at]
    beaten = dominates(xs, ys)
    # Of the agents in a column the best in y, of equals the best in x; nobody where no one dominates it.
    order = np.lexsort((xs, ys))
    labels = frame["label"].gather(at)
    by = [next((labels[int(row)] for row in order if beaten[row, column]), None) for column in range(len(at))]
    one_problem = table.problems.height < 2
    front = [None] * len(at) if one_problem else _front_share(table.resampled(x)[:, at], table.resampled(y)[:, at])
    found = pl.DataFrame(
        {
            "agent": frame["agent"].gather(at),
            "dominated": beaten.any(axis=0),
            "dominated_by": by,
            "front": front,
        },
        schema_overrides={"dominated": pl.Boolean, "dominated_by": pl.String, "front": pl.Float64},
    )
    return frame.join(found, on="agent", how="left", maintain_order="left").sort(
        pl.col("dominated").is_null(), x.column, y.column, "agent", nulls_last=True
    )


def _front_share(xs: Values, ys: Values) -> Values:
    """In which share of the resamples, a row each, nobody dominates the agent of a column."""
    held = np.zeros(xs.shape[1])
    for x, y in zip(xs, ys, strict=True):
        held += ~dominates(x, y).any(axis=0)
    return held / len(xs)
