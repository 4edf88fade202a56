"""A dask cluster: pieces of what is left become tasks on its workers, which return Arrow.

    client    cuts what is left into tasks that take seconds, some for each worker at a time, and keeps what comes back
    worker    gets each map and each pattern database once, by content, and keeps it from task to task

A map travels as a task of its own, so that a worker that dies takes none with it that nobody else could give. Databases
are opened in the data folder of the worker's machine where they are there already, as in a folder that all share, and
otherwise sent; one that is lost with its worker is sent again.

What fails is cut smaller and tried again. A single record that failed three times is recorded as `failed`, with the
reason, and the run goes on. Workers that make another version of the records, or cannot read an agent's files, get
nothing.
"""

import atexit
import logging
import shutil
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator, Sequence
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
from permove.common.files import write_whole
from permove.common.machine import Machine, machine
from permove.common.signals import Stop
from permove.common.terminal import console
from permove.engines import DASK, split
from permove.engines.gathered import FLUSH_SECONDS
from permove.engines.work import Engine, Piece, Work
from permove.pdb import files
from permove.records.columns import unfinished
from permove.records.settings import Settings

TASK_SECONDS = 2.0
"""How long a task is to take: long beside what a task costs, some milliseconds, and short beside a run."""

FIRST_SECONDS = 0.05
"""What a problem is taken to take until its agent has shown what it does."""

MOST_RECORDS = 20_000
"""No task has more."""

TASKS_PER_THREAD = 3
"""So many tasks wait or run for each thread of the cluster: enough that none is ever idle."""

TRIES = 3
"""So often a single record is tried."""

PIECES = 10
"""Into so many a task is cut that failed: a few steps from thousands to the one record that is to blame."""

LEAST_SECONDS = 0.2
"""Nor is a task cut to less than this."""

POLL_SECONDS = 0.1
CONNECT_SECONDS = 10
GONE_SECONDS = 60
"""How long a scheduler that has gone is waited for."""


class Cells(NamedTuple):
    """A map as it travels: its free cells, eight to a byte."""

    width: int
    height: int
    diagonal: str
    bits: bytes

    @classmethod
    def of(cls, grid: _core.Grid) -> "Cells":
        """The cells of a grid."""
        return cls(grid.width, grid.height, grid.diagonal, np.packbits(grid.free()).tobytes())


class Wanted(NamedTuple):
    """A pattern database that a task needs: of which map, and which of its databases."""

    fingerprint: str
    key: tuple[str, int, int]


class Errand(NamedTuple):
    """What a task is about, beside maps and databases."""

    records: int
    agents: list[str]
    rows: NDArray[np.int64]
    """The problems; the first number is the place of the map among those of the task."""
    pairs: NDArray[np.uint32]
    """Rows of agent and problem, by their places above."""
    databases: list[Wanted]
    settings: Settings
    hang_limit: float


class Found(NamedTuple):
    """What a task came to."""

    records: bytes
    trials: bytes
    machine: Machine


class Vetting(NamedTuple):
    """What a worker says of itself."""

    records: int
    specs: list[str]
    machine: Machine


class Refused(NamedTuple):
    """A worker that is not fit for a task: its address, or the databases that it does not have."""

    worker: str | None
    lacking: list[Wanted]
    records: int = _core.RECORDS_VERSION


# On the worker.


def vetted(texts: Sequence[str]) -> Vetting:
    """What this process is, and the canonical specs that it makes of some: other files make others."""
    return Vetting(_core.RECORDS_VERSION, [agent.spec for text in texts for agent in expand(text)], machine())


def cells(content: Cells) -> Cells:
    """The map: a task that costs nothing, so that it can be done again wherever it was lost."""
    return content


def errand(maps: list[Cells], sent: dict[Wanted, bytes], what: Errand) -> Found | Refused:
    """Walk, and tell what came of it."""
    if what.records != _core.RECORDS_VERSION:
        return Refused(get_worker().address, [])
    grids = [_grid(content) for content in maps]
    by_cells = {grid.fingerprint: grid for grid in grids}
    places = {wanted: _place(wanted, sent.get(wanted)) for wanted in what.databases}
    if lacking := [wanted for wanted, path in places.items() if path is None]:
        return Refused(None, lacking)
    opened = [_opened(path, by_cells[wanted.fingerprint]) for wanted, path in places.items() if path is not None]
    left = pl.DataFrame(
        {"agent_number": what.pairs[:, 0], "problem_number": what.pairs[:, 1], "grid": what.rows[what.pairs[:, 1], 0]}
    )
    agents = [AgentSpec(spec, "") for spec in what.agents]
    work = Work(agents, grids, what.rows, left, what.settings, opened, jobs=1, hang_limit=what.hang_limit)
    pieces = list(split.walk(work, Stop(), lambda _: None))
    return Found(_arrow([piece.records for piece in pieces]), _arrow([piece.trials for piece in pieces]), machine())


