"""Random problems on maps as a frame: drawn from a seed, with their optimal paths."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.common.errors import InputError
from permove.common.machine import usable_cores
from permove.data.collection import File, MapSource
from permove.data.generate import BUCKET
from permove.data.problems import CELLS, SCHEMA

SHORTEST = 0.5
"""The minimum optimal cost of drawn problems, so that start and goal differ."""

Row: TypeAlias = tuple[str | int, ...]
"""Set, map, ordinal, start, goal, and the cardinal and diagonal moves of an optimal path."""


def rows_of(set_name: str, source: MapSource, first: int, cells: NDArray, moves: NDArray) -> list[Row]:  # type: ignore[type-arg]
    """Return drawn problems on a map as rows, numbered from `first`."""
    drawn = zip(cells.tolist(), moves.tolist(), strict=True)
    return [(set_name, source.name, number, *ends, *counts) for number, (ends, counts) in enumerate(drawn, first)]


def frame_of(draw: Callable[[int], list[Row]], maps: int, bucket: int = BUCKET) -> pl.DataFrame:
    """Return the problems that `draw` returns for each map, as a frame with the columns of suites."""
    with ThreadPoolExecutor(usable_cores()) as pool:
        rows = [row for rows in pool.map(draw, range(maps)) for row in rows]
    drawn = pl.DataFrame(rows, schema=["set", "map", "problem", *CELLS, "cardinal", "diagonal"], orient="row")
    optimal = pl.col("cardinal") + pl.col("diagonal") * math.sqrt(2)
    complete = drawn.with_columns(optimal=optimal, stored=optimal, bucket=(optimal // bucket))
    return complete.select(SCHEMA.names()).cast(SCHEMA)


def drawn(
    set_name: str, sources: Sequence[MapSource], count: int, seed: int, terrain: str, diagonal: str
) -> pl.DataFrame:
    """Return `count` random problems on each map, between cells of its largest connected part."""
    if count < 1:
        raise InputError(f"cannot draw {count} problems; use at least 1")

    def draw(number: int) -> list[Row]:
        source = sources[number]
        grid = source.grid(terrain, diagonal)
        try:
            return rows_of(set_name, source, 0, *_core.draw_problems(grid, count, SHORTEST, math.inf, seed))
        except InputError as error:
            raise InputError(f"{source.file.label}: {error}") from None

    return frame_of(draw, len(sources))


def source_of(made: _core.Map, name: str, label: str) -> MapSource:
    """Return a map that is already read as the map of a suite."""
    text = made.text()
    return MapSource(name, File(label, lambda: text), made.width, made.height)


def source_at(path: Path, made: _core.Map) -> MapSource:
    """Return the map of a file, named after the file."""
    return source_of(made, path.stem, str(path))
