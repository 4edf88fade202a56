"""The measures of a run for all problems, and by set, by map and by size of problem.

These few rows replace the records on a page whose reader chooses a view and a limit. Each row has the worst moves, so
the page can determine exactly which agents exceed a limit.
"""

import polars as pl

from permove.analysis.outcomes import OVER, SOLVED, mean
from permove.analysis.tradeoff import pooled, ratio_error

MAX_SIZES = 12
"""Maximum number of views by size; neighbouring buckets are merged if there are more."""

WORST = ("expanded_max", "time_max_ns", "time_p999_ns", "time_p99_ns")
"""Columns that can be limited; the maximum over problems is an agent's worst."""

TRADEOFF = {
    **mean("suboptimality"),
    "expanded_per_move": pooled("expanded"),
    "expanded_per_move_se": ratio_error("expanded"),
    "time_per_move_ns": pooled("time_ns"),
}
"""Measures of runs with one trial per problem, as in `tradeoff`."""

CONVERGENCE = {
    name: measure
    for column in ("travel", "suboptimality", "trials", "memory", "first_move_expanded", "expanded", "time_ns")
    for name, measure in mean(column).items()
}
"""Measures of convergence, as in `convergence`."""


def views(records: pl.DataFrame, measures: dict[str, pl.Expr]) -> pl.DataFrame:
    """Return one row per view and agent, the complete run first; a kind with only one view is omitted.

    | column | meaning |
    | --- | --- |
    | kind, view | `run`, or `set`, `map` or `bucket` with its name |
    | problems | number of the view's problems, including those that this agent was not run on |
    | min_optimal, max_optimal | the lowest and the highest optimal cost of these problems |
    | agent | the canonical spec |
    | tried, solved, over | number of problems that the agent was run on, solved, and exceeded the run's cutoff on |
    | the measures | over the solved problems; null if the agent exceeded the run's cutoff |
    | the columns of WORST | the worst moves, on solved and unsolved problems |
    """
    maps = pl.col("map") if records["set"].n_unique() == 1 else pl.concat_str("set", "map", separator="/")
    kinds = {"run": pl.lit(""), "set": pl.col("set"), "map": maps, "bucket": _sizes(records)}
    parts = (_views(records.with_columns(kind=pl.lit(kind), view=view), measures) for kind, view in kinds.items())
    return pl.concat(part for part in parts if part["view"].n_unique() > 1 or part["kind"][0] == "run")


def _views(records: pl.DataFrame, measures: dict[str, pl.Expr]) -> pl.DataFrame:
    """Return the views of one kind, sorted by name or bucket."""
    by_bucket = records.schema["view"].is_integer()
    low, high = pl.col("bucket").min(), pl.col("bucket").max()
    sides = (
        records.unique(["view", "set", "map", "problem"])
        .group_by("view")
        .agg(
            problems=pl.len(),
            min_optimal=pl.col("optimal").min(),
            max_optimal=pl.col("optimal").max(),
            name=pl.when(low == high).then(pl.format("{}", low)).otherwise(pl.format("{} to {}", low, high))
            if by_bucket
            else pl.col("view").first(),
        )
        .sort("view")
    )
    found = records.group_by("kind", "view", "agent", maintain_order=True).agg(
        tried=pl.len(),
        solved=SOLVED.sum(),
        over=OVER.sum(),
        **measures,
        **{column: pl.col(column).max() for column in WORST},
    )
    costs, counts = ("min_optimal", "max_optimal"), ("tried", "solved", "over")
    facts = ("kind", pl.col("name").alias("view"), "problems", *costs, "agent", *counts)
    means = (pl.when(pl.col("over") == 0).then(pl.col(measure)).alias(measure) for measure in measures)
    return sides.join(found, on="view", maintain_order="left_right").select(*facts, *means, *WORST)


def _sizes(records: pl.DataFrame) -> pl.Expr:
    """Return the view number of a bucket: the bucket itself or, if there are many, a group of similar size."""
    buckets = records.select("set", "map", "problem", "bucket").unique().group_by("bucket").agg(pl.len()).sort("bucket")
    if buckets.height <= MAX_SIZES:
        return pl.col("bucket").cast(pl.Int64)
    before = pl.col("len").cum_sum() - pl.col("len")
    numbered = buckets.select("bucket", view=(before * MAX_SIZES // pl.col("len").sum()).cast(pl.Int64))
    return pl.col("bucket").replace_strict(numbered["bucket"], numbered["view"])
