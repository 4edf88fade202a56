"""`permove select` as a user runs it: explorations, tables, pictures, bad input."""

import csv
import json
import re
import signal
from pathlib import Path

import numpy as np
import pytest

import permove as pm
from permove.cli import main
from permove.report.histogram import binned
from support import PATIENCE, called, contents, shown_on_terminal, start, wait_for

FEW = ("-n", "6", "-p", "24", "--batch", "6", "--alpha", "20")


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an exploration of six algorithms on 24 problems, where it was told to be."""
    folder = tmp_path_factory.mktemp("explored")
    result = called("select", "explore", "embedded@free", *FEW, "--out", "run", "--picture", "space.svg", cwd=folder)
    assert result.returncode == 0, result.stderr
    (folder / "told").write_text(result.stdout)
    (folder / "noted").write_text(result.stderr)
    return folder


def test_explore_summarizes_the_algorithms_and_draws_the_histogram(explored: Path) -> None:
    told = (explored / "told").read_text()
    for words in ("the algorithms: mean of 6", "daLRTA*+E", "RTA*", "the best for each problem", "█"):
        assert words in told
    assert max(map(len, told.splitlines())) <= 80
    assert "\x1b" not in told
    assert (explored / "noted").read_text() == "Records: run\n"
    assert (explored / "space.svg").read_text().startswith("<svg")
    run = pm.Run(explored / "run")
    assert run.records.height == (6 + 2) * 24
    assert run.manifest.starts[0].choice == {"sample": [0, 24]}
    assert run.manifest.starts[0].command[1:3] == ["select", "explore"]


def test_show_repeats_the_summary_in_every_format(explored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(explored / "run")
    assert called("select", "show", folder, cwd=explored).stdout == (explored / "told").read_text()
    assert main(["select", "show", folder, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 5
    assert set(rows[0]) == {"what", "algorithm", "problems", "suboptimality", "suboptimality_se", "better"}
    assert main(["select", "show", folder, "--format", "csv", "-o", "space.csv"]) == 0
    with Path("space.csv").open() as file:
        assert [row["what"] for row in csv.DictReader(file)] == [row["what"] for row in rows]
    assert main(["select", "show", folder, "--format", "md"]) == 0
    assert "| what | algorithm |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "methods"),
    [
        ("per-map", {"exhaustive", "prior", "sample", "factorization"}),
        ("per-problem", {"exhaustive", "prior", "sample", "factorization", "nearest"}),
    ],
)
def test_selection_summarizes_each_method(
    explored: Path, command: str, methods: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["select", command, str(explored / "run"), "--trials", "4"]
    result = called(*arguments, "--picture", "figure.svg", cwd=Path.cwd())
    assert result.returncode == 0, result.stderr
    assert "6 algorithms" in result.stdout
    assert "4 trials" in result.stdout
    assert all(method in result.stdout for method in methods)
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert Path("figure.svg").read_text().startswith("<svg")
    assert main([*arguments, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["method"] for row in rows} == methods
    assert set(rows[0]) == {"method", "present", "algorithms", "trials", "mean", "se"}
    assert main([*arguments, "--format", "json", "--factored", "0"]) == 0
    assert {row["method"] for row in json.loads(capsys.readouterr().out)} == methods - {"factorization"}


def test_parts_from_other_machines_are_one_matrix(explored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for first, count in (("0", "2"), ("2", "4")):
        size = ["-n", count, "--first", first, *FEW[2:]]
        assert main(["select", "explore", "embedded@free", *size, "--out", first]) == 0
    capsys.readouterr()
    told = []
    for runs in (["0", "2"], [str(explored / "run")]):
        assert main(["select", "per-map", *runs, "--trials", "3", "--format", "json"]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]


def test_nearest_is_skipped_if_the_suite_is_missing(explored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = Path("copy")
    copy.mkdir()
    for name, content in contents(explored / "run").items():
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_bytes(content)
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["suite"]["name"] = "elsewhere/problems.scen"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert main(["select", "per-problem", "copy", "--trials", "2", "--factored", "0"]) == 0
    told = capsys.readouterr()
    assert "“nearest” is skipped: elsewhere/problems.scen does not exist" in told.err
    assert "nearest" not in told.out


def test_evolution_runs(capsys: pytest.CaptureFixture[str]) -> None:
    size = ["-n", "10", "-p", "6", "--batch", "5", "--alpha", "10"]
    assert main(["select", "explore", "embedded@free", *size, "--optimizer", "evolution", "--format", "json"]) == 0
    told = capsys.readouterr()
    # One of five lives on, so that the second generation has four new ones.
    assert json.loads(told.out)[0]["algorithm"] == "mean of 9"
    assert re.fullmatch(r"Records: runs/embedded@free-[0-9a-f]{10}\n", told.err)


def test_ctrl_c_keeps_finished_records() -> None:
    arguments = ["select", "explore", "embedded@free", "-n", "400", "-p", "200", "--alpha", "500", "--out", "run"]
    process = start(*arguments)
    wait_for(lambda: list(Path().glob("run/records/0*.parquet")), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    kept = pm.Run("run").records.height
    assert process.returncode == 130
    assert errors == (
        f"permove: interrupted: {kept:,} of 80,400 records are kept in run; run the same command again to resume\n"
    )


def test_terminal_shows_the_problems_and_the_progress_of_the_selection(explored: Path) -> None:
    shown = shown_on_terminal("select", "explore", "embedded@free", *FEW, "--seed", "1", cwd=Path.cwd())
    assert "embedded@free, problems drawn 1 to 24" in shown
    shown = shown_on_terminal("select", "per-map", str(explored / "run"), "--trials", "3")
    assert "selecting per map" in shown
    assert "3/3" in shown


@pytest.mark.parametrize("command", ["explore", "show", "per-map", "per-problem", "practical"])
def test_help_has_examples_of_existing_commands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", command, "--help"]) == 0
    told = capsys.readouterr().out
    assert "Usage: permove select" in told
    assert f"permove select {command}" in told.partition("Examples")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explore"], ["MovingAI's set sc1 is not imported", "permove data import"]),
        (["explore", "embeded"], ["unknown suite embeded", "did you mean embedded"]),
        (["explore", "embedded@free", "-n", "0"], ["algorithms 0 is out of range"]),
        (["explore", "embedded@free", "-n", "some"], ["--algorithms"]),
        (["explore", "embedded@free", "-p", "0"], ["problems 0 is out of range"]),
        (["explore", "embedded@free", "--batch", "0"], ["batch 0 is out of range"]),
        (["explore", "embedded@free", "--first", "-2"], ["first -2 is out of range"]),
        (["explore", "embedded@free", "--alpha", "0"], ["alpha 0.0 is out of range"]),
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
def test_bad_input_prints_one_line_and_changes_no_file(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("permove: ")
    assert told.err.count("\n") == 1
    for word in words:
        assert word in told.err
    assert contents(Path()) == {}


def test_unusable_runs_are_rejected_with_a_remedy(explored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(explored / "run")
    assert main(["select", "per-map", run, "--trials", "0"]) == 2
    assert "trials 0 is out of range" in capsys.readouterr().err
    few = ["-n", "1", "-p", "2", "--alpha", "5", "--out", "few"]
    assert main(["select", "explore", "embedded@free", *few]) == 0
    capsys.readouterr()
    assert main(["select", "per-problem", "few"]) == 2
    assert "the runs have 2 problems" in capsys.readouterr().err
    assert main(["select", "show", run, "few"]) == 2
    assert "alpha is 20.0 and 5.0" in capsys.readouterr().err
    pm.run("embedded@free", "lrta", limit=2, out="other")
    assert main(["select", "per-map", "other"]) == 2
    assert "no limit on travel" in capsys.readouterr().err


def test_histogram_has_round_edges_every_value_once_and_a_long_tail_in_one_bar() -> None:
    values = np.concatenate([np.linspace(17, 60, 97), [300.0, 700.0, 990.0]])
    bins = binned(values, open_end=True)
    assert bins.counts.sum() == 100
    assert bins.edges[:2].tolist() == [15, 17.5]
    assert bins.edges[-1] == np.inf
    assert binned(values).counts.sum() == 100
    assert binned(np.array([3.0])).counts.tolist() == [1]
    assert binned(np.array([3.0, 3.0])).counts.sum() == 2
