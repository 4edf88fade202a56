"""Where the walking is done: engines take what is left of a run and hand back what was found, piece by piece.

An engine knows nothing of run folders, names or tables, and no record depends on which one made it. Agents and problems
go by number here; `permove.run` gives records their names and keeps them.
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
from permove.engines import HANG_SECONDS
from permove.records.settings import Settings


@dataclass(frozen=True)
class Work:
    """Agents, problems, and which of them are to meet."""

    agents: Sequence[AgentSpec]
    grids: Sequence[_core.Grid]
    problems: NDArray[np.int64]
    """One row each, as the core takes them; the first number is that of the grid."""
    left: pl.DataFrame
    """The records that are wanted: agent_number, problem_number and grid, as `tasks.left_to_do` gives them."""
    settings: Settings
    databases: Sequence[_core.Database]
    jobs: int
    hang_limit: float = HANG_SECONDS
    """Seconds that a plug-in may plan before it is taken for one that hangs; no part of what a record is."""


class Piece(NamedTuple):
    """Some of what was wanted, in the core's columns: records, and all trials of these very records."""

    records: pl.DataFrame
    trials: pl.DataFrame
    machine: Machine | None = None
    """Where it was walked, unless that was here."""


class Walk(Protocol):
    """One way to walk."""

    def __call__(self, work: Work, stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
        """Walk all that is left, in pieces that are worth a file.

        `tick` is told now and then how many records are finished. Once `stop` is asked for, only what is finished
        already is handed over. Closing the generator abandons the rest. Where an agent cannot work on a map, this
        raises `_core.UnfitError` before anything is walked.
        """


@dataclass(frozen=True)
class Engine:
    """A way to walk that is ready for it."""

    name: str
    walk: Walk
    machines: Sequence[Machine]
    """Those that will do it, so far as is known when it begins."""
