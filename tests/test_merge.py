"""Shards and merging: shards make up the complete run, and incompatible runs are rejected."""

import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove import data
from permove.data import Shard
from permove.runs import store
from permove.runs.manifest import Manifest
from permove.runs.merge import SAME
from permove.runs.run import Interrupted
from support import assert_same_records, contents, error_of, invoke, rejects, replace_chunk

MAPS = ["rooms-128", "caves-128"]
AGENTS = ["lrta(d={1,3})", "rtaa(k=10, ties=random)"]


def run(out: Path, **options: object) -> pm.Run:
    return pm.run("embedded", AGENTS, **({"maps": MAPS, "limit": 30, "out": out, "jobs": 2} | options))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards of a run, and the complete run."""
    folder = tmp_path_factory.mktemp("shards")
    for number in (1, 2, 3):
        run(folder / f"{number}", shard=f"{number}/3")
    run(folder / "complete")
    return folder


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_shards_are_disjoint_and_complete(count: int) -> None:
    suite = data.load("embedded").only_maps(MAPS).limit(40, 0)
    parts = [suite.shard(Shard(number, count)).problems for number in range(1, count + 1)]
    assert_frame_equal(pl.concat(parts).sort(pl.all()), suite.problems.sort(pl.all()))
    assert max(part.height for part in parts) - min(part.height for part in parts) <= 1


def test_merged_shards_equal_the_complete_run(folder: Path, tmp_path: Path) -> None:
    merged = pm.merge([folder / "3", folder / "1", folder / "2"], tmp_path / "merged")
    assert (merged.added, merged.again) == (90, 0)
    assert_same_records(merged.run, pm.Run(folder / "complete"))
    assert [start.choice["shard"] for start in merged.run.manifest.starts] == ["3/3", "1/3", "2/3"]


def test_records_of_several_runs_are_kept_once(folder: Path, tmp_path: Path) -> None:
    merged = pm.merge([folder / "1", folder / "complete", folder / "1"], tmp_path / "merged")
    assert (merged.added, merged.again) == (90, 60)
    assert_same_records(merged.run, pm.Run(folder / "complete"))


def test_merge_leaves_its_sources_unchanged_and_is_repeatable(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    pm.merge([folder / "1", folder / "2"], tmp_path / "merged")
    assert pm.merge([folder / "1", folder / "2"], tmp_path / "merged").added == 0
    assert pm.merge([folder / "3"], tmp_path / "merged").added == 30
    assert_same_records(pm.Run(tmp_path / "merged"), pm.Run(folder / "complete"))
    assert contents(folder) == before


def test_merged_run_resumes(folder: Path, tmp_path: Path) -> None:
    pm.merge([folder / "1", folder / "2"], tmp_path / "merged")
    assert_same_records(run(tmp_path / "merged"), pm.Run(folder / "complete"))


def test_merge_includes_trials(tmp_path: Path) -> None:
    options = {"limit": 6, "trials": "converge", "maps": ["rooms-128"]}
    parts = [run(tmp_path / f"{number}", shard=f"{number}/2", **options).folder for number in (1, 2)]
    merged = pm.merge(parts, tmp_path / "merged").run
    assert not merged.trials.is_empty()
    assert_same_records(merged, run(tmp_path / "complete", **options))


def test_stopped_merge_resumes(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = store.Writer.write

    def write_once(self: store.Writer, records: pl.DataFrame, trials: pl.DataFrame | None) -> None:
        write(self, records, trials)
        raise Interrupted(tmp_path, 30, 90)

    with monkeypatch.context() as patch:
        patch.setattr(store.Writer, "write", write_once)
        with pytest.raises(KeyboardInterrupt):
            pm.merge([folder / "1", folder / "2", folder / "3"], tmp_path / "merged")
    assert pm.merge([folder / "1", folder / "2", folder / "3"], tmp_path / "merged").again == 30
    assert_same_records(pm.Run(tmp_path / "merged"), pm.Run(folder / "complete"))


def with_manifest(source: Path, target: Path, **changes: object) -> Path:
    """Copy a run and change its manifest."""
    shutil.copytree(source, target)
    changed = replace(Manifest.read(target / store.MANIFEST), **changes)
    (target / store.MANIFEST).write_bytes(changed.to_json())
    return target


def test_incompatible_runs_are_rejected_before_any_file_is_written(folder: Path, tmp_path: Path) -> None:
    other_seed = run(tmp_path / "seed", seed=1, limit=3).folder
    other_suite = pm.run("embedded@free", AGENTS, maps=MAPS, limit=3, out=tmp_path / "free").folder
    other_version = with_manifest(folder / "2", tmp_path / "version", records=0)
    for other, why in [
        (other_seed, r"cannot be merged: the first was made with seed 0, not 1; merge runs of the same suite"),
        (other_suite, r"with the suite embedded \(.*\), not embedded@free \(.*\)"),
        (other_version, r"with version \d+ of the records, not 0"),
        (tmp_path / "nowhere", r"the run folder .* does not exist"),
    ]:
        with pytest.raises(pm.InputError, match=why):
            pm.merge([folder / "1", other], tmp_path / "merged")
        assert not (tmp_path / "merged").exists()


def test_contradicting_records_are_rejected(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "1", tmp_path / "wrong")
    chunk = next((tmp_path / "wrong" / "records").glob("*.parquet"))
    replace_chunk(chunk, pl.read_parquet(chunk, memory_map=False).with_columns(moves=pl.col("moves") + 1))
    with pytest.raises(pm.InputError, match=r"wrong and .*merged have different records of .*: moves \d+, not \d+; "):
        pm.merge([folder / "1", tmp_path / "wrong"], tmp_path / "merged")


def test_times_of_different_machines_are_merged_only_on_request(tmp_path: Path) -> None:
    options = {"timed": True, "limit": 4}
    first = run(tmp_path / "first", shard="1/2", **options).folder
    made = run(tmp_path / "made", shard="2/2", **options).folder
    (start,) = Manifest.read(made / store.MANIFEST).starts
    other_machine = replace(start, machine={**start.machine, "cpu": "Abacus 3000"})
    second = with_manifest(made, tmp_path / "second", starts=[other_machine])
    with rejects("timed runs of different machines, ", " and Abacus 3000, ", "--any-machine"):
        pm.merge([first, second], tmp_path / "merged")
    with rejects("were measured on Abacus 3000, not on ", "--any-machine"):
        run(second, **options)
    assert pm.merge([first, second], tmp_path / "merged", any_machine=True).added == 12
    assert run(second, any_machine=True, **options).records.height == 12


def test_equal_records_may_differ_only_in_times_and_machines() -> None:
    assert {"moves", "expanded", "build_bytes", "reason", "status"} <= set(SAME)
    assert not {"time_ns", "host", "cpu", "build_ns"} & set(SAME)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"])
def test_invalid_shard_is_rejected(text: str) -> None:
    with rejects(f"invalid shard {text!r}", "; use NUMBER/COUNT, for example 3/8"):
        Shard.parse(text)


def test_command_line_shards_and_merges() -> None:
    line = "run embedded --map rooms-128 --limit 5 -a lrta rtaa"
    for number in (1, 2):
        invoke(f"{line} --shard {number}/2 --out {number}")
    result = invoke("merge 1 2 --out all --format csv")
    assert result.stdout.splitlines()[0].startswith("label,agent,problems,solved")
    assert "10 records were added to all." in result.stderr
    assert "contains files that are not from a run" in error_of("merge 1 --out 1/records")
    assert "--map, --limit and --shard select no problems" in error_of(line, "--shard", "6/6")