@lru_cache(maxsize=64)
def _grid(content: Cells) -> _core.Grid:
    bits = np.unpackbits(np.frombuffer(content.bits, np.uint8), count=content.width * content.height)
    return _core.Grid.from_array(bits.reshape(content.height, content.width).astype(bool), content.diagonal)


def _place(wanted: Wanted, content: bytes | None) -> Path | None:
    """Where a database lies: in the data folder, or, where it was sent, in a folder for this process's life."""
    kept = files.path_of(wanted.fingerprint, files.Key(*wanted.key))
    if kept.is_file():
        return kept
    path = _spool() / wanted.fingerprint / kept.name
    if content is not None and not path.is_file():
        path.parent.mkdir(exist_ok=True)
        write_whole(path, content)
    return path if path.is_file() else None


@lru_cache(maxsize=64)
def _opened(path: Path, grid: _core.Grid) -> _core.Database:
    """A database, of which every byte is looked at once in a worker's life."""
    return _core.Database.open(str(path), grid)


@cache
def _spool() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="permove-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _arrow(frames: list[pl.DataFrame]) -> bytes:
    content = BytesIO()
    pl.concat(frames).write_ipc(content, compression="zstd")
    return content.getvalue()


# On the client.


class Crew:
    """The workers of a cluster, and which of them may walk."""

    def __init__(self, client: Client, specs: Sequence[str], *, alike: bool) -> None:
        self.client, self._specs, self._alike = client, list(specs), alike
        self._address = client.scheduler.address
        self._processor: str | None = None
        """Of machines that have to be alike, that of the first."""
        self.fit: dict[str, Machine] = {}
        self.unfit: dict[str, str] = {}
        """By address, and why not."""

    def look(self) -> None:
        """Take note of workers that came and went, and ask the new ones who they are."""
        there = self.client.nthreads()
        self.fit = {worker: which for worker, which in self.fit.items() if worker in there}
        new = [worker for worker in there if worker not in self.fit and worker not in self.unfit]
        if not new:
            return
        for worker, answer in self.client.run(vetted, self._specs, workers=new, on_error="return").items():
            if isinstance(answer, OSError):
                continue  # it went before it could answer, or will be asked again
            if why := self._objection(answer):
                self.refuse(worker, why)
            else:
                self.fit[worker] = answer.machine

    def refuse(self, worker: str, why: str) -> None:
        """Give a worker nothing more."""
        self.fit.pop(worker, None)
        self.unfit[worker] = why
        console(stderr=True).print(f"permove: the worker {worker} gets nothing to walk: {why}", soft_wrap=True)

    def reconnect(self) -> None:
        """Look for a scheduler that has come back at the same address, where the client has given up."""
        if self.client.status == "closed":
            with suppress(OSError):
                self.client = Client(self._address, timeout=CONNECT_SECONDS, set_as_default=False)

    @property
    def threads(self) -> int:
        """How many tasks may run at a time."""
        there = self.client.nthreads()
        return sum(there.get(worker, 0) for worker in self.fit)

    def _objection(self, answer: Vetting | BaseException) -> str | None:
        if isinstance(answer, BaseException):
            return f"it cannot run permove ({type(answer).__name__}: {answer})"
        if answer.records != _core.RECORDS_VERSION:
            return _other_version(answer.records)
        if answer.specs != self._specs:
            other = next(spec for spec, theirs in zip(self._specs, answer.specs, strict=True) if spec != theirs)
            return f"it has other files than this machine has for {other}"
        processor = answer.machine["cpu"]
        self._processor = self._processor or processor
        if self._alike and processor != self._processor:
            return (
                f"it is {processor}, and times of different machines, here {self._processor}, do not compare; "
                "--any-machine lets them stand together"
            )
        return None


@contextmanager
def connected(specs: Sequence[AgentSpec], *, address: str | None, jobs: int, alike: bool) -> Iterator[Engine]:
    """The cluster of a scheduler at an address, or a new one of `jobs` processes, which ends with this."""
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
                f"no dask scheduler answers at {address} ({error}); start one with `dask scheduler`, or leave "
                "--scheduler out for a cluster on this machine"
            ) from error
        crew = Crew(client, [spec.spec for spec in specs], alike=alike)
        stack.callback(lambda: crew.client.close())
        crew.look()
        if not crew.fit:
            why = "; ".join(crew.unfit.values()) or "it has none"
            raise InputError(f"the cluster at {address} has no worker that could walk ({why}); start some there")
        yield Engine(DASK, partial(_walk, crew), list(crew.fit.values()))


