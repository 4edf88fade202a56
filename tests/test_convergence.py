"""Trials to convergence: the table of trials, its measures, and agents that do not converge."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove.analysis.convergence import MEASURES, convergence
from permove.engines import buffer
from permove.records.columns import IDENTITY, TRIALS
from permove.records.settings import MAX_TRIALS
from permove.report.convergence_table import convergence_table
from permove.runs import store
from support import TIMEOUT, assert_same_records, error_of, invoke, json_of, printed, records, rejects, widest

MAP = "rooms-128"
AGENTS = ["rtaa(k={30,100})", "lrta(d=3)", "lrts(d=3, gamma=0.4)", "slat", "plrta(q=5)", "astar"]
COMMAND = f"run embedded --map {MAP} --limit 4 --trials converge --out run -a"


def converge(out: str | Path, agents: str | list[str] = AGENTS, **settings: Any) -> pm.Run:
    return pm.run("embedded", agents, maps=[MAP], trials="converge", out=out, **{"limit": 4, **settings})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    return converge(tmp_path_factory.mktemp("complete") / "run", max_trials=500, jobs=2)


def test_records_are_the_sums_of_their_trials_and_end_with_the_last_trial(run: pm.Run) -> None:
    assert run.trials.schema == TRIALS
    sums = run.trials.group_by(IDENTITY).agg(
        pl.len().alias("trials").cast(pl.UInt32),
        pl.col("travel", "moves", "episodes", "expanded", "touched", "discovered").sum(),
        pl.col("first_move_expanded", "first_move_touched").last(),
    )
    assert_frame_equal(sums.sort(IDENTITY), run.records.select(sums.columns), check_column_order=False)
    last = run.trials.group_by(IDENTITY).agg(pl.all().last()).sort(IDENTITY)
    converged = run.records["status"] == "solved"
    assert converged.any()
    assert (last.filter(converged)["changes"] == 0).all()
    assert_frame_equal(last.filter(converged).select(cost="travel"), run.records.filter(converged).select("cost"))
    for trials in run.trials.partition_by(IDENTITY):
        assert trials["trial"].to_list() == list(range(1, trials.height + 1))
        assert (trials["changes"][:-1] > 0).all()


def test_one_thread_and_two_make_the_same_trials(run: pm.Run) -> None:
    assert_same_records(converge("one", max_trials=500, jobs=1), run)


def test_run_of_single_trials_has_no_table_of_trials() -> None:
    single = pm.run("embedded", "rtaa", maps=[MAP], limit=3, out="single")
    assert single.trials.schema == TRIALS
    assert single.trials.is_empty()
    assert not Path("single/trials").exists()
    assert single.manifest.settings.max_trials is None


def test_mode_and_cap_of_trials_are_settings_of_a_run(run: pm.Run) -> None:
    assert run.manifest.settings.trials == "converge"
    assert run.manifest.settings.max_trials == 500
    for settings in ({"max_trials": 501}, {}):
        with pytest.raises(pm.InputError, match=r"max trials 500, not (501|10000)"):
            converge(run.folder, **settings)
    with rejects("trials converge, not once"):
        pm.run("embedded", AGENTS, maps=[MAP], limit=4, out=run.folder)
    assert converge("default", "astar").manifest.settings.max_trials == MAX_TRIALS


DIE = """
import importlib, os, signal
import permove as pm
from permove.runs import store
importlib.import_module("permove.engines.buffer").FLUSH_ROWS = 1
write = store.Writer._write
def die(self, folder, frame):
    if folder == "records" and self._next == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, folder, frame)
