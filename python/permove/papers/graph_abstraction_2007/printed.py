"""Published values: tables, the algorithms that plots name, and the ranges of the axes of plots.

The text of the paper keeps only the labels of its plots. Figures 13, 28 and 29 name every non-dominated algorithm. For
the other plots, the largest numbers on the axes are known.
"""

import math
from dataclasses import dataclass

from permove.papers.graph_abstraction_2007.algorithms import ASTAR, Algorithm, lrts
from permove.papers.graph_abstraction_2007.study import LAG_TIME, MEASURES, PLANNING_TIME, Measure, Pair

TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING = MEASURES


@dataclass(frozen=True)
class Tradeoff:
    """A row of Table 2: two measures and the non-dominated algorithms, as printed and as named in its plot."""

    pair: Pair
    printed: str
    plot: str = ""
    """The plot, if there is one."""
    names: str = ""
    """The algorithms that the plot names, one line per level."""

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


TABLE_2 = (
    Tradeoff(
        (LAG, TRAVEL),
        "A*, LRTA*(γ = 0.4), LRTS1...4 (d ∈ {1, 3, 5, 9}, γ ∈ {0.2, 0.4, 0.8}, T ∈ {100, ∞})",
        "Figure 28, top",
        """
        A*
        4 9,0.2,inf 9,0.2,100 9,0.4,inf 9,0.4,100 1,0.4,inf
        3 9,0.2,inf 9,0.2,100 9,0.4,inf 9,0.4,100 5,0.2,inf 5,0.4,inf 5,0.4,100 3,0.2,inf 3,0.4,inf 1,0.4,inf
        2 9,0.2,inf 1,0.4,inf 1,0.8,inf
        1 1,0.4,inf 1,0.8,inf
        0 1,0.4,inf
        """,
    ),
    Tradeoff(
        (LAG, MEMORY),
        "A*, LRTA*(γ = 0.2), LRTS1...4 (d ∈ {1, 3, 5, 9}, γ ∈ {0.2, 0.4}, T ∈ {100, ∞})",
        "Figure 29, top",
        """
        A*
        4 9,0.2,inf 9,0.2,100 5,0.2,inf 5,0.2,100 5,0.4,inf 5,0.4,100 1,0.2,inf 1,0.2,100 1,0.4,inf 1,0.4,100
        3 9,0.2,inf 9,0.2,100 5,0.2,inf 5,0.2,100 5,0.4,inf 5,0.4,100 3,0.2,inf 3,0.4,inf 1,0.2,inf 1,0.2,100 1,0.4,inf
        2 1,0.2,inf 1,0.4,inf
        1 1,0.2,inf 1,0.4,inf
        0 1,0.2,inf
        """,
    ),
    Tradeoff(
        (LAG, PLANNING),
        "LRTA*(γ = 0.4), LRTS1...3 (d = 1, γ = 0.4, T = ∞)",
        "Figure 13",
        """
        3 1,0.4,inf
        2 1,0.4,inf
        1 1,0.4,inf
        0 1,0.4,inf
        """,
    ),
    Tradeoff(
        (LAG_TIME, TRAVEL),
        "A*, LRTA*(γ = 0.4), LRTS1...4 (d ∈ {1, 3, 5, 9}, γ ∈ {0.2, 0.4}, T ∈ {100, ∞})",
        "Figure 28, middle",
        """
        A*
        4 3,0.2,inf 3,0.4,inf 1,0.2,inf 1,0.4,inf
        3 5,0.2,inf 5,0.2,100 3,0.2,inf 1,0.4,inf 1,0.4,100
        2 9,0.2,inf 9,0.2,100 5,0.4,inf 1,0.2,inf 1,0.4,inf 1,0.4,100
        1 1,0.2,inf 1,0.4,inf
        0 1,0.4,inf
        """,
    ),
    Tradeoff(
        (LAG_TIME, MEMORY),
        "A*, LRTA*(γ ∈ {0.2, 0.4}), LRTS1...4 (d ∈ {1, 3, 5}, γ ∈ {0.2, 0.4}, T ∈ {100, ∞})",
        "Figure 29, middle",
        """
        A*
        4 5,0.2,100 5,0.4,inf 3,0.2,inf 3,0.2,100 3,0.4,inf 1,0.2,inf 1,0.2,100 1,0.4,100
        3 5,0.2,100 3,0.2,inf 1,0.2,inf 1,0.2,100 1,0.4,100
        2 1,0.2,inf 1,0.4,100
        1 1,0.2,inf
        0 1,0.2,inf 1,0.4,inf
        """,
    ),
    Tradeoff(
        (LAG_TIME, PLANNING_TIME),
        "A*, LRTA*(γ = 0.4), LRTS1...3 (d ∈ {1, 3}, γ ∈ {0.2, 0.4}, T ∈ {100, ∞})",
        "Figure 28, bottom",
        """
        A*
        3 3,0.2,inf 1,0.4,inf 1,0.4,100
        2 1,0.2,inf 1,0.4,inf 1,0.4,100
        1 1,0.2,inf 1,0.4,inf
        0 1,0.4,inf
        """,
    ),
    Tradeoff(
        (SUBOPTIMALITY, PLANNING),
        "A*, LRTS2...3 (d ∈ {1, 3, 5}, γ ∈ {0.2, 0.4, 0.8}, T ∈ {100, ∞})",
        "Figure 29, bottom",
        """
        A*
        3 5,0.8,inf 5,0.8,100 5,0.4,inf 5,0.4,100 5,0.2,inf 3,0.4,inf 3,0.4,100 3,0.2,inf 1,0.4,inf
        2 1,0.4,inf
        """,
    ),
    Tradeoff((SUBOPTIMALITY, PLANNING_TIME), "A*", names="A*"),
    Tradeoff((SUBOPTIMALITY, TRAVEL), "A*", names="A*"),
    Tradeoff((SUBOPTIMALITY, MEMORY), "A*", names="A*"),
)
"""If a label is illegible, the level is the one that the table leaves possible."""

