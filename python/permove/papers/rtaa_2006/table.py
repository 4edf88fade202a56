"""The published Table 1, and the measured sample of each of its rows."""

import math
from dataclasses import dataclass

import polars as pl

from permove.agents.specs import parse
from permove.analysis.statistics import Values, ratio_error, standard_error
from permove.papers.item import PaperFile, rows
from permove.papers.outcome import Column

FILE = PaperFile(__package__)
METHODS = RTAA, LRTA, DSTAR_LITE, FORWARD, BACKWARD = "RTAA*", "LRTA*", "D* Lite", "Forward A*", "Backward A*"

AGENTS = {
    RTAA: "rtaa(k={k}, ties=random)",
    LRTA: "klrta(k={k}, moves=inf, ties=random)",
    DSTAR_LITE: "dstar-lite(ties=random)",
    FORWARD: "lra(ties=random)",
    BACKWARD: "backward-astar(ties=random)",
}
"""The agents of the paper's methods. Among states with the best f, each takes one with the largest g."""

LOOKAHEADS = (*range(1, 90, 8), math.inf)

COLUMNS = (
    Column("b", "total number of cell expansions", judged=True),
    Column("c", "total number of search episodes"),
    Column("d", "trajectory cost", judged=True),
    Column("e", "actions per search episode"),
    Column("f", "total search time in µs", timed=True),
    Column("g", "search time per search episode in µs", timed=True),
    Column("h", "search time per action in µs", timed=True),
    Column("i", "increase of heuristics per update"),
)


@dataclass(frozen=True)
class Row:
    """A row of the table: a method, and its lookahead if it has one."""

    method: str
    lookahead: float | None = None

    @property
    def name(self) -> str:
        """Its name in reports."""
        return self.method if self.lookahead is None else f"{self.method} {lookahead_text(self.lookahead)}"

    @property
    def agent(self) -> str:
        """The canonical spec of its agent."""
        return parse(AGENTS[self.method].format(k=self.lookahead and f"{self.lookahead:g}")).spec


def published() -> dict[Row, dict[str, tuple[float, float | None]]]:
    """Return every published value by row and column, with its standard error if the paper gives one."""
    found = {}
    for words in rows(FILE["table-1"]["rows"]):
        row = Row(words.pop("method").replace("-", " "), float(words.pop("k")) if "k" in words else None)
        values = {key: float(word) for key, word in words.items()}
        found[row] = {key: (value, values.get(f"{key}±")) for key, value in values.items() if len(key) == 1}
    return found


MEANS = {"b": "expansions", "c": "episodes", "d": "cost", "f": "time_us"}
RATIOS = {
    "e": ("cost", "episodes"),
    "g": ("time_us", "episodes"),
    "h": ("time_us", "cost"),
    "i": ("learned", "updates"),
}
"""The columns of a sample behind those of the table. Ratios are those of totals, not means of single mazes."""


@dataclass(frozen=True)
class Sample:
    """The records of the agent of one row, maze by maze, in the same order for all rows."""

    expansions: Values
    episodes: Values
    cost: Values
    time_us: Values
    learned: Values
    updates: Values

    @staticmethod
    def of(records: pl.DataFrame) -> "Sample":
        """Return the records of one agent as a sample."""
        time_us = pl.col("time_ns") / 1000
        columns = records.sort("map").select("expanded", "episodes", "moves", time_us, "learned", "updates")
        return Sample(*(column.cast(pl.Float64).to_numpy() for column in columns))

    def figure(self, column: str) -> tuple[float, float]:
        """Return a column of the table and its standard error."""
        if column in MEANS:
            values = self.values(column)
            return float(values.mean()), standard_error(values)
        over, under = (getattr(self, name) for name in RATIOS[column])
        return (float(over.sum() / under.sum()), ratio_error(over, under)) if under.any() else (math.nan, math.nan)

    def values(self, column: str) -> Values:
        """Return the values of a column of means, maze by maze."""
        values: Values = getattr(self, MEANS[column])
        return values

    def __getitem__(self, column: str) -> float:
        return self.figure(column)[0]


class Samples(dict[Row, Sample]):
    """The samples of all rows, and how many of the runs reached the goal."""

    runs = solved = 0


def lookahead_text(lookahead: float) -> str:
    """Return a lookahead for a report."""
    return "∞" if math.isinf(lookahead) else f"{lookahead:g}"
