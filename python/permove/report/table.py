"""The trade-off as a table for the terminal: qualified agents along the trade-off, the disqualified apart, with why.

Everything fits 80 columns; where the terminal is wider, labels have more room.
"""

import math

import polars as pl
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.durations import format_duration
from permove.report.formats import number


def tradeoff_table(frame: pl.DataFrame, title: str) -> RenderableType:
    """The frame of `analysis.tradeoff` as tables."""
    qualified, disqualified = frame.filter("qualified"), frame.filter(~pl.col("qualified"))
    unsolved = qualified.filter(pl.col("unsolved") != "")
    parts: list[RenderableType] = [Text(title, style="bold")]
    if not qualified.is_empty():
        parts.append(_qualified(qualified))
    if not unsolved.is_empty():
        parts += [Text("Not solved, and in no mean", style="bold"), _unsolved(unsolved)]
    if not disqualified.is_empty():
        parts += [Text("Disqualified: over the limit on planning per move", style="bold"), _disqualified(disqualified)]
    if frame["problems"].n_unique() > 1:
        parts.append(
            Text("Not every agent was run on the same problems: their figures do not compare.", style="yellow")
        )
    return Group(*parts)


def plus_minus(mean: float | None, error: float | None) -> str:
    """A mean with its standard error, to the two digits of the error that mean something."""
    if mean is None:
        return "–"
    if error is None or not error > 0:
        return number(mean)
    decimals = min(max(1 - math.floor(math.log10(error)), 0), 4)
    return f"{mean:,.{decimals}f} ± {error:.{decimals}f}"


def _qualified(frame: pl.DataFrame) -> Table:
    table = _table("\nagent", "\nsolved", "\nsuboptimality", "expanded\nper move", "worst\nmove", "time\nper move")
    for row in frame.iter_rows(named=True):
        table.add_row(
            row["label"],
            number(row["solved"]) if row["solved"] == row["problems"] else f"{row['solved']:,} of {row['problems']:,}",
            plus_minus(row["suboptimality"], row["suboptimality_se"]),
            plus_minus(row["expanded_per_move"], row["expanded_per_move_se"]),
            number(row["expanded_max"]),
            format_duration(row["time_per_move_ns"]),
        )
    return table


def _unsolved(frame: pl.DataFrame) -> Table:
    table = _table("agent", "problems", "what happened")
    for row in frame.iter_rows(named=True):
        table.add_row(row["label"], number(row["problems"]), row["unsolved"])
    return table


def _disqualified(frame: pl.DataFrame) -> Table:
    table = _table("agent", "on problems", "worst of them")
    for row in frame.iter_rows(named=True):
        table.add_row(row["label"], f"{row['over']:,} of {row['problems']:,}", row["why"])
    return table


def _table(first: str, *headers: str) -> Table:
    """A table whose first column names the agent and gives way where there is little room."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column(first, overflow="fold")
    for header in headers:
        table.add_column(header, justify="right" if header not in LEFT else "left", no_wrap=header not in LEFT)
    return table


LEFT = ("what happened", "worst of them")
"""Columns of words; all others are figures."""


def facts_table(facts: dict[str, str]) -> Table:
    """A few facts, one below the other."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for fact, text in facts.items():
        table.add_row(fact, text)
    return table
