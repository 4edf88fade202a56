"""The run folder: complete chunks, one writer, and only compatible records."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from data_files import write_files
from permove.common.files import write_atomic
from permove.data import Choice
from permove.records.settings import Settings
from permove.runs import store
from permove.runs.manifest import Manifest, Start, SuiteFacts
from support import TIMEOUT, contents, edit_manifest, full_disk, records, rejects

SUITE = SuiteFacts("made", "f1", {"diagonal": "strict", "terrain": "land"})


def manifest(*, suite: SuiteFacts = SUITE, version: str = "1.0", records: int = 1, **settings: object) -> Manifest:
    this = Start.now(["permove", "run"], ["lrta(d=1)"], Choice(), jobs=1)
    return Manifest(version, suite, replace(Settings(), **settings), [this], records)


def chunk(*problems: int) -> pl.DataFrame:
    return records(*({"problem": problem} for problem in problems))


def chunks(run: Path) -> list[Path]:
    return sorted((run / "records").iterdir())


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
    with store.Writer(run, manifest()):
        pass
    assert contents(run) | {"lock": before["lock"]} == before


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
    with rejects(difference, run, "choose another folder with --out"), store.Writer(run, other):
        pytest.fail("the folder was opened")
    assert contents(run) == before


def test_manifests_without_a_version_of_the_records_resume_as_version_1(run: Path) -> None:
    def edit(content: dict[str, Any]) -> dict[str, Any]:
        del content["records"]
        start = content["starts"][0]
        del start["choice"]
        return content | {"format": 1, "starts": [start | {"core": "c0ffee", "limit": 9, "maps": None}]}

    edit_manifest(run / store.MANIFEST, edit, sealed=False)
    with store.Writer(run, manifest(version="2.0")) as writer:
        writer.write(chunk(5))
    old, new = store.read_manifest(run).starts
    assert (old.choice, new.choice) == ({"limit": 9}, {})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run/thesis.tex", "precious"),
        ("run/manifest.json", '{"format": 1, "permove"'),
        ("run/manifest.json", '{"format": 99}'),
        ("run/manifest.json", "[1, 2]"),
        ("run", "precious"),
    ],
    ids=["other files", "damaged manifest", "future format", "other manifest", "file"],
)
def test_folder_that_is_no_run_is_rejected_unchanged(tmp_path: Path, name: str, text: str) -> None:
    write_files(tmp_path, {name: text.encode()})
    before = contents(tmp_path)
    with rejects(tmp_path / "run"), store.Writer(tmp_path / "run", manifest()):
        pytest.fail("the folder was opened")
    assert contents(tmp_path) == before


def test_run_killed_before_its_manifest_was_written_starts_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / "records").mkdir(parents=True)
    (folder / "lock").write_text("1\n")
    (folder / ".manifest.json.x.tmp").write_text("{")
    with store.Writer(folder, manifest()) as writer:
        writer.write(chunk(0))
    assert [name.partition("-")[0] for name in sorted(contents(folder))] == ["lock", "manifest.json", "records/000001"]


def test_partial_chunk_is_never_read_and_is_removed(run: Path) -> None:
    (run / "records" / ".000003.parquet.x.tmp").write_bytes(b"PAR1 and no more")
    assert len(store.read_records(run)) == 3
    with store.Writer(run, manifest()):
        pass
    assert [path.name[:7] for path in chunks(run)] == ["000001-", "000002-"]


def test_damaged_chunk_is_named_with_the_remedy(run: Path) -> None:
    path = chunks(run)[1]
    path.write_bytes(path.read_bytes()[:-20])
    with rejects(f"{path} is damaged", "run the same `permove run` command again"):
        store.read_records(run)
    path.unlink()
    assert store.read_records(run)["problem"].to_list() == [0, 2]


def test_chunk_with_other_columns_is_rejected(run: Path) -> None:
    chunk(9).drop("reason").write_parquet(run / "records" / "000003.parquet")
    with rejects("000003.parquet"):
        store.read_records(run)
    chunk(9).cast({"moves": pl.Int16}).write_parquet(run / "records" / "000003.parquet")
    with rejects("000003.parquet has the columns of another version"):
        store.read_records(run)


def test_full_disk_is_reported_and_every_chunk_is_kept(run: Path) -> None:
    before = contents(run / "records")
    with store.Writer(run, manifest()) as writer:
        writer.write(chunk(3))
        with full_disk(), rejects("cannot write ", "records/000004-", ".parquet: No space left ", "again to resume"):
            writer.write(chunk(4))
    assert store.read_records(run)["problem"].to_list() == [0, 1, 2, 3]
    assert before.items() < contents(run / "records").items()
    assert not list(run.rglob("*.tmp"))


def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with rejects("cannot create the run folder"), store.Writer(tmp_path / "file" / "run", manifest()):
        pytest.fail("the folder was opened")


@pytest.fixture
def other_writer(run: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the run's lock until it is killed."""
    script = f"import fcntl, os, signal; lock = os.open({str(run / 'lock')!r}, os.O_RDWR)\n"
    script += "os.ftruncate(lock, 0); os.pwrite(lock, str(os.getpid()).encode(), 0); fcntl.flock(lock, fcntl.LOCK_EX)\n"
    script += "print('held', flush=True); signal.pause()"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_two_processes_never_write_to_one_run(run: Path, other_writer: subprocess.Popen[str]) -> None:
    before = contents(run)
    words = (f"another process ({other_writer.pid}) writes to ", "wait for it")
    with rejects(*words), store.Writer(run, manifest()):
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
        assert read.result(TIMEOUT) == b"content"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
