"""Processes of their own for plug-ins, which may crash, hang or do worse without harm to anybody else.

Each worker is a process that has everything loaded and a fork of it that walks: where the fork dies, the next one is
there at once. While it walks, it shows in a file that both have mapped which problem, trial and move it is at, so that
a crash is recorded where it happened, and what shows no sign of life for too long is ended, and recorded, too.
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
from collections.abc import Callable, Generator, Iterator
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
from permove.engines.gathered import Gathered
from permove.engines.work import Piece, Work
from permove.engines.worker import Begun, Died, Done, Found, Job, Word
from permove.records.columns import unfinished

WALK_FACTOR = 60
"""A walk that takes this many times as long as an episode may is taken for one that never ends."""

START = "import sys; from permove.engines import worker; worker.main(int(sys.argv[1]), sys.argv[2])"

LOOK_SECONDS = 0.1
"""How often workers are looked after."""

LONGEST_LOOK_SECONDS = 1.0
"""What passes between two looks counts for no more than this."""


class Beat(NamedTuple):
    """What a worker shows of itself: see `rust/core/src/plugins/heartbeat.rs`."""

    problem: int
    """From 1 up; 0 where none is walked."""
    trial: int
    move: int
    signs: int
    """Changes with every sign of life."""


@dataclass
class Task:
    """One plug-in on some problems of one map: what is left of them."""

    agent: int
    numbers: list[int]


def walk(work: Work, stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
    """Walk all that is left in as many processes as there are jobs; see `Walk`."""
    waiting = _tasks(work)
    gathered, finished = Gathered(), 0
    with _workers(min(work.jobs, len(waiting)), work) as workers:
        while (waiting or any(worker.task for worker in workers)) and not stop.asked:
            for worker in workers:
                if worker.task is None and waiting:
                    worker.begin(waiting.popleft())
            busy = [worker for worker in workers if worker.task]
            ready = wait([worker.connection for worker in busy], LOOK_SECONDS)
            for worker in busy:
                if worker.connection in ready:
                    found = worker.listen()
                    finished += 0 if found is None else found.records.height
                    if found is not None:
                        gathered.add(found.records, found.trials)
                worker.watch()
                if worker.task is not None and worker.is_idle:
                    # What a crash has left of its task goes to whoever is free next.
                    left, worker.task = worker.task, None
                    waiting.extend([left] if left.numbers else [])
            tick(finished)
            if gathered.is_due:
                yield gathered.take()
    if gathered:
        yield gathered.take()


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
    """A process that walks for us, and what it is at."""

    def __init__(self, path: Path, work: Work) -> None:
        self.work = work
        self.task: Task | None = None
        self.is_idle = True
        path.write_bytes(bytes(_core.BEAT_BYTES))
        self._path = path
        with path.open("r+b") as file:
            self._beats = mmap.mmap(file.fileno(), _core.BEAT_BYTES)
        self._last = self._beat()
        self._looked = time.monotonic()
        self._planning = self._walking = 0.0
        self._start()

    def _start(self) -> None:
        self.connection, theirs = Pipe()
        self._fork: int | None = None
        self._verdict: tuple[str, str] | None = None
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, str(theirs.fileno()), str(self._path)],
                pass_fds=[theirs.fileno()],
                # Neither reads from our terminal nor gets its signals; what it prints is no result.
                stdin=subprocess.DEVNULL,
                stdout=sys.__stderr__ if _has_descriptor() else subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )

    def begin(self, task: Task) -> None:
        """Let it do a task."""
        self.task, self.is_idle = task, False
        numbers = np.array(task.numbers, np.uint32)
        rows: NDArray[np.int64] = self.work.problems[numbers]
        grid = self.work.grids[int(rows[0, 0])]
        rows[:, 0] = 0  # the only one that it gets
        job = Job(self.work.agents[task.agent].spec, grid, rows, numbers, self.work.settings)
        self._rest()
        with contextlib.suppress(OSError):  # it has died meanwhile, which shows when it is listened to
            self.connection.send(job)

    def listen(self) -> Piece | None:
        """What it has to say, which may be what it has found."""
        try:
            word: Word = self.connection.recv()
        except (EOFError, OSError):
            code = self._process.wait()
            self._start()
            return self._broken(code)
        match word:
            case Begun(pid):
                self._fork = pid
            case Found(records, trials):
                assert self.task is not None
                done = set(records["problem"].to_list())
                self.task.numbers = [number for number in self.task.numbers if number not in done]
                return self._piece(records, trials)
            case Done(failure):
                # Who is about to be ended says so before anything else is asked of it.
                self.is_idle = self._verdict is None
                if failure is not None:
                    raise InputError(failure)
            case Died(code):
                return self._broken(code)
        return None

    def watch(self) -> None:
        """End what shows no sign of life."""
        beat, now = self._beat(), time.monotonic()
        # Where we were stopped for a while, so were they.
        passed, self._looked = min(now - self._looked, LONGEST_LOOK_SECONDS), now
        self._walking = self._walking + passed if beat.problem == self._last.problem and beat.problem else 0.0
        self._planning = self._planning + passed if beat.signs == self._last.signs and beat.problem else 0.0
        self._last = beat
        limit = self.work.hang_limit
        if self._verdict is not None or self._fork is None:
            return
        if self._planning > limit:
            self._verdict = "hung", f"move {beat.move} was not planned within {limit:g} s"
        elif self._walking > limit * WALK_FACTOR:
            self._verdict = "hung", f"move {beat.move} was reached after {limit * WALK_FACTOR:g} s, and no end in sight"
        if self._verdict is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._fork, signal.SIGKILL)

    def end(self) -> None:
        """End it, with whatever it is doing."""
        self.connection.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._beats.close()

    def _rest(self) -> None:
        """A new task: nothing that it showed before is about this one."""
        self._beats[:] = bytes(_core.BEAT_BYTES)
        self._last = self._beat()
        self._planning = self._walking = 0.0
        self._looked = time.monotonic()

    def _beat(self) -> Beat:
        return Beat(*struct.unpack("=4Q", self._beats[:]))

    def _broken(self, code: int) -> Piece | None:
        """It died: the record of the problem that it was at."""
        self.is_idle, self._fork = True, None
        assert self.task is not None
        beat, verdict = self._beat(), self._verdict
        self._verdict = None
        # Where it died before it began, the first problem stands for what it would do on all of them.
        at = [beat.problem - 1] if beat.problem or verdict else self.task.numbers[:1]
        number = next((number for number in at if number in self.task.numbers), None)
        if number is None:
            return None  # it was done with that
        status, reason = verdict or ("error", f"move {max(beat.move, 1)}: the process {_cause(code)}")
        self.task.numbers = [other for other in self.task.numbers if other != number]
        record = {
            "agent": 0,
            "problem": number,
            "status": status,
            "trials": max(beat.trial, 1),
            "moves": max(beat.move, 1) - 1,
            "reason": reason,
        }
        return self._piece(*unfinished([record]))

    def _piece(self, records: pl.DataFrame, trials: pl.DataFrame) -> Piece:
        assert self.task is not None
        agent = pl.lit(self.task.agent, pl.UInt32).alias("agent")
        return Piece(records.with_columns(agent), trials.with_columns(agent))


def _has_descriptor() -> bool:
    """Whether our error stream is one that another process can write to."""
    try:
        return sys.__stderr__ is not None and sys.__stderr__.fileno() >= 0
    except (OSError, ValueError):
        return False


def _cause(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended itself with exit code {code}"
    number = -code
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"crashed with {name} ({(signal.strsignal(number) or 'unknown').lower()})"
