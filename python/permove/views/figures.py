"""Figures of views: which frame, axes and titles each has. `permove.report.figures` draws them."""

from collections.abc import Sequence

import polars as pl

from permove.analysis.measures import Measure
from permove.report.document import Figure
from permove.report.figures import Axis, Curves, Pairs, Points, Ranges, curves, pairs, points, ranges
from permove.report.plot import COLOURS

MAX_CURVES = len(COLOURS)
"""Maximum number of lines: each has its own colour."""

MICROSECONDS = 1000.0


def axis_of(column: str, title: str, *, error: str | None = None, log: bool | None = None) -> Axis:
    """Return the axis of a column; times are in microseconds."""
    name = f"{title[:1].upper()}{title[1:]}"
    if column.endswith("_ns"):
        return Axis(f"{name} (µs)", column, log, error, MICROSECONDS)
    return Axis(name, column, log, error)


def tradeoff_figure(frame: pl.DataFrame, x: Measure, y: Measure, y_title: str, marked: Sequence[str] = ()) -> Figure:
    """Return two measures of all agents that qualify, with the Pareto front and the standard errors of y."""
    error = f"{y.column}_se" if f"{y.column}_se" in frame.columns else None
    plot = Points(
        frame.filter("qualified"), axis_of(x.column, x.about), axis_of(y.column, y_title, error=error), marked=marked
    )
    rings = " Rings mark the compared agents." if marked else ""
    about = f"{y_title[:1].upper()}{y_title[1:]} against {x.about}, with the Pareto front and standard errors.{rings}"
    return Figure(lambda: points(plot), about)


def guide_figure(candidates: pl.DataFrame, quantity: str, y_title: str, *, by_time: bool) -> Figure:
    """Return the score of each agent against its worst move; the steps are the best agent for each limit."""
    frame = candidates.filter(pl.col("out").is_null())
    unit = MICROSECONDS if by_time else 1.0
    plot = Points(
        frame, Axis(quantity, "worst", True, unit=unit), axis_of("suboptimality", y_title, error="suboptimality_se")
    )
    return Figure(lambda: points(plot), "Agents at the lowest limit that they keep; the steps are the guide.")


def curves_figure(
    frame: pl.DataFrame, x: Axis, y: Axis, about: str, *, steps: bool = False, marks: bool = True
) -> Figure:
    """Return a line for each of the first agents of a frame."""
    agents = frame["agent"].unique(maintain_order=True)
    omitted = len(agents) - MAX_CURVES
    shown = frame.filter(pl.col("agent").is_in(agents.head(MAX_CURVES).to_list()))
    note = f" The first {MAX_CURVES} of {len(agents)} agents are shown." if omitted > 0 else ""
    return Figure(lambda: curves(Curves(shown, x, y, steps, marks)), f"{about}{note}")


def pairs_figure(compared: pl.DataFrame, one: tuple[str, str], other: tuple[str, str], measure: Measure) -> Figure:
    """Return the values of two agents, each with its spec and label, on the problems that both have."""
    keys = ["set", "map", "problem"]
    values = [
        compared.filter(agent=agent).select(*keys, pl.col(measure.column).alias(name))
        for name, (agent, _) in (("one", one), ("other", other))
    ]
    frame = values[0].join(values[1], on=keys)
    title = f"{measure.about[:1].upper()}{measure.about[1:]}"
    plot = Pairs(frame, one[1], other[1], title)
    return Figure(lambda: pairs(plot), f"{title} on each problem; on the dashed line, both agents are equal.")


def ranges_figure(frame: pl.DataFrame, title: str, about: str) -> Figure:
    """Return a value with its interval for each agent."""
    return Figure(lambda: ranges(Ranges(frame, title)), about)
