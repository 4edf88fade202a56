"""Figures for papers and pages: one column wide, with a legend of families and labels of agents.

Figures are SVG texts. `write_figure` converts them to the format of a file. Labels are placed next to their points, or
omitted if there is no room: the legend and the order along a line still identify the agent.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from permove.common.errors import InputError
from permove.common.extras import require
from permove.common.files import write_atomic
from permove.report.families import families_of, values_in
from permove.report.plot import COLOURS, SHAPES

if TYPE_CHECKING:
    import altair as alt

_Align: TypeAlias = Literal["left", "center", "right"]

WIDTH, HEIGHT = 246, 190
"""The size of a figure in points: one column of a paper with two columns."""

FONT, SMALL = 8.0, 6.5
INK, SOFT, GRID = "#222222", "#666666", "#e4e4e4"

SUFFIXES = (".svg", ".pdf", ".png")
PNG_SCALE = 4
"""Pixels per point of pictures."""

LOG_FROM = 8.0
"""An axis is logarithmic if the largest value is this many times the smallest."""

MAX_NAME = 24
"""Maximum number of letters of the names of a legend with two columns."""

MAX_PLAIN = 20_000
"""Larger ticks of logarithmic axes have suffixes: k for thousands, M for millions."""

MAX_LEGEND = 16
"""Maximum number of entries of a legend; more agents have only labels."""


def check_figure_file(path: Path) -> None:
    """Raise an error if figures cannot be drawn, or not to this file."""
    require("plots", "drawing a figure")
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"cannot draw {path}; use a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; create it first")


def write_figure(path: Path, svg: str) -> None:
    """Write a figure as SVG, PDF or PNG, as the suffix of the file says."""
    check_figure_file(path)
    import vl_convert

    kind = path.suffix.lower()
    content = svg.encode()
    if kind == ".pdf":
        content = vl_convert.svg_to_pdf(svg)
    elif kind == ".png":
        content = vl_convert.svg_to_png(svg, scale=PNG_SCALE)
    write_atomic(path, content)


@dataclass(frozen=True)
class Axis:
    """An axis: its title and its column; `log` chooses a logarithmic scale, by default if the values span much."""

    title: str
    column: str
    log: bool | None = None
    error: str | None = None
    """Column of the standard errors."""
    unit: float = 1.0
    """Values are divided by this."""


@dataclass(frozen=True)
class Points:
    """One point per agent, lines between the agents of a family, and the Pareto front, if there is one."""

    frame: pl.DataFrame
    """One row per agent, with `agent` and `label`."""
    x: Axis
    y: Axis
    front: bool = True
    marked: Sequence[str] = ()
    """Agents that are marked by a ring."""


def points(plot: Points) -> str:
    """Return the SVG of a trade-off."""
    require("plots", "drawing a figure")
    import altair as alt

    frame = _finite(plot.frame, plot.x, plot.y)
    if frame.is_empty():
        raise InputError("there is nothing to draw: no agent has values on both axes; choose other measures or agents")
    families, numbers = families_of(frame["agent"].to_list(), frame["label"].to_list())
    sizes = [numbers.count(at) for at in range(len(families))]
    alone = {number: label for number, label in zip(numbers, frame["label"], strict=True) if sizes[number] == 1}
    names = [alone.get(number, family) for number, family in enumerate(families)]
    has_legend = len(names) <= MAX_LEGEND
    texts = [
        "" if sizes[number] == 1 and has_legend else (has_legend and values_in(label)) or label
        for number, label in zip(numbers, frame["label"], strict=True)
    ]
    shown = frame.select("agent", x=plot.x.column, y=plot.y.column, error=_error(plot.y)).with_columns(
        pl.col("x") / plot.x.unit,
        pl.col("y") / plot.y.unit,
        pl.col("error") / plot.y.unit,
        family=pl.Series([names[number] for number in numbers]),
        text=pl.Series(texts),
    )
    shown = shown.with_columns(low=pl.col("y") - pl.col("error"), high=pl.col("y") + pl.col("error"))
    scales = Scales.over(shown["x"].to_list(), _positive(shown["low"], shown["high"], shown["y"]), plot.x, plot.y)
    shown = shown.with_columns(low=pl.max_horizontal("low", pl.lit(scales.y_domain[0])))
    rows = alt.InlineData(values=shown.to_dicts())
    x, y = scales.channels(plot.x.title, plot.y.title)
    colour, shape = _by_family(names, has_legend=has_legend)
    base = alt.Chart(rows)
    layers: list[Any] = [_front(shown, scales)] if plot.front and shown.height > 1 else []
    swept = [name for name, size in zip(names, sizes, strict=True) if size > 1]
    if swept:
        joined = base.transform_filter(alt.FieldOneOfPredicate(field="family", oneOf=swept))
        line = joined.mark_line(strokeWidth=0.8, opacity=0.6)
        layers.append(line.encode(x=x, y=y, color=colour, detail="family:N", order=alt.Order("x:Q")))
    layers.append(base.mark_rule(strokeWidth=0.8, opacity=0.7).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour))
    layers.append(base.mark_point(size=22, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape))
    if marked := shown.filter(pl.col("agent").is_in(list(plot.marked))).to_dicts():
        ring = alt.Chart(alt.InlineData(values=marked)).mark_point(size=90, strokeWidth=1.2, color=INK, shape="circle")
        layers.append(ring.encode(x=x, y=y))
    layers += _labels(shown, scales, {name for name, size in zip(names, sizes, strict=True) if size > 1})
    return svg(layers, legend_rows=len(names) if has_legend else 0, columns=_columns(names))


@dataclass(frozen=True)
class Curves:
    """One line per agent; at most as many as there are colours, the others are omitted by the caller."""

    frame: pl.DataFrame
    """Rows with `label` and the columns of the axes, in the order of the lines' points."""
    x: Axis
    y: Axis
    steps: bool = False
    marks: bool = False