BEST_PLANNING = frozenset(Algorithm(level, 1, weight, math.inf) for level in (2, 3) for weight in (0.2, 0.4))
"""The best algorithms for convergence planning in Table 1."""

TABLE_1 = {
    TRAVEL: "A*",
    LAG: "LRTA*",
    MEMORY: "A*",
    SUBOPTIMALITY: "A* or LRTA*",
    PLANNING: "LRTS3(d = 1, γ = 0.2 or 0.4, ∞) or LRTS2(d = 1, γ = 0.2 or 0.4, ∞)",
}

BEST = {
    TRAVEL: frozenset({ASTAR}),
    LAG: frozenset(lrts((0,), (1,))),
    MEMORY: frozenset({ASTAR}),
    SUBOPTIMALITY: frozenset({ASTAR, Algorithm(0, 1, 1.0, math.inf)}),
    PLANNING: BEST_PLANNING,
}
"""The algorithms of Table 1. Neither γ nor T changes the first-move lag of LRTA*."""

TABLE_3 = {LAG: "↑", PLANNING: "↓", MEMORY: "↓", SUBOPTIMALITY: "↑", TRAVEL: "↓"}
"""The direction in which a higher level moves each measure, from Section 5.2; the text lacks the arrows."""

TABLE_6 = {TRAVEL: ("d", "A"), LAG: ("A", "-"), PLANNING: ("a", "A"), MEMORY: ("D", "A"), SUBOPTIMALITY: ("D", "a")}
"""The effect of a larger d, and of a larger γ, on the impact of abstraction."""


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


TABLE_4 = Comparison(
    Algorithm(3, 1, 1.0, math.inf),
    Algorithm(0, 5, 0.8, math.inf),
    (TRAVEL, LAG),
    ((72.83, 97.27, 70.97), (27.17, 2.67, 0.87)),
    81.89,
)
TABLE_5 = Comparison(
    Algorithm(3, 5, 0.8, math.inf),
    Algorithm(0, 3, 0.2, math.inf),
    (PLANNING, SUBOPTIMALITY),
    ((80.03, 55.80, 48.97), (19.93, 40.97, 12.2)),
    4.01,
)

RATIOS = {(TRAVEL, LAG): (5.48, 534.32, 123.47), (PLANNING, SUBOPTIMALITY): (0.79, 5.16, 1.51)}
"""Appendix E: the minimum dominance ratio of many pairs, the mean of the finite ratios, and its standard error."""

SUBOPTIMALITY_DIFFERENCE = 2.3
"""Percentage points between the algorithms of Table 5."""

CORRELATED = Algorithm(2, 3, 0.8, math.inf)
CORRELATION = 0.9544
"""Between convergence memory and convergence travel of this algorithm, Section 5.2."""

AXES: dict[str, dict[Measure, float]] = {
    "figure-14": {PLANNING: 2e6, LAG: 6000, MEMORY: 1500, SUBOPTIMALITY: 30, TRAVEL: 4e4},
    "figure-16": {TRAVEL: 6e4, PLANNING: 4e5, LAG: 400, MEMORY: 2000, SUBOPTIMALITY: 30},
    "figure-17": {TRAVEL: 8000, PLANNING: 8e5, LAG: 6000, MEMORY: 200, SUBOPTIMALITY: 6},
    "figure-30": {TRAVEL: 15e4, LAG: 700},
    "figure-31": {PLANNING: 6e6, SUBOPTIMALITY: 80},
}
"""The largest number on the axis of each measure."""

SURFACES: dict[Measure, tuple[float, float]] = {
    TRAVEL: (4e4, 6000),
    LAG: (3000, 4000),
    PLANNING: (3e6, 6e4),
    MEMORY: (1500, 150),
    SUBOPTIMALITY: (30, 30),
}
"""The largest numbers on the axes of Figures 32 to 36: of levels 0 and 2, and of levels 2 and 4."""
