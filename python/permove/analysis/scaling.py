"""How a measure grows with the size of problems: its figure in each range of buckets."""

import polars as pl

from permove.analysis.belonging import PROBLEM, check_together
from permove.analysis.measures import Measure, Table

RANGES = 4
"""How many ranges there are, where there are as many buckets."""


def scaling(records: pl.DataFrame, measure: Measure, *, ranges: int = RANGES, seed: int = 0) -> pl.DataFrame:
    """One row for each agent in each range of buckets, which have about as many problems each.

    | column | meaning |
    | --- | --- |
    | least_bucket, most_bucket, optimal | the range, and the mean optimal cost of its problems |
    | the rest | as `Table.averages` has it, over the problems of the range |
    """
    check_together(records)
    problems = records.select(*PROBLEM, "bucket", "optimal").unique(PROBLEM)
    found = []
    for buckets in _ranges(problems, ranges):
        inside = pl.col("bucket").is_between(buckets[0], buckets[-1])
        averages = Table(records.filter(inside), seed=seed).averages([measure])
        found.append(
            averages.select(
                pl.lit(buckets[0], pl.Int64).alias("least_bucket"),
                pl.lit(buckets[-1], pl.Int64).alias("most_bucket"),
                pl.lit(problems.filter(inside)["optimal"].mean(), pl.Float64).alias("optimal"),
                *averages.columns,
            )
        )
    return pl.concat(found)


def _ranges(problems: pl.DataFrame, ranges: int) -> list[list[int]]:
    """The buckets in as many ranges, or fewer where there are few; a bucket is never torn."""
    counts = problems.group_by("bucket").len().sort("bucket")
    before = counts["len"].cum_sum() - counts["len"]
    number = (before * ranges) // problems.height
    placed = counts.select("bucket").with_columns(number=number)
    return [part["bucket"].to_list() for part in placed.partition_by("number", maintain_order=True)]
