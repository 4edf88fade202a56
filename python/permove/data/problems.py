"""Problems as a frame: the solvable problems of a collection with their optimal paths.

Optima are always recomputed. The lengths stated in the files are kept, too, so that disagreements can be listed.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove._core import Grid
from permove.common.errors import InputError
from permove.common.machine import usable_cores
from permove.data.collection import MapProblems

_Item = TypeVar("_Item")

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


Advance = Callable[[int], None]
"""Called with the number of newly finished problems."""

Known = Callable[[MapProblems, Callable[[], pl.DataFrame]], pl.DataFrame]
"""Returns the problems of a map with their optima: known ones, or those that the function computes."""


def _compute(_group: MapProblems, compute: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    return compute()


def no_advance(_done: int) -> None:
    """Report no progress."""


def solve(
    set_name: str,
    groups: Sequence[MapProblems],
    terrain: str,
    diagonal: str,
    *,
    walls_are_errors: bool,
    advance: Advance = no_advance,
    known: Known = _compute,
) -> pl.DataFrame:
    """Compute the optima of all problems on all cores.

    Problems with a start or goal inside a wall are excluded, or raise an error that names the line.
    """

    def solve_map(group: MapProblems, threads: int) -> pl.DataFrame:
        def compute() -> pl.DataFrame:
            grid = group.map.grid(terrain, diagonal)
            return _with_moves(_listed(set_name, group, grid, walls_are_errors=walls_are_errors), grid, threads)

        frame = known(group, compute)
        advance(len(group.stored))
        return frame

    return _concat(_on_all_cores(solve_map, groups))


def listed(
    set_name: str, groups: Sequence[MapProblems], terrain: str, diagonal: str, *, walls_are_errors: bool
) -> pl.DataFrame:
    """Return all solvable problems without their optima."""

    def list_map(group: MapProblems, _threads: int) -> pl.DataFrame:
        return _listed(set_name, group, group.map.grid(terrain, diagonal), walls_are_errors=walls_are_errors)

    return _concat(_on_all_cores(list_map, groups))


def with_optima(problems: pl.DataFrame, grid_of: Callable[[str], Grid], advance: Advance = no_advance) -> pl.DataFrame:
    """Return listed problems with their optima, in the same order. `grid_of` returns the grid of `set/map`."""

    def solve_part(part: pl.DataFrame, threads: int) -> pl.DataFrame:
        grid = grid_of(f"{part['set'][0]}/{part['map'][0]}")
        found = _with_moves(part, grid, threads)
        advance(part.height)
        return found

    numbered = problems.with_row_index("row")
    parts = numbered.partition_by("set", "map", maintain_order=True)
    frames = _on_all_cores(solve_part, parts)
    return pl.concat(frames).sort("row").drop("row") if frames else problems


def _on_all_cores(function: Callable[[_Item, int], pl.DataFrame], items: Sequence[_Item]) -> list[pl.DataFrame]:
    """Call a function for each map, with the number of threads that it may use."""
    cores = usable_cores()
    # Most maps are small, so one thread for each of several maps uses the cores better than several threads per map.
    workers = max(1, min(cores, len(items), 8))
    threads = math.ceil(cores / workers)
    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(lambda item: function(item, threads), items))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _concat(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat([SCHEMA.to_frame(), *frames], rechunk=True)


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


def _listed(set_name: str, group: MapProblems, grid: Grid, *, walls_are_errors: bool) -> pl.DataFrame:
    """Return the solvable problems on a map without their optima."""
    reasons = exclusions(grid, group)
    if walls_are_errors:
        _reject_walls(group, reasons)
    kept = np.flatnonzero(reasons == "")
    columns = {
        "problem": kept,
        "bucket": group.bucket[kept],
        **dict(zip(CELLS, group.cells[kept].T, strict=True)),
        "stored": group.stored[kept],
    }
    frame = pl.DataFrame({name: np.ascontiguousarray(values) for name, values in columns.items()})
    names = {"set": pl.lit(set_name), "map": pl.lit(group.map.name)}
    unknown = dict.fromkeys(("cardinal", "diagonal", "optimal"), pl.lit(None))
    return frame.with_columns(**names, **unknown).select(SCHEMA.names()).cast(SCHEMA)


def _with_moves(problems: pl.DataFrame, grid: Grid, threads: int) -> pl.DataFrame:
    """Return listed problems on one map with their optimal paths."""
    moves = grid.optimal(np.ascontiguousarray(problems.select(CELLS).to_numpy()), threads)
    cardinal, diagonal = (np.ascontiguousarray(moves[:, at]) for at in (0, 1))
    found = {"cardinal": cardinal, "diagonal": diagonal, "optimal": cardinal + diagonal * math.sqrt(2)}
    return problems.with_columns(pl.Series(name, values, SCHEMA[name]) for name, values in found.items())
