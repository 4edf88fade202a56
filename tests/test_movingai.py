"""MovingAI's own collections: the numbers that the papers and the design give for them."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from permove import data
from permove.cli.data import app
from permove.data import movingai
from permove.data.catalogue import maps
from permove.data.problems import ROUNDING
from permove.data.random_suites import bucket_suite
from permove.runs.execute import run

PROBLEMS = {"sc1": (75, 198_230), "wc3maps512": (36, 42_655), "bg512": (75, 93_160), "dao": (156, 159_252)}


@pytest.fixture(autouse=True)
def _imported(movingai_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERMOVE_DATA", str(movingai_data))


def test_every_set_has_its_number_of_maps_and_problems() -> None:
    found = {index.name: index for index in movingai.imported()}
    counts = {name: (found[name].rules["strict"].maps, found[name].rules["strict"].problems) for name in PROBLEMS}
    assert counts == PROBLEMS
    assert data.load("movingai/all").problems.height == sum(problems for _, problems in PROBLEMS.values()) == 493_297


def test_suites_tell_the_papers_number_of_problems_without_solving_them(movingai_data: Path) -> None:
    solved = set(movingai_data.rglob("*.parquet"))
    found = {info.name: (info.maps, info.problems) for info in data.suites()}
    assert found["movingai/all"] == (342, 493_297)
    assert found["movingai/all@free"] == (342, 493_298)
    assert found["movingai/bgmaps"] == (120, None)
    assert set(movingai_data.rglob("*.parquet")) == solved


def test_only_warcrafts_lengths_are_wrong_and_all_of_them_are_too_short() -> None:
    result = CliRunner().invoke(app, ["list", "--disagreements", "--format", "json"], catch_exceptions=False)
    wrong = pl.DataFrame(json.loads(result.stdout))
    assert set(wrong["set"]) == {"wc3maps512"}
    missing = wrong["recomputed"] - wrong["stored"]
    assert (wrong.height, (missing > 2).sum()) == (5182, 301)
    assert missing.min() > ROUNDING
    assert missing.max() == pytest.approx(6.2475, abs=1e-4)


def test_what_is_left_out_has_its_reason() -> None:
    found = {index.name: index.rules["strict"].left_out for index in movingai.imported()}
    assert found["dao"] == {"start in a wall": 0, "goal in a wall": 0, "start is goal": 40, "no way": 173}
    assert found["wc3maps512"] == {"start in a wall": 2253, "goal in a wall": 193, "start is goal": 0, "no way": 0}


def test_a_sample_of_all_has_every_map() -> None:
    sample = data.load("movingai/all").limit(2000, seed=0).problems
    assert sample.height == 2000
    assert sample.select("set", "map").n_unique() == 342


def test_pra_plans_little_and_walks_nearly_the_shortest_way(tmp_path: Path) -> None:
    # Three maps of 512 × 512 cells with about 105,000 states each, 100 problems of cost 256 to 284 on each.
    names = ["heart2heart", "theglaive", "gnollwood"]
    suite = bucket_suite("pra", [maps("wc3maps512")[name] for name in names], (256, 284), 100, 0)
    records = run(suite, ["pra"], out=tmp_path, progress=False).records
    assert (records.height, set(records["status"])) == (300, {"solved"})
    assert records["suboptimality"].mean() <= 1.003
    assert 8 <= records["expanded"].sum() / records["moves"].sum() <= 15
    assert records["expanded_max"].max() < 4000
