"""Shards and merging: parts that were walked apart are the whole, and what does not belong together stays apart."""

import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove import data
from permove.common.errors import InputError
from permove.data import Shard
from permove.records.columns import CLOCK
from permove.runs import store
from permove.runs.manifest import Manifest
from permove.runs.merge import SAME
from permove.runs.run import Interrupted
from support import called, contents

MAPS = ["rooms-128", "caves-128"]
AGENTS = ["lrta(d={1,3})", "rtaa(k=10, ties=random)"]


def walk(out: Path, **options: object) -> pm.Run:
    return pm.run("embedded", AGENTS, **({"maps": MAPS, "limit": 30, "out": out, "jobs": 2} | options))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards of a run, and the run in one piece."""
    folder = tmp_path_factory.mktemp("shards")
    for number in (1, 2, 3):
        walk(folder / f"{number}", shard=f"{number}/3")
    walk(folder / "whole")
    return folder


def same_records(one: pm.Run, other: pm.Run) -> None:
    assert one.records.drop(CLOCK).equals(other.records.drop(CLOCK))


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_shards_are_disjoint_and_complete(count: int) -> None:
    whole = data.load("embedded").only_maps(MAPS).limit(40, 0)
    parts = [whole.shard(Shard(number, count)).problems for number in range(1, count + 1)]
    assert_frame_equal(pl.concat(parts).sort(pl.all()), whole.problems.sort(pl.all()))
    assert max(part.height for part in parts) - min(part.height for part in parts) <= 1


def test_merged_shards_equal_the_complete_run(folder: Path, tmp_path: Path) -> None:
    merged = pm.merge([folder / "3", folder / "1", folder / "2"], tmp_path / "merged")
    assert (merged.added, merged.again) == (90, 0)
    same_records(merged.run, pm.Run(folder / "whole"))
    assert [start.choice["shard"] for start in merged.run.manifest.starts] == ["3/3", "1/3", "2/3"]


def test_records_of_several_runs_are_kept_once(folder: Path, tmp_path: Path) -> None:
    merged = pm.merge([folder / "1", folder / "whole", folder / "1"], tmp_path / "merged")
    assert (merged.added, merged.again) == (90, 60)
    same_records(merged.run, pm.Run(folder / "whole"))


def test_merge_leaves_its_sources_unchanged_and_is_repeatable(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    pm.merge([folder / "1", folder / "2"], tmp_path / "merged")
    assert pm.merge([folder / "1", folder / "2"], tmp_path / "merged").added == 0
    assert pm.merge([folder / "3"], tmp_path / "merged").added == 30
    same_records(pm.Run(tmp_path / "merged"), pm.Run(folder / "whole"))
    assert contents(folder) == before


def test_merged_run_resumes(folder: Path, tmp_path: Path) -> None:
    pm.merge([folder / "1", folder / "2"], tmp_path / "merged")
    same_records(walk(tmp_path / "merged"), pm.Run(folder / "whole"))


def test_merge_includes_trials(tmp_path: Path) -> None:
    options = {"limit": 6, "trials": "converge", "maps": ["rooms-128"]}
    parts = [walk(tmp_path / f"{number}", shard=f"{number}/2", **options).folder for number in (1, 2)]
    whole, merged = walk(tmp_path / "whole", **options), pm.merge(parts, tmp_path / "merged").run
    same_records(merged, whole)
    assert merged.trials.drop("time_ns").equals(whole.trials.drop("time_ns"))


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
    same_records(pm.Run(tmp_path / "merged"), pm.Run(folder / "whole"))


def with_manifest(source: Path, target: Path, **changes: object) -> Path:
    """A copy of a run whose manifest says something else."""
    shutil.copytree(source, target)
    changed = replace(Manifest.read(target / store.MANIFEST), **changes)
    (target / store.MANIFEST).write_bytes(changed.to_json())
    return target


def test_incompatible_runs_are_rejected_before_any_file_is_written(folder: Path, tmp_path: Path) -> None:
    other_seed = walk(tmp_path / "seed", seed=1, limit=3).folder
    other_suite = pm.run("embedded@free", AGENTS, maps=MAPS, limit=3, out=tmp_path / "free").folder
    other_version = with_manifest(folder / "2", tmp_path / "version", records=0)
    for other, why in [
        (other_seed, r"cannot be merged: the first was made with seed 0, not 1; merge runs of the same suite"),
        (other_suite, r"with the suite embedded \(.*\), not embedded@free \(.*\)"),
        (other_version, r"with version \d+ of the records, not 0"),
        (tmp_path / "nowhere", r"the run folder .* does not exist"),
    ]:
        with pytest.raises(InputError, match=why):
            pm.merge([folder / "1", other], tmp_path / "merged")
        assert not (tmp_path / "merged").exists()


def test_contradicting_records_are_rejected(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "1", tmp_path / "lying")
    chunk = next((tmp_path / "lying" / "records").glob("*.parquet"))
    pl.read_parquet(chunk).with_columns(moves=pl.col("moves") + 1).write_parquet(chunk)
    with pytest.raises(InputError, match=r"lying and .*merged have different records of .*: moves \d+, not \d+; "):
        pm.merge([folder / "1", tmp_path / "lying"], tmp_path / "merged")


def test_times_of_different_machines_are_merged_only_on_request(tmp_path: Path) -> None:
    options = {"timed": True, "limit": 4}
    here = walk(tmp_path / "here", shard="1/2", **options).folder
    made = walk(tmp_path / "made", shard="2/2", **options).folder
    (start,) = Manifest.read(made / store.MANIFEST).starts
    elsewhere = replace(start, machine={**start.machine, "cpu": "Abacus 3000"})
    there = with_manifest(made, tmp_path / "there", starts=[elsewhere])
    with pytest.raises(InputError, match=r"timed runs of different machines, .* and Abacus 3000, .*--any-machine"):
        pm.merge([here, there], tmp_path / "merged")
    with pytest.raises(InputError, match=r"were measured on Abacus 3000, not on .*--any-machine"):
        walk(there, **options)
    assert pm.merge([here, there], tmp_path / "merged", any_machine=True).added == 12
    assert walk(there, any_machine=True, **options).records.height == 12


def test_equal_records_may_differ_only_in_times_and_machines() -> None:
    assert {"moves", "expanded", "build_bytes", "reason", "status"} <= set(SAME)
    assert not {"time_ns", "host", "cpu", "build_ns"} & set(SAME)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"])
def test_invalid_shard_is_rejected(text: str) -> None:
    with pytest.raises(InputError, match=r"invalid shard .*; use NUMBER/COUNT, for example 3/8"):
        Shard.parse(text)


def test_command_line_shards_and_merges(tmp_path: Path) -> None:
    run = ("run", "embedded", "--map", "rooms-128", "--limit", "5", "-a", "lrta", "rtaa")
    for number in ("1", "2"):
        assert called(*run, "--shard", f"{number}/2", "--out", number, cwd=tmp_path).returncode == 0
    done = called("merge", "1", "2", "--out", "all", "--format", "csv", cwd=tmp_path)
    assert done.stdout.splitlines()[0].startswith("label,agent,problems,solved")
    assert "10 records were added to all." in done.stderr
    wrong = called("merge", "1", "--out", "1/records", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "contains files that are not from a run" in wrong.stderr
    empty = called(*run, "--shard", "6/6", cwd=tmp_path)
    assert empty.returncode == 2
    assert "--map, --limit and --shard select no problems" in empty.stderr
