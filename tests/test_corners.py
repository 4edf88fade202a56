"""MovingAI's `octile-corner` maps: heights, slopes, and cliffs that block moves between free cells."""

import pickle
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import polars as pl
import pytest

import permove as pm
from permove import _core
from permove.data import catalogue
from permove.data.random_suites import bucket_suite, shrunk
from permove.engines.cluster import Cells, _grid
from support import invoke, json_of

SIDE = 24


def corner_map(slope: bool = True) -> bytes:
    """Return a map with a plateau of 12 × 24 cells in the east, which a slope in one row links to the west."""
    letters = [["G"] * (SIDE + 1) for _ in range(SIDE + 1)]
    heights = [["2"] * 12 + ["4"] * 13 for _ in range(SIDE + 1)]
    letters[5][3], letters[20][18] = "T", "W"
    if slope:
        letters[9][11] = "g"
    rows = [*heights, *letters]
    head = f"type octile-corner\nheight {SIDE + 1}\nwidth {SIDE + 1}\nmap\n"
    return head.encode() + b"".join("".join(row).encode() + b"\n" for row in rows)


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import the map as a set and change to an empty folder."""
    monkeypatch.setenv("PERMOVE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    with ZipFile("hills-map.zip", "w") as zipped:
        zipped.writestr("plateau.map", corner_map())
    invoke("data import hills-map.zip")
    Path("plateau.map").write_bytes(corner_map())


def test_a_plateau_is_reached_only_over_its_slope() -> None:
    grid = _core.Map.parse(corner_map(), "plateau.map").grid("land", "strict")
    steep = _core.Map.parse(corner_map(slope=False), "steep.map").grid("land", "strict")
    assert (grid.free_cells, np.unique(grid.components()).size) == (SIDE * SIDE - 2, 2)
    assert (steep.free_cells, np.unique(steep.components()).size) == (SIDE * SIDE - 2, 3)
    assert grid.fingerprint != steep.fingerprint
    # Straight across the plateau's edge, and by way of the slope in row 9.
    assert grid.distances(10, 9)[9, 13] == 3
    assert grid.distances(10, 20)[20, 13] > 20
    assert np.isinf(steep.distances(10, 9)[9, 13])


def test_written_maps_and_sent_grids_have_the_same_cliffs() -> None:
    shown = _core.Map.parse(corner_map(), "plateau.map")
    assert shown.text() == corner_map()
    grid = shown.grid("land", "strict")
    for copy in (
        pickle.loads(pickle.dumps(grid)),
        _grid(Cells.of(grid)),
        grid.with_diagonal("free").with_diagonal("strict"),
    ):
        assert copy.fingerprint == grid.fingerprint
        assert np.array_equal(copy.distances(10, 20), grid.distances(10, 20))
    assert _core.Grid.from_array(grid.free(), "strict").fingerprint != grid.fingerprint
    with pytest.raises(pm.InputError, match="cliffs of 2 × 1 cells do not fit"):
        _core.Grid.from_array(grid.free(), "strict", np.zeros((1, 2), np.uint8))


@pytest.mark.usefixtures("imported")
def test_a_scaled_map_keeps_its_cliffs_but_cannot_be_written() -> None:
    scaled = _core.Map.parse(corner_map(), "plateau.map").scaled(3 * SIDE, 3 * SIDE)
    distances = scaled.grid("land", "strict").distances(31, 61)
    assert distances[61, 40] > 60
    assert np.isfinite(distances[61, 40])
    with pytest.raises(pm.InputError, match="cannot be written"):
        scaled.text()
    with pytest.raises(pm.InputError, match=r"plateau\.map has cliffs"):
        shrunk(catalogue.maps("hills")["plateau"], 10, 10).grid("land", "strict")


@pytest.mark.usefixtures("imported")
def test_a_map_is_shown_with_its_cliffs_and_levels() -> None:
    plain, *levels = json_of("maps show plateau.map --abstraction 2 --variant aligned")
    assert (plain["width"], plain["largest_part"], plain["broken"]) == (SIDE, SIDE * SIDE - 2, None)
    assert plain["cliffs"] > SIDE - 3
    assert levels
    invoke("maps show plateau.map --png flat.png")
    assert Path("flat.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("imported")
def test_agents_solve_problems_drawn_on_a_map_with_cliffs() -> None:
    suite = bucket_suite("hills", [catalogue.maps("hills")["plateau"]], (10, 40), 12, seed=1)
    agents = [
        "astar",
        "lrta(d=3)",
        "pra(abstraction=aligned)",
        "pr-lrts(l=2)",
        "dstar-lite",
        "lrta(goal=pdb, d=pdb, l=2)",
    ]
    known = pm.run(suite, agents, out="known", progress=False).records
    assert known["status"].unique().to_list() == ["solved"]
    assert known.filter(pl.col("agent").str.starts_with("astar"))["suboptimality"].to_list() == [1.0] * 12
    unknown = pm.run(suite, agents[:-1], out="unknown", sensor="square(3)", progress=False).records
    assert unknown["status"].unique().to_list() == ["solved"]
