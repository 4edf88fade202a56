"""Traces: one trial move by move, in a self-contained file.

A trace is a numpy archive (`.npz`): `facts` is JSON with the agent, the problem and the outcome of the trial, and the
other arrays are the fields of `Trace`. Cells are numbered row by row from the top left: `y * width + x`. The comment of
the archive is a checksum of everything before it.

A run stores its traces in the folder `traces`, one file per record, named after the identity of the record.
"""

import hashlib
import json
import lzma
import math
import re
import struct
import tokenize
import zipfile
import zlib
from dataclasses import asdict, dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.common.terminal import note
from permove.common.typed_json import typed

FORMAT = 2
"""The version of the file format."""

UNSEALED_FORMAT = 1
"""The last version without a checksum."""

CHECKSUM_DIGITS = 16

SUFFIX = ".npz"

FOLDER = "traces"
"""The folder of the traces within a run folder."""

MAX_EVENTS = 10_000_000
"""The maximum number of moves and expansions of a traced trial: more is too much for a browser to play."""

MAX_BYTES = 2**30
"""The maximum size of an array: of a map of 8192 × 8192 cells, and of all events of a trial."""

MAX_TRACES = 1000
"""The maximum number of records of a run with traces."""

_SQUARE = re.compile(r"square\((\d+)\)")


@dataclass(frozen=True)
class Facts:
    """The agent, the problem and the outcome of a traced trial."""

    agent: str
    label: str
    set: str
    map: str
    grid: str
    """A hash of the map's cells and its diagonal rule."""
    problem: int
    goal: tuple[int, int]
    """x and y, counted from the top left."""
    optimal: float
    sensor: str
    diagonal: str
    status: str
    reason: str | None


