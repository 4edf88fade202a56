"""Tables 1 to 6, the values in the text, and the data of Figures 13 to 17, 26 and 28 to 36, next to published ones."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.best_so_far import so_far
from permove.analysis.chance import falls, means, rises
from permove.analysis.dominance import dominance
from permove.analysis.histogram import histogram
from permove.analysis.interplay import effect
from permove.analysis.statistics import standard_error
from permove.papers import claims as c
from permove.papers.graph_abstraction_2007 import algorithms as alg
from permove.papers.graph_abstraction_2007 import printed
from permove.papers.graph_abstraction_2007 import study as st
from permove.papers.graph_abstraction_2007.algorithms import ASTAR, SINGLE, Algorithm, at_levels, setting_text, summary
from permove.papers.graph_abstraction_2007.dominance import difference, ratios
from permove.papers.graph_abstraction_2007.printed import AXES, SURFACES, TABLE_2, Comparison, Tradeoff
from permove.papers.graph_abstraction_2007.study import MEASURES, SUBOPTIMALITY, Measure, Pair, Study
from permove.papers.graph_abstraction_2007.trends import memory_and_travel
from permove.papers.outcome import Column, Entry, Shown
from permove.report.plot import Data, Plot

BIN = 5
"""Width of a bar of the histogram in percentage points."""

Row = dict[str, Any]

DOMINANCE = Plot("x", "y", "x", "y", "dominated", panel="panel")
LOGARITHMIC = replace(DOMINANCE, log_x=True, log_y=True)
LEVELS = tuple(f"level_{level}" for level in st.SHOWN_LEVELS)
SURFACE = Plot("d", "mean", "d", "mean", "level", LEVELS, panel="gamma", series=LEVELS)
BY_SIZE = Plot("optimal_cost", "mean", "Optimal cost", "mean", "level", alg.LEVELS, errors="se", panel="measure")
SETTINGS = tuple(map(setting_text, alg.SETTINGS))
ALGORITHMS = tuple(each.name for each in SINGLE)
PLOTS = {
    "figure-14": Plot("level", "mean", "Level", "mean", "parameters", SETTINGS, errors="se", panel="measure"),
    "figure-15": Plot("cumulative_travel", "shortest_so_far", "Travel", "Shortest so far", "algorithm", ALGORITHMS),
    **dict.fromkeys(("figure-16", "figure-17"), BY_SIZE),
    "figure-26": Plot("from", "percentage", "Suboptimality (%)", "Final solutions (%)", bars_to="to", log_y=True),
    **dict.fromkeys(("figure-29", "figure-31"), DOMINANCE),  # with zeros
    **dict.fromkeys(("figure-13", "figure-28", "figure-30"), LOGARITHMIC),
    **{f"figure-{at}": SURFACE for at in range(32, 37)},
}
"""The plot of each figure."""


def table_1(study: Study) -> Shown:
    """The best algorithms for single measures."""
    entries = []
    for measure, published in printed.TABLE_1.items():
        winners = study.best(measure)
        shown = alg.names(winners) if len(winners) <= 4 else f"{summary(winners)}: {len(winners)} tied"
        agrees = bool(printed.BEST[measure].intersection(winners))
        found = f"{shown}: {c.number(study.mean(measure, winners[0]))}"
        entries.append(Entry(measure.name, "", published, found, agrees))
    return Shown(entries=entries)


def table_2(study: Study) -> Shown:
    """The non-dominated algorithms for pairs of measures."""
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
    """The effects of abstraction."""
    entries = []
    for measure, published in printed.TABLE_3.items():
        for setting in alg.SETTINGS:
            series = study.over_levels(measure, setting)
            arrow = "↑" if rises(series, alg.LEVELS) else "↓" if falls(series, alg.LEVELS) else "–"
            shown = f"{arrow} {c.numbers(means(series))}"
            entries.append(Entry(measure.name, setting_text(setting), published, shown, arrow == published))
    return Shown(entries=entries)


def _comparison(table: Comparison, study: Study) -> Shown:
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
        for published, axis in zip(letters, (st.DEPTH, st.WEIGHT), strict=True):
            letter, impacts = effect(st.along(study, st.impact(measure), axis, st.NO_QUOTA), axis.values)
            found, agrees = f"{letter}: {c.numbers(impacts)}", letter.lower() == published.lower()
            entries.append(Entry(measure.name, f"increase in {axis.name}", published, found, agrees))
    return Shown(entries=entries)


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


def figure_14(study: Study) -> Shown:
    """The five measures over levels."""
    rows: list[Row] = [
        {"measure": measure.name, "parameters": setting_text(setting), "level": level}
        | {"mean": float(values.mean()), "se": standard_error(values)}
        for measure in MEASURES
        for setting in alg.SETTINGS
        for level, values in enumerate(study.over_levels(measure, setting))
    ]
    data = Data("Means over all problems", pl.DataFrame(rows), PLOTS["figure-14"])
    return Shown(entries=_axes("figure-14", rows), data=data)


def figure_15(study: Study) -> Shown:
    """One run to convergence, trial by trial, on a typical problem: the paper does not say which one it shows."""
    place, problem = study.typical(SINGLE[1], 85)
    trials = study.trials(SINGLE).filter((pl.col("map") == place) & (pl.col("problem") == problem))
    order = {algorithm.name: turn for turn, algorithm in enumerate(SINGLE)}
    columns = ["algorithm", "trial", "travel", "cumulative_travel", "shortest_so_far"]
    frame = so_far(trials).sort(pl.col("algorithm").replace_strict(order), "trial").select(columns)
    about = f"The trials of problem {problem} on {place}, optimal cost {trials['optimal'][0]:.2f}"
    return Shown(data=Data(about, frame.with_columns(pl.col(pl.Float64).round(2)), PLOTS["figure-15"]))


def scaling(name: str, setting: alg.Setting, study: Study) -> Shown:
    """Figures 16 and 17: the measures by the size of the problems."""
    rows: list[Row] = [
        {"measure": measure.name, "level": algorithm.level, "optimal_cost": middle, "mean": mean, "se": error}
        for measure in MEASURES
        for algorithm in at_levels(setting)
        for middle, (mean, error) in study.by_bucket(measure, algorithm).items()
    ]
    return Shown(entries=_axes(name, rows), data=Data("Means by bucket", pl.DataFrame(rows), PLOTS[name]))


def figure_26(study: Study) -> Shown:
    """A histogram of suboptimality over all problems and configurations."""
    values = np.concatenate([study.values(SUBOPTIMALITY, each) for each in study.agents if each != ASTAR])
    # Solutions that are optimal up to rounding belong to the first bar.
    edges = np.arange(0, values.max() + 2 * BIN, BIN, dtype=np.int64)
    frame = histogram(np.maximum(values, 0), edges[: np.searchsorted(edges, values.max(), side="right") + 1])
    entry = Entry("largest suboptimality (%)", "", "axis to 120", c.number(float(values.max())), None)
    about = "Suboptimality in % of all final solutions of PR LRTS"
    data = Data(about, frame.rename({"count": "solutions"}), PLOTS["figure-26"])
    return Shown(entries=[entry], data=data)


def contest(name: str, table: Comparison, study: Study) -> Shown:
    """Figures 30 and 31: two algorithms on average and problem by problem."""
    frames = [_plot(study, "top", table.pair)]
    entries = []
    places = study.records.head(study.problems).select(algorithm=pl.format("{}, {}", "map", "problem"))
    for side, measure in zip(("bottom left", "bottom right"), table.pair, strict=True):
        x, y = (study.values(measure, algorithm) for algorithm in (table.other, table.one))
        panel = pl.lit(f"{side}: {measure.name}, {table.other.name} against {table.one.name}")
        points = places.with_columns(panel=panel, x=pl.Series(x), y=pl.Series(y), dominated=pl.lit(None, pl.Boolean))
        frames.append(points.select(frames[0].columns))
        entries.append(_axis(f"largest {measure.name}", AXES[name][measure], float(max(x.max(), y.max()))))
    frame = pl.concat(frames).with_columns(pl.col("x", "y").round(4))
    about = f"{_axes_text(table.pair)}; below, individual problems"
    return Shown(entries=entries, data=Data(about, frame, PLOTS[name]))


def surface(measure: Measure, study: Study) -> Shown:
    """Figures 32 to 36: a measure at levels 0, 2 and 4 as a function of d and γ."""
    rows: list[Row] = []
    for weight in alg.WEIGHTS:
        for depth in alg.DEPTHS:
            ground, low, high = (study.mean(measure, Algorithm(at, depth, weight, math.inf)) for at in (0, 2, 4))
            row = {"d": depth, "gamma": weight, "level_0": ground, "level_2": low, "level_4": high}
            rows.append(row | {"level_0_minus_2": ground - low, "level_2_minus_4": low - high})
    entries = []
    for axis, levels in zip(SURFACES[measure], ((0, 2), (2, 4)), strict=True):
        largest = max(row[f"level_{level}"] for row in rows for level in levels)
        entries.append(_axis(f"largest, levels {levels[0]} and {levels[1]}", axis, largest))
    return Shown(entries=entries, data=Data(f"{measure.name}: means over all problems", pl.DataFrame(rows), SURFACE))


def tradeoffs(figure: str, study: Study) -> Shown:
    """Figures 13, 28 and 29: plots of rows of Table 2 with the non-dominated algorithms."""
    order, title = ("", ", top", ", middle", ", bottom"), figure.capitalize().replace("-", " ")
    rows = [row for part in order for row in TABLE_2 if row.plot == f"{title}{part}"]
    seen = [row for row in rows if study.timed or not row.timed]
    frame = pl.concat([_plot(study, row.plot, row.pair[::-1]) for row in seen])
    about = "; ".join(f"{row.plot}: {_axes_text(row.pair[::-1])}" for row in seen)
    return Shown(entries=[_shared(study, row) for row in rows], data=Data(about, frame, PLOTS[figure]))


def _shared(study: Study, row: Tradeoff) -> Entry:
    """How many of the algorithms that a plot names are non-dominated here, too."""
    published = f"{len(row.named)} not dominated"
    if row.timed and not study.timed:
        return Entry(row.plot, "", published, "not timed", None)
    found = frozenset(study.non_dominated(row.pair))
    same = len(found & row.named)
    return Entry(row.plot, "", published, f"{len(found)}, {same} of them the same", 2 * same >= len(row.named))


def _plot(study: Study, panel: str, pair: Pair) -> pl.DataFrame:
    """The points of a dominance plot, non-dominated ones first."""
    x, y = (measure.column for measure in pair)
    frame = dominance(study.means, x, y).sort("dominated", x)
    return frame.select(panel=pl.lit(panel), algorithm="algorithm", x=x, y=y, dominated="dominated")


def _axes(name: str, rows: Sequence[Row]) -> list[Entry]:
    return [
        _axis(f"largest {measure.name}", axis, max(row["mean"] for row in rows if row["measure"] == measure.name))
        for measure, axis in AXES[name].items()
    ]


def _axis(row: str, axis: float, largest: float) -> Entry:
    """The end of an axis and the largest measured value, which agree within a factor of two."""
    return Entry(row, "", f"axis to {axis:,.0f}", c.number(largest), axis / 2 <= largest <= axis * 2)


def _axes_text(pair: Pair) -> str:
    return f"x is {pair[0].name}, y is {pair[1].name}"
