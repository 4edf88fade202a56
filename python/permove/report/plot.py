"""Plots of results as SVG: one point per agent, one mark per family, with the axes of the papers.

Altair takes most of a second to import, so it is imported only when something is drawn.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from permove.common.extras import require

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 560, 400
PANELS, PANEL_WIDTH, PANEL_HEIGHT = 2, 360, 260
"""Number of panels in a row, and their size."""

ROOM = 0.1
"""An axis starts at zero if the smallest value is less than this share of the range above zero."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

COLOURS = ("#4c78a8", "#e45756", "#54a24b", "#b279a2", "#f58518", "#72b7b2", "#9d755d", "#333333")
"""Colours that are distinguishable with colour vision deficiency; shapes add redundancy."""


@dataclass(frozen=True)
class Plot:
    """How to draw a frame: one point per row with one mark per group, or bars without groups."""

    x: str
    y: str
    x_title: str
    y_title: str
    group: str = "family"
    """Column of the groups."""
    lines: Sequence[Any] = ()
    """Groups whose points are joined by a line, in the order of the rows."""
    points: bool = True
    """Whether points have marks; without them, there are only lines."""
    errors: str | None = None
    """Column of the standard errors of y."""
    log_x: bool = False
    log_y: bool = False
    max_x: float = math.inf
    max_y: float = math.inf
    """Points beyond these values are not drawn."""
    names: str | None = None
    """Column of the names next to the points, if any."""
    bars_to: str | None = None
    """For histograms, the column of the end of each row's bar, which starts at `x`: bars instead of points."""
    panel: str | None = None
    """Column of the panels: one plot for each of its values, with its own axes and the value as its title."""
    series: Sequence[str] = ()
    """Columns of a frame that has no column y: each has the values of a group, which is named after it."""


@dataclass(frozen=True)
class Data:
    """Measured data, with its plot if it has one."""

    about: str
    frame: pl.DataFrame
    plot: Plot | None = None


def svg(data: Data) -> str:
    """Return the plot of data as SVG."""
    require("plots", "drawing a plot")
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(chart(data).to_json())
    return drawn


def compact(drawn: str) -> str:
    """Return an SVG without the descriptions of single marks, which are a third of a plot with many points."""
    return re.sub(r' (aria-label|aria-roledescription|aria-hidden|role|class|pointer-events)="[^"]*"', "", drawn)


def chart(data: Data) -> Any:
    """Return the chart of data that has a plot, or of its panels."""
    plot = data.plot
    if plot is None:
        raise ValueError(f"{data.about} has no plot")
    frame = data.frame
    if plot.series:
        kept = [plot.x, *([plot.panel] if plot.panel else [])]
        frame = frame.unpivot(plot.series, index=kept, variable_name=plot.group, value_name=plot.y)
    frame = _named(frame, plot)
    if plot.panel is None:
        return framed(_layers(frame, plot, frame), columns=3, symbolSize=70)
    import altair as alt

    is_number = frame.schema[plot.panel].is_numeric()
    panels = [
        alt.layer(*_layers(part, plot, frame)).properties(
            width=PANEL_WIDTH, height=PANEL_HEIGHT, title=f"{plot.panel} = {name}" if is_number else str(name)
        )
        for (name,), part in frame.partition_by(plot.panel, as_dict=True, maintain_order=True).items()
    ]
    return _styled(alt.concat(*panels, columns=PANELS), columns=3, symbolSize=70)


def _layers(frame: pl.DataFrame, plot: Plot, every: pl.DataFrame) -> list[Any]:
    """Return the layers of one panel; all panels have the same groups, those shown of the complete frame."""
    if plot.bars_to is not None:
        return [bars(frame, plot, plot.bars_to)]
    return _points(frame, plot, _shown(every, plot)[plot.group].unique(maintain_order=True).to_list())


def _named(frame: pl.DataFrame, plot: Plot) -> pl.DataFrame:
    """Return a frame whose groups have names: a column of truth values becomes its name and the reverse."""
    if frame.schema.get(plot.group) != pl.Boolean:
        return frame
    words = {True: plot.group, False: f"not {plot.group}", None: "–"}
    # The points of which it does not hold are few, and are drawn above the others.
    frame = frame.sort(plot.group, descending=True, nulls_last=True, maintain_order=True)
    return frame.with_columns(pl.Series(plot.group, [words[value] for value in frame[plot.group]]))


def framed(layers: Sequence[Any], **legend: Any) -> Any:
    """Return layers as one chart in the common style; `legend` overrides settings of its legend."""
    import altair as alt

    return _styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), **legend)


