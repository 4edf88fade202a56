"""Published values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from permove.papers.dynamic_control.algorithms import PDB_G, PDB_PDB, Algorithm, Family, named
from permove.papers.dynamic_control.figures import seconds
from permove.papers.paper_file import PaperFile

FILE = PaperFile(__package__)
NOTES: dict[str, str] = FILE["notes"]


@dataclass(frozen=True)
class Row:
    """A row of Table 3: both measures with their standard errors, and the worst move if Section 7.5 has it."""

    planning: float
    planning_se: float
    suboptimality: float
    suboptimality_se: float
    worst: int | None = None


TABLE_3: Mapping[Algorithm, Row] = {named(name): Row(*values) for name, values in FILE["table-3"].items()}


@dataclass(frozen=True)
class Choice:
    """A row of Table 4: the limits for which an algorithm is the best choice, and its suboptimality in percent."""

    low: int
    high: float
    algorithm: Algorithm | None = None
    percent: float | None = None

    @property
    def interval(self) -> str:
        """The limits."""
        if not self.low:
            return "0"
        return f"[{self.low:,}, {'∞)' if math.isinf(self.high) else f'{self.high:,}]'}"


TABLE_4 = tuple(Choice(*row[:2], *map(named, row[2:3]), *row[3:]) for row in FILE["table-4"]["rows"])


@dataclass(frozen=True)
class Databases:
    """Tables 5 and 9 to 14: build seconds by level, and the results of an algorithm at levels 3 to 7."""

    family: Family
    cap: int
    seconds: tuple[float, ...]
    planning: tuple[float, ...]
    suboptimality: tuple[float, ...]
    depths: bool
    """Whether the databases contain depths for global goals."""


def _databases(line: str) -> tuple[str, Databases]:
    name, cap, *words = line.split()
    planning, suboptimality = (tuple(map(float, words[at : at + 5])) for at in (8, 13))
    family, depths = PDB_G if name == "table-14" else PDB_PDB, name in ("table-13", "table-14")
    return name, Databases(family, int(cap), tuple(map(seconds, words[:8])), planning, suboptimality, depths)


SIZES: list[float] = FILE["databases"]["sizes"]
DATABASES = dict(map(_databases, FILE["databases"]["tables"].strip().splitlines()))


@dataclass(frozen=True)
class Recouped:
    """A row of Table 6: the closest static algorithm, and the moves and hours until the build is recouped."""

    competitor: str
    moves: float
    hours: float


TABLE_6: Mapping[Algorithm, Recouped] = {named(name): Recouped(*row) for name, row in FILE["table-6"].items()}
SECTION_7_7: Mapping[Algorithm, tuple[float, float, float]] = {
    named(name): values for name, values in FILE["section 7.7"].items()
}
