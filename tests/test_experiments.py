"""Several suites in one run, experiment files, and repeating a run from its manifest."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from map_formats import write_csv, write_image
from permove import data
from permove.records.columns import CLOCK
from support import assert_same_records, error_of, invoke, rejects

RUN = "-a 'rtaa(k={3,10})' --cutoff 1000"


def test_several_suites_run_as_one_with_the_records_of_each() -> None:
    write_image(Path("rooms.png"))
    write_csv(Path("grid.csv"))
    for name in ("rooms.png", "grid.csv"):
        invoke(f"maps problems {name} -n 6 -o {name}.scen")
        invoke(f"run {name} {RUN} --out {name}-run")
    invoke(f"run rooms.png grid.csv.scen embedded --map rooms grid rooms-128 --limit 20 {RUN} --out joined")
    joined = pm.Run("joined").records
    assert sorted(joined["set"].unique()) == ["embedded", "grid", "rooms"]
    parts = pl.concat([pm.Run(f"{name}-run").records for name in ("rooms.png", "grid.csv")]).drop(CLOCK)
    keys = ["agent", "set", "map", "problem"]
    own = joined.filter(pl.col("set") != "embedded").drop(CLOCK)
    assert own.height > 0
    assert_frame_equal(own.sort(keys), parts.join(own.select(keys), on=keys, how="semi").sort(keys))
    assert pm.Run("joined").manifest.suite.name == "rooms.png + grid.csv.scen + embedded"
    assert_same_records(
        pm.run(["rooms.png", "grid.csv.scen"], "astar", out="list"),
        pm.run("rooms.png + grid.csv.scen", "astar", out="text"),
    )


def test_joined_suites_have_one_diagonal_rule_and_different_maps() -> None:
    write_csv(Path("grid.csv"))
    invoke("maps problems grid.csv -n 6 -o grid.csv.scen")
    with rejects("embedded has the diagonal rule strict and grid.csv@none has none; use the same rule for all suites"):
        data.load("embedded + grid.csv@none")
    with rejects("several of the suites grid.csv + grid.csv.scen have the map grid/grid"):
        data.load("grid.csv + grid.csv.scen")


def test_optima_are_computed_only_for_problems_that_are_used() -> None:
    write_image(Path("rooms.png"))
    invoke("maps problems rooms.png -n 60 -o rooms.png.scen")
    suite, solved = data.load("rooms.png"), []
    assert suite.listed["optimal"].null_count() == 60
    selection = suite.select(data.Choice(limit=7), 0, solved.append)
    assert sum(solved) == 7
    assert selection.problems["optimal"].null_count() == 0
    assert_frame_equal(
        selection.problems.drop("grid"), suite.problems.join(selection.problems, on="problem", how="semi")
    )


EXPERIMENT = """
suites = ["rooms.png", "embedded"]
agents = "rtaa(k={3,10})"
panel = []
seeds = [0, 1]
map = ["rooms", "rooms-128"]
"""


def test_experiment_file_is_the_same_run_as_the_options() -> None:
    write_image(Path("rooms.png"))
    invoke("maps problems rooms.png -n 6 -o rooms.png.scen")
    text = EXPERIMENT.replace("map =", "maps =") + "cutoff = 1000\nlimit = 10\n"
    Path("experiment.toml").write_text(text)
    result = invoke("run experiment.toml --out results --jobs 1 --format csv -o table.csv")
    assert result.stderr.count("Records: results/seed-") == 2
    assert sorted(path.name for path in Path().glob("table*.csv")) == ["table-seed-0.csv", "table-seed-1.csv"]
    for seed in (0, 1):
        invoke(f"run rooms.png embedded --map rooms rooms-128 --limit 10 {RUN} --seed {seed} --out plain-{seed}")
        assert_same_records(pm.Run(f"plain-{seed}"), pm.Run(f"results/seed-{seed}"))
    runs = pm.run_experiment("experiment.toml", limit=4, out="few")
    assert [run.records["problem"].len() for run in runs] == [8, 8]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agents = [", "experiment.toml is not a valid experiment (Invalid value (at end of document)"),
        ("agent = ['astar']", "experiment.toml: unknown key 'agent' (did you mean agents?)"),
        ("agents = [1]", 'agents must be a list of texts, such as agents = ["astar"]'),
        ("agents = ['astar']\nseeds = []", "seeds must be a list of integers"),
        ("agents = ['astar']\ncutoff = 0", "cutoff 0 is out of range"),
        ("agents = []", "a run needs an agent"),
    ],
)
def test_bad_experiment_is_one_sentence(text: str, words: str) -> None:
    Path("experiment.toml").write_text(text)
    assert words in error_of("run experiment.toml")


def test_experiment_is_not_combined_with_agents_or_a_second_seed() -> None:
    Path("experiment.toml").write_text("agents = ['astar']\nseeds = [1]")
    assert "is an experiment; write suites, agents and panels into it" in error_of("run experiment.toml -a astar")
    assert "has seeds; omit one of them" in error_of("run experiment.toml --seed 3")
    assert "the file none.toml does not exist" in error_of("run none.toml")


def test_rerun_repeats_all_starts_of_a_run_and_compares_the_records() -> None:
    write_image(Path("rooms.png"))
    invoke("maps problems rooms.png -n 9 -o rooms.png.scen")
    invoke(f"run rooms.png {RUN} --shard 1/3 --out first")
    invoke("run rooms.png -a astar --cutoff 1000 --limit 4 --out first")
    result = invoke("rerun first --jobs 1")
    assert "Records: first-again" in result.stderr
    assert "All 10 records equal those of first, apart from times." in result.stderr
    assert_same_records(pm.Run("first"), pm.Run("first-again"))
    invoke("run rooms.png -a 'rtaa(k=5)' --cutoff 1000 --limit 1 --out first-again")
    changed = invoke("rerun first", code=1)
    assert "1 records differ from those of first, the first of rtaa(k=5" in changed.stderr


def test_rerun_of_drawn_problems_and_of_a_changed_map() -> None:
    write_image(Path("rooms.png"))
    invoke(f"run rooms.png --problems 5 --seed 3 {RUN} --out first")
    assert "All 10 records equal" in invoke("rerun first --out second").stderr
    assert "first is the run itself" in error_of("rerun first --out first")
    Path("rooms.png").unlink()
    write_csv(Path("rooms.png"))
    assert "rooms.png is not a valid image" in error_of("rerun first --out third")
