"""Damaged files: every changed byte is found, errors name the file and the remedy, and runs recompute lost records."""

import json
import random
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import permove as pm
from permove import _core
from permove.records import traces
from permove.runs import store
from permove.runs.manifest import Manifest
from support import assert_same_records, contents, edit_manifest, error_of, invoke, rejects, small_maps

AGENTS = ["lrta(d=1)", "rtaa(k=10)"]
MAP = Path(__file__).parent.parent / "maps" / "rooms-128.map"


def converge(out: Path | str) -> pm.Run:
    return pm.run("embedded", AGENTS, maps=small_maps()[:1], limit=3, trials="converge", max_trials=3, out=out)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    """A run to convergence of two agents."""
    return converge(tmp_path_factory.mktemp("intact") / "run")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "trace.npz"
    pm.solve(MAP, (113, 66), (111, 61), "rtaa(k=5)", sensor="square(3)", alpha=9).save_trace(path)
    return path


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tree") / "dt.tree"
    nodes: list[dict[str, Any]] = [{"feature": 0, "threshold": 1.5, "left": 1, "right": 2}, {"depth": 1}, {"depth": 4}]
    facts = {"format": "permove-tree", "version": 2, "features": "2008", "n": 60, "presearch": 1, "dmax": 9}
    path.write_text(_core.seal_json(json.dumps(facts | {"nodes": nodes})))
    return path


def copy(run: pm.Run, folder: Path) -> Path:
    for name, content in contents(run.folder).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def damaged(content: bytes, place: int) -> bytes:
    """Change one byte."""
    return content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]


def flips(path: Path) -> Iterator[int]:
    """Change every byte of a file, one after another."""
    intact = path.read_bytes()
    for place in range(len(intact)):
        path.write_bytes(damaged(intact, place))
        yield place
    path.write_bytes(intact)


def fault_of(read: Callable[[], object]) -> str | None:
    """Return the error of reading a file, if any."""
    try:
        read()
    except pm.InputError as error:
        return str(error)
    return None


def check_flips(path: Path, read: Callable[[], object]) -> None:
    """Check that the file is accepted, and rejected after any change of one byte."""
    assert fault_of(read) is None
    for place in flips(path):
        fault = fault_of(read)
        assert fault is not None, f"byte {place} of {path.name} was changed, but it was read"
        assert path.name in fault
    assert fault_of(read) is None


def test_every_changed_byte_of_a_run_is_found(run: pm.Run, tmp_path: Path) -> None:
    folder = copy(run, tmp_path / "run")
    (chunk,), (trials,) = ((folder / kind).glob("*.parquet") for kind in ("records", "trials"))
    check_flips(folder / "manifest.json", lambda: store.read_manifest(folder))
    check_flips(chunk, lambda: store.read_records(folder))
    check_flips(trials, lambda: store.read_trials(folder))


def test_every_changed_byte_of_a_trace_is_found(trace: Path) -> None:
    check_flips(trace, lambda: traces.read(trace))


def test_every_changed_byte_of_a_tree_is_found(tree: Path) -> None:
    check_flips(tree, lambda: _core.DecisionTree.read(str(tree)))


def test_a_few_changed_bytes_anywhere_are_found(run: pm.Run, trace: Path, tree: Path, tmp_path: Path) -> None:
    folder = copy(run, tmp_path / "run")
    (chunk,) = (folder / "records").glob("*.parquet")
    readers: dict[Path, Callable[[], object]] = {
        folder / "manifest.json": lambda: store.read_manifest(folder),
        chunk: lambda: store.read_records(folder),
        trace: lambda: traces.read(trace),
        tree: lambda: _core.DecisionTree.read(str(tree)),
    }
    numbers = random.Random(24)
    for path, read in readers.items():
        intact = path.read_bytes()
        for _ in range(500):
            content = bytearray(intact)
            for _ in range(numbers.randint(1, 3)):
                content[numbers.randrange(len(content))] ^= numbers.randint(1, 255)
            start, end = sorted(numbers.choices(range(len(content)), k=2))
            kept = content[:start] + content[end:] if numbers.random() < 0.2 and end > start else content
            if kept == intact:
                continue
            path.write_bytes(kept)
            with pytest.raises(pm.InputError):
                read()
        path.write_bytes(intact)


@pytest.mark.parametrize("kind", ["records", "trials"])
def test_damaged_chunk_is_named_and_the_run_recomputes_it(run: pm.Run, tmp_path: Path, kind: str) -> None:
    folder = copy(run, tmp_path / "run")
    (chunk,) = (folder / kind).glob("*.parquet")
    chunk.write_bytes(damaged(chunk.read_bytes(), 1000))
    read = store.read_records if kind == "records" else store.read_trials
    with rejects(
        chunk, "does not match the checksum", end="run the same `permove run` command again to recompute its records"
    ):
        read(folder)
    assert_same_records(converge(folder), run)
    names = sorted(contents(folder))
    assert f"{kind}/{chunk.name}.damaged" in names
    assert len([name for name in names if name.startswith("records/000002-")]) == 1


def test_run_says_which_chunk_it_recomputes() -> None:
    line = "run embedded --map rooms-128 --limit 2 -a astar --out run"
    shown = invoke(line).stdout
    (chunk,) = Path("run/records").glob("*.parquet")
    chunk.write_bytes(chunk.read_bytes()[:-1])
    assert str(chunk) in error_of("report run")
    again = invoke(line)
    assert again.stderr.startswith(f"permove: note: {chunk} is damaged: ")
    assert again.stderr.endswith("renamed to *.damaged, and its records are computed again\nRecords: run\n")
    assert [line.split()[:4] for line in again.stdout.splitlines()] == [line.split()[:4] for line in shown.splitlines()]


