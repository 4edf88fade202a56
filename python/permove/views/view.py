"""Views of a run: an analysis of its records, and the document that shows it."""

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

MAX_ROWS = 40
"""Maximum number of rows that are shown; JSON and CSV have all."""


class RunLike(Protocol):
    """The parts of a run that views read; `permove.Run` has them."""

    @property
    def title(self) -> str:
        """Suite and limits, as a title."""

    @property
    def settings(self) -> Settings:
        """Settings that all records share."""

    @property
    def by_problem(self) -> pl.DataFrame:
        """One row per agent and problem."""

    @property
    def trials(self) -> pl.DataFrame:
        """One row per trial of a run to convergence."""


@dataclass(frozen=True)
class ViewResult:
    """Result of a view: a frame, and a document that shows it."""

    frame: pl.DataFrame
    document: Document

    def show(self, format: ReportFormat | str = ReportFormat.TABLE, output: Path | None = None) -> None:
        """Print the view or write it to a file."""
        present(self.document, self.frame, format, output)


@dataclass(frozen=True)
class Axes:
    """Measures for a view; `None` uses the view's default."""

    x: str | None = None
    y: str | None = None
    seed: int = 0

    def measures(self, run: RunLike) -> tuple[Measure, Measure]:
        """Return the two measures, by default those of the run's kind."""
        converging = run.settings.trials == CONVERGE
        x, y = ("first_move_expanded", "travel") if converging else ("expanded_per_move", "suboptimality")
        return find(self.x or x), find(self.y or y)


@dataclass(frozen=True)
class View:
    """A view: its name, one line for `--help`, and the function that computes it."""

    name: str
    about: str
    render: Callable[[RunLike, Axes], ViewResult]


def format_value(value: float | None, measure: Measure) -> str:
    """Format a value of a measure; times have units."""
    return format_duration(value) if measure.column.endswith("_ns") else number(value)


def unsolved_blocks(frame: pl.DataFrame) -> list[Block]:
    """List the agents that did not solve every problem, with their outcomes."""
    rows = []
    for row in frame.iter_rows(named=True):
        missing = f"{row['missing']:,} missing" if row["missing"] else ""
        if row["solved"] < row["problems"]:
            outcomes = ", ".join(filter(None, [row["unsolved"], missing]))
            rows.append([row["label"], f"{row['solved']:,} of {row['problems']:,}", outcomes])
    if not rows:
        return []
    table = Rows(["agent", "solved", "outcomes"], [False, True, False], rows[:MAX_ROWS])
    return [Heading("Not all problems solved, so excluded from the comparison"), table, *rows_note(len(rows))]


def rows_note(rows: int) -> list[Block]:
    """Return a note if not all rows are shown."""
    return [f"{rows - MAX_ROWS:,} more rows; --format json and --format csv have all."] if rows > MAX_ROWS else []
