"""Problems as a frame: which of a collection's problems can be solved, and what their optimal paths are.

Optima are always recomputed. What the files claim is kept beside them, so that disagreements can be listed.
"""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove._core import Grid
from permove.common.errors import InputError
from permove.data.collection import MapProblems

SCHEMA = pl.Schema(
    {
        "set": pl.String(),
        "map": pl.String(),
        "problem": pl.UInt32(),
        "bucket": pl.UInt32(),
        "start_x": pl.UInt32(),
        "start_y": pl.UInt32(),
        "goal_x": pl.UInt32(),
        "goal_y": pl.UInt32(),
        "cardinal": pl.UInt32(),
        "diagonal": pl.UInt32(),
        "optimal": pl.Float64(),
        "stored": pl.Float64(),
    }
)
"""The columns of `Suite.problems`: `problem` is the ordinal within the map's scenarios, `cardinal` and `diagonal` are
the moves of an optimal path, `optimal` is its length, `stored` the length that the file claims."""

CELLS = ["start_x", "start_y", "goal_x", "goal_y"]

ROUNDING = 0.0051
"""How far a stored length may be off by rounding to the two decimals that the coarsest files have."""


class LeftOut(StrEnum):
    """Why a problem is none."""

    START_IN_WALL = "start in a wall"
    GOAL_IN_WALL = "goal in a wall"
    START_IS_GOAL = "start is goal"
    NO_WAY = "no way"


@dataclass(frozen=True)
class Solved:
    """The problems of some maps under one rule, and how many were left out, by reason."""

    problems: pl.DataFrame
    left_out: dict[str, int]


def solve(
    set_name: str,
    groups: Sequence[MapProblems],
    terrain: str,
    diagonal: str,
    *,
    walls_are_errors: bool,
    advance: Callable[[int], None] = lambda _: None,
) -> Solved:
    """Find the optima of all problems, on all cores; `advance` is told how many more are done.

    A start or goal inside a wall is left out and counted, or is an error that names the line.
    """

    def one(group: MapProblems) -> tuple[pl.DataFrame, dict[str, int]]:
        grid = group.map.grid(terrain, diagonal)
        faults = judge(grid, group)
        if walls_are_errors:
            _refuse_walls(group, faults)
        kept = np.flatnonzero(faults == "")
        moves = grid.optimal(group.cells[kept], threads)
        advance(len(faults))
        return _frame(set_name, group, kept, moves), count(faults)

    cores = os.cpu_count() or 1
    # Most maps are small beside the whole: a thread for each of several maps keeps the cores busier than several
    # threads for one map after another.
    workers = max(1, min(cores, len(groups), 8))
    threads = math.ceil(cores / workers)
    with ThreadPoolExecutor(workers) as pool:
        try:
            results = list(pool.map(one, groups))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    frames = [frame for frame, _ in results]
    return Solved(pl.concat([SCHEMA.to_frame(), *frames], rechunk=True), total(counts for _, counts in results))


def judge(grid: Grid, group: MapProblems) -> NDArray[np.str_]:
    """Why each problem is to be left out; an empty text where it is not."""
    start_x, start_y, goal_x, goal_y = group.cells.T
    components = grid.components()
    start, goal = components[start_y, start_x], components[goal_y, goal_x]
    conditions = {
        LeftOut.START_IN_WALL: start < 0,
        LeftOut.GOAL_IN_WALL: goal < 0,
        LeftOut.START_IS_GOAL: (start_x == goal_x) & (start_y == goal_y),
        LeftOut.NO_WAY: start != goal,
    }
    return np.select(list(conditions.values()), [str(reason) for reason in conditions], default="")


def count(faults: NDArray[np.str_]) -> dict[str, int]:
    """How many problems are left out, by reason."""
    return {str(reason): int((faults == reason).sum()) for reason in LeftOut}


def total(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """The counts of several maps or sets together."""
    sums = dict.fromkeys(map(str, LeftOut), 0)
    for one in counts:
        for reason, number in one.items():
            sums[reason] += number
    return sums


def disagreements(problems: pl.DataFrame) -> pl.DataFrame:
    """The problems whose stored length is wrong by more than rounding."""
    wrong = problems.filter((pl.col("optimal") - pl.col("stored")).abs() > ROUNDING)
    return wrong.select("set", "map", "problem", "stored", recomputed="optimal")


def _refuse_walls(group: MapProblems, faults: NDArray[np.str_]) -> None:
    for reason, place, columns in ((LeftOut.START_IN_WALL, "start", (0, 1)), (LeftOut.GOAL_IN_WALL, "goal", (2, 3))):
        rows = np.flatnonzero(faults == reason)
        if len(rows):
            x, y = group.cells[rows[0], columns]
            where = group.place(int(rows[0]))
            raise InputError(
                f"{where}: the {place} ({x}, {y}) lies inside a wall of {group.map.name}; correct the line"
            )


def _frame(set_name: str, group: MapProblems, kept: NDArray[np.intp], moves: NDArray[np.int64]) -> pl.DataFrame:
    columns = {
        "problem": kept,
        "bucket": group.bucket[kept],
        **dict(zip(CELLS, group.cells[kept].T, strict=True)),
        "cardinal": moves[:, 0],
        "diagonal": moves[:, 1],
        "optimal": moves[:, 0] + moves[:, 1] * math.sqrt(2),
        "stored": group.stored[kept],
    }
    frame = pl.DataFrame({name: np.ascontiguousarray(values) for name, values in columns.items()})
    return frame.with_columns(set=pl.lit(set_name), map=pl.lit(group.map.name)).select(SCHEMA.names()).cast(SCHEMA)
