"""The engine for plug-ins: worker processes, so that a crash or hang of a plug-in does not affect the run.

Each worker is a process with everything loaded and a fork of it that runs one plug-in. If the fork dies, the next one
is ready at once. The fork's messages have a fixed layout, and its records are validated; a message that is not valid
ends the fork and is recorded. A heartbeat in memory that both processes have mapped shows the current problem, trial
and move, so that a crash is recorded with the move that caused it. A fork without a heartbeat for too long is killed
and recorded, too.
"""

import contextlib
import mmap
import os
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core, plugins
from permove.common.errors import InputError
from permove.common.processes import cause, kill_marked, mark
from permove.common.signals import Stop
from permove.common.text import printable
from permove.engines import messages, tasks, validation
from permove.engines.buffer import PieceBuffer
from permove.engines.interface import InProgress, Piece, Tick, Work
from permove.engines.messages import BadMessageError, Cells, Incoming, Job, Kind
from permove.engines.output import Output
from permove.engines.validation import ImpossibleRecordError
from permove.engines.worker_main import ENDED, FORKED, KILL, NOTICE
from permove.records.columns import unfinished

RUN_FACTOR = 60
"""A trial counts as endless if it takes longer than this multiple of the time limit of one move."""

GRACE_SECONDS = 2.0
"""The additional time after which a trial counts as endless if its heartbeat claims otherwise."""

START = "import sys; from permove.engines import worker_main; worker_main.main(*map(int, sys.argv[1:]))"

POLL_SECONDS = 0.1
"""The time between two checks of the heartbeats."""

MAX_POLL_SECONDS = 1.0
"""The maximum time that is counted between two checks."""

END_SECONDS = 10.0
"""The time in which a worker ends what its plug-in has started; then it is killed."""

PIECE_BYTES = 1 << 20
"""The number of bytes that are received at once."""

MAX_STARTS = 3
"""The number of forks in a row that may end before they run a plug-in."""

MAX_MOVES = 2**53
"""The largest number of moves that a heartbeat may show; a larger one is not a number of moves."""


class Heartbeat(NamedTuple):
    """The content of a heartbeat, see `rust/core/src/plugins/heartbeat.rs`. A plug-in could write anything there."""

    problem: int
    """The problem's number, from 1; 0 if no agent is running."""
    trial: int
    move: int
    counter: int
    """Changes with every heartbeat."""


class Verdict(NamedTuple):
    """The reason for which a fork was killed, and the problem that it was running."""

    status: str
    reason: str
    number: int


@dataclass
class Task:
    """One plug-in on some problems of one map, without the problems that are finished."""

    agent: int
    numbers: list[int]


def run(work: Work, stop: Stop, tick: Tick) -> Generator[Piece]:
    """Run all remaining work in `jobs` processes; see `RunWork`."""
    waiting = _tasks(work)
    buffer, finished = PieceBuffer(), 0
    with _workers(min(work.jobs, len(waiting)), work) as workers:
        while (waiting or any(worker.task for worker in workers)) and not stop.requested:
            for worker in workers:
                if worker.task is None and waiting:
                    worker.begin(_next(waiting, worker.agent))
            _wait(workers)
            for worker in workers:
                for piece in worker.pieces():
                    finished += piece.records.height
                    buffer.add(piece.records, piece.trials)
                # Another worker gets the problems that a crash has left unfinished.
                waiting.extend(worker.returned())
            tick(finished, lambda: [trial for worker in workers if (trial := worker.trial)])
            if buffer.is_due:
                yield buffer.take()
    if buffer:
        yield buffer.take()


def _tasks(work: Work) -> deque[Task]:
    cut = tasks.cut(work.left, work.jobs)
    bounds = zip(cut.offsets[:-1], cut.offsets[1:], strict=True)
    numbers = [cut.problems[int(first) : int(last)].tolist() for first, last in bounds]
    return deque(Task(int(agent), some) for agent, some in zip(cut.agents, numbers, strict=True))


