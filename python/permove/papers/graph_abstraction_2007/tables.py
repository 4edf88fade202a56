"""Tables 1 to 6: what is printed beside what came out here."""

import math

from permove.papers.checks import falls, rises
from permove.papers.graph_abstraction_2007.algorithms import (
    ASTAR,
    DEPTHS,
    LEVELS,
    SETTINGS,
    WEIGHTS,
    Algorithm,
    lrts,
)
from permove.papers.graph_abstraction_2007.impact import along_depth, along_weight, letter
from permove.papers.graph_abstraction_2007.printed import (
    BEST_PLANNING,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    Comparison,
)
from permove.papers.graph_abstraction_2007.study import LAG, MEMORY, PLANNING, SUBOPTIMALITY, TRAVEL, Measure, Study
from permove.papers.graph_abstraction_2007.words import figure, figures, names, setting, summary
from permove.papers.outcome import Column, Entry, Figure
from permove.papers.shown import Shown

BEST = {
    TRAVEL: frozenset({ASTAR}),
    LAG: frozenset(lrts((0,), (1,))),
    MEMORY: frozenset({ASTAR}),
    SUBOPTIMALITY: frozenset({ASTAR, Algorithm(0, 1, 1.0, math.inf)}),
    PLANNING: BEST_PLANNING,
}
"""The algorithms of Table 1; neither γ nor T has a part in the first-move lag of LRTA*."""


def best(study: Study, measure: Measure) -> list[Algorithm]:
    """The algorithms with the least mean, which may be several."""
    means = {algorithm: study.mean(measure, algorithm) for algorithm in study.algorithms}
    least = min(means.values())
    return [algorithm for algorithm, mean in means.items() if mean <= least * (1 + 1e-9)]


def table_1(study: Study) -> Shown:
    """Optimizing a single performance measure."""
    entries = []
    for measure, printed in TABLE_1.items():
        winners = best(study, measure)
        shown = names(winners) if len(winners) <= 4 else f"{summary(winners)}: {len(winners)} alike"
        agrees = bool(BEST[measure].intersection(winners))
        entries.append(Entry(measure.name, "", printed, f"{shown}: {figure(study.mean(measure, winners[0]))}", agrees))
    return Shown(entries=entries)


def table_2(study: Study) -> Shown:
    """Trading off antagonistic performance measures."""
    entries = []
    for row in TABLE_2:
        if row.timed and not study.timed:
            entries.append(Entry(row.title, "", row.printed, "not timed", None))
            continue
        found = frozenset(study.non_dominated(row.pair))
        shared = f"; {len(found & row.named)} of the {len(row.named)} that {row.plot} names" if row.plot else ""
        measured = f"{summary(found)}: {len(found)}{shared}"
        entries.append(Entry(row.title, "", row.printed, measured, _kinds(found) == _kinds(row.named)))
    return Shown(entries=entries)


def table_3(study: Study) -> Shown:
    """Qualitative effects of abstraction."""
    entries = []
    for measure, printed in TABLE_3.items():
        for depth, weight, quota in SETTINGS:
            series = study.over_levels(measure, depth, weight, quota)
            arrow = "↑" if rises(series, LEVELS) else "↓" if falls(series, LEVELS) else "–"
            shown = f"{arrow} {figures(float(values.mean()) for values in series)}"
            entries.append(Entry(measure.name, setting(depth, weight, quota), printed, shown, arrow == printed))
    return Shown(entries=entries)


def table_4(study: Study) -> Shown:
    """LRTS₃(1, 1.0, ∞) against LRTS(5, 0.8, ∞)."""
    return _comparison(study, TABLE_4)


def table_5(study: Study) -> Shown:
    """LRTS₃(5, 0.8, ∞) against LRTS(3, 0.2, ∞)."""
    return _comparison(study, TABLE_5)


def _comparison(study: Study, table: Comparison) -> Shown:
    contest = study.contest(table.one, table.other, table.pair)
    counts = (
        (contest.one_x, contest.one_y, contest.one_dominates),
        (contest.other_x, contest.other_y, contest.other_dominates),
    )
    figures = []
    for algorithm, printed, measured in zip(table.both, table.percent, counts, strict=True):
        for key, published, count in zip("abc", printed, measured, strict=True):
            share = contest.share(count)
            error = math.sqrt(share * (100 - share) / contest.problems)
            figures.append(Figure(algorithm.name, key, published, None, share, error, judged=False, timed=False))
    figures.append(Figure(table.one.name, "d", table.ratio, None, contest.ratio, None, judged=False, timed=False))
    columns = (
        Column("a", f"% of the problems on which it has less {table.pair[0].plain}"),
        Column("b", f"less {table.pair[1].plain}"),
        Column("c", "on which it dominates"),
        Column("d", "the dominance ratio"),
    )
    return Shown(columns=columns, tables=(("a", "b"), ("c", "d")), figures=figures)


def table_6(study: Study) -> Shown:
    """How LRTS parameters change the impact of abstraction."""
    entries = []
    for measure, letters in TABLE_6.items():
        series = {
            "d": (DEPTHS, along_depth(study, measure, 0, 2)),
            "γ": (WEIGHTS, along_weight(study, measure, 0, 2)),
        }
        for printed, (parameter, (places, impacts)) in zip(letters, series.items(), strict=True):
            found = letter(impacts, places)
            shown = f"{found}: {figures(float(values.mean()) for values in impacts)}"
            entries.append(
                Entry(measure.name, f"increase in {parameter}", printed, shown, found.lower() == printed.lower())
            )
    return Shown(entries=entries)


def _kinds(algorithms: frozenset[Algorithm]) -> set[str]:
    """What kinds of algorithms there are: A*, LRTA*, others without abstraction, some with it."""
    return {
        "A*" if each == ASTAR else "abstract" if each.abstract else "LRTA*" if each.is_lrta else "ground"
        for each in algorithms
    }
