"""The engine for plug-ins: worker processes, so that a crash or hang of a plug-in does not affect the run.

Each worker is a process with everything loaded and a fork of it that runs the agent. If the fork dies, the next one is
ready at once. A heartbeat in a file that both processes have mapped shows the current problem, trial and move, so that
a crash is recorded with the move that caused it. A fork without a heartbeat for too long is killed and recorded, too.
"""

import contextlib
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Pipe, wait
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.common.errors import InputError
from permove.common.signals import Stop
from permove.engines import tasks
from permove.engines.buffer import PieceBuffer
from permove.engines.interface import InProgress, Piece, Tick, Work
from permove.engines.worker_main import Died, Done, Found, Job, Message, Ready
from permove.records.columns import unfinished

RUN_FACTOR = 60
"""A trial counts as endless if it takes longer than this multiple of the time limit of one move."""

START = "import sys; from permove.engines import worker_main; worker_main.main(int(sys.argv[1]), sys.argv[2])"

POLL_SECONDS = 0.1
"""The time between two checks of the heartbeats."""

MAX_POLL_SECONDS = 1.0
"""The maximum time that is counted between two checks."""


class Heartbeat(NamedTuple):
    """The content of a heartbeat file, see `rust/core/src/plugins/heartbeat.rs`."""

    problem: int
    """The problem's number, from 1; 0 if no agent is running."""
    trial: int
    move: int
    counter: int
    """Changes with every heartbeat."""


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
                    worker.begin(waiting.popleft())
            busy = [worker for worker in workers if worker.task]
            ready = wait([worker.connection for worker in busy], POLL_SECONDS)
            for worker in busy:
                if worker.connection in ready:
                    found = worker.receive()
                    finished += 0 if found is None else found.records.height
                    if found is not None:
                        buffer.add(found.records, found.trials)
                worker.watch()
                if worker.task is not None and worker.is_idle:
                    # Another worker gets the problems that a crash has left unfinished.
                    left, worker.task = worker.task, None
                    waiting.extend([left] if left.numbers else [])
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


@contextlib.contextmanager
def _workers(count: int, work: Work) -> Iterator[list["Worker"]]:
    workers: list[Worker] = []
    with tempfile.TemporaryDirectory(prefix="permove-") as folder:
        try:
            workers.extend(Worker(Path(folder) / str(number), work) for number in range(count))
            yield workers
        finally:
            for worker in workers:
                worker.end()


