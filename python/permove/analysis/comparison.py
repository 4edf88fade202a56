"""Comparison of one agent with others, paired over the problems that both solved.

A difference is the agent's value minus the other's. Less is better for every measure, so a negative difference favours
the agent. A few hard problems can make the means and the wins on single problems disagree. The bootstrap over problems
gives an interval of the mean difference; Wilcoxon's test compares the ranks of the differences, with Holm's correction
for the number of other agents. A finding needs both.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.dominance import contests
from permove.analysis.measures import Measure, Table
from permove.analysis.outcomes import SOLVED
from permove.analysis.statistics import CONFIDENCE, Resamples, Values, interval
from permove.common.errors import InputError

BETTER, WORSE, MIXED, NONE, SAME = "better", "worse", "mixed", "none", "same"
"""Findings: `better` and `worse` if means and ranks agree, `mixed` if only one of them shows a difference or they
disagree, `none` if neither does, `same` if all values are equal."""

GROUPS = ("bucket", "set", "map")
"""Columns by which wins and losses can be grouped."""

MAX_BUCKETS = 8
"""Maximum number of groups of buckets; neighbouring buckets are merged."""

MIN_PROBLEMS = 10
"""Minimum number of problems in a group for which an interval is computed."""


def comparison(
    records: pl.DataFrame, one: str, others: Sequence[str], *, measure: Measure, against: Measure, seed: int = 0
) -> pl.DataFrame:
    """Compare an agent, named by its canonical spec, with each of several others.

    | column | meaning |
    | --- | --- |
    | other, label | the other agent |
    | problems | number of problems that both solved; the columns below are over these |
    | both_run, one_solved, other_solved | number of problems that both were run on, and how many of them each solved |
    | one_mean, other_mean | means of the measure |
    | difference, low, high | difference of the means, with its bootstrap interval |
    | wins, losses, ties | number of problems on which the agent is better, worse, equal |
    | improvement, .._low, .._high | probability of being better on a problem (a tie counts half), with its bootstrap \
