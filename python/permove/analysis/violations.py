"""Violation rates: the shares of problems and of planning episodes on which an agent exceeds a limit."""

from collections.abc import Mapping

import polars as pl

from permove.records.columns import IDENTITY
from permove.records.histograms import bucket_ends

HISTOGRAMS = {"expanded_max": "expanded_histogram", "time_max_ns": "time_histogram"}
"""The histogram of planning episodes for each column of worst moves."""

RATES = ("over_problems", "over_episodes")
"""Columns of `violations`, apart from the agent."""


def violations(records: pl.DataFrame, limits: Mapping[str, int]) -> pl.DataFrame:
    """Return the violation rates of each agent under limits on the columns of worst moves.

    | column | meaning |
    | --- | --- |
    | agent | the canonical spec |
    | over_problems | share of the problems on which a move exceeds one of the limits; null without a limit |
    | over_episodes | share of the planning episodes over the limit, the larger share of two limits; null if unknown |
    """
    over = pl.any_horizontal(pl.col(column) > limit for column, limit in limits.items()) if limits else None
    rate = pl.lit(None, pl.Float64) if over is None else over.mean()
    found = records.group_by("agent", maintain_order=True).agg(over_problems=rate)
    shares = pl.lit(None, pl.Float64)
    for column, limit in limits.items():
        if HISTOGRAMS[column] in records.columns:
            found = found.join(over_episodes(records, column, limit), on="agent", how="left", maintain_order="left")
            found = found.rename({"share": f"{column}_share"})
            shares = pl.max_horizontal(shares, f"{column}_share")
    return found.select("agent", "over_problems", over_episodes=shares)


def over_episodes(records: pl.DataFrame, column: str, limit: int, *, speed: float = 1.0) -> pl.DataFrame:
    """Return the `share` of planning episodes of each `agent` that exceed a limit on a column of worst moves.

    A bucket that contains the limit counts if the worst move of the record exceeds the limit, so the share is never too
    low, and it is 0 exactly if no move exceeds the limit. `speed` is as in `permove.analysis.limits.tolerant_limits`.
    """
    histogram = HISTOGRAMS[column]
    buckets = (
        records.select(*IDENTITY, worst=column, histogram=histogram)
        .drop_nulls("histogram")
        .explode("histogram")
        .unnest("histogram")
        .join(bucket_ends(), on="bucket", how="left")
    )
    exceeds = (pl.col("high") / speed > limit) & (pl.col("worst") > limit)
    return buckets.group_by("agent").agg(share=pl.col("count").filter(exceeds).sum() / pl.col("count").sum())
