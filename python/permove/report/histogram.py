"""Histograms: bars of block characters for the terminal, and SVG pictures."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.table import Table

from permove.common.extras import require
from permove.report import plot
from permove.report.formats import number
from permove.report.plot import Plot

BARS, MAX_BARS = 20, 400
BULK = 0.95
"""Share of the values that the first bars show."""

MAX_BAR_WIDTH = 32
"""Number of characters of the longest bar."""

EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True)
class Bins:
    """Counts of values between consecutive edges."""

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]


def binned(values: NDArray[np.float64], *, open_end: bool = False) -> Bins:
    """Sort values into bins of one round width, with edges at multiples of it.

    About `BARS` bins contain most values. A long tail adds as many bins as it needs or, with `open_end`, a single last
    bin whose upper edge is infinite.
    """
    low, high = float(values.min()), float(values.max())
    bulk = float(np.quantile(values, BULK, method="higher"))
    width = _round_up(max(bulk - low, 1e-3) / BARS)
    width = max(width, _round_up((high - low) / MAX_BARS)) if high > low else width
    first = math.floor(low / width)
    last = max(math.floor((bulk if open_end else high) / width) + 1, first + 1)
    edges = np.arange(first, last + 1).astype(np.float64) * np.float64(width)
    if open_end and high >= edges[-1]:
        edges = np.append(edges, np.inf)
    return Bins(edges, np.histogram(values, edges)[0])


def bars(bins: Bins, marks: Mapping[str, float]) -> Table:
    """Return one bar per bin, with the names of the marks that are in it."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    largest = max(int(bins.counts.max()), 1)
    for at, count in enumerate(bins.counts.tolist()):
        low, high = float(bins.edges[at]), float(bins.edges[at + 1])
        is_first, is_last = at == 0, at + 1 == len(bins.counts)
        names = [name for name, value in marks.items() if (low <= value or is_first) and (value < high or is_last)]
        upper = "more" if math.isinf(high) else number(high)
        table.add_row(f"{number(low)} – {upper}", number(count), _bar(count / largest), ", ".join(names))
    return table


def svg(values: NDArray[np.float64], title: str, marks: Mapping[str, float]) -> str:
    """Return the histogram as SVG, with a line for each mark."""
    require("plots", "drawing a plot")
    import altair as alt
    import vl_convert

    bins = binned(values)
    frame = pl.DataFrame({"low": bins.edges[:-1], "high": bins.edges[1:], "count": bins.counts})
    lines = [{"name": name, "value": value} for name, value in marks.items()]
    names = list(marks)
    colour = alt.Color(
        "name:N", title=None, scale=alt.Scale(domain=names, range=list(plot.COLOURS[1 : len(names) + 1]))
    )
    drawn_bars = plot.bars(frame, Plot("low", "count", title, "algorithms"), "high")
    rule = alt.Chart(alt.InlineData(values=lines)).mark_rule(strokeWidth=1.5)
    chart = plot.framed([drawn_bars, rule.encode(x="value:Q", color=colour)], symbolType="stroke")
    drawn: str = vl_convert.vegalite_to_svg(chart.to_json())
    return drawn


def _bar(share: float) -> str:
    """Return a bar in eighths of characters; any share above 0 is visible."""
    eighths = round(share * MAX_BAR_WIDTH * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _round_up(width: float) -> float:
    """Round up to 1, 2, 2.5 or 5 times a power of ten."""
    power = float(10.0 ** np.floor(np.log10(width)))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= width * (1 - 1e-9))
