"""Comparison of one agent with others, paired over the problems that count for both.

A difference is the agent's value minus the other's. Less is better for every measure, so a negative difference favours
the agent. A few hard problems can make the means and the wins on single problems disagree. The bootstrap over problems
gives an interval of the difference of the means, or of another score; Wilcoxon's test compares the ranks of the
differences, with Holm's correction for the number of other agents. A finding needs both, and no fewer wins than losses.

An agent that exceeded the run's limit on planning per move is disqualified. It is compared on the problems that it
solved, which are the easier ones, so there is no finding.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.dominance import contests
from permove.analysis.measures import MEASURES, POOLED, WORST, Measure, Table
from permove.analysis.outcomes import OVER, SOLVED
from permove.analysis.scores import MEAN, Score
from permove.analysis.statistics import CONFIDENCE, Resamples, Values, interval, mean_ranks, signed_rank_p
from permove.analysis.unsolved import Unsolved, counted
from permove.common.errors import InputError

BETTER, WORSE, MIXED, NONE, SAME = "better", "worse", "mixed", "none", "same"
DISQUALIFIED, INCOMPARABLE = "disqualified", "incomparable"
"""Findings: `better` and `worse` if score, ranks and wins agree, `mixed` if only one of score and ranks shows a
difference or they disagree, `none` if neither does, `same` if all values are equal, `disqualified` if one of the agents
is, `incomparable` if no problem counts for both."""

GROUPS = ("bucket", "set", "map")
"""Columns by which wins and losses can be grouped."""

MAX_BUCKETS = 8
"""Maximum number of groups of buckets; neighbouring buckets are merged."""

MIN_PROBLEMS = 10
"""Minimum number of problems in a group for which an interval is computed."""


def comparison(
    records: pl.DataFrame,
    one: str,
    others: Sequence[str],
    *,
    measure: Measure,
    against: Measure,
    rule: Unsolved | None = None,
    score: Score = MEAN,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare an agent, named by its canonical spec, with each of several others.

    By default, the problems of a pair are those that both solved. With a `rule` they are the problems that count for
    all ranked agents among these, and on which a disqualified agent of the pair kept the limit.

    | column | meaning |
    | --- | --- |
    | other, label | the other agent |
    | both_run, one_solved, other_solved | number of problems that both were run on, and that each of them solved |
    | one_run, one_over, other_run, other_over | number of problems that each was run on, and exceeded the limit on |
    | problems | number of problems of the pair; the columns below are over these |
    | one_score, other_score | scores of the measure, by default means |
    | difference, low, high | difference of the scores, with its bootstrap interval |
    | wins, losses, ties | number of problems on which the agent is better, worse, equal |
    | improvement, .._low, .._high | probability of improvement, the share of wins in which a tie counts half, with \
its bootstrap interval |
    | ranks | rank sum of the losses minus that of the wins, divided by their sum; negative favours the agent |
    | p, p_holm | p-value of Wilcoxon's signed-rank test, and with Holm's correction for the number of others; null if \
one of the agents is disqualified |
    | one_against, other_against | the measure that is traded off, pooled if it is a measure per move |
    | one_visits, other_visits | scores of the visits per state; null if unknown |
    | one_dominates, other_dominates | number of problems on which the agent dominates the other in both measures |
    | ratio | dominance ratio: one_dominates / other_dominates (graph-abstraction-2007, Appendix E) |
    | finding | `better`, `worse`, `mixed`, `none`, `same`, `disqualified` or `incomparable` |
    """
    missing = [agent for agent in (one, *others) if agent not in records["agent"]]
    if missing:
        raise InputError(f"{missing[0]} has no records; compare agents of the run")
    table = Table(records.filter(pl.col("agent").is_in([one, *others])), rule=rule, score=score)
    found = []
    for other in others:
        counts = _outcomes(records, one, other)
        is_ranked = counts["one_over"] == counts["other_over"] == 0
        pair = _Pair(table, one, other, measure)
        found.append(
            {"other": other}
            | counts
            | pair.compared(score, seed)
            | {"ranks": pair.ranks(), "p": pair.p() if is_ranked and pair.count else None}
            | pair.scores("against", against)
            | pair.scores("visits", MEASURES["visits_per_state"])
        )
    corrected = _holm([pair["p"] for pair in found])
    frame = pl.DataFrame(found, schema_overrides=_SCHEMA).with_columns(
        p_holm=pl.Series(corrected, dtype=pl.Float64).fill_nan(None)
    )
    pairs = pl.DataFrame({"one": [one] * len(others), "other": list(others)})
    dominance = contests(table.counted, pairs, against.column, measure.column).select("other", *DOMINANCE)
    return (
        frame.join(dominance, on="other", how="left", maintain_order="left")
        .with_columns(finding=_finding())
        .select(*_SCHEMA, "p_holm", *DOMINANCE, "finding")
    )


