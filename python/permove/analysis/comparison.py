"""One agent against others, paired over the problems that both solved.

A difference is the agent's figure less the other's, so what is negative speaks for the agent: of every measure less is
better. Means and the wins on single problems are two questions, and a few hard problems can make them disagree: the
interval of the mean comes from a bootstrap over problems, the test of Wilcoxon looks at the ranks of the differences,
corrected after Holm for as many others as there are. A finding needs both.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.belonging import PROBLEM
from permove.analysis.dominance import contests
from permove.analysis.endings import SOLVED
from permove.analysis.measures import Measure, Table
from permove.analysis.statistics import CONFIDENCE, Resamples, Values, interval
from permove.common.errors import InputError

BETTER, WORSE, MIXED, NONE, SAME = "better", "worse", "mixed", "none", "same"
"""What is found: a difference by both means and ranks, one by either alone or against each other, none, or that all
figures are the same."""

GROUPS = ("bucket", "set", "map")
"""By what wins and losses may be told apart."""

MOST_BUCKETS = 8
"""Buckets are put together until there are no more."""

LEAST = 10
"""An interval of fewer problems of one place would say more than they know."""


def comparison(
    records: pl.DataFrame, one: str, others: Sequence[str], *, measure: Measure, against: Measure, seed: int = 0
) -> pl.DataFrame:
    """An agent, by its canonical spec, against each of several others.

    | column | meaning |
    | --- | --- |
    | other, label | the other agent |
    | problems | how many both solved, on which all that follows was taken |
    | one_solved, other_solved, walked | how many each solved of those that both walked |
    | one_mean, other_mean | of the measure |
    | difference, low, high | of the means, with its bootstrap interval |
    | wins, losses, ties | on how many problems the agent is better, worse, the same |
    | improvement, .._low, .._high | the probability that it is better on a problem, a tie counting half, and its \
bootstrap interval |
    | p, p_holm | of Wilcoxon's signed-rank test, and corrected for the number of others |
    | one_against, other_against | the measure that is traded off, pooled where it is one per move |
    | one_dominates, other_dominates | on how many problems one is in both measures not worse and in one better |
    | ratio | of these two: the dominance ratio (graph-abstraction-2007, Appendix E) |
    | finding | `better`, `worse`, `mixed`, `none` or `same` |
    """
    table = Table(records, seed=seed)
    missing = [agent for agent in (one, *others) if agent not in table.agents]
    if missing:
        raise InputError(f"there is no record of {missing[0]}; compare agents of the run")
    values, traded = table.values(measure.column), table.figures(against)
    row = {agent: number for number, agent in enumerate(table.agents)}
    found = [
        {"other": other, "one_against": _known(traded[row[one]]), "other_against": _known(traded[row[other]])}
        | _walked(records, one, other)
        | _paired(values[row[one]], values[row[other]], seed)
        for other in others
    ]
    corrected = _holm([pair["p"] for pair in found])
    frame = pl.DataFrame(found, schema_overrides=_SCHEMA).with_columns(p_holm=pl.Series(corrected, dtype=pl.Float64))
    pairs = pl.DataFrame({"one": [one] * len(others), "other": list(others)})
    met = contests(records, pairs, against.column, measure.column)
    dominance = met.select("other", *DOMINANCE)
    return (
        frame.join(dominance, on="other", how="left", maintain_order="left")
        .with_columns(finding=_finding())
        .select(*_SCHEMA, "p_holm", *DOMINANCE, "finding")
    )


def places(
    records: pl.DataFrame, one: str, other: str, *, measure: Measure, by: str = "map", seed: int = 0
) -> pl.DataFrame:
    """Where the agent wins and loses against another: a row for each set, map or some buckets, the greatest win first.

    Buckets come in order, and together where there are many: in about equal numbers of problems.

    | column | meaning |
    | --- | --- |
    | place | the buckets, the set, or the map with its set |
    | problems, wins, losses, ties | as in `comparison` |
    | one_mean, other_mean, difference, low, high | as there; no interval for fewer than `LEAST` problems |
    """
    if by not in GROUPS:
        raise InputError(f"wins and losses can be told apart by {', '.join(GROUPS)}, not by '{by}'; choose one of them")
    two = records.filter(pl.col("agent").is_in([one, other])).sort("bucket")
    names = {"bucket": _buckets(two["bucket"]), "set": two["set"], "map": two["set"] + "/" + two["map"]}
    two, found = two.with_columns(names[by].alias("place")), []
    for (place,), part in two.partition_by("place", as_dict=True, maintain_order=True).items():
        if part["agent"].n_unique() < 2:
            continue
        table = Table(part, seed=seed)
        mine, theirs = (table.values(measure.column)[table.agents.index(agent)] for agent in (one, other))
        pair = _paired(mine, theirs, seed, least=LEAST, tested=False)
        if pair["problems"]:
            found.append({"place": place} | {column: pair[column] for column in _PLACES if column != "place"})
    frame = pl.DataFrame(found, schema=_PLACES)
    return frame if by == "bucket" else frame.sort("difference", "place")


def _buckets(buckets: pl.Series) -> pl.Series:
    """The name of each row's buckets, in which they are all of some that follow on each other; rows are sorted."""
    part = (buckets.rank("min").cast(pl.Int64) - 1) * MOST_BUCKETS // len(buckets)
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
        "walked": pl.Int64,
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


