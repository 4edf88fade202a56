"""Terminal tables of the trade-off: qualified agents by planning per move, and disqualified agents with the reasons.

Everything fits 80 columns; labels use the extra room of wider terminals.
"""

import math
from collections.abc import Callable

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.common.units import format_duration
from permove.records.flags import FLAG, FLAG_NOTE
from permove.report.fitting import FittingTable
from permove.report.formats import number

WIDTH = 80
"""The number of columns that tables fit."""

REPLICAS = "between\nreplicas"
"""Header of the standard deviation between replicas."""

REPLICAS_NOTE = (
    "Values are means over the replicas of each problem. The ± is the standard error over problems, and “between "
    "replicas” the standard deviation of the mean between replicas."
)

MARK = "†"
"""The mark of means to which a tenth of the problems contributes more than half of the excess over 1."""


def tradeoff_table(frame: pl.DataFrame, title: str, *, note: str = "", scrubbing: bool = False) -> RenderableType:
    """Return the tables of the frame of `analysis.tradeoff`.

    `note` says which problems the values are over; `scrubbing` adds a table of visits to states.
    """
    qualified = frame.filter("qualified")
    parts: list[RenderableType] = [Text(title, style="bold")]
    if not qualified.is_empty():
        parts.append(_qualified(qualified))
    marks = f"{MARK} {MARK_NOTE}" if is_marked(qualified).any() else ""
    replicas = REPLICAS_NOTE if "replica_sd" in frame.columns else ""
    notes = list(filter(None, [note, marks, replicas]))
    if notes:
        parts.append(Text("\n".join(notes) + "\n"))
    if scrubbing:
        parts += [Text("Scrubbing: visits to states", style="bold"), _scrubbing(qualified)]
    return Group(*parts, *outcome_tables(frame, "Not solved", same_problems=bool(note)))


MARK_NOTE = "A tenth of the problems contributes over half of the mean's excess over 1."


def is_marked(frame: pl.DataFrame) -> pl.Series:
    """Return which rows of a trade-off have a mean that does not describe typical problems."""
    return frame.select((pl.col("concentrated") & (pl.col("score") == "mean")).fill_null(False)).to_series()


def outcome_tables(frame: pl.DataFrame, unsolved_title: str, *, same_problems: bool) -> list[RenderableType]:
    """Return the tables of unsolved problems, disqualified agents and failures of a frame with one row per agent.

    `same_problems` says that the values of all agents are over the same problems.
    """
    unsolved = frame.filter(pl.col("qualified") & (pl.col("unsolved") != ""))
    disqualified = frame.filter(~pl.col("qualified"))
    broken = frame.filter(pl.col("broken") > 0)
    parts: list[RenderableType] = []
    if frame["label"].str.ends_with(FLAG).any():
        parts.append(Text(f"{FLAG_NOTE}\n"))
    if not unsolved.is_empty():
        parts += [Text(unsolved_title, style="bold"), _unsolved(unsolved)]
    if not disqualified.is_empty():
        parts += [Text("Disqualified: over the limit on planning per move", style="bold"), _disqualified(disqualified)]
    if not broken.is_empty():
        parts += [Text("Crashed, hung or made an illegal move", style="bold"), _broken(broken)]
    if not same_problems and frame["problems"].n_unique() > 1:
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
    decimals = min(max(-math.floor(math.log10(error)), 0), 4)
    return f"{mean:,.{decimals}f}±{error:,.{decimals}f}"


def share(count: int, total: int) -> str:
    """Format a count, with the total if it is not all."""
    return number(count) if count == total else f"{count:,} of {total:,}"


def _qualified(frame: pl.DataFrame) -> FittingTable:
    headers, rows = qualified_cells(frame)
    table = headed_table(*headers)
    for row in rows:
        table.add_row(*row)
    return table


def qualified_cells(frame: pl.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Return the headers and the cells of the agents that qualify; the first column is text."""
    score = frame["score"].drop_nulls().unique().to_list()[:1] or ["mean"]
    # Next to the median there is the mean, next to all other scores the median.
    second = "mean" if score == ["median"] else "median"
    has_replicas = "replica_sd" in frame.columns
    columns = (f"{score[0]}\nsubopt.", *[REPLICAS] * has_replicas, f"{second}\nsubopt.", "expanded\nper move")
    headers = ["\nagent", "\nsolved", *columns, "worst\nmove", "time\nper move"]
    marks = is_marked(frame)

    def rows(with_error: Callable[[float | None, float | None], str]) -> list[list[str]]:
        return [
            [
                row["label"],
                share(row["solved"], row["problems"]) if with_error is plus_minus else number(row["solved"]),
                with_error(row["suboptimality"], row["suboptimality_se"]) + (MARK if marked else ""),
                *[number(row.get("replica_sd"))] * has_replicas,
                number(row[f"suboptimality_{second}"]),
                with_error(row["expanded_per_move"], row["expanded_per_move_se"]),
                number(row["expanded_max"]),
                format_duration(row["time_per_move_ns"]),
            ]
            for row, marked in zip(frame.iter_rows(named=True), marks, strict=True)
        ]

    # In 80 columns, long numbers would leave no room for labels.
    wide = rows(plus_minus)
    widths = [max(map(len, column)) for column in zip(*wide, strict=True)]
    return headers, wide if sum(widths) + 2 * len(widths) <= WIDTH else rows(compact)


def _scrubbing(frame: pl.DataFrame) -> FittingTable:
    table = headed_table("agent", "visits per state", "most visits to one state")
    for row in frame.iter_rows(named=True):
        visits = plus_minus(row["visits_per_state"], row["visits_per_state_se"])
        table.add_row(row["label"], visits, number(row["visits_max"]))
    return table


def _unsolved(frame: pl.DataFrame) -> FittingTable:
    table = headed_table("agent", "problems", "outcomes")
    for row in frame.iter_rows(named=True):
        table.add_row(row["label"], number(row["problems"]), row["unsolved"])
    return table


def _disqualified(frame: pl.DataFrame) -> FittingTable:
    # Runs to convergence, and records without histograms, have no rate of episodes.
    rates = frame["over_episodes"].to_list() if "over_episodes" in frame.columns else []
    has_rates = any(rate is not None for rate in rates)
    table = headed_table("agent", "problems", *(["episodes"] if has_rates else []), "worst case")
    for row in frame.iter_rows(named=True):
        episodes = [percent(row["over_episodes"])] if has_rates else []
        table.add_row(row["label"], f"{row['over']:,} of {row['problems']:,}", *episodes, row["why"])
    return table


def _broken(frame: pl.DataFrame) -> FittingTable:
    table = headed_table("agent", "problems", "first case")
    for row in frame.iter_rows(named=True):
        table.add_row(row["label"], f"{row['broken']:,} of {row['problems']:,}", row["how"])
    return table


def percent(value: float | None) -> str:
    """Format a share as a percentage, to two significant digits."""
    if value is None:
        return "–"
    return f"{100 * value:.0f}%" if value >= 0.1 or value == 0 else f"{100 * value:.2g}%"


def headed_table(first: str, *headers: str) -> FittingTable:
    """Return a table whose first column is the name of the agent; other columns are numeric, except those of `TEXT`."""
    return FittingTable([first, *headers], [False, *(header not in TEXT for header in headers)])


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
