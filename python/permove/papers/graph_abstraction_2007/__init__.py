"""Bulitko, Sturtevant, Lu, Yau: Graph Abstraction in Real-time Heuristic Search, JAIR 30, 2007.

160 configurations of PR LRTS, and A*, run to convergence on 3000 problems. Every item runs the algorithms that it
needs, in one run folder for all items.

The text leaves two points open. The first one is the ground state at the end of an abstract path (footnote 3): a
descent level by level gives the suboptimality of Figures 16, 29 and 36, the state nearest to all ground states below
(`--direct`) that of Table 5. The second one is when a ground path is invalid (Section 4.1): if it is discarded when a
wall is seen on it, PR LRTS plans less than LRTS on 76 to 79% of the problems of Table 5 (in the paper, 80%); if it is
discarded when the next move is blocked (`--next`), on 92%. With `--direct`, every percentage of Table 5 is within three
points.

Neither the problems nor three of the six maps are known, so that no value is judged by its standard error; claims are
judged instead. Section 2.2 and Appendix F contradict each other on how lookahead changes the suboptimality of LRTS
without abstraction, so one of these claims has to fail.
"""

import math
from collections.abc import Callable
from functools import partial

from permove.papers.graph_abstraction_2007 import algorithms as alg
from permove.papers.graph_abstraction_2007 import dominance, figures, tables, trends
from permove.papers.graph_abstraction_2007.algorithms import ALL, Algorithm, at_levels
from permove.papers.graph_abstraction_2007.printed import TABLE_4, TABLE_5
from permove.papers.graph_abstraction_2007.problems import NAME, suite
from permove.papers.graph_abstraction_2007.study import MEASURES, Study
from permove.papers.item import ALL_CLAIMS, Experiment, Item, Measured, Option, Paper, made_by
from permove.papers.outcome import Shown
from permove.records.settings import CONVERGE

OPTIONS = (
    Option("problems", 100, 1, 100_000, "number of problems in each bucket on each map"),
    Option("seed", 0, 0, 2**53, "seed of the problems"),
    Option("radius", 10, 1, 1000, "visibility radius; the paper used 10 and 1000"),
    Option("direct", 0, 0, 1, "1: the end of an abstract path is the state nearest to all ground states below it"),
    Option("next", 0, 0, 1, "1: discard a ground path when its next move is blocked"),
    Option("timed", 0, 0, 1, "1: time every move, on one thread"),
)


def measure(
    item: Item, experiment: Experiment, *, problems: int, seed: int, radius: int, direct: int, next: int, timed: int
) -> Measured:
    """Run the algorithms of an item to convergence."""
    reading = alg.Reading(direct=bool(direct), next=bool(next))
    agents = {algorithm: alg.agent(algorithm, reading) for algorithm in (item.needs or {})[NAME]}
    drawn = suite(problems, seed)
    sensor = f"square({radius})"
    run = experiment.run(drawn, list(agents.values()), sensor=sensor, seed=seed, trials=CONVERGE, timed=bool(timed))
    facts = {
        "problems": f"{drawn.problems.height:,}: {problems} in each of five buckets on each of six maps, seed {seed}",
        "maps": ", ".join(f"{source.name} ({drawn.grid(key).free_cells:,})" for key, source in drawn.maps.items()),
        "algorithms": f"{len(agents)}, visibility radius {radius}, to convergence",
        "reading": reading.text,
        **made_by(run),
    }
    return Measured(Study(run.records, run.trials_of, agents, timed=bool(timed)), facts, run.folder)


OVER_LEVELS = tuple(algorithm for setting in alg.SETTINGS for algorithm in at_levels(setting))
SURFACE = alg.lrts((0, 2, 4), quotas=(math.inf,))
TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING = MEASURES
DUELS = tuple(partial(figures.contest, name, table) for name, table in (("figure-30", TABLE_4), ("figure-31", TABLE_5)))
SHALLOW, DEEP = (partial(figures.scaling, f"figure-{at}", setting) for at, setting in enumerate(alg.SCALED, 16))
FIGURE_13, FIGURE_28, FIGURE_29 = (partial(figures.tradeoffs, f"Figure {number}") for number in (13, 28, 29))