def _walked(records: pl.DataFrame, one: str, other: str) -> dict[str, Any]:
    """How many problems both walked, and how many of these each solved."""
    mine, theirs = (records.filter(pl.col("agent") == agent) for agent in (one, other))
    both = [first.join(second, on=PROBLEM, how="semi") for first, second in ((mine, theirs), (theirs, mine))]
    one_solved, other_solved = (part.filter(SOLVED).height for part in both)
    label = theirs["label"][0]
    return {"label": label, "walked": both[0].height, "one_solved": one_solved, "other_solved": other_solved}


def _paired(mine: Values, theirs: Values, seed: int, *, least: int = 2, tested: bool = True) -> dict[str, Any]:
    """All that follows from the figures of two agents, problem by problem; nan where one was not solved."""
    both = ~np.isnan(mine + theirs)
    mine, theirs = mine[both], theirs[both]
    count, difference = len(mine), mine - theirs
    won = np.where(difference < 0, 1.0, np.where(difference > 0, 0.0, 0.5))
    nothing: dict[str, Any] = dict.fromkeys(("low", "high", "improvement_low", "improvement_high"))
    if count >= least:
        low, high = interval(Resamples(count, seed=seed).means(np.stack([difference, won])))
        nothing = {"low": low[0], "high": high[0], "improvement_low": low[1], "improvement_high": high[1]}
    return {
        "problems": count,
        "wins": int((difference < 0).sum()),
        "losses": int((difference > 0).sum()),
        "ties": int((difference == 0).sum()),
        "one_mean": float(mine.mean()) if count else None,
        "other_mean": float(theirs.mean()) if count else None,
        "difference": float(difference.mean()) if count else None,
        "improvement": float(won.mean()) if count else None,
        "p": _wilcoxon(difference) if tested and count else None,
        **nothing,
    }


def _wilcoxon(difference: Values) -> float:
    """The two-sided p of the signed-rank test; problems without a difference tell nothing of its direction."""
    if not difference.any():
        return 1.0
    from scipy.stats import wilcoxon

    return float(wilcoxon(difference[difference != 0]).pvalue)


def _holm(p: Sequence[float | None]) -> Values:
    """Holm's correction: the least times their number, the next times one less, and none below the one before it."""
    values = np.array(p, dtype=float)
    tested = int((~np.isnan(values)).sum())
    order = np.argsort(values)  # what was not tested comes last
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
