"""`permove select` on the command line: explorations, tables, pictures, bad input."""

import csv
import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import permove as pm
from permove.report.histogram import binned
from support import edit_manifest, error_of, interrupt, invoke, json_of, shown_on_terminal, start, wait_for, widest

EXPLORE = "select explore embedded@free"
FEW = "-p 24 --batch 6 --alpha 20"


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an exploration of six algorithms on 24 problems, with its output."""
    folder = tmp_path_factory.mktemp("explored")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = invoke(f"{EXPLORE} -n 6 {FEW} --out run --picture space.svg")
    (folder / "summary").write_text(result.stdout)
    assert result.stderr == "Records: run\n"
    return folder


def test_explore_summarizes_the_algorithms_and_draws_the_histogram(explored: Path) -> None:
    summary = (explored / "summary").read_text()
    for words in ("the algorithms: mean of 6", "daLRTA*+E", "RTA*", "the best for each problem", "█"):
        assert words in summary
    assert widest(summary) <= 80
    assert "\x1b" not in summary
    assert (explored / "space.svg").read_text().startswith("<svg")
    run = pm.Run(explored / "run")
    assert run.records.height == (6 + 2) * 24
    assert run.manifest.starts[0].choice == {"sample": [0, 24]}
    assert run.manifest.starts[0].command[1:3] == ["select", "explore"]


def test_show_repeats_the_summary_in_every_format(explored: Path) -> None:
    show = f"select show {explored}/run"
    assert invoke(show).stdout == (explored / "summary").read_text()
    rows = json_of(show)
    assert len(rows) == 5
    assert set(rows[0]) == {"what", "algorithm", "problems", "suboptimality", "suboptimality_se", "better"}
    invoke(show, "--format", "csv", "-o", "space.csv")
    with Path("space.csv").open() as file:
        assert [row["what"] for row in csv.DictReader(file)] == [row["what"] for row in rows]
    assert "| what | algorithm |" in invoke(show, "--format", "md").stdout


@pytest.mark.parametrize(
    ("command", "methods"),
    [
        ("per-map", {"exhaustive", "prior", "sample", "factorization"}),
        ("per-problem", {"exhaustive", "prior", "sample", "factorization", "nearest"}),
    ],
)
def test_selection_summarizes_each_method(explored: Path, command: str, methods: set[str]) -> None:
    line = f"select {command} {explored}/run --trials 4"
    summary = invoke(line, "--picture", "figure.svg").stdout
    assert "6 algorithms" in summary
    assert "4 trials" in summary
    assert all(method in summary for method in methods)
    assert widest(summary) <= 80
    assert Path("figure.svg").read_text().startswith("<svg")
    rows = json_of(line)
    assert {row["method"] for row in rows} == methods
    assert set(rows[0]) == {"method", "present", "algorithms", "trials", "mean", "se", "held_out", "held_out_se"}
    assert {row["method"] for row in json_of(line, "--factored", 0)} == methods - {"factorization"}


def test_parts_from_other_machines_are_one_matrix(explored: Path) -> None:
    for first, count in ((0, 2), (2, 4)):
        invoke(f"{EXPLORE} -n {count} --first {first} {FEW} --out {first}")
    parts, complete = (json_of(f"select per-map {runs} --trials 3") for runs in ("0 2", explored / "run"))
    assert parts == complete


def test_nearest_is_skipped_if_the_suite_is_missing(explored: Path) -> None:
    path = shutil.copytree(explored / "run", Path("copy")) / "manifest.json"
    edit_manifest(path, lambda it: it | {"suite": it["suite"] | {"name": "missing/problems.scen"}})
    result = invoke("select per-problem copy --trials 2 --factored 0")
    assert "“nearest” is skipped: missing/problems.scen does not exist" in result.stderr
    assert "nearest" not in result.stdout


def test_evolution_runs() -> None:
    result = invoke(f"{EXPLORE} -n 10 -p 6 --batch 5 --alpha 10 --optimizer evolution --format json")
    # One of five survives, so the second generation has four new algorithms.
    assert json.loads(result.stdout)[0]["algorithm"] == "mean of 9"
    assert re.fullmatch(r"Records: runs/embedded@free-[0-9a-f]{10}\n", result.stderr)


def test_ctrl_c_keeps_finished_records() -> None:
    process = start(f"{EXPLORE} -n 400 -p 200 --alpha 500 --out run")
    wait_for(lambda: list(Path().glob("run/records/0*.parquet")), process)
    errors = interrupt(process)
    kept = pm.Run("run").records.height
    assert errors == (
        f"permove: interrupted: {kept:,} of 80,400 records are kept in run; run the same command again to resume\n"
    )


def test_terminal_shows_the_problems_and_the_progress_of_the_selection(explored: Path) -> None:
    assert "embedded@free, problems drawn 1 to 24" in shown_on_terminal(f"{EXPLORE} -n 6 {FEW} --seed 1")
    shown = shown_on_terminal(f"select per-map {explored}/run --trials 3")
    assert "selecting per map" in shown
    assert "3/3" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explore"], ["MovingAI's set sc1 is not imported", "permove data import"]),
        (["explore", "embeded"], ["unknown suite embeded", "did you mean embedded"]),
        (["explore", "embedded@free", "-n", "some"], ["--algorithms"]),
        (["explore", "embedded@free", "--seed", "-1"], ["seed -1 is out of range"]),
        (["explore", "embedded@free", "--lop", "often"], ["often", "rounded"]),
        (["explore", "embedded@free", "--optimizer", "magic"], ["magic", "evolution"]),
        (["explore", "embedded@free", "--optimizer", "evolution", "--first", "9"], ["--first 9", "a different --seed"]),
        (["explore", "embedded@free", "--picture", "nowhere/x.svg"], ["the folder nowhere does not exist"]),
        (["explore", "embedded@free", "--picture", "x.png"], ["x.png is not an SVG file", "x.svg"]),
        (["per-map"], ["RUN"]),
        (["per-map", "nowhere"], ["the run folder nowhere does not exist"]),
        (["per-problem", "."], ["is not a run folder"]),
        (["show", "."], ["is not a run folder"]),
        (["frobnicate"], ["frobnicate"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_bad_input_prints_one_line_and_changes_no_file(arguments: list[str], words: list[str]) -> None:
    error = error_of("select", *arguments)
    assert all(word in error for word in words), error
    assert not any(Path().iterdir())


def test_unusable_runs_are_rejected_with_a_remedy(explored: Path) -> None:
    run = explored / "run"
    assert "trials 0 is out of range" in error_of("select per-map --trials 0", run)
    invoke(f"{EXPLORE} -n 1 -p 2 --alpha 5 --out few")
    assert "the runs have 2 problems" in error_of("select per-problem few")
    assert "alpha is 5.0 and 20.0" in error_of("select show few", run)
    pm.run("embedded@free", "lrta", limit=2, alpha=math.inf, out="other")
    assert "no limit on travel" in error_of("select per-map other")


def test_histogram_has_round_edges_every_value_once_and_a_long_tail_in_one_bar() -> None:
    values = np.concatenate([np.linspace(17, 60, 97), [300.0, 700.0, 990.0]])
    bins = binned(values, open_end=True)
    assert bins.counts.sum() == 100
    assert bins.edges[:2].tolist() == [15, 17.5]
    assert bins.edges[-1] == np.inf
    assert binned(values).counts.sum() == 100
    assert binned(np.array([3.0])).counts.tolist() == [1]
    assert binned(np.array([3.0, 3.0])).counts.sum() == 2
