"""Growth of a measure with the size of problems: its value in each range of buckets."""

import polars as pl

from permove.analysis.compatibility import PROBLEM, check_compatible
from permove.analysis.measures import Measure, Table
from permove.analysis.scores import MEAN, Score
from permove.analysis.unsolved import Unsolved

RANGES = 4
"""Default number of ranges; fewer if there are fewer buckets."""


def scaling(
    records: pl.DataFrame,
    measure: Measure,
    *,
    ranges: int = RANGES,
    rule: Unsolved | None = None,
    score: Score = MEAN,
    seed: int = 0,
) -> pl.DataFrame:
    """Return one row per range of buckets and agent; ranges have similar numbers of problems.

    With a `rule`, only ranked agents and the problems that count for all of them are included.

    | column | meaning |
    | --- | --- |
    | min_bucket, max_bucket, optimal | the range, and the mean optimal cost of its problems |
    | the rest | as in `Table.averages`, over the problems of the range |
    """
    check_compatible(records)
    records = records if rule is None else rule.comparable(records)
    problems = records.select(*PROBLEM, "bucket", "optimal").unique(PROBLEM)
    found = []
    for buckets in _ranges(problems, ranges):
        inside = pl.col("bucket").is_between(buckets[0], buckets[-1])
        averages = Table(records.filter(inside), seed=seed, rule=rule, score=score).averages([measure])
        found.append(
            averages.select(
                pl.lit(buckets[0], pl.Int64).alias("min_bucket"),
                pl.lit(buckets[-1], pl.Int64).alias("max_bucket"),
                pl.lit(problems.filter(inside)["optimal"].mean(), pl.Float64).alias("optimal"),
                *averages.columns,
            )
        )
    return pl.concat(found)


def _ranges(problems: pl.DataFrame, ranges: int) -> list[list[int]]:
    """Divide the buckets into at most `ranges` ranges; a bucket is never split."""
    counts = problems.group_by("bucket").len().sort("bucket")
    before = counts["len"].cum_sum() - counts["len"]
    number = (before * ranges) // problems.height
    placed = counts.select("bucket").with_columns(number=number)
    return [part["bucket"].to_list() for part in placed.partition_by("number", maintain_order=True)]
