"""The measures of convergence as tables for the terminal, in 80 columns: walked, remembered and waited for, planned."""

from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.common.units import format_duration
from permove.report.formats import number
from permove.report.table import endings_tables, headed_table, plus_minus, share


def convergence_table(frame: pl.DataFrame, title: str) -> RenderableType:
    """The frame of `analysis.convergence` as tables."""
    qualified = frame.filter("qualified")
    parts: list[RenderableType] = [Text(title, style="bold")]
    if not qualified.is_empty():
        rows = qualified.rows(named=True)
        parts += [
            _walked(rows),
            Text("Convergence memory, and first-move lag of the final trial", style="bold"),
            _lagged(rows),
            Text("Convergence planning", style="bold"),
            _planned(rows),
        ]
    return Group(*parts, *endings_tables(frame, "Not converged, and in no mean"))


def _walked(rows: list[dict[str, Any]]) -> Table:
    figures = ("\nconverged", "\ntrials", "convergence\ntravel", "final trial's\nsuboptimality")
    table = headed_table("\nagent", *figures)
    for row in rows:
        converged = share(row["converged"], row["problems"])
        table.add_row(row["label"], converged, number(row["trials"]), _mean(row, "travel"), _mean(row, "suboptimality"))
    return table


def _lagged(rows: list[dict[str, Any]]) -> Table:
    table = headed_table("\nagent", "\nmemory", "lag\nexpanded", "lag\ntouched", "lag\ntime")
    for row in rows:
        lag = (_mean(row, "first_move_expanded"), _mean(row, "first_move_touched"))
        table.add_row(row["label"], _mean(row, "memory"), *lag, format_duration(row["first_move_ns"]))
    return table


def _planned(rows: list[dict[str, Any]]) -> Table:
    table = headed_table("agent", "expanded", "touched", "time")
    for row in rows:
        table.add_row(row["label"], _mean(row, "expanded"), _mean(row, "touched"), format_duration(row["time_ns"]))
    return table


def _mean(row: dict[str, Any], name: str) -> str:
    return plus_minus(row[name], row[f"{name}_se"])
