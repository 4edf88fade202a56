"""Growth of a measure with the size of problems."""

import math

import polars as pl

from permove.analysis.measures import Measure, Table
from permove.analysis.scaling import scaling
from permove.report.document import Block, Document, Rows
from permove.report.table import compact
from permove.views.figures import axis_of, curves_figure
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, format_value, rows_note, unsolved_blocks


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per agent, with one column per range of buckets."""
    _, measure = axes.measures(run)
    rule = axes.rule(run)
    frame = scaling(run.by_problem, measure, rule=rule, score=axes.scoring(), seed=axes.seed)
    parts = frame.partition_by("min_bucket", maintain_order=True)
    labels = dict(frame.select("agent", "label").iter_rows())
    found = {(row["agent"], row["min_bucket"]): row for row in frame.iter_rows(named=True)}
    starts = [part["min_bucket"][0] for part in parts]
    rows = []
    last = {row["agent"]: row[measure.column] for row in parts[-1].iter_rows(named=True)}
    # Sorted by the value on the largest problems; agents without one are last.
    order = sorted(labels.items(), key=lambda each: (_or_last(last.get(each[0])), each[0]))
    place = {agent: number for number, (agent, _) in enumerate(order)}
    for agent, label in order:
        own = [found.get((agent, start)) for start in starts]
        rows.append([label, *("–" if row is None else _cell(row, measure) for row in own)])
    headers, title = ["\nagent"], axes.title(measure)
    for part in parts:
        first, end = part["min_bucket"][0], part["max_bucket"][0]
        buckets = f"{first}" if first == end else f"{first}–{end}"
        headers.append(f"{buckets}\n≈{part['optimal'][0]:,.0f}")
    blocks: list[Block] = [
        f"{title[0].upper()}{title[1:]} by bucket, with the mean optimal cost of each range below its buckets.",
        Rows(headers, [False, *([True] * len(parts))], rows[:MAX_ROWS]),
        curves_figure(
            frame.sort(pl.col("agent").replace_strict(place, return_dtype=pl.Int64), "optimal"),
            axis_of("optimal", "optimal cost"),
            axis_of(measure.column, title, error=f"{measure.column}_se"),
            f"{title[0].upper()}{title[1:]} by optimal cost, with standard errors.",
        ),
        *rows_note(len(rows)),
        axes.note(run),
        *unsolved_blocks(Table(run.by_problem).averages([])),
    ]
    return ViewResult(frame, Document(f"{run.title}: {title} by size of problem", blocks))


def _or_last(value: float | None) -> float:
    return math.inf if value is None else value


def _cell(row: dict[str, float | None], measure: Measure) -> str:
    name = measure.column
    if name.endswith("_ns"):
        return format_value(row[name], measure)
    return compact(row[name], row[f"{name}_se"])


VIEW = View("scaling", "a measure (--y) by the size of problems", render)
