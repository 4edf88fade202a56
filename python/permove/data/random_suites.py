"""Suites without files: random problems, drawn on demand from a seed, on given or generated maps."""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

import numpy as np

from permove import _core
from permove.common.errors import InputError
from permove.data.collection import File, MapSource
from permove.data.drawing import SHORTEST, Row, frame_of, rows_of
from permove.data.generate import BUCKET, make_map
from permove.data.map_formats.letters import WALL, text_of
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


def shrunk(source: MapSource, width: int, height: int) -> MapSource:
    """Return a map scaled to another size, with walls in place of all but its largest connected part."""
    return MapSource(
        f"{source.name}@{width}x{height}",
        File(source.file.label, cache(partial(_largest_part, source, width, height))),
        width,
        height,
    )


def _suite(
    name: str, sources: Sequence[MapSource], draw: Callable[[int], list[Row]], bucket: int, diagonal: str
) -> Suite:
    by_name = {f"{name}/{source.name}": source for source in sources}
    return Suite(name, by_name, lambda: frame_of(draw, len(sources), bucket), TERRAIN, diagonal)


def _text(kind: str, size: int, seed: int, options: Mapping[str, float] | None) -> bytes:
    return make_map(kind, size, size, seed, options).text()


def _largest_part(source: MapSource, width: int, height: int) -> bytes:
    scaled = _core.Map.parse(source.file.read(), source.file.label).scaled(width, height)
    grid = scaled.grid(TERRAIN, DIAGONAL)
    if grid.cliffs() is not None:
        raise InputError(f"{source.file.label} has cliffs, which no file of another size can contain; use another map")
    part = grid.components()
    letters = scaled.letters().copy()
    letters[(part >= 0) & (part != np.bincount(part[part >= 0]).argmax())] = WALL
    return text_of(letters)


def _seed(seed: int, number: int) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{number}".encode(), digest_size=8).digest(), "little")
