"""The data of Figures 13 to 17, 26 and 28 to 36, next to what is known about the published plots."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.dominance import dominance
from permove.analysis.statistics import standard_error
from permove.papers.claims import number
from permove.papers.graph_abstraction_2007 import algorithms as alg
from permove.papers.graph_abstraction_2007.algorithms import ASTAR, SINGLE, Algorithm, at_levels, setting_text
from permove.papers.graph_abstraction_2007.printed import AXES, SURFACES, TABLE_2, Comparison, Tradeoff
from permove.papers.graph_abstraction_2007.study import BUCKETS, MEASURES, SUBOPTIMALITY, Measure, Pair, Study
from permove.papers.outcome import Entry, Shown
from permove.report.plot import Data

BIN = 5
"""Width of a bar of the histogram in percentage points."""

Row = dict[str, Any]


def figure_14(study: Study) -> Shown:
    """The five measures over levels."""
    rows: list[Row] = [
        {"measure": measure.name, "parameters": setting_text(setting), "level": level}
        | {"mean": float(values.mean()), "se": standard_error(values)}
        for measure in MEASURES
        for setting in alg.SETTINGS
        for level, values in enumerate(study.over_levels(measure, setting))
    ]
    return Shown(entries=_axes("figure-14", rows), data=Data("Means over all problems", pl.DataFrame(rows)))


def figure_15(study: Study) -> Shown:
    """One run to convergence, trial by trial."""
    place, problem = typical(study)
    trials = study.trials(SINGLE).filter((pl.col("map") == place) & (pl.col("problem") == problem))
    order = {algorithm.name: turn for turn, algorithm in enumerate(SINGLE)}
    frame = trials.sort(pl.col("algorithm").replace_strict(order), "trial").select(
        "algorithm",
        "trial",
        "travel",
        cumulative_travel=pl.col("travel").cum_sum().over("algorithm"),
        shortest_so_far=pl.col("travel").cum_min().over("algorithm"),
    )
    about = f"The trials of problem {problem} on {place}, optimal cost {trials['optimal'][0]:.2f}"
    return Shown(data=Data(about, frame.with_columns(pl.col(pl.Float64).round(2))))


def typical(study: Study) -> tuple[str, int]:
    """Map and number of the problem in the bucket from 80 to 90 with the median travel without abstraction.

    The paper does not say which problem Figure 15 shows.
    """
    ground = study.records.filter(agent=study.agents[SINGLE[1]]).sort("travel")
    inside = ground.filter(bucket=next(bucket for bucket, middle in BUCKETS.items() if middle == 85))
    chosen = inside if inside.height else ground
    row = chosen.row(chosen.height // 2, named=True)
    return row["map"], row["problem"]


def scaling(name: str, setting: alg.Setting, study: Study) -> Shown:
    """Figures 16 and 17: the measures by the size of the problems."""
    rows: list[Row] = [
        {"measure": measure.name, "level": algorithm.level, "optimal_cost": middle, "mean": mean, "se": error}
        for measure in MEASURES
        for algorithm in at_levels(setting)
        for middle, (mean, error) in study.by_bucket(measure, algorithm).items()
    ]
    return Shown(entries=_axes(name, rows), data=Data("Means by bucket", pl.DataFrame(rows)))


def figure_26(study: Study) -> Shown:
    """A histogram of suboptimality over all problems and configurations."""
    values = np.concatenate([study.values(SUBOPTIMALITY, each) for each in study.agents if each != ASTAR])
    # Solutions that are optimal up to rounding belong to the first bar.
    counts = np.bincount((np.maximum(values, 0) // BIN).astype(int))
    starts = np.arange(len(counts)) * BIN
    columns = {"from": starts, "to": starts + BIN, "solutions": counts, "percentage": 100 * counts / len(values)}
    entry = Entry("largest suboptimality (%)", "", "axis to 120", number(float(values.max())), None)
    data = Data("Suboptimality in % of all final solutions of PR LRTS", pl.DataFrame(columns))
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
    return Shown(entries=entries, data=Data(f"{_axes_text(table.pair)}; below, individual problems", frame))


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
    return Shown(entries=entries, data=Data(f"{measure.name}: means over all problems", pl.DataFrame(rows)))


def tradeoffs(figure: str, study: Study) -> Shown:
    """Figures 13, 28 and 29: plots of rows of Table 2 with the non-dominated algorithms."""
    order = ("", ", top", ", middle", ", bottom")
    rows = [row for part in order for row in TABLE_2 if row.plot == f"{figure}{part}"]
    seen = [row for row in rows if study.timed or not row.timed]
    frame = pl.concat([_plot(study, row.plot, row.pair[::-1]) for row in seen])
    about = "; ".join(f"{row.plot}: {_axes_text(row.pair[::-1])}" for row in seen)
    return Shown(entries=[_shared(study, row) for row in rows], data=Data(about, frame))


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
    return Entry(row, "", f"axis to {axis:,.0f}", number(largest), axis / 2 <= largest <= axis * 2)


def _axes_text(pair: Pair) -> str:
    return f"x is {pair[0].name}, y is {pair[1].name}"
