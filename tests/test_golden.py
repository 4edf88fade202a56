"""The records of every agent equal those of `golden.json`, as long as the version of the records is the same.

After an intended change of records, raise `RECORDS_VERSION` in `rust/core/src/batch/mod.rs`, build, and run
`.venv/bin/python tests/test_golden.py`, which writes the file.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest

import permove as pm
from permove import _core
from permove.cli import main
from permove.records.columns import CLOCK

GOLDEN = Path(__file__).with_name("golden.json")
MAPS = ["caves-128", "maze-128", "rooms-128", "outdoor-woods-192", "random-38-192"]
TREE = {"format": "permove-tree", "version": 1, "features": "2008", "n": 60, "presearch": 1, "dmax": 5}
NODES = [
    {"feature": 0, "threshold": 30.0, "left": 1, "right": 2},
    {"depth": 2},
    {"feature": 4, "threshold": 0.5, "left": 3, "right": 4},
    {"depth": 5},
    {"depth": 3},
]
SETTINGS: dict[str, dict[str, Any]] = {
    "once": {"maps": MAPS, "limit": 8, "alpha": 100},
    "large maps": {"limit": 4, "alpha": 20},
    "cutoff": {"maps": MAPS, "limit": 5, "alpha": 100, "cutoff": 20},
    "diagonal free": {"suite": "embedded@free", "maps": MAPS, "limit": 5, "alpha": 100},
    "diagonal none": {"suite": "embedded@none", "maps": MAPS, "limit": 5, "alpha": 100},
    "square(3)": {"maps": MAPS, "limit": 5, "alpha": 30, "sensor": "square(3)"},
    "cross": {"maps": MAPS, "limit": 5, "alpha": 30, "sensor": "cross"},
    "converge": {"maps": MAPS[:3], "limit": 3, "alpha": 60, "trials": "converge", "max_trials": 12},
}
SETTINGS["converge, square(3)"] = SETTINGS["converge"] | {"sensor": "square(3)"}
DATABASES: dict[str, dict[str, Any]] = {
    "databases": {"suite": "small", "alpha": 100},
    "databases, converge": {"suite": "small", "limit": 3, "alpha": 60, "trials": "converge", "max_trials": 12},
}
"""Settings of agents with pattern databases, on a map that is small enough for databases of all levels."""


LATER = ("memory_bytes", "visits_per_state", "visits_max", "unexpanded_moves")
"""Columns that were added within the version; they have their own tests."""


def samples() -> tuple[list[str], list[str]]:
    """Return the samples of all agents without pattern databases, and those with them."""
    databases = [spec for info in _core.catalogue() for spec in info.samples_with_databases]
    return [spec for info in _core.catalogue() for spec in info.samples if spec not in databases], databases


def frames(specs: list[str], settings: dict[str, dict[str, Any]]) -> Iterator[pl.DataFrame]:
    """Yield the records and trials of agents with each of these settings, except for columns of the machine."""
    for name, options in settings.items():
        run = pm.run(**{"suite": "embedded", **options}, agents=specs, seed=7, out=name, progress=False)
        yield run.records.drop(*CLOCK, *LATER, "label", "reason", "host", "cpu", "replica")
        yield run.trials.drop("label", "time_ns", "replica")


def hashes() -> dict[str, str]:
    """Run all agents in the current folder and return a hash of the records of each."""
    Path("golden.tree").write_text(json.dumps(TREE | {"nodes": NODES}))
    Path("small").mkdir()
    assert main(["maps", "generate", "caves", "--size", "24", "--seed", "3", "-n", "10", "-o", "small/small.map"]) == 0
    plain, databases = samples()
    found = [*frames([*plain, "lrta(d=dt, tree=golden.tree)"], SETTINGS), *frames(databases, DATABASES)]
    agents = sorted({agent for frame in found for agent in frame["agent"]})
    rows = {agent: [frame.filter(pl.col("agent") == agent).rows() for frame in found] for agent in agents}
    return {agent: hashlib.blake2b(repr(rows[agent]).encode(), digest_size=16).hexdigest() for agent in agents}


def test_records_change_only_with_their_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    golden = json.loads(GOLDEN.read_text())
    assert golden["version"] == _core.RECORDS_VERSION, "update golden.json as described in this file"
    monkeypatch.setenv("PERMOVE_DATA", str(tmp_path / "data"))
    found = hashes()
    assert found.keys() == golden["agents"].keys()
    changed = [agent for agent in found if found[agent] != golden["agents"][agent]]
    assert not changed, f"the records of {' and '.join(changed)} have changed"


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["PERMOVE_DATA"] = str(Path(folder) / "data")
        content = {"version": _core.RECORDS_VERSION, "agents": hashes()}
        GOLDEN.write_text(json.dumps(content, indent=1) + "\n")
