"""The measures of convergence as tables for the terminal, in 80 columns: what was walked, and what was planned."""

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.durations import format_duration
from permove.report.formats import number
from permove.report.table import endings_tables, headed_table, plus_minus, share


def convergence_table(frame: pl.DataFrame, title: str) -> RenderableType:
    """The frame of `analysis.convergence` as tables."""
    qualified = frame.filter("qualified")
    parts: list[RenderableType] = [Text(title, style="bold")]
    if not qualified.is_empty():
        planning = "First-move lag of the final trial, and convergence planning"
        parts += [_walked(qualified), Text(planning, style="bold"), _planned(qualified)]
    return Group(*parts, *endings_tables(frame, "Not converged, and in no mean"))


def _walked(frame: pl.DataFrame) -> Table:
    means = ("convergence\ntravel", "convergence\nmemory", "final trial's\nsuboptimality")
    table = headed_table("\nagent", "\nconverged", "\ntrials", *means)
    for row in frame.iter_rows(named=True):
        table.add_row(
            row["label"],
            share(row["converged"], row["problems"]),
            number(row["trials"]),
            *(plus_minus(row[name], row[f"{name}_se"]) for name in ("travel", "memory", "suboptimality")),
        )
    return table


def _planned(frame: pl.DataFrame) -> Table:
    efforts = [f"{what}\n{measure}" for what in ("lag", "planning") for measure in ("expanded", "touched", "time")]
    table = headed_table("\nagent", *efforts)
    for row in frame.iter_rows(named=True):
        table.add_row(
            row["label"],
            number(row["first_move_expanded"]),
            number(row["first_move_touched"]),
            format_duration(row["first_move_ns"]),
            number(row["expanded"]),
            number(row["touched"]),
            format_duration(row["time_ns"]),
        )
    return table
