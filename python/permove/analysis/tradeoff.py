"""Suboptimality against planning per move, one row per agent.

Planning per move is pooled: all expansions over all moves, so that a long walk weighs as much as it costs. Its standard
error is the ratio estimator's. The mean over problems of each one's own ratio stands beside it, since some papers print
that. Means are over solved problems; an agent that passed the cutoff even once is disqualified and has none.
"""

import polars as pl

from permove.records import IDENTITY


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
    | unsolved | how often each other status occurred, as text, and nothing where all were solved |
    | qualified | whether the cutoff was never passed |
    """
    solved = pl.col("status") == "solved"
    over = pl.col("status") == "cutoff"
    worst = pl.col("expanded_max").arg_max()
    told = pl.format("{}/{}, problem {}: {}", "set", "map", "problem", "reason")
    frame = (
        records.sort(IDENTITY)
        .group_by("agent", maintain_order=True)
        .agg(
            pl.col("label").first(),
            problems=pl.len(),
            solved=solved.sum(),
            suboptimality=_of(solved, "suboptimality").mean(),
            suboptimality_se=_of(solved, "suboptimality").std() / solved.sum().sqrt(),
            expanded_per_move=_pooled(solved, "expanded"),
            expanded_per_move_se=_ratio_error(solved, "expanded"),
            expanded_per_move_mean=_of(solved, "expanded_per_move").mean(),
            touched_per_move=_pooled(solved, "touched"),
            time_per_move_ns=_pooled(solved, "time_ns"),
            expanded_max=pl.col("expanded_max").max(),
            worst_set=pl.col("set").get(worst),
            worst_map=pl.col("map").get(worst),
            worst_problem=pl.col("problem").get(worst),
            worst_move=pl.col("expanded_max_move").get(worst),
            time_max_ns=pl.col("time_max_ns").max(),
            over=over.sum(),
            why=told.filter(over).sort_by(pl.col(worst_by).filter(over), descending=True).first(),
            unsolved=pl.col("status").filter(~solved).value_counts(sort=True),
        )
    )
    qualified = pl.col("over") == 0
    return (
        frame.with_columns(
            qualified=qualified,
            unsolved=pl.col("unsolved")
            .list.eval(pl.format("{} {}", pl.element().struct.field("count"), pl.element().struct.field("status")))
            .list.join(", "),
            **{name: pl.when(qualified).then(pl.col(name)) for name in MEANS},
        )
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


def _of(which: pl.Expr, name: str) -> pl.Expr:
    return pl.col(name).filter(which)


def _pooled(which: pl.Expr, name: str) -> pl.Expr:
    """The whole of an effort over all moves, and nothing where there are none."""
    return (_of(which, name).sum() / _of(which, "moves").sum()).fill_nan(None)


def _ratio_error(which: pl.Expr, name: str) -> pl.Expr:
    """The standard error of a ratio of sums: that of the mean residual, over the mean number of moves."""
    effort, moves = _of(which, name).cast(pl.Float64), _of(which, "moves").cast(pl.Float64)
    residual = effort - effort.sum() / moves.sum() * moves
    count = which.sum()
    return pl.when(count > 1).then((residual.pow(2).sum() / (count * (count.cast(pl.Int64) - 1))).sqrt() / moves.mean())
