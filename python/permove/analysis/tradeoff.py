"""Suboptimality against planning per move, one row per agent.

Planning per move is pooled: all expansions divided by all moves, so every move has the same weight. Its standard error
is that of the ratio estimator. The mean over problems of each problem's own ratio is also given, since some papers
print it. Means are over solved problems; an agent that exceeded the cutoff even once is disqualified and has no means.
"""

import polars as pl

from permove.analysis.outcomes import SOLVED, format_outcomes, mean, outcomes, solved_values
from permove.records.columns import IDENTITY


def tradeoff(records: pl.DataFrame, *, worst_by: str = "expanded_max") -> pl.DataFrame:
    """Return the trade-off of a run's records: qualified agents sorted by planning per move, then disqualified agents.

    If an agent exceeded the cutoff on several problems, `why` describes the one with the largest value of `worst_by`.

    | column | meaning |
    | --- | --- |
    | label, agent | the papers' notation and the canonical spec |
    | problems, solved | number of problems that the agent was run on, and solved |
    | suboptimality, .._se | mean and standard error |
    | expanded_per_move, .._se | pooled, and standard error |
    | expanded_per_move_mean | mean of the problems' own ratios |
    | touched_per_move, time_per_move_ns | pooled |
    | expanded_max | the worst move, on problem worst_problem of worst_set/worst_map, move number worst_move |
    | time_max_ns | the slowest move, in timed runs |
    | over, why | number of problems on which the cutoff was exceeded, and the worst case |
    | broken, how | number of problems with a crash, hang or illegal move, and the first case |
    | unsolved | counts of all statuses other than `solved`, as text; empty if all problems were solved |
    | qualified | whether the agent never exceeded the cutoff |
    """
    worst = pl.col("expanded_max").arg_max()
    counts = outcomes(worst_by)
    frame = (
        records.sort(IDENTITY)
        .group_by("agent", maintain_order=True)
        .agg(
            pl.col("label").first(),
            problems=counts.pop("problems"),
            solved=counts.pop("solved"),
            **mean("suboptimality"),
            expanded_per_move=pooled("expanded"),
            expanded_per_move_se=ratio_error("expanded"),
            expanded_per_move_mean=solved_values("expanded_per_move").mean(),
            touched_per_move=pooled("touched"),
            time_per_move_ns=pooled("time_ns"),
            expanded_max=pl.col("expanded_max").max(),
            worst_set=pl.col("set").get(worst),
            worst_map=pl.col("map").get(worst),
            worst_problem=pl.col("problem").get(worst),
            worst_move=pl.col("expanded_max_move").get(worst),
            time_max_ns=pl.col("time_max_ns").max(),
            **counts,
        )
    )
    return (
        format_outcomes(frame, MEANS)
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
"""Columns that are null for disqualified agents."""


def pooled(name: str) -> pl.Expr:
    """Return a total divided by the total number of moves; null if there are no moves."""
    return (solved_values(name).sum() / solved_values("moves").sum()).fill_nan(None)


def ratio_error(name: str) -> pl.Expr:
    """Return the standard error of a ratio of sums: that of the mean residual, divided by the mean number of moves."""
    effort, moves = solved_values(name).cast(pl.Float64), solved_values("moves").cast(pl.Float64)
    residual = effort - effort.sum() / moves.sum() * moves
    count = SOLVED.sum()
    return pl.when(count > 1).then((residual.pow(2).sum() / (count * (count.cast(pl.Int64) - 1))).sqrt() / moves.mean())
