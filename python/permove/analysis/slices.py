"""The measures of a run for all problems, and by set, by map and by size of problem.

These few rows replace the records on a page whose reader chooses a view and a limit. Each row has the worst moves, so
the page can determine exactly which agents exceed a limit.
"""

import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.outcomes import BROKEN, OVER, SOLVED
from permove.analysis.scores import MEDIAN, Score, concentrated
from permove.analysis.tradeoff import pooled, ratio_error
from permove.analysis.unsolved import Unsolved, counted

MAX_SIZES = 12
"""Maximum number of views by size; neighbouring buckets are merged if there are more."""

WORST = ("expanded_max", "time_max_ns", "time_p999_ns", "time_p99_ns")
"""Columns that can be limited; the maximum over problems is an agent's worst."""


def tradeoff_measures(score: Score) -> dict[str, pl.Expr]:
    """Return the measures of runs with one trial per problem, as in `tradeoff`."""
    return {
        **score.columns("suboptimality"),
        "suboptimality_median": MEDIAN.column("suboptimality"),
        "concentrated": concentrated("suboptimality"),
        "expanded_per_move": pooled("expanded"),
        "expanded_per_move_se": ratio_error("expanded"),
        "time_per_move_ns": pooled("time_ns"),
    }


def convergence_measures(score: Score) -> dict[str, pl.Expr]:
    """Return the measures of convergence, as in `convergence`."""
    columns = ("travel", "suboptimality", "trials", "memory", "first_move_expanded", "expanded", "time_ns")
    return {name: measure for column in columns for name, measure in score.columns(column).items()}


def views(records: pl.DataFrame, measures: dict[str, pl.Expr], rule: Unsolved | None = None) -> pl.DataFrame:
    """Return one row per view and agent, the complete run first; a kind with only one view is omitted.

    `rule` says which problems of the run count; by default each agent has its own, those that it solved.

    | column | meaning |
    | --- | --- |
    | kind, view | `run`, or `set`, `map` or `bucket` with its name |
    | problems | number of the view's problems, including those that this agent was not run on |
    | min_optimal, max_optimal | the lowest and the highest optimal cost of these problems |
    | agent | the canonical spec |
    | tried, solved, over | number of problems that the agent was run on, solved, and exceeded the run's cutoff on |
    | complete | number of problems that were solved or count as the cap on travel, without failures |
    | counted | number of problems that the measures are over |
    | the measures | over the problems that count; null if the agent exceeded the run's cutoff |
    | the columns of WORST | the worst moves, on solved and unsolved problems |
    """
    maps = pl.col("map") if records["set"].n_unique() == 1 else pl.concat_str("set", "map", separator="/")
    kinds = {"run": pl.lit(""), "set": pl.col("set"), "map": maps, "bucket": _sizes(records)}
    rows = counted(records, rule)
    complete = SOLVED if rule is None or rule.cap is None else ~(OVER | BROKEN)
    records = records.with_columns(complete=complete)
    parts = (_views(records, rows, kind, view, measures) for kind, view in kinds.items())
    return pl.concat(part for part in parts if part["view"].n_unique() > 1 or part["kind"][0] == "run")


def _views(
    records: pl.DataFrame, rows: pl.DataFrame, kind: str, view: pl.Expr, measures: dict[str, pl.Expr]
) -> pl.DataFrame:
    """Return the views of one kind, sorted by name or bucket; `rows` are the records that count."""
    records, rows = (frame.with_columns(kind=pl.lit(kind), view=view) for frame in (records, rows))
    by_bucket = records.schema["view"].is_integer()
    low, high = pl.col("bucket").min(), pl.col("bucket").max()
    sides = (
        records.unique(["view", *PROBLEM])
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
        complete=pl.col("complete").sum(),
        **{column: pl.col(column).max() for column in WORST},
    )
    values = rows.group_by("view", "agent").agg(counted=pl.len(), **measures)
    found = found.join(values, on=["view", "agent"], how="left", maintain_order="left")
    found = found.with_columns(pl.col("counted").fill_null(0))
    costs, counts = ("min_optimal", "max_optimal"), ("tried", "solved", "over", "complete", "counted")
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
