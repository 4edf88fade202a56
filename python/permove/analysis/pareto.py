"""The Pareto front of two measures: the agents that no other agent dominates (graph-abstraction-2007, Definition 5.1).

Only agents with values on the same problems are compared: means over different problems are not comparable.
"""

import numpy as np
import polars as pl

from permove.analysis.dominance import dominates
from permove.analysis.measures import Measure, Table
from permove.analysis.scores import MEAN, Score
from permove.analysis.statistics import Values
from permove.analysis.unsolved import Unsolved


def pareto(
    records: pl.DataFrame,
    x: Measure,
    y: Measure,
    *,
    rule: Unsolved | None = None,
    score: Score = MEAN,
    seed: int = 0,
) -> pl.DataFrame:
    """Return the agents along the trade-off between two measures: the columns of `Table.averages` for both, and

    | column | meaning |
    | --- | --- |
    | dominated | whether another agent dominates this one; null if the agent is not comparable |
    | dominated_by | label of a dominating agent: the one that is best in the second measure |
    | front | share of bootstrap resamples of the problems in which no agent dominates it |
    """
    table = Table(records, seed=seed, rule=rule, score=score)
    frame = table.averages([x, y] if x != y else [x])
    complete = pl.col("qualified") & (pl.col("counted") == table.problems.height)
    known = pl.all_horizontal(pl.col(x.column, y.column).is_not_null())
    comparable = frame.select(complete & known).to_series().to_numpy()
    at = np.flatnonzero(comparable)
    xs, ys = table.aggregate(x)[at], table.aggregate(y)[at]
    dominating = dominates(xs, ys)
    # The dominating agent that is best in y and, on ties, in x; None if there is none.
    order = np.lexsort((xs, ys))
    labels = frame["label"].gather(at)
    by = [next((labels[int(row)] for row in order if dominating[row, column]), None) for column in range(len(at))]
    one_problem = table.problems.height < 2
    front = [None] * len(at) if one_problem else _front_share(table.resampled(x)[:, at], table.resampled(y)[:, at])
    found = pl.DataFrame(
        {
            "agent": frame["agent"].gather(at),
            "dominated": dominating.any(axis=0),
            "dominated_by": by,
            "front": front,
        },
        schema_overrides={"dominated": pl.Boolean, "dominated_by": pl.String, "front": pl.Float64},
    )
    return frame.join(found, on="agent", how="left", maintain_order="left").sort(
        pl.col("dominated").is_null(), x.column, y.column, "agent", nulls_last=True
    )


def pairs_along(front: pl.DataFrame, max_agents: int) -> pl.DataFrame:
    """Return all pairs of undominated agents, for `contests`, of at most `max_agents` agents spread along the front."""
    agents = front.filter(pl.col("dominated").eq(False))["agent"].to_list()
    kept = [agents[round(at)] for at in np.linspace(0, len(agents) - 1, min(max_agents, len(agents)))]
    pairs = [(one, other) for at, one in enumerate(kept) for other in kept[at + 1 :]]
    return pl.DataFrame(pairs, schema={"one": pl.String, "other": pl.String}, orient="row")


def _front_share(xs: Values, ys: Values) -> Values:
    """Return for each agent (column) the share of resamples (rows) in which no agent dominates it."""
    undominated = np.zeros(xs.shape[1])
    for x, y in zip(xs, ys, strict=True):
        undominated += ~dominates(x, y).any(axis=0)
    return undominated / len(xs)