def _styled(chart: Any, **legend: Any) -> Any:
    return (
        chart.configure(background="white", font="sans-serif")
        .configure_legend(orient="top", labelLimit=0, **legend)
        .configure_title(fontSize=10)
        .configure_axis(gridColor="#eeeeee")
        .configure_view(stroke="#cccccc")
    )


def bars(frame: pl.DataFrame, plot: Plot, end: str) -> "alt.Chart":
    """Return one bar per row, from `plot.x` to `end`."""
    import altair as alt

    x, y = alt.X(f"{plot.x}:Q", bin="binned", title=plot.x_title), alt.Y(f"{plot.y}:Q", title=plot.y_title)
    base: dict[str, Any] = {}
    if plot.log_y:
        # A logarithmic axis has no zero: bars start below the shortest one, and empty ones are omitted.
        frame = frame.filter(pl.col(plot.y) > 0)
        start = float(frame[plot.y].to_numpy().min()) / 2
        y = y.scale(type="log", domainMin=start)
        base = {"y2": alt.datum(start)}
    rows = frame.select(plot.x, end, plot.y).to_dicts()
    drawn: alt.Chart = alt.Chart(alt.InlineData(values=rows)).mark_bar(color=COLOURS[0])
    return drawn.encode(x=x, x2=f"{end}:Q", y=y, **base)


def _points(frame: pl.DataFrame, plot: Plot, groups: list[str]) -> list[Any]:
    import altair as alt

    frame = _shown(frame, plot)
    colour = alt.Color(f"{plot.group}:N", title=None, scale=alt.Scale(domain=groups, range=_cycled(COLOURS, groups)))
    shape = alt.Shape(f"{plot.group}:N", title=None, scale=alt.Scale(domain=groups, range=_cycled(SHAPES, groups)))
    x = alt.X(f"{plot.x}:Q", title=plot.x_title, scale=_scale(frame[plot.x], log=plot.log_x))
    y = alt.Y(f"{plot.y}:Q", title=plot.y_title, scale=_scale(frame[plot.y], log=plot.log_y))
    base = alt.Chart(alt.InlineData(values=frame.to_dicts()))
    layers: list[Any] = []
    if plot.lines:
        joined = alt.FieldOneOfPredicate(field=plot.group, oneOf=list(plot.lines))
        order = alt.Order("row:Q")
        line = {"opacity": 0.5} if plot.points else {"interpolate": "step-after"}
        layers.append(base.transform_filter(joined).mark_line(**line).encode(x=x, y=y, color=colour, order=order))
    if plot.errors is not None:
        layers.append(base.mark_rule(opacity=0.5).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour))
    if plot.points:
        layers.append(base.mark_point(size=45, opacity=0.85).encode(x=x, y=y, color=colour, shape=shape))
    if plot.names is not None:
        names = base.mark_text(align="left", dx=7, dy=-5, fontSize=9, color="#444444")
        layers.append(names.encode(x=x, y=y, text=f"{plot.names}:N"))
    return layers


def _shown(frame: pl.DataFrame, plot: Plot) -> pl.DataFrame:
    """Return the rows that are drawn, with their numbers and error bars."""
    inside = (pl.col(plot.x) <= plot.max_x) & (pl.col(plot.y) <= plot.max_y)
    kept = frame.filter(inside & pl.col(plot.x).is_finite() & pl.col(plot.y).is_finite()).with_row_index("row")
    columns = ["row", plot.group, plot.x, plot.y, *([plot.names] if plot.names else [])]
    if plot.errors is None:
        return kept.select(columns)
    error = pl.col(plot.errors).fill_nan(None).fill_null(0)
    return kept.select(*columns, low=pl.col(plot.y) - error, high=pl.col(plot.y) + error)


def _scale(values: pl.Series, *, log: bool) -> "alt.Scale":
    """Return a scale with some padding that does not extend below zero if no value does."""
    import altair as alt

    if log:
        return alt.Scale(type="log", nice=False, padding=12)
    low, high = cast(float, values.min() or 0), cast(float, values.max() or 0)
    reaches_zero = 0 <= low < ROOM * (high - low)
    return alt.Scale(zero=False, padding=12, domainMin=0 if reaches_zero else alt.Undefined)


def _cycled(values: tuple[str, ...], groups: list[str]) -> list[str]:
    """Repeat values until every group has one."""
    return [values[at % len(values)] for at in range(len(groups))]
