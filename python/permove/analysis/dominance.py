"""Dominance between agents in two measures, on average and problem by problem with dominance ratios.

One agent dominates another if it is no worse in both measures and better in at least one; less is better in every
measure. Definition 5.1 of graph-abstraction-2007 omits the second condition; without it, tied agents would dominate
each other. Dominance ratios are defined in its Appendix E.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.analysis.outcomes import SOLVED
from permove.analysis.statistics import Resamples, Values, interval


def dominance(means: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """Sort a frame with one row per agent by two of its columns, and add the column `dominated`.

    It says whether another agent dominates this one. Agents without a value in one of the columns are excluded.
    """
    known = means.drop_nulls([x, y]).sort(x, y)
    lost = dominates(known[x].to_numpy(), known[y].to_numpy()).any(axis=0)
    return known.with_columns(dominated=pl.Series(lost, dtype=pl.Boolean))


def dominates(x: Values, y: Values) -> NDArray[np.bool_]:
    """Return a matrix: whether the agent of a row dominates the agent of a column in two measures."""
    return _dominates(x[:, None], y[:, None], x, y)


def contests(records: pl.DataFrame, pairs: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """Count for each of the `pairs` of agents `one` and `other` on how many problems either is better.

    | column | meaning |
    | --- | --- |
    | one, other | the agents |
    | problems | number of problems that both solved |
    | one_x, other_x | number of problems on which the agent is better in the first measure |
    | one_y, other_y | number of problems on which the agent is better in the second measure |
    | one_dominates, other_dominates | number of problems on which the agent dominates |
    | ratio | dominance ratio: one_dominates / other_dominates; infinite if only the second is 0 |
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
    """Return `contests` with the bootstrap interval of each ratio, `ratio_low` to `ratio_high`."""
    found = contests(records, pairs, x, y)
    agents = list(dict.fromkeys([*pairs["one"], *pairs["other"]]))
    row = {agent: number for number, agent in enumerate(agents)}
    xs, ys = _table(records, agents, x), _table(records, agents, y)
    one, other = ([row[agent] for agent in found[name]] for name in ("one", "other"))
    won = _dominates(xs[one], ys[one], xs[other], ys[other]).astype(np.float64)
    lost = _dominates(xs[other], ys[other], xs[one], ys[one]).astype(np.float64)
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
"""Columns of `contests`."""


def _dominates(x: Values, y: Values, other_x: Values, other_y: Values) -> NDArray[np.bool_]:
    """Return element by element whether `x` and `y` dominate `other_x` and `other_y`."""
    return (x <= other_x) & (y <= other_y) & ((x < other_x) | (y < other_y))


def _table(records: pl.DataFrame, agents: list[str], measure: str) -> Values:
    """Return a measure as an array of agents by problems; nan if the problem was not solved."""
    solved = records.filter(SOLVED & pl.col("agent").is_in(agents)).sort("agent")
    table = solved.pivot("agent", index=["set", "map", "problem"], values=measure)
    missing = [pl.lit(None, pl.Float64).alias(agent) for agent in agents if agent not in table.columns]
    return table.with_columns(missing).select(pl.col(agents).cast(pl.Float64).fill_null(np.nan)).to_numpy().T


def _contest(one: tuple[Values, Values], other: tuple[Values, Values]) -> dict[str, float]:
    both = ~np.isnan(one[0] + one[1] + other[0] + other[1])
    (one_x, one_y), (other_x, other_y) = ([values[both] for values in agent] for agent in (one, other))
    won = int(_dominates(one_x, one_y, other_x, other_y).sum())
    lost = int(_dominates(other_x, other_y, one_x, one_y).sum())
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
