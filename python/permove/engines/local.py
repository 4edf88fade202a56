"""The core's own threads, in this process."""

import time
from collections.abc import Callable, Generator

import polars as pl

from permove import _core, tasks
from permove.engines import Piece, Work
from permove.signals import Stop

FLUSH_SECONDS = 2.0
"""How much work a power cut may cost."""

FLUSH_ROWS = 50_000
"""Nor are more records and trials than this kept in memory."""

GATHER_SECONDS = 0.05
"""How long records may gather before they are fetched: to fetch each by itself costs more than most take to walk."""


def walk(work: Work, stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
    """Walk all that is left on as many threads as there are jobs; see `Engine`."""
    batch = _batch(work)
    records: list[_core.Table] = []
    trials: list[_core.Table] = []
    begin = flushed = time.monotonic()
    try:
        while not batch.done:
            if finished := batch.next(0.1):
                records.append(finished[0])
                trials.append(finished[1])
            if stop.asked:
                batch.cancel()
            tick(batch.finished)
            now = time.monotonic()
            rows = sum(map(len, records)) + sum(map(len, trials))
            if records and (rows >= FLUSH_ROWS or now - flushed >= FLUSH_SECONDS):
                yield Piece(_frame(records), _frame(trials))
                records, trials, flushed = [], [], time.monotonic()
            # Never long beside what the run has taken already.
            time.sleep(min(GATHER_SECONDS, (now - begin) / 50))
        if records:
            yield Piece(_frame(records), _frame(trials))
    finally:
        batch.cancel()


def _batch(work: Work) -> _core.Batch:
    cut, settings = tasks.cut(work.left, work.jobs), work.settings
    return _core.Batch(
        list(work.grids),
        work.problems,
        [agent.spec for agent in work.agents],
        cut.agents,
        cut.offsets,
        cut.problems,
        sensor=settings.sensor,
        seed=settings.seed,
        jobs=work.jobs,
        timed=settings.timed,
        max_trials=settings.max_trials,
        cutoff=settings.cutoff,
        time_limit_ns=settings.time_limit_ns,
        alpha=settings.alpha,
        databases=list(work.databases),
    )


def _frame(tables: list[_core.Table]) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(table) for table in tables])
