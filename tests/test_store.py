"""The run folder: whole chunks, one writer, and no record beside one that it does not belong to."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.data import Choice
from permove.records.settings import Settings
from permove.runs import store
from permove.runs.manifest import Manifest, Start, SuiteFacts
from support import contents, records

SUITE = SuiteFacts("made", "f1", {"diagonal": "strict", "terrain": "land"})


def manifest(*, suite: SuiteFacts = SUITE, version: str = "1.0", records: int = 1, **settings: object) -> Manifest:
    this = Start.now(["permove", "run"], ["lrta(d=1)"], Choice(), jobs=1)
    return Manifest(version, suite, replace(Settings(), **settings), [this], records)


def chunk(*problems: int) -> pl.DataFrame:
    return records(*({"problem": problem} for problem in problems))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with the problems 0, 1 and 2 in two chunks."""
    folder = tmp_path / "run"
    with store.Writer(folder, manifest()) as writer:
        writer.write(chunk(2, 0))
        writer.write(chunk(1))
    return folder


def test_records_are_read_sorted_by_identity(run: Path) -> None:
    assert_frame_equal(store.read_records(run), chunk(0, 1, 2))


def test_manifest_reads_back(run: Path) -> None:
    assert store.read_manifest(run).settings == Settings()
    assert store.read_manifest(run).suite == SUITE
    assert store.read_manifest(run).records == 1


def test_run_resumes_next_to_existing_records(run: Path) -> None:
    with store.Writer(run, manifest()) as writer:
        assert sorted(writer.identities()["problem"]) == [0, 1, 2]
        writer.write(chunk(3))
    assert store.read_records(run)["problem"].to_list() == [0, 1, 2, 3]
    assert len(store.read_manifest(run).starts) == 2


def test_start_that_adds_nothing_changes_nothing(run: Path) -> None:
    before = contents(run)
    before.pop("lock")
    with store.Writer(run, manifest()):
        pass
    after = contents(run)
    after.pop("lock")
    assert after == before


def test_start_that_fails_before_its_first_record_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), store.Writer(tmp_path / "deep" / "run", manifest()):
        raise ZeroDivisionError
    assert not (tmp_path / "deep" / "run").exists()


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (manifest(suite=replace(SUITE, fingerprint="f2")), "the suite made (f1), not made (f2)"),
        (manifest(cutoff=500), "cutoff none, not 500"),
        (manifest(sensor="cross", seed=3), "sensor all, not cross, with seed 0, not 3"),
        (manifest(timed=True), "timed no, not yes"),
        (manifest(records=2), "version 1 of the records, not 2"),
    ],
)
def test_run_with_other_settings_is_rejected_unchanged_with_the_difference(
    run: Path, other: Manifest, difference: str
) -> None:
    before = contents(run)
    with pytest.raises(InputError) as caught, store.Writer(run, other):
        pytest.fail("the folder was opened")
    assert difference in str(caught.value)
    assert str(run) in str(caught.value)
    assert "choose another folder with --out" in str(caught.value)
    assert contents(run) == before


def test_manifests_without_a_version_of_the_records_resume_as_version_1(run: Path) -> None:
    path = run / store.MANIFEST
    content = json.loads(path.read_text())
    del content["records"]
    start = content["starts"][0]
    del start["choice"]
    path.write_text(json.dumps(content | {"starts": [start | {"core": "c0ffee", "limit": 9, "maps": None}]}))
    with store.Writer(run, manifest(version="2.0")) as writer:
        writer.write(chunk(5))
    old, new = store.read_manifest(run).starts
    assert (old.choice, new.choice) == ({"limit": 9}, {})


def foreign(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("precious")


def damaged(folder: Path) -> None:
    folder.mkdir()
    (folder / "manifest.json").write_text('{"format": 1, "permove"')


def of_the_future(folder: Path) -> None:
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"format": 99}))


def someone_elses(folder: Path) -> None:
    folder.mkdir()
    (folder / "manifest.json").write_text("[1, 2]")


