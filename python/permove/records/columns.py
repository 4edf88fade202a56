"""What a record is, and a trial: their columns, in order, with types, and how the core's columns become them.

The core knows agents and problems by number; here they get their names, and what follows from other columns is derived
once, so that every reader finds it.
"""

from collections.abc import Sequence
from typing import Final

import polars as pl

from permove import _core
from permove.common.machine import Machine, machine
from permove.records.settings import Settings

SCHEMA: Final = pl.Schema(
    {
        "agent": pl.String,
        "label": pl.String,
        "set": pl.String,
        "map": pl.String,
        "problem": pl.UInt32,
        "bucket": pl.UInt32,
        "optimal": pl.Float64,
        "status": pl.String,
        "cost": pl.Float64,
        "suboptimality": pl.Float64,
        "moves": pl.UInt64,
        "trials": pl.UInt32,
        "episodes": pl.UInt64,
        "expanded": pl.UInt64,
        "expanded_per_move": pl.Float64,
        "expanded_max": pl.UInt64,
        "touched": pl.UInt64,
        "touched_per_move": pl.Float64,
        "touched_max": pl.UInt64,
        "time_ns": pl.UInt64,
        "time_per_move_ns": pl.Float64,
        "time_max_ns": pl.UInt64,
        "first_move_expanded": pl.UInt64,
        "first_move_touched": pl.UInt64,
        "first_move_ns": pl.UInt64,
        "expanded_max_move": pl.UInt64,
        "time_p99_ns": pl.UInt64,
        "time_p999_ns": pl.UInt64,
        "updates": pl.UInt64,
        "learned": pl.Float64,
        "memory": pl.UInt64,
        "discovered": pl.UInt64,
        "travel": pl.Float64,
        "build_ns": pl.UInt64,
        "build_bytes": pl.UInt64,
        "sensor": pl.String,
        "seed": pl.UInt64,
        "host": pl.String,
        "cpu": pl.String,
        "reason": pl.String,
    }
)
"""The columns of every record, in order."""

TRIALS: Final = pl.Schema(
    {
        "agent": pl.String,
        "label": pl.String,
        "set": pl.String,
        "map": pl.String,
        "problem": pl.UInt32,
        "optimal": pl.Float64,
        "trial": pl.UInt32,
        "status": pl.String,
        "travel": pl.Float64,
        "moves": pl.UInt64,
        "episodes": pl.UInt64,
        "expanded": pl.UInt64,
        "touched": pl.UInt64,
        "time_ns": pl.UInt64,
        "first_move_expanded": pl.UInt64,
        "first_move_touched": pl.UInt64,
        "changes": pl.UInt64,
        "discovered": pl.UInt64,
    }
)
"""The columns of every trial, in order; `trial` counts from 1, `changes` says how often a heuristic was changed."""

IDENTITY: Final = ("agent", "set", "map", "problem")
"""What tells the records of one run apart; the rest of a record's identity is the run's own: see `permove.settings`."""

CLOCK: Final = tuple(name for name in SCHEMA if name.endswith("_ns"))
"""Columns that the clock fills: the only ones in which two runs of the same settings may differ on one machine."""


def complete(
    raw: pl.DataFrame,
    agents: pl.DataFrame,
    problems: pl.DataFrame,
    settings: Settings,
    *,
    where: Machine | None = None,
) -> pl.DataFrame:
    """The core's columns as records, made on this machine or wherever somebody says.

    `agents` has a row of agent and label for each number in `raw["agent"]`, `problems` one of set, map, problem, bucket
    and optimal for each in `raw["problem"]`.
    """
    moves = pl.when(pl.col("moves") > 0).then(pl.col("moves"))
    made = where or machine()
    return (
        _named(raw, agents, problems)
        .with_columns(
            expanded_per_move=pl.col("expanded") / moves,
            touched_per_move=pl.col("touched") / moves,
            time_per_move_ns=pl.col("time_ns") / moves,
            sensor=pl.lit(settings.sensor),
            seed=pl.lit(settings.seed, pl.UInt64),
            host=pl.lit(made["host"]),
            cpu=pl.lit(made["cpu"]),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())
    )


def complete_trials(raw: pl.DataFrame, agents: pl.DataFrame, problems: pl.DataFrame) -> pl.DataFrame:
    """The core's columns as trials, numbered as for `complete`."""
    return _named(raw, agents, problems).select(pl.col(name).cast(dtype) for name, dtype in TRIALS.items())


def unfinished(rows: Sequence[dict[str, object]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """In the core's columns, records of which only some columns are known, among them status and reason; no trials."""
    records, trials = map(pl.DataFrame, _core.no_records())
    return pl.DataFrame(rows, schema=records.schema), trials


def _named(raw: pl.DataFrame, agents: pl.DataFrame, problems: pl.DataFrame) -> pl.DataFrame:
    """Rows with the names of their agents and problems in the place of numbers."""
    parts = [agents[raw["agent"]], problems[raw["problem"]], raw.drop("agent", "problem")]
    return pl.concat(parts, how="horizontal")
