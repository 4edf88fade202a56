"""Check that all records of a frame come from one suite and one run's settings.

Run folders guarantee this. Frames that are concatenated by hand, or files that are moved between folders, may not, and
statistics over such records would be meaningless.
"""

import polars as pl

from permove.common.errors import InputError
from permove.records.columns import IDENTITY

PROBLEM = IDENTITY[1:4]
"""Columns that identify a problem."""

REMEDY = "; pass the records of one run at a time"


def check_compatible(records: pl.DataFrame) -> None:
    """Raise `InputError` if the records cannot come from one suite and one run's settings."""
    for setting in ("sensor", "seed"):
        values = records[setting].unique().sort().to_list()
        if len(values) > 1:
            raise InputError(f"the records come from runs with {setting} {values[0]} and {values[1]}{REMEDY}")
    costs = records.group_by(PROBLEM).agg(pl.col("optimal").min(), max_optimal=pl.col("optimal").max())
    conflicts = costs.filter(pl.col("optimal") != pl.col("max_optimal")).sort(PROBLEM)
    if not conflicts.is_empty():
        row = conflicts.row(0, named=True)
        raise InputError(
            f"the records come from different suites: problem {row['problem']} of {row['set']}/{row['map']} has the "
            f"optimal costs {row['optimal']:g} and {row['max_optimal']:g}{REMEDY}"
        )
    duplicates = records.filter(pl.struct("agent", *PROBLEM).is_duplicated()).sort(IDENTITY)
    if not duplicates.is_empty():
        row = duplicates.row(0, named=True)
        if duplicates["replica"].n_unique() > 1:
            raise InputError("the records contain replicas; pass `Run.by_problem`, which is their mean")
        raise InputError(
            f"the records come from several runs: {row['agent']} has more than one record for problem "
            f"{row['problem']} of {row['set']}/{row['map']}{REMEDY}"
        )
    _check_shared(records)


def _check_shared(records: pl.DataFrame) -> None:
    """Raise `InputError` if no agent was run on more than one set: such sets are not comparable."""
    sets = records.group_by("set").agg(pl.col("agent").unique()).sort("set")
    if sets.height < 2:
        return
    agents = [set(names) for names in sets["agent"]]
    if all(not first & second for at, first in enumerate(agents) for second in agents[:at]):
        raise InputError(
            f"the records come from different suites: no agent was run on both {sets['set'][0]} and "
            f"{sets['set'][1]}{REMEDY}"
        )
