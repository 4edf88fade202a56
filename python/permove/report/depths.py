"""Depths of a map's cells as shades that `picture` draws, from white for depth 1 to dark, and what each shade means.

Up to nine depths have a shade each. Where there are more, each shade stands for several, the more the deeper they are,
since one ply more or less means much where few will do, and little where many are needed.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.report.picture import NO_WAY, SHADES, WALL, Letters


def shaded(depths: NDArray[np.int32], free: NDArray[np.bool_]) -> Letters:
    """The shade of each free cell's depth; below 1 there is no way."""
    signs = np.frombuffer((NO_WAY + SHADES + WALL).encode(), np.uint8)
    numbers = np.searchsorted(_beginnings(depths), depths, side="right")
    drawn: Letters = signs[np.where(free, numbers, -1)]
    return drawn


def legend(depths: NDArray[np.int32], free: NDArray[np.bool_]) -> pl.DataFrame:
    """A row for each shade: the depths that it stands for, and how many cells have them; depths are null for no way."""
    beginnings = _beginnings(depths)
    ends = [*(beginnings[1:] - 1), depths.max(initial=1)]
    shades = np.searchsorted(beginnings, depths[free], side="right")
    lost = int((shades == 0).sum())
    frame = pl.DataFrame(
        {
            "shade": [*SHADES[: len(ends)], NO_WAY],
            "least_depth": [*beginnings.tolist(), None],
            "most_depth": [*map(int, ends), None],
            "cells": [*(int((shades == shade).sum()) for shade in range(1, len(ends) + 1)), lost],
        },
        schema_overrides={"least_depth": pl.Int64, "most_depth": pl.Int64},
    ).with_columns(share=pl.col("cells") / max(1, shades.size))
    return frame if lost else frame[:-1]


def _beginnings(depths: NDArray[np.int32]) -> NDArray[np.int64]:
    """The least depth of each shade."""
    most = max(1, int(depths.max(initial=1)))
    if most <= len(SHADES):
        return np.arange(1, most + 1)
    steps = np.geomspace(1, most + 1, len(SHADES) + 1)[:-1]
    # Small depths lie closer together than that: each begins a shade of its own until the steps are larger than one.
    return np.maximum.accumulate(np.maximum(np.round(steps).astype(np.int64), np.arange(1, len(SHADES) + 1)))
