"""Limits that agents keep: how many planned moves exceed a limit, and how certain a measured limit is.

A planned move is one for which the agent planned; later moves of the same plan are free. Records count planned moves in
buckets of states or nanoseconds, see `permove.records.columns.HISTOGRAM`.
"""

import numpy as np
import polars as pl

from permove.analysis.statistics import CONFIDENCE, RESAMPLES, Values
from permove.common.random_numbers import stream
from permove.records.columns import bucket_bounds

HISTOGRAMS = {"expanded_max": "expanded_histogram", "time_max_ns": "time_histogram"}
"""The histogram that belongs to a column of worst moves."""

PIECE = 2**22
"""Maximum number of draws in memory at a time."""


def planned_moves(records: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the planned moves of each agent by bucket: agent, count, and the bounds `low` and `high` of the bucket.

    `column` is a column of worst moves. The frame is empty if the records have no histograms.
    """
    return (
        records.select("agent", HISTOGRAMS[column])
        .drop_nulls()
        .explode(HISTOGRAMS[column])
        .unnest(HISTOGRAMS[column])
        .group_by("agent", "bucket")
        .agg(pl.col("count").sum())
        .join(bucket_bounds(), on="bucket")
        .sort("agent", "bucket")
    )


def tolerant_limits(records: pl.DataFrame, column: str, share: float) -> pl.DataFrame:
    """Return for each agent the lowest limit that at most a share of its planned moves exceed: agent, limit.

    The limit is the upper bound of a bucket, at most 1/32 above the exact value, and never above the worst move.
    """
    moves = planned_moves(records, column).with_columns(
        above=pl.col("count").sum().over("agent") - pl.col("count").cum_sum().over("agent"),
        total=pl.col("count").sum().over("agent"),
    )
    worst = records.group_by("agent").agg(worst=pl.col(column).max())
    kept = moves.filter(pl.col("above") <= share * pl.col("total"))
    limits = kept.group_by("agent", maintain_order=True).agg(limit=pl.col("high").first())
    return limits.join(worst, on="agent").select("agent", limit=pl.min_horizontal("limit", "worst").cast(pl.Int64))


def violations(records: pl.DataFrame, column: str, limit: int) -> pl.DataFrame:
    """Return for each agent how often it exceeds a limit.

    | column | meaning |
    | --- | --- |
    | agent | the canonical spec |
    | over_problems | number of problems with a move over the limit |
    | over_share | share of the planned moves over the limit; null if the records have no histograms. A bucket that \
contains the limit counts as within it |
    """
    problems = records.group_by("agent").agg(over_problems=(pl.col(column) > limit).sum().cast(pl.Int64))
    if column not in HISTOGRAMS or HISTOGRAMS[column] not in records.columns:
        return problems.with_columns(over_share=pl.lit(None, pl.Float64))
    over = pl.col("count").filter(pl.col("low") > limit).sum() / pl.col("count").sum()
    shares = planned_moves(records, column).group_by("agent").agg(over_share=over)
    return problems.join(shares, on="agent", how="left")


def worst_interval(records: pl.DataFrame, column: str, *, seed: int = 0) -> tuple[float, float]:
    """Return the bootstrap interval of an agent's worst move over problems and, for times, over repetitions.

    `records` are those of one agent. Each resample draws problems, for each of them as many repetitions as there are,
    and takes the minimum over the repetitions and the maximum over the problems.
    """
    repeats = "time_max_repeats_ns"
    if column == "time_max_ns" and repeats in records.columns and records[repeats].null_count() == 0:
        times = records[repeats].to_list()
    else:
        times = [[value] for value in records[column].to_list()]
    problems, most = len(times), max(map(len, times))
    padded = np.array([row + [row[0]] * (most - len(row)) for row in times], dtype=np.float64)
    lengths = np.array([len(row) for row in times])
    worst: list[Values] = []
    piece = max(PIECE // (problems * most), 1)
    for first in range(0, RESAMPLES, piece):
        count = min(piece, RESAMPLES - first)
        drawn = stream(seed, f"worst moves {first}", count * problems * (most + 1)) >> np.uint64(11)
        drawn = drawn.reshape(count, problems, most + 1).astype(np.int64)
        chosen = drawn[:, :, 0] % problems
        repetition = drawn[:, :, 1:] % lengths[chosen][:, :, None]
        # An agent with fewer repetitions draws fewer: the others repeat its first draw.
        repetition = np.where(np.arange(most) < lengths[chosen][:, :, None], repetition, repetition[:, :, :1])
        worst.append(padded[chosen[:, :, None], repetition].min(axis=2).max(axis=1))
    low, high = np.quantile(np.concatenate(worst), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], method="inverted_cdf")
    return float(low), float(high)
