"""Traces of a run's records: what has none yet is walked again, one record at a time, and written down.

The batch keeps no traces. A walk is decided by agent, problem and settings, so walking it again gives the trace of the
very walk that the record is of; only where a limit on time ended a walk may another one end elsewhere.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl

from permove import _core
from permove.agents.specs import AgentSpec
from permove.common.errors import InputError
from permove.common.signals import stop_signals
from permove.common.terminal import Bar
from permove.data import Selection
from permove.records import traces
from permove.records.columns import IDENTITY, complete
from permove.records.settings import CONVERGE, Settings
from permove.runs.solve import walked


def check(specs: Sequence[AgentSpec], problems: int, settings: Settings) -> None:
    """Refuse traces that would be too many, or of what a trace does not show."""
    if settings.trials == CONVERGE:
        raise InputError("a trace is of one trial; leave out --trials converge, or --trace")
    if foreign := [spec.label for spec in specs if spec.is_plugin]:
        raise InputError(
            f"{foreign[0]} is a plug-in, which may crash, so runs do not trace it; use `permove solve --trace FILE`"
        )
    records = len(specs) * problems
    if records > traces.MAX_TRACES:
        raise InputError(
            f"{records:,} records are more than the {traces.MAX_TRACES:,} that may be traced; take fewer problems, as "
            "with --limit 10"
        )


def path_of(folder: Path, agent: str, set: str, map: str, problem: int) -> Path:
    """Where a run keeps the trace of a record."""
    return folder / traces.FOLDER / traces.name_of(agent, set, map, problem)


def settled(folder: Path, records: pl.DataFrame) -> pl.DataFrame:
    """The records, by identity, that have a trace or are too long for one."""
    names = records.select(IDENTITY)
    has_trace = pl.Series([path_of(folder, *row).is_file() for row in names.iter_rows()], dtype=pl.Boolean)
    return names.filter(has_trace | (records["expanded"] + records["moves"] > traces.MAX_EVENTS))


def record(
    folder: Path,
    left: pl.DataFrame,
    specs: Sequence[AgentSpec],
    selection: Selection,
    settings: Settings,
    databases: Sequence[_core.Database],
    *,
    jobs: int,
    shown: bool,
) -> int:
    """Walk what is left, rows of agent_number and problem_number, and return of how many the trace is written."""
    (folder / traces.FOLDER).mkdir(exist_ok=True)
    agents = pl.DataFrame({"agent": [spec.spec for spec in specs], "label": [spec.label for spec in specs]})
    letters = [np.where(grid.free(), ord("."), ord("@")).astype(np.uint8) for grid in selection.grids]
    names = selection.problems.select("set", "map", "problem", "bucket", "optimal")
    with stop_signals() as stop, Bar("traces", left.height, shown=shown) as bar:

        def walk(agent: int, problem: int) -> int:
            if stop.asked:
                return 0
            row = selection.rows[problem].tolist()
            grid = selection.grids[row[0]]
            trial = walked(grid, row[1:], specs[agent], settings, databases)
            about = (agents[[agent]], names[[problem]])
            one = complete(pl.DataFrame(trial.record), *about, settings)
            facts = traces.facts_of(grid, (row[3], row[4]), settings.sensor, one)
            path = path_of(folder, facts.agent, facts.set, facts.map, facts.problem)
            traces.write(traces.trace_of(trial, facts, letters[row[0]]), path)
            bar.advance(1)
            return 1

        with ThreadPoolExecutor(jobs) as pool:
            return sum(pool.map(walk, left["agent_number"], left["problem_number"]))
