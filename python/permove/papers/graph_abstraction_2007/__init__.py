"""Bulitko, Sturtevant, Lu, Yau: Graph Abstraction in Real-time Heuristic Search, JAIR 30, 2007.

160 configurations of PR LRTS, and A*, run to convergence on 3000 problems. All items share one run folder. The
problems are not known, so that claims are judged and values are not. Percentages below are those on the stand-ins.

The text leaves two points open. The first one is the ground state at the end of an abstract path (footnote 3): a
descent level by level gives the suboptimality of Figures 16, 29 and 36, the state nearest to all ground states below
(`--direct`) that of Table 5. The second one is when a ground path is invalid (Section 4.1): if it is discarded when a
wall is seen on it, PR LRTS plans less than LRTS on 76 to 79% of the problems of Table 5 (in the paper, 80%); if it is
discarded when the next move is blocked (`--next`), on 92%. With `--direct`, every percentage of Table 5 is within three
points. Section 2.2 and Appendix F contradict each other on how lookahead changes the suboptimality of LRTS without
abstraction, so one of these claims has to fail.
"""

import math
from collections.abc import Callable
from functools import partial

from permove.data import Suite
from permove.data.random_suites import bucket_suite
from permove.papers.graph_abstraction_2007 import algorithms as alg
from permove.papers.graph_abstraction_2007 import dominance, figures, trends
from permove.papers.graph_abstraction_2007.algorithms import ALL, Algorithm, at_levels
from permove.papers.graph_abstraction_2007.printed import FILE, TABLE_4, TABLE_5
from permove.papers.graph_abstraction_2007.study import COSTS, MEASURES, Study
from permove.papers.item import ALL_CLAIMS, STAND_INS, Experiment, Item, Measured, Option, made_by, sources
from permove.papers.outcome import Shown
from permove.records.settings import CONVERGE

NAME = "graph-abstraction-2007"

OPTIONS = (
    Option("problems", 100, 1, 100_000, "number of problems in each bucket on each map"),
    Option("seed", 0, 0, 2**53, "seed of the problems"),
    Option("radius", 10, 1, 1000, "visibility radius; the paper used 10 and 1000"),
    Option("direct", 0, 0, 1, "1: the end of an abstract path is the state nearest to all ground states below it"),
    Option("next", 0, 0, 1, "1: discard a ground path when its next move is blocked"),
    Option("timed", 0, 0, 1, "1: time every move, on one thread"),
    STAND_INS,
)


def suite(count: int, seed: int, standins: int = 0) -> Suite:
    """Draw `count` problems in each bucket on each map."""
    return bucket_suite(NAME, sources(FILE["stand-ins" if standins else "maps"]), COSTS, count, seed)


def measure(
    item: Item, experiment: Experiment, *, problems: int, seed: int, radius: int, standins: int, **others: int
) -> Measured:
    """Run the algorithms of an item to convergence."""
    direct, at_next, timed = (bool(others[name]) for name in ("direct", "next", "timed"))
    needs = (item.needs or {})[NAME]
    agents = {algorithm: alg.agent(algorithm, direct=direct, next=at_next) for algorithm in needs}
    drawn = suite(problems, seed, standins)
    sensor = f"square({radius})"
    run = experiment.run(drawn, list(agents.values()), sensor=sensor, seed=seed, trials=CONVERGE, timed=timed)
    end = "nearest to all ground states below" if direct else "found by descending level by level"
    when = "by PR LRTS when its next move is blocked, by A* when" if at_next else "when"
    facts = {
        "problems": f"{drawn.problems.height:,}: {problems} in each of five buckets on each of six maps, seed {seed}",
        "maps": ", ".join(f"{source.name} ({drawn.grid(key).free_cells:,})" for key, source in drawn.maps.items()),
        "algorithms": f"{len(agents)}, visibility radius {radius}, to convergence",
        "reading": f"the ground state at the end of an abstract path is {end}; a ground path is discarded {when} a "
        "wall is seen on it",
        **made_by(run),
    }
    return Measured(Study(run.records, run.trials_of, agents, timed=timed), facts, run.folder)


OVER_LEVELS = tuple(algorithm for setting in alg.SETTINGS for algorithm in at_levels(setting))
SURFACE = alg.lrts((0, 2, 4), quotas=(math.inf,))
TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING = MEASURES
SURFACES = (TRAVEL, LAG, PLANNING, MEMORY, SUBOPTIMALITY)
ROWS: dict[str, tuple[tuple[Algorithm, ...], Callable[[Study], Shown]]] = {
    "table-1": (ALL, figures.table_1),
    "table-2": (ALL, figures.table_2),
    "table-3": (OVER_LEVELS, figures.table_3),
    "table-4": (TABLE_4.both, figures.table_4),
    "table-5": (TABLE_5.both, figures.table_5),
    "table-6": (SURFACE, figures.table_6),
    "figure-13": (ALL, partial(figures.tradeoffs, "figure-13")),
    "figure-14": (OVER_LEVELS, figures.figure_14),
    "figure-15": (alg.SINGLE, figures.figure_15),
    "figure-16": (at_levels(alg.SCALED[0]), partial(figures.scaling, "figure-16", alg.SCALED[0])),
    "figure-17": (at_levels(alg.SCALED[1]), partial(figures.scaling, "figure-17", alg.SCALED[1])),
    "figure-26": (ALL, figures.figure_26),
    "figure-28": (ALL, partial(figures.tradeoffs, "figure-28")),
    "figure-29": (ALL, partial(figures.tradeoffs, "figure-29")),
    "figure-30": (ALL, partial(figures.contest, "figure-30", TABLE_4)),
    "figure-31": (ALL, partial(figures.contest, "figure-31", TABLE_5)),
    **{f"figure-{at}": (SURFACE, partial(figures.surface, each)) for at, each in enumerate(SURFACES, 32)},
    ALL_CLAIMS: (ALL, figures.text_values),
}
ITEMS = tuple(FILE.item(name, measure, show, OPTIONS, needs={NAME: needs}) for name, (needs, show) in ROWS.items())

CLAIMS = (*trends.PARAMETERS, *dominance.AVERAGES, *trends.EFFECTS, *trends.SCALING, *dominance.RUNS, *trends.INTERPLAY)
"""The claims in the order of the paper. Those that records cannot decide are omitted."""

PAPER = FILE.paper(ITEMS, CLAIMS)
