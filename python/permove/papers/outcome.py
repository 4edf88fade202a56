"""What a reproduction came to: published figures beside measured ones, and the paper's own statements, checked.

What a paper prints are figures, which have to agree, or entries of words, such as a set of algorithms or a sign, whose
agreement is told and judged by the statements. A plot is printed without its numbers; there we have data of our own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from permove.report.plot import Data


@dataclass(frozen=True)
class Column:
    """A column of a published table."""

    key: str
    about: str
    judged: bool = False
    """Whether its figures have to agree with the published ones."""
    timed: bool = False
    """Whether the clock fills it: another machine, other figures."""
    digits: int = 2
    """How many are shown after the point."""


@dataclass(frozen=True)
class Figure:
    """One published figure and ours, each with its standard error where there is one."""

    row: str
    column: str
    published: float
    published_se: float | None
    measured: float
    measured_se: float | None
    judged: bool
    timed: bool

    @property
    def difference(self) -> float | None:
        """Measured minus published, in combined standard errors; none where either has no error, or the clock rules."""
        if self.timed or self.published_se is None or self.measured_se is None:
            return None
        combined = math.hypot(self.published_se, self.measured_se)
        return (self.measured - self.published) / combined if combined > 0 else None


@dataclass(frozen=True)
class Entry:
    """What a paper prints in words, and what stands in its place here."""

    row: str
    column: str
    published: str
    measured: str
    agrees: bool | None
    """Nothing where it cannot be told."""


@dataclass(frozen=True)
class Statement:
    """Something that a paper says, and whether it is so here."""

    quote: str
    section: str
    holds: bool | None
    """Nothing where it is not checked."""
    found: str
    """What was looked at, with the figures that decide, or why it is not checked."""
    timed: bool = False
    """Whether the clock decides: then it is reported, and no reproduction fails by it."""
    predicate: str = ""
    """What has to be so for it to hold, where `found` does not say that, too."""


@dataclass(frozen=True)
class Tolerance:
    """When judged figures agree: at least `least` within `near` combined standard errors, none beyond `far`."""

    least: int
    near: float = 2.0
    far: float = 3.5


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """All of it, with what it takes to do it again."""

    item: str
    title: str
    columns: Sequence[Column] = ()
    tables: Sequence[Sequence[str]] = ()
    """Which columns are shown side by side."""
    figures: Sequence[Figure] = ()
    tolerance: Tolerance = Tolerance(least=0)
    statements: Sequence[Statement]
    facts: Mapping[str, str]
    """How and by what it was made."""
    folder: Path | None = None
    """Where the records are."""
    entries: Sequence[Entry] = ()
    data: Data | None = None
    notes: Sequence[str] = ()
    """What a reader has to know of the figures: above all why one cannot be reached."""
    options: Mapping[str, int] = field(default_factory=dict)
    """What the item was told, where that is not its default."""

    def kept_in(self, folder: Path) -> Self:
        """The same, with where its records are."""
        return replace(self, folder=folder)

    @property
    def command(self) -> str:
        """What makes it again."""
        told = [f"--{name} {value}" for name, value in self.options.items()]
        return " ".join(["permove reproduce", self.item, *told])

    @property
    def judged(self) -> list[Figure]:
        """The figures that have to agree."""
        return [figure for figure in self.figures if figure.judged]

    @property
    def near(self) -> int:
        """How many of them are near."""
        return sum(_away(figure) <= self.tolerance.near for figure in self.judged)

    @property
    def far(self) -> int:
        """How many of them are too far away, or cannot be told."""
        return sum(not _away(figure) <= self.tolerance.far for figure in self.judged)

    @property
    def figures_agree(self) -> bool:
        """Whether the figures are within tolerance."""
        return self.near >= self.tolerance.least and self.far == 0

    @property
    def failed(self) -> list[Statement]:
        """The statements that do not hold although no clock is to blame."""
        return [statement for statement in self.statements if statement.holds is False and not statement.timed]

    @property
    def passed(self) -> bool:
        """Whether the paper is reproduced."""
        return self.figures_agree and not self.failed

    @property
    def verdict(self) -> str:
        """The outcome in a few sentences."""
        parts = []
        if self.judged:
            bounds = self.tolerance
            parts.append(
                f"{self.near} of {len(self.judged)} figures within {bounds.near:g} combined standard errors (at least "
                f"{bounds.least} wanted), {self.far or 'none'} beyond {bounds.far:g} (none wanted): "
                f"{'agreed' if self.figures_agree else 'FAILED'}."
            )
        told = [entry.agrees for entry in self.entries if entry.agrees is not None]
        if told:
            parts.append(f"{sum(told)} of {len(told)} printed entries agree.")
        checked = [statement for statement in self.statements if statement.holds is not None]
        untimed = [statement for statement in checked if not statement.timed]
        timed = [statement for statement in checked if statement.timed]
        unchecked = len(self.statements) - len(checked)
        if not self.statements:
            return " ".join(parts) or "Nothing is judged."
        parts.append(
            f"{len(untimed) - len(self.failed)} of {len(untimed)} statements hold"
            + (f", and {sum(bool(statement.holds) for statement in timed)} of {len(timed)} timed ones" if timed else "")
            + (f", {unchecked} not checked" if unchecked else "")
            + f": {'agreed' if not self.failed else 'FAILED'}."
        )
        return " ".join(parts)

    def rows(self) -> list[dict[str, Any]]:
        """The figures with their differences, one row each."""
        return [asdict(figure) | {"difference": figure.difference} for figure in self.figures]


def _away(figure: Figure) -> float:
    return math.nan if figure.difference is None else abs(figure.difference)
