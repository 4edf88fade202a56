"""Map files, scenario files and grids in Python."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_files import ROOM, map_text
from permove import _core
from permove.data.collection import File
from support import rejects

LETTERS = ".G@OTSW"
ROOM_MAP = _core.Map.parse(map_text(), "room.map")


@st.composite
def letter_rows(draw: st.DrawFn) -> list[str]:
    width, height = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    return draw(st.lists(st.text(LETTERS, min_size=width, max_size=width), min_size=height, max_size=height))


@given(rows=letter_rows())
def test_written_map_reads_back(rows: list[str]) -> None:
    read = _core.Map.parse(map_text(rows), "drawn.map")
    again = _core.Map.parse(read.text(), "written.map")
    assert ["".join(map(chr, row)) for row in again.letters()] == rows
    assert (again.width, again.height) == (len(rows[0]), len(rows))


@given(rows=letter_rows(), line_end=st.sampled_from(["\n", "\r\n", "  \n", "\t\r\n"]), swapped=st.booleans())
def test_line_ends_and_the_order_of_the_header_do_not_matter(rows: list[str], line_end: str, swapped: bool) -> None:
    sides = [f"height {len(rows)}", f"width {len(rows[0])}"]
    lines = ["type octile", *(reversed(sides) if swapped else sides), "map", *rows]
    read = _core.Map.parse((line_end.join(lines) + line_end).encode(), "drawn.map")
    assert read.text() == map_text(rows)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", ["line 1", "empty", "type octile"]),
        (b"type octile-corner\nheight 1\nwidth 2\nmap\n22\nGG\n", ["line 4", "two corners along each side"]),
        (
            b"type octile-corner\nheight 2\nwidth 2\nmap\n22\n22\nGG\n",
            ["line 7", "2 rows of letters", "3 rows in total"],
        ),
        (
            b"type octile-corner\nheight 2\nwidth 2\nmap\n22\n2G\nGG\nGG\n",
            ["line 6", "height `G` in column 2", "0 to ?"],
        ),
        (b"type octile-corner\nheight 2\nwidth 2\nmap\n22\n22\nGX\nGG\n", ["line 7", "`X` in column 2", "slopes"]),
        (b"voxel 3 3 3\n0 0 0\n", ["line 1", "three-dimensional voxel map"]),
        (b"type hex\nheight 1\nwidth 1\nmap\n.\n", ["line 1", "type `hex`"]),
        (b"type octile\nheight 3\nwidth 2\nmap\n..\n..\n", ["line 6", "2 rows", "declares 3"]),
        (b"type octile\nheight 1\nwidth 2\nmap\n..\n..\n", ["line 6", "more rows than the 1"]),
        (b"type octile\nheight 1\nwidth 3\nmap\n..\n", ["line 5", "2 letters", "declares 3"]),
        (b"type octile\nheight 1\nwidth 2\nmap\n.x\n", ["line 5", "`x` in column 2", "@ O T W"]),
        (b"type octile\nheight 9999\nwidth 2\nmap\n..\n", ["line 2", "9999", "8192"]),
        (b"type octile\nheight 1\nmap\n..\n", ["line 3", "`map`", "`width`"]),
    ],
)
def test_bad_map_is_rejected_with_file_and_line(text: bytes, words: list[str]) -> None:
    with rejects("bad.map", *words):
        _core.Map.parse(text, "bad.map")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", ["line 1", "empty"]),
        (b"version 2\n", ["line 1", "`version 2`", "version 1"]),
        (b"version 1\nSimple.3dmap\n", ["line 2", "voxel map `Simple.3dmap`"]),
        (b"version 1\n0 a.map 5 5 0 0 1 1\n", ["line 2", "8 fields", "nine"]),
        (b"version 1\n\n0 a.map 5 5 0 0 1 1 far\n", ["line 3", "the length is `far`"]),
        (b"version 1\n0 a.map 5 5 0 0 5 1 1\n", ["line 2", "the goal (5, 1)", "5 × 5"]),
    ],
)
def test_bad_scenarios_are_rejected_with_file_and_line(text: bytes, words: list[str]) -> None:
    with rejects("bad.scen", *words):
        _core.Scenarios.parse(text, "bad.scen")


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2**32 - 1), *[st.integers(0, 7)] * 4, st.floats(0, 1e6)), min_size=1, max_size=9
    )
)
def test_written_scenarios_read_back(rows: list[tuple[int, int, int, int, int, float]]) -> None:
    written = _core.Scenarios.from_columns(
        [f"maps/{i}.map" for i in range(len(rows))],
        np.array([row[0] for row in rows], dtype=np.uint32),
        np.full((len(rows), 2), 8, dtype=np.uint32),
        np.array([row[1:5] for row in rows], dtype=np.uint32),
        np.array([row[5] for row in rows], dtype=np.float64),
    )
    read = _core.Scenarios.parse(written.text(), "written.scen")
    assert len(read) == len(rows)
    assert read.map == written.map
    for column in ("bucket", "size", "cells", "length"):
        assert (getattr(read, column) == getattr(written, column)).all()
    assert read.line.tolist() == list(range(2, len(rows) + 2))


def test_scenarios_with_an_unreadable_map_name_are_not_written() -> None:
    column = np.zeros(1, dtype=np.uint32)
    cells, size = np.zeros((1, 4), dtype=np.uint32), np.ones((1, 2), dtype=np.uint32)
    bad = _core.Scenarios.from_columns(["my map.map"], column, size, cells, np.zeros(1))
    with rejects("`my map.map`; rename the map, without spaces"):
        bad.text()


def test_scaling_takes_the_letter_under_the_centre_of_each_cell() -> None:
    scaled = _core.Map.parse(map_text(["@.", ".."]), "small.map").scaled(4, 2)
    assert scaled.text() == map_text(["@@..", "...."])
    with rejects("0 × 2 cells is not supported"):
        scaled.scaled(0, 2)


def test_unknown_rule_is_rejected_with_the_known_ones() -> None:
    with rejects("no diagonal rule `stirct`; use strict, free, none"):
        ROOM_MAP.grid("land", "stirct")
    with rejects("no terrain rule `sea`; use land"):
        ROOM_MAP.grid("sea", "strict")


def test_grid_from_an_array_equals_that_of_the_map() -> None:
    grid = ROOM_MAP.grid("land", "free")
    assert _core.Grid.from_array(grid.free(), "free").fingerprint == grid.fingerprint
    assert grid.with_diagonal("strict").fingerprint == ROOM_MAP.grid("land", "strict").fingerprint != grid.fingerprint
    assert grid.free_cells == sum(row.count(".") for row in ROOM)
    with rejects("not supported"):
        _core.Grid.from_array(np.zeros((0, 3), dtype=bool), "free")


def test_components_number_connected_cells() -> None:
    grid = _core.Map.parse(map_text([".@.", "@..", "..."]), "corner.map").grid("land", "strict")
    assert grid.components().tolist() == [[0, -1, 1], [-1, 1, 1], [1, 1, 1]]
    assert grid.with_diagonal("free").components().max() == 0


@given(rows=letter_rows(), rule=st.sampled_from(["strict", "free", "none"]), data=st.data())
def test_optima_are_the_distances(rows: list[str], rule: str, data: st.DataObject) -> None:
    grid = _core.Map.parse(map_text(rows), "drawn.map").grid("land", rule)
    cells = st.tuples(st.integers(0, grid.width - 1), st.integers(0, grid.height - 1))
    start = data.draw(cells)
    goals = data.draw(st.lists(cells, min_size=1, max_size=60))
    problems = np.array([[*start, *goal] for goal in goals], dtype=np.uint32)
    moves = grid.optimal(problems, 2)
    lengths = np.where(moves[:, 0] < 0, np.inf, moves[:, 0] + moves[:, 1] * 2**0.5)
    expected = grid.distances(*start)[problems[:, 3], problems[:, 2]]
    np.testing.assert_allclose(lengths, expected, atol=1e-9)


def test_cells_outside_a_grid_are_rejected() -> None:
    grid = ROOM_MAP.grid("land", "strict")
    with rejects("(5, 0) is outside the grid of 5 × 4"):
        grid.distances(5, 0)
    with rejects("(0, 4) is outside"):
        grid.optimal(np.array([[0, 4, 0, 0]], dtype=np.uint32), 1)
    with rejects("four columns"):
        grid.optimal(np.zeros((1, 3), dtype=np.uint32), 1)


def test_missing_map_is_named(tmp_path: Path) -> None:
    with rejects("nowhere.map does not exist; check the path"):
        File.on_disk(tmp_path / "nowhere.map").read()
