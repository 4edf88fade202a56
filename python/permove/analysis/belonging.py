"""Whether records belong together: a frame of records is of one suite, walked under the same settings.

Runs guarantee that of their own folders. Whoever puts frames together by hand, or moves files between folders, may
break it, and no figure of such a frame would mean anything.
"""

import polars as pl

from permove.common.errors import InputError
from permove.records.columns import IDENTITY

PROBLEM = IDENTITY[1:]
"""What tells problems apart."""

REMEDY = "; give the records of one run at a time"


def check_together(records: pl.DataFrame) -> None:
    """Refuse records that cannot be of one suite, or of one run's settings."""
    for setting in ("sensor", "seed"):
        values = records[setting].unique().sort().to_list()
        if len(values) > 1:
            raise InputError(f"the records are of runs with the {setting} {values[0]} and {values[1]}{REMEDY}")
    torn = records.group_by(PROBLEM).agg(pl.col("optimal").min(), most=pl.col("optimal").max())
    torn = torn.filter(pl.col("optimal") != pl.col("most")).sort(PROBLEM)
    if not torn.is_empty():
        row = torn.row(0, named=True)
        raise InputError(
            f"the records are of different suites: problem {row['problem']} of {row['set']}/{row['map']} has the "
            f"optimal costs {row['optimal']:g} and {row['most']:g}{REMEDY}"
        )
    twice = records.filter(pl.struct(IDENTITY).is_duplicated()).sort(IDENTITY)
    if not twice.is_empty():
        row = twice.row(0, named=True)
        raise InputError(
            f"the records of several runs were put together: {row['agent']} walked problem {row['problem']} of "
            f"{row['set']}/{row['map']} more than once{REMEDY}"
        )
    _check_shared(records)


def _check_shared(records: pl.DataFrame) -> None:
    """Refuse sets of which no two were walked by the same agent: nothing compares across them."""
    sets = records.group_by("set").agg(pl.col("agent").unique()).sort("set")
    if sets.height < 2:
        return
    agents = [set(names) for names in sets["agent"]]
    if all(not first & second for at, first in enumerate(agents) for second in agents[:at]):
        raise InputError(
            f"the records are of different suites: no agent walked both {sets['set'][0]} and {sets['set'][1]}{REMEDY}"
        )