Row = tuple[str, str, tuple[Algorithm, ...], Callable[[Study], Shown]]
ROWS: tuple[Row, ...] = (
    ("table-1", "the best algorithm for each single measure", ALL, tables.table_1),
    ("table-2", "the non-dominated algorithms for ten pairs of measures", ALL, tables.table_2),
    ("table-3", "the effect of abstraction on each measure", OVER_LEVELS, tables.table_3),
    ("table-4", "how two algorithms compare problem by problem, by travel and lag", TABLE_4.both, tables.table_4),
    (
        "table-5",
        "how two algorithms compare problem by problem, by planning and suboptimality",
        TABLE_5.both,
        tables.table_5,
    ),
    ("table-6", "the effect of d and γ on the impact of abstraction", SURFACE, tables.table_6),
    ("figure-13", "which algorithms dominate others in convergence planning and first-move lag", ALL, FIGURE_13),
    ("figure-14", "the five measures by level of abstraction", OVER_LEVELS, figures.figure_14),
    ("figure-15", "one run to convergence, trial by trial", alg.SINGLE, figures.figure_15),
    ("figure-16", "the measures by problem size, d = 1", at_levels(alg.SCALED[0]), SHALLOW),
    ("figure-17", "the measures by problem size, d = 9", at_levels(alg.SCALED[1]), DEEP),
    ("figure-26", "a histogram of the suboptimality of all final solutions", ALL, figures.figure_26),
    ("figure-28", "which algorithms dominate others in first-move lag and travel or planning", ALL, FIGURE_28),
    (
        "figure-29",
        "which algorithms dominate others in memory and lag, or in planning and suboptimality",
        ALL,
        FIGURE_29,
    ),
    ("figure-30", "the two algorithms of Table 4 on average and on each problem", ALL, DUELS[0]),
    ("figure-31", "the two algorithms of Table 5 on average and on each problem", ALL, DUELS[1]),
    *(
        (f"figure-{at}", f"{each.plain} by level, d and γ", SURFACE, partial(figures.surface, each))
        for at, each in enumerate((TRAVEL, LAG, PLANNING, MEMORY, SUBOPTIMALITY), 32)
    ),
    (ALL_CLAIMS, "every claim of the text that records can decide", ALL, tables.text_values),
)
ITEMS = tuple(Item(name, about, measure, show, OPTIONS, {NAME: needs}) for name, about, needs, show in ROWS)

CLAIMS = (*trends.PARAMETERS, *dominance.AVERAGES, *trends.EFFECTS, *trends.SCALING, *dominance.RUNS, *trends.INTERPLAY)
"""The claims in the order of the paper. Those that records cannot decide are omitted."""

PAPER = Paper(
    NAME,
    "Bulitko, Sturtevant, Lu, Yau: Graph Abstraction in Real-time Heuristic Search, JAIR 30, 2007",
    ITEMS,
    CLAIMS,
    setup="permove ran the same algorithms to convergence on {problems} problems; three of the six maps are stand-ins.",
    reproduced="All six tables and the data of all figures with results. Abstraction reduces travel, planning and "
    "memory and costs suboptimality and first-move lag, as published; Tables 1 and 3 agree entry by entry.",
    differences="The problems and three of the six maps are unknown, so percentages differ by several points. "
    "Backtracking (a smaller T) does not reduce travel here, deeper lookahead does not reduce total planning, and PR "
    "LRTS dominates 24 of 32 algorithms without abstraction instead of nearly all. Table 5 agrees only with the other "
    "reading of footnote 3 (direct/table-5). Section 2.2 and Appendix F contradict each other on lookahead and "
    "suboptimality.",
)
