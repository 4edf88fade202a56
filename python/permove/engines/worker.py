"""What a worker process does, given a connection and the file of its beat.

It forks, and the fork takes jobs and walks. Where the fork dies, the worker tells how, and forks again.
"""

import ctypes
import os
import resource
import signal
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core, plugins
from permove.common.errors import InputError
from permove.records.settings import Settings

PIECE_SECONDS = 0.1
"""How often what was found is sent: as much work a crash may cost, which is then done again."""


@dataclass(frozen=True)
class Job:
    """A plug-in on problems of one map."""

    spec: str
    grid: _core.Grid
    problems: NDArray[np.int64]
    numbers: NDArray[np.uint32]
    settings: Settings


class Begun(NamedTuple):
    """A fork is ready."""

    pid: int


class Found(NamedTuple):
    """Records, and their trials; their agent is not numbered."""

    records: pl.DataFrame
    trials: pl.DataFrame


class Done(NamedTuple):
    """The job is done, or cannot be."""

    failure: str | None = None


class Died(NamedTuple):
    """The fork has died."""

    code: int


Word = Begun | Found | Done | Died


def serve(connection: "Connection[Word, Job]", beat: str) -> None:
    """Take jobs and do them until nobody gives any more."""
    connection.send(Begun(os.getpid()))
    while True:
        job = connection.recv()
        try:
            for found in walk(job, beat):
                connection.send(found)
            connection.send(Done())
        except InputError as error:
            connection.send(Done(str(error)))


def walk(job: Job, beat: str) -> Iterator[Found]:
    """Walk a job, piece by piece."""
    plugin, first = plugins.load(job.spec)
    course = _core.Course(job.grid, plugin, job.spec, first, job.settings, beat=beat)
    at = 0
    while at < len(job.numbers):
        found = Found(*map(pl.DataFrame, course.walk(job.problems[at:], job.numbers[at:], PIECE_SECONDS)))
        at += found.records.height
        yield found


def main(descriptor: int, beat: str) -> None:
    """Fork, see how the fork ends, and fork again."""
    connection: Connection[Word, Job] = Connection(descriptor)
    # Cores of crashed plug-ins are of no use to anybody.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The fork is made before anything has started threads, and this process starts none.
    warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork")
    _die_with_parent()
    while True:
        fork = os.fork()
        if fork == 0:
            _die_with_parent()
            try:
                serve(connection, beat)
            except (EOFError, OSError):
                os._exit(0)
        _, status = os.waitpid(fork, 0)
        try:
            connection.send(Died(os.waitstatus_to_exitcode(status)))
        except OSError:
            return


def _die_with_parent() -> None:
    """Do not outlive who started us, however that ends, where the system can see to it."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
