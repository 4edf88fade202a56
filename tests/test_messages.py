"""Messages of plug-in workers: the layout, and records that contradict what a run knows."""

import random
import socket
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from polars.testing import assert_frame_equal

from data_files import ROOM, map_text
from permove import _core, plugins
from permove.agents.specs import parse
from permove.engines import messages, validation
from permove.engines.messages import BadMessageError, Cells, Found, Incoming, Kind
from permove.engines.validation import ImpossibleRecordError, Task
from permove.plugins.example import Algorithm, Language, write_example
from permove.records.settings import Settings

SETTINGS = {
    "once": Settings(cutoff=1000, alpha=20.0),
    "converging": Settings(trials="converge", max_trials=1000, sensor="square(1)"),
}


class Sent(NamedTuple):
    """Records of a plug-in as a worker sends them, and the task that they belong to."""

    found: Found
    task: Task


@pytest.fixture(scope="module", params=list(SETTINGS))
def sent(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sent:
    folder = tmp_path_factory.mktemp("plugin")
    spec = parse(write_example("mine", Language.PYTHON, Algorithm.LRTA, folder).spec).spec
    grid, rows, settings = room(), problems_of(room()), SETTINGS[request.param]
    agent, first = plugins.load(spec)
    runner = _core.PluginRunner(grid, agent, spec, first, settings)
    numbers = np.arange(7, 7 + len(rows), dtype=np.uint32)
    found = Found(*map(pl.DataFrame, runner.run(rows, numbers, 1e6)))
    assert set(found.records["status"]) == {"solved"}
    return Sent(found, Task(numbers.tolist(), rows, grid.width * grid.height, settings, 10**12))


def room() -> _core.Grid:
    return _core.Map.parse(map_text([*ROOM, *ROOM]), "room.map").grid("land", "strict")


def problems_of(grid: _core.Grid) -> NDArray[np.void]:
    """Return some problems, of which the last is between neighbours."""
    cells = np.array([(0, 0, 4, 3), (2, 2, 0, 3), (0, 7, 4, 0), (0, 0, 0, 1)], np.uint32)
    rows = np.zeros(len(cells), [(name, "<i8") for name in _core.PROBLEM_COLUMNS])
    for name, column in zip(("start_x", "start_y", "goal_x", "goal_y"), cells.T, strict=True):
        rows[name] = column
    rows["cardinal"], rows["diagonal"] = grid.optimal(cells, 1).T
    return rows


def test_records_of_a_worker_are_accepted_and_unchanged(sent: Sent) -> None:
    read = messages.unpack_found(messages.pack_found(sent.found))
    accepted = validation.checked(read, sent.task)
    assert_frame_equal(accepted.records, sent.found.records)
    assert_frame_equal(accepted.trials, sent.found.trials)


FORGERIES: dict[str, pl.Expr] = {
    "a shorter path": pl.col("cost") * 0.5,
    "a better score": pl.col("suboptimality") * 0.5,
    "a shorter travel": pl.col("travel") * 0.9,
    "another number of moves": pl.col("moves") * 3,
    "an unknown status": pl.lit("won").alias("status"),
    "a failure with a cost": pl.lit("stuck").alias("status"),
    "a reason for success": pl.lit("because").alias("reason"),
    "less effort": pl.col("expanded") // 2,
    "less effort in the worst move": pl.col("expanded_max") - 1,
    "more effort in a move than in all": pl.col("touched_max") + 10**9,
    "a worst move that was not made": pl.col("expanded_max_move") + 10**9,
    "no episodes": pl.col("episodes") * 0,
    "more learned states than cells": pl.col("memory") + 10**9,
    "a negative sum": pl.col("learned") * -1 - 1,
    "an invalid sum": pl.col("learned") * float("nan"),
    "more memory than any machine has": pl.lit(2**60, pl.UInt64).alias("memory_bytes"),
    "more visits than moves": pl.col("visits_max") + 10**9,
    "data that was not built": pl.col("build_bytes") + 1,
    "a time from the future": pl.col("time_ns") + 10**13,
    "times that were not measured": pl.lit(5, pl.UInt64).alias("time_max_ns"),
    "more trials": pl.col("trials") + 1,
    "too many unexpanded moves": pl.col("moves").alias("unexpanded_moves") + 1,
    "the number of another problem": pl.col("problem") + 1,
    "the number of the first problem": pl.lit(7, pl.UInt32).alias("problem"),
    "another agent": pl.col("agent") + 1,
    "an empty histogram": pl.col("expanded_histogram").list.head(0),
}


@pytest.mark.parametrize("name", list(FORGERIES))
def test_forged_records_are_rejected(sent: Sent, name: str) -> None:
    (records, trials), change = sent.found, FORGERIES[name]
    column = change.meta.output_name()
    solved = (pl.col("status") == "solved") & (pl.col("problem") > 7)
    forged = records.with_columns(pl.when(solved).then(change).otherwise(column).cast(records.schema[column]))
    assert not forged.equals(records)
    with pytest.raises(ImpossibleRecordError):
        validation.checked(Found(forged, trials), sent.task)


def test_records_are_accepted_only_once_and_in_order(sent: Sent) -> None:
    records, trials = sent.found
    for some in (records.head(0), records.reverse(), pl.concat([records, records]), records.tail(2)):
        with pytest.raises(ImpossibleRecordError):
            validation.checked(Found(some, trials), sent.task)


def test_trials_that_contradict_their_record_are_rejected(sent: Sent) -> None:
    records, trials = sent.found
    if trials.is_empty():
        trials = pl.DataFrame({name: [0] for name in trials.columns if name != "status"} | {"status": ["solved"]})
        trials = trials.select(pl.col(name).cast(dtype) for name, dtype in sent.found.trials.schema.items())
        forgeries = [trials, trials.with_columns(problem=pl.lit(7, pl.UInt32))]
    else:
        forgeries = [trials.head(0), trials.tail(-1), trials.with_columns(pl.col("expanded", "travel") * 2)]
        forgeries.append(trials.with_columns(status=pl.lit("stuck")))
    for some in forgeries:
        with pytest.raises(ImpossibleRecordError):
            validation.checked(Found(records, some), sent.task)


def test_reasons_are_printable_and_short(sent: Sent) -> None:
    columns = {"cost": None, "suboptimality": None, "status": "error", "reason": "\x1b[2J" + "x" * 10**5}
    failed = [pl.lit(value, sent.found.records.schema[name]).alias(name) for name, value in columns.items()]
    found = Found(sent.found.records.with_columns(failed), sent.found.trials.with_columns(status=pl.lit("error")))
    last = found.trials.filter(pl.col("trial") == pl.col("trial").max().over("problem"))
    try:
        reason = validation.checked(found, sent.task).records["reason"][0]
    except ImpossibleRecordError:  # the records of several trials contradict each other
        assert not last.is_empty()
    else:
        assert reason.isprintable()
        assert len(reason) == validation.MAX_REASON


def test_changed_messages_are_rejected_or_have_records(sent: Sent) -> None:
    intact, numbers = messages.pack_found(sent.found), random.Random(5)
    for _ in range(300):
        content = bytearray(intact)
        for _ in range(numbers.randint(1, 3)):
            content[numbers.randrange(len(content))] = numbers.randrange(256)
        start, end = sorted(numbers.choices(range(len(content)), k=2))
        if numbers.random() < 0.3:
            del content[start:end]
        try:
            validation.checked(messages.unpack_found(bytes(content)), sent.task)
        except (BadMessageError, ImpossibleRecordError):
            continue


def test_message_arrives_in_any_pieces() -> None:
    incoming, content = Incoming(), messages.message(Kind.FAILED, b"why") + messages.message(Kind.FOUND, b"")
    received = []
    for byte in content:
        incoming.add(bytes([byte]))
        while message := incoming.next():
            received.append(message)
    assert received == [(Kind.FAILED, b"why"), (Kind.FOUND, b"")]


@pytest.mark.parametrize("header", [b"\x09" + bytes(8), b"\x02" + b"\xff" * 8, b"\x00" * 9])
def test_invalid_headers_are_rejected(header: bytes) -> None:
    incoming = Incoming()
    incoming.add(header)
    with pytest.raises(BadMessageError):
        incoming.next()


def test_job_arrives_with_a_map_that_python_does_not_see() -> None:
    grid, rows = room(), problems_of(room())
    settings = replace(Settings(), seed=3)
    job = messages.Job("mine.py#00000000:Mine()", 2, settings, rows, np.arange(len(rows), dtype=np.uint32))
    sender, receiver = socket.socketpair()
    with sender, receiver:
        sender.sendall(messages.pack_job(job, Cells.of(grid)))
        received, problems = messages.receive_job(receiver)
    assert (received.spec, received.replica, received.settings) == (job.spec, job.replica, settings)
    assert received.problems.tolist() == rows.tolist()
    assert [name for name in dir(problems) if not name.startswith("_")] == ["begin", "next"]


def test_job_begins_once(tmp_path: Path) -> None:
    grid, row = room(), problems_of(room())[-1:]
    spec = parse(write_example("mine", Language.PYTHON, Algorithm.LRTA, tmp_path).spec).spec
    job = messages.Job(spec, 0, Settings(), row, np.zeros(1, np.uint32))
    sender, receiver = socket.socketpair()
    with sender, receiver:
        sender.sendall(messages.pack_job(job, Cells.of(grid)))
        _, problems = messages.receive_job(receiver)
    heartbeat = tmp_path / "heartbeat"
    heartbeat.write_bytes(bytes(_core.HEARTBEAT_BYTES))
    with pytest.raises(_core.InputError, match="not begun"):
        problems.next(1.0)
    agent, first = plugins.load(spec)
    problems.begin(agent, spec, first, Settings(), str(heartbeat))
    with pytest.raises(_core.InputError, match="already begun"):
        problems.begin(agent, spec, first, Settings(), str(heartbeat))
    finished = problems.next(1.0)
    assert finished is not None
    assert pl.DataFrame(finished[0])["moves"].to_list() == [1]
    assert problems.next(1.0) is None
