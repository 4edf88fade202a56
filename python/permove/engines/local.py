"""The engine for built-in agents: the core's threads in this process."""

import time
from collections.abc import Generator

import polars as pl

from permove import _core
from permove.common.signals import Stop
from permove.engines import tasks
from permove.engines.buffer import PieceBuffer
from permove.engines.interface import InProgress, Piece, Tick, Work

FETCH_SECONDS = 0.05
"""The time between two fetches. Fetching each record separately would take longer than computing most of them."""


def run(work: Work, stop: Stop, tick: Tick) -> Generator[Piece]:
    """Run all remaining work on `jobs` threads; see `RunWork`."""
    batch, buffer = _batch(work), PieceBuffer()
    begin = time.monotonic()
    try:
        while not batch.done:
            if finished := batch.next(0.1):
                buffer.add(*map(pl.DataFrame, finished))
            if stop.requested:
                batch.cancel()
            tick(batch.finished, lambda: [InProgress(*trial) for trial in batch.running()])
            if buffer.is_due:
                yield buffer.take()
            # At most a small part of the time that the run has taken so far.
            time.sleep(min(FETCH_SECONDS, (time.monotonic() - begin) / 50))
        if buffer:
            yield buffer.take()
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
        replicas=[agent.replica for agent in work.agents],
    )