def test_run_of_an_older_version_opens_with_a_note_and_resumes(run: pm.Run, tmp_path: Path) -> None:
    folder = copy(run, tmp_path / "run")
    for kind in ("records", "trials"):
        (chunk,) = (folder / kind).glob("*.parquet")
        chunk.rename(chunk.with_name("000001.parquet"))
    edit_manifest(folder / "manifest.json", lambda manifest: manifest | {"format": 1}, sealed=False)
    result = invoke("report", folder)
    note = (
        f"permove: note: 3 of the 3 files of {folder} have no checksum, since an older version of permove wrote them; "
    )
    assert result.stderr == f"{note}damage to them may go unnoticed\n"
    assert_same_records(converge(folder), run)
    assert invoke("report", run.folder).stderr == ""


def test_older_traces_and_trees_are_read_with_a_note(trace: Path, tree: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.npz"
    write_trace(old, trace, {"facts": facts_of(trace) | {"format": 1}})
    result = invoke("replay", old, "-o", tmp_path / "page.html")
    assert f"{old} has no checksum" in result.stderr
    content = json.loads(tree.read_bytes()) | {"version": 1}
    del content["checksum"]
    Path("old.tree").write_text(json.dumps(content))
    result = invoke("run embedded --map rooms-128 --limit 1 --out run -a 'lrta(d=dt, tree=old.tree)'")
    assert "note: old.tree#" in result.stderr
    assert "has no checksum" in result.stderr


def facts_of(trace: Path) -> dict[str, Any]:
    with np.load(trace) as archive:
        facts: dict[str, Any] = json.loads(archive["facts"].tobytes())
    return facts


def write_trace(path: Path, source: Path, changes: dict[str, Any]) -> None:
    """Write a trace without a checksum, with other facts or arrays."""
    with np.load(source) as archive:
        arrays = dict(archive)
    facts = changes.pop("facts", facts_of(source) | {"format": 1})
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    np.savez_compressed(path, **arrays | changes)


def with_header(path: Path, source: Path, header: bytes) -> None:
    """Write a trace whose first array has this header."""
    write_trace(path, source, {})
    other = BytesIO()
    with zipfile.ZipFile(path) as read, zipfile.ZipFile(other, "w") as written:
        for name in read.namelist():
            content = read.read(name)
            written.writestr(name, header + content[len(header) :] if name == "cells.npy" else content)
    path.write_bytes(other.getvalue())


@pytest.mark.parametrize(
    "changes",
    [
        {"cells": np.array([], np.uint32)},
        {"cells": np.array([2**31], np.uint32)},
        {"cells": np.zeros((2, 2), np.uint32)},
        {"cells": np.array(["x"])},
        {"letters": np.zeros(9, np.uint8)},
        {"letters": np.zeros((0, 0), np.uint8)},
        {"expanded": np.zeros(1, np.float64)},
        {"touched": np.zeros(999, np.uint32)},
        {"risen": np.array([np.nan], np.float32), "rises": np.array([1], np.uint32)},
        {"expansions": np.array([2**32 - 1], np.uint32)},
        {"ends": np.zeros((3, 9), np.uint32)},
        {"facts": {"format": 1}},
        {"facts": []},
        {"facts": {"format": 1, "goal": "x"}},
    ],
    ids=str,
)
def test_trace_with_contradictions_is_rejected(trace: Path, changes: dict[str, Any]) -> None:
    write_trace(Path("bad.npz"), trace, dict(changes))
    assert "bad.npz is damaged or not a trace" in error_of("replay bad.npz -o page.html")


def test_trace_with_a_giant_array_is_rejected_without_reading_it(trace: Path) -> None:
    text = b"{'descr': '<u4', 'fortran_order': False, 'shape': (250000000000,), }"
    with_header(Path("giant.npz"), trace, b"\x93NUMPY\x01\x00v\x00" + text.ljust(117) + b"\n")
    assert "giant.npz is damaged or not a trace" in error_of("replay giant.npz -o page.html")


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest | {"starts": []},
        lambda manifest: manifest | {"starts": "x"},
        lambda manifest: manifest | {"starts": ["x"]},
        lambda manifest: manifest | {"settings": manifest["settings"] | {"cutoff": "x"}},
        lambda manifest: manifest | {"settings": manifest["settings"] | {"alpha": True}},
        lambda manifest: manifest | {"suite": None},
        lambda manifest: manifest | {"permove": 1},
        lambda _: {"format": 2},
    ],
)
def test_manifest_with_wrong_values_is_rejected(
    run: pm.Run, tmp_path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    folder = copy(run, tmp_path / "run")
    edit_manifest(folder / "manifest.json", change)
    assert "manifest.json is not a run's manifest or is damaged" in error_of("report", folder)


def test_manifest_of_brackets_is_rejected(run: pm.Run, tmp_path: Path) -> None:
    folder = copy(run, tmp_path / "run")
    for text in ("[" * 100_000, '{"a":' * 100_000):
        (folder / "manifest.json").write_text(text)
        assert "manifest.json is not a run's manifest or is damaged" in error_of("report", folder)


def test_chunk_that_panics_its_reader_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of older versions have no checksum, so the reader may get damaged content."""
    run = pm.run("embedded", "astar", maps=small_maps()[:1], limit=1, out=tmp_path / "run")
    (chunk,) = (run.folder / "records").glob("*.parquet")
    chunk = chunk.rename(chunk.with_name("000001.parquet"))

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with rejects(chunk, "is damaged or not from permove", "run the same `permove run` command"):
        store.read_records(run.folder)


def test_manifest_reads_back_with_its_checksum(run: pm.Run) -> None:
    path = run.folder / "manifest.json"
    assert Manifest.is_sealed(path)
    assert Manifest.read(path).to_json() == path.read_bytes()
