"""The trade-off between two measures: the Pareto front with its bootstrap support, and the dominated agents."""

import polars as pl

from permove.analysis.measures import Measure
from permove.analysis.pareto import pareto
from permove.report.document import Block, Document, Heading, Rows
from permove.views.figures import tradeoff_figure
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, format_value, rows_note, unsolved_blocks


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return the front first, then dominated agents, then agents that are not comparable."""
    x, y = axes.measures(run)
    frame = pareto(run.by_problem, x, y, rule=axes.rule(run), score=axes.scoring(), seed=axes.seed)
    front = frame.filter(pl.col("dominated").not_())
    dominated = frame.filter("dominated")
    titles = [axes.title(x), axes.title(y)]
    rows = [
        [
            row["label"],
            _with_interval(row, x),
            _with_interval(row, y),
            "–" if row["front"] is None else f"{100 * row['front']:.0f}%",
        ]
        for row in front.iter_rows(named=True)
    ]
    blocks: list[Block] = [
        tradeoff_figure(frame, x, y, axes.title(y)),
        Heading("Pareto front, with the share of resamples in which each agent is on it"),
        Rows(["agent", *titles, "resamples"], [False, True, True, True], rows),
        f"{axes.note(run)} {_intervals_note(frame)}",
    ]
    if not dominated.is_empty():
        lost = [
            [row["label"], format_value(row[x.column], x), format_value(row[y.column], y), row["dominated_by"]]
            for row in dominated.head(MAX_ROWS).iter_rows(named=True)
        ]
        blocks += [
            Heading("Dominated"),
            Rows(["agent", *titles, "by"], [False, True, True, False], lost),
            *rows_note(dominated.height),
        ]
    return ViewResult(
        frame, Document(f"{run.title}: {axes.title(y)} against {axes.title(x)}", [*blocks, *unsolved_blocks(frame)])
    )


def _with_interval(row: dict[str, float | None], measure: Measure) -> str:
    """Format a value with its interval, if there is one."""
    name = measure.column
    if row[f"{name}_low"] is None or row[name] is None:
        return format_value(row[name], measure)
    low, high = (format_value(row[f"{name}_{end}"], measure) for end in ("low", "high"))
    return f"{format_value(row[name], measure)} ({low} to {high})" if low != high else format_value(row[name], measure)


def _intervals_note(frame: pl.DataFrame) -> str:
    if frame["counted"].max() == 1:
        return "There is only one problem, so there are no intervals."
    return "In brackets, 95% bootstrap intervals over the problems."


VIEW = View("tradeoff", "the Pareto front of two measures (--x, --y)", render)