def curves(plot: Curves) -> str:
    """Return the SVG of a line per agent."""
    require("plots", "drawing a figure")
    import altair as alt

    frame = _finite(plot.frame, plot.x, plot.y)
    if frame.is_empty():
        raise InputError("there is nothing to draw: no agent has values; choose other measures or agents")
    names = frame["label"].unique(maintain_order=True).to_list()
    shown = frame.select(family="label", x=plot.x.column, y=plot.y.column, error=_error(plot.y)).with_columns(
        pl.col("x") / plot.x.unit, pl.col("y") / plot.y.unit, pl.col("error") / plot.y.unit
    )
    shown = shown.with_columns(low=pl.col("y") - pl.col("error"), high=pl.col("y") + pl.col("error"))
    shown = shown.with_row_index("row")
    scales = Scales.over(shown["x"].to_list(), _positive(shown["low"], shown["high"], shown["y"]), plot.x, plot.y)
    shown = shown.with_columns(low=pl.max_horizontal("low", pl.lit(scales.y_domain[0])))
    x, y = scales.channels(plot.x.title, plot.y.title)
    colour, shape = _by_family(names)
    base = alt.Chart(alt.InlineData(values=shown.to_dicts()))
    line = base.mark_line(strokeWidth=1.1, interpolate="step-after" if plot.steps else "linear")
    layers: list[Any] = [line.encode(x=x, y=y, color=colour, order=alt.Order("row:Q"))]
    if plot.y.error is not None:
        band = base.mark_rule(strokeWidth=0.8, opacity=0.7)
        layers.append(band.encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour))
    if plot.marks:
        layers.append(base.mark_point(size=18, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape))
    return svg(layers, legend_rows=len(names), columns=_columns(names))


@dataclass(frozen=True)
class Pairs:
    """One point per problem: the values of two agents."""

    frame: pl.DataFrame
    """Columns `one` and `other`."""
    one: str
    other: str
    measure: str
    log: bool | None = None


