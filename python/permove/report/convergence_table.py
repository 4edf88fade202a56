"""Terminal tables of the measures of convergence, in 80 columns: travel, memory and lag, planning."""

from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from permove.common.units import format_duration
from permove.report.fitting import FittingTable
from permove.report.formats import number
from permove.report.table import REPLICAS, REPLICAS_NOTE, headed_table, outcome_tables, plus_minus, share


def convergence_table(frame: pl.DataFrame, title: str, *, note: str = "") -> RenderableType:
    """Return the tables of the frame of `analysis.convergence`; `note` says which problems the values are over."""
    qualified = frame.filter("qualified")
    parts: list[RenderableType] = [Text(title, style="bold")]
    if not qualified.is_empty():
        rows = qualified.rows(named=True)
        parts += [
            _travel(rows),
            *([Text(REPLICAS_NOTE)] if "replica_sd" in frame.columns else []),
            Text("Convergence memory, and first-move lag of the final trial", style="bold"),
            _memory_and_lag(rows),
            Text("Convergence planning", style="bold"),
            _planning(rows),
        ]
    if note:
        parts.append(Text(f"{note}\n"))
    return Group(*parts, *outcome_tables(frame, "Not converged", same_problems=bool(note)))


def _travel(rows: list[dict[str, Any]]) -> FittingTable:
    columns = ("\nconverged", "\ntrials", "convergence\ntravel", "final trial's\nsuboptimality")
    has_replicas = "replica_sd" in rows[0]
    table = headed_table("\nagent", *columns[:3], *[REPLICAS] * has_replicas, columns[3])
    for row in rows:
        converged = share(row["converged"], row["problems"])
        table.add_row(
            row["label"],
            converged,
            number(row["trials"]),
            _mean(row, "travel"),
            *[number(row.get("replica_sd"))] * has_replicas,
            _mean(row, "suboptimality"),
        )
    return table


def _memory_and_lag(rows: list[dict[str, Any]]) -> FittingTable:
    table = headed_table("\nagent", "\nmemory", "lag\nexpanded", "lag\ntouched", "lag\ntime")
    for row in rows:
        lag = (_mean(row, "first_move_expanded"), _mean(row, "first_move_touched"))
        table.add_row(row["label"], _mean(row, "memory"), *lag, format_duration(row["first_move_ns"]))
    return table


def _planning(rows: list[dict[str, Any]]) -> FittingTable:
    table = headed_table("agent", "expanded", "touched", "time")
    for row in rows:
        table.add_row(row["label"], _mean(row, "expanded"), _mean(row, "touched"), format_duration(row["time_ns"]))
    return table


def _mean(row: dict[str, Any], name: str) -> str:
    return plus_minus(row[name], row[f"{name}_se"])
