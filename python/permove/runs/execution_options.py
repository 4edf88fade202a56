"""Options of the execution of a run, such as its folder and its threads. Records do not depend on them."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from permove.common.machine import usable_cores
from permove.common.option_fields import number, option
from permove.common.units import parse_duration, parse_size
from permove.engines import HANG_SECONDS, LOCAL, MEMORY_BYTES

MAX_JOBS = 4096
"""The maximum number of threads; a larger number is probably a typing error."""


def _memory(limit: str | float) -> int | None:
    return None if limit in ("inf", math.inf) else parse_size(limit if isinstance(limit, str) else int(limit))


@dataclass(frozen=True)
class Execution:
    """The part of a run's options that every layer forwards unchanged."""

    out: Path | None = option(None, Path)
    jobs: int | None = number(None, 1, MAX_JOBS)
    engine: str = LOCAL
    scheduler: str | None = None
    """The address of a dask scheduler."""
    hang_seconds: float = option(HANG_SECONDS, lambda limit: parse_duration(limit) / 1e9, name="hang_limit")
    memory_limit: int | None = option(MEMORY_BYTES, _memory)
    """The maximum memory of a worker process for plug-ins."""
    any_machine: bool = False
    """Whether a timed run may combine times of different kinds of machines."""
    trace: bool = False
    common: bool | str = False
    """Whether runs of other agents may add to the same default folder: all runs, or those with the same text."""
    progress: bool | None = None
    command: Sequence[str] = ()

    @property
    def cores(self) -> int:
        """The number of threads for work that is not timed."""
        return self.jobs or usable_cores()

    @property
    def shown(self) -> bool:
        """Whether progress bars are shown."""
        return sys.stderr.isatty() if self.progress is None else self.progress
