"""Tables 1 to 6 and the values in the text: published next to measured."""

import math
from functools import partial

from permove.papers import claims as c
from permove.papers.graph_abstraction_2007 import algorithms as alg
from permove.papers.graph_abstraction_2007 import printed
from permove.papers.graph_abstraction_2007.algorithms import Algorithm, names, setting_text, summary
from permove.papers.graph_abstraction_2007.dominance import difference, ratios
from permove.papers.graph_abstraction_2007.study import DEPTH, NO_QUOTA, WEIGHT, Axis, Measure, Study, along, impact
from permove.papers.graph_abstraction_2007.trends import memory_and_travel
from permove.papers.outcome import Column, Entry, Shown

NO_EFFECT = 0.25
"""An impact that changes by less than this share of its mean over the complete range is not affected."""


def table_1(study: Study) -> Shown:
    """The best algorithms for single measures."""
    entries = []
    for measure, published in printed.TABLE_1.items():
        winners = study.best(measure)
        shown = names(winners) if len(winners) <= 4 else f"{summary(winners)}: {len(winners)} tied"
        agrees = bool(printed.BEST[measure].intersection(winners))
        found = f"{shown}: {c.number(study.mean(measure, winners[0]))}"
        entries.append(Entry(measure.name, "", published, found, agrees))
    return Shown(entries=entries)


def table_2(study: Study) -> Shown:
    """The non-dominated algorithms for pairs of measures."""
    entries = []
    for row in printed.TABLE_2:
        if row.timed and not study.timed:
            entries.append(Entry(row.title, "", row.printed, "not timed", None))
            continue
        found = frozenset(study.non_dominated(row.pair))
        shared = f"; {len(found & row.named)} of the {len(row.named)} that {row.plot} names" if row.plot else ""
        measured = f"{summary(found)}: {len(found)}{shared}"
        entries.append(Entry(row.title, "", row.printed, measured, _kinds(found) == _kinds(row.named)))
    return Shown(entries=entries)


def table_3(study: Study) -> Shown:
    """The effects of abstraction."""
    entries = []
    for measure, published in printed.TABLE_3.items():
        for setting in alg.SETTINGS:
            series = study.over_levels(measure, setting)
            arrow = "↑" if c.rises(series, alg.LEVELS) else "↓" if c.falls(series, alg.LEVELS) else "–"
            shown = f"{arrow} {c.numbers(c.means(series))}"
            entries.append(Entry(measure.name, setting_text(setting), published, shown, arrow == published))
    return Shown(entries=entries)


def _comparison(table: printed.Comparison, study: Study) -> Shown:
    columns = first, second, both, ratio = (
        Column("a", f"% of the problems on which it has less {table.pair[0].plain}"),
        Column("b", f"less {table.pair[1].plain}"),
        Column("c", "on which it dominates"),
        Column("d", "the dominance ratio"),
    )
    contest, figures = study.contest(*table.both, table.pair), []
    for side, algorithm, published in zip(("one", "other"), table.both, table.percent, strict=True):
        for column, what, percent in zip((first, second, both), ("x", "y", "dominates"), published, strict=True):
            share = contest[f"{side}_{what}"]
            measured = share, math.sqrt(share * (100 - share) / contest["problems"])
            figures.append(column.figure(algorithm.name, percent, measured))
    figures.append(ratio.figure(table.one.name, table.ratio, contest["ratio"]))
    return Shown(columns, (("a", "b"), ("c", "d")), figures)


table_4, table_5 = partial(_comparison, printed.TABLE_4), partial(_comparison, printed.TABLE_5)


def table_6(study: Study) -> Shown:
    """The effect of d and γ on the impact of abstraction."""
    entries = []
    for measure, letters in printed.TABLE_6.items():
        for published, axis in zip(letters, (DEPTH, WEIGHT), strict=True):
            letter, impacts = _letter(study, measure, axis)
            found, agrees = f"{letter}: {c.numbers(impacts)}", letter.lower() == published.lower()
            entries.append(Entry(measure.name, f"increase in {axis.name}", published, found, agrees))
    return Shown(entries=entries)


def _letter(study: Study, measure: Measure, axis: Axis) -> tuple[str, list[float]]:
    """A if a larger parameter amplifies the impact, D if it diminishes it, - if it hardly matters; and the impacts.

    The paper does not define its minor effects, so that there are only capital letters.
    """
    series = along(study, impact(measure), axis, NO_QUOTA)
    impacts = c.means(series)
    total = c.slope(series, axis.values)[0] * (axis.values[-1] - axis.values[0])
    if abs(total) < NO_EFFECT * abs(sum(impacts) / len(impacts)):
        return "-", impacts
    return "A" if c.rises(series, axis.values) else "D" if c.falls(series, axis.values) else "-", impacts


def _kinds(algorithms: frozenset[Algorithm]) -> set[str]:
    """The kinds of algorithms: A*, LRTA*, others without abstraction, with abstraction."""
    return {
        "A*" if each == alg.ASTAR else "abstract" if each.abstract else "LRTA*" if each.is_lrta else "ground"
        for each in algorithms
    }


def text_values(study: Study) -> Shown:
    """The values that the text gives outside tables."""
    text = Column("text", "values in the text")
    correlated = f"correlation of memory and travel, {printed.CORRELATED.name}"
    figures = [
        text.figure(correlated, printed.CORRELATION, memory_and_travel(study)),
        text.figure(
            "points between the suboptimalities of Table 5", printed.SUBOPTIMALITY_DIFFERENCE, difference(study)
        ),
    ]
    for pair, (low, mean, error) in printed.RATIOS.items():
        measured, which = ratios(study, pair), f"dominance ratio, {pair[0].name} and {pair[1].name}"
        figures.append(text.figure(f"minimum {which}", low, measured.minimum))
        figures.append(text.figure(f"mean of the finite {which}", (mean, error), (measured.mean, measured.error)))
    return Shown((text,), figures=figures)
