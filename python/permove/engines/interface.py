"""The interface of engines: they take the remaining work of a run and yield its records piece by piece.

An engine knows nothing about run folders, names or tables, and records do not depend on the engine. Agents and problems
have numbers here; `permove.runs.execute` adds their names to the records and stores them.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove import _core
from permove.agents.specs import AgentSpec
from permove.common.machine import Machine
from permove.common.signals import Stop
from permove.engines import HANG_SECONDS, MEMORY_BYTES
from permove.records.settings import Settings


@dataclass(frozen=True)
class Work:
    """Agents, problems, and the pairs of them to run."""

    agents: Sequence[AgentSpec]
    grids: Sequence[_core.Grid]
    problems: NDArray[np.void]
    """One row per problem, with the fields `_core.PROBLEM_COLUMNS`."""
    left: pl.DataFrame
    """The missing records: agent_number, problem_number and grid, as `tasks.left_to_do` returns them."""
    settings: Settings
    databases: Sequence[_core.Database]
    jobs: int
    hang_limit: float = HANG_SECONDS
    """The maximum time in seconds that a plug-in may plan one move; records do not depend on it."""
    memory_limit: int | None = MEMORY_BYTES
    """The maximum memory in bytes of a worker process for plug-ins."""


class Piece(NamedTuple):
    """Some of the missing records in the core's columns, with all their trials."""

    records: pl.DataFrame
    trials: pl.DataFrame
    machine: Machine | None = None
    """The machine that computed the records; `None` for this one."""


class InProgress(NamedTuple):
    """A trial in progress."""

    agent: int
    problem: int | None
    """`None` if only the agent is known."""
    seconds: float


Tick = Callable[[int, Callable[[], Sequence[InProgress]]], None]
"""Called regularly with the number of finished records, and a function that returns the trials in progress."""


class RunWork(Protocol):
    """The function of an engine."""

    def __call__(self, work: Work, stop: Stop, tick: Tick) -> Generator[Piece]:
        """Run all remaining work and yield it in pieces that are large enough for a file.

        After a stop request, only finished records are yielded. Closing the generator abandons the rest. If an agent
        cannot run on a map, this raises `_core.IncompatibleAgentError` before anything is run.
        """


@dataclass(frozen=True)
class Engine:
    """An engine that is ready to run."""

    name: str
    run: RunWork
    machines: Sequence[Machine]
    """The machines that it will use, as far as they are known at the start."""
