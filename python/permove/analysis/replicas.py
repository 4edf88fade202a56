"""Replicas of a run: the mean over the replicas of each problem, and the variation between replicas.

The problem is the unit of all statistics. Replicas of a problem are not independent problems, so they are combined
before anything else is computed.
"""

import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.outcomes import BROKEN, OVER, SOLVED
from permove.analysis.unsolved import Unsolved
from permove.records.columns import HISTOGRAM, IDENTITY, SCHEMA

WORST = (
    "expanded_max",
    "touched_max",
    "time_max_ns",
    "time_p99_ns",
    "time_p999_ns",
    "cold_first_ns",
    "memory",
    "memory_bytes",
    "visits_max",
    "build_ns",
    "build_bytes",
)
"""Columns whose value for a problem is the maximum over its replicas, and unknown if one of them is."""

OF_WORST = {"expanded_max_move": "expanded_max", "time_max_repeats_ns": "time_max_ns"}
"""Columns that describe the worst move, taken from the replica with the maximum of another column."""

SUMMED = ("disturbed",)
"""Columns whose value for a problem is the sum over its replicas."""

OF_STATUS = ("status", "reason")
"""Columns taken from the replica that determines the outcome: one over the cutoff, a broken one, an unsolved one."""


def by_problem(records: pl.DataFrame) -> pl.DataFrame:
    """Return one row per agent and problem: counts and costs are means over the replicas, and worsts their maximum.

    A problem is solved if all replicas solved it. The columns per move are means of the totals, divided by the mean of
    the moves. Without replicas, the result is the records themselves.
    """
    if records["replica"].n_unique() < 2:
        return records
    outcome = pl.when(OVER).then(0).when(BROKEN).then(1).when(~SOLVED).then(2).otherwise(3)
    values = {name: _value(name, outcome) for name in SCHEMA if name not in IDENTITY}
    combined = records.sort(IDENTITY).group_by("agent", *PROBLEM, maintain_order=True).agg(**values)
    moves = pl.when(pl.col("moves") > 0).then(pl.col("moves"))
    return combined.with_columns(
        replica=pl.lit(0, SCHEMA["replica"]),
        expanded_per_move=pl.col("expanded") / moves,
        touched_per_move=pl.col("touched") / moves,
        time_per_move_ns=pl.col("time_ns") / moves,
    ).select(*SCHEMA)


def replica_deviation(records: pl.DataFrame, column: str, rule: Unsolved) -> pl.DataFrame:
    """Return the standard deviation between replicas of an agent's mean over problems, as `replica_sd`.

    Every replica has the same problems: those that count under the rule for unsolved problems.
    """
    counted = rule.counted(by_problem(records))
    return (
        rule.countable(records)
        .join(counted, on=["agent", *PROBLEM], how="semi")
        .sort(IDENTITY)
        .group_by("agent", "replica", maintain_order=True)
        .agg(pl.col(column).mean())
        .group_by("agent", maintain_order=True)
        .agg(replica_sd=pl.col(column).std())
    )


def _value(name: str, outcome: pl.Expr) -> pl.Expr:
    column, dtype = pl.col(name), SCHEMA[name]
    if name in WORST:
        return pl.when(column.null_count() == 0).then(column.max())
    if name in OF_WORST:
        return column.get(pl.col(OF_WORST[name]).arg_max())
    if name in SUMMED:
        return column.sum()
    if name in OF_STATUS:
        return column.get(outcome.arg_min())
    if dtype == HISTOGRAM:
        # A bucket may occur once per replica; readers sum its counts.
        return column.explode(empty_as_null=False)
    return column.mean() if dtype.is_numeric() and name not in ("bucket", "seed") else column.first()
