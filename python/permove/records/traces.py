"""Traces: one trial move by move, in a file that needs nothing beside itself.

A trace is an archive of numpy's, `.npz`: `facts` has JSON with the agent, the problem and how the trial ended, and each
of the other arrays is one of `Trace`. Cells go by number, row by row from the top left: `y * width + x`.

A run keeps its traces in the folder `traces`, a file for each record, named after what tells records apart.
"""

import hashlib
import json
import re
import zipfile
from dataclasses import asdict, dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.common.errors import InputError
from permove.common.files import write_whole

FORMAT = 1
"""The version of the layout of a trace."""

SUFFIX = ".npz"

FOLDER = "traces"
"""Where a run keeps them, within its folder."""

MOST_EVENTS = 10_000_000
"""Walks with more moves and expansions than this are not traced: nobody watches them, and few browsers would."""

MOST_TRACES = 1000
"""A run with more records than this keeps no traces."""

_SQUARE = re.compile(r"square\((\d+)\)")


@dataclass(frozen=True)
class Facts:
    """What a trace is of, and how it ended."""

    agent: str
    label: str
    set: str
    map: str
    grid: str
    """A hash of the map's cells and its diagonal rule."""
    problem: int
    goal: tuple[int, int]
    """x and y, from the top left."""
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
    """The map, height × width; where the map's own letters are not at hand, `.` and `@`."""
    cells: NDArray[np.uint32]
    """The start, then where each move led."""
    expanded: NDArray[np.uint32]
    """States expanded before each move, abstract ones included; last for a move that was not made."""
    touched: NDArray[np.uint32]
    expansions: NDArray[np.uint32]
    """Every cell that was expanded, in order."""
    rises: NDArray[np.uint32]
    """Every cell whose heuristic changed, in order."""
    risen: NDArray[np.float32]
    """How far above its initial value that heuristic was then, in cells; infinite where the cell is gone for good."""
    discovered: NDArray[np.uint32]
    """Every cell that was found to be blocked, in order."""
    ends: NDArray[np.uint32]
    """How many expansions, rises and discoveries there were by the time the agent stood on each of `cells`.

    There is one row more where the agent did not arrive: with the move that was not made.
    """

    @property
    def moves(self) -> int:
        """How many moves were made."""
        return len(self.cells) - 1

    def xy(self, cells: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Rows of x and y."""
        rows, columns = np.divmod(cells, np.uint32(self.letters.shape[1]))
        return np.stack([columns, rows], axis=1)

    def is_same_problem(self, other: "Trace") -> bool:
        """Whether the other trial has the same map, start and goal."""
        ours, theirs = self.facts, other.facts
        return bool((ours.grid, ours.goal, self.cells[0]) == (theirs.grid, theirs.goal, other.cells[0]))


def facts_of(grid: _core.Grid, goal: tuple[int, int], sensor: str, record: pl.DataFrame) -> Facts:
    """What a trial is of that has this record."""
    row = record.row(0, named=True)
    known = {field.name: row[field.name] for field in fields(Facts) if field.name in row}
    return Facts(**known | {"goal": goal, "grid": grid.fingerprint, "sensor": sensor, "diagonal": grid.diagonal})


def trace_of(walked: _core.Trace, facts: Facts, letters: NDArray[np.uint8]) -> Trace:
    """What the core has traced, unless that is too much."""
    width = letters.shape[1]
    risen_at, risen = walked.rises
    trace = Trace(
        facts,
        letters,
        cells=_numbers(walked.cells, width),
        expanded=walked.expanded.astype(np.uint32),
        touched=walked.touched.astype(np.uint32),
        expansions=_numbers(walked.expansions, width),
        rises=_numbers(risen_at, width),
        risen=risen.astype(np.float32),
        discovered=_numbers(walked.discovered, width),
        ends=walked.ends.astype(np.uint32),
    )
    events = trace.moves + len(trace.expansions)
    if events > MOST_EVENTS:
        raise InputError(
            f"a trace of {facts.label} on {facts.map} would have {events:,} moves and expansions, more than "
            f"{MOST_EVENTS:,}; trace a shorter walk, for example with --alpha"
        )
    return trace


def seen(trace: _core.Trace, sensor: str, shape: tuple[int, int]) -> NDArray[np.bool_] | None:
    """Which cells the agent had seen in the end; none where it saw all of them from the start."""
    if sensor == "all":
        return None
    height, width = shape
    mask = np.zeros(shape, bool)
    mask[trace.cells[:, 1], trace.cells[:, 0]] = True
    if square := _SQUARE.fullmatch(sensor):
        radius = min(int(square[1]), max(shape))
        # A square around each cell: a band of columns around each, then a band of rows around each of those.
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
    """Put a trace into a file."""
    content = BytesIO()
    facts = json.dumps({"format": FORMAT, **asdict(trace.facts)}, ensure_ascii=False).encode()
    arrays = {name: getattr(trace, name) for name in _ARRAYS}
    np.savez_compressed(content, facts=np.frombuffer(facts, np.uint8), **arrays)
    write_whole(path, content.getvalue())


def read(path: Path) -> Trace:
    """A trace from its file."""
    content = path.read_bytes()
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            facts: dict[str, Any] = json.loads(archive["facts"].tobytes())
            if (found := facts.pop("format")) != FORMAT:
                raise InputError(
                    f"{path} has the format {found} of another version of permove, not {FORMAT}; record it anew"
                )
            facts["goal"] = tuple(facts["goal"])
            trace = Trace(Facts(**facts), **{name: archive[name] for name in _ARRAYS})
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, zipfile.error) as error:
        raise InputError(f"{path} is damaged or no trace; `permove solve ... --trace FILE` records one") from error
    return trace


def name_of(agent: str, set: str, map: str, problem: int) -> str:
    """The name of the file in which a run keeps the trace of a record."""
    digest = hashlib.blake2b(json.dumps([agent, set, map, problem]).encode(), digest_size=6).hexdigest()
    name = re.sub(r"[^\w.@-]+", "-", f"{agent.partition('(')[0]}-{map}-{problem}").strip("-.")
    return f"{name}-{digest}{SUFFIX}"


def _numbers(cells: NDArray[np.uint32], width: int) -> NDArray[np.uint32]:
    """Rows of x and y as numbers of cells."""
    return (cells[:, 1] * np.uint32(width) + cells[:, 0]).astype(np.uint32)


_ARRAYS = [field.name for field in fields(Trace) if field.name != "facts"]
