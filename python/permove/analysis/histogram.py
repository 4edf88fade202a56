"""Histograms of a measure over problems."""

import numpy as np
import polars as pl

from permove.analysis.measures import Measure, Table
from permove.analysis.statistics import Values
from permove.analysis.unsolved import Unsolved


def histogram(values: Values, edges: Values) -> pl.DataFrame:
    """Return one row per bin between consecutive edges: from, to, count and its percentage."""
    counts = np.histogram(values, edges)[0]
    share = 100 * counts / max(len(values), 1)
    return pl.DataFrame({"from": edges[:-1], "to": edges[1:], "count": counts, "percentage": share})


def samples(records: pl.DataFrame, measure: Measure, *, rule: Unsolved | None = None) -> dict[str, Values]:
    """Return the values of each agent on the problems that count."""
    table = Table(records, rule=rule)
    found = zip(table.agents, table.values(measure.column), strict=True)
    known = {agent: values[~np.isnan(values)] for agent, values in found}
    return {agent: values for agent, values in known.items() if len(values)}
