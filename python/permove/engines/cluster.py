"""The engine for dask clusters: the remaining work is divided into tasks for its workers, which return Arrow.

    client    divides the remaining work into tasks that take seconds, sends a few to each worker, and keeps the results
    worker    gets each map and each pattern database once, by content, and keeps it from task to task

Each map is sent as a separate task, so that dask can compute it again if the worker that holds it dies. Databases are
opened in the data folder of the worker's machine if they exist there, as in a shared folder, and sent otherwise. A
database that is lost with its worker is sent again.

A task that fails is divided and tried again. A single record that failed three times is recorded as `failed`, with the
reason, and the run continues. Workers that make another version of the records, or cannot read an agent's files, are
not used.
"""

import atexit
import logging
import os
import shutil
import time
from collections import defaultdict, deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import astuple, dataclass
from functools import cache, lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from distributed import Client, Future, LocalCluster, get_worker, wait
from numpy.typing import NDArray

from permove import _core, pdb
from permove.agents.specs import AgentSpec, expand
from permove.common.errors import InputError
from permove.common.files import temporary_folder, write_atomic
from permove.common.machine import Machine, machine
from permove.common.signals import Stop
from permove.common.terminal import console
from permove.engines import DASK, split
from permove.engines.buffer import FLUSH_SECONDS
from permove.engines.interface import Engine, InProgress, Piece, Tick, Work
from permove.engines.messages import Cells
from permove.pdb import files
from permove.records.columns import unfinished
from permove.records.settings import Settings

TASK_SECONDS = 2.0
"""The intended duration of a task: long compared to its overhead of some milliseconds, short compared to a run."""

FIRST_SECONDS = 0.05
"""The estimated time of a problem until the agent has finished one."""

MAX_RECORDS = 20_000
"""The maximum number of records of a task."""

TASKS_PER_THREAD = 3
"""The number of tasks that wait or run for each thread of the cluster, so that no thread is idle."""

MAX_ATTEMPTS = 3
"""The number of times that a single record is tried."""

PARTS = 10
"""The number of parts of a failed task: a few steps from thousands of records to the one that fails."""

MIN_SECONDS = 0.2
"""The minimum intended duration of a task."""

POLL_SECONDS = 0.1
CONNECT_SECONDS = 10
RECONNECT_SECONDS = 60
"""The time to wait for a scheduler that does not answer."""

RESUME_HINT = "start it again, and run the same command to resume"


class DatabaseId(NamedTuple):
    """The identity of a pattern database: the fingerprint of its map, and its key."""

    fingerprint: str
    key: tuple[str, int, int, str, str]


class TaskPayload(NamedTuple):
    """The content of a task, without maps and databases."""

    records: int
    """The version of the records."""
    agents: list[AgentSpec]
    rows: NDArray[np.void]
    """The problems; `grid` is the place of the map among those of the task."""
    pairs: NDArray[np.uint32]
    """Rows of agent and problem, by their places above."""
    databases: list[DatabaseId]
    settings: Settings
    hang_limit: float
    memory_limit: int | None


class TaskResult(NamedTuple):
    """The result of a task."""

    records: bytes
    trials: bytes
    machine: Machine


class WorkerFacts(NamedTuple):
    """The properties of a worker that determine whether it is used."""

    records: int
    """The version of the records that it makes."""
    specs: list[str]
    machine: Machine


class Rejected(NamedTuple):
    """A task that a worker cannot run: its address if it is not usable, or the databases that it does not have."""

    worker: str | None
    missing: list[DatabaseId]
    records: int = _core.RECORDS_VERSION


# On the worker.


def worker_facts(texts: Sequence[str]) -> WorkerFacts:
    """Return the facts of this process. Its canonical specs of the agents differ if it reads different files."""
    return WorkerFacts(_core.RECORDS_VERSION, [agent.spec for text in texts for agent in expand(text)], machine())


def cells(content: Cells) -> Cells:
    """Return the map: a task that costs nothing, so that a lost map can be computed again."""
    return content


