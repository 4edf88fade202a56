"""Hierarchies of abstractions in Python, and the letters of their regions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from permove import _core
from permove.report import picture
from permove.report.regions import lettered

SMALL = np.array([list(row) for row in ("..@.", "..@@", "....")]) == "."


def hierarchy_of(free: np.ndarray, diagonal: str = "strict") -> _core.Hierarchy:
    return _core.Hierarchy(_core.Grid.from_array(free, diagonal), "free")


def assert_regions_differ(hierarchy: _core.Hierarchy, level: int) -> None:
    """Check that a region has one letter, that adjacent regions have others, and that obstacles keep theirs."""
    regions = hierarchy.regions(level)
    letters = lettered(np.full(regions.shape, ord("@"), np.uint8), regions)
    assert np.array_equal(letters == ord("@"), regions < 0)
    lettered_regions = set(zip(regions.ravel().tolist(), letters.ravel().tolist(), strict=True))
    assert len(lettered_regions) == np.unique(regions).size
    height, width = regions.shape
    for x, y in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        cell = np.s_[: height - y, max(0, -x) : width - max(0, x)]
        neighbour = np.s_[y:, max(0, x) : width + min(0, x)]
        adjacent = (regions[cell] != regions[neighbour]) & (regions[cell] >= 0) & (regions[neighbour] >= 0)
        assert not np.any(adjacent & (letters[cell] == letters[neighbour]))


def test_small_map_has_the_abstraction_computed_by_hand() -> None:
    hierarchy = hierarchy_of(SMALL)
    assert hierarchy.top == 2
    assert [hierarchy.states(level) for level in range(3)] == [9, 4, 2]
    # Level 1 has a clique of four, two pairs and an isolated cell. Level 2 joins the clique and the pairs.
    assert hierarchy.regions(1).tolist() == [[0, 0, -1, 3], [0, 0, -1, -1], [1, 1, 2, 2]]
    assert hierarchy.regions(2).tolist() == [[0, 0, -1, 1], [0, 0, -1, -1], [0, 0, 0, 0]]
    assert hierarchy.children(1).tolist() == [4, 2, 2, 1]
    assert hierarchy.children(2).tolist() == [3, 1]
    assert hierarchy.degrees(0).sum() == 2 * 13
    assert hierarchy.degrees(1).tolist() == [1, 2, 1, 0]
    assert hierarchy.degrees(2).tolist() == [0, 0]
    assert hierarchy.check() is None
    assert hierarchy.bytes > 0
    assert hierarchy.build_ns > 0


def test_without_diagonals_regions_are_pairs() -> None:
    hierarchy = hierarchy_of(SMALL, "none")
    assert hierarchy.regions(1).tolist() == [[0, 0, -1, 4], [1, 1, -1, -1], [2, 2, 3, 3]]
    assert hierarchy.check() is None


def test_level_0_has_one_region_per_free_cell() -> None:
    assert np.array_equal(hierarchy_of(SMALL).regions(0), np.where(SMALL, np.arange(12).reshape(3, 4), -1))


@pytest.mark.parametrize("free", [np.zeros((2, 3), bool), np.array([[True, False, True]])])
def test_map_of_isolated_cells_has_one_level(free: np.ndarray) -> None:
    hierarchy = hierarchy_of(free)
    assert hierarchy.top == 0
    assert hierarchy.states(0) == free.sum()
    assert hierarchy.check() is None
    assert_regions_differ(hierarchy, 0)


def test_unknown_level_is_rejected() -> None:
    hierarchy = hierarchy_of(SMALL)
    for method in (hierarchy.states, hierarchy.degrees, hierarchy.children, hierarchy.regions):
        with pytest.raises(_core.InputError, match=r"there is no level 3; use \d to 2"):
            method(3)
    with pytest.raises(_core.InputError, match="there is no level 0; use 1"):
        hierarchy.children(0)


@given(
    free=st.tuples(st.integers(1, 12), st.integers(1, 12)).flatmap(lambda shape: arrays(bool, shape)),
    diagonal=st.sampled_from(["strict", "free", "none"]),
)
def test_levels_are_partitions_and_adjacent_regions_get_different_letters(free: np.ndarray, diagonal: str) -> None:
    grid = _core.Grid.from_array(free, diagonal)
    hierarchy = _core.Hierarchy(grid)
    assert hierarchy.check() is None
    for level in range(hierarchy.top + 1):
        regions = hierarchy.regions(level)
        assert np.array_equal(regions >= 0, free)
        assert np.unique(regions[free]).size == hierarchy.states(level)
        if level > 0:
            assert hierarchy.children(level).sum() == hierarchy.states(level - 1)
        assert_regions_differ(hierarchy, level)
    parts = grid.components().max() + 1
    assert hierarchy.states(hierarchy.top) == parts


@pytest.mark.parametrize("kind", ["caves", "maze", "outdoor", "random", "rooms"])
@pytest.mark.parametrize("diagonal", ["strict", "none"])
def test_adjacent_regions_differ_on_larger_maps(kind: str, diagonal: str) -> None:
    hierarchy = _core.Hierarchy(_core.generate_map(kind, 96, 64, 5, {}).grid("land", diagonal))
    for level in range(1, hierarchy.top + 1):
        assert_regions_differ(hierarchy, level)


def test_adjacent_regions_differ_on_a_map_with_very_many_regions() -> None:
    hierarchy = hierarchy_of(np.ones((512, 512), bool))
    assert hierarchy.states(1) == 2**16
    assert_regions_differ(hierarchy, 1)


def test_region_letters_have_distinct_colours() -> None:
    letters = np.frombuffer((picture.REGIONS + ".@TWS").encode(), np.uint8)[None]
    colours = picture.image(letters)[0]
    assert len({tuple(colour) for colour in colours.tolist()}) == letters.size
