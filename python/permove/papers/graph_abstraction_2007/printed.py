"""Published values: tables, the algorithms that plots name, and the ranges of the axes of plots."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from permove.papers.graph_abstraction_2007.algorithms import ASTAR, Algorithm, lrts
from permove.papers.graph_abstraction_2007.study import LAG_TIME, MEASURES, PLANNING_TIME, Measure, Pair
from permove.papers.item import PaperFile

TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING = MEASURES
BY_NAME = dict(zip(("travel", "lag", "memory", "suboptimality", "planning"), MEASURES, strict=True))
BY_NAME |= {"lag time": LAG_TIME, "planning time": PLANNING_TIME}
FILE = PaperFile(__package__)


def _pair(names: list[str]) -> Pair:
    one, other = (BY_NAME[name] for name in names)
    return one, other


def _by_measure(values: Mapping[str, Any]) -> dict[Measure, Any]:
    return {BY_NAME[name]: value for name, value in values.items()}


@dataclass(frozen=True)
class Tradeoff:
    """A row of Table 2: two measures and the non-dominated algorithms, as printed and as named in its plot."""

    pair: Pair
    printed: str
    names: str
    """The algorithms that the plot names, one line per level."""
    plot: str = ""
    """The plot, if there is one."""

    @property
    def title(self) -> str:
        """The two measures."""
        return " / ".join(
            measure.name + (" (states touched)" if measure in (LAG, PLANNING) else "") for measure in self.pair
        )

    @property
    def timed(self) -> bool:
        """Whether it depends on the clock."""
        return any(measure.timed for measure in self.pair)

    @property
    def named(self) -> frozenset[Algorithm]:
        """The algorithms that the plot names."""
        found = set()
        for line in self.names.strip().splitlines():
            level, *settings = line.split()
            found |= {ASTAR} if level == "A*" else {_algorithm(int(level), setting) for setting in settings}
        return frozenset(found)


def _algorithm(level: int, setting: str) -> Algorithm:
    depth, weight, quota = setting.split(",")
    return Algorithm(level, int(depth), float(weight), float(quota))


@dataclass(frozen=True)
class Comparison:
    """Table 4 or 5: two algorithms, two measures, and the percentages of problems for each algorithm."""

    one: Algorithm
    other: Algorithm
    pair: Pair
    percent: tuple[tuple[float, float, float], tuple[float, float, float]]
    """Better in the first measure, in the second, and in both."""
    ratio: float

    @property
    def both(self) -> tuple[Algorithm, Algorithm]:
        """The two algorithms."""
        return self.one, self.other


def _comparison(name: str) -> Comparison:
    one, other, pair, percent, ratio = (FILE[name][key] for key in ("one", "other", "pair", "percent", "ratio"))
    return Comparison(Algorithm(*one), Algorithm(*other), _pair(pair), percent, ratio)


TABLE_1: dict[Measure, str] = _by_measure(FILE["table-1"])
BEST = {
    TRAVEL: frozenset({ASTAR}),
    LAG: frozenset(lrts((0,), (1,))),
    MEMORY: frozenset({ASTAR}),
    SUBOPTIMALITY: frozenset({ASTAR, Algorithm(0, 1, 1.0, math.inf)}),
    PLANNING: frozenset(lrts((2, 3), (1,), (0.2, 0.4), (math.inf,))),
}
"""The algorithms of Table 1. Neither γ nor T changes the first-move lag of LRTA*."""

TABLE_2 = tuple(Tradeoff(**{**row, "pair": _pair(row["pair"])}) for row in FILE["table-2"])
TABLE_3: dict[Measure, str] = _by_measure(FILE["table-3"])
TABLE_4, TABLE_5 = (_comparison(name) for name in ("table-4", "table-5"))
TABLE_6: dict[Measure, list[str]] = _by_measure(FILE["table-6"])
AXES: dict[str, dict[Measure, float]] = {name: _by_measure(axes) for name, axes in FILE["axes"].items()}
SURFACES: dict[Measure, list[float]] = _by_measure(FILE["surfaces"])

RATIOS = {(TRAVEL, LAG): (5.48, 534.32, 123.47), (PLANNING, SUBOPTIMALITY): (0.79, 5.16, 1.51)}
"""Appendix E: the minimum dominance ratio of many pairs, the mean of the finite ratios, and its standard error."""

SUBOPTIMALITY_DIFFERENCE = 2.3
"""Percentage points between the algorithms of Table 5."""

CORRELATED, CORRELATION = Algorithm(2, 3, 0.8, math.inf), 0.9544
"""Between convergence memory and convergence travel of this algorithm, Section 5.2."""
