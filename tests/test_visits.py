"""Visits to states, compared with the cells of traces, and records that were made before visits were counted."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import permove as pm
from permove.plugins.example import TEMPLATES, Algorithm, Language, write_example
from permove.records.columns import ADDED, IDENTITY
from permove.records.traces import read
from permove.runs.record_traces import path_of
from support import build, edit_manifest, invoke, json_of, replace_chunk

AGENTS = ["lrta(d={1,3})", "rtaa(k=10)", "sla", "wastar"]
MAP: dict[str, Any] = {"maps": ["rooms-128"], "limit": 3, "alpha": 50, "progress": False}
NEW = ("memory_bytes", "visits_per_state", "visits_max")


@pytest.mark.parametrize("sensor", ["all", "square(3)"])
def test_visits_are_those_of_the_cells_of_a_trace(sensor: str, tmp_path: Path) -> None:
    run = pm.run("embedded", AGENTS, sensor=sensor, trace=True, out=tmp_path / "run", **MAP)
    again = []
    for row in run.records.iter_rows(named=True):
        cells = read(path_of(run.folder, *(row[name] for name in IDENTITY[:4]))).cells
        visits = Counter(cells.tolist())
        assert row["visits_per_state"] == pytest.approx(len(cells) / len(visits))
        assert row["visits_max"] == max(visits.values())
        again.append(row["visits_max"] > 1)
    assert any(again)
    # Discoveries lead every agent back.
    assert all(again) == (sensor != "all")


def test_trials_to_convergence_count_separately(tmp_path: Path) -> None:
    wide = MAP | {"alpha": 10_000}
    run = pm.run("embedded", ["lrta(d=1)", "astar"], trials="converge", out=tmp_path / "run", **wide)
    once = pm.run("embedded", ["lrta(d=1)", "astar"], out=tmp_path / "once", **wide)
    both = run.records.join(once.records, on=IDENTITY, suffix="_once")
    assert both.filter(pl.col("visits_max") < pl.col("visits_max_once")).is_empty()
    paths = run.records.filter(pl.col("agent").str.starts_with("astar"))
    assert paths.select("visits_per_state", "visits_max").unique().rows() == [(1.0, 1)]
    states = (both["moves"] + both["trials"]) / both["visits_per_state"]
    assert (states - states.round()).abs().max() < 1e-6
    assert (states > (both["moves_once"] + 1) / both["visits_per_state_once"]).sum() > 0


def test_plugins_are_counted_like_other_agents_and_report_their_memory(tmp_path: Path) -> None:
    write_example("mine", Language.PYTHON, Algorithm.LRTA, tmp_path)
    source = (tmp_path / "mine.py").read_text()
    report = "        world.memory(0)\n"
    assert report in source
    (tmp_path / "known.py").write_text(source.replace(report, "        world.memory(40)\n"))
    (tmp_path / "mine.py").write_text(source.replace(report, ""))
    plugins = [f"{tmp_path}/{name}.py:Mine" for name in ("known", "mine")]
    run = pm.run("embedded", [*plugins, "lrta(d=1)"], out=tmp_path / "run", **MAP)
    columns = [*NEW, "memory"]
    known, silent, own = (part.select(columns) for part in run.records.sort("problem").partition_by("agent"))
    assert silent.drop("memory_bytes").equals(own.drop("memory_bytes"))
    assert known.drop("memory_bytes").equals(own.drop("memory_bytes"))
    assert own["memory_bytes"].to_list() == (8 * own["memory"]).to_list()
    assert silent["memory_bytes"].to_list() == [None] * 3
    assert known["memory_bytes"].to_list() == (own["memory_bytes"] + 40).to_list()
    found = json_of("guide", run.folder, "--max-memory", "1GB")
    assert {row["agent"].partition("#")[0]: row["out"] for row in found["agents"] if "#" in row["agent"]} == {
        f"{tmp_path}/mine.py": "memory",
        f"{tmp_path}/known.py": None,
    }


def test_libraries_for_version_1_of_the_interface_work_without_a_report(tmp_path: Path) -> None:
    current, found = (TEMPLATES / "c" / "permove.h").read_text(), {}
    memory = re.search(r"\n\n    /\* Reports the bytes.*?\(\*memory\)[^;]*;", current, re.DOTALL)
    assert memory is not None
    old = current.replace(memory[0], "").replace("#define PERMOVE_ABI 2", "#define PERMOVE_ABI 1")
    for name, header, report in (("old", old, ""), ("new", current, "    world->memory(world, 40);\n")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "permove.h").write_text(header)
        source = (TEMPLATES / "c" / "lrta.c").read_text().replace("    world->memory(world, 0);\n", report)
        (folder / "mine.c").write_text(source)
        build(folder, "cc", "-std=c11", "-Wall", "-Werror", "-fPIC", "-shared", "-o", "libmine.so", "mine.c")
        found[name] = pm.run("embedded", [f"{folder}/libmine.so:lrta"], out=tmp_path / f"{name}-run", **MAP).records
    assert found["old"]["moves"].equals(found["new"]["moves"])
    assert found["old"]["memory_bytes"].to_list() == [None] * 3
    assert found["new"]["memory_bytes"].to_list() == (8 * found["new"]["memory"] + 40).to_list()


def test_invalid_report_of_memory_ends_the_trial_with_a_reason(tmp_path: Path) -> None:
    source = "class Mine:\n    def plan(self, world):\n        world.memory(-1)\n"
    (tmp_path / "mine.py").write_text(source)
    run = pm.run("embedded", [f"{tmp_path}/mine.py:Mine"], out=tmp_path / "run", **MAP)
    assert set(run.records["status"]) == {"error"}
    assert all("mine.py, line 3" in reason for reason in run.records["reason"])


def made_by_version_1(folder: Path) -> None:
    """Change a run so that it has only what the first version of records had."""
    for chunk in list(folder.glob("records/*.parquet")):
        replace_chunk(chunk, pl.read_parquet(chunk, memory_map=False).drop(ADDED))

    def edit(manifest: dict[str, Any]) -> dict[str, Any]:
        settings = {name: value for name, value in manifest["settings"].items() if name not in NEW_SETTINGS}
        return manifest | {"format": 1, "records": 1, "settings": settings}

    edit_manifest(folder / "manifest.json", edit, sealed=False)


NEW_SETTINGS = ("repeats", "replicas", "cap_each_trial")


def test_runs_of_earlier_versions_have_unknown_visits_and_memory(tmp_path: Path) -> None:
    folder = pm.run("embedded", ["lrta(d=1)", "astar"], out=tmp_path / "run", **MAP).folder
    made_by_version_1(folder)
    assert pm.Run(folder).records.select(pl.col(NEW).is_null().all()).row(0) == (True, True, True)
    assert "Scrubbing" in invoke("report", folder, "--scrubbing").stdout
    assert {row["out"] for row in json_of("guide", folder)["agents"]} == {None}
    assert {row["out"] for row in json_of("guide", folder, "--max-memory", "1GB")["agents"]} == {"memory"}
    assert "memory unknown" in invoke("guide", folder, "--max-memory", "1GB").stdout


def test_times_of_earlier_versions_open_but_make_no_guide() -> None:
    line = "run embedded --map rooms-128 --limit 2 --timed -a 'lrta(d=1)' 'wastar(gamma=0.5)' --out"
    invoke(line, "old")
    made_by_version_1(Path("old"))
    for command in ("report old", "report old --view tradeoff --x time_max_ns", "guide old"):
        invoke(command)
    invoke("compare old 'lrta(d=1)' 'wastar(gamma=0.5)'")
    invoke("report old --format html -o page.html")
    assert "time, worst move" not in Path("page.html").read_text()
    assert f"`permove {line} old-again` measures them again" in invoke("guide old --by time", code=2).stderr
    error = invoke(line, "old", code=2).stderr
    assert "version 1 of the records, not" in error
    assert "to make them again, choose another folder with --out" in error