def places(
    records: pl.DataFrame,
    one: str,
    other: str,
    *,
    measure: Measure,
    by: str = "map",
    rule: Unsolved | None = None,
    score: Score = MEAN,
    seed: int = 0,
) -> pl.DataFrame:
    """Return an agent's wins and losses against another agent by set, map or bucket, the greatest win first.

    Buckets are in order. Neighbouring buckets are merged into at most `MAX_BUCKETS` groups of similar size.

    | column | meaning |
    | --- | --- |
    | place | the buckets, the set, or the map with its set |
    | problems, wins, losses, ties | as in `comparison` |
    | one_score, other_score, difference, low, high | as in `comparison`; no interval below `MIN_PROBLEMS` problems |
    """
    if by not in GROUPS:
        raise InputError(f"cannot group wins and losses by '{by}'; choose one of {', '.join(GROUPS)}")
    two = counted(records.filter(pl.col("agent").is_in([one, other])), rule).sort("bucket")
    names = {"bucket": _buckets(two["bucket"]), "set": two["set"], "map": two["set"] + "/" + two["map"]}
    two, found = two.with_columns(names[by].alias("place")), []
    for (place,), part in two.partition_by("place", as_dict=True, maintain_order=True).items():
        if part["agent"].n_unique() < 2:
            continue
        pair = _Pair(Table(part, score=score), one, other, measure).compared(score, seed, min_problems=MIN_PROBLEMS)
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
_SCORES = dict.fromkeys(("one_score", "other_score", "difference", "low", "high"), pl.Float64)
_PLACES = pl.Schema({"place": pl.String, **_COUNTS, **_SCORES})
_SCHEMA = pl.Schema(
    {
        "other": pl.String,
        "label": pl.String,
        **dict.fromkeys(("both_run", "one_solved", "other_solved"), pl.Int64),
        **dict.fromkeys(("one_run", "one_over", "other_run", "other_over"), pl.Int64),
        **_COUNTS,
        **_SCORES,
        **dict.fromkeys(("improvement", "improvement_low", "improvement_high", "ranks"), pl.Float64),
        **dict.fromkeys(("one_against", "other_against", "one_visits", "other_visits", "p"), pl.Float64),
    }
)
DOMINANCE = ("one_dominates", "other_dominates", "ratio")


