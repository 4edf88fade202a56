"""Views of a run: an analysis of its records, and the document that shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars as pl

from permove.analysis.measures import MEAN as MEAN_KIND
from permove.analysis.measures import Measure, find
from permove.analysis.scores import MEAN, Score, find_score
from permove.analysis.unsolved import Unsolved, coverage
from permove.common.errors import InputError
from permove.common.units import format_duration
from permove.records.settings import CONVERGE, Settings
from permove.report.document import Block, Document, Heading, Rows, drawn, present
from permove.report.formats import ReportFormat, number
from permove.views.unsolved import unsolved_note

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

    def plot(self) -> str:
        """Return the plot of the view as SVG."""
        return drawn(self.document)


@dataclass(frozen=True)
class Axes:
    """Options of a view: its measures, and how they are summarized; `None` uses the default."""

    x: str | None = None
    y: str | None = None
    seed: int = 0
    score: str = MEAN.name
    unsolved: str | None = None
    relative_to: str | None = None
    parameters: str | None = None
    against: str | None = None
    problem: str | None = None

    def measures(self, run: RunLike) -> tuple[Measure, Measure]:
        """Return the two measures, by default those of the run's kind."""
        converging = run.settings.trials == CONVERGE
        x, y = ("first_move_expanded", "travel") if converging else ("expanded_per_move", "suboptimality")
        return find(self.x or x), find(self.y or y)

    def scoring(self) -> Score:
        """Return the score that summarizes the values of an agent."""
        return find_score(self.score)

    def title(self, measure: Measure) -> str:
        """Return the name of a measure, with the score if that is not the mean."""
        summarized = measure.kind == MEAN_KIND and self.score != MEAN.name
        return f"{self.scoring().words} {measure.about}" if summarized else measure.about

    def rule(self, run: RunLike) -> Unsolved:
        """Return the rule for unsolved problems, by default that of the run."""
        return Unsolved.of(self.unsolved, run.settings)

    def note(self, run: RunLike) -> str:
        """Return which problems and trials the values are over."""
        rule = self.rule(run)
        return unsolved_note(rule, coverage(run.by_problem, rule))


OWN = {"relative_to": "profiles", "parameters": "interplay", "against": "amortization", "problem": "best-so-far"}
"""Options that only one view has, with its name."""

UNSCORED = {
    "profiles": "show all problems",
    "histogram": "shows all problems",
    "best-so-far": "shows medians",
    "interplay": "shows means",
}
"""Views without scores, and what they show."""


@dataclass(frozen=True)
class View:
    """A view: its name, one line for `--help`, and the function that computes it."""

    name: str
    about: str
    render: Callable[[RunLike, Axes], ViewResult]
    uses: tuple[str, ...] = ()
    """The further options that the view uses: names of `OWN`."""

    def result(self, run: RunLike, axes: Axes) -> ViewResult:
        """Compute the view of a run; options that it would ignore are errors."""
        if axes.scoring() is not MEAN and self.name in UNSCORED:
            raise InputError(f"{self.name} {UNSCORED[self.name]} instead of a score; omit --score {axes.score}")
        for name, view in OWN.items():
            if getattr(axes, name) is not None and name not in self.uses:
                option = name.replace("_", "-")
                raise InputError(f"the view {self.name} has no --{option}; omit it, or use --view {view}")
        return self.render(run, axes)


def format_value(value: float | None, measure: Measure) -> str:
    """Format a value of a measure; times have units."""
    return format_duration(value) if measure.column.endswith("_ns") else number(value)


def unsolved_blocks(frame: pl.DataFrame) -> list[Block]:
    """List the agents that did not solve every problem, with their outcomes; disqualified agents are not ranked."""
    rows = []
    for row in frame.iter_rows(named=True):
        missing = f"{row['missing']:,} missing" if row["missing"] else ""
        if row["solved"] < row["problems"]:
            unranked = "" if row["qualified"] else "disqualified"
            outcomes = ", ".join(filter(None, [unranked, row["unsolved"], missing]))
            rows.append([row["label"], f"{row['solved']:,} of {row['problems']:,}", outcomes])
    if not rows:
        return []
    table = Rows(["agent", "solved", "outcomes"], [False, True, False], rows[:MAX_ROWS])
    return [Heading("Not all problems solved"), table, *rows_note(len(rows))]


def rows_note(rows: int) -> list[Block]:
    """Return a note if not all rows are shown."""
    return [f"{rows - MAX_ROWS:,} more rows; --format json and --format csv have all."] if rows > MAX_ROWS else []
