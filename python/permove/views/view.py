"""What a view of a run is: an analysis of its records, and the document that shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars as pl

from permove.analysis.measures import Measure, find
from permove.common.units import format_duration
from permove.records.settings import CONVERGE, Settings
from permove.report.document import Block, Document, Heading, Rows, present
from permove.report.formats import ReportFormat, number

MOST_ROWS = 40
"""How many rows of a table are shown to readers; JSON and CSV have all."""


class RunLike(Protocol):
    """The parts of a run that views read; `permove.Run` has them."""

    @property
    def title(self) -> str:
        """Suite and limits in a few words."""

    @property
    def settings(self) -> Settings:
        """The settings that all records share."""

    @property
    def records(self) -> pl.DataFrame:
        """One row for each agent on each problem."""

    @property
    def trials(self) -> pl.DataFrame:
        """One row for each trial of a run to convergence."""


@dataclass(frozen=True)
class Seen:
    """A run as a view shows it."""

    frame: pl.DataFrame
    document: Document

    def show(self, format: ReportFormat | str = ReportFormat.TABLE, output: Path | None = None) -> None:
        """On the terminal, or written to a file."""
        present(self.document, self.frame, format, output)


@dataclass(frozen=True)
class Axes:
    """What a view is asked to show; nothing where the view may choose by itself."""

    x: str | None = None
    y: str | None = None
    seed: int = 0

    def measures(self, run: RunLike) -> tuple[Measure, Measure]:
        """Two measures, by default those that the run is about."""
        converging = run.settings.trials == CONVERGE
        x, y = ("first_move_expanded", "travel") if converging else ("expanded_per_move", "suboptimality")
        return find(self.x or x), find(self.y or y)


@dataclass(frozen=True)
class View:
    """A way of looking at a run."""

    name: str
    about: str
    see: Callable[[RunLike, Axes], Seen]


def figure(value: float | None, measure: Measure) -> str:
    """A figure of a measure, times in their units."""
    return format_duration(value) if measure.column.endswith("_ns") else number(value)


def with_interval(row: dict[str, float | None], measure: Measure) -> str:
    """A figure with the ends of its interval, where it has one."""
    name = measure.column
    if row[f"{name}_low"] is None or row[name] is None:
        return figure(row[name], measure)
    low, high = (figure(row[f"{name}_{end}"], measure) for end in ("low", "high"))
    return f"{figure(row[name], measure)} ({low} to {high})" if low != high else figure(row[name], measure)


def apart(frame: pl.DataFrame) -> list[Block]:
    """Who has not solved every problem, with what happened; nothing where all have."""
    rows = []
    for row in frame.iter_rows(named=True):
        missing = f"{row['missing']:,} missing" if row["missing"] else ""
        if row["solved"] < row["problems"]:
            words = ", ".join(filter(None, [row["unsolved"], missing]))
            rows.append([row["label"], f"{row['solved']:,} of {row['problems']:,}", words])
    if not rows:
        return []
    table = Rows(["agent", "solved", "what happened"], [False, True, False], rows[:MOST_ROWS])
    return [Heading("Not solved, and compared with nobody"), table, *more(len(rows))]


def more(rows: int) -> list[Block]:
    """That there are more rows than are shown."""
    return [f"And {rows - MOST_ROWS:,} more, which --format json and --format csv have."] if rows > MOST_ROWS else []


def problems_note(problems: int) -> str:
    """What errors there are."""
    if problems == 1:
        return "There is one problem alone, which gives no interval."
    return f"{problems:,} problems; in brackets the 95% intervals of a bootstrap over them."
