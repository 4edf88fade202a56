"""Which agents trade off two measures best: dominance on average, and problem by problem with dominance ratios.

After Definition 5.1 and Appendix E of graph-abstraction-2007: one agent dominates another if it is not worse in either
of two measures and, which the paper leaves out and without which agents that tie would dominate each other, better in
one of them. Of every measure less is better.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.analysis.endings import SOLVED
from permove.analysis.statistics import Resamples, Values, interval


def dominance(means: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """A frame with one row per agent, such as that of `convergence`, along the trade-off between two of its columns.

    Agents that have no figure in one of them are left out. The column `dominated` tells whether another agent
    dominates this one.
    """
    known = means.drop_nulls([x, y]).sort(x, y)
    lost = dominates(known[x].to_numpy(), known[y].to_numpy()).any(axis=0)
    return known.with_columns(dominated=pl.Series(lost, dtype=pl.Boolean))


def dominates(x: Values, y: Values) -> NDArray[np.bool_]:
    """Whether the agent of a row dominates the agent of a column, by what they have in two measures."""
    return _beats(x[:, None], y[:, None], x, y)


def contests(records: pl.DataFrame, pairs: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """For each of the `pairs`, with agents `one` and `other`, on how many problems which of them is better.

    | column | meaning |
    | --- | --- |
    | one, other | the agents |
    | problems | how many both solved |
    | one_x, other_x | on how many of these one of them is better in the first measure |
    | one_y, other_y | in the second |
    | one_dominates, other_dominates | on how many it dominates |
    | ratio | the dominance ratio: the first of these over the second, infinite where that is 0 and the first is not |
    """
    agents = list(dict.fromkeys([*pairs["one"], *pairs["other"]]))
    row = {agent: number for number, agent in enumerate(agents)}
    xs, ys = _table(records, agents, x), _table(records, agents, y)
    found = [
        {"one": one, "other": other} | _contest((xs[row[one]], ys[row[one]]), (xs[row[other]], ys[row[other]]))
        for one, other in pairs.select("one", "other").iter_rows()
    ]
    return pl.DataFrame(found, schema=CONTESTS)


def ratios(records: pl.DataFrame, pairs: pl.DataFrame, x: str, y: str, *, seed: int = 0) -> pl.DataFrame:
    """`contests` with the ends of the bootstrap interval of each ratio, `ratio_low` and `ratio_high`."""
    found = contests(records, pairs, x, y)
    agents = list(dict.fromkeys([*pairs["one"], *pairs["other"]]))
    row = {agent: number for number, agent in enumerate(agents)}
    xs, ys = _table(records, agents, x), _table(records, agents, y)
    one, other = ([row[agent] for agent in found[name]] for name in ("one", "other"))
    won = _beats(xs[one], ys[one], xs[other], ys[other]).astype(np.float64)
    lost = _beats(xs[other], ys[other], xs[one], ys[one]).astype(np.float64)
    low, high = interval(Resamples(xs.shape[1], seed=seed).ratios(won, lost))
    return found.with_columns(ratio_low=pl.Series(low, dtype=pl.Float64), ratio_high=pl.Series(high, dtype=pl.Float64))


CONTESTS = pl.Schema(
    {
        "one": pl.String,
        "other": pl.String,
        "problems": pl.Int64,
        "one_x": pl.Int64,
        "other_x": pl.Int64,
        "one_y": pl.Int64,
        "other_y": pl.Int64,
        "one_dominates": pl.Int64,
        "other_dominates": pl.Int64,
        "ratio": pl.Float64,
    }
)
"""The columns of `contests`."""


def _beats(x: Values, y: Values, other_x: Values, other_y: Values) -> NDArray[np.bool_]:
    """Where the first two measures dominate the other two."""
    return (x <= other_x) & (y <= other_y) & ((x < other_x) | (y < other_y))


def _table(records: pl.DataFrame, agents: list[str], measure: str) -> Values:
    """A row for each agent, a column for each problem; nan where it was not solved."""
    solved = records.filter(SOLVED & pl.col("agent").is_in(agents)).sort("agent")
    table = solved.pivot("agent", index=["set", "map", "problem"], values=measure)
    missing = [pl.lit(None, pl.Float64).alias(agent) for agent in agents if agent not in table.columns]
    return table.with_columns(missing).select(pl.col(agents).cast(pl.Float64).fill_null(np.nan)).to_numpy().T


def _contest(one: tuple[Values, Values], other: tuple[Values, Values]) -> dict[str, float]:
    both = ~np.isnan(one[0] + one[1] + other[0] + other[1])
    (one_x, one_y), (other_x, other_y) = ([values[both] for values in agent] for agent in (one, other))
    won = int(_beats(one_x, one_y, other_x, other_y).sum())
    lost = int(_beats(other_x, other_y, one_x, one_y).sum())
    return {
        "problems": int(both.sum()),
        "one_x": int((one_x < other_x).sum()),
        "other_x": int((other_x < one_x).sum()),
        "one_y": int((one_y < other_y).sum()),
        "other_y": int((other_y < one_y).sum()),
        "one_dominates": won,
        "other_dominates": lost,
        "ratio": won / lost if lost else (np.inf if won else np.nan),
    }
