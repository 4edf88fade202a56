"""Terminal tables of the trade-off: qualified agents by planning per move, and disqualified agents with the reasons.

Everything fits 80 columns; labels use the extra room of wider terminals.
"""

import math

import polars as pl
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.common.units import format_duration
from permove.report.formats import number

REPLICAS = "between\nreplicas"
"""Header of the standard deviation between replicas."""

REPLICAS_NOTE = (
    "Values are means over the replicas of each problem. The ± is the standard error over problems, and “between "
    "replicas” the standard deviation of the mean between replicas."
)


def tradeoff_table(frame: pl.DataFrame, title: str) -> RenderableType:
    """Return the tables of the frame of `analysis.tradeoff`."""
    qualified = frame.filter("qualified")
    parts: list[RenderableType] = [Text(title, style="bold")]
    if not qualified.is_empty():
        parts.append(_qualified(qualified))
        if "replica_sd" in frame.columns:
            parts.append(Text(REPLICAS_NOTE))
    return Group(*parts, *outcome_tables(frame, "Not solved, excluded from means"))


def outcome_tables(frame: pl.DataFrame, unsolved_title: str) -> list[RenderableType]:
    """Return the tables of unsolved problems, disqualified agents and failures of a frame with one row per agent."""
    unsolved = frame.filter(pl.col("qualified") & (pl.col("unsolved") != ""))
    disqualified = frame.filter(~pl.col("qualified"))
    broken = frame.filter(pl.col("broken") > 0)
    parts: list[RenderableType] = []
    if not unsolved.is_empty():
        parts += [Text(unsolved_title, style="bold"), _unsolved(unsolved)]
    if not disqualified.is_empty():
        parts += [Text("Disqualified: over the limit on planning per move", style="bold"), _disqualified(disqualified)]
    if not broken.is_empty():
        parts += [Text("Crashed, hung or made an illegal move", style="bold"), _broken(broken)]
    if frame["problems"].n_unique() > 1:
        parts.append(
            Text("Not all agents were run on the same problems, so their values are not comparable.", style="yellow")
        )
    return parts


def plus_minus(mean: float | None, error: float | None) -> str:
    """Format a mean with its standard error, to two significant digits of the error."""
    if mean is None:
        return "–"
    if error is None or not error > 0:
        return number(mean)
    decimals = min(max(1 - math.floor(math.log10(error)), 0), 4)
    return f"{mean:,.{decimals}f} ± {error:,.{decimals}f}"


def compact(mean: float | None, error: float | None) -> str:
    """Format a mean with its standard error, to one significant digit of the error."""
    if mean is None or error is None or not error > 0:
        return number(mean)
    decimals = min(max(-math.floor(math.log10(error)), 0), 3)
    return f"{mean:,.{decimals}f}±{error:,.{decimals}f}"


def share(count: int, total: int) -> str:
    """Format a count, with the total if it is not all."""
    return number(count) if count == total else f"{count:,} of {total:,}"


def _qualified(frame: pl.DataFrame) -> Table:
    columns = ("\nsolved", "\nsuboptimality", "expanded\nper move", "worst\nmove", "time\nper move")
    has_replicas = "replica_sd" in frame.columns
    table = headed_table("\nagent", *columns[:2], *[REPLICAS] * has_replicas, *columns[2:])
    for row in frame.iter_rows(named=True):
        table.add_row(
            row["label"],
            share(row["solved"], row["problems"]),
            plus_minus(row["suboptimality"], row["suboptimality_se"]),
            *[number(row.get("replica_sd"))] * has_replicas,
            plus_minus(row["expanded_per_move"], row["expanded_per_move_se"]),
            number(row["expanded_max"]),
            format_duration(row["time_per_move_ns"]),
        )
    return table


def _unsolved(frame: pl.DataFrame) -> Table:
    table = headed_table("agent", "problems", "outcomes")
    for row in frame.iter_rows(named=True):
        table.add_row(row["label"], number(row["problems"]), row["unsolved"])
    return table


def _disqualified(frame: pl.DataFrame) -> Table:
    table = headed_table("agent", "problems", "worst case")
    for row in frame.iter_rows(named=True):
        table.add_row(row["label"], f"{row['over']:,} of {row['problems']:,}", row["why"])
    return table


def _broken(frame: pl.DataFrame) -> Table:
    table = headed_table("agent", "problems", "first case")
    for row in frame.iter_rows(named=True):
        table.add_row(row["label"], f"{row['broken']:,} of {row['problems']:,}", row["how"])
    return table


def headed_table(first: str, *headers: str) -> Table:
    """Return a table whose first column, the name of the agent, shrinks if there is little room."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column(first, overflow="fold")
    for header in headers:
        table.add_column(header, justify="right" if header not in TEXT else "left", no_wrap=header not in TEXT)
    return table


TEXT = ("outcomes", "worst case", "first case")
"""Text columns; all others are numeric."""


def facts_table(facts: dict[str, str]) -> Table:
    """Return a table of names and values, one below the other."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for fact, text in facts.items():
        table.add_row(fact, text)
    return table
