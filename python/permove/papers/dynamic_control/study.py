"""What the algorithms did on the problems of each size: the points of the plots, and the samples behind them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl

from permove.analysis.outcomes import SOLVED
from permove.analysis.statistics import Values
from permove.analysis.tradeoff import tradeoff
from permove.papers.claim import NotMeasuredError
from permove.papers.dynamic_control.algorithms import Algorithm, Family


@dataclass(frozen=True)
class Point:
    """An algorithm in the plane of suboptimality and planning per move."""

    algorithm: Algorithm
    suboptimality: float
    suboptimality_se: float
    planning: float
    """States expanded per move, pooled: all states over all moves."""
    planning_se: float
    """That of the ratio estimator."""
    planning_mean: float
    """The mean of the problems' own ratios."""
    worst: float
    """The most states expanded for any one move."""
    time: float
    """Nanoseconds per move, of whole trials."""
    solved: int
    problems: int

    @property
    def name(self) -> str:
        """The algorithm's."""
        return self.algorithm.name

    def dominates(self, other: "Point") -> bool:
        """Whether it is better in one of the two and not worse in the other."""
        return (
            self.planning <= other.planning
            and self.suboptimality <= other.suboptimality
            and (self.planning < other.planning or self.suboptimality < other.suboptimality)
        )

    def row(self) -> dict[str, str | float | int]:
        """As a row of a plot's data."""
        return {
            "family": self.algorithm.family.name,
            "parameters": self.algorithm.setting,
            "planning": self.planning,
            "planning_se": self.planning_se,
            "planning_mean": self.planning_mean,
            "suboptimality": self.suboptimality,
            "suboptimality_se": self.suboptimality_se,
            "worst": int(self.worst),
            "solved": self.solved,
        }


