"""The data of Figures 13 to 17, 26 and 28 to 36, next to what is known about the published plots."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.dominance import dominance
from permove.analysis.statistics import standard_error
from permove.papers.claims import number
from permove.papers.graph_abstraction_2007.algorithms import (
    ASTAR,
    DEPTHS,
    SETTINGS,
    SINGLE,
    WEIGHTS,
    Algorithm,
    Setting,
    at_levels,
    setting_text,
)
from permove.papers.graph_abstraction_2007.printed import AXES, SURFACES, TABLE_2, Comparison, Tradeoff
from permove.papers.graph_abstraction_2007.problems import BUCKETS
from permove.papers.graph_abstraction_2007.study import MEASURES, SUBOPTIMALITY, Measure, Pair, Study
from permove.papers.outcome import Entry, Shown
from permove.report.plot import Data

BIN = 5
"""Width of a bar of the histogram in percentage points."""

Row = dict[str, Any]


def figure_14(study: Study) -> Shown:
    """The five measures over levels."""
    rows: list[Row] = []
    for measure in MEASURES:
        for setting in SETTINGS:
            for level, values in enumerate(study.over_levels(measure, setting)):
                row = {"measure": measure.name, "parameters": setting_text(setting), "level": level}
                rows.append(row | {"mean": float(values.mean()), "se": standard_error(values)})
    return Shown(entries=_axes("figure-14", rows), data=Data("Means over all problems", pl.DataFrame(rows)))


def figure_15(study: Study) -> Shown:
    """One run to convergence, trial by trial."""
    place, problem = typical(study)
    trials = study.trials(SINGLE).filter((pl.col("map") == place) & (pl.col("problem") == problem))
    order = {algorithm.name: turn for turn, algorithm in enumerate(SINGLE)}
    frame = (
        trials.sort(pl.col("algorithm").replace_strict(order), "trial")
        .select(
            "algorithm",
            "trial",
            "travel",
            cumulative_travel=pl.col("travel").cum_sum().over("algorithm"),
            shortest_so_far=pl.col("travel").cum_min().over("algorithm"),
        )
        .with_columns(pl.col(pl.Float64).round(2))
    )
    about = f"The trials of problem {problem} on {place}, optimal cost {trials['optimal'][0]:.2f}"
    return Shown(data=Data(about, frame))


def typical(study: Study) -> tuple[str, int]:
    """Map and number of the problem in the bucket from 80 to 90 with the median travel without abstraction.

    The paper does not say which problem Figure 15 shows.
    """
    ground = study.records.filter(agent=study.agents[SINGLE[1]]).sort("travel")
    bucket = next(number for number, middle in BUCKETS.items() if middle == 85)
    inside = ground.filter(pl.col("bucket") == bucket)
    chosen = inside if inside.height else ground
    row = chosen.row(chosen.height // 2, named=True)
    return row["map"], row["problem"]


def scaling(name: str, setting: Setting, study: Study) -> Shown:
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
    frame = pl.DataFrame(
        {
            "from": np.arange(len(counts)) * BIN,
            "to": np.arange(1, len(counts) + 1) * BIN,
            "solutions": counts,
            "percentage": 100 * counts / len(values),
        }
    )
    entry = Entry("largest suboptimality (%)", "", "axis to 120", number(float(values.max())), None)
    return Shown(entries=[entry], data=Data("Suboptimality in % of all final solutions of PR LRTS", frame))


def contest(name: str, table: Comparison, study: Study) -> Shown:
    """Figures 30 and 31: two algorithms on average and problem by problem."""
    frames = [_plot(study, "top", table.pair)]
    entries = []
    places = study.records.head(study.problems).select(algorithm=pl.format("{}, {}", "map", "problem"))
    for side, measure in zip(("bottom left", "bottom right"), table.pair, strict=True):
        x, y = (study.values(measure, algorithm) for algorithm in (table.other, table.one))
        points = places.with_columns(
            panel=pl.lit(f"{side}: {measure.name}, {table.other.name} against {table.one.name}"),
            x=pl.Series(x),
            y=pl.Series(y),
            dominated=pl.lit(None, pl.Boolean),
        )
        frames.append(points.select(frames[0].columns))
        entries.append(_axis(f"largest {measure.name}", AXES[name][measure], float(max(x.max(), y.max()))))
    frame = pl.concat(frames).with_columns(pl.col("x", "y").round(4))
    return Shown(entries=entries, data=Data(f"{_axes_text(table.pair)}; below, individual problems", frame))


def surface(measure: Measure, study: Study) -> Shown:
    """Figures 32 to 36: a measure at levels 0, 2 and 4 as a function of d and γ."""
    rows: list[Row] = []
    for weight in WEIGHTS:
        for depth in DEPTHS:
            levels = [study.mean(measure, Algorithm(level, depth, weight, math.inf)) for level in (0, 2, 4)]
            row = {"d": depth, "gamma": weight} | {f"level_{2 * at}": value for at, value in enumerate(levels)}
            rows.append(row | {"level_0_minus_2": levels[0] - levels[1], "level_2_minus_4": levels[1] - levels[2]})
    entries = [
        _axis(
            f"largest, levels {low} and {high}",
            axis,
            max(max(row[f"level_{low}"], row[f"level_{high}"]) for row in rows),
        )
        for axis, (low, high) in zip(SURFACES[measure], ((0, 2), (2, 4)), strict=True)
    ]
    return Shown(entries=entries, data=Data(f"{measure.name}: means over all problems", pl.DataFrame(rows)))


def tradeoffs(plots: Sequence[str], study: Study) -> Shown:
    """Figures 13, 28 and 29: plots of rows of Table 2 with the non-dominated algorithms."""
    rows = [row for plot in plots for row in TABLE_2 if row.plot == plot]
    seen = [row for row in rows if study.timed or not row.timed]
    frame = pl.concat([_plot(study, row.plot, row.pair[::-1]) for row in seen])
    about = "; ".join(f"{row.plot}: {_axes_text(row.pair[::-1])}" for row in seen)
    return Shown(entries=[_shared(study, row) for row in rows], data=Data(about, frame))


def _shared(study: Study, row: Tradeoff) -> Entry:
    """How many of the algorithms that a plot names are non-dominated here, too."""
    printed = f"{len(row.named)} not dominated"
    if row.timed and not study.timed:
        return Entry(row.plot, "", printed, "not timed", None)
    found = frozenset(study.non_dominated(row.pair))
    shared = found & row.named
    agrees = 2 * len(shared) >= len(row.named)
    return Entry(row.plot, "", printed, f"{len(found)}, {len(shared)} of them the same", agrees)


def _plot(study: Study, panel: str, pair: Pair) -> pl.DataFrame:
    """The points of a dominance plot, non-dominated ones first."""
    x, y = (measure.column for measure in pair)
    frame = dominance(study.means, x, y).sort("dominated", x)
    return frame.select(
        pl.lit(panel).alias("panel"), "algorithm", pl.col(x).alias("x"), pl.col(y).alias("y"), "dominated"
    )


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
