"""MovingAI's collections have the numbers of problems that the papers and the design state."""

import os
from pathlib import Path

import polars as pl
import pytest

from data_files import SOME_MAPS, imported, some_zips
from permove import data
from permove.data import movingai
from permove.data.catalogue import maps
from permove.data.folder import VARIABLE
from permove.data.problems import ROUNDING
from permove.data.random_suites import bucket_suite
from permove.runs.execute import run
from support import json_of

PROBLEMS = {"sc1": (75, 198_230), "wc3maps512": (36, 42_655), "bg512": (75, 93_160), "dao": (156, 159_252)}
Counts = dict[str, tuple[int, int]]


@pytest.fixture(scope="module")
def nearly_all_data(all_movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All sets, but only three maps of StarCraft, since solving all 75 takes a minute."""
    zips = some_zips(all_movingai_zips, tmp_path_factory.mktemp("zips"), {"sc1": SOME_MAPS["sc1"]})
    return imported(zips, tmp_path_factory.mktemp("nearly-all"))


@pytest.fixture(scope="module")
def all_data(all_movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(all_movingai_zips, tmp_path_factory.mktemp("all"))


@pytest.fixture(
    autouse=True,
    params=[
        pytest.param(("nearly_all_data", PROBLEMS | {"sc1": (3, 6060)}), id="three maps of StarCraft"),
        pytest.param(("all_data", PROBLEMS), id="all maps", marks=pytest.mark.slow),
    ],
)
def counts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Counts:
    """The maps and problems of each imported set."""
    fixture, counts = request.param
    monkeypatch.setenv(VARIABLE, str(request.getfixturevalue(fixture)))
    return counts


def total(counts: Counts) -> tuple[int, int]:
    return sum(maps for maps, _ in counts.values()), sum(problems for _, problems in counts.values())


def test_every_set_has_its_number_of_maps_and_problems(counts: Counts) -> None:
    found = {index.name: index.rules["strict"] for index in movingai.imported()}
    assert {name: (found[name].maps, found[name].problems) for name in counts} == counts
    assert data.load("movingai/all").problems.height == total(counts)[1]
    assert total(PROBLEMS) == (342, 493_297)


def test_suites_list_the_number_of_problems_without_solving_them(counts: Counts) -> None:
    folder = Path(os.environ[VARIABLE])
    solved = set(folder.rglob("*.parquet"))
    found = {info.name: (info.maps, info.problems) for info in data.suites()}
    maps, problems = total(counts)
    assert found["movingai/all"] == (maps, problems)
    assert found["movingai/all@free"] == (maps, problems + 1)
    assert found["movingai/bgmaps"] == (120, None)
    assert set(folder.rglob("*.parquet")) == solved


def test_only_lengths_of_warcraft_are_wrong_and_all_are_too_short() -> None:
    wrong = pl.DataFrame(json_of("data list --disagreements"))
    assert set(wrong["set"]) == {"wc3maps512"}
    missing = wrong["recomputed"] - wrong["stored"]
    assert (wrong.height, (missing > 2).sum()) == (5182, 301)
    assert missing.min() > ROUNDING
    assert missing.max() == pytest.approx(6.2475, abs=1e-4)


def test_skipped_problems_have_reasons() -> None:
    found = {index.name: index.rules["strict"].left_out for index in movingai.imported()}
    assert found["dao"] == {"start in a wall": 0, "goal in a wall": 0, "start is goal": 40, "no way": 173}
    assert found["wc3maps512"] == {"start in a wall": 2253, "goal in a wall": 193, "start is goal": 0, "no way": 0}


def test_sample_of_all_has_every_map(counts: Counts) -> None:
    sample = data.load("movingai/all").limit(2000, seed=0).problems
    assert sample.height == 2000
    assert sample.select("set", "map").n_unique() == total(counts)[0]


def test_pra_plans_little_and_finds_nearly_optimal_paths(tmp_path: Path) -> None:
    # Three maps of 512 × 512 cells with about 105,000 states, and 100 problems of cost 256 to 284 on each.
    names = ["heart2heart", "theglaive", "gnollwood"]
    suite = bucket_suite("pra", [maps("wc3maps512")[name] for name in names], (256, 284), 100, 0)
    records = run(suite, ["pra"], out=tmp_path, progress=False).records
    assert (records.height, set(records["status"])) == (300, {"solved"})
    assert records["suboptimality"].mean() <= 1.003
    assert 8 <= records["expanded"].sum() / records["moves"].sum() <= 15
    assert records["expanded_max"].max() < 4000