class Study:
    """The records of some algorithms on the problems of one size."""

    def __init__(self, records: pl.DataFrame, agents: Mapping[Algorithm, str], why: Mapping[Algorithm, str]) -> None:
        self.agents = agents
        self.why = why
        """For algorithms that did not walk: why not."""
        self.records = records.filter(pl.col("agent").is_in(list(agents.values())))

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row for each algorithm, as `permove.analysis.tradeoff` has it, under the names of the paper."""
        names = {spec: algorithm.name for algorithm, spec in self.agents.items()}
        return tradeoff(self.records).with_columns(label=pl.col("agent").replace_strict(names, return_dtype=pl.String))

    @cached_property
    def _points(self) -> dict[str, Point]:
        by_agent = {spec: algorithm for algorithm, spec in self.agents.items()}
        return {row["agent"]: _point(by_agent[row["agent"]], row) for row in self.means.iter_rows(named=True)}

    def __contains__(self, algorithm: Algorithm) -> bool:
        return self.agents.get(algorithm) in self._points

    def __getitem__(self, algorithm: Algorithm) -> Point:
        """The point of an algorithm, which has to have walked."""
        if algorithm not in self:
            reason = self.why.get(algorithm, "it is no part of this item; `claims` lets every algorithm walk")
            raise NotMeasuredError(f"{algorithm.name} did not walk: {reason}.")
        return self._points[self.agents[algorithm]]

    def find(self, algorithm: Algorithm) -> Point:
        """The same, with nothing in it where the algorithm did not walk."""
        if algorithm in self:
            return self[algorithm]
        nothing = math.nan
        return Point(algorithm, nothing, nothing, nothing, nothing, nothing, nothing, nothing, 0, 0)

    def points(self, *families: Family, cutoff: float = math.inf) -> list[Point]:
        """The points of some families that never passed a cutoff, in the order of their parameters."""
        found = [self._points[spec] for algorithm, spec in self.agents.items() if algorithm.family in families]
        return [point for point in found if point.worst <= cutoff]

    def some(self, *families: Family, cutoff: float = math.inf) -> list[Point]:
        """The same where there has to be one."""
        found = self.points(*families, cutoff=cutoff)
        if not found:
            names = " or ".join(family.name for family in families)
            limit = "" if math.isinf(cutoff) else f" that never expands more than {cutoff:,.0f} states for a move"
            raise NotMeasuredError(f"There is no {names}{limit}.")
        return found

    def on_each_map(self, algorithm: Algorithm) -> dict[str, tuple[float, float]]:
        """Mean suboptimality and states per move, pooled, on the problems of each map."""
        own = self.records.filter(SOLVED & (pl.col("agent") == self.agents[self[algorithm].algorithm]))
        found = own.group_by("map", maintain_order=True).agg(
            pl.col("suboptimality").mean(), planning=pl.col("expanded").sum() / pl.col("moves").sum()
        )
        return {name: (worse, planning) for name, worse, planning in found.iter_rows()}

    def without_the_worst(self, algorithm: Algorithm, part: float) -> tuple[float, float]:
        """Mean suboptimality and states per move, pooled, without that part of the problems where paths are longest."""
        own = self.records.filter(SOLVED & (pl.col("agent") == self.agents[self[algorithm].algorithm]))
        kept = own.sort("suboptimality", maintain_order=True).head(own.height - round(part * own.height))
        total = kept.select(pl.col("suboptimality").mean(), planning=pl.col("expanded").sum() / pl.col("moves").sum())
        return total.row(0)

    def values(self, column: str, *algorithms: Algorithm) -> list[Values]:
        """What each of some algorithms has in a column on the problems that all of them solved, in the same order."""
        specs = [self.agents[algorithm] for algorithm in algorithms if self[algorithm]]
        frames = [self.records.filter(SOLVED & (pl.col("agent") == spec)) for spec in specs]
        place = ["set", "map", "problem"]
        common = frames[0].select(place)
        for frame in frames[1:]:
            common = common.join(frame.select(place), on=place, how="semi")
        return [
            frame.join(common, on=place, how="semi").sort(place)[column].cast(pl.Float64).to_numpy() for frame in frames
        ]


@dataclass(frozen=True)
class Built:
    """Pattern databases of a kind and level, over the maps of a size: how large on average, and how long they took."""

    pairs: float
    build_ns: float | None = None
    """Nothing where none was built."""
    bytes: float | None = None
    jobs: int = 1


Shelf = Mapping[tuple[str, int, int], Built]
"""Databases by kind, base and level."""


@dataclass(frozen=True)
class Tree:
    """A decision tree that was trained, with its accuracy under cross-validation and the number of its samples."""

    path: str
    accuracy: float
    samples: int
    ccp_alpha: float = 0.0


@dataclass(frozen=True)
class Evidence:
    """All that tables, figures and claims look at; an item has only what it needs."""

    original: Study
    upscaled: Study
    shelf: Callable[[], Shelf]
    """Databases of the upscaled maps."""
    trees: Mapping[int, Tree] = field(default_factory=dict)
    """Those of the original size, by d_max."""
    clock: Study | None = None
    """Upscaled problems again, with one thread and the time of single moves."""
    states: Callable[[], Mapping[str, Sequence[Sequence[int]]]] = dict
    """For each size, map by map how many states there are from the ground to the top."""

    @property
    def timed(self) -> bool:
        """Whether there are times."""
        return self.clock is not None


def empty() -> Study:
    """A study in which nobody walked."""
    return Study(pl.DataFrame(schema={"agent": pl.String}), {}, {})


def planning_at(curve: Sequence[Point], suboptimality: float, planning: Callable[[Point], float]) -> float | None:
    """How much planning per move a curve has where it reaches a suboptimality; nothing where it does not.

    Between two points it is a straight line in the logarithms. Where the curve comes by repeatedly, the least counts.
    """
    ordered = sorted(curve, key=planning)
    found = []
    for one, other in pairwise(ordered):
        high, low = sorted((one.suboptimality, other.suboptimality), reverse=True)
        if low <= suboptimality <= high and high > low:
            at = math.log(one.suboptimality / suboptimality) / math.log(one.suboptimality / other.suboptimality)
            found.append(planning(one) ** (1 - at) * planning(other) ** at)
    return min(found, default=None)


def suboptimality_at(curve: Sequence[Point], planning: float) -> float | None:
    """The suboptimality of a curve where it has so much planning per move, between its points as above."""
    ordered = sorted(curve, key=lambda point: point.planning)
    if not ordered or not ordered[0].planning <= planning <= ordered[-1].planning:
        return None
    x = np.log([point.planning for point in ordered])
    y = np.log([point.suboptimality for point in ordered])
    return float(np.exp(np.interp(math.log(planning), x, y)))


def best(points: Iterable[Point]) -> Point:
    """The point with the best suboptimality."""
    return min(points, key=lambda point: (point.suboptimality, point.planning))


def front(points: Sequence[Point]) -> list[Point]:
    """Those that no other dominates."""
    return [point for point in points if not any(other.dominates(point) for other in points)]


def _point(algorithm: Algorithm, row: Mapping[str, object]) -> Point:
    def number(name: str) -> float:
        value = row[name]
        return float(value) if isinstance(value, int | float) else math.nan

    return Point(
        algorithm,
        number("suboptimality"),
        number("suboptimality_se"),
        number("expanded_per_move"),
        number("expanded_per_move_se"),
        number("expanded_per_move_mean"),
        number("expanded_max"),
        number("time_per_move_ns"),
        int(number("solved")),
        int(number("problems")),
    )
