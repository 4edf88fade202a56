"""Histograms: bars of block letters for the terminal, and SVG pictures of the same."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.table import Table

from permove.report import plot
from permove.report.formats import number
from permove.report.plot import Plot

BARS, MOST_BARS = 20, 400
BULK = 0.95
"""What share of the values the first bars show."""

LONGEST = 32
"""How many letters the longest bar has."""

EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True)
class Bins:
    """How many values lie between an edge and the next."""

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]


def binned(values: NDArray[np.float64], *, open_end: bool = False) -> Bins:
    """Values in bins of one width, which is a number that people use, from a multiple of it on.

    Most values lie in the first bins, whose number is about the same for any values; a long tail takes as many more as
    it needs, or with an open end all lies in the last one, whose upper edge is infinite.
    """
    least, most = float(values.min()), float(values.max())
    bulk = float(np.quantile(values, BULK, method="higher"))
    width = _round_up(max(bulk - least, 1e-3) / BARS)
    width = max(width, _round_up((most - least) / MOST_BARS)) if most > least else width
    first = math.floor(least / width)
    last = max(math.floor((bulk if open_end else most) / width) + 1, first + 1)
    edges = np.arange(first, last + 1).astype(np.float64) * np.float64(width)
    if open_end and most >= edges[-1]:
        edges = np.append(edges, np.inf)
    return Bins(edges, np.histogram(values, edges)[0])


def bars(bins: Bins, marks: Mapping[str, float]) -> Table:
    """A bar for each bin, and the names of marks beside those that they lie in."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    most = max(int(bins.counts.max()), 1)
    for at, count in enumerate(bins.counts.tolist()):
        low, high = float(bins.edges[at]), float(bins.edges[at + 1])
        is_first, is_last = at == 0, at + 1 == len(bins.counts)
        here = [name for name, value in marks.items() if (low <= value or is_first) and (value < high or is_last)]
        upper = "more" if math.isinf(high) else number(high)
        table.add_row(f"{number(low)} – {upper}", number(count), _bar(count / most), ", ".join(here))
    return table


def svg(values: NDArray[np.float64], what: str, marks: Mapping[str, float]) -> str:
    """The histogram as a picture, with a line for each mark that lies within it."""
    import altair as alt
    import vl_convert

    bins = binned(values)
    frame = pl.DataFrame({"low": bins.edges[:-1], "high": bins.edges[1:], "count": bins.counts})
    lines = [{"name": name, "value": value} for name, value in marks.items()]
    names = list(marks)
    colour = alt.Color(
        "name:N", title=None, scale=alt.Scale(domain=names, range=list(plot.COLOURS[1 : len(names) + 1]))
    )
    drawn_bars = plot.bars(frame, Plot("low", "count", what, "algorithms"), "high")
    rule = alt.Chart(alt.InlineData(values=lines)).mark_rule(strokeWidth=1.5)
    chart = plot.framed([drawn_bars, rule.encode(x="value:Q", color=colour)], symbolType="stroke")
    drawn: str = vl_convert.vegalite_to_svg(chart.to_json())
    return drawn


def _bar(share: float) -> str:
    """A bar of eighths of letters; what is more than nothing shows."""
    eighths = round(share * LONGEST * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _round_up(width: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten."""
    power = float(10.0 ** np.floor(np.log10(width)))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= width * (1 - 1e-9))
