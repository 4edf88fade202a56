"""What several test files need: records made by hand, and the command line as users start it."""

import contextlib
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
import pytest

from permove import data
from permove.cli import main
from permove.records.columns import SCHEMA

T = TypeVar("T")
PATIENCE = 300.0
"""Seconds that a test waits for what has to happen: what takes seconds alone may take minutes on a busy machine."""


def small_maps() -> list[str]:
    """Maps of the embedded suite on which every agent is quick."""
    return [name for name in data.load("embedded").maps if name.endswith(("rooms-128", "outdoor-woods-192"))]


def records(*rows: dict[str, Any]) -> pl.DataFrame:
    """Records with the columns given; the others say that the problem was solved at once by a shortest path."""
    plain: dict[str, Any] = {
        "agent": "lrta(d=1)",
        "label": "LRTA*(1)",
        "set": "made",
        "map": "up",
        "problem": 0,
        "bucket": 0,
        "optimal": 10.0,
        "status": "solved",
        "cost": 10.0,
        "suboptimality": 1.0,
        "moves": 10,
        "trials": 1,
        "expanded": 10,
        "expanded_max": 1,
        "expanded_max_move": 1,
        "touched": 80,
        "touched_max": 8,
        "time_ns": 1000,
        "sensor": "all",
        "seed": 0,
        "host": "here",
        "cpu": "fast",
        "reason": None,
    }
    frame = pl.DataFrame(
        [plain | row for row in rows], schema={name: SCHEMA[name] for name in plain}, infer_schema_length=None
    )
    missing = [pl.lit(None, dtype).alias(name) for name, dtype in SCHEMA.items() if name not in plain]
    moves = pl.when(pl.col("moves") > 0).then(pl.col("moves"))
    return (
        frame.with_columns(missing)
        .with_columns((pl.col(name) / moves).alias(f"{name}_per_move") for name in ("expanded", "touched"))
        .with_columns(time_per_move_ns=pl.col("time_ns") / moves)
        .select(SCHEMA.names())
    )


def permove(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, in a folder of its own, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "permove", *arguments],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "80", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def start(*arguments: str, **further: object) -> "subprocess.Popen[str]":
    """The command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "permove", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        **further,  # type: ignore[call-overload]
    )


def called(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What `permove` gives, in this process: to start one takes longer than most commands do."""
    out, errors = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["permove", *arguments])
        for name, value in {"COLUMNS": "80", **environment}.items():
            patch.setenv(name, value)
        with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main(list(arguments))
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), errors.getvalue())


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, to see that it was left alone."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def shown_on_terminal(*arguments: str, cwd: Path | None = None) -> str:
    """What the command line shows on a terminal of its own while it works, on the error stream."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "permove", *arguments],
        cwd=cwd,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # a terminal that nobody writes to any more ends in an error
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    assert process.wait(timeout=PATIENCE) == 0
    return shown.decode()


def wait_for(condition: Callable[[], T], process: "subprocess.Popen[str] | None" = None) -> T:
    """Return the first true value of a condition; the process that brings it about must not end before."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


def seconds(deed: Callable[[], object]) -> float:
    """Return the processor time that a call takes."""
    begin = time.process_time()
    deed()
    return time.process_time() - begin
