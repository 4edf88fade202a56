"""The result of a reproduction: published values next to measured ones, and checked statements about the paper.

A paper prints numbers (`Figure`), of which only some are judged, or words such as a set of algorithms (`Entry`).
Statements are judged unless they depend on the clock. A published plot has no numbers, so its report has our own data.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from permove.report.plot import Data

Value = float | tuple[float, float | None] | None
"""A value, with its standard error if there is one; `None` if it is unknown."""


@dataclass(frozen=True)
class Column:
    """A column of a published table."""

    key: str
    about: str
    judged: bool = False
    """Whether its values have to agree with the published ones."""
    timed: bool = False
    """Whether its values depend on the speed of the machine."""
    digits: int = 2
    """Digits shown after the decimal point."""

    def figure(self, row: str, published: Value, measured: Value) -> "Figure":
        """Return the published and the measured value of a row."""
        return Figure(row, self.key, *_with_error(published), *_with_error(measured), self.judged, self.timed)


def _with_error(value: Value) -> tuple[float, float | None]:
    mean, error = value if isinstance(value, tuple) else (value, None)
    return math.nan if mean is None else mean, None if error is None or math.isnan(error) else error


@dataclass(frozen=True)
class Figure:
    """A published and a measured value, with their standard errors if known."""

    row: str
    column: str
    published: float
    published_se: float | None
    measured: float
    measured_se: float | None
    judged: bool = False
    timed: bool = False

    @property
    def difference(self) -> float | None:
        """Measured minus published in combined standard errors; `None` if an error is unknown or the value is timed."""
        if self.timed or self.published_se is None or self.measured_se is None:
            return None
        combined = math.hypot(self.published_se, self.measured_se)
        return (self.measured - self.published) / combined if combined > 0 else None


@dataclass(frozen=True)
class Entry:
    """Words that a paper prints, and the measured counterpart."""

    row: str
    column: str
    published: str
    measured: str
    agrees: bool | None
    """`None` if they cannot be compared."""


@dataclass(frozen=True)
class Statement:
    """A finding of a paper, in our words, and whether permove confirms it."""

    text: str
    section: str
    holds: bool
    found: str
    """The measured values that decide."""
    timed: bool = False
    """Whether it depends on the speed of the machine. If so, it is reported but cannot fail a reproduction."""
    predicate: str = ""
    """The exact condition, if the text does not contain it."""


@dataclass(frozen=True)
class Tolerance:
    """Judged values agree if at least `least` are within `near` combined standard errors and none is beyond `far`."""

    least: int = 0
    near: float = 2.0
    far: float = 3.5


AGREES = {True: "yes", False: "no", None: "–"}

NOT_JUDGED = "The values are shown next to each other; none is judged."

MAX_EXCEPTIONS = 250
"""Maximum length of the statements that do not hold and are named in a summary."""


NO_TOLERANCE = Tolerance()
"""For items without judged values."""


@dataclass(frozen=True)
class Shown:
    """The content of a table or figure before its claims are judged; every part is optional."""

    columns: Sequence[Column] = ()
    tables: Sequence[Sequence[str]] = ()
    """Keys of the columns that are shown side by side; by default each column is a table."""
    figures: Sequence[Figure] = ()
    entries: Sequence[Entry] = ()
    data: Data | None = None
    notes: Sequence[str] = ()
    """Remarks about the values, above all why one cannot be reached."""


@dataclass(frozen=True, kw_only=True)
class Outcome(Shown):
    """A judged reproduction, with everything needed to repeat it.

    Typical use:

        outcome = pm.reproduce("rtaa-2006/table-1", mazes=10)
        outcome.passed, outcome.facts
    """

    item: str
    title: str
    statements: Sequence[Statement]
    facts: Mapping[str, str]
    """How it was measured: problems, revision, machine."""
    published: str = ""
    """A sentence about what the paper measured."""
    setup: str = ""
    """A sentence about what permove measured. Names in braces stand for the start of a fact."""
    tolerance: Tolerance = NO_TOLERANCE
    folder: Path | None = None
    """Folder of the records."""
    options: Mapping[str, int] = field(default_factory=dict)
    """Options that differ from the defaults."""

    @property
    def command(self) -> str:
        """The command that repeats it."""
        return " ".join(["permove reproduce", self.item, *(f"--{name} {each}" for name, each in self.options.items())])

    @property
    def judged(self) -> list[Figure]:
        """The values that have to agree."""
        return [figure for figure in self.figures if figure.judged]

    @property
    def near(self) -> int:
        """Number of judged values within tolerance."""
        return sum(_distance(figure) <= self.tolerance.near for figure in self.judged)

    @property
    def far(self) -> int:
        """Number of judged values that are too far away or cannot be compared."""
        return sum(not _distance(figure) <= self.tolerance.far for figure in self.judged)

    @property
    def figures_agree(self) -> bool:
        """Whether the judged values are within tolerance."""
        return self.near >= self.tolerance.least and self.far == 0

    @property
    def failed(self) -> list[Statement]:
        """The statements that do not hold and do not depend on the clock."""
        return [statement for statement in self.statements if not statement.holds and not statement.timed]

    @property
    def passed(self) -> bool:
        """Whether the item is reproduced."""
        return self.figures_agree and not self.failed

    @property
    def summary(self) -> str:
        """Sentences about what the paper measured, what permove measured, and whether they agree."""
        starts = {name: re.split(r"[:;,] ", fact)[0] for name, fact in self.facts.items()}
        given = self.command.removeprefix(f"permove reproduce {self.item}")
        options = f"Options:{given}." if given else ""
        return " ".join(filter(None, [self.published, self.setup.format_map(starts), self.agreement, options]))

    @property
    def agreement(self) -> str:
        """Whether the results agree, with the counts that decide, and the others."""
        untimed, timed = ([each.holds for each in self.statements if each.timed is clock] for clock in (False, True))
        entries = [each.agrees for each in self.entries if each.agrees is not None]
        least, near, far = vars(self.tolerance).values()
        within = (
            f"{self.near} of {len(self.judged)} judged values are within {near:g} combined standard errors (at least "
            f"{least} required), {self.far or 'none'} beyond {far:g} (none allowed)"
        )
        parts = [within] if self.judged else []
        parts += [_hold(untimed)] if untimed else []
        partly = " only in part" if self.judged or any(untimed) else ""
        verb = "agree" if self.passed else f"agree{partly}" if partly else "disagree"
        sentences = [f"The results {verb}: {', and '.join(parts)}." if parts else NOT_JUDGED]
        sentences += [f"{sum(timed)} of {len(timed)} statements about time hold."] if timed else []
        sentences += [f"{sum(entries)} of {len(entries)} printed entries agree."] if entries else []
        # A few short exceptions are named; the table of statements lists the others.
        exceptions = " ".join(dict.fromkeys(each.text for each in self.failed))
        sentences += [f"Not confirmed: {exceptions}"] if 0 < len(exceptions) <= MAX_EXCEPTIONS else []
        return " ".join(sentences)

    def rows(self) -> list[dict[str, Any]]:
        """The published and measured values with their differences, one row each."""
        return [asdict(figure) | {"difference": figure.difference} for figure in self.figures]


def _distance(figure: Figure) -> float:
    return math.nan if figure.difference is None else abs(figure.difference)


def _hold(statements: Sequence[bool]) -> str:
    if len(statements) == 1:
        return f"the statement {'holds' if statements[0] else 'does not hold'}"
    return f"{'all' if all(statements) else f'{sum(statements)} of'} {len(statements)} statements hold"
