"""The embedded suite: `maps/` and `scenarios/` are generated from their seeds and have the documented properties."""

from pathlib import Path

import numpy as np
import pytest

from permove import _core
from permove.data.generate import EMBEDDED, embedded

ROOT = Path(__file__).parents[1]
MAPS = {path.name: path for path in sorted((ROOT / "maps").glob("*.map"))}
SCENARIOS = {path.name: path for path in sorted((ROOT / "scenarios").glob("*.scen"))}


def read_map(name: str) -> _core.Map:
    return _core.Map.parse(MAPS[name].read_bytes(), name)


def read_scenarios(name: str) -> _core.Scenarios:
    return _core.Scenarios.parse(SCENARIOS[f"{name}.scen"].read_bytes(), name)


def test_every_file_is_generated_from_its_seed_byte_for_byte() -> None:
    differing = [str(name) for name, content in embedded() if (ROOT / name).read_bytes() != content]
    assert not differing, "generate them again with `permove maps embedded`"


def test_every_file_has_a_recipe() -> None:
    names = {recipe.name for recipe in EMBEDDED}
    assert len(names) == len(EMBEDDED)
    assert set(MAPS) == {f"{name}.map" for name in names}
    assert set(SCENARIOS) == {f"{name}.map.scen" for name in names}


def test_suite_has_all_kinds_and_sizes_and_enough_problems_in_little_space() -> None:
    assert len(MAPS) >= 12
    assert {recipe.kind for recipe in EMBEDDED} == {kind for kind, _, _ in _core.generators()}
    assert all(128 <= side <= 512 for recipe in EMBEDDED for side in (recipe.width, recipe.height))
    assert {128, 512} <= {recipe.width for recipe in EMBEDDED}
    assert sum(len(read_scenarios(name)) for name in MAPS) >= 1200
    assert sum(path.stat().st_size for path in [*MAPS.values(), *SCENARIOS.values()]) < 4_000_000


@pytest.mark.parametrize("name", MAPS)
def test_stored_lengths_are_the_optima_under_strict(name: str) -> None:
    made, problems = read_map(name), read_scenarios(name)
    moves = made.grid("land", "strict").optimal(problems.cells, 0)
    optima = moves @ np.array([1, np.sqrt(2)])
    assert np.all(moves >= 0)
    assert np.all(optima > 0)
    assert np.all(np.abs(problems.length - optima) < 1e-8)
    assert np.array_equal(problems.bucket, np.floor(optima / 4))
    assert set(problems.map) == {name}
    assert np.array_equal(np.unique(problems.size, axis=0), [[made.width, made.height]])


@pytest.mark.parametrize("name", MAPS)
def test_problems_are_spread_over_difficulties(name: str) -> None:
    problems = read_scenarios(name)
    buckets, counts = np.unique(problems.bucket, return_counts=True)
    assert len(buckets) >= 15
    assert np.all(counts[:-1] >= 4), "only the longest paths are rare"
    assert problems.length.max() > 1.2 * max(problems.size[0]), "the longest paths cross the map"
