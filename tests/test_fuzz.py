"""Fuzz targets for the files and messages that Python reads; the core has its own in `rust/core/tests/fuzz.rs`.

Each target reads changed copies of intact files. It must return something valid or raise an `InputError`.
As tests, the inputs are few and always the same. With `PERMOVE_FUZZ_SECONDS`, as in `make fuzz`, each target takes that
time, with another seed each time.
"""

import json
import os
import random
import time
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import permove as pm
from data_files import ROOM, ROOM_SCEN, map_text
from permove import _core, pdb
from permove.agents.specs import expand_all
from permove.common.errors import InputError
from permove.common.text import printable
from permove.data import archive, movingai
from permove.pdb.files import Key
from permove.plugins import describe
from permove.records import traces
from permove.runs import store
from support import small_maps

INPUTS = 400
TEXTS = [b"0", b"-1", b"4294967296", b"18446744073709551616", b"1e999", b"NaN", b"null", b"true", b"[]", b"{}", b'"x"']
SECONDS = os.environ.get("PERMOVE_FUZZ_SECONDS")


def change(content: bytes, numbers: random.Random) -> bytes:
    """Change some bytes."""
    for _ in range(numbers.randint(1, 3)):
        start, end = sorted(numbers.choices(range(len(content) + 1), k=2))
        short = min(end, start + 8)
        match numbers.randrange(6):
            case 0:
                content = content[:start] + numbers.randbytes(short - start) + content[short:]
            case 1:
                content = content[:start] + content[short:]
            case 2:
                content = content[:start]
            case 3:
                content = content[:end] + content[start:short] + content[end:]
            case 4:
                content = content[:start] + numbers.choice(TEXTS) + content[short:]
            case _ if start < len(content):
                content = content[:start] + bytes([content[start] ^ 1 << numbers.randrange(8)]) + content[start + 1 :]
    return content


def fuzz(intact: bytes, read: Callable[[bytes], object], *, accepts: bool = True, inputs: int = INPUTS) -> int:
    """Check that a reader returns or raises an `InputError` for changed copies; return how often it returned.

    `accepts` says whether changed content may be valid.
    """
    seed = random.randrange(2**32) if SECONDS else 0
    numbers, begin, count, accepted = random.Random(seed), time.monotonic(), 0, 0
    while time.monotonic() - begin < float(SECONDS) if SECONDS else count < inputs:
        content, count = change(intact, numbers), count + 1
        try:
            read(content)
        except InputError:
            continue
        except BaseException:
            Path("finding").write_bytes(content)
            print(f"the input {Path('finding').absolute()} failed, with seed {seed}")
            raise
        assert accepts or content == intact, f"changed content was accepted, with seed {seed}"
        accepted += 1
    print(f"{count:,} inputs in {time.monotonic() - begin:.1f} s, no finding")
    return accepted


def from_file(path: Path, read: Callable[[], object]) -> Callable[[bytes], object]:
    """Return a function that reads content from a file."""

    def written(content: bytes) -> object:
        path.write_bytes(content)
        return read()

    return written


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "run"
    return pm.run("embedded", "lrta(d=1)", maps=small_maps()[:1], limit=3, trials="converge", out=folder).folder


def chunk_of(run: Path, kind: str) -> tuple[Path, bytes]:
    (path,) = (run / kind).glob("*.parquet")
    return path, path.read_bytes()


@pytest.mark.parametrize("kind", [store.RECORDS, store.TRIALS_FOLDER])
def test_damaged_chunks(run: Path, kind: str) -> None:
    path, intact = chunk_of(run, kind)
    read = store.read_records if kind == store.RECORDS else store.read_trials
    fuzz(intact, from_file(path, lambda: read(run)), accepts=False)
    path.write_bytes(intact)


