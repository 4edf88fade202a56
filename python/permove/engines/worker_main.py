"""The program of a worker process, started with a connection and the file of its heartbeat.

It forks, and the fork receives jobs and runs agents. If the fork dies, the worker reports how, and forks again.
"""

import ctypes
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core, plugins
from permove.common.errors import InputError
from permove.records.settings import Settings

PIECE_SECONDS = 0.1
"""The time between two messages with records. Records that a crash loses are computed again."""


@dataclass(frozen=True)
class Job:
    """A plug-in on problems of one map."""

    spec: str
    replica: int
    grid: _core.Grid
    problems: NDArray[np.void]
    numbers: NDArray[np.uint32]
    settings: Settings


class Ready(NamedTuple):
    """Message: a fork is ready."""

    pid: int


class Found(NamedTuple):
    """Message: records with their trials. The number of their agent is always 0."""

    records: pl.DataFrame
    trials: pl.DataFrame


class Done(NamedTuple):
    """Message: the job is finished, or cannot be run."""

    failure: str | None = None


class Died(NamedTuple):
    """Message: the fork has died."""

    code: int


Message = Ready | Found | Done | Died


def serve(connection: "Connection[Message, Job]", heartbeat: str) -> None:
    """Receive jobs and run them until the connection is closed."""
    connection.send(Ready(os.getpid()))
    while True:
        job = connection.recv()
        try:
            for found in run(job, heartbeat):
                connection.send(found)
            connection.send(Done())
        except InputError as error:
            connection.send(Done(str(error)))


def run(job: Job, heartbeat: str) -> Iterator[Found]:
    """Run a job piece by piece."""
    plugin, first = plugins.load(job.spec)
    # As in `Spec::order` and `Spec::replica` of the core, which cannot see the parameters of a plug-in.
    first = (first + 2 * job.replica + job.replica // 4) % 8
    settings = replace(job.settings, seed=job.settings.seed + job.replica)
    runner = _core.PluginRunner(job.grid, plugin, job.spec, first, settings, heartbeat=heartbeat)
    at = 0
    while at < len(job.numbers):
        found = Found(*map(pl.DataFrame, runner.run(job.problems[at:], job.numbers[at:], PIECE_SECONDS)))
        at += found.records.height
        yield found


def main(descriptor: int, heartbeat: str) -> None:
    """Fork, report how the fork ends, and fork again."""
    connection: Connection[Message, Job] = Connection(descriptor)
    import resource  # only on systems that can fork

    # Core dumps of crashed plug-ins would only fill the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The fork is made before any library has started threads, and this process starts none.
    warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork")
    _die_with_parent()
    while True:
        fork = os.fork()
        if fork == 0:
            _die_with_parent()
            try:
                serve(connection, heartbeat)
            except (EOFError, OSError):
                os._exit(0)
        _, status = os.waitpid(fork, 0)
        try:
            connection.send(Died(os.waitstatus_to_exitcode(status)))
        except OSError:
            return


def _die_with_parent() -> None:
    """Ask the system to kill this process when its parent ends, if the system supports it."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
