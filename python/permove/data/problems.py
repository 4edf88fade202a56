"""Problems as a frame: the solvable problems of a collection with their optimal paths.

Optima are always recomputed. The lengths stated in the files are kept, too, so that disagreements can be listed.
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
"""The columns of `Suite.problems`: `problem` is the ordinal within the scenarios of the map, `cardinal` and `diagonal`
are the moves of an optimal path, `optimal` is its length, and `stored` the length stated in the file."""

CELLS = ["start_x", "start_y", "goal_x", "goal_y"]

ROUNDING = 0.0051
"""The tolerance for stored lengths, which some files round to two decimals."""


class Exclusion(StrEnum):
    """Reasons for excluding a problem. Names and values are part of tables and of `index.json`: do not change them."""

    START_IN_WALL = "start in a wall"
    GOAL_IN_WALL = "goal in a wall"
    START_IS_GOAL = "start is goal"
    NO_WAY = "no way"


@dataclass(frozen=True)
class Solved:
    """The problems of some maps under one rule, and the number of excluded problems by reason."""

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
    """Compute the optima of all problems on all cores. `advance` is called with the number of newly finished problems.

    Problems with a start or goal inside a wall are excluded, or raise an error that names the line.
    """

    def solve_map(group: MapProblems) -> tuple[pl.DataFrame, dict[str, int]]:
        grid = group.map.grid(terrain, diagonal)
        reasons = exclusions(grid, group)
        if walls_are_errors:
            _reject_walls(group, reasons)
        kept = np.flatnonzero(reasons == "")
        moves = grid.optimal(group.cells[kept], threads)
        advance(len(reasons))
        return _frame(set_name, group, kept, moves), count_exclusions(reasons)

    cores = os.cpu_count() or 1
    # Most maps are small, so one thread for each of several maps uses the cores better than several threads per map.
    workers = max(1, min(cores, len(groups), 8))
    threads = math.ceil(cores / workers)
    with ThreadPoolExecutor(workers) as pool:
        try:
            results = list(pool.map(solve_map, groups))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    frames = [frame for frame, _ in results]
    return Solved(pl.concat([SCHEMA.to_frame(), *frames], rechunk=True), total(counts for _, counts in results))


def exclusions(grid: Grid, group: MapProblems) -> NDArray[np.str_]:
    """Return the reason for excluding each problem, or an empty string if it is valid."""
    start_x, start_y, goal_x, goal_y = group.cells.T
    components = grid.components()
    start, goal = components[start_y, start_x], components[goal_y, goal_x]
    conditions = {
        Exclusion.START_IN_WALL: start < 0,
        Exclusion.GOAL_IN_WALL: goal < 0,
        Exclusion.START_IS_GOAL: (start_x == goal_x) & (start_y == goal_y),
        Exclusion.NO_WAY: start != goal,
    }
    return np.select(list(conditions.values()), [str(reason) for reason in conditions], default="")


def count_exclusions(reasons: NDArray[np.str_]) -> dict[str, int]:
    """Return the number of excluded problems by reason."""
    return {str(reason): int((reasons == reason).sum()) for reason in Exclusion}


def total(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Add up the counts of several maps or sets."""
    sums = dict.fromkeys(map(str, Exclusion), 0)
    for each in counts:
        for reason, number in each.items():
            sums[reason] += number
    return sums


def disagreements(problems: pl.DataFrame) -> pl.DataFrame:
    """Return the problems whose stored length is wrong by more than rounding."""
    wrong = problems.filter((pl.col("optimal") - pl.col("stored")).abs() > ROUNDING)
    return wrong.select("set", "map", "problem", "stored", recomputed="optimal")


def _reject_walls(group: MapProblems, reasons: NDArray[np.str_]) -> None:
    for reason, end, columns in ((Exclusion.START_IN_WALL, "start", (0, 1)), (Exclusion.GOAL_IN_WALL, "goal", (2, 3))):
        rows = np.flatnonzero(reasons == reason)
        if len(rows):
            x, y = group.cells[rows[0], columns]
            place = group.place(int(rows[0]))
            raise InputError(f"{place}: the {end} ({x}, {y}) is inside a wall of {group.map.name}; correct the line")


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
