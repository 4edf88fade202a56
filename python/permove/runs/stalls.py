"""The progress bar of a run, which names the slowest trial if no record has arrived for some seconds."""

import time
from collections.abc import Callable, Sequence

import polars as pl

from permove.agents.specs import AgentSpec
from permove.common.terminal import Bar
from permove.engines.interface import InProgress

STALL_SECONDS = 5.0
"""The time without a new record after which a run counts as stalled."""


class RunBar:
    """The `tick` of an engine: updates a bar, whose title is replaced while the run is stalled."""

    def __init__(
        self,
        bar: Bar,
        before: int,
        agents: Sequence[AgentSpec],
        problems: pl.DataFrame,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bar, self._before, self._clock = bar, before, clock
        self._agents, self._problems = agents, problems
        self._finished, self._since = 0, clock()

    def __call__(self, finished: int, running: Callable[[], Sequence[InProgress]]) -> None:
        """Show the number of finished records, in addition to those from before, or the slowest of `running`."""
        now = self._clock()
        if finished != self._finished:
            self._finished, self._since = finished, now
        trials = running() if now - self._since >= STALL_SECONDS else ()
        slowest = max(trials, key=lambda trial: trial.seconds, default=None)
        self._bar.update(self._before + finished, None if slowest is None else self._title(slowest))

    def _title(self, trial: InProgress) -> str:
        where = ""
        if trial.problem is not None:
            row = self._problems.row(trial.problem, named=True)
            where = f" on {row['map']}:{row['problem']}"
        return f"{self._agents[trial.agent].label}{where}, {trial.seconds:,.0f} s"
