"""Histograms of planning episodes in records: the values that a bucket stands for."""

import polars as pl

from permove import _core


def bucket_ends() -> pl.DataFrame:
    """Return the smallest and the largest value of each bucket: the columns `bucket`, `low` and `high`."""
    low, high = _core.bucket_bounds()
    return pl.DataFrame({"bucket": range(len(low)), "low": low, "high": high}, schema_overrides={"bucket": pl.UInt16})
