"""Generated maps and drawn problems in Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permove import _core
from permove._core import InputError
from permove.data.generate import make_map, scenarios
from support import rejects

KINDS = [name for name, _, _ in _core.generators()]


def strict(made: _core.Map) -> _core.Grid:
    return made.grid("land", "strict")


def test_five_kinds_of_maps_describe_their_options() -> None:
    assert KINDS == ["outdoor", "rooms", "caves", "maze", "random"]
    for _, about, options in _core.generators():
        assert about.endswith(".")
        assert options
        for name, default, low, high, description in options:
            assert name
            assert low <= default <= high
            assert description


@given(kind=st.sampled_from(KINDS), width=st.integers(8, 64), height=st.integers(8, 64), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=60)
def test_same_seed_gives_the_same_map(kind: str, width: int, height: int, seed: int) -> None:
    made = make_map(kind, width, height, seed)
    assert (made.width, made.height) == (width, height)
    assert made.text() == make_map(kind, width, height, seed).text()
    assert set(np.unique(made.letters()).tolist()) <= set(b".@TWS")


def test_generated_map_reads_back() -> None:
    for kind in KINDS:
        made = make_map(kind, 40, 30, 1)
        again = _core.Map.parse(made.text(), "again.map")
        assert np.array_equal(again.letters(), made.letters())


def test_options_shape_the_map() -> None:
    sparse, dense = (strict(make_map("random", 64, 64, 1, {"density": density})) for density in (0.1, 0.4))
    assert sparse.free_cells > dense.free_cells
    narrow, wide = (strict(make_map("maze", 64, 64, 1, {"corridor": width})) for width in (1, 4))
    assert narrow.free_cells < wide.free_cells


KNOWN = "choose one of outdoor, rooms, caves, maze, random"
DENSITY = "choose one of density"
SIZES = "maps must have from 8 × 8 to 1024 × 1024 cells, not"


@pytest.mark.parametrize(
    ("kind", "size", "options", "error"),
    [
        ("mase", (20, 20), {}, f"unknown kind of map 'mase' (did you mean 'maze'?); {KNOWN}"),
        ("xyz", (20, 20), {}, f"unknown kind of map 'xyz'; {KNOWN}"),
        ("random", (20, 20), {"dense": 1}, f"unknown option 'dense' of random (did you mean 'density'?); {DENSITY}"),
        ("random", (20, 20), {"density": 0.9}, "option `density` of `random` must be a number from 0 to 0.4, not 0.9"),
        ("maze", (20, 20), {"corridor": 1.5}, "option `corridor` of `maze` must be an integer from 1 to 32, not 1.5"),
        ("maze", (7, 20), {}, f"{SIZES} 7 × 20"),
        ("maze", (20, 10**12), {}, f"{SIZES} 20 × 1000000000000"),
    ],
)
def test_impossible_map_is_rejected(kind: str, size: tuple[int, int], options: dict[str, float], error: str) -> None:
    with pytest.raises(InputError) as caught:
        make_map(kind, *size, 1, options)
    assert str(caught.value) == error


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**32), low=st.floats(0, 20))
@settings(max_examples=40)
def test_drawn_problems_have_the_requested_optimal_cost(kind: str, seed: int, low: float) -> None:
    grid = strict(make_map(kind, 64, 48, seed))
    cells, moves = _core.draw_problems(grid, 10, low, low + 8, seed)
    assert cells.shape == (10, 4)
    assert np.array_equal(grid.optimal(cells, 1), moves)
    lengths = moves @ np.array([1, np.sqrt(2)])
    assert np.all((low <= lengths) & (lengths < low + 8))
    assert len(np.unique(cells, axis=0)) == 10
    again_cells, again_moves = _core.draw_problems(grid, 10, low, low + 8, seed)
    assert np.array_equal(again_cells, cells)
    assert np.array_equal(again_moves, moves)


def test_buckets_are_those_of_movingai() -> None:
    made = make_map("caves", 96, 96, 1)
    cells, moves = _core.draw_buckets(strict(made), 3, 2, 1)
    written = scenarios("caves.map", made, cells, moves)
    buckets, counts = np.unique(written.bucket, return_counts=True)
    assert np.array_equal(written.bucket, np.floor(written.length / 4))
    assert np.all(buckets % 2 == 0)
    assert buckets[0] == 0
    assert len(buckets) > 10
    assert np.all(counts[:-1] == 3)


def test_drawn_scenarios_read_back() -> None:
    made = make_map("rooms", 64, 48, 1)
    cells, moves = _core.draw_problems(strict(made), 20, 4, 40, 1)
    written = _core.Scenarios.parse(scenarios("rooms.map", made, cells, moves).text(), "rooms.map.scen")
    assert np.array_equal(written.cells, cells)
    assert np.array_equal(written.size, np.tile([64, 48], (20, 1)))
    assert np.allclose(written.length, moves @ np.array([1, np.sqrt(2)]), rtol=0, atol=1e-8)
    assert set(written.map) == {"rooms.map"}


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (9.0, 9.0, ["no cost is at least 9 and below 9"]),
        (1000.0, 1001.0, ["found 0 of 5 problems with an optimal cost of at least 1000 and below 1001; the longest"]),
    ],
)
def test_impossible_costs_are_rejected(low: float, high: float, words: list[str]) -> None:
    with rejects(*words):
        _core.draw_problems(strict(make_map("caves", 32, 32, 1)), 5, low, high, 1)


def test_map_without_paths_has_no_problems() -> None:
    walled = _core.Grid.from_array(np.zeros((9, 9), bool), "strict")
    with rejects("no two connected cells"):
        _core.draw_buckets(walled, 1, 1, 1)
