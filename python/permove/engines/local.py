"""The core's own threads, in this process."""

import time
from collections.abc import Callable, Generator

import polars as pl

from permove import _core
from permove.common.signals import Stop
from permove.engines import tasks
from permove.engines.gathered import Gathered
from permove.engines.work import Piece, Work

GATHER_SECONDS = 0.05
"""How long records may gather before they are fetched: to fetch each by itself costs more than most take to walk."""


def walk(work: Work, stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
    """Walk all that is left on as many threads as there are jobs; see `Walk`."""
    batch, gathered = _batch(work), Gathered()
    begin = time.monotonic()
    try:
        while not batch.done:
            if finished := batch.next(0.1):
                gathered.add(*map(pl.DataFrame, finished))
            if stop.asked:
                batch.cancel()
            tick(batch.finished)
            if gathered.is_due:
                yield gathered.take()
            # Never long beside what the run has taken already.
            time.sleep(min(GATHER_SECONDS, (time.monotonic() - begin) / 50))
        if gathered:
            yield gathered.take()
    finally:
        batch.cancel()


def _batch(work: Work) -> _core.Batch:
    cut = tasks.cut(work.left, work.jobs)
    return _core.Batch(
        list(work.grids),
        work.problems,
        [agent.spec for agent in work.agents],
        cut.agents,
        cut.offsets,
        cut.problems,
        work.settings,
        jobs=work.jobs,
        databases=list(work.databases),
    )
