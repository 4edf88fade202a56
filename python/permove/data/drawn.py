"""Suites that lie in no file: maps made from a seed when they are asked for, each with one problem drawn on it."""

import hashlib
import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import polars as pl

from permove import _core
from permove.data.collection import File, MapSource
from permove.data.generate import BUCKET, make_map
from permove.data.problems import CELLS, SCHEMA
from permove.data.suite import TERRAIN, Suite
from permove.machine import usable_cores


def drawn_suite(
    name: str, kind: str, count: int, size: int, seed: int, diagonal: str, options: Mapping[str, float] | None = None
) -> Suite:
    """`count` square maps of a kind, each with a random start and another random goal.

    Start and goal are any two cells of the map's largest connected part. The first maps and problems of a larger suite
    are those of a smaller one.
    """
    names = [f"{kind}-{number:05}" for number in range(count)]
    texts = [cache(partial(_text, kind, size, _seed(seed, number), options)) for number in range(count)]
    sources = [MapSource(own, File(own, text), size, size) for own, text in zip(names, texts, strict=True)]

    def draw(number: int) -> tuple[str | int, ...]:
        source = sources[number]
        cells, moves = _core.draw_problems(source.grid(TERRAIN, diagonal), 1, 0.5, math.inf, _seed(seed, number))
        return (name, source.name, 0, *cells[0].tolist(), *moves[0].tolist())

    def problems() -> pl.DataFrame:
        with ThreadPoolExecutor(usable_cores()) as pool:
            rows = list(pool.map(draw, range(count)))
        drawn = pl.DataFrame(rows, schema=["set", "map", "problem", *CELLS, "cardinal", "diagonal"], orient="row")
        optimal = pl.col("cardinal") + pl.col("diagonal") * math.sqrt(2)
        whole = drawn.with_columns(optimal=optimal, stored=optimal, bucket=(optimal // BUCKET))
        return whole.select(SCHEMA.names()).cast(SCHEMA)

    return Suite(name, {f"{name}/{source.name}": source for source in sources}, problems, TERRAIN, diagonal)


def _text(kind: str, size: int, seed: int, options: Mapping[str, float] | None) -> bytes:
    return make_map(kind, size, size, seed, options).text()


def _seed(seed: int, number: int) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{number}".encode(), digest_size=8).digest(), "little")
