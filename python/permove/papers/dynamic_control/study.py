"""The records of the algorithms on the problems of each size: the points of plots, and the samples behind them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from permove.analysis.outcomes import SOLVED
from permove.analysis.statistics import Values
from permove.analysis.tradeoff import tradeoff
from permove.papers.claims import NotMeasuredError
from permove.papers.dynamic_control.algorithms import Algorithm, Family

Size = Literal["original", "upscaled"]

Average = Literal["planning", "pooled"]
"""Averages of planning per move, as fields of a `Point`."""


@dataclass(frozen=True)
class Point:
    """An algorithm in the plane of suboptimality and planning per move."""

    algorithm: Algorithm
    suboptimality: float
    suboptimality_se: float
    planning: float
    """States expanded per move: the mean of the problems' own ratios, as in both papers."""
    planning_se: float
    pooled: float
    """States expanded per move, pooled: all states over all moves."""
    pooled_se: float
    """Standard error of the ratio of totals."""
    worst: float
    """The maximum number of states expanded for a single move."""
    time: float
    """Nanoseconds per move, of complete trials."""
    solved: int
    problems: int

    @property
    def name(self) -> str:
        """The name of the algorithm."""
        return self.algorithm.name

    @property
    def excess(self) -> float:
        """By how much its paths are longer than optimal ones, as a share."""
        return self.suboptimality - 1

    @property
    def text(self) -> str:
        """The point for a report."""
        return f"{self.name}: {self.suboptimality:.3f} at {states_text(self.planning)}"

    def dominates(self, other: "Point") -> bool:
        """Whether it is better in one of the two and not worse in the other."""
        one, two = (self.planning, self.suboptimality), (other.planning, other.suboptimality)
        return one[0] <= two[0] and one[1] <= two[1] and one != two

    def row(self) -> dict[str, str | float | int]:
        """The point as a row of a plot's data."""
        names = ("planning", "planning_se", "pooled", "suboptimality", "suboptimality_se")
        values = {name: getattr(self, name) for name in names} | {"worst": int(self.worst), "solved": self.solved}
        return {"family": self.algorithm.family.name, "parameters": self.algorithm.setting} | values


COLUMNS = {
    "suboptimality": "suboptimality",
    "suboptimality_se": "suboptimality_se",
    "planning": "expanded_per_move_mean",
    "planning_se": "expanded_per_move_mean_se",
    "pooled": "expanded_per_move",
    "pooled_se": "expanded_per_move_se",
    "worst": "expanded_max",
    "time": "time_per_move_ns",
}
"""The columns of `Study.means` with the values of a point."""

RATIOS = pl.col("expanded") / pl.col("moves")
MEANS = (pl.col("suboptimality").mean(), RATIOS.mean().alias("planning"))


