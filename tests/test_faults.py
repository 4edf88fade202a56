"""Failures at every write of a run: each is one error, and the same run then resumes to the same records."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove.common.errors import InputError
from permove.records.columns import IDENTITY
from permove.runs import store
from permove.runs.manifest import Manifest
from support import contents, small_maps

OPENING: list[tuple[Any, str]] = [(os, "open"), (os, "fdopen"), (tempfile, "mkstemp")]
CHANGING: list[tuple[Any, str]] = [
    (os, "fsync"),
    (os, "ftruncate"),
    (os, "write"),
    (Path, "chmod"),
    (Path, "mkdir"),
    (Path, "replace"),
    (Path, "rename"),
    (Path, "unlink"),
    (Path, "rmdir"),
]
"""The functions through which the store changes files."""


class Killed(BaseException):
    """Stands for the end of the process."""


@dataclass(frozen=True)
class Content:
    """A run to convergence, and its records and trials in two chunks."""

    manifest: Manifest
    records: pl.DataFrame
    trials: pl.DataFrame

    def store(self, folder: Path, problems: int = 2) -> None:
        """Add the missing records to a folder, as a run does."""
        with store.Writer(folder, self.manifest) as writer:
            known = writer.identities()
            for problem in self.records["problem"].unique().sort()[:problems]:
                records = self.records.filter(pl.col("problem") == problem).join(known, on=IDENTITY, how="anti")
                if not records.is_empty():
                    writer.write(records, self.trials.filter(pl.col("problem") == problem))


@contextmanager
def failing(number: int, *, killed: bool) -> Iterator[list[str]]:
    """Let the n-th write fail, or end the process: then nothing changes any more. Yield the names of the writes."""
    made: list[str] = []

    def counted(name: str, original: Callable[..., Any], *, opens: bool) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            made.append(name)
            if len(made) == number and not killed:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            if len(made) == number or (len(made) > number and killed and opens):
                raise Killed
            is_ignored = (len(made) > number and killed) or name == "fsync"  # which takes long on a busy disk
            return None if is_ignored else original(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for opens, functions in ((True, OPENING), (False, CHANGING)):
            for place, name in functions:
                patch.setattr(place, name, counted(name, getattr(place, name), opens=opens))
        yield made


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    out = tmp_path_factory.mktemp("complete") / "run"
    run = pm.run("embedded", "lrta(d=1)", maps=small_maps()[:1], limit=2, trials="converge", max_trials=2, out=out)
    return Content(run.manifest, store.read_records(out), store.read_trials(out))


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("resumes", [False, True])
def test_run_resumes_after_a_failure_at_any_write(
    content: Content, tmp_path: Path, killed: bool, resumes: bool
) -> None:
    number, made = 0, [""]
    while len(made) >= number:
        number += 1
        folder = tmp_path / f"{number}"
        if resumes:
            content.store(folder, problems=1)
        with failing(number, killed=killed) as made, suppress(Killed, InputError):
            content.store(folder)
        if (folder / store.MANIFEST).exists():
            assert store.read_records(folder).height in (0, 1, 2)
        content.store(folder)
        assert_frame_equal(store.read_records(folder), content.records)
        assert_frame_equal(store.read_trials(folder), content.trials)
        assert [name for name in contents(folder) if name.endswith(".tmp")] == []
    assert number > 15
