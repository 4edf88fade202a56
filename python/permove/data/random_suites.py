"""Suites without files: random problems, drawn on demand from a seed, on given or generated maps."""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from permove import _core
from permove.data.collection import File, MapSource
from permove.data.drawing import SHORTEST, Row, frame_of, rows_of
from permove.data.generate import BUCKET, make_map
from permove.data.problems import CELLS
from permove.data.suite import DIAGONAL, TERRAIN, Suite


def drawn_suite(
    name: str, kind: str, count: int, size: int, seed: int, diagonal: str, options: Mapping[str, float] | None = None
) -> Suite:
    """Return a suite of `count` generated square maps, each with one random problem.

    Start and goal are two different cells of the largest connected part of the map. A smaller suite is a prefix of a
    larger one.
    """
    names = [f"{kind}-{number:05}" for number in range(count)]
    texts = [cache(partial(_text, kind, size, _seed(seed, number), options)) for number in range(count)]
    sources = [MapSource(own, File(own, text), size, size) for own, text in zip(names, texts, strict=True)]

    def draw(number: int) -> list[Row]:
        grid = sources[number].grid(TERRAIN, diagonal)
        return rows_of(name, sources[number], 0, *_core.draw_problems(grid, 1, SHORTEST, math.inf, _seed(seed, number)))

    return _suite(name, sources, draw, BUCKET, diagonal)


def map_suite(path: Path, count: int, seed: int, diagonal: str) -> Suite:
    """Return a suite of `count` different random problems on the map in a file."""
    letters = _core.Map.parse(path.read_bytes(), str(path))
    source = MapSource(path.stem, File.on_disk(path), letters.width, letters.height)
    name = str(path)

    def draw(_: int) -> list[Row]:
        grid = source.grid(TERRAIN, diagonal)
        return rows_of(name, source, 0, *_core.draw_problems(grid, count, SHORTEST, math.inf, _seed(seed, 0)))

    return _suite(name, [source], draw, BUCKET, diagonal)


def bucket_suite(name: str, sources: Sequence[MapSource], costs: Sequence[int], count: int, seed: int) -> Suite:
    """Return a suite with `count` problems per map for each interval of optimal cost between consecutive `costs`.

    The costs are equidistant. The bucket of a problem is its optimal cost divided by their distance, rounded down.
    """

    def draw(number: int) -> list[Row]:
        source = sources[number]
        grid = source.grid(TERRAIN, DIAGONAL)
        rows: list[Row] = []
        for low, high in pairwise(costs):
            drawn = _core.draw_problems(grid, count, low, high, _seed(seed, number))
            rows += rows_of(name, source, len(rows), *drawn)
        return rows

    return _suite(name, sources, draw, costs[1] - costs[0], DIAGONAL)


def moved_suite(name: str, suite: Suite, sources: Sequence[MapSource]) -> Suite:
    """Return the problems of a suite on the same maps at other sizes.

    Starts and goals are the cells in the middle of those that represent the original ones, or the nearest cells of the
    largest connected part.
    """
    pairs = list(zip(suite.maps.values(), sources, strict=True))
    # Loaded here, since all suites share the lock under which their problems are loaded.
    problems = suite.problems

    def draw(number: int) -> list[Row]:
        old, new = pairs[number]
        grid = new.grid(suite.terrain, suite.diagonal)
        rows = problems.filter(pl.col("map") == old.name)[CELLS].to_numpy().astype(np.int64)
        scale = np.array([[new.width / old.width, new.height / old.height]])
        ends = ((rows.reshape(-1, 2) + 0.5) * scale).astype(np.int64)
        part = grid.components()
        y, x = np.nonzero(part == np.bincount(part[part >= 0]).argmax())
        nearest = np.array([((x - end[0]) ** 2 + (y - end[1]) ** 2).argmin() for end in ends])
        cells = np.stack([x[nearest], y[nearest]], axis=1).astype(np.uint32).reshape(-1, 4)
        return rows_of(name, new, 0, cells, grid.optimal(cells, 1))

    return _suite(name, sources, draw, BUCKET, suite.diagonal)


def resized(source: MapSource, width: int, height: int) -> MapSource:
    """Return a map scaled to another size, with walls in place of all but its largest connected part."""
    is_scaled = (width, height) != (source.width, source.height)
    name = f"{source.name}@{width}x{height}" if is_scaled else source.name
    return MapSource(name, source.file, width, height, whole=False)


def _suite(
    name: str, sources: Sequence[MapSource], draw: Callable[[int], list[Row]], bucket: int, diagonal: str
) -> Suite:
    by_name = {f"{name}/{source.name}": source for source in sources}
    return Suite(name, by_name, lambda: frame_of(draw, len(sources), bucket), TERRAIN, diagonal)


def _text(kind: str, size: int, seed: int, options: Mapping[str, float] | None) -> bytes:
    return make_map(kind, size, size, seed, options).text()


def _seed(seed: int, number: int) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{number}".encode(), digest_size=8).digest(), "little")