@dataclass
class Chunk:
    """Records that are wanted, by their rows in what is left, and how often a single one has failed."""

    rows: NDArray[np.int64]
    tries: int = 0


def _walk(crew: Crew, work: Work, stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
    """Walk all that is left on a cluster; see `Walk`."""
    walking = _Walking(crew, work)
    try:
        yield from walking.pieces(stop, tick)
    finally:
        walking.cancel()


class _Walking:
    """What is left, what is under way, and what came back of it."""

    def __init__(self, crew: Crew, work: Work) -> None:
        self.crew, self.work = crew, work
        ordered = work.left.sort("grid", "agent_number", "problem_number")
        self.agents, self.problems, self.grids = (
            ordered[name].to_numpy() for name in ("agent_number", "problem_number", "grid")
        )
        self.next = 0
        self.again: deque[Chunk] = deque()
        self.under_way: dict[Future, Chunk] = {}
        self.maps: dict[int, Future] = {}
        self.sent: dict[Wanted, Future] = {}
        self.databases = {_wanted(database): database for database in work.databases}
        self.spent = np.zeros(len(work.agents))
        self.walked = np.zeros(len(work.agents))
        self.heard = time.monotonic()

    def pieces(self, stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
        """What comes back, gathered into pieces worth a file."""
        gathered: dict[str, list[Piece]] = defaultdict(list)
        finished, flushed = 0, time.monotonic()
        while (self.again or self.next < len(self.agents) or self.under_way) and not stop.asked:
            try:
                self._keep_busy()
            except OSError:
                self._wait("the scheduler does not answer")
                self.crew.reconnect()
            for piece in self._come_back():
                gathered[str(piece.machine)].append(piece)
                finished += piece.records.height
            tick(finished)
            if time.monotonic() - flushed >= FLUSH_SECONDS:
                yield from map(_together, gathered.values())
                gathered.clear()
                flushed = time.monotonic()
        if stop.asked:
            for piece in self._come_back():
                gathered[str(piece.machine)].append(piece)
        yield from map(_together, gathered.values())

    def cancel(self) -> None:
        """Take back what nobody has begun, and ask for nothing that is under way."""
        if self.under_way:
            with suppress(Exception):  # a cluster that has gone has nothing to take back
                self.crew.client.cancel(list(self.under_way), force=True)

    def _keep_busy(self) -> None:
        if self.crew.client.status != "running":
            raise OSError(f"the client is {self.crew.client.status}")
        self.crew.look()
        if not self.crew.fit:
            self._wait("the cluster has no worker left that could walk")
            return
        self.heard = time.monotonic()
        while len(self.under_way) < TASKS_PER_THREAD * self.crew.threads and (chunk := self._next_chunk()):
            try:
                self._send(chunk)
            except OSError:
                self.again.appendleft(chunk)
                raise

    def _next_chunk(self) -> Chunk | None:
        """What failed before, or as much as takes a task's time; less towards the end, so that all end together."""
        if self.again:
            return self.again.popleft()
        ahead = self.agents[self.next : self.next + MOST_RECORDS]
        if not len(ahead):
            return None
        seconds = np.where(self.walked > 0, self.spent / np.maximum(self.walked, 1), FIRST_SECONDS)
        left = float(seconds[self.agents[self.next :]].sum())
        wanted = min(TASK_SECONDS, max(left / (2 * self.crew.threads), LEAST_SECONDS))
        count = int(np.searchsorted(np.cumsum(seconds[ahead]), wanted)) + 1
        chunk = Chunk(np.arange(self.next, min(self.next + count, len(self.agents))))
        self.next = int(chunk.rows[-1]) + 1
        return chunk

    def _send(self, chunk: Chunk) -> None:
        client, work = self.crew.client, self.work
        agents, agent_at = np.unique(self.agents[chunk.rows], return_inverse=True)
        problems, problem_at = np.unique(self.problems[chunk.rows], return_inverse=True)
        rows = work.problems[problems].copy()
        grids, rows[:, 0] = np.unique(rows[:, 0], return_inverse=True)
        specs = [work.agents[number].spec for number in agents]
        cells_of = {work.grids[number].fingerprint for number in grids}
        keys = {astuple(key) for spec in specs for key in pdb.needs(spec)}
        wanted = [one for one in self.databases if one.fingerprint in cells_of and one.key in keys]
        what = Errand(
            _core.RECORDS_VERSION,
            specs,
            rows,
            np.stack([agent_at, problem_at], axis=1).astype(np.uint32),
            wanted,
            work.settings,
            work.hang_limit,
        )
        future = client.submit(
            errand,
            [self._map(int(number)) for number in grids],
            {one: self._content(one) for one in wanted if one in self.sent},
            what,
            pure=False,
            # Where some may not walk, the others have to be named.
            workers=list(self.crew.fit) if self.crew.unfit else None,
        )
        self.under_way[future] = chunk

    def _map(self, number: int) -> Future:
        """A map on its way to whoever needs it, by content: the same cells travel once, whatever they are called."""
        if number not in self.maps or self.maps[number].status not in ("pending", "finished"):
            content = Cells.of(self.work.grids[number])
            key = f"permove-map-{self.work.grids[number].fingerprint}-{time.monotonic_ns()}"
            self.maps[number] = self.crew.client.submit(cells, content, key=key)
        return self.maps[number]

    def _content(self, wanted: Wanted) -> Future:
        """A database on its way, for workers that do not have it."""
        if wanted not in self.sent or self.sent[wanted].status not in ("pending", "finished"):
            path = files.path_of(wanted.fingerprint, files.Key(*wanted.key))
            self.sent[wanted] = self.crew.client.scatter(path.read_bytes(), hash=False)
        return self.sent[wanted]

    def _come_back(self) -> Iterator[Piece]:
        """What is finished now, or within a moment."""
        if not self.under_way:
            return
        with suppress(TimeoutError, CancelledError), self.crew.client.as_current():
            wait(list(self.under_way), timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        for future in [future for future in self.under_way if future.done()]:
            chunk = self.under_way.pop(future)
            try:
                found = future.result(timeout=CONNECT_SECONDS)
            except (TimeoutError, OSError, CancelledError) as error:
                # The walk may have failed so, too; otherwise it was lost, with its worker or with the scheduler.
                if future.status == "error":
                    yield from self._fail(chunk, error)
                else:
                    self.again.append(chunk)
            except Exception as error:
                yield from self._fail(chunk, error)
            else:
                yield from self._take(found, chunk)

    def _take(self, found: Found | Refused, chunk: Chunk) -> Iterator[Piece]:
        if isinstance(found, Refused):
            if found.worker is not None:
                self.crew.refuse(found.worker, _other_version(found.records))
            for wanted in found.lacking:
                self._content(wanted)
            self.again.append(chunk)
            return
        records, trials = (pl.read_ipc(BytesIO(content)) for content in (found.records, found.trials))
        agents, problems = np.unique(self.agents[chunk.rows]), np.unique(self.problems[chunk.rows])
        spent = records.group_by("agent").agg(pl.col("time_ns").sum(), pl.len())
        for agent, nanoseconds, count in spent.iter_rows():
            self.spent[agents[agent]] += nanoseconds / 1e9
            self.walked[agents[agent]] += count
        yield Piece(_numbered(records, agents, problems), _numbered(trials, agents, problems), found.machine)

    def _fail(self, chunk: Chunk, error: Exception) -> Iterator[Piece]:
        """Cut a task that failed smaller, or try its one record again, or give that up."""
        if isinstance(error, _core.UnfitError):
            raise error
        if len(chunk.rows) > 1:
            self.again.extend(Chunk(rows) for rows in np.array_split(chunk.rows, PIECES) if len(rows))
        elif chunk.tries + 1 < TRIES:
            self.again.append(Chunk(chunk.rows, chunk.tries + 1))
        else:
            row = chunk.rows[0]
            why = f"failed {TRIES} times on the cluster: {type(error).__name__}: {error}".splitlines()[0]
            numbers = {"agent": int(self.agents[row]), "problem": int(self.problems[row])}
            yield Piece(*unfinished([{**numbers, "status": "failed", "reason": why}]))

    def _wait(self, why: str) -> None:
        if time.monotonic() - self.heard > GONE_SECONDS:
            raise InputError(f"{why}, for {GONE_SECONDS} seconds now; {GO_ON}")
        time.sleep(POLL_SECONDS)


GO_ON = "start it anew, and the same command goes on with what is kept"


def _other_version(records: int) -> str:
    return f"it makes version {records} of the records, not {_core.RECORDS_VERSION}"


def _wanted(database: _core.Database) -> Wanted:
    facts = database.facts
    return Wanted(facts.fingerprint, (facts.kind, facts.base, facts.level))


def _numbered(frame: pl.DataFrame, agents: NDArray[np.uint32], problems: NDArray[np.uint32]) -> pl.DataFrame:
    """Rows with the run's numbers of agents and problems in the place of the task's."""
    numbers = {"agent": agents, "problem": problems}
    return frame.with_columns(
        pl.Series(name, whose[frame[name].to_numpy()], frame.schema[name]) for name, whose in numbers.items()
    )


def _together(pieces: list[Piece]) -> Piece:
    """Pieces of one machine as one."""
    records, trials = pl.concat([piece.records for piece in pieces]), pl.concat([piece.trials for piece in pieces])
    return Piece(records, trials, pieces[0].machine)
