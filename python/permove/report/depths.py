"""Depths of a map's cells as shades for `picture`, from white for depth 1 to dark, with a legend.

Up to nine depths have a shade each. If there are more, a shade covers several depths, the more the deeper they are: a
difference of one ply matters deepest for small depths.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.report.picture import SHADES, UNREACHABLE, WALL, Letters


def shaded(depths: NDArray[np.int32], free: NDArray[np.bool_]) -> Letters:
    """Return the shade of each free cell's depth; the goal is unreachable from depths below 1."""
    symbols = np.frombuffer((UNREACHABLE + SHADES + WALL).encode(), np.uint8)
    numbers = np.searchsorted(_first_depths(depths), depths, side="right")
    drawn: Letters = symbols[np.where(free, numbers, -1)]
    return drawn


def legend(depths: NDArray[np.int32], free: NDArray[np.bool_]) -> pl.DataFrame:
    """Return one row per shade: its depths, null for unreachable cells, and the number of cells that have them."""
    first_depths = _first_depths(depths)
    ends = [*(first_depths[1:] - 1), depths.max(initial=1)]
    shades = np.searchsorted(first_depths, depths[free], side="right")
    unreachable = int((shades == 0).sum())
    frame = pl.DataFrame(
        {
            "shade": [*SHADES[: len(ends)], UNREACHABLE],
            "min_depth": [*first_depths.tolist(), None],
            "max_depth": [*map(int, ends), None],
            "cells": [*(int((shades == shade).sum()) for shade in range(1, len(ends) + 1)), unreachable],
        },
        schema_overrides={"min_depth": pl.Int64, "max_depth": pl.Int64},
    ).with_columns(share=pl.col("cells") / max(1, shades.size))
    return frame if unreachable else frame[:-1]


def _first_depths(depths: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the smallest depth of each shade."""
    deepest = max(1, int(depths.max(initial=1)))
    if deepest <= len(SHADES):
        return np.arange(1, deepest + 1)
    steps = np.geomspace(1, deepest + 1, len(SHADES) + 1)[:-1]
    # The first steps are smaller than one, so each of the first depths starts its own shade.
    return np.maximum.accumulate(np.maximum(np.round(steps).astype(np.int64), np.arange(1, len(SHADES) + 1)))
