"""Plots of outcomes as SVG: points for agents, one kind of mark for each family, on axes as the papers have them.

Altair takes most of a second to load, so that only who draws something pays for it.
"""

from typing import TYPE_CHECKING, Any

import polars as pl

from permove.papers.outcome import Data, Plot

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 560, 400

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

COLOURS = ("#4c78a8", "#e45756", "#54a24b", "#b279a2", "#f58518", "#72b7b2", "#9d755d", "#333333")
"""Colours that also those tell apart who see few of them; the shapes say it again."""


def svg(data: Data) -> str:
    """The plot of some data as a picture."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(chart(data).to_json())
    return drawn


def chart(data: Data) -> "alt.LayerChart":
    """The plot of some data, which has to have one."""
    import altair as alt

    plot = data.plot
    if plot is None:
        raise ValueError(f"{data.about} has no plot")
    frame = _shown(data.frame, plot)
    groups = frame[plot.group].unique(maintain_order=True).to_list()
    colour = alt.Color(f"{plot.group}:N", title=None, scale=alt.Scale(domain=groups, range=_cycled(COLOURS, groups)))
    shape = alt.Shape(f"{plot.group}:N", title=None, scale=alt.Scale(domain=groups, range=_cycled(SHAPES, groups)))
    x = alt.X(f"{plot.x}:Q", title=plot.x_title, scale=_scale(log=plot.log_x))
    y = alt.Y(f"{plot.y}:Q", title=plot.y_title, scale=_scale(log=plot.log_y))
    base = alt.Chart(alt.InlineData(values=frame.to_dicts()))
    layers: list[Any] = []
    if plot.lines:
        joined = alt.FieldOneOfPredicate(field=plot.group, oneOf=list(plot.lines))
        order = alt.Order("row:Q")
        layers.append(base.transform_filter(joined).mark_line(opacity=0.5).encode(x=x, y=y, color=colour, order=order))
    if plot.errors is not None:
        layers.append(base.mark_rule(opacity=0.5).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour))
    layers.append(base.mark_point(size=45, opacity=0.85).encode(x=x, y=y, color=colour, shape=shape))
    if plot.names is not None:
        words = base.mark_text(align="left", dx=7, dy=-5, fontSize=9, color="#444444")
        layers.append(words.encode(x=x, y=y, text=f"{plot.names}:N"))
    drawn: alt.LayerChart = (
        alt.layer(*layers)
        .properties(width=WIDTH, height=HEIGHT)
        .configure(background="white", font="sans-serif")
        .configure_legend(orient="top", columns=3, labelLimit=0, symbolSize=70)
        .configure_axis(gridColor="#eeeeee")
        .configure_view(stroke="#cccccc")
    )
    return drawn


def _shown(frame: pl.DataFrame, plot: Plot) -> pl.DataFrame:
    """The rows that are drawn, with their numbers and the ends of their errors."""
    inside = (pl.col(plot.x) <= plot.most_x) & (pl.col(plot.y) <= plot.most_y)
    kept = frame.filter(inside & pl.col(plot.x).is_finite() & pl.col(plot.y).is_finite()).with_row_index("row")
    columns = ["row", plot.group, plot.x, plot.y, *([plot.names] if plot.names else [])]
    if plot.errors is None:
        return kept.select(columns)
    error = pl.col(plot.errors).fill_nan(None).fill_null(0)
    return kept.select(*columns, low=pl.col(plot.y) - error, high=pl.col(plot.y) + error)


def _scale(*, log: bool) -> "alt.Scale":
    import altair as alt

    return alt.Scale(type="log", nice=False, padding=12) if log else alt.Scale(zero=False, padding=12)


def _cycled(values: tuple[str, ...], groups: list[str]) -> list[str]:
    """As many values as there are groups; colours and shapes together tell more of them apart than either."""
    return [values[at % len(values)] for at in range(len(groups))]