def a_file(folder: Path) -> None:
    folder.write_text("precious")


@pytest.mark.parametrize("make", [foreign, damaged, of_the_future, someone_elses, a_file])
def test_folder_that_is_no_run_is_rejected_unchanged(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "run")
    before = contents(tmp_path)
    with pytest.raises(InputError) as caught, store.Writer(tmp_path / "run", manifest()):
        pytest.fail("the folder was opened")
    assert str(tmp_path / "run") in str(caught.value)
    assert contents(tmp_path) == before


def test_run_killed_before_its_manifest_was_written_starts_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / "records").mkdir(parents=True)
    (folder / "lock").write_text("1\n")
    (folder / ".manifest.json.x.tmp").write_text("{")
    with store.Writer(folder, manifest()) as writer:
        writer.write(chunk(0))
    assert sorted(contents(folder)) == ["lock", "manifest.json", "records/000001.parquet"]


def test_partial_chunk_is_never_read_and_is_removed(run: Path) -> None:
    (run / "records" / ".000003.parquet.x.tmp").write_bytes(b"PAR1 and then the power went")
    assert len(store.read_records(run)) == 3
    with store.Writer(run, manifest()):
        pass
    assert sorted(path.name for path in (run / "records").iterdir()) == ["000001.parquet", "000002.parquet"]


def test_damaged_chunk_is_named_with_the_remedy(run: Path) -> None:
    path = run / "records" / "000002.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"000002\.parquet is damaged.*move it away"):
        store.read_records(run)
    path.unlink()
    assert store.read_records(run)["problem"].to_list() == [0, 2]


def test_chunk_with_other_columns_is_rejected(run: Path) -> None:
    chunk(9).drop("reason").write_parquet(run / "records" / "000003.parquet")
    with pytest.raises(InputError, match=r"000003\.parquet"):
        store.read_records(run)
    chunk(9).cast({"moves": pl.Int16}).write_parquet(run / "records" / "000003.parquet")
    with pytest.raises(InputError, match=r"000003\.parquet has the columns of another version"):
        store.read_records(run)


def test_full_disk_is_reported_and_every_chunk_is_kept(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(run)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with store.Writer(run, manifest()) as writer:
        writer.write(chunk(3))
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", full)
            with pytest.raises(InputError, match=r"cannot write .*000004\.parquet: No space left .*again to resume"):
                writer.write(chunk(4))
    assert store.read_records(run)["problem"].to_list() == [0, 1, 2, 3]
    after = contents(run)
    assert {name: after[name] for name in before if name.startswith("records")} == {
        name: content for name, content in before.items() if name.startswith("records")
    }
    assert not list(run.rglob("*.tmp"))


def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(InputError, match="cannot create the run folder"),
        store.Writer(tmp_path / "file" / "run", manifest()),
    ):
        pytest.fail("the folder was opened")


@pytest.fixture
def other_writer(run: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the run's lock until it is killed."""
    script = f"import fcntl, os, time; lock = os.open({str(run / 'lock')!r}, os.O_RDWR)\n"
    script += "os.ftruncate(lock, 0); os.pwrite(lock, str(os.getpid()).encode(), 0); fcntl.flock(lock, fcntl.LOCK_EX)\n"
    script += "print('held', flush=True); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_two_processes_never_write_to_one_run(run: Path, other_writer: subprocess.Popen[str]) -> None:
    before = contents(run)
    refusal = rf"another process \({other_writer.pid}\) writes to .*wait for it"
    with pytest.raises(InputError, match=refusal), store.Writer(run, manifest()):
        pytest.fail("the folder was opened")
    assert contents(run) == before


def test_lock_of_a_killed_process_is_ignored(run: Path, other_writer: subprocess.Popen[str]) -> None:
    other_writer.kill()
    other_writer.wait()
    with store.Writer(run, manifest()) as writer:
        writer.write(chunk(3))
    assert len(store.read_records(run)) == 4


def test_pipe_is_written_to_and_remains_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write_atomic(pipe, b"content")
        assert read.result(10) == b"content"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
