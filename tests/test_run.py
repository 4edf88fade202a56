"""Runs: records do not depend on the number of threads or on interruptions."""

import json
import signal
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove import _core
from permove.engines import tasks
from permove.records.columns import CLOCK, IDENTITY, SCHEMA
from support import TIMEOUT, assert_same_records, small_maps

AGENTS = ["lrta(d={1,3})", "rtaa(k=10)", "astar"]
MAPS = small_maps()


def quick(agents: str | list[str] = AGENTS, **settings: Any) -> pm.Run:
    """Run agents on small maps."""
    return pm.run("embedded", agents, maps=MAPS, **settings)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    return quick(limit=100, jobs=1, out=tmp_path_factory.mktemp("one") / "run")


def test_every_agent_has_a_record_on_every_problem_with_the_columns_in_order(run: pm.Run) -> None:
    assert run.records.schema == SCHEMA
    assert run.records.height == 4 * 100
    assert run.records.select(IDENTITY).is_unique().all()
    assert run.records["agent"].n_unique() == 4
    problems = run.records.group_by("agent").agg(pl.struct("set", "map", "problem").n_unique().alias("count"))
    assert problems["count"].to_list() == [100] * 4


def test_derived_columns_follow_from_their_parts(run: pm.Run) -> None:
    solved = run.records.filter(pl.col("status") == "solved")
    for name in ("expanded", "touched"):
        assert (solved[name] / solved["moves"] - solved[f"{name}_per_move"]).abs().max() == pytest.approx(0)
    assert (solved["cost"] / solved["optimal"] - solved["suboptimality"]).abs().max() == pytest.approx(0, abs=1e-9)


def test_one_thread_and_two_make_the_same_records(run: pm.Run) -> None:
    assert_same_records(run, quick(limit=100, jobs=2))


def test_random_ties_depend_only_on_the_seed() -> None:
    agent = "lrta(ties=random)"
    first = quick(agent, limit=60, jobs=1, out="first").records.drop(CLOCK)
    second = quick(["astar", agent], limit=60, jobs=2, out="second").records.drop(CLOCK)
    assert_frame_equal(second.filter(pl.col("agent") == first["agent"][0]), first)
    run = quick(agent, limit=60, jobs=1, out="other", seed=1)
    shared = first.join(run.records, on=IDENTITY, suffix="_other")
    assert shared.height > 0
    assert (shared["moves"] != shared["moves_other"]).any()


def test_same_command_uses_the_same_folder_and_repeats_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = quick(limit=40)
    assert first.folder.parent == Path("runs")
    assert first.records.height == 160
    monkeypatch.delattr(_core, "Batch")
    second = quick(limit=40)
    assert second.folder == first.folder
    assert_frame_equal(second.records, first.records)


def test_another_cutoff_uses_another_folder() -> None:
    folders = {quick("lrta", limit=10, cutoff=cutoff).folder for cutoff in (None, 100, 200)}
    assert len(folders) == 3


def test_run_adds_agents_and_problems_without_repeating_any() -> None:
    quick("lrta(d=1)", limit=20, out="run")
    chunks = {path: path.stat().st_mtime_ns for path in Path("run/records").iterdir()}
    run = quick(["lrta(d=1)", "astar"], limit=20, out="run")
    assert run.records.height == 40
    assert chunks.items() <= {path: path.stat().st_mtime_ns for path in Path("run/records").iterdir()}.items()
    assert_same_records(run, quick(["lrta(d=1)", "astar"], limit=20))


def test_cutoff_disqualifies_with_the_move_and_the_count() -> None:
    run = quick(["lrta(d=1)", "astar"], limit=40, cutoff=20)
    astar = run.tradeoff().filter(pl.col("agent").str.starts_with("astar")).row(0, named=True)
    assert not astar["qualified"]
    assert astar["expanded_max"] > 20
    worst = run.records.filter(pl.col("agent") == astar["agent"], pl.col("map") == astar["worst_map"]).filter(
        pl.col("problem") == astar["worst_problem"]
    )
    assert worst.select("expanded_max", "expanded_max_move").row(0) == (astar["expanded_max"], astar["worst_move"])
    stopped = run.records.filter(pl.col("status") == "cutoff")
    assert stopped["cost"].is_null().all()
    assert (stopped["expanded_max"] > 20).all()
    assert run.tradeoff().filter(pl.col("agent").str.starts_with("lrta"))["qualified"].item()


def test_only_requested_maps_are_run() -> None:
    run = pm.run("embedded", "rtaa(k=100)", maps=MAPS[:1])
    assert run.records.select(pl.concat_str("set", "map", separator="/")).to_series().unique().to_list() == MAPS[:1]


