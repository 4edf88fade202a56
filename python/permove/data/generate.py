"""Generated maps and problems, and the recipes of the embedded suite.

`embedded()` generates the files in `maps/` and `scenarios/` byte for byte. A recipe has the kind of map, its size, a
seed, the options that differ from the defaults, and the number of problems per bucket.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from permove import _core
from permove.common.errors import InputError
from permove.common.names import closest

BUCKET = 4
"""Bucket b of MovingAI's scenarios has the problems with an optimal cost in [4·b, 4·b + 4)."""


@dataclass(frozen=True)
class Recipe:
    """Recipe of a map of the embedded suite and of its problems: `count` in every `every`-th bucket."""

    name: str
    kind: str
    width: int
    height: int
    seed: int
    every: int
    options: Mapping[str, float] = field(default_factory=dict)
    count: int = 4

    def map(self) -> _core.Map:
        """Generate the map."""
        return make_map(self.kind, self.width, self.height, self.seed, self.options)


EMBEDDED = (
    Recipe("outdoor-valleys-512", "outdoor", 512, 512, 3, 8, {"grain": 72}),
    Recipe("outdoor-lakes-512", "outdoor", 512, 512, 13, 8, {"grain": 56, "water": 0.22, "trees": 0.2, "ramps": 0.6}),
    Recipe("outdoor-cliffs-256", "outdoor", 256, 256, 2, 5, {"grain": 40, "terraces": 7, "ramps": 0.3}),
    Recipe("outdoor-woods-192", "outdoor", 192, 192, 4, 3, {"grain": 32, "trees": 0.35, "water": 0.06}),
    Recipe("rooms-512", "rooms", 512, 512, 1, 12, {"room": 48, "corridor": 4, "door": 2}),
    Recipe("rooms-256", "rooms", 256, 256, 1, 8),
    Recipe("rooms-128", "rooms", 128, 128, 1, 4, {"room": 14, "corridor": 1}),
    Recipe("caves-512", "caves", 512, 512, 1, 12, {"doublings": 2, "tunnel": 3}),
    Recipe("caves-256", "caves", 256, 256, 1, 8),
    Recipe("caves-128", "caves", 128, 128, 1, 5, {"rock": 0.48, "doublings": 0, "tunnel": 1}),
    Recipe("maze-256", "maze", 256, 256, 1, 20, {"corridor": 10}),
    Recipe("maze-151", "maze", 151, 151, 1, 40),
    Recipe("maze-128", "maze", 128, 128, 1, 20, {"corridor": 3}),
    Recipe("random-10-384", "random", 384, 384, 1, 7, {"density": 0.1}),
    Recipe("random-25-256", "random", 256, 256, 1, 4),
    Recipe("random-38-192", "random", 192, 192, 1, 4, {"density": 0.38}),
)

SEEDS = PurePosixPath("maps/SEEDS.json")
"""The file with the recipes of the maps."""


def embedded() -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the path in the repository and the content of each file of the embedded suite."""
    for recipe in EMBEDDED:
        letters = recipe.map()
        file = f"{recipe.name}.map"
        cells, moves = _core.draw_buckets(letters.grid("land", "strict"), recipe.count, recipe.every, recipe.seed)
        yield PurePosixPath("maps", file), letters.text()
        yield PurePosixPath("scenarios", f"{file}.scen"), scenarios(file, letters, cells, moves).text()
    yield SEEDS, (json.dumps([asdict(recipe) for recipe in EMBEDDED], indent=1) + "\n").encode()


def make_map(kind: str, width: int, height: int, seed: int, options: Mapping[str, float] | None = None) -> _core.Map:
    """Generate a map of one of the kinds in `_core.generators()`."""
    kinds = {name: [option for option, *_ in settings] for name, _, settings in _core.generators()}
    _check_known(kind, kinds, f"kind of map '{kind}'")
    for option in options or {}:
        _check_known(option, kinds[kind], f"option '{option}' of {kind}")
    return _core.generate_map(kind, width, height, seed, options or {})


def scenarios(file: str, letters: _core.Map, cells: NDArray[np.uint32], moves: NDArray[np.int64]) -> _core.Scenarios:
    """Return drawn problems as scenarios of the map in `file`, with lengths to eight decimals as in MovingAI's."""
    lengths = moves @ np.array([1, np.sqrt(2)])
    buckets = (lengths // BUCKET).astype(np.uint32)
    size = np.tile(np.array([letters.width, letters.height], np.uint32), (len(cells), 1))
    return _core.Scenarios.from_columns([file] * len(cells), buckets, size, cells, lengths.round(8))


def _check_known(name: str, names: Mapping[str, object] | list[str], what: str) -> None:
    if name not in names:
        match = closest(name, names)
        hint = f" (did you mean '{match}'?)" if match else ""
        raise InputError(f"unknown {what}{hint}; choose one of {', '.join(names)}")