interval |
    | p, p_holm | p-value of Wilcoxon's signed-rank test, and with Holm's correction for the number of others |
    | one_against, other_against | the measure that is traded off, pooled if it is a measure per move |
    | one_dominates, other_dominates | number of problems on which the agent dominates the other in both measures |
    | ratio | dominance ratio: one_dominates / other_dominates (graph-abstraction-2007, Appendix E) |
    | finding | `better`, `worse`, `mixed`, `none` or `same` |
    """
    table = Table(records, seed=seed)
    missing = [agent for agent in (one, *others) if agent not in table.agents]
    if missing:
        raise InputError(f"{missing[0]} has no records; compare agents of the run")
    values, traded = table.values(measure.column), table.aggregate(against)
    row = {agent: number for number, agent in enumerate(table.agents)}
    found = [
        {"other": other, "one_against": _known(traded[row[one]]), "other_against": _known(traded[row[other]])}
        | _solved_counts(records, one, other)
        | _paired(values[row[one]], values[row[other]], seed)
        for other in others
    ]
    corrected = _holm([pair["p"] for pair in found])
    frame = pl.DataFrame(found, schema_overrides=_SCHEMA).with_columns(p_holm=pl.Series(corrected, dtype=pl.Float64))
    pairs = pl.DataFrame({"one": [one] * len(others), "other": list(others)})
    dominance = contests(records, pairs, against.column, measure.column).select("other", *DOMINANCE)
    return (
        frame.join(dominance, on="other", how="left", maintain_order="left")
        .with_columns(finding=_finding())
        .select(*_SCHEMA, "p_holm", *DOMINANCE, "finding")
    )


def places(
    records: pl.DataFrame, one: str, other: str, *, measure: Measure, by: str = "map", seed: int = 0
) -> pl.DataFrame:
    """Return an agent's wins and losses against another agent by set, map or bucket, the greatest win first.

    Buckets are in order. Neighbouring buckets are merged into at most `MAX_BUCKETS` groups of similar size.

    | column | meaning |
    | --- | --- |
    | place | the buckets, the set, or the map with its set |
    | problems, wins, losses, ties | as in `comparison` |
    | one_mean, other_mean, difference, low, high | as in `comparison`; no interval below `MIN_PROBLEMS` problems |
    """
    if by not in GROUPS:
        raise InputError(f"cannot group wins and losses by '{by}'; choose one of {', '.join(GROUPS)}")
    two = records.filter(pl.col("agent").is_in([one, other])).sort("bucket")
    names = {"bucket": _buckets(two["bucket"]), "set": two["set"], "map": two["set"] + "/" + two["map"]}
    two, found = two.with_columns(names[by].alias("place")), []
    for (place,), part in two.partition_by("place", as_dict=True, maintain_order=True).items():
        if part["agent"].n_unique() < 2:
            continue
        table = Table(part, seed=seed)
        values = table.values(measure.column)[[table.agents.index(agent) for agent in (one, other)]]
        pair = _paired(values[0], values[1], seed, min_problems=MIN_PROBLEMS, tested=False)
        if pair["problems"]:
            found.append({"place": place} | {column: pair[column] for column in _PLACES if column != "place"})
    frame = pl.DataFrame(found, schema=_PLACES)
    return frame if by == "bucket" else frame.sort("difference", "place")


def _buckets(buckets: pl.Series) -> pl.Series:
    """Return for each row the name of its group of consecutive buckets; rows are sorted by bucket."""
    part = (buckets.rank("min").cast(pl.Int64) - 1) * MAX_BUCKETS // len(buckets)
    ends = pl.DataFrame({"part": part, "bucket": buckets})
    first, last = (getattr(pl.col("bucket"), end)().over("part") for end in ("min", "max"))
    one = pl.when(first == last).then(pl.format("bucket {}", first))
    return ends.select(one.otherwise(pl.format("buckets {} to {}", first, last))).to_series()


_COUNTS = dict.fromkeys(("problems", "wins", "losses", "ties"), pl.Int64)
_MEANS = dict.fromkeys(("one_mean", "other_mean", "difference", "low", "high"), pl.Float64)
_PLACES = pl.Schema({"place": pl.String, **_COUNTS, **_MEANS})
_SCHEMA = pl.Schema(
    {
        "other": pl.String,
        "label": pl.String,
        "both_run": pl.Int64,
        "one_solved": pl.Int64,
        "other_solved": pl.Int64,
        **_COUNTS,
        **_MEANS,
        "improvement": pl.Float64,
        "improvement_low": pl.Float64,
        "improvement_high": pl.Float64,
        "one_against": pl.Float64,
        "other_against": pl.Float64,
        "p": pl.Float64,
    }
)
DOMINANCE = ("one_dominates", "other_dominates", "ratio")


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _solved_counts(records: pl.DataFrame, one: str, other: str) -> dict[str, Any]:
    """Count the problems that both agents were run on, and how many of them each solved."""
    first, second = (records.filter(pl.col("agent") == agent) for agent in (one, other))
    both = [left.join(right, on=PROBLEM, how="semi") for left, right in ((first, second), (second, first))]
    one_solved, other_solved = (part.filter(SOLVED).height for part in both)
    label = second["label"][0]
    return {"label": label, "both_run": both[0].height, "one_solved": one_solved, "other_solved": other_solved}


def _paired(one: Values, other: Values, seed: int, *, min_problems: int = 2, tested: bool = True) -> dict[str, Any]:
    """Compare the values of two agents problem by problem; a value is nan if the problem was not solved."""
    both = ~np.isnan(one + other)
    one, other = one[both], other[both]
    count, difference = len(one), one - other
    won = np.where(difference < 0, 1.0, np.where(difference > 0, 0.0, 0.5))
    ends: dict[str, Any] = dict.fromkeys(("low", "high", "improvement_low", "improvement_high"))
    if count >= min_problems:
        low, high = interval(Resamples(count, seed=seed).means(np.stack([difference, won])))
        ends = {"low": low[0], "high": high[0], "improvement_low": low[1], "improvement_high": high[1]}
    return {
        "problems": count,
        "wins": int((difference < 0).sum()),
        "losses": int((difference > 0).sum()),
        "ties": int((difference == 0).sum()),
        "one_mean": float(one.mean()) if count else None,
        "other_mean": float(other.mean()) if count else None,
        "difference": float(difference.mean()) if count else None,
        "improvement": float(won.mean()) if count else None,
        "p": _wilcoxon(difference) if tested and count else None,
        **ends,
    }


def _wilcoxon(difference: Values) -> float:
    """Return the two-sided p-value of the signed-rank test, without the problems on which the agents tie."""
    if not difference.any():
        return 1.0
    from scipy.stats import wilcoxon

    return float(wilcoxon(difference[difference != 0]).pvalue)


def _holm(p: Sequence[float | None]) -> Values:
    """Apply Holm's correction: multiply the smallest of n p-values by n, the next by n - 1, ..., in ascending order."""
    values = np.array(p, dtype=float)
    tested = int((~np.isnan(values)).sum())
    order = np.argsort(values)  # nan, for untested pairs, is last
    steps = values[order] * np.maximum(tested - np.arange(len(values)), 1)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def _finding() -> pl.Expr:
    by_mean = pl.when(pl.col("high") < 0).then(-1).when(pl.col("low") > 0).then(1).otherwise(0)
    is_found = pl.col("p_holm").fill_nan(None) < 1 - CONFIDENCE
    lower = pl.col("improvement") > 0.5
    by_rank = pl.when(is_found & lower).then(-1).when(is_found).then(1).otherwise(0)
    return (
        pl.when((pl.col("problems") > 0) & (pl.col("ties") == pl.col("problems")))
        .then(pl.lit(SAME))
        .when((by_mean == 0) & (by_rank == 0))
        .then(pl.lit(NONE))
        .when((by_mean == -1) & (by_rank == -1))
        .then(pl.lit(BETTER))
        .when((by_mean == 1) & (by_rank == 1))
        .then(pl.lit(WORSE))
        .otherwise(pl.lit(MIXED))
    )
