"""The lowest limit that an agent keeps, if some moves may exceed it, and the uncertainty of a measured limit.

A planned move is one for which the agent planned; later moves of the same plan are free.
"""

import numpy as np
import polars as pl

from permove.analysis.statistics import CONFIDENCE, RESAMPLES, Resamples, Values, interval
from permove.analysis.violations import HISTOGRAMS
from permove.common.random_numbers import stream
from permove.records.histograms import bucket_ends

PIECE = 2**22
"""Maximum number of draws in memory at a time."""


def tolerant_limits(records: pl.DataFrame, column: str, share: float, *, speed: float = 1.0) -> pl.DataFrame:
    """Return for each agent the lowest limit that at most a share of its planned moves exceed: agent, limit.

    The limit is the upper bound of a bucket, at most 1/32 above the exact value, and never above the worst move. With
    the `speed` of another machine, the worst moves are those of that machine.
    """
    parts = records.sort("agent").partition_by("agent", maintain_order=True)
    limits = []
    for part in parts:
        counts, ends = _planned_moves(part, column, speed)
        limits.append(int(_kept(counts.sum(axis=0)[None, :], ends, share)[0]) if len(ends) else None)
    return pl.DataFrame({"agent": [part["agent"][0] for part in parts], "limit": pl.Series(limits, dtype=pl.Int64)})


def tolerant_interval(
    records: pl.DataFrame, column: str, share: float, *, speed: float = 1.0, seed: int = 0
) -> tuple[float, float]:
    """Return the bootstrap interval over problems of the limit in `tolerant_limits` of one agent."""
    counts, ends = _planned_moves(records, column, speed)
    resamples = Resamples(len(counts), seed=seed).counts()
    limits = np.concatenate([_kept(drawn @ counts, ends, share) for drawn in resamples])
    (low,), (high,) = interval(limits[:, None])
    return float(low), float(high)


def _planned_moves(records: pl.DataFrame, column: str, speed: float) -> tuple[Values, Values]:
    """Return an agent's planned moves by problem and bucket, and the largest value of each bucket."""
    moves = (
        records.with_row_index("row")
        .select("row", histogram=HISTOGRAMS[column])
        .drop_nulls()
        .explode("histogram")
        .unnest("histogram")
        .join(bucket_ends(), on="bucket")
    )
    values, places = np.unique(moves["high"].to_numpy(), return_inverse=True)
    counts = np.zeros((records.height, len(values)))
    np.add.at(counts, (moves["row"].to_numpy(), places), moves["count"].to_numpy())
    worst = records[column].max()
    return counts, np.minimum(np.ceil(values / speed), np.inf if worst is None else float(worst))  # type: ignore[arg-type]


def _kept(totals: Values, ends: Values, share: float) -> Values:
    """Return the lowest end that at most a share of the moves exceed, for each row of totals by bucket."""
    above = totals.sum(axis=1, keepdims=True) - totals.cumsum(axis=1)
    found: Values = ends[(above <= share * totals.sum(axis=1, keepdims=True)).argmax(axis=1)]
    return found


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
