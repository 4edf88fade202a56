"""Suites: named, fingerprinted lists of problems, and seeded samples of them."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from permove._core import PROBLEM_COLUMNS, Grid
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.common.random_numbers import draw, mix
from permove.data.collection import MapProblems, MapSource, fingerprint
from permove.data.drawing import drawn, source_at, source_of
from permove.data.map_formats import read_map
from permove.data.map_formats.arrays import of_array
from permove.data.map_formats.letters import as_map
from permove.data.problem_choice import Choice, Sample, Shard
from permove.data.problems import CELLS, Advance, no_advance, solve

TERRAIN = "land"
DIAGONAL = "strict"
DIAGONAL_RULES = (DIAGONAL, "free", "none")

ROW = np.dtype([(name, np.int64) for name in PROBLEM_COLUMNS])
"""The type of a problem in the core."""


@dataclass(frozen=True)
class Selection:
    """Problems with their grids, in the form that a batch needs."""

    problems: pl.DataFrame
    """The columns of `Suite.problems`, and `grid`: the index of the problem's grid in `grids`."""
    grids: list[Grid]
    rows: NDArray[np.void]
    """The problems in the form that the core reads, with the type `ROW`."""


@dataclass(frozen=True)
class Suite:
    """A list of problems with their maps, which are loaded on demand.

    `Suite.of` makes one from a map, for example with 100 problems:

        pm.run(pm.Suite.of("level.png", 100), "rtaa(k=10)")
    """

    name: str
    maps: Mapping[str, MapSource]
    """The maps by set and name, such as `dao/arena`."""
    load_problems: Callable[[], pl.DataFrame]
    terrain: str = TERRAIN
    diagonal: str = DIAGONAL
    optima: Callable[[pl.DataFrame, Advance], pl.DataFrame] | None = None
    """Adds the optima of problems that are loaded without; `None` if they are loaded with their optima."""

    @staticmethod
    def of(
        map: ArrayLike | str | Path,
        problems: int | ArrayLike,
        *,
        name: str | None = None,
        diagonal: str = DIAGONAL,
        seed: int = 0,
    ) -> "Suite":
        """Return a suite of one map and of problems on it.

        `map` is an array with one row per row of the map, in which 0 and False are free and other numbers are walls, or
        a file in any format of maps. `problems` are rows of start x, start y, goal x, goal y, counted from the top
        left, or the number of random problems to draw with `seed`. The default name is that of the file, or `array`.
        """
        if isinstance(map, str | Path):
            path = Path(map)
            source = source_at(path, read_map(path))
            source = replace(source, name=name or source.name)
        else:
            own = name or "array"
            source = source_of(as_map(of_array(map, f"the map {own}"), own), own, own)
        key = f"{source.name}/{source.name}"
        if isinstance(problems, int):
            frame = drawn(source.name, [source], problems, seed, TERRAIN, diagonal)
        else:
            group = _stated(source, np.asarray(problems))
            frame = solve(source.name, [group], TERRAIN, diagonal, walls_are_errors=True)
        return Suite(source.name, {key: source}, lambda: frame, TERRAIN, diagonal)

    @property
    def rules(self) -> dict[str, str]:
        """The rules that determine free cells and legal moves."""
        return {"terrain": self.terrain, "diagonal": self.diagonal}

    @cached_property
    def problems(self) -> pl.DataFrame:
        """One row per problem, with the columns of `permove.data.problems.SCHEMA`."""
        return self.solved(no_advance)

    @cached_property
    def listed(self) -> pl.DataFrame:
        """The rows of `problems`, perhaps without their optima."""
        return self.load_problems()

    def solved(self, advance: Advance) -> pl.DataFrame:
        """Return the problems with their optima, which are computed if they are unknown."""
        return self.listed if self.optima is None else self.optima(self.listed, advance)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that records depend on: cells, problems, rules."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(json.dumps(self.rules, sort_keys=True).encode())
        for key, source in sorted(self.maps.items()):
            cells = source.fingerprint or fingerprint(self.grid(key))
            digest.update(f"\0{key}\0{cells}".encode())
        for key, numbers in self._by_map():
            digest.update(f"\0{key}\0".encode())
            digest.update(numbers.astype("<u4").tobytes())
        return digest.hexdigest()

    def grid(self, map: str) -> Grid:
        """Return the grid of a map, named as in `maps`."""
        return self.maps[map].grid(self.terrain, self.diagonal)

    def limit(self, count: int, seed: int) -> "Suite":
        """Return a sample of `count` problems, spread over maps and, within each map, over buckets.

        The same seed gives the same sample on every machine, and a smaller sample is a subset of a larger one.
        """
        if count < 1:
            raise InputError(f"invalid sample of {count} problems; use at least 1")
        problems = self.listed
        if count >= problems.height:
            return self
        return self._keep(problems[np.sort(_spread(problems, seed)[:count])])

    def sample(self, sample: Sample, seed: int) -> "Suite":
        """Return problems that are drawn uniformly and without replacement, regardless of maps and buckets."""
        if sample.count < 1 or sample.first < 0:
            raise InputError(f"invalid sample of {sample.count} problems starting at {sample.first}; use at least 1")
        problems = self.listed
        if problems.is_empty() or sample.count >= problems.height:
            return self
        turn, place = divmod(sample.first, problems.height)
        drawn = _shuffled(problems, seed, turn)[place : place + sample.count]
        if len(drawn) < sample.count:
            following = _shuffled(problems, seed, turn + 1)
            drawn = np.concatenate([drawn, following[~np.isin(following, drawn)][: sample.count - len(drawn)]])
        return self._keep(problems[np.sort(drawn)])

    def shard(self, shard: Shard) -> "Suite":
        """Return one part of the problems, spread over maps and buckets. Sizes of parts differ by at most one."""
        return self._keep(self.listed.sort("set", "map", "problem").gather_every(shard.count, shard.number - 1))

    def only_maps(self, names: Sequence[str]) -> "Suite":
        """Return the problems on some maps, named with or without their set: `dao/arena` or `arena`."""
        chosen = {key for name in names for key in self._maps_named(name)}
        key = pl.concat_str("set", "map", separator="/")
        return self._keep(self.listed.filter(key.is_in(sorted(chosen))))

    def select(self, choice: Choice = Choice(), seed: int = 0, advance: Advance = no_advance) -> Selection:
        """Return the chosen problems with their grids. Unknown optima are computed only for these problems."""
        suite = self if choice.maps is None else self.only_maps(choice.maps)
        suite = suite if choice.limit is None else suite.limit(choice.limit, seed)
        suite = suite if choice.sample is None else suite.sample(choice.sample, seed)
        suite = suite if choice.shard is None else suite.shard(choice.shard)
        solved = suite.solved(advance)
        keys = (solved["set"] + "/" + solved["map"]).to_list()
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        grid = pl.Series("grid", [numbers[key] for key in keys], dtype=pl.UInt32)
        problems = solved.with_columns(grid)
        rows = np.empty(problems.height, ROW)
        for name in PROBLEM_COLUMNS:
            rows[name] = problems["problem" if name == "ordinal" else name].to_numpy()
        return Selection(problems, [suite.grid(key) for key in numbers], rows)

    def _keep(self, problems: pl.DataFrame) -> "Suite":
        left = set(problems.select(pl.concat_str("set", "map", separator="/")).to_series())
        maps = {key: source for key, source in self.maps.items() if key in left}
        return replace(self, maps=maps, load_problems=lambda: problems)

    def _maps_named(self, name: str) -> list[str]:
        name = name.removesuffix(".map")
        found = [key for key in self.maps if name in (key, key.partition("/")[2])]
        if not found:
            names = [key.partition("/")[2] for key in self.maps]
            hint = suggestion(name, dict.fromkeys(names))
            raise InputError(f"{self.name} has no map {name}{hint}; choose another map")
        return found

    def _by_map(self) -> list[tuple[str, NDArray[np.uint32]]]:
        # Optima follow from cells and rules, so problems that are listed without them have the hash of their cells.
        columns = ["problem", "bucket", *CELLS, *(["cardinal", "diagonal"] if self.optima is None else [])]
        parts = self.listed.sort("set", "map", "problem").partition_by("set", "map", as_dict=True)
        return [("/".join(key), part.select(columns).to_numpy()) for key, part in parts.items()]