class Worker:
    """A worker process and its current task."""

    def __init__(self, path: Path, work: Work) -> None:
        self.work = work
        self.task: Task | None = None
        self.is_idle = True
        path.write_bytes(bytes(_core.HEARTBEAT_BYTES))
        self._path = path
        with path.open("r+b") as file:
            self._file = mmap.mmap(file.fileno(), _core.HEARTBEAT_BYTES)
        self._last = self._heartbeat()
        self._checked = time.monotonic()
        self._planning = self._running = 0.0
        self._start()

    def _start(self) -> None:
        self.connection, remote = Pipe()
        self._fork: int | None = None
        self._verdict: tuple[str, str] | None = None
        with remote:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, str(remote.fileno()), str(self._path)],
                pass_fds=[remote.fileno()],
                # The worker must not read from the terminal or get its signals, or print among results.
                stdin=subprocess.DEVNULL,
                stdout=sys.__stderr__ if _has_descriptor() else subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )

    def begin(self, task: Task) -> None:
        """Start a task."""
        self.task, self.is_idle = task, False
        numbers = np.array(task.numbers, np.uint32)
        rows: NDArray[np.void] = self.work.problems[numbers]
        grid = self.work.grids[rows["grid"][0]]
        rows["grid"] = 0  # the only grid that is sent
        agent = self.work.agents[task.agent]
        job = Job(agent.spec, agent.replica, grid, rows, numbers, self.work.settings)
        self._reset()
        with contextlib.suppress(OSError):  # a dead worker is noticed by `receive`
            self.connection.send(job)

    def receive(self) -> Piece | None:
        """Receive a message, and return the records in it."""
        try:
            message: Message = self.connection.recv()
        except (EOFError, OSError):
            code = self._process.wait()
            self._start()
            return self._crashed(code)
        match message:
            case Ready(pid):
                self._fork = pid
            case Found(records, trials):
                assert self.task is not None
                done = set(records["problem"].to_list())
                self.task.numbers = [number for number in self.task.numbers if number not in done]
                return self._piece(records, trials)
            case Done(failure):
                # A fork that is being killed reports its death before it can get another task.
                self.is_idle = self._verdict is None
                if failure is not None:
                    raise InputError(failure)
            case Died(code):
                return self._crashed(code)
        return None

    def watch(self) -> None:
        """Kill the fork if its heartbeat has stopped for too long."""
        heartbeat, now = self._heartbeat(), time.monotonic()
        # If this process was suspended, so were the workers.
        passed, self._checked = min(now - self._checked, MAX_POLL_SECONDS), now
        self._running = self._running + passed if heartbeat.problem == self._last.problem and heartbeat.problem else 0.0
        self._planning = (
            self._planning + passed if heartbeat.counter == self._last.counter and heartbeat.problem else 0.0
        )
        self._last = heartbeat
        limit = self.work.hang_limit
        if self._verdict is not None or self._fork is None:
            return
        if self._planning > limit:
            self._verdict = "hung", f"move {heartbeat.move} was not planned within {limit:g} s"
        elif self._running > limit * RUN_FACTOR:
            self._verdict = (
                "hung",
                f"the trial did not end within {limit * RUN_FACTOR:g} s; its last move was {heartbeat.move}",
            )
        if self._verdict is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._fork, signal.SIGKILL)

    @property
    def trial(self) -> InProgress | None:
        """The trial in progress, as the last check of the heartbeat found it."""
        if self.task is None or not self._last.problem:
            return None
        return InProgress(self.task.agent, self._last.problem - 1, self._running)

    def end(self) -> None:
        """Kill the worker."""
        self.connection.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._file.close()

    def _reset(self) -> None:
        """Clear the heartbeat of the task before."""
        self._file[:] = bytes(_core.HEARTBEAT_BYTES)
        self._last = self._heartbeat()
        self._planning = self._running = 0.0
        self._checked = time.monotonic()

    def _heartbeat(self) -> Heartbeat:
        return Heartbeat(*struct.unpack("=4Q", self._file[:]))

    def _crashed(self, code: int) -> Piece | None:
        """Return the record of the problem that the dead fork was running."""
        self.is_idle, self._fork = True, None
        assert self.task is not None
        heartbeat, verdict = self._heartbeat(), self._verdict
        self._verdict = None
        # A fork that died before the first problem would die again, so the crash is recorded for that problem.
        at = [heartbeat.problem - 1] if heartbeat.problem or verdict else self.task.numbers[:1]
        number = next((number for number in at if number in self.task.numbers), None)
        if number is None:
            return None  # that problem was finished
        status, reason = verdict or ("error", f"move {max(heartbeat.move, 1)}: the process {_cause(code)}")
        self.task.numbers = [other for other in self.task.numbers if other != number]
        record = {
            "agent": 0,
            "problem": number,
            "status": status,
            "trials": max(heartbeat.trial, 1),
            "moves": max(heartbeat.move, 1) - 1,
            "reason": reason,
        }
        return self._piece(*unfinished([record]))

    def _piece(self, records: pl.DataFrame, trials: pl.DataFrame) -> Piece:
        assert self.task is not None
        agent = pl.lit(self.task.agent, pl.UInt32).alias("agent")
        return Piece(records.with_columns(agent), trials.with_columns(agent))


def _has_descriptor() -> bool:
    """Return whether another process can write to the error stream."""
    try:
        return sys.__stderr__ is not None and sys.__stderr__.fileno() >= 0
    except (OSError, ValueError):
        return False


def _cause(code: int) -> str:
    """Describe how a process ended."""
    if code >= 0:
        return f"exited with code {code}"
    number = -code
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"crashed with {name} ({(signal.strsignal(number) or 'unknown').lower()})"