def pairs(plot: Pairs) -> str:
    """Return the SVG of the values of two agents on the same problems, with the line on which they are equal."""
    require("plots", "drawing a figure")
    import altair as alt

    frame = plot.frame.select("one", "other").drop_nulls()
    values = [*frame["one"].to_list(), *frame["other"].to_list()]
    if not values:
        raise InputError("there is nothing to draw: the agents have no problem in common")
    axis = Axis("", "", plot.log)
    scales = Scales.over(values, values, axis, axis)
    low, high = scales.x_domain
    x, y = scales.channels(f"{plot.measure} of {plot.one}", f"{plot.measure} of {plot.other}")
    renamed = frame.rename({"one": "x", "other": "y"})
    side = pl.when(pl.col("x") < pl.col("y")).then(pl.lit(0)).when(pl.col("x") > pl.col("y")).then(1).otherwise(2)
    sides = [f"{plot.one} is better", f"{plot.other} is better", "equal"]
    counts = renamed.with_columns(side=side)
    names = [f"{name} ({(counts['side'] == at).sum():,})" for at, name in enumerate(sides)]
    rows = counts.with_columns(family=pl.col("side").replace_strict(dict(enumerate(names)), return_dtype=pl.String))
    colour, shape = _by_family(names)
    diagonal = alt.Chart(alt.InlineData(values=[{"x": low, "y": low}, {"x": high, "y": high}]))
    dots = alt.Chart(alt.InlineData(values=rows.select("x", "y", "family").to_dicts()))
    layers: list[Any] = [
        diagonal.mark_line(strokeWidth=0.8, color=SOFT, strokeDash=[3, 2]).encode(x=x, y=y),
        dots.mark_point(size=12, filled=True, opacity=0.6).encode(x=x, y=y, color=colour, shape=shape),
    ]
    return svg(layers, legend_rows=len(names), columns=1, height=WIDTH)


@dataclass(frozen=True)
class Ranges:
    """One row per agent: a value with its interval, and the value to which the intervals are compared."""

    frame: pl.DataFrame
    """Columns `label`, `value`, `low`, `high` and `kind`, in the order of the rows."""
    title: str
    zero: float = 0.0


def ranges(plot: Ranges) -> str:
    """Return the SVG of values with intervals, one below the other."""
    require("plots", "drawing a figure")
    import altair as alt

    frame = plot.frame.drop_nulls("value").with_columns(
        pl.col("low").fill_null(pl.col("value")), pl.col("high").fill_null(pl.col("value"))
    )
    if frame.is_empty():
        raise InputError("there is nothing to draw: no agent is comparable")
    kinds = frame["kind"].unique(maintain_order=True).to_list()
    labels = frame["label"].to_list()
    bounds = (*frame["low"].to_list(), *frame["high"].to_list(), plot.zero)
    pad = 0.05 * (max(bounds) - min(bounds) or 1.0)
    scale = alt.Scale(domain=[min(bounds) - pad, max(bounds) + pad], nice=False, zero=False)
    x = alt.X("value:Q", title=plot.title, scale=scale, axis=alt.Axis(tickCount=5))
    y = alt.Y("label:N", title=None, sort=labels, axis=alt.Axis(grid=True, labelLimit=110))
    colour = alt.Color("kind:N", title=None, scale=alt.Scale(domain=kinds, range=_cycled(COLOURS, len(kinds))))
    base = alt.Chart(alt.InlineData(values=frame.select("label", "value", "low", "high", "kind").to_dicts()))
    zero = alt.Chart(alt.InlineData(values=[{"value": plot.zero}])).mark_rule(strokeWidth=0.8, color=SOFT)
    layers: list[Any] = [
        zero.encode(x="value:Q"),
        base.mark_rule(strokeWidth=1).encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=colour),
        base.mark_point(size=22, filled=True, opacity=1).encode(x=x, y=y, color=colour),
    ]
    return svg(layers, legend_rows=len(kinds), height=60 + 12 * len(labels))


def _columns(names: Sequence[str]) -> int:
    """Return the columns of a legend: long names need its whole width."""
    return 1 if max(map(len, names)) > MAX_NAME else 2


def svg(layers: Sequence[Any], *, legend_rows: int = 0, columns: int = 2, height: float = HEIGHT) -> str:
    """Return layers as SVG in the common style; the legend is above the plot."""
    import altair as alt
    import vl_convert

    columns = min(columns, max(legend_rows, 1))
    rows = math.ceil(legend_rows / columns)
    drawn = (
        alt.layer(*layers)
        .properties(
            width=WIDTH,
            height=height + 11 * rows,
            autosize=alt.AutoSizeParams(type="fit", contains="padding"),
            padding=3,
        )
        .configure(background="white", font="Helvetica, Arial, sans-serif")
        .configure_axis(
            gridColor=GRID,
            gridWidth=0.6,
            domainColor=SOFT,
            domainWidth=0.6,
            tickColor=SOFT,
            tickWidth=0.6,
            tickSize=3,
            labelFontSize=FONT - 1,
            titleFontSize=FONT,
            labelColor=INK,
            titleColor=INK,
            titleFontWeight="normal",
            labelOverlap="greedy",
            titlePadding=4,
        )
        .configure_legend(
            orient="top",
            columns=columns,
            labelFontSize=FONT - 1,
            labelColor=INK,
            labelLimit=WIDTH / columns - 24,
            symbolSize=28,
            rowPadding=1,
            columnPadding=6,
            offset=4,
            symbolStrokeWidth=1,
        )
        .configure_view(stroke=None)
    )
    text: str = vl_convert.vegalite_to_svg(drawn.to_json())
    return text


