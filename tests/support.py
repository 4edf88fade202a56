"""Helpers of several test files: the command line, records made by hand, and checks that many tests share."""

import contextlib
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from rich.console import Console, RenderableType

import permove as pm
from permove import _core, data
from permove.cli import main
from permove.common.errors import InputError
from permove.records.columns import CLOCK, SCHEMA

T = TypeVar("T")
TIMEOUT = 300.0
"""Seconds after which a test that waits fails: a step of seconds may take minutes on a busy machine."""


def small_maps() -> list[str]:
    """Maps of the embedded suite on which every agent is quick."""
    return [name for name in data.load("embedded").maps if name.endswith(("rooms-128", "outdoor-woods-192"))]


def records(*rows: dict[str, Any]) -> pl.DataFrame:
    """Records with the given values; by default, a problem is solved at once by a shortest path."""
    plain: dict[str, Any] = {
        "agent": "lrta(d=1)",
        "label": "LRTA*(1)",
        "set": "made",
        "map": "up",
        "problem": 0,
        "replica": 0,
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
    frame = pl.DataFrame([dict.fromkeys(SCHEMA) | plain | row for row in rows], schema=SCHEMA, infer_schema_length=None)
    moves = pl.when(pl.col("moves") > 0).then(pl.col("moves"))
    return frame.with_columns(
        expanded_per_move=pl.col("expanded") / moves,
        touched_per_move=pl.col("touched") / moves,
        time_per_move_ns=pl.col("time_ns") / moves,
    )


def assert_same_records(one: pm.Run, other: pm.Run) -> None:
    """Compare the records and trials of two runs, except for their times."""
    assert_frame_equal(one.records.drop(CLOCK), other.records.drop(CLOCK))
    assert_frame_equal(one.trials.drop(CLOCK, strict=False), other.trials.drop(CLOCK, strict=False))


def words_of(line: str, *words: object) -> list[str]:
    """Split a command line as a shell does, and append words as they are."""
    return [*shlex.split(line), *map(str, words)]


def invoke(line: str, *words: object, code: int | None = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of `permove` in this process, since starting another one takes longer than most commands.

    The exit code has to be `code`, unless that is `None`.
    """
    arguments = words_of(line, *words)
    out, errors = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["permove", *arguments])
        for name, value in {"COLUMNS": "80", **environment}.items():
            patch.setenv(name, value)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            found = main(arguments)
    assert code in (None, found), errors.getvalue()
    return subprocess.CompletedProcess(arguments, found, out.getvalue(), errors.getvalue())


def json_of(line: str, *words: object) -> Any:
    """Return the content that a command prints as JSON."""
    return json.loads(invoke(line, *words, "--format", "json").stdout, parse_constant=pytest.fail)


def error_of(line: str, *words: object) -> str:
    """Return the one line that a command prints if its input is bad; the command changes no file."""
    before, runs = contents(Path()), set(Path("runs").glob("*"))
    result = invoke(line, *words, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("permove: ")
    assert result.stderr.count("\n") == 1
    assert contents(Path()) == before
    assert set(Path("runs").glob("*")) == runs
    return result.stderr


@contextlib.contextmanager
def rejects(*words: object, start: str = "", end: str = "") -> Iterator[None]:
    """Expect an `InputError` of one line that contains these words."""
    with pytest.raises(InputError) as caught:
        yield
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(start)
    assert message.endswith(end)
    assert [word for word in map(str, words) if word not in message] == [], message


def permove(line: str, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of `permove` in another process, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "permove", *words_of(line, *words)],
        env={**os.environ, "COLUMNS": "80", **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def start(line: str, *words: object, **further: object) -> "subprocess.Popen[str]":
    """Start a command of `permove` in another process."""
    return subprocess.Popen(
        [sys.executable, "-m", "permove", *words_of(line, *words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        **further,  # type: ignore[call-overload]
    )


def interrupt(process: "subprocess.Popen[str]", number: int = signal.SIGINT) -> str:
    """Send a signal to a command and return its error output; the exit code is that of an interrupted command."""
    process.send_signal(number)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, errors
    return errors


def shown_on_terminal(line: str, *words: object) -> str:
    """Return the progress that a command shows on a terminal, which its error stream is."""
    own, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "permove", *words_of(line, *words)],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        stdout=subprocess.DEVNULL,
        stderr=other,
    )
    os.close(other)
    shown = b""
    with contextlib.suppress(OSError):  # reading fails when the other end is closed
        while piece := os.read(own, 4096):
            shown += piece
    os.close(own)
    assert process.wait(timeout=TIMEOUT) == 0
    return shown.decode()


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file under a folder, hidden ones too, to compare the folder before and after."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def edit_manifest(path: Path, edit: Callable[[dict[str, Any]], dict[str, Any]], *, sealed: bool = True) -> None:
    """Change the manifest of a run, and its checksum or, as in older versions, remove it."""
    manifest = json.loads(path.read_text())
    del manifest["checksum"]
    text = json.dumps(edit(manifest))
    path.write_text(_core.seal_json(text) if sealed else text)


def replace_chunk(chunk: Path, frame: pl.DataFrame) -> None:
    """Replace a chunk of a run by another one without a checksum, as in older versions."""
    chunk.unlink()
    frame.write_parquet(chunk.with_name(f"{chunk.name.partition('-')[0]}.parquet"))


def printed(content: RenderableType, width: int = 80) -> str:
    """Return the text that a console without colours prints."""
    page = StringIO()
    Console(file=page, width=width, color_system=None, highlight=False).print(content)
    return page.getvalue()


def widest(text: str) -> int:
    """Return the length of the longest line."""
    return max(map(len, text.splitlines()))


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Let every file that is written completely fail as on a full disk."""

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", full)
        yield


def wait_for(condition: Callable[[], T], process: "subprocess.Popen[str] | None" = None) -> T:
    """Return the first true value of a condition; the process that makes it true must not end before."""
    end = time.monotonic() + TIMEOUT
    while not (found := condition()):
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


def build(folder: Path, *command: str) -> None:
    """Run a compiler in a folder; it must print no warning."""
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "warning" not in result.stderr


def seconds(call: Callable[[], object]) -> float:
    """Return the processor time that a call takes."""
    begin = time.process_time()
    call()
    return time.process_time() - begin
