"""Traces of a run's records: a record without a trace is computed again with its trace, one at a time.

The batch keeps no traces. Agent, problem and settings determine a trial, so running it again gives the trace of the
trial in the record. Only a trial that a time limit ended may end at another move.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl

from permove import _core
from permove.agents.specs import AgentSpec, columns
from permove.common.errors import InputError
from permove.common.signals import stop_signals
from permove.common.terminal import Bar
from permove.data import Selection
from permove.records import traces
from permove.records.columns import IDENTITY, complete
from permove.records.settings import CONVERGE, Settings
from permove.runs.solve import trace_of


def check(specs: Sequence[AgentSpec], problems: int, settings: Settings) -> None:
    """Raise an error if there are too many records, or if the run cannot be traced."""
    if settings.replicas > 1:
        raise InputError("--trace records one trial per problem; omit --trace or --replicas")
    if settings.trials == CONVERGE:
        raise InputError("--trace records a single trial per problem; omit --trace or --trials converge")
    if labels := [spec.label for spec in specs if spec.is_plugin]:
        raise InputError(
            f"{labels[0]} is a plug-in, which may crash, so runs do not trace it; use `permove solve --trace FILE`"
        )
    records = len(specs) * problems
    if records > traces.MAX_TRACES:
        raise InputError(
            f"{records:,} records cannot be traced, at most {traces.MAX_TRACES:,}; use fewer problems, for example "
            "--limit 10"
        )


def path_of(folder: Path, agent: str, set: str, map: str, problem: int) -> Path:
    """Return the path of a record's trace in a run folder."""
    return folder / traces.FOLDER / traces.name_of(agent, set, map, problem)


def settled(folder: Path, records: pl.DataFrame) -> pl.DataFrame:
    """Return the identities of the records that have a trace or are too long for one."""
    names = records.select(IDENTITY[:4])
    has_trace = pl.Series([path_of(folder, *row).is_file() for row in names.iter_rows()], dtype=pl.Boolean)
    return records.select(IDENTITY).filter(has_trace | (records["expanded"] + records["moves"] > traces.MAX_EVENTS))


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
    """Write the missing traces and return their number; `left` has rows of agent_number and problem_number."""
    (folder / traces.FOLDER).mkdir(exist_ok=True)
    agents = columns(specs)
    letters = [np.where(grid.free(), ord("."), ord("@")).astype(np.uint8) for grid in selection.grids]
    names = selection.problems.select("set", "map", "problem", "bucket", "optimal")
    with stop_signals() as stop, Bar("traces", left.height, shown=shown) as bar:

        def trace(agent: int, problem: int) -> int:
            if stop.requested:
                return 0
            row = selection.rows[problem]
            grid = selection.grids[row["grid"]]
            trial = trace_of(grid, row, specs[agent], settings, databases)
            one = complete(pl.DataFrame(trial.record), agents[[agent]], names[[problem]], settings)
            facts = traces.facts_of(grid, (int(row["goal_x"]), int(row["goal_y"])), settings.sensor, one)
            path = path_of(folder, facts.agent, facts.set, facts.map, facts.problem)
            traces.write(traces.trace_of(trial, facts, letters[row["grid"]]), path)
            bar.advance(1)
            return 1

        with ThreadPoolExecutor(jobs) as pool:
            return sum(pool.map(trace, left["agent_number"], left["problem_number"]))