class _Pair:
    """The values of two agents on the problems that count for both and have the measure."""

    def __init__(self, table: Table, one: str, other: str, measure: Measure) -> None:
        self.table, self.rows = table, [table.agents.index(agent) for agent in (one, other)]
        values = table.values(measure.column)[self.rows]
        self.both = ~np.isnan(values).any(axis=0)
        self.values: Values = values[:, self.both]
        self.count = self.values.shape[1]
        self.difference: Values = self.values[0] - self.values[1]

    def compared(self, score: Score, seed: int, *, min_problems: int = 2) -> dict[str, Any]:
        """Return the scores, their difference and the wins, with bootstrap intervals if there are enough problems."""
        won = np.where(self.difference < 0, 1.0, np.where(self.difference > 0, 0.0, 0.5))
        one, other = (score.of(values) if self.count else None for values in self.values)
        ends: dict[str, Any] = dict.fromkeys(("low", "high", "improvement_low", "improvement_high"))
        if self.count >= min_problems:
            resamples = Resamples(self.count, seed=seed)
            low, high = interval(self._differences(resamples, score))
            ends = {"low": low[0], "high": high[0]}
            low, high = interval(resamples.means(won[None, :]))
            ends |= {"improvement_low": low[0], "improvement_high": high[0]}
        return {
            "problems": self.count,
            "wins": int((self.difference < 0).sum()),
            "losses": int((self.difference > 0).sum()),
            "ties": int((self.difference == 0).sum()),
            "one_score": one,
            "other_score": other,
            "difference": None if one is None or other is None else self._difference(one - other, score),
            "improvement": float(won.mean()) if self.count else None,
            **ends,
        }

    def _difference(self, difference: float, score: Score) -> float:
        # The mean of the differences is exactly zero if all are; the difference of the means may be off by rounding.
        return float(self.difference.mean()) if score is MEAN else difference

    def _differences(self, resamples: Resamples, score: Score) -> Values:
        if score is MEAN:
            return resamples.means(self.difference[None, :])
        scores = score.resampled(resamples, self.values)
        return scores[:, :1] - scores[:, 1:]

    def scores(self, name: str, measure: Measure) -> dict[str, float | None]:
        """Return the values of another measure on the same problems; a worst is over all problems of an agent."""
        if measure.kind == WORST:
            values = self.table.aggregate(measure)[self.rows]
        elif measure.kind == POOLED:
            over, moves = (self.table.values(column)[self.rows][:, self.both] for column in (measure.total, "moves"))
            known = ~np.isnan(over + moves)
            with np.errstate(invalid="ignore"):
                values = np.where(known, over, 0).sum(axis=1) / np.where(known, moves, 0).sum(axis=1)
        else:
            own = self.table.values(measure.column)[self.rows][:, self.both]
            values = np.array([self.table.score.of(each) for each in own])
        one, other = (None if math.isnan(value) else float(value) for value in values)
        return {f"one_{name}": one, f"other_{name}": other}

    def ranks(self) -> float | None:
        """Return the rank sum of the losses minus that of the wins, divided by their sum, without ties."""
        unequal = self.difference[self.difference != 0]
        if not self.count:
            return None
        if not len(unequal):
            return 0.0
        ranks = mean_ranks(np.abs(unequal))
        return float((ranks * np.sign(unequal)).sum() / ranks.sum())

    def p(self) -> float:
        """Return the two-sided p-value of the signed-rank test, without the problems on which the agents tie."""
        return signed_rank_p(self.difference[self.difference != 0])


def _outcomes(records: pl.DataFrame, one: str, other: str) -> dict[str, Any]:
    """Count the problems that both agents and each of them was run on, solved, and exceeded the limit on."""
    first, second = (records.filter(pl.col("agent") == agent) for agent in (one, other))
    found: dict[str, Any] = {"label": second["label"][0]}
    for name, own, rival in (("one", first, second), ("other", second, first)):
        both = own.join(rival, on=PROBLEM, how="semi")
        found |= {"both_run": both.height, f"{name}_solved": both.filter(SOLVED).height}
        found |= {f"{name}_run": own.height, f"{name}_over": own.filter(OVER).height}
    return found


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
    by_score = pl.when(pl.col("high") < 0).then(-1).when(pl.col("low") > 0).then(1).otherwise(0)
    is_significant = (pl.col("p_holm") < 1 - CONFIDENCE).fill_null(False)
    by_rank = pl.when(is_significant).then(pl.col("ranks").sign()).otherwise(0)
    by_wins = pl.col("losses") - pl.col("wins")
    return (
        pl.when(pl.col("one_over") + pl.col("other_over") > 0)
        .then(pl.lit(DISQUALIFIED))
        .when(pl.col("problems") == 0)
        .then(pl.lit(INCOMPARABLE))
        .when(pl.col("ties") == pl.col("problems"))
        .then(pl.lit(SAME))
        .when((by_score == 0) & (by_rank == 0))
        .then(pl.lit(NONE))
        .when((by_score == -1) & (by_rank == -1) & (by_wins <= 0))
        .then(pl.lit(BETTER))
        .when((by_score == 1) & (by_rank == 1) & (by_wins >= 0))
        .then(pl.lit(WORSE))
        .otherwise(pl.lit(MIXED))
    )