def _stated(source: MapSource, cells: NDArray[np.int64]) -> MapProblems:
    """Return problems that are stated as rows of cells, all in bucket 0."""
    if cells.ndim != 2 or cells.shape[1] != len(CELLS) or cells.dtype.kind not in "iu":
        raise InputError(f"invalid problems on {source.name}; use rows of four integers: {', '.join(CELLS)}")
    size = np.array([source.width, source.height] * 2)
    outside = np.flatnonzero(((cells < 0) | (cells >= size)).any(axis=1))
    if len(outside):
        raise InputError(
            f"problem {outside[0]} on {source.name} is outside the map: {cells[outside[0]].tolist()}; x is "
            f"0..{source.width - 1} and y is 0..{source.height - 1}"
        )
    count = len(cells)
    return MapProblems(
        map=source,
        cells=cells.astype(np.uint32),
        bucket=np.zeros(count, np.uint32),
        stored=np.full(count, np.nan),
        labels=["problems"] * count,
        lines=np.arange(1, count + 1, dtype=np.uint32),
    )


def _spread(problems: pl.DataFrame, seed: int) -> NDArray[np.intp]:
    """Return the rows in an order in which every prefix is spread over maps and buckets.

    Each round takes one problem from every map, and the buckets of a map alternate. The order within a round depends on
    hashes of the seed and the problem, not on the random generator of a library.
    """
    maps, map_of = _maps(problems)
    map_draw = np.array([draw(seed, name) for name in maps], dtype=np.uint64)[map_of]
    bucket = problems["bucket"].to_numpy().astype(np.uint64)
    bucket_draw = mix(map_draw ^ mix(bucket))
    problem_draw = mix(map_draw + mix(~problems["problem"].to_numpy().astype(np.uint64)))
    turn = _rank(problem_draw, np.stack([map_of, bucket.astype(np.int64)]))
    in_map = np.lexsort((bucket_draw, turn))
    order = np.empty(len(in_map), dtype=np.uint64)
    order[in_map] = np.arange(len(in_map), dtype=np.uint64)
    rounds = _rank(order, map_of[None, :])
    return np.lexsort((map_draw, rounds))


def _shuffled(problems: pl.DataFrame, seed: int, turn: int) -> NDArray[np.intp]:
    """Return the rows in a random order that is different for each turn."""
    maps, map_of = _maps(problems)
    map_draw = np.array([draw(seed, f"turn {turn}\0{name}") for name in maps], dtype=np.uint64)[map_of]
    return np.argsort(mix(map_draw + mix(problems["problem"].to_numpy().astype(np.uint64))), kind="stable")


def _maps(problems: pl.DataFrame) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """Return the names of the maps, and for each row the index of its map."""
    return np.unique((problems["set"] + "/" + problems["map"]).to_numpy().astype(str), return_inverse=True)


def _rank(values: NDArray[np.uint64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each value within its group. Values with equal columns of `groups` form a group."""
    order = np.lexsort((values, *groups))
    sorted_groups = groups[:, order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (sorted_groups[:, 1:] != sorted_groups[:, :-1]).any(axis=0)
    place = np.arange(len(order))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return ranks
