"""The data of Figures 13 to 17, 26 and 28 to 36, and beside it what can still be read of the plots."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.dominance import dominance
from permove.analysis.statistics import standard_error
from permove.papers.graph_abstraction_2007.algorithms import (
    ASTAR,
    DEPTHS,
    LEVELS,
    SETTINGS,
    WEIGHTS,
    Algorithm,
    at_levels,
)
from permove.papers.graph_abstraction_2007.printed import (
    AXES,
    SURFACES,
    TABLE_2,
    TABLE_4,
    TABLE_5,
    Comparison,
    Tradeoff,
)
from permove.papers.graph_abstraction_2007.problems import BUCKETS
from permove.papers.graph_abstraction_2007.study import (
    MEASURES,
    SUBOPTIMALITY,
    Measure,
    Pair,
    Study,
)
from permove.papers.graph_abstraction_2007.words import figure, setting
from permove.papers.outcome import Entry
from permove.papers.shown import Shown
from permove.report.plot import Data

SINGLE = (ASTAR, *(Algorithm(level, 3, 0.4, math.inf) for level in (0, 2, 4)))
"""The algorithms of Figure 15."""

SCALED = ((1, 1.0, math.inf), (9, 0.4, math.inf))
"""The parameters of Figures 16 and 17."""

BIN = 5
"""How many percentage points a bar of the histogram is wide."""


Row = dict[str, Any]
"""A row of data."""


def figure_13(study: Study) -> Shown:
    """Convergence planning against first-move lag."""
    return _dominance(study, ["Figure 13"])


def figure_28(study: Study) -> Shown:
    """Dominance for several pairs of measures, part 1."""
    return _dominance(study, ["Figure 28, top", "Figure 28, middle", "Figure 28, bottom"])


def figure_29(study: Study) -> Shown:
    """Dominance for several pairs of measures, part 2."""
    return _dominance(study, ["Figure 29, top", "Figure 29, middle", "Figure 29, bottom"])


def figure_14(study: Study) -> Shown:
    """The five measures over levels."""
    rows: list[Row] = []
    for measure in MEASURES:
        for chosen in SETTINGS:
            for level, values in zip(LEVELS, study.over_levels(measure, *chosen), strict=True):
                mean, error = float(values.mean()), standard_error(values)
                rows.append(
                    {"measure": measure.name, "parameters": setting(*chosen), "level": level, "mean": mean, "se": error}
                )
    return Shown(entries=_axes("figure-14", rows), data=Data("Means over all problems", pl.DataFrame(rows)))


def figure_15(study: Study) -> Shown:
    """A convergence process, trial by trial."""
    place, problem = typical(study)
    trials = study.trials(*SINGLE).filter((pl.col("map") == place) & (pl.col("problem") == problem))
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
    optimal = trials["optimal"][0]
    return Shown(data=Data(f"The trials of problem {problem} on {place}, optimal cost {optimal:.2f}", frame))


def typical(study: Study) -> tuple[str, int]:
    """Map and ordinal of a problem in the bucket from 80 to 90: that of the median travel without abstraction.

    The paper does not say which problem Figure 15 shows.
    """
    ground = study.agents[SINGLE[1]]
    bucket = next(number for number, middle in BUCKETS.items() if middle == 85)
    walks = study.records.filter((pl.col("agent") == ground) & (pl.col("bucket") == bucket)).sort("travel")
    chosen = walks if walks.height else study.records.filter(pl.col("agent") == ground).sort("travel")
    row = chosen.row(chosen.height // 2, named=True)
    return row["map"], row["problem"]


def figure_16(study: Study) -> Shown:
    """Scaling up with problem size, d = 1."""
    return _scaling(study, "figure-16", SCALED[0])


def figure_17(study: Study) -> Shown:
    """Scaling up with problem size, d = 9."""
    return _scaling(study, "figure-17", SCALED[1])


def _scaling(study: Study, name: str, chosen: tuple[int, float, float]) -> Shown:
    rows: list[Row] = [
        {"measure": measure.name, "level": algorithm.level, "optimal_cost": middle, "mean": mean, "se": error}
        for measure in MEASURES
        for algorithm in at_levels(*chosen)
        for middle, (mean, error) in study.by_bucket(measure, algorithm).items()
    ]
    return Shown(entries=_axes(name, rows), data=Data("Means by bucket", pl.DataFrame(rows)))


def figure_26(study: Study) -> Shown:
    """A histogram of suboptimality over all problems and configurations."""
    values = np.concatenate([study.values(SUBOPTIMALITY, each) for each in study.algorithms if each != ASTAR])
    # What is optimal but for rounding belongs to the first bar.
    counts = np.bincount((np.maximum(values, 0) // BIN).astype(int))
    frame = pl.DataFrame(
        {
            "from": np.arange(len(counts)) * BIN,
            "to": np.arange(1, len(counts) + 1) * BIN,
            "solutions": counts,
            "percentage": 100 * counts / len(values),
        }
    )
    entry = Entry("largest suboptimality (%)", "", "axis to 120", figure(float(values.max())), None)
    return Shown(entries=[entry], data=Data("Suboptimality in % of all final solutions of PR LRTS", frame))


def figure_30(study: Study) -> Shown:
    """LRTS₃(1, 1.0, ∞) against LRTS(5, 0.8, ∞), on average and problem by problem."""
    return _duel(study, "figure-30", TABLE_4)


def figure_31(study: Study) -> Shown:
    """LRTS₃(5, 0.8, ∞) against LRTS(3, 0.2, ∞), on average and problem by problem."""
    return _duel(study, "figure-31", TABLE_5)


def _duel(study: Study, name: str, table: Comparison) -> Shown:
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
        largest = float(max(x.max(), y.max()))
        entries.append(_axis(f"largest {measure.name}", AXES[name][measure], largest))
    frame = pl.concat(frames).with_columns(pl.col("x", "y").round(4))
    return Shown(entries=entries, data=Data(f"{_axes_text(table.pair)}; below, the problems one by one", frame))


def surface(measure: Measure, study: Study) -> Shown:
    """Figures 32 to 36: a measure at levels 0, 2 and 4 as a function of d and γ."""
    rows: list[Row] = []
    for weight in WEIGHTS:
        for depth in DEPTHS:
            levels = [study.mean(measure, Algorithm(level, depth, weight, math.inf)) for level in (0, 2, 4)]
            rows.append(
                {"d": depth, "gamma": weight}
                | dict(zip(("level_0", "level_2", "level_4"), levels, strict=True))
                | {"level_0_minus_2": levels[0] - levels[1], "level_2_minus_4": levels[1] - levels[2]}
            )
    entries = [
        _axis(
            f"largest, levels {low} and {high}",
            axis,
            max(max(row[f"level_{low}"], row[f"level_{high}"]) for row in rows),
        )
        for axis, (low, high) in zip(SURFACES[measure], ((0, 2), (2, 4)), strict=True)
    ]
    return Shown(entries=entries, data=Data(f"{measure.name}: means over all problems", pl.DataFrame(rows)))


def _dominance(study: Study, plots: Sequence[str]) -> Shown:
    """The plots of some rows of Table 2, with who is not dominated."""
    rows = [row for plot in plots for row in TABLE_2 if row.plot == plot]
    seen = [row for row in rows if study.timed or not row.timed]
    entries = [_names(study, row) for row in rows]
    frame = pl.concat([_plot(study, row.plot, row.pair[::-1]) for row in seen])
    return Shown(
        entries=entries, data=Data("; ".join(f"{row.plot}: {_axes_text(row.pair[::-1])}" for row in seen), frame)
    )


def _names(study: Study, row: Tradeoff) -> Entry:
    """How many of the algorithms that a plot names are not dominated here, either."""
    printed = f"{len(row.named)} not dominated"
    if row.timed and not study.timed:
        return Entry(row.plot, "", printed, "not timed", None)
    found = frozenset(study.non_dominated(row.pair))
    shared = found & row.named
    return Entry(
        row.plot, "", printed, f"{len(found)}, {len(shared)} of them the same", 2 * len(shared) >= len(row.named)
    )


def _plot(study: Study, panel: str, pair: Pair) -> pl.DataFrame:
    """The points of a dominance plot, those that are not dominated first."""
    x, y = (measure.column for measure in pair)
    frame = dominance(study.means, x, y).sort("dominated", x)
    return frame.select(pl.lit(panel).alias("panel"), "algorithm", *_scaled(pair), "dominated")


def _scaled(pair: Pair) -> list[pl.Expr]:
    return [pl.col(measure.column).alias(axis) for measure, axis in zip(pair, "xy", strict=True)]


def _axes(name: str, rows: Sequence[Row]) -> list[Entry]:
    return [
        _axis(f"largest {measure.name}", axis, max(row["mean"] for row in rows if row["measure"] == measure.name))
        for measure, axis in AXES[name].items()
    ]


def _axis(row: str, axis: float, largest: float) -> Entry:
    """How far an axis goes, and what would have to fit on it: told to be alike within a factor of two."""
    return Entry(row, "", f"axis to {axis:,.0f}", figure(largest), axis / 2 <= largest <= axis * 2)


def _axes_text(pair: Pair) -> str:
    return f"x is {pair[0].name}, y is {pair[1].name}"
