"""Columns of records and trials, and their derivation from the columns of the core.

The core identifies agents and problems by number. This module replaces the numbers with names and adds the columns that
follow from other columns.
"""

from collections.abc import Sequence
from typing import Final

import polars as pl

from permove import _core
from permove.common.machine import Machine, machine
from permove.records.settings import Settings

HISTOGRAM: Final[pl.DataType] = pl.List(pl.Struct({"bucket": pl.UInt16, "count": pl.UInt64}))
"""Planned moves in buckets, whose bounds are those of `_core.bucket_bounds`; empty buckets are omitted."""

_COLUMNS: Final[dict[str, pl.DataType | type[pl.DataType]]] = {
    "agent": pl.String,
    "label": pl.String,
    "set": pl.String,
    "map": pl.String,
    "problem": pl.UInt32,
    "replica": pl.UInt32,
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
    "expanded_histogram": HISTOGRAM,
    "touched": pl.UInt64,
    "touched_per_move": pl.Float64,
    "touched_max": pl.UInt64,
    "time_ns": pl.UInt64,
    "time_per_move_ns": pl.Float64,
    "time_max_ns": pl.UInt64,
    "time_max_repeats_ns": pl.List(pl.UInt64),
    "time_histogram": HISTOGRAM,
    "repeats": pl.UInt32,
    "disturbed": pl.UInt64,
    "first_move_expanded": pl.UInt64,
    "first_move_touched": pl.UInt64,
    "first_move_ns": pl.UInt64,
    "cold_first_ns": pl.UInt64,
    "expanded_max_move": pl.UInt64,
    "time_p99_ns": pl.UInt64,
    "time_p999_ns": pl.UInt64,
    "updates": pl.UInt64,
    "learned": pl.Float64,
    "memory": pl.UInt64,
    "memory_bytes": pl.UInt64,
    "visits_per_state": pl.Float64,
    "visits_max": pl.UInt64,
    "discovered": pl.UInt64,
    "travel": pl.Float64,
    "build_ns": pl.UInt64,
    "build_bytes": pl.UInt64,
    "unexpanded_moves": pl.UInt64,
    "sensor": pl.String,
    "seed": pl.UInt64,
    "host": pl.String,
    "cpu": pl.String,
    "reason": pl.String,
}

SCHEMA: Final = pl.Schema(_COLUMNS)
"""The columns of every record, in order."""

TRIALS: Final = pl.Schema(
    {
        "agent": pl.String,
        "label": pl.String,
        "set": pl.String,
        "map": pl.String,
        "problem": pl.UInt32,
        "replica": pl.UInt32,
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
"""The columns of every trial, in order. `trial` starts at 1; `changes` counts the changes of heuristic values."""

IDENTITY: Final = ("agent", "set", "map", "problem", "replica")
"""The columns that identify a record within a run. `permove.records.settings` has the rest of its identity."""

CLOCK: Final = (*(name for name in SCHEMA if name.endswith("_ns")), "time_histogram", "repeats", "disturbed")
"""Measured times: the only columns in which two runs with equal settings can differ on one machine."""

REPEATED: Final = 2
"""The first version of records in which the time of a move is the minimum over repetitions of its trial."""

ADDED: Final[dict[str, int | None]] = {
    "replica": 0,
    "expanded_histogram": None,
    "time_max_repeats_ns": None,
    "time_histogram": None,
    "repeats": None,
    "disturbed": None,
    "cold_first_ns": None,
    "memory_bytes": None,
    "visits_per_state": None,
    "visits_max": None,
    "unexpanded_moves": None,
}
"""Columns that records of version 1 do not have, with their values there."""


def complete(
    raw: pl.DataFrame,
    agents: pl.DataFrame,
    problems: pl.DataFrame,
    settings: Settings,
    *,
    where: Machine | None = None,
) -> pl.DataFrame:
    """Return records made from the columns of the core. `where` is the machine that ran them (default: this one).

    `raw["agent"]` has row numbers in `agents` (agent, label, replica), and `raw["problem"]` has row numbers in
    `problems` (set, map, problem, bucket, optimal).
    """
    moves = pl.when(pl.col("moves") > 0).then(pl.col("moves"))
    host = where or machine()
    return (
        _named(raw, agents, problems)
        .with_columns(
            expanded_per_move=pl.col("expanded") / moves,
            touched_per_move=pl.col("touched") / moves,
            time_per_move_ns=pl.col("time_ns") / moves,
            sensor=pl.lit(settings.sensor),
            seed=pl.lit(settings.seed, pl.UInt64),
            host=pl.lit(host["host"]),
            cpu=pl.lit(host["cpu"]),
        )
        .select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())
    )


def complete_trials(raw: pl.DataFrame, agents: pl.DataFrame, problems: pl.DataFrame) -> pl.DataFrame:
    """Return trials made from the columns of the core; the arguments are those of `complete`."""
    return _named(raw, agents, problems).select(pl.col(name).cast(dtype) for name, dtype in TRIALS.items())


def unfinished(rows: Sequence[dict[str, object]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return records with only some columns, such as status and reason, in the columns of the core, and no trials."""
    records, trials = map(pl.DataFrame, _core.no_records())
    return pl.DataFrame(rows, schema=records.schema), trials


def _named(raw: pl.DataFrame, agents: pl.DataFrame, problems: pl.DataFrame) -> pl.DataFrame:
    """Replace the numbers of agents and problems with their names."""
    parts = [agents[raw["agent"]], problems[raw["problem"]], raw.drop("agent", "problem")]
    return pl.concat(parts, how="horizontal")