def run_task(maps: list[Cells], sent: dict[DatabaseId, bytes], payload: TaskPayload) -> TaskResult | Rejected:
    """Run a task."""
    if payload.records != _core.RECORDS_VERSION:
        return Rejected(get_worker().address, [])
    grids = [_grid(content) for content in maps]
    by_fingerprint = {grid.fingerprint: grid for grid in grids}
    paths = {database: _path(database, sent.get(database)) for database in payload.databases}
    if missing := [database for database, path in paths.items() if path is None]:
        return Rejected(None, missing)
    opened = [_opened(path, by_fingerprint[database.fingerprint]) for database, path in paths.items() if path]
    agent, problem = payload.pairs.T
    left = pl.DataFrame({"agent_number": agent, "problem_number": problem, "grid": payload.rows["grid"][problem]})
    work = Work(
        payload.agents,
        grids,
        payload.rows,
        left,
        payload.settings,
        opened,
        jobs=1,
        hang_limit=payload.hang_limit,
        memory_limit=payload.memory_limit,
    )
    pieces = list(split.run(work, Stop(), lambda *_: None))
    records, trials = [piece.records for piece in pieces], [piece.trials for piece in pieces]
    return TaskResult(_arrow(records), _arrow(trials), machine())


@lru_cache(maxsize=64)
def _grid(content: Cells) -> _core.Grid:
    return content.grid()


def _path(database: DatabaseId, content: bytes | None) -> Path | None:
    """Return the path of a database: in the data folder, or, if it was sent, in a temporary folder of this process."""
    kept = files.path_of(database.fingerprint, files.Key(*database.key))
    if kept.is_file():
        return kept
    path = _spool() / database.fingerprint / kept.name
    if content is not None and not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
        os.utime(_spool())  # it is in use
    return path if path.is_file() else None


@lru_cache(maxsize=64)
def _opened(path: Path, grid: _core.Grid) -> _core.Database:
    """Open a database, which is checked completely once per worker."""
    return _core.Database.open(str(path), grid)


@cache
def _spool() -> Path:
    folder = temporary_folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _arrow(frames: list[pl.DataFrame]) -> bytes:
    content = BytesIO()
    pl.concat(frames).write_ipc(content, compression="zstd")
    return content.getvalue()


# On the client.


class Workers:
    """The workers of a cluster, and whether they can be used."""

    def __init__(self, client: Client, specs: Sequence[str], *, same_processor: bool) -> None:
        self.client, self._specs, self._same_processor = client, list(specs), same_processor
        self._address = client.scheduler.address
        self._processor: str | None = None
        """The processor of the first worker."""
        self.usable: dict[str, Machine] = {}
        self.rejected: dict[str, str] = {}
        """Reasons by address."""

    def update(self) -> None:
        """Remove workers that have left, and check the new ones."""
        current = self.client.nthreads()
        self.usable = {worker: which for worker, which in self.usable.items() if worker in current}
        new = [worker for worker in current if worker not in self.usable and worker not in self.rejected]
        if not new:
            return
        for worker, answer in self.client.run(worker_facts, self._specs, workers=new, on_error="return").items():
            if isinstance(answer, OSError):
                continue  # it has left, or will be checked again
            if reason := self._objection(answer):
                self.reject(worker, reason)
            else:
                self.usable[worker] = answer.machine

    def reject(self, worker: str, reason: str) -> None:
        """Send no more tasks to a worker."""
        self.usable.pop(worker, None)
        self.rejected[worker] = reason
        console(stderr=True).print(f"permove: the worker {worker} gets no tasks: {reason}", soft_wrap=True)

    def reconnect(self) -> None:
        """Connect again to the scheduler's address if the client has given up."""
        if self.client.status == "closed":
            with suppress(OSError):
                self.client = Client(self._address, timeout=CONNECT_SECONDS, set_as_default=False)

    @property
    def threads(self) -> int:
        """The number of tasks that can run at the same time."""
        current = self.client.nthreads()
        return sum(current.get(worker, 0) for worker in self.usable)

    def _objection(self, answer: WorkerFacts | BaseException) -> str | None:
        if isinstance(answer, BaseException):
            return f"it cannot run permove ({type(answer).__name__}: {answer})"
        if answer.records != _core.RECORDS_VERSION:
            return _other_version(answer.records)
        if answer.specs != self._specs:
            other = next(spec for spec, remote in zip(self._specs, answer.specs, strict=True) if spec != remote)
            return f"its files for {other} differ from those of this machine"
        processor = answer.machine["cpu"]
        self._processor = self._processor or processor
        if self._same_processor and processor != self._processor:
            return (
                f"its processor is {processor}, not {self._processor}, so its times are not comparable; use "
                "--any-machine to combine them"
            )
        return None