class Study:
    """The records of some algorithms on the problems of one size."""

    def __init__(
        self, records: pl.DataFrame, agents: Mapping[Algorithm, str], skipped: Mapping[Algorithm, str]
    ) -> None:
        self.agents = agents
        self.skipped = skipped
        """Reasons why some algorithms did not run."""
        self.records = records.filter(pl.col("agent").is_in(list(agents.values())))

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per algorithm as in `permove.analysis.tradeoff`, with the names of the paper."""
        names = {spec: algorithm.name for algorithm, spec in self.agents.items()}
        error = (RATIOS.std() / pl.len().sqrt()).alias("expanded_per_move_mean_se")
        errors = self.records.filter(SOLVED).group_by("agent").agg(error)
        frame = tradeoff(self.records).join(errors, on="agent", how="left", maintain_order="left")
        return frame.with_columns(label=pl.col("agent").replace_strict(names, return_dtype=pl.String))

    @cached_property
    def _points(self) -> dict[str, Point]:
        by_agent = {spec: algorithm for algorithm, spec in self.agents.items()}
        return {row["agent"]: _point(by_agent[row["agent"]], row) for row in self.means.iter_rows(named=True)}

    def __contains__(self, algorithm: Algorithm) -> bool:
        return self.agents.get(algorithm) in self._points

    def __getitem__(self, algorithm: Algorithm) -> Point:
        """The point of an algorithm that ran."""
        if algorithm not in self:
            reason = self.skipped.get(algorithm, "it is not part of this item; the item `claims` runs every algorithm")
            raise NotMeasuredError(f"{algorithm.name} did not run: {reason}.")
        return self._points[self.agents[algorithm]]

    def find(self, algorithm: Algorithm) -> Point:
        """The point of an algorithm, with nan for all values if it did not run."""
        return self[algorithm] if algorithm in self else _point(algorithm, {})

    def points(self, *families: Family, cutoff: float = math.inf) -> list[Point]:
        """The points of some families that never exceed a cutoff, in the order of their parameters."""
        found = [self._points[spec] for algorithm, spec in self.agents.items() if algorithm.family in families]
        return [point for point in found if point.worst <= cutoff]

    def some(self, *families: Family, cutoff: float = math.inf) -> list[Point]:
        """The same points; there has to be at least one."""
        found = self.points(*families, cutoff=cutoff)
        if not found:
            names = " or ".join(family.name for family in families)
            limit = f" that never expands more than {cutoff:,.0f} states for a single move"
            raise NotMeasuredError(f"There is no {names}{'' if math.isinf(cutoff) else limit}.")
        return found

    def without_the_worst(self, algorithm: Algorithm, part: float) -> tuple[float, float]:
        """Mean suboptimality and states per move, without a share of the problems with the longest paths."""
        own = self._solved(algorithm)
        kept = own.sort("suboptimality", maintain_order=True).head(own.height - round(part * own.height))
        return kept.select(*MEANS).row(0)

    def values(self, column: str, *algorithms: Algorithm) -> list[Values]:
        """A column of each of some algorithms, on the problems that all of them solved, in the same order."""
        frames = [self._solved(algorithm) for algorithm in algorithms]
        place = ["set", "map", "problem"]
        common = frames[0].select(place)
        for frame in frames[1:]:
            common = common.join(frame.select(place), on=place, how="semi")
        return [
            frame.join(common, on=place, how="semi").sort(place)[column].cast(pl.Float64).to_numpy() for frame in frames
        ]

    def _solved(self, algorithm: Algorithm) -> pl.DataFrame:
        return self.records.filter(SOLVED & (pl.col("agent") == self.agents[self[algorithm].algorithm]))


@dataclass(frozen=True)
class Built:
    """Size and build time of the pattern databases of a kind and level."""

    pairs: float
    build_ns: float | None = None
    """`None` if it was not built."""
    jobs: int = 1


Databases = Mapping[tuple[str, int, int], Built]
"""Databases by kind, base and level."""


@dataclass(frozen=True)
class Tree:
    """A trained decision tree, its accuracy by cross-validation and the number of its samples."""

    path: str
    accuracy: float
    samples: int
    ccp_alpha: float = 0.0


@dataclass(frozen=True)
class Evidence:
    """The evidence for tables, figures and claims; an item has only the parts that it needs."""

    original: Study
    upscaled: Study
    databases: Callable[[], Databases]
    """Databases of the upscaled maps."""
    trees: Mapping[int, Tree] = field(default_factory=dict)
    """The trees of the original size, by d_max."""
    clock: Study | None = None
    """The upscaled problems again on one thread, with times."""
    states: Callable[[], Mapping[str, Sequence[Sequence[int]]]] = dict
    """For each size, the number of states on each level, map by map."""

    @property
    def timed(self) -> bool:
        """Whether times were measured."""
        return self.clock is not None

    def of(self, size: Size) -> Study:
        """The study of a size."""
        return self.original if size == "original" else self.upscaled


def empty() -> Study:
    """Return a study without records."""
    return Study(pl.DataFrame(schema={"agent": pl.String}), {}, {})


def planning_at(curve: Sequence[Point], suboptimality: float, average: Average = "planning") -> float | None:
    """Return the planning per move at which a curve reaches a suboptimality, or `None` if it does not.

    Between two points it is a straight line in the logarithms. If the curve gets there repeatedly, the minimum counts.
    """
    ordered = sorted((getattr(point, average), point.suboptimality) for point in curve)
    found = []
    for (x, y), (next_x, next_y) in pairwise(ordered):
        if min(y, next_y) <= suboptimality <= max(y, next_y) and y != next_y:
            at = math.log(y / suboptimality) / math.log(y / next_y)
            found.append(x ** (1 - at) * next_x**at)
    return min(found, default=None)


def suboptimality_at(curve: Sequence[Point], planning: float) -> float | None:
    """Return the suboptimality of a curve at some planning per move, interpolated in the same way."""
    ordered = sorted(curve, key=lambda point: point.planning)
    if not ordered or not ordered[0].planning <= planning <= ordered[-1].planning:
        return None
    x, y = np.log([(point.planning, point.suboptimality) for point in ordered]).T
    return float(np.exp(np.interp(math.log(planning), x, y)))


def states_text(planning: float) -> str:
    """Return planning per move for a report."""
    return f"{planning:,.0f} states" if planning >= 100 else f"{planning:.2f} states"


def best(points: Iterable[Point]) -> Point:
    """Return the point with the best suboptimality."""
    return min(points, key=lambda point: (point.suboptimality, point.planning))


def not_dominated(points: Sequence[Point], others: Sequence[Point]) -> list[Point]:
    """Return the points that none of some others dominates."""
    return [point for point in points if not any(other.dominates(point) for other in others)]


def _point(algorithm: Algorithm, row: Mapping[str, Any]) -> Point:
    values = {name: math.nan if row.get(column) is None else float(row[column]) for name, column in COLUMNS.items()}
    return Point(algorithm, **values, solved=row.get("solved", 0), problems=row.get("problems", 0))
