"""Suboptimality against planning per move, one row per agent.

Planning per move is pooled: all expansions over all moves, so that a long walk weighs as much as it costs. Its standard
error is the ratio estimator's. The mean over problems of each one's own ratio stands beside it, since some papers print
that. Means are over solved problems; an agent that passed the cutoff even once is disqualified and has none.
"""

import polars as pl

from permove.analysis.endings import SOLVED, endings, in_words, mean, of_solved
from permove.records.columns import IDENTITY


def tradeoff(records: pl.DataFrame, *, worst_by: str = "expanded_max") -> pl.DataFrame:
    """The trade-off that a run's records show, sorted along it: qualified agents by planning per move, then the rest.

    Of the problems on which an agent passed the cutoff, the one that is largest in the column `worst_by` says why.

    | column | meaning |
    | --- | --- |
    | label, agent | the papers' notation and the canonical spec |
    | problems, solved | how many were tried, how many solved |
    | suboptimality, .._se | mean and standard error |
    | expanded_per_move, .._se | pooled, and standard error |
    | expanded_per_move_mean | mean of the problems' own ratios |
    | touched_per_move, time_per_move_ns | pooled |
    | expanded_max | the worst move, made on problem worst_problem of worst_set/worst_map as move number worst_move |
    | time_max_ns | the slowest move, in timed runs |
    | over, why | on how many problems the cutoff was passed, and what happened on the worst of them |
    | broken, how | on how many problems it broke down or broke the rules, and what happened on the first |
    | unsolved | how often each other status occurred, as text, and nothing where all were solved |
    | qualified | whether the cutoff was never passed |
    """
    worst = pl.col("expanded_max").arg_max()
    ended = endings(worst_by)
    frame = (
        records.sort(IDENTITY)
        .group_by("agent", maintain_order=True)
        .agg(
            pl.col("label").first(),
            problems=ended.pop("problems"),
            solved=ended.pop("solved"),
            **mean("suboptimality"),
            expanded_per_move=pooled("expanded"),
            expanded_per_move_se=ratio_error("expanded"),
            expanded_per_move_mean=of_solved("expanded_per_move").mean(),
            touched_per_move=pooled("touched"),
            time_per_move_ns=pooled("time_ns"),
            expanded_max=pl.col("expanded_max").max(),
            worst_set=pl.col("set").get(worst),
            worst_map=pl.col("map").get(worst),
            worst_problem=pl.col("problem").get(worst),
            worst_move=pl.col("expanded_max_move").get(worst),
            time_max_ns=pl.col("time_max_ns").max(),
            **ended,
        )
    )
    return (
        in_words(frame, MEANS)
        .sort(~pl.col("qualified"), "expanded_per_move", "agent", nulls_last=True)
        .select("label", pl.exclude("label"))
    )


MEANS = (
    "suboptimality",
    "suboptimality_se",
    "expanded_per_move",
    "expanded_per_move_se",
    "expanded_per_move_mean",
    "touched_per_move",
    "time_per_move_ns",
)
"""What a disqualified agent has none of."""


def pooled(name: str) -> pl.Expr:
    """The whole of an effort over all moves, and nothing where there are none."""
    return (of_solved(name).sum() / of_solved("moves").sum()).fill_nan(None)


def ratio_error(name: str) -> pl.Expr:
    """The standard error of a ratio of sums: that of the mean residual, over the mean number of moves."""
    effort, moves = of_solved(name).cast(pl.Float64), of_solved("moves").cast(pl.Float64)
    residual = effort - effort.sum() / moves.sum() * moves
    count = SOLVED.sum()
    return pl.when(count > 1).then((residual.pow(2).sum() / (count * (count.cast(pl.Int64) - 1))).sqrt() / moves.mean())