@contextmanager
def connected(specs: Sequence[AgentSpec], *, address: str | None, jobs: int, same_processor: bool) -> Iterator[Engine]:
    """Connect to the scheduler at an address, or start a cluster of `jobs` processes that ends with the context."""
    with ExitStack() as stack:
        try:
            target = address or stack.enter_context(
                LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    memory_limit=None,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                )
            )
            client = Client(target, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(
                f"no dask scheduler answers at {address} ({error}); start one with `dask scheduler`, or omit "
                "--scheduler to start a cluster on this machine"
            ) from error
        workers = Workers(client, [spec.spec for spec in specs], same_processor=same_processor)
        stack.callback(lambda: workers.client.close())
        workers.update()
        if not workers.usable:
            reasons = "; ".join(workers.rejected.values()) or "it has none"
            raise InputError(f"the cluster at {address} has no usable worker ({reasons}); start workers there")
        yield Engine(DASK, partial(_run, workers), list(workers.usable.values()))


@dataclass
class Chunk:
    """Missing records by their rows in the remaining work, and the failed attempts at a single one."""

    rows: NDArray[np.int64]
    attempts: int = 0
    sent: float = 0.0
    """The time at which the chunk was last sent to the cluster."""


def _run(workers: Workers, work: Work, stop: Stop, tick: Tick) -> Generator[Piece]:
    """Run all remaining work on a cluster; see `RunWork`."""
    run = _ClusterRun(workers, work)
    try:
        yield from run.pieces(stop, tick)
    finally:
        run.cancel()


class _ClusterRun:
    """The remaining work of a run, and the tasks in progress."""

    def __init__(self, workers: Workers, work: Work) -> None:
        self.workers, self.work = workers, work
        ordered = work.left.sort("grid", "agent_number", "problem_number")
        self.agents, self.problems, self.grids = (
            ordered[name].to_numpy() for name in ("agent_number", "problem_number", "grid")
        )
        self.next = 0
        self.retries: deque[Chunk] = deque()
        self.in_progress: dict[Future, Chunk] = {}
        self.maps: dict[int, Future] = {}
        self.sent: dict[DatabaseId, Future] = {}
        self.databases = {_id(database): database for database in work.databases}
        self.spent = np.zeros(len(work.agents))
        self.finished = np.zeros(len(work.agents))
        self.last_contact = time.monotonic()

    def pieces(self, stop: Stop, tick: Tick) -> Generator[Piece]:
        """Yield the results in pieces that are large enough for a file."""
        buffered: dict[str, list[Piece]] = defaultdict(list)
        finished, flushed = 0, time.monotonic()
        while (self.retries or self.next < len(self.agents) or self.in_progress) and not stop.requested:
            try:
                self._keep_busy()
            except OSError:
                self._wait("the scheduler has not answered")
                self.workers.reconnect()
            for piece in self._results():
                buffered[str(piece.machine)].append(piece)
                finished += piece.records.height
            tick(finished, self._running)
            if time.monotonic() - flushed >= FLUSH_SECONDS:
                yield from map(_concat, buffered.values())
                buffered.clear()
                flushed = time.monotonic()
        if stop.requested:
            for piece in self._results():
                buffered[str(piece.machine)].append(piece)
        yield from map(_concat, buffered.values())

    def cancel(self) -> None:
        """Cancel all tasks."""
        if self.in_progress:
            with suppress(Exception):  # the cluster may not exist any more
                self.workers.client.cancel(list(self.in_progress), force=True)

    def _keep_busy(self) -> None:
        if self.workers.client.status != "running":
            raise OSError(f"the client is {self.workers.client.status}")
        self.workers.update()
        if not self.workers.usable:
            self._wait("the cluster has had no usable worker")
            return
        self.last_contact = time.monotonic()
        while len(self.in_progress) < TASKS_PER_THREAD * self.workers.threads and (chunk := self._next_chunk()):
            try:
                self._send(chunk)
            except OSError:
                self.retries.appendleft(chunk)
                raise

    def _next_chunk(self) -> Chunk | None:
        """Return a failed chunk, or a new one for a task; smaller near the end, so that all threads finish together."""
        if self.retries:
            return self.retries.popleft()
        ahead = self.agents[self.next : self.next + MAX_RECORDS]
        if not len(ahead):
            return None
        seconds = np.where(self.finished > 0, self.spent / np.maximum(self.finished, 1), FIRST_SECONDS)
        left = float(seconds[self.agents[self.next :]].sum())
        duration = min(TASK_SECONDS, max(left / (2 * self.workers.threads), MIN_SECONDS))
        count = int(np.searchsorted(np.cumsum(seconds[ahead]), duration)) + 1
        chunk = Chunk(np.arange(self.next, min(self.next + count, len(self.agents))))
        self.next = int(chunk.rows[-1]) + 1
        return chunk

    def _send(self, chunk: Chunk) -> None:
        client, work = self.workers.client, self.work
        agents, agent_at = np.unique(self.agents[chunk.rows], return_inverse=True)
        problems, problem_at = np.unique(self.problems[chunk.rows], return_inverse=True)
        rows = work.problems[problems]
        grids, rows["grid"] = np.unique(rows["grid"], return_inverse=True)
        specs = [work.agents[number] for number in agents]
        fingerprints = {work.grids[number].fingerprint for number in grids}
        keys = {astuple(key) for each in specs for key in pdb.needs(each.spec)}
        databases = [one for one in self.databases if one.fingerprint in fingerprints and one.key in keys]
        payload = TaskPayload(
            _core.RECORDS_VERSION,
            specs,
            rows,
            np.stack([agent_at, problem_at], axis=1).astype(np.uint32),
            databases,
            work.settings,
            work.hang_limit,
            work.memory_limit,
        )
        future = client.submit(
            run_task,
            [self._map(int(number)) for number in grids],
            {one: self._content(one) for one in databases if one in self.sent},
            payload,
            pure=False,
            # If some workers are rejected, dask has to choose among the others.
            workers=list(self.workers.usable) if self.workers.rejected else None,
        )
        self.in_progress[future], chunk.sent = chunk, time.monotonic()

    def _running(self) -> list[InProgress]:
        """Return the tasks in progress with a single agent; the time includes that in the queue of a worker."""
        now, found = time.monotonic(), []
        for chunk in self.in_progress.values():
            agents, problems = np.unique(self.agents[chunk.rows]), self.problems[chunk.rows]
            if len(agents) == 1:
                problem = int(problems[0]) if len(problems) == 1 else None
                found.append(InProgress(int(agents[0]), problem, now - chunk.sent))
        return found

    def _map(self, number: int) -> Future:
        """Return the future of a map, which dask sends to the workers that need it."""
        if number not in self.maps or self.maps[number].status not in ("pending", "finished"):
            content = Cells.of(self.work.grids[number])
            key = f"permove-map-{self.work.grids[number].fingerprint}-{time.monotonic_ns()}"
            self.maps[number] = self.workers.client.submit(cells, content, key=key)
        return self.maps[number]

    def _content(self, database: DatabaseId) -> Future:
        """Return the future of a database's content, for workers that do not have it."""
        if database not in self.sent or self.sent[database].status not in ("pending", "finished"):
            path = files.path_of(database.fingerprint, files.Key(*database.key))
            self.sent[database] = self.workers.client.scatter(path.read_bytes(), hash=False)
        return self.sent[database]

    def _results(self) -> Iterator[Piece]:
        """Yield the results of tasks that are finished now, or within `POLL_SECONDS`."""
        if not self.in_progress:
            return
        with suppress(TimeoutError, CancelledError), self.workers.client.as_current():
            wait(list(self.in_progress), timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        for future in [future for future in self.in_progress if future.done()]:
            chunk = self.in_progress.pop(future)
            try:
                result = future.result(timeout=CONNECT_SECONDS)
            except (TimeoutError, OSError, CancelledError) as error:
                # Either the task has raised this, or it was lost with its worker or the scheduler.
                if future.status == "error":
                    yield from self._fail(chunk, error)
                else:
                    self.retries.append(chunk)
            except Exception as error:
                yield from self._fail(chunk, error)
            else:
                yield from self._take(result, chunk)

    def _take(self, result: TaskResult | Rejected, chunk: Chunk) -> Iterator[Piece]:
        if isinstance(result, Rejected):
            if result.worker is not None:
                self.workers.reject(result.worker, _other_version(result.records))
            for database in result.missing:
                self._content(database)
            self.retries.append(chunk)
            return
        records, trials = (pl.read_ipc(BytesIO(content)) for content in (result.records, result.trials))
        agents, problems = np.unique(self.agents[chunk.rows]), np.unique(self.problems[chunk.rows])
        spent = records.group_by("agent").agg(pl.col("time_ns").sum(), pl.len())
        for agent, nanoseconds, count in spent.iter_rows():
            self.spent[agents[agent]] += nanoseconds / 1e9
            self.finished[agents[agent]] += count
        yield Piece(_numbered(records, agents, problems), _numbered(trials, agents, problems), result.machine)

    def _fail(self, chunk: Chunk, error: Exception) -> Iterator[Piece]:
        """Divide a failed task, or try a single record again, or record it as failed."""
        if isinstance(error, _core.IncompatibleAgentError):
            raise error
        if len(chunk.rows) > 1:
            self.retries.extend(Chunk(rows) for rows in np.array_split(chunk.rows, PARTS) if len(rows))
        elif chunk.attempts + 1 < MAX_ATTEMPTS:
            self.retries.append(Chunk(chunk.rows, chunk.attempts + 1))
        else:
            row = chunk.rows[0]
            reason = f"failed {MAX_ATTEMPTS} times on the cluster: {type(error).__name__}: {error}".splitlines()[0]
            numbers = {"agent": int(self.agents[row]), "problem": int(self.problems[row])}
            yield Piece(*unfinished([{**numbers, "status": "failed", "reason": reason}]))

    def _wait(self, reason: str) -> None:
        if time.monotonic() - self.last_contact > RECONNECT_SECONDS:
            raise InputError(f"{reason} for {RECONNECT_SECONDS} seconds; {RESUME_HINT}")
        time.sleep(POLL_SECONDS)


def _other_version(records: int) -> str:
    return f"it makes version {records} of the records, not {_core.RECORDS_VERSION}"


def _id(database: _core.Database) -> DatabaseId:
    return DatabaseId(database.facts.fingerprint, astuple(pdb.key_of(database)))


def _numbered(frame: pl.DataFrame, agents: NDArray[np.uint32], problems: NDArray[np.uint32]) -> pl.DataFrame:
    """Replace the numbers of agents and problems in the task by those in the run."""
    numbers = {"agent": agents, "problem": problems}
    return frame.with_columns(
        pl.Series(name, run[frame[name].to_numpy()], frame.schema[name]) for name, run in numbers.items()
    )


def _concat(pieces: list[Piece]) -> Piece:
    """Concatenate pieces of one machine."""
    records, trials = pl.concat([piece.records for piece in pieces]), pl.concat([piece.trials for piece in pieces])
    return Piece(records, trials, pieces[0].machine)
