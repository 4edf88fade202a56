"""Runs end: a default limit on travel, a panel that finishes, and a progress bar that names the slowest trial."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import permove as pm
from permove import _core, data
from permove.agents.specs import expand_all, parse
from permove.common import terminal
from permove.common.terminal import Bar
from permove.data import Choice
from permove.engines import workers
from permove.engines.interface import InProgress
from permove.papers.item import Experiment
from permove.records.settings import Settings
from permove.runs.stalls import STALL_SECONDS, RunBar
from support import edit_manifest, invoke, rejects, seconds, small_maps, wait_for

ROOMS = {"maps": ["rooms-128"], "limit": 4, "progress": False}


def run(agent: str, folder: Path, **settings: Any) -> pm.Run:
    return pm.run("embedded", agent, out=folder, **{**ROOMS, **settings})


def test_travel_is_limited_to_1000_times_the_optimum_by_default(tmp_path: Path) -> None:
    found = run("sla", tmp_path / "run")
    stopped = found.records.filter(pl.col("status") == "travel-cap")
    assert stopped.height > 0
    over = stopped["travel"] - 1000 * stopped["optimal"]
    assert over.is_between(0, math.sqrt(2)).all()
    assert found.settings.alpha == 1000
    assert found.title == "embedded, travel cap 1,000"


def test_an_alpha_of_infinity_lifts_the_limit(tmp_path: Path) -> None:
    found = run("lrta(d=1)", tmp_path / "run", alpha=math.inf)
    assert found.settings == Settings()
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["settings"]["alpha"] is None
    assert found.title == "embedded"
    assert invoke("run -a lrta --map rooms-128 --limit 2 --alpha inf").stdout.startswith("embedded\n")


def test_only_a_run_without_a_limit_rejects_agents_that_may_never_arrive(tmp_path: Path) -> None:
    with rejects("may never reach its goal; limit its travel: omit --alpha inf"):
        run("max(c+h)", tmp_path / "run", alpha=math.inf)


def test_the_default_limit_applies_to_each_trial_and_a_given_one_to_all_of_them(tmp_path: Path) -> None:
    small = {"maps": ["rooms-128"], "limit": 4, "trials": "converge"}
    each = run("lrta(d=1)", tmp_path / "each", **small)
    assert set(each.records["status"]) == {"solved"}
    assert (each.records["travel"] > 1000 * each.records["optimal"]).any()
    assert (each.trials["travel"] <= 1000 * each.trials["optimal"]).all()
    assert each.title.startswith("embedded, travel cap 1,000 per trial, convergence")
    total = run("lrta(d=1)", tmp_path / "total", **small, alpha=1000)
    long = each.records["travel"] > 1000 * each.records["optimal"]
    assert (total.records["status"] == "travel-cap").to_list() == long.to_list()
    assert total.title.startswith("embedded, travel cap 1,000, convergence")


def test_a_single_trial_with_the_default_given_explicitly_is_the_same_run() -> None:
    assert Settings.of({}) == Settings.of({"alpha": 1000}) == Settings.of({"alpha": None})
    assert Settings.of({"trials": "converge"}) != Settings.of({"trials": "converge", "alpha": 1000})


@pytest.mark.parametrize("alpha", [0.5, math.nan, -math.inf])
def test_other_limits_are_at_least_the_optimum(alpha: float) -> None:
    with rejects("alpha", "is out of range"):
        Settings.of({"alpha": alpha})


@pytest.mark.parametrize(
    ("first", "again", "remedy"),
    [
        ({"alpha": math.inf}, {}, "alpha none, not 1000.0; use --alpha inf, or choose"),
        ({}, {"alpha": 7}, "alpha 1000.0, not 7.0; use --alpha 1000, or choose"),
        ({"trials": "converge"}, {"trials": "converge", "alpha": 1000}, "use no --alpha, or choose"),
        (
            {"alpha": math.inf},
            {"cutoff": 9},
            "with alpha none, not 1000.0; use the same settings, or choose another folder with --out",
        ),
    ],
)
def test_the_error_names_the_option_that_resumes_a_run_with_another_limit(
    first: dict[str, Any], again: dict[str, Any], remedy: str, tmp_path: Path
) -> None:
    small = {"maps": small_maps()[:1], "limit": 2}
    made = run("rtaa(k=10)", tmp_path / "run", **small, **first)
    with rejects(remedy):
        run("rtaa(k=10)", tmp_path / "run", **small, **again)
    assert run("rtaa(k=10)", tmp_path / "run", **small, **first).records.equals(made.records)


def test_a_manifest_without_the_new_settings_is_that_of_a_run_without_a_limit(tmp_path: Path) -> None:
    run("lrta(d=1)", tmp_path / "run", alpha=math.inf)
    path = tmp_path / "run" / "manifest.json"

    def edit(manifest: dict[str, Any]) -> dict[str, Any]:
        del manifest["settings"]["cap_each_trial"]
        return manifest

    edit_manifest(path, edit)
    old = pm.Run(tmp_path / "run")
    assert old.settings == Settings()
    assert run("lrta(d=1)", tmp_path / "run", alpha=math.inf).records.equals(old.records)


def test_reproductions_have_no_limit_unless_they_set_one(tmp_path: Path) -> None:
    suite, sample = data.load("embedded"), data.Sample(0, 2)
    experiment = Experiment(out=tmp_path / "free", progress=False)
    assert experiment.run(suite, ["rtaa(k=100)"], sample=sample).settings == Settings()
    experiment = Experiment(out=tmp_path / "capped", progress=False)
    assert experiment.run(suite, ["rtaa(k=100)"], sample=sample, alpha=1e5).settings == Settings(alpha=1e5)


def test_a_sample_of_the_real_time_panel_takes_its_share_of_two_minutes(tmp_path: Path) -> None:
    sample = 16
    spent = seconds(
        lambda: pm.run("embedded", panel="real-time", limit=sample, jobs=1, out=tmp_path / "run", progress=False)
    )
    # Two minutes on two cores are 240 seconds for 160 problems.
    assert spent < 240 * sample / 160
    statuses = pm.Run(tmp_path / "run").records["status"].unique()
    assert set(statuses) <= {"solved", "travel-cap"}


class Shown(Bar):
    """A bar that keeps its updates."""

    def __init__(self) -> None:
        super().__init__("embedded", 100, shown=False)
        self.updates: list[tuple[int, str | None]] = []

    def update(self, done: int, title: str | None = None) -> None:
        self.updates.append((done, title))


def test_the_bar_names_the_slowest_trial_only_while_no_record_arrives() -> None:
    now, asked = 0.0, 0
    problems = pl.DataFrame({"map": ["caves-128", "maze-512"], "problem": [3, 114]})
    trials = [InProgress(0, 0, 1.0), InProgress(1, 1, 12.3), InProgress(0, 1, 9.0)]

    def running() -> Sequence[InProgress]:
        nonlocal asked
        asked += 1
        return trials

    shown = Shown()
    tick = RunBar(shown, 40, expand_all(["astar", "sla"]), problems, clock=lambda: now)
    tick(0, running)
    now = STALL_SECONDS - 0.1
    tick(0, running)
    assert asked == 0
    now = STALL_SECONDS
    tick(0, running)
    now += 1
    tick(1, running)
    now += STALL_SECONDS
    tick(1, list)
    tick(1, lambda: [InProgress(1, None, 61.0)])
    sla = parse("sla").label
    assert shown.updates == [
        (40, None),
        (40, None),
        (40, f"{sla} on maze-512:114, 12 s"),
        (41, None),
        (41, None),
        (41, f"{sla}, 61 s"),
    ]


def test_the_name_of_the_slowest_trial_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(width=80, force_terminal=True, record=True)
    monkeypatch.setattr(terminal, "console", lambda **_: console)
    with Bar("embedded", 3680, shown=True) as bar:
        bar.update(549, "LRTA* (F, G) d=10 on maze-512:114, 12 s")
    assert "LRTA* (F, G) d=10 on maze-512:114, 12 s" in console.export_text()


def test_a_batch_returns_its_trials_in_progress() -> None:
    selection = data.load("embedded").select(Choice(maps=["rooms-128"], limit=3))
    agents, offsets, problems = np.array([0], np.uint32), np.array([0, 1], np.uint64), np.array([2], np.uint32)
    # Without a limit, SLA* takes far longer than this test.
    batch = _core.Batch(selection.grids, selection.rows, ["sla"], agents, offsets, problems, Settings(), jobs=2)
    first = wait_for(batch.running)
    assert [trial[:2] for trial in first] == [(0, 2)]
    assert wait_for(lambda: batch.running()[0][2] > first[0][2])
    batch.cancel()
    while not batch.done:
        batch.next(0.1)
    assert batch.running() == []


def test_a_plug_in_is_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    monkeypatch.setattr(workers, "POLL_SECONDS", 0.01)
    seen: set[tuple[int, int | None]] = set()

    def tick(_: RunBar, __: int, running: Any) -> None:
        seen.update((trial.agent, trial.problem) for trial in running())

    monkeypatch.setattr(RunBar, "__call__", tick)
    found = pm.run(
        "embedded",
        ["astar", f"{tmp_path}/slow.py:Slow"],
        maps=["rooms-128"],
        limit=1,
        out=tmp_path / "run",
        progress=False,
    )
    assert (1, 0) in seen
    assert found.records.filter(pl.col("agent").str.contains("Slow"))["status"].to_list() == ["error"]


SLOW = '''
import time


class Slow:
    """Plans long enough to be seen, and then fails."""

    def plan(self, world):
        time.sleep(0.5)
        raise ValueError
'''