@dataclass(frozen=True)
class Scales:
    """The domains of both axes, and where a value is on the paper, roughly."""

    x_domain: tuple[float, float]
    y_domain: tuple[float, float]
    x_log: bool
    y_log: bool
    size: tuple[float, float] = field(default=(WIDTH - 40.0, HEIGHT - 35.0))

    @classmethod
    def over(cls, xs: Sequence[float], ys: Sequence[float], x: Axis, y: Axis) -> "Scales":
        """Return scales over some values."""
        (x_domain, x_log), (y_domain, y_log) = _domain(xs, log=x.log), _domain(ys, log=y.log)
        return cls(x_domain, y_domain, x_log, y_log)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is, from the top left."""
        width, height = self.size
        return width * _share(x, self.x_domain, log=self.x_log), height * (1 - _share(y, self.y_domain, log=self.y_log))

    def value(self, left: float, top: float) -> tuple[float, float]:
        """Return the point at a place."""
        width, height = self.size
        return (
            _at(left / width, self.x_domain, log=self.x_log),
            _at(1 - top / height, self.y_domain, log=self.y_log),
        )

    def channels(self, x_title: str, y_title: str) -> tuple["alt.X", "alt.Y"]:
        """Return the channels of both axes."""
        import altair as alt

        x, y = (
            alt.Scale(type="log" if log else "linear", domain=list(domain), nice=False, zero=False)
            for domain, log in ((self.x_domain, self.x_log), (self.y_domain, self.y_log))
        )
        across, up = (
            alt.Axis(values=_ticks(domain), format="~s" if domain[1] > MAX_PLAIN else "~g")
            if log
            else alt.Axis(tickCount=5)
            for domain, log in ((self.x_domain, self.x_log), (self.y_domain, self.y_log))
        )
        return alt.X("x:Q", title=x_title, scale=x, axis=across), alt.Y("y:Q", title=y_title, scale=y, axis=up)


def _ticks(domain: tuple[float, float]) -> list[float]:
    """Return the ticks of a logarithmic axis: powers of ten, and steps between them if there are few."""
    low, high = domain
    decades = math.log10(high / low)
    steps = (1, 2, 5) if decades < 2.5 else (1, 3) if decades < 3.5 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [float(f"{step}e{power}") for power in powers for step in steps]
    return [tick for tick in found if low <= tick <= high]


def _domain(values: Iterable[float], *, log: bool | None) -> tuple[tuple[float, float], bool]:
    known = [value for value in values if math.isfinite(value)]
    low, high = min(known), max(known)
    is_log = low > 0 and (high / low >= LOG_FROM if log is None else log)
    if is_log:
        pad = max((high / low) ** 0.07, 1.05)
        return (low / pad, high * pad), True
    pad = 0.07 * (high - low or abs(high) or 1.0)
    bottom = low - pad
    return (0.0 if low >= 0 > bottom else bottom, high + pad), False


def _share(value: float, domain: tuple[float, float], *, log: bool) -> float:
    low, high = domain
    if log:
        return math.log(max(value, low) / low) / math.log(high / low)
    return (value - low) / (high - low)


def _at(share: float, domain: tuple[float, float], *, log: bool) -> float:
    low, high = domain
    return low * (high / low) ** share if log else low + share * (high - low)


def _error(axis: Axis) -> pl.Expr:
    return pl.lit(0.0) if axis.error is None else pl.col(axis.error).fill_null(0.0).fill_nan(0.0)


def _positive(low: pl.Series, high: pl.Series, values: pl.Series) -> list[float]:
    """Return the ends of error bars. An end that is not positive is omitted if all values are: the axis may be log."""
    ends = [*low.to_list(), *high.to_list()]
    positive = (values > 0).all()
    return [*values.to_list(), *(end for end in ends if end > 0 or not positive)]


def _finite(frame: pl.DataFrame, x: Axis, y: Axis) -> pl.DataFrame:
    known = [pl.col(axis.column).is_not_null() & pl.col(axis.column).cast(pl.Float64).is_finite() for axis in (x, y)]
    return frame.filter(*known).sort(x.column) if "agent" in frame.columns else frame.filter(*known)


def _by_family(names: Sequence[str], *, has_legend: bool = True) -> tuple["alt.Color", "alt.Shape"]:
    import altair as alt

    colours = alt.Scale(domain=list(names), range=_cycled(COLOURS, len(names)))
    shapes = alt.Scale(domain=list(names), range=_shapes(len(names)))
    legend: Any = alt.Undefined if has_legend else None
    return (
        alt.Color("family:N", title=None, scale=colours, legend=legend),
        alt.Shape("family:N", title=None, scale=shapes, legend=legend),
    )


def _cycled(values: Sequence[str], count: int) -> list[str]:
    return [values[at % len(values)] for at in range(count)]


def _shapes(count: int) -> list[str]:
    """Return shapes such that names with the same colour have different ones."""
    return [SHAPES[(at + at // len(COLOURS)) % len(SHAPES)] for at in range(count)]


def _front(shown: pl.DataFrame, scales: Scales) -> Any:
    """Return the Pareto front as steps: to its right and above, everything is dominated."""
    import altair as alt

    best = math.inf
    corners: list[tuple[float, float]] = []
    for row in shown.sort("x", "y").iter_rows(named=True):
        if row["y"] < best:
            if corners:
                corners.append((row["x"], best))
            best = row["y"]
            corners.append((row["x"], best))
    corners = [(corners[0][0], scales.y_domain[1]), *corners, (scales.x_domain[1], best)]
    rows = [{"x": x, "y": y, "row": row} for row, (x, y) in enumerate(corners)]
    line = alt.Chart(alt.InlineData(values=rows)).mark_line(strokeWidth=0.8, color=SOFT, strokeDash=[2, 2])
    return line.encode(x="x:Q", y="y:Q", order="row:Q")


def _labels(shown: pl.DataFrame, scales: Scales, swept: set[str]) -> list[Any]:
    """Place the labels of points where they overlap neither points nor other labels."""
    import altair as alt

    rows = [row for row in shown.iter_rows(named=True) if row["text"]]
    spots = [scales.place(row["x"], row["y"]) for row in shown.iter_rows(named=True)]
    taken = [(left - 3.0, top - 3.0, left + 3.0, top + 3.0) for left, top in spots]
    ends = {place for name in swept for place in _ends(rows, name)}
    found: dict[_Align, list[dict[str, Any]]] = {"left": [], "center": [], "right": []}
    for _, row in sorted(enumerate(rows), key=lambda each: (each[0] not in ends, each[0])):
        left, top = scales.place(row["x"], row["y"])
        wide, high = 0.54 * SMALL * len(row["text"]), SMALL + 1
        for align, x, y in _candidates(left, top, high):
            begin = {"left": x, "center": x - wide / 2, "right": x - wide}[align]
            box = (begin, y - high / 2, begin + wide, y + high / 2)
            inside = box[0] >= 0 and box[2] <= scales.size[0] and box[1] >= 0 and box[3] <= scales.size[1]
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                place = scales.value(x, y)
                found[align].append({"x": place[0], "y": place[1], "text": row["text"]})
                break
    return [
        alt.Chart(alt.InlineData(values=some))
        .mark_text(align=align, baseline="middle", fontSize=SMALL, **look)
        .encode(x="x:Q", y="y:Q", text="text:N")
        for align, some in found.items()
        if some
        for look in ({"stroke": "white", "strokeWidth": 2, "color": "white"}, {"color": INK})
    ]


def _ends(rows: list[dict[str, Any]], family: str) -> list[int]:
    places = [place for place, row in enumerate(rows) if row["family"] == family]
    return [places[0], places[-1]] if places else []


def _candidates(left: float, top: float, high: float) -> list[tuple[_Align, float, float]]:
    gap = 4.0
    return [
        ("left", left + gap, top),
        ("center", left, top - gap - high / 2),
        ("center", left, top + gap + high / 2),
        ("right", left - gap, top),
        ("left", left + gap, top - high),
        ("left", left + gap, top + high),
        ("right", left - gap, top - high),
        ("right", left - gap, top + high),
    ]


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
