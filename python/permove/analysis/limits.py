"""The lowest limit that an agent keeps, if some moves may exceed it, and the uncertainty of a measured limit.

A planned move is one for which the agent planned; later moves of the same plan are free.
"""

import numpy as np
import polars as pl

from permove.analysis.statistics import CONFIDENCE, RESAMPLES, Values
from permove.analysis.violations import HISTOGRAMS
from permove.common.random_numbers import stream
from permove.records.histograms import bucket_ends

PIECE = 2**22
"""Maximum number of draws in memory at a time."""


def tolerant_limits(records: pl.DataFrame, column: str, share: float) -> pl.DataFrame:
    """Return for each agent the lowest limit that at most a share of its planned moves exceed: agent, limit.

    The limit is the upper bound of a bucket, at most 1/32 above the exact value, and never above the worst move.
    """
    total = pl.col("count").sum().over("agent")
    moves = (
        records.select("agent", histogram=HISTOGRAMS[column])
        .drop_nulls()
        .explode("histogram")
        .unnest("histogram")
        .group_by("agent", "bucket")
        .agg(pl.col("count").sum())
        .join(bucket_ends(), on="bucket")
        .sort("agent", "bucket")
        .with_columns(total=total, above=total - pl.col("count").cum_sum().over("agent"))
    )
    worst = records.group_by("agent").agg(worst=pl.col(column).max())
    kept = moves.filter(pl.col("above") <= share * pl.col("total"))
    limits = kept.group_by("agent", maintain_order=True).agg(limit=pl.col("high").first())
    return limits.join(worst, on="agent").select("agent", limit=pl.min_horizontal("limit", "worst").cast(pl.Int64))


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
