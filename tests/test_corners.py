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
from permove.data.random_suites import bucket_suite, moved_suite, resized
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
    # The tree and the water stay walls, and the plateau is lost without its slope.
    large = resized(catalogue.maps("hills")["plateau"], 3 * SIDE, 3 * SIDE)
    assert (large.name, large.grid("land", "strict").free_cells) == (f"plateau@{3 * SIDE}x{3 * SIDE}", scaled_cells())
    steep = _core.Map.parse(corner_map(slope=False), "steep.map").largest_part("land", "strict")
    assert steep.grid("land", "strict").free_cells == SIDE * SIDE // 2 - 1
    with pytest.raises(pm.InputError, match="cannot be written"):
        steep.text()


def scaled_cells() -> int:
    return 9 * (SIDE * SIDE - 2)


def test_an_enlarged_slope_rises_in_its_first_column() -> None:
    grid = _core.Map.parse(corner_map(), "plateau.map").scaled(3 * SIDE, 3 * SIDE).grid("land", "strict")
    # The slope is the cell (11, 9): its three rows lead up, the rows beside it do not.
    costs = [grid.distances(32, y)[y, 36] for y in (26, 27, 28, 29, 30)]
    assert costs[1:4] == [4, 4, 4]
    assert min(costs[0], costs[4]) > 4
    # The later columns are as high as the plateau, so the ground above and below them is separated from them.
    assert grid.distances(34, 27)[26, 34] > grid.distances(32, 27)[26, 32] == 1


@pytest.mark.usefixtures("imported")
def test_problems_move_with_their_map() -> None:
    source = catalogue.maps("hills")["plateau"]
    suite = bucket_suite("hills", [source], (10, 40), 12, seed=1)
    moved = moved_suite("large", suite, [resized(source, 3 * SIDE, 3 * SIDE)])
    cells = ["start_x", "start_y", "goal_x", "goal_y"]
    assert (moved.problems[cells] // 3).equals(suite.problems[cells])
    assert (moved.problems["optimal"] / (3 * suite.problems["optimal"])).is_between(0.9, 1.1).all()
    assert moved.fingerprint == moved_suite("large", suite, [resized(source, 3 * SIDE, 3 * SIDE)]).fingerprint


PUBLISHED_STATES = {
    "thecrucible": (7629, 78120),
    "darkforest": (9749, 99759),
    "divideandconquer": (18841, 133966),
}
PUBLISHED_SIZES = (1.1e10, 7.4e8, 5.9e7, 6.1e6, 8.6e5, 1.5e5, 3.1e4, 6.4e3)


@pytest.mark.usefixtures("data_home")
def test_maps_of_the_papers_have_the_published_numbers_of_states(all_movingai_zips: Path) -> None:
    archive = all_movingai_zips.parent / "wc3maps" / "wc3maps-map.zip"
    if not archive.is_file():
        pytest.skip(f"{archive} with MovingAI's original Warcraft III maps does not exist")
    invoke(f"data import {archive}")
    levels = []
    for name, states in PUBLISHED_STATES.items():
        source = catalogue.maps("wc3maps")[name]
        grids = [resized(source, side, side).grid("land", "strict") for side in (source.width, 512)]
        assert tuple(grid.free_cells for grid in grids) == states
        hierarchy = _core.Hierarchy(grids[1], "aligned")
        assert hierarchy.check() is None
        levels.append([hierarchy.states(level) for level in range(8)])
    found = np.mean(levels, axis=0) ** 2
    assert np.all(np.abs(found / PUBLISHED_SIZES - 1) < 0.02), found


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