def test_damaged_chunks_of_older_versions(run: Path, tmp_path: Path) -> None:
    """Without a checksum the parser gets the damaged content: it may be wrong, but must not crash."""
    _, intact = chunk_of(run, store.RECORDS)
    (tmp_path / store.RECORDS).mkdir()
    path = tmp_path / store.RECORDS / "000001.parquet"
    fuzz(intact, from_file(path, lambda: store.read_records(tmp_path)), inputs=INPUTS // 4)


def test_damaged_manifests(run: Path) -> None:
    path = run / store.MANIFEST
    intact = path.read_bytes()
    fuzz(intact, from_file(path, lambda: store.read_manifest(run)), accepts=False)
    path.write_bytes(intact)


def test_manifests_with_other_content(run: Path) -> None:
    """With a new checksum, so that the content is read."""
    path = run / store.MANIFEST
    intact = path.read_bytes()

    def sealed(content: bytes) -> object:
        text = content.decode(errors="replace")
        path.write_text(_core.seal_json(text) if text.rstrip().endswith("}") else text)
        manifest = store.read_manifest(run)
        return manifest.to_json(), manifest.differences(manifest), manifest.processors

    plain = json.loads(intact)
    del plain["checksum"]
    assert fuzz(json.dumps(plain).encode(), sealed) > 0
    path.write_bytes(intact)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("trace")
    (folder / "room.map").write_bytes(map_text([*ROOM] * 3))
    pm.solve(folder / "room.map", (0, 0), (4, 11), "rtaa(k=5)", sensor="square(1)").save_trace(folder / "trace.npz")
    return (folder / "trace.npz").read_bytes()


def test_damaged_traces(trace: bytes, tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    fuzz(trace, from_file(path, lambda: traces.read(path)), accepts=False)


def test_traces_with_other_content(trace: bytes, tmp_path: Path) -> None:
    """Traces of older versions, which have no checksum, with one changed array."""
    path, numbers = tmp_path / "trace.npz", random.Random(1)
    with zipfile.ZipFile(BytesIO(trace)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    parts["facts.npy"] = npy(json.dumps(json.loads(np.load(BytesIO(trace))["facts"].tobytes()) | {"format": 1}))

    def rewritten(content: bytes) -> object:
        with zipfile.ZipFile(path, "w") as archive:
            for name, part in (parts | {numbers.choice(list(parts)): content}).items():
                archive.writestr(name, part)
        return traces.read(path)

    for name in ("facts.npy", "cells.npy", "ends.npy"):
        fuzz(parts[name], rewritten, inputs=INPUTS // 4)


def npy(text: str) -> bytes:
    content = BytesIO()
    np.save(content, np.frombuffer(text.encode(), np.uint8))
    return content.getvalue()


def test_damaged_trees(tmp_path: Path) -> None:
    path = tmp_path / "dt.tree"
    nodes: list[dict[str, Any]] = [{"feature": 0, "threshold": 1.5, "left": 1, "right": 2}, {"depth": 1}, {"depth": 4}]
    facts = {"format": "permove-tree", "version": 2, "features": "2008", "n": 60, "presearch": 1, "dmax": 9}
    intact = _core.seal_json(json.dumps(facts | {"nodes": nodes})).encode()
    fuzz(intact, from_file(path, lambda: _core.DecisionTree.read(str(path))), accepts=False)


def test_damaged_databases(tmp_path: Path) -> None:
    grid = _core.generate_map("caves", 24, 24, 1, {}).grid("land", "strict")
    path, part = tmp_path / "subgoals.pdb", tmp_path / "part"
    build = _core.DatabaseBuild(grid, str(path), ("subgoals", 0, 1, "free", "diagonal"), 1)
    while not build.wait(1.0):
        pass
    assert Key("subgoals", 0, 1, "free", "diagonal") == pdb.key_of(pdb.open_(path, grid))
    fuzz(path.read_bytes(), from_file(part, lambda: pdb.open_(part, grid)), accepts=False)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_archives(method: int, tmp_path: Path) -> None:
    path, content = tmp_path / "demo-map.zip", BytesIO()
    with zipfile.ZipFile(content, "w", method) as written:
        for number in range(3):
            written.writestr(f"maps/{number}.map", map_text([*ROOM] * (number + 1)))
        written.writestr("room.map.scen", ROOM_SCEN)
    fuzz(content.getvalue(), from_file(path, lambda: archive.check(path)), inputs=INPUTS // 2)


def test_damaged_index_of_a_set(data_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "demo-map.zip"
    with zipfile.ZipFile(path, "w") as written:
        written.writestr("room.map", map_text())
        written.writestr("room.map.scen", ROOM_SCEN)
    (index,) = movingai.import_sets([path])
    folder = data_home / "movingai" / "demo"
    file = folder / movingai.INDEX
    intact = file.read_bytes()
    fuzz(intact, from_file(file, lambda: movingai.read_index("demo")), inputs=INPUTS // 2)
    problems = folder / "problems-strict.parquet"
    fuzz(problems.read_bytes(), from_file(problems, lambda: movingai.problems_of(index)), inputs=INPUTS // 4)


def test_texts_of_specs() -> None:
    texts = [
        b"lrta(d=1..3)",
        b"rtaa(k={10,33}, ties=ne)",
        b"prlrts(control=8, d=4..6)",
        b"lrta_gb",
        b"wastar(gamma=1/15)",
    ]
    for text in texts:
        fuzz(text, lambda content: expand_all([content.decode(errors="replace")]), inputs=INPUTS // 4)


def test_descriptions_of_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    parameter = {"name": "k", "about": "a", "kind": "int", "fallback": 3, "minimum": 1, "maximum": 9}
    facts = {"identity": "mine#01234567", "title": "Mine", "about": "", "paper": "", "complete": True, "learns": True}
    text = json.dumps(facts | {"own": [parameter | {"words": [], "is_open": False}]})

    def described(content: bytes) -> None:
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            return
        monkeypatch.setattr(describe, "_answer", lambda _: answer)
        describe._described.cache_clear()
        plugin = describe._described("mine", None)
        _, label = plugin.canonical({})
        assert label == printable(label)

    assert fuzz(text.encode(), described) > 0
