"""The histogram of a measure over the problems, of all agents together and of each agent."""

import numpy as np
import polars as pl

from permove.analysis.histogram import histogram, samples
from permove.analysis.measures import MEASURES
from permove.common.errors import InputError
from permove.report.document import Block, Document, Figure, Rows
from permove.report.formats import number
from permove.report.histogram import binned
from permove.report.plot import COLOURS, Data, Plot, svg
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, rows_note

ALL = "all agents"

MAX_COLUMNS = 3
"""Maximum number of agents that have a column in the table; JSON and CSV have all."""


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per agent and bin."""
    measure = MEASURES["suboptimality"] if axes.y is None else axes.measures(run)[1]
    ranked = run.by_problem.filter(pl.col("agent").is_in(axes.rule(run).ranked(run.by_problem)))
    found = samples(ranked, measure, rule=axes.rule(run))
    if not found:
        raise InputError(f"no agent has values of {measure.column}; choose another measure with --y")
    labels = dict(run.by_problem.select("agent", "label").unique().iter_rows())
    every = np.concatenate(list(found.values()))
    edges = binned(every, open_end=True).edges
    # Sorted by the mean, the best first; all agents together come before each of them.
    order = sorted(found, key=lambda agent: (float(found[agent].mean()), agent))
    named = {ALL: (None, every)} | {labels[agent]: (agent, found[agent]) for agent in order}
    frame = pl.concat(
        histogram(values, edges).select(pl.lit(label).alias("label"), pl.lit(agent, pl.String).alias("agent"), pl.all())
        for label, (agent, values) in named.items()
    )
    shown = list(named)[: 1 + MAX_COLUMNS] if len(found) > 1 else list(named)[1:]
    columns = {label: frame.filter(label=label)["percentage"] for label in shown}
    rows = [
        [_bin(low, high), *(f"{columns[label][at]:.3g}%" for label in shown)]
        for at, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    ]
    rest = len(found) - MAX_COLUMNS
    about = f"{measure.about[:1].upper()}{measure.about[1:]}"
    blocks: list[Block] = [
        f"Share of the problems by {measure.about}, for all agents together and for those with the lowest means.",
        Figure(lambda: svg(_data(frame, about)), f"{about} over the problems"),
        Rows([measure.about, *shown], [True] * (1 + len(shown)), rows[:MAX_ROWS]),
        *rows_note(len(rows)),
        *([f"{rest:,} more agents; --format json and --format csv have all."] if rest > 0 else []),
        axes.note(run),
    ]
    return ViewResult(frame, Document(f"{run.title}: histogram of {measure.about}", blocks))


def _data(frame: pl.DataFrame, about: str) -> Data:
    """Return the data of the plot: the outline of each histogram."""
    labels = frame["label"].unique(maintain_order=True).head(len(COLOURS)).to_list()
    drawn = frame.filter(pl.col("label").is_in(labels))
    look = Plot("from", "percentage", about, "Share of the problems (%)", group="label", lines=labels, points=False)
    return Data(about, drawn, look)


def _bin(low: float, high: float) -> str:
    return f"{number(low)} and more" if np.isinf(high) else f"{number(low)} to {number(high)}"


VIEW = View("histogram", "the histogram of a measure (--y) over the problems", render)