def _next(waiting: deque[Task], agent: int | None) -> Task:
    """Remove and return a task, of the same agent if there is one, since a fork runs only one plug-in."""
    task = next((task for task in waiting if task.agent == agent), waiting[0])
    waiting.remove(task)
    return task


@contextlib.contextmanager
def _workers(count: int, work: Work) -> Iterator[list["Worker"]]:
    workers: list[Worker] = []
    try:
        workers.extend(Worker(work) for _ in range(count))
        yield workers
    finally:
        for worker in workers:
            worker.close()
        for worker in workers:
            worker.end()


def _wait(workers: Sequence["Worker"]) -> None:
    """Wait until a worker can send or receive, for a short time."""
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            worker.register(selector)
        selector.select(POLL_SECONDS)


class Worker:
    """A worker process and its current task."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.task: Task | None = None
        self._returned: Task | None = None
        self._failed_starts = 0
        self._mark = mark()
        self._output = Output()
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `end` closes it
        self._file.write(bytes(_core.HEARTBEAT_BYTES))
        self._file.flush()
        self._map = mmap.mmap(self._file.fileno(), _core.HEARTBEAT_BYTES)
        self._last = self._heartbeat()
        self._checked = self._started = time.monotonic()
        self._planning = self._running = self._idle = self._since_record = 0.0
        self._start()

    def _start(self) -> None:
        self._control, remote = socket.socketpair()
        self._control.setblocking(False)
        self._forget_fork()
        with remote:
            descriptors = (remote.fileno(), self._file.fileno())
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, *map(str, descriptors), str(self.work.memory_limit or 0)],
                pass_fds=descriptors,
                # The worker must not read from the terminal or get its signals, or print among results.
                stdin=subprocess.DEVNULL,
                stdout=self._output.sender,
                stderr=self._output.sender,
                start_new_session=True,
                env={**os.environ, **self._mark, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )

    def _forget_fork(self) -> None:
        self._socket: socket.socket | None = None
        self._incoming = Incoming()
        self._outgoing = b""
        self.agent: int | None = None
        """The plug-in that the fork runs."""
        self._is_killed, self._killed_at = False, 0.0
        self._verdict: Verdict | None = None

    def register(self, selector: selectors.BaseSelector) -> None:
        """Register the sockets that this worker waits for."""
        selector.register(self._control, selectors.EVENT_READ)
        selector.register(self._output.receiver, selectors.EVENT_READ)
        if self._socket is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outgoing else 0)
            selector.register(self._socket, events)

    def begin(self, task: Task) -> None:
        """Start a task, in a new fork if the current one has run another plug-in."""
        self.task = task
        if self.agent not in (None, task.agent):
            self._kill()
        elif self._socket is not None and not self._is_killed:
            self._send_job()

    def _send_job(self) -> None:
        assert self.task is not None
        numbers = np.array(self.task.numbers, np.uint32)
        rows, cells = self._rows(), Cells.of(self._grid())
        agent = self.work.agents[self.task.agent]
        self.agent = self.task.agent
        job = Job(agent.spec, agent.replica, self.work.settings, rows, numbers)
        self._map[:] = bytes(_core.HEARTBEAT_BYTES)
        self._last = self._heartbeat()
        self._planning = self._running = self._idle = self._since_record = 0.0
        self._checked = self._started = time.monotonic()
        self._outgoing = messages.pack_job(job, cells)
        self._send()

    def _rows(self) -> NDArray[np.void]:
        """Return the unfinished problems of the task."""
        assert self.task is not None
        rows: NDArray[np.void] = self.work.problems[np.array(self.task.numbers, np.uint32)]
        rows["grid"] = 0  # the only grid that is sent
        return rows

    def _grid(self) -> _core.Grid:
        assert self.task is not None
        return self.work.grids[int(self.work.problems["grid"][self.task.numbers[0]])]

    def _send(self) -> None:
        while self._outgoing and self._socket is not None:
            try:
                self._outgoing = self._outgoing[self._socket.send(self._outgoing) :]
            except BlockingIOError:
                return
            except OSError:
                self._outgoing = b""  # the parent reports that the fork has ended

    def pieces(self) -> Iterator[Piece]:
        """Receive what has arrived, and yield the records of it."""
        self._send()
        self._output.forward()
        yield from self._received()
        yield from self._noticed()
        self._watch()

    def returned(self) -> list[Task]:
        """Remove and return the rest of a task whose fork has ended."""
        task, self._returned = self._returned, None
        return [task] if task is not None and task.numbers else []

    def _received(self) -> Iterator[Piece]:
        """Yield records that the fork has sent. After an invalid message, the rest is ignored."""
        while self._socket is not None and not self._is_killed:
            try:
                content = self._socket.recv(PIECE_BYTES)
                self._incoming.add(content)
                while not self._is_killed and (message := self._incoming.next()):
                    yield from self._understood(*message)
            except BlockingIOError:
                return
            except OSError:
                return
            except (BadMessageError, ImpossibleRecordError) as error:
                is_bad = isinstance(error, BadMessageError)
                self._condemn("error", f"it sent a message that cannot be read: {error}" if is_bad else str(error))
                return
            if not content:
                self._socket.close()
                self._socket = None

    def _understood(self, kind: Kind, payload: bytes) -> Iterator[Piece]:
        if self.task is None:
            raise BadMessageError("it has no task")
        if kind is Kind.FAILED:
            plugins.check_unchanged(self.work.agents[self.task.agent].spec)
            self._condemn("error", payload.decode(errors="replace"))
            return
        if kind is not Kind.FOUND:
            raise BadMessageError("its kind is wrong")
        grid = self._grid()
        elapsed_ns = int((time.monotonic() - self._started) * 1e9)
        task = validation.Task(
            self.task.numbers, self._rows(), grid.width * grid.height, self.work.settings, elapsed_ns
        )
        found = validation.checked(messages.unpack_found(payload), task)
        piece = self._piece(found.records, found.trials)
        self.task.numbers = self.task.numbers[found.records.height :]
        if not self.task.numbers:
            self.task = None
        self._since_record, self._failed_starts = 0.0, 0
        yield piece

    def _noticed(self) -> Iterator[Piece]:
        """Receive the notices of the parent, and yield the record of a problem whose fork has ended."""
        while True:
            try:
                notice, descriptors, _, _ = socket.recv_fds(self._control, NOTICE.size, 1)
            except BlockingIOError:
                return
            except OSError:
                notice, descriptors = b"", []
            if len(notice) < NOTICE.size:
                code = self._process.wait()
                kill_marked(self._mark)  # the worker could not do it
                yield from self._ended(code)
                self._control.close()
                self._start()
                return
            kind, code = NOTICE.unpack(notice)
            if kind == FORKED:
                self._socket = socket.socket(fileno=descriptors[0])
                self._socket.setblocking(False)
                if self.task is not None:
                    self._send_job()
            elif kind == ENDED:
                yield from self._ended(code)

    def _watch(self) -> None:
        """Kill the fork if its heartbeat has stopped for too long."""
        heartbeat, now = self._heartbeat(), time.monotonic()
        if self._is_killed and now - self._killed_at > END_SECONDS:
            # The plug-in has suspended the worker, which therefore cannot kill it; `_noticed` finds its end.
            kill_marked(self._mark)
            self._process.kill()
        # If this process was suspended, so were the workers.
        passed, self._checked = min(now - self._checked, MAX_POLL_SECONDS), now
        is_running = heartbeat.problem > 0
        self._running = self._running + passed if is_running and heartbeat.problem == self._last.problem else 0.0
        self._planning = self._planning + passed if is_running and heartbeat.counter == self._last.counter else 0.0
        self._idle = 0.0 if is_running else self._idle + passed
        self._since_record += passed
        self._last = heartbeat
        if self.task is None or self.agent is None or self._is_killed:
            return
        limit = self.work.hang_limit
        if self._planning > limit:
            self._condemn("hung", f"move {heartbeat.move} was not planned within {limit:g} s")
        elif self._running > limit * RUN_FACTOR or self._since_record > limit * RUN_FACTOR + GRACE_SECONDS:
            last = f"its last move was {heartbeat.move}"
            self._condemn("hung", f"the trial did not end within {limit * RUN_FACTOR:g} s; {last}")
        elif self._idle > max(plugins.LOAD_SECONDS, limit):
            self._condemn("hung", f"it neither planned nor sent records for {self._idle:.0f} s")

    def _condemn(self, status: str, reason: str) -> None:
        """Kill the fork, and remember why."""
        if self.task is not None:
            number = self._current_number()
            reason = printable(reason)[: validation.MAX_REASON]
            self._verdict = Verdict(status, reason, self.task.numbers[0] if number is None else number)
        self._kill()

    def _kill(self) -> None:
        if not self._is_killed:
            self._is_killed, self._killed_at = True, time.monotonic()
        with contextlib.suppress(OSError):  # the worker has ended, which `_noticed` finds
            self._control.send(KILL)

    def _current_number(self) -> int | None:
        """Return the unfinished problem that the heartbeat shows."""
        number = self._heartbeat().problem - 1
        return number if self.task is not None and number in self.task.numbers else None

    def _ended(self, code: int) -> Iterator[Piece]:
        """Yield the last records of a fork that has ended, and the record of the problem that it was running."""
        yield from self._received()
        verdict, task = self._verdict, self.task
        is_replaced, has_run = self._is_killed and verdict is None, self.agent is not None
        if self._socket is not None:
            self._socket.close()
        self._forget_fork()
        if task is None or is_replaced:
            return
        if not has_run:
            self._failed_starts += 1
            if self._failed_starts == MAX_STARTS:
                raise InputError(f"a worker process for plug-ins {cause(code)} when it started; raise --memory-limit")
            return
        heartbeat, number = self._heartbeat(), self._current_number()
        move = min(max(heartbeat.move, 1), MAX_MOVES) if number is not None else 1
        if verdict is None:
            # A fork that died before the first problem would die again, so the crash is recorded for that problem.
            first = task.numbers[0] if number is None else number
            verdict = Verdict("error", f"move {move}: the process {cause(code)}", first)
        record = {
            "agent": 0,
            "problem": verdict.number,
            "status": verdict.status,
            "trials": min(max(heartbeat.trial, 1), self.work.settings.max_trials or 1),
            "moves": move - 1,
            "reason": verdict.reason,
        }
        yield self._piece(*unfinished([record]))
        task.numbers.remove(verdict.number)
        self.task, self._returned = None, task

    @property
    def trial(self) -> InProgress | None:
        """The trial in progress, as the last check of the heartbeat found it."""
        number = self._last.problem - 1
        if self.task is None or number not in self.task.numbers:
            return None
        return InProgress(self.task.agent, number, self._running)

    def close(self) -> None:
        """Let the worker end itself, its fork, and everything that the plug-in has started."""
        self._control.close()
        if self._socket is not None:
            self._socket.close()

    def end(self) -> None:
        """Wait for the end of the worker."""
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            kill_marked(self._mark)
            self._process.kill()
            self._process.wait()
        self._output.close()
        self._map.close()
        self._file.close()

    def _heartbeat(self) -> Heartbeat:
        return Heartbeat(*struct.unpack("=4Q", self._map[:]))

    def _piece(self, records: pl.DataFrame, trials: pl.DataFrame) -> Piece:
        assert self.task is not None
        agent = pl.lit(self.task.agent, pl.UInt32).alias("agent")
        return Piece(records.with_columns(agent), trials.with_columns(agent))