def test_timed_run_has_times_per_move_and_uses_one_thread() -> None:
    run = quick("rtaa(k=10)", limit=20, timed=True)
    assert run.records.select("time_max_ns", "time_p99_ns", "first_move_ns").null_count().row(0) == (0, 0, 0)
    assert run.manifest.starts[-1].jobs == 1
    assert run.manifest.starts[-1].tick_overhead_ns is not None
    counted = quick("rtaa(k=10)", limit=20)
    assert counted.records["time_max_ns"].null_count() == 20


def test_manifest_describes_the_run() -> None:
    run = quick("lrta", limit=10, cutoff=99, alpha=50.0, seed=4, command=["permove", "run"])
    manifest = json.loads((run.folder / "manifest.json").read_text())
    assert manifest["permove"] == pm.__version__
    assert manifest["settings"]["cutoff"] == 99
    assert manifest["settings"]["seed"] == 4
    assert manifest["suite"]["name"] == "embedded"
    this = manifest["starts"][0]
    assert this["command"] == ["permove", "run"]
    assert manifest["records"] == _core.RECORDS_VERSION
    assert this["machine"]["cpu"]
    assert this["revision"]
    assert this["choice"]["limit"] == 10


STOPPED = """
import importlib, os
import permove as pm
from permove.runs import store
importlib.import_module("permove.engines.buffer").FLUSH_SECONDS = 0.0
write = store.Writer.write
def write_and_signal(self, *tables):
    write(self, *tables)
    store.Writer.write = write
    os.kill(os.getpid(), {number})
store.Writer.write = write_and_signal
pm.run("embedded", {agents!r}, maps={maps!r}, jobs=2, out="stopped")
"""
LONG = ["lrta(d=1..6)", "klrta(k={1,10,100})", "rtaa(k={1,10,100})"]


def stopped(number: signal.Signals) -> tuple[int, str]:
    """Signal a long run in another process after its first chunk, and return its exit code and error output."""
    command = [sys.executable, "-c", STOPPED.format(agents=LONG, maps=MAPS, number=int(number))]
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
    return result.returncode, result.stderr


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    return quick(LONG, out=tmp_path_factory.mktemp("complete") / "run")


def test_killed_run_resumes_to_the_same_records(uninterrupted: pm.Run) -> None:
    code, _ = stopped(signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert 0 < pm.Run("stopped").records.height < uninterrupted.records.height
    assert_same_records(quick(LONG, out="stopped"), uninterrupted)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_keeps_its_records(number: signal.Signals, uninterrupted: pm.Run) -> None:
    code, errors = stopped(number)
    assert code != 0
    kept = pm.Run("stopped").records
    assert 0 < kept.height < uninterrupted.records.height
    assert f"{kept.height:,} of {uninterrupted.records.height:,} records are kept in stopped" in errors
    expected = uninterrupted.records.join(kept, on=IDENTITY, how="semi").sort(IDENTITY)
    assert_frame_equal(kept.drop(CLOCK), expected.drop(CLOCK))


def numbered(agents: int, problems: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    return (
        pl.DataFrame({"agent": [f"a{number}" for number in range(agents)], "replica": [0] * agents}),
        pl.DataFrame(
            {
                "set": ["s"] * problems,
                "map": [f"m{number % 3}" for number in range(problems)],
                "problem": pl.Series(range(problems), dtype=pl.UInt32),
                "grid": pl.Series([number % 3 for number in range(problems)], dtype=pl.UInt32),
            }
        ),
    )


@pytest.mark.parametrize(("problems", "jobs"), [(1, 1), (7, 2), (1000, 4), (20_000, 1)])
def test_tasks_are_complete_and_disjoint_and_on_one_grid_each(problems: int, jobs: int) -> None:
    agents, rows = numbered(2, problems)
    nothing = pl.DataFrame(schema={name: SCHEMA[name] for name in IDENTITY})
    cut = tasks.cut(tasks.left_to_do(agents, rows, nothing), jobs)
    seen = set()
    for at, agent in enumerate(cut.agents):
        task = cut.problems[cut.offsets[at] : cut.offsets[at + 1]].tolist()
        assert 1 <= len(task) <= tasks.MAX_PROBLEMS
        assert len({problem % 3 for problem in task}) == 1
        seen |= {(int(agent), problem) for problem in task}
    assert len(seen) == cut.total == 2 * problems


def test_finished_tasks_are_not_left_to_do() -> None:
    agents, rows = numbered(2, 5)
    done = pl.DataFrame(
        [("a1", "s", "m0", 0, 0), ("a1", "s", "m1", 4, 0), ("a0", "s", "m0", 1, 1), ("other", "s", "m0", 0, 0)],
        schema={name: SCHEMA[name] for name in IDENTITY},
        orient="row",
    )
    left = tasks.left_to_do(agents, rows, done)
    expected = set(product(range(2), range(5))) - {(1, 0), (1, 4)}
    assert set(left.select("agent_number", "problem_number").rows()) == expected
