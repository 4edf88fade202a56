"""The measures of a run seen from several sides: as a whole, and by set, by map and by size of problem.

What a page needs that lets its reader choose a view and a limit: few rows in the place of many records, and in each the
worst moves, so that who is over a limit can be told exactly without the records.
"""

import polars as pl

from permove.analysis.endings import OVER, SOLVED, mean
from permove.analysis.tradeoff import pooled, ratio_error

MOST_SIZES = 12
"""Where a run has more buckets than this, neighbours are taken together."""

WORST = ("expanded_max", "time_max_ns", "time_p999_ns", "time_p99_ns")
"""What a limit may be on: the largest of each is an agent's worst."""

TRADEOFF = {
    **mean("suboptimality"),
    "expanded_per_move": pooled("expanded"),
    "expanded_per_move_se": ratio_error("expanded"),
    "time_per_move_ns": pooled("time_ns"),
}
"""The measures of agents that walk each problem once, as in `tradeoff`."""

CONVERGENCE = {
    name: measure
    for column in ("travel", "suboptimality", "trials", "memory", "first_move_expanded", "expanded", "time_ns")
    for name, measure in mean(column).items()
}
"""The measures of convergence, as in `convergence`."""


def views(records: pl.DataFrame, measures: dict[str, pl.Expr]) -> pl.DataFrame:
    """One row for each agent in each view, the whole run first; a kind with a single view is left out.

    | column | meaning |
    | --- | --- |
    | kind, view | `run`, or `set`, `map` or `bucket` with its name |
    | problems, least, most | how many the view has, also those that this agent was not run on; their optimal costs |
    | agent | the canonical spec |
    | tried, solved, over | on how many the agent was run, how many it solved, on how many it passed the run's cutoff |
    | the measures | over the solved problems; none for who passed the run's cutoff |
    | those of WORST | the worst moves, whether the problem was solved or not |
    """
    maps = pl.col("map") if records["set"].n_unique() == 1 else pl.concat_str("set", "map", separator="/")
    kinds = {"run": pl.lit(""), "set": pl.col("set"), "map": maps, "bucket": _sizes(records)}
    parts = (_views(records.with_columns(kind=pl.lit(kind), view=view), measures) for kind, view in kinds.items())
    return pl.concat(part for part in parts if part["view"].n_unique() > 1 or part["kind"][0] == "run")


def _views(records: pl.DataFrame, measures: dict[str, pl.Expr]) -> pl.DataFrame:
    """The views of one kind, along their names or their buckets."""
    by_bucket = records.schema["view"].is_integer()
    low, high = pl.col("bucket").min(), pl.col("bucket").max()
    sides = (
        records.unique(["view", "set", "map", "problem"])
        .group_by("view")
        .agg(
            problems=pl.len(),
            least=pl.col("optimal").min(),
            most=pl.col("optimal").max(),
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
    facts = ("kind", pl.col("name").alias("view"), "problems", "least", "most", "agent", "tried", "solved", "over")
    means = (pl.when(pl.col("over") == 0).then(pl.col(measure)).alias(measure) for measure in measures)
    return sides.join(found, on="view", maintain_order="left_right").select(*facts, *means, *WORST)


def _sizes(records: pl.DataFrame) -> pl.Expr:
    """The number of the view that a bucket lies in: each its own, or where there are many, several of about as many
    problems.
    """
    buckets = records.select("set", "map", "problem", "bucket").unique().group_by("bucket").agg(pl.len()).sort("bucket")
    if buckets.height <= MOST_SIZES:
        return pl.col("bucket").cast(pl.Int64)
    before = pl.col("len").cum_sum() - pl.col("len")
    numbered = buckets.select("bucket", view=(before * MOST_SIZES // pl.col("len").sum()).cast(pl.Int64))
    return pl.col("bucket").replace_strict(numbered["bucket"], numbered["view"])