@dataclass(frozen=True, eq=False)
class Trace:
    """A trial, move by move."""

    facts: Facts
    letters: NDArray[np.uint8]
    """The map, height × width; `.` and `@` if the original letters are not available."""
    cells: NDArray[np.uint32]
    """The start, then the cell after each move."""
    expanded: NDArray[np.uint32]
    """States expanded for each move, including abstract ones, and for a final move that was not made."""
    touched: NDArray[np.uint32]
    expansions: NDArray[np.uint32]
    """All expanded cells, in order."""
    rises: NDArray[np.uint32]
    """All cells whose heuristic changed, in order."""
    risen: NDArray[np.float32]
    """The new heuristic of each of `rises`, minus the initial one, in cells; infinite if the cell was removed."""
    discovered: NDArray[np.uint32]
    """All cells that were discovered to be blocked, in order."""
    ends: NDArray[np.uint32]
    """The number of expansions, rises and discoveries when the agent was on each of `cells`.

    If the agent did not arrive, a final row includes the move that was not made.
    """

    @property
    def moves(self) -> int:
        """The number of moves."""
        return len(self.cells) - 1

    def xy(self, cells: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return rows of x and y for numbered cells."""
        rows, columns = np.divmod(cells, np.uint32(self.letters.shape[1]))
        return np.stack([columns, rows], axis=1)

    def is_same_problem(self, other: "Trace") -> bool:
        """Return whether the other trial has the same map, start and goal."""
        return bool(
            (self.facts.grid, self.facts.goal, self.cells[0]) == (other.facts.grid, other.facts.goal, other.cells[0])
        )


def facts_of(grid: _core.Grid, goal: tuple[int, int], sensor: str, record: pl.DataFrame) -> Facts:
    """Return the facts of the trial with a given record."""
    row = record.row(0, named=True)
    known = {field.name: row[field.name] for field in fields(Facts) if field.name in row}
    return Facts(**known | {"goal": goal, "grid": grid.fingerprint, "sensor": sensor, "diagonal": grid.diagonal})


def trace_of(raw: _core.Trace, facts: Facts, letters: NDArray[np.uint8]) -> Trace:
    """Convert a trace of the core, or raise an error if it is too long."""
    width = letters.shape[1]
    risen_at, risen = raw.rises
    trace = Trace(
        facts,
        letters,
        cells=_numbers(raw.cells, width),
        expanded=raw.expanded.astype(np.uint32),
        touched=raw.touched.astype(np.uint32),
        expansions=_numbers(raw.expansions, width),
        rises=_numbers(risen_at, width),
        risen=risen.astype(np.float32),
        discovered=_numbers(raw.discovered, width),
        ends=raw.ends.astype(np.uint32),
    )
    events = trace.moves + len(trace.expansions)
    if events > MAX_EVENTS:
        raise InputError(
            f"the trace of {facts.label} on {facts.map} has {events:,} moves and expansions, but the maximum is "
            f"{MAX_EVENTS:,}; trace a shorter trial, for example with --alpha"
        )
    return trace


def seen(trace: _core.Trace, sensor: str, shape: tuple[int, int]) -> NDArray[np.bool_] | None:
    """Return a mask of the cells that the agent had seen at the end, or `None` if it knew the map from the start."""
    if sensor == "all":
        return None
    height, width = shape
    mask = np.zeros(shape, bool)
    mask[trace.cells[:, 1], trace.cells[:, 0]] = True
    if square := _SQUARE.fullmatch(sensor):
        radius = min(int(square[1]), max(shape))
        # Grow each cell into a square: first along the rows, then along the columns.
        for axis, length in ((1, width), (0, height)):
            sums = np.insert(np.cumsum(mask, axis=axis, dtype=np.int64), 0, 0, axis=axis)
            places = np.arange(length)
            last, first = np.minimum(places + radius + 1, length), np.maximum(places - radius, 0)
            mask = np.take(sums, last, axis) > np.take(sums, first, axis)
    else:
        around = np.pad(mask, 1)
        mask = around[1:-1, 1:-1] | around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2] | around[1:-1, 2:]
    mask[trace.discovered[:, 1], trace.discovered[:, 0]] = True
    return mask


def write(trace: Trace, path: Path) -> None:
    """Write a trace to a file."""
    content = BytesIO()
    facts = json.dumps({"format": FORMAT, **asdict(trace.facts)}, ensure_ascii=False).encode()
    arrays = {name: getattr(trace, name) for name in _ARRAYS}
    np.savez_compressed(content, facts=np.frombuffer(facts, np.uint8), **arrays)
    with zipfile.ZipFile(content, "a") as archive:
        archive.comment = bytes(CHECKSUM_DIGITS)  # to be replaced: the length of the comment is part of the content
    sealed = content.getvalue()[:-CHECKSUM_DIGITS]
    write_atomic(path, sealed + _core.checksum(sealed).encode())


def read(path: Path) -> Trace:
    """Read a trace from a file."""
    content = path.read_bytes()
    is_sealed = _core.checksum(content[:-CHECKSUM_DIGITS]).encode() == content[-CHECKSUM_DIGITS:]
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            facts: dict[str, Any] = json.loads(_array(archive, "facts", "uint8", 1).tobytes())
            if (found := facts.pop("format")) not in (UNSEALED_FORMAT, FORMAT):
                raise InputError(f"{path} has trace format {found}, expected {FORMAT}; record the trace again")
            if is_sealed != (found == FORMAT):
                raise InputError(f"{path} is damaged: its content does not match its checksum; record the trace again")
            arrays = {name: _array(archive, name, dtype, dimensions) for name, (dtype, dimensions) in _ARRAYS.items()}
            trace = Trace(typed(Facts, facts), **arrays)
            _check(trace)
    except InputError:
        raise
    except _FAULTS as error:
        raise InputError(
            f"{path} is damaged or not a trace; `permove solve ... --trace FILE` records a trace"
        ) from error
    if not is_sealed:
        note(f"{path} has no checksum, since an older version of permove wrote it; damage to it may go unnoticed")
    return trace


def _array(archive: zipfile.ZipFile, name: str, dtype: str, dimensions: int) -> NDArray[Any]:
    """Return an array of an archive, whose size is checked before it is read."""
    if archive.getinfo(f"{name}.npy").file_size > MAX_BYTES:
        raise ValueError(f"{name} is too large")
    content = BytesIO(archive.read(f"{name}.npy"))
    if np.lib.format.read_magic(content) != (1, 0):
        raise ValueError(f"{name} has an unknown format")
    shape, is_fortran, found = np.lib.format.read_array_header_1_0(content)
    data = content.read()
    if found != dtype or len(shape) != dimensions or math.prod(shape) * found.itemsize != len(data):
        raise ValueError(f"{name} has another type or size")
    values = np.frombuffer(data, found)
    return values.reshape(shape[::-1]).T if is_fortran else values.reshape(shape)


def _check(trace: Trace) -> None:
    """Raise a `ValueError` if the parts of a trace contradict each other."""
    height, width = trace.letters.shape
    goal_x, goal_y = trace.facts.goal
    counts = [len(trace.expansions), len(trace.rises), len(trace.discovered)]
    places = [trace.cells, trace.expansions, trace.rises, trace.discovered]
    ends = np.vstack([np.zeros((1, 3), np.uint32), trace.ends, np.array([counts], np.uint32)]).astype(np.int64)
    checks = {
        "there is no start": trace.moves >= 0,
        "there are too many events": trace.moves + len(trace.expansions) <= MAX_EVENTS,
        "the goal is outside the map": 0 <= goal_x < width and 0 <= goal_y < height,
        "a cell is outside the map": all((cells < height * width).all() for cells in places),
        "a cell has no effort": len(trace.expanded) == len(trace.touched) == len(trace.ends) - 1,
        "a move has no effort": 0 <= len(trace.expanded) - trace.moves <= 1,
        "a rise has no value": len(trace.rises) == len(trace.risen) and not np.isnan(trace.risen).any(),
        "an event belongs to no move": ends.shape[1] == 3 and (np.diff(ends, axis=0) >= 0).all(),
        "the optimum is no number": math.isfinite(trace.facts.optimal),
    }
    for fault, passed in checks.items():
        if not passed:
            raise ValueError(fault)


def name_of(agent: str, set: str, map: str, problem: int) -> str:
    """Return the name of the trace file of a record."""
    digest = hashlib.blake2b(json.dumps([agent, set, map, problem]).encode(), digest_size=6).hexdigest()
    name = re.sub(r"[^\w.@-]+", "-", f"{agent.partition('(')[0]}-{map}-{problem}").strip("-.")
    return f"{name}-{digest}{SUFFIX}"


def _numbers(cells: NDArray[np.uint32], width: int) -> NDArray[np.uint32]:
    """Return the numbers of cells given as rows of x and y."""
    return (cells[:, 1] * np.uint32(width) + cells[:, 0]).astype(np.uint32)


_ARRAYS = {
    "letters": ("uint8", 2),
    "cells": ("uint32", 1),
    "expanded": ("uint32", 1),
    "touched": ("uint32", 1),
    "expansions": ("uint32", 1),
    "rises": ("uint32", 1),
    "risen": ("float32", 1),
    "discovered": ("uint32", 1),
    "ends": ("uint32", 2),
}
"""The type and the number of dimensions of each array."""

_FAULTS = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    RecursionError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    OverflowError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,
    zlib.error,
    lzma.LZMAError,
    OSError,
    zipfile.BadZipFile,
)
"""What the readers of archives, arrays and JSON raise for damaged content."""
