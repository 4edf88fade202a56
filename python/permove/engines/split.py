"""Each agent where it belongs: those of the core in this process, plug-ins in workers that may crash.

One after the other, so that each has all cores, and in a timed run the only one.
"""

from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial

import polars as pl

from permove.common.signals import Stop
from permove.engines import local, workers
from permove.engines.work import Piece, Walk, Work


def walk(work: Work, stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
    """Walk all that is left; see `Walk`."""
    plugins = [number for number, agent in enumerate(work.agents) if agent.is_plugin]
    if not plugins:
        yield from local.walk(work, stop, tick)
        return
    builtin = [number for number in range(len(work.agents)) if number not in plugins]
    before = walked = 0
    for engine, numbers in ((local.walk, builtin), (workers.walk, plugins)):
        for piece in _part(engine, work, numbers, stop, partial(_further, tick, before)):
            yield piece
            walked += piece.records.height
        before = walked


def _part(engine: Walk, work: Work, numbers: list[int], stop: Stop, tick: Callable[[int], None]) -> Generator[Piece]:
    """Let an engine walk for some of the agents: it gets and gives numbers among these."""
    left = work.left.filter(pl.col("agent_number").is_in(numbers))
    if left.is_empty() or stop.asked:
        return
    of_theirs = dict(enumerate(numbers))
    of_ours = {number: theirs for theirs, number in of_theirs.items()}
    part = replace(
        work,
        agents=[work.agents[number] for number in numbers],
        left=left.with_columns(pl.col("agent_number").replace_strict(of_ours, return_dtype=pl.UInt32)),
    )
    for piece in engine(part, stop, tick):
        yield Piece(_renumbered(piece.records, of_theirs), _renumbered(piece.trials, of_theirs))


def _further(tick: Callable[[int], None], before: int, finished: int) -> None:
    """Tell what one engine has finished beside what another has."""
    tick(before + finished)


def _renumbered(frame: pl.DataFrame, numbers: dict[int, int]) -> pl.DataFrame:
    return frame.with_columns(pl.col("agent").replace_strict(numbers, return_dtype=pl.UInt32))
