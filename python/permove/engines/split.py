"""The engine that runs built-in agents in this process and plug-ins, which may crash, in worker processes.

The two groups run one after the other, so that each can use all cores, and a timed run measures one of them at a time.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from permove.common.processes import require_fork
from permove.common.signals import Stop
from permove.engines import local, workers
from permove.engines.interface import InProgress, Piece, RunWork, Tick, Work


def run(work: Work, stop: Stop, tick: Tick) -> Generator[Piece]:
    """Run all remaining work; see `RunWork`."""
    plugins = [number for number, agent in enumerate(work.agents) if agent.is_plugin]
    if not plugins:
        yield from local.run(work, stop, tick)
        return
    require_fork()
    builtin = [number for number in range(len(work.agents)) if number not in plugins]
    before = finished = 0
    for engine, numbers in ((local.run, builtin), (workers.run, plugins)):
        for piece in _part(engine, work, numbers, stop, partial(_tick_part, tick, before, numbers)):
            yield piece
            finished += piece.records.height
        before = finished


def _part(engine: RunWork, work: Work, numbers: list[int], stop: Stop, tick: Tick) -> Generator[Piece]:
    """Run the work of some agents, which the engine numbers from 0."""
    left = work.left.filter(pl.col("agent_number").is_in(numbers))
    if left.is_empty() or stop.requested:
        return
    in_work = dict(enumerate(numbers))
    in_part = {number: place for place, number in in_work.items()}
    part = replace(
        work,
        agents=[work.agents[number] for number in numbers],
        left=left.with_columns(pl.col("agent_number").replace_strict(in_part, return_dtype=pl.UInt32)),
    )
    for piece in engine(part, stop, tick):
        yield Piece(_renumbered(piece.records, in_work), _renumbered(piece.trials, in_work))


def _tick_part(
    tick: Tick, before: int, numbers: list[int], finished: int, running: Callable[[], Sequence[InProgress]]
) -> None:
    """Report the records of one engine in addition to those of the engine before."""
    tick(before + finished, lambda: [trial._replace(agent=numbers[trial.agent]) for trial in running()])


def _renumbered(frame: pl.DataFrame, numbers: dict[int, int]) -> pl.DataFrame:
    return frame.with_columns(pl.col("agent").replace_strict(numbers, return_dtype=pl.UInt32))