store.Writer._write = die
pm.run("embedded", {agents!r}, maps=[{map!r}], limit=4, trials="converge", max_trials=500, jobs=1, out="killed")
"""


def test_run_killed_between_its_two_tables_resumes_without_loss(run: pm.Run) -> None:
    killed = subprocess.run([sys.executable, "-c", DIE.format(agents=AGENTS, map=MAP)], check=False, timeout=TIMEOUT)
    assert killed.returncode == -signal.SIGKILL
    assert numbers("killed", "trials") == [*numbers("killed", "records"), "000003"]
    # Trials without a record are not read.
    partial = pm.Run("killed")
    assert partial.trials.join(partial.records, on=IDENTITY, how="anti").is_empty()
    assert partial.trials.group_by(IDENTITY).len().height == partial.records.height < run.records.height
    assert_same_records(converge("killed", max_trials=500), run)
    assert numbers("killed", "trials") == numbers("killed", "records")


def numbers(run: str, folder: str) -> list[str]:
    return sorted(path.name.partition("-")[0] for path in Path(run, folder).iterdir())


def test_run_stopped_by_ctrl_c_resumes_without_loss(run: pm.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write = store.Writer.write

    def write_and_stop(self: store.Writer, records: pl.DataFrame, trials: pl.DataFrame | None) -> None:
        write(self, records, trials)
        monkeypatch.undo()
        signal.raise_signal(signal.SIGINT)

    folder = Path("stopped").absolute()
    monkeypatch.setattr(buffer, "FLUSH_ROWS", 1)
    monkeypatch.setattr(store.Writer, "write", write_and_stop)
    with pytest.raises(KeyboardInterrupt, match=r"interrupted: \d+ of 28 records are kept in .*; run the same"):
        converge(folder, max_trials=500, jobs=1)
    assert 0 < pm.Run(folder).records.height < run.records.height
    assert_same_records(converge(folder, max_trials=500), run)


def test_removed_chunks_are_made_again_with_their_trials(run: pm.Run) -> None:
    converge("run", AGENTS[0], max_trials=500)
    converge("run", max_trials=500)
    trials, other = sorted(Path("run/trials").iterdir())
    trials.unlink()
    with rejects("the chunk of run/trials for run/records/000001-", "is missing; run the same `permove run` command"):
        _ = pm.Run("run").trials
    assert_same_records(converge("run", max_trials=500), run)
    other.write_bytes(b"PAR1 and no more")
    with rejects(f"{other} is damaged", "run the same `permove run` command again"):
        _ = pm.Run("run").trials


def test_caps_on_trials_and_travel_are_reported() -> None:
    few = converge("few", "rtaa(k=10)", max_trials=2)
    assert set(few.records["status"]) == {"trial-cap"}
    assert few.records["cost"].is_null().all()
    assert (few.records["trials"] == 2).all()
    assert "still learning after 2 trials" in few.records["reason"][0]
    near = converge("near", "rtaa(k=10)", alpha=20.0)
    assert "travel-cap" in set(near.records["status"])
    stopped = near.records.filter(pl.col("status") == "travel-cap")
    assert (stopped["travel"] >= 20 * stopped["optimal"]).all()
    assert (stopped["trials"] >= 1).all()


def test_measures_are_means_over_converged_problems() -> None:
    columns = ("travel", "trials", "memory", "expanded", "first_move_expanded", "suboptimality")
    first, second = (
        dict(zip(columns, values, strict=True)) for values in ((100.0, 4, 10, 50, 1, 1.0), (300.0, 6, 30, 70, 3, 1.2))
    )
    third = {"travel": 9e9, "status": "trial-cap", "cost": None, "suboptimality": None, "trials": 9}
    frame = convergence(numbered(first, second, third))
    row = frame.row(0, named=True)
    assert (row["problems"], row["converged"], row["unsolved"]) == (3, 2, "1 trial-cap")
    expected = {"travel": 200, "trials": 5, "memory": 20, "expanded": 60, "first_move_expanded": 2}
    assert {name: row[name] for name in expected} == expected
    assert row["travel_se"] == pytest.approx(100)
    assert row["suboptimality"] == pytest.approx(1.1)
    assert {"first_move_touched", "first_move_ns", "touched", "time_ns"} < set(frame.columns)


def numbered(*rows: dict[str, Any]) -> pl.DataFrame:
    """Return records on consecutive problems."""
    return records(*({"problem": at, **row} for at, row in enumerate(rows)))


def shown(frame: pl.DataFrame, width: int = 80) -> str:
    return printed(convergence_table(frame, "made by hand"), width)


def test_agent_over_the_cutoff_has_no_measures_and_is_listed_separately() -> None:
    over = {"agent": "astar", "label": "A*", "status": "cutoff", "cost": None, "suboptimality": None}
    over["reason"] = "move 1 expanded 9 states, over 5"
    frame = convergence(numbered({"travel": 5.0}, {**over, "expanded_max": 9}))
    astar = frame.row(1, named=True)
    assert not astar["qualified"]
    assert all(astar[name] is None and astar[f"{name}_se"] is None for name in MEASURES)
    assert f"made/up, problem 1: {over['reason']}" in " ".join(shown(frame, 200).split())
    later = convergence(numbered({**over, "trials": 3}))
    assert later["why"].item() == f"made/up, problem 0, trial 3: {over['reason']}"


def test_large_values_stay_on_their_line_in_80_columns() -> None:
    large = {
        "label": "PR-LRTS (l=3, d=9, γ=0.8, T=100)",
        "travel": 12_345_678.0,
        "memory": 1_234_567,
        "trials": 9_999,
        "expanded": 123_456_789,
        "touched": 987_654_321,
        "first_move_expanded": 54_321,
        "first_move_touched": 65_432,
        "first_move_ns": 123_456,
    }
    other = {"travel": 9_876_543.0, "memory": 1_204_567, "expanded": 101_010_101, "touched": 900_000_000}
    text = shown(convergence(numbered(large, {**large, **other})))
    assert widest(text) <= 80
    for value in (
        "11,111,110 ± 1,234,567",
        "1,219,567 ± 15,000",
        "112,233,445 ± 11,223,344",
        "943,827,160 ± 43,827,160",
        "54,321",
        "65,432",
        "123 µs",
    ):
        assert value in text
    # Names are wrapped if space is short, but only between words.
    assert all(text.count(word) == 3 for word in large["label"].split())


def test_run_command_shows_the_measures_and_names_agents_of_one_trial() -> None:
    result = invoke(COMMAND, "rtaa(k=100)", "astar", "dijkstra")
    for word in (
        "travel cap 1,000 per trial, convergence",
        "travel",
        "memory",
        "suboptimality",
        "lag",
        "planning",
        "touched",
    ):
        assert word in result.stdout
    assert widest(result.stdout) <= 80
    note = "astar and dijkstra neither learn nor discover anything with the sensor all, so there is one trial.\n"
    assert note in result.stderr
    rows = json_of("report run")
    assert {row["trials"] for row in rows if row["agent"].startswith(("astar", "dijkstra"))} == {1.0}
    assert {"travel", "memory", "first_move_touched", "suboptimality_se", "time_ns"} < set(rows[0])


def test_three_agents_of_one_trial_are_named_in_one_sentence() -> None:
    result = invoke(COMMAND, "astar", "dijkstra", "lra")
    assert "astar, dijkstra and lra neither learn nor discover anything with" in result.stderr


def test_agent_that_discovers_terrain_takes_several_trials() -> None:
    assert "one trial" not in invoke(COMMAND, "astar", "--sensor", "square(3)").stderr
    assert pm.Run("run").records["trials"].max() > 1
    assert pm.Run("run").trials["discovered"].sum() > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--trials", "twice"], ["invalid value 'twice' for trials; choose once or converge"]),
        (["--max-trials", "5"], ["--max-trials 5", "requires --trials converge"]),
        (["--trials", "converge", "--max-trials", "0"], ["max-trials 0 is out of range", "at least 1"]),
        (["--trials", "converge", "--max-trials", "5000000000"], ["out of range", "at most 4294967295"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_bad_input_prints_one_line(arguments: list[str], words: list[str]) -> None:
    error = error_of("run -a lrta --limit 3", *arguments)
    assert all(word in error for word in words), error
