"""The records of the algorithms as samples per measure, and the expressions over them that claims are made of."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from permove.analysis.chance import ERRORS
from permove.analysis.dominance import CONTESTS, contests, dominance, dominates
from permove.analysis.outcomes import SOLVED
from permove.analysis.statistics import Values, standard_error
from permove.common.errors import InputError
from permove.papers.claims import BEYOND_CHANCE, Finding, Predicate, Trend, numbers
from permove.papers.graph_abstraction_2007 import algorithms as alg
from permove.papers.graph_abstraction_2007.algorithms import Algorithm, at_levels, lrts, setting_text

COSTS = tuple(range(50, 101, 10))
"""The bounds of the buckets of optimal costs."""

BUCKETS = {low // 10: (low + high) // 2 for low, high in pairwise(COSTS)}
"""The middle of each bucket, which is its name in the paper, by its number in the suite."""

FIRST, *_, BEFORE_LAST, LAST = BUCKETS.values()

Where = Mapping[str, Sequence[Any]]
"""Values of the parameters of `lrts`."""


@dataclass(frozen=True)
class Measure:
    """A performance measure: its name in the paper and its column in the records. Less is better."""

    name: str
    column: str
    unit: float = 1.0
    base: float = 0.0
    """The value of the column that stands for zero."""
    timed: bool = False

    @property
    def plain(self) -> str:
        """Its name without the unit."""
        return self.name.partition(" (")[0]

    def sample(self, study: "Study", where: Where) -> Values:
        """The mean over some configurations, problem by problem."""
        return study.values(self, *lrts(**where))


TRAVEL = Measure("convergence travel", "travel")
LAG = Measure("first-move lag", "first_move_touched")
MEMORY = Measure("convergence memory", "memory")
SUBOPTIMALITY = Measure("suboptimality (%)", "suboptimality", unit=100, base=1)
PLANNING = Measure("convergence planning", "touched")
LAG_TIME = Measure("first-move lag (s)", "first_move_ns", unit=1e-9, timed=True)
PLANNING_TIME = Measure("convergence planning (s of complete trials)", "time_ns", unit=1e-9, timed=True)
"""Includes sensing and moving: planning alone is not timed."""

MEASURES = (TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING)

Pair = tuple[Measure, Measure]


@dataclass(frozen=True)
class Derived:
    """A quantity that is computed from measures."""

    plain: str
    sample: Callable[["Study", Where], Values]


def impact(measure: Measure, low: int = 0, high: int = 2) -> Derived:
    """The impact of abstraction: by how much the higher of two levels is better, or worse for lag and suboptimality."""

    def sample(study: "Study", where: Where) -> Values:
        at = {level: measure.sample(study, {**where, "levels": (level,)}) for level in (low, high)}
        return at[high] - at[low] if measure in (LAG, SUBOPTIMALITY) else at[low] - at[high]

    return Derived(f"the difference between levels {low} and {high} in {measure.plain}", sample)


def _per_travel(study: "Study", where: Where) -> Values:
    ratio: Values = PLANNING.sample(study, where) / TRAVEL.sample(study, where)
    return ratio


PER_TRAVEL = Derived("planning per unit of travel", _per_travel)
"""Stands for planning per move: the ratio of the means over some configurations, problem by problem."""

NO_QUOTA: Where = {"quotas": (math.inf,)}


@dataclass(frozen=True)
class Axis:
    """A parameter of PR LRTS along which something may change."""

    name: str
    parameter: str
    """Its name in `lrts`."""
    values: Sequence[float]


SHOWN_LEVELS = (0, 2, 4)
"""The levels of Figures 32 to 36."""

AXES = LEVEL, SHOWN_LEVEL, DEPTH, WEIGHT = (
    Axis("the level", "levels", alg.LEVELS),
    Axis("the level", "levels", SHOWN_LEVELS),
    Axis("d", "depths", alg.DEPTHS),
    Axis("γ", "weights", alg.WEIGHTS),
)

EACH_SETTING: Mapping[str, Where] = {
    setting_text(each): {"depths": each[:1], "weights": each[1:2], "quotas": each[2:]} for each in alg.SETTINGS
}


Quantity = Measure | Derived
"""Something that each group of configurations has on each problem."""


def along(study: "Study", what: Quantity, over: Axis, where: Where) -> list[Values]:
    """The samples of a quantity along a parameter, over all configurations with given values of the others."""
    return [what.sample(study, {**where, over.parameter: (value,)}) for value in over.values]


def trend(
    what: Quantity | Sequence[Quantity],
    over: Axis,
    where: Where | None = None,
    *,
    each: Mapping[str, Where] | None = None,
) -> Trend["Study"]:
    """One or several quantities along a parameter; `each` names groups of configurations that are judged one by one."""
    several: Sequence[Quantity] = what if isinstance(what, Sequence) else (what,)
    where = where or {}
    values = ", ".join(f"{value:g}" for value in over.values)

    def series(study: Study) -> dict[str, list[Values]]:
        return {
            name or f"{one.plain} for {over.name} = {values}": along(study, one, over, {**where, **group})
            for one in several
            for name, group in (each or {"": {}}).items()
        }

    *rest, last = (one.plain for one in several)
    subject = f"{', '.join(rest)} and {last}" if rest else last
    scope = [f"for each of {', '.join(each)}"] if each else []
    scope += ["with T = ∞"] if where.get("quotas") == (math.inf,) else []
    scope += ["over levels 0, 2 and 4"] if where.get("levels") == SHOWN_LEVELS else []
    return Trend(subject, over.name, over.values, series, f"{', '.join(scope)}: " if scope else "")


class Study:
    """The records of some algorithms on the problems that all of them solved."""

    def __init__(
        self,
        records: pl.DataFrame,
        trials_of: Callable[[Sequence[str]], pl.DataFrame],
        agents: Mapping[Algorithm, str],
        *,
        timed: bool,
    ) -> None:
        mine = records.filter(pl.col("agent").is_in(list(agents.values())))
        self.runs = mine.height
        """Number of runs to convergence."""
        self.converged = int((mine["status"] == "solved").sum())
        """Number of runs that converged."""
        place = ["set", "map", "problem"]
        everywhere = mine.filter(SOLVED).group_by(place).len().filter(pl.col("len") == len(agents))
        self.problems = everywhere.height
        if not self.problems:
            raise InputError("no problem was solved by all algorithms; use more --problems")
        self.records = mine.join(everywhere.select(place), on=place, how="semi").sort("agent", *place)
        self._trials_of = trials_of
        self.agents = agents
        self.timed = timed
        self._rows = {name: row for row, name in enumerate(self.records["agent"].unique(maintain_order=True))}
        self._tables: dict[Measure, Values] = {}
        self._by_name = {algorithm.name: algorithm for algorithm in agents}
        self._one = self.records.head(self.problems)
        self.optimal: Values = self._one["optimal"].to_numpy()
        """The optimal cost of each problem."""

    def typical(self, algorithm: Algorithm, middle: int) -> tuple[str, int]:
        """Map and number of the problem of a bucket with the median travel of an algorithm."""
        ground = self.records.filter(agent=self.agents[algorithm]).sort("travel")
        inside = ground.filter(bucket=next(bucket for bucket, its_middle in BUCKETS.items() if its_middle == middle))
        chosen = inside if inside.height else ground
        row = chosen.row(chosen.height // 2, named=True)
        return row["map"], row["problem"]

    def values(self, measure: Measure, *algorithms: Algorithm) -> Values:
        """The mean over some algorithms, problem by problem in a fixed order."""
        if measure not in self._tables:
            column = self.records[measure.column].cast(pl.Float64).to_numpy()
            self._tables[measure] = (column.reshape(len(self._rows), -1) - measure.base) * measure.unit
        rows = [self._rows[self.agents[algorithm]] for algorithm in algorithms]
        values: Values = self._tables[measure][rows].mean(axis=0)
        return values

    def mean(self, measure: Measure, *algorithms: Algorithm) -> float:
        """The mean over all problems."""
        return float(self.values(measure, *algorithms).mean())

    def over_levels(self, measure: Measure, setting: alg.Setting) -> list[Values]:
        """The values of LRTS with the same parameters, level by level."""
        return [self.values(measure, algorithm) for algorithm in at_levels(setting)]

    def best(self, measure: Measure) -> list[Algorithm]:
        """The algorithms with the smallest mean; several if they tie."""
        averages = {algorithm: self.mean(measure, algorithm) for algorithm in self.agents}
        smallest = min(averages.values())
        return [algorithm for algorithm, mean in averages.items() if mean <= smallest * (1 + 1e-9)]

    def by_bucket(self, measure: Measure, algorithm: Algorithm) -> dict[int, tuple[float, float]]:
        """The mean and its standard error by bucket, whose key is its middle."""
        values = self.values(measure, algorithm)
        bucket = self._one["bucket"].replace_strict(BUCKETS, return_dtype=pl.Float64).to_numpy()
        parts = {middle: values[bucket == middle] for middle in BUCKETS.values()}
        return {middle: (float(part.mean()), standard_error(part)) for middle, part in parts.items()}

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per algorithm: name, agent, and the mean of each measure in the measure's column."""
        names = {"algorithm": [algorithm.name for algorithm in self.agents], "agent": list(self.agents.values())}
        measures = (*MEASURES, LAG_TIME, PLANNING_TIME) if self.timed else MEASURES
        columns = {each.column: [self.mean(each, algorithm) for algorithm in self.agents] for each in measures}
        return pl.DataFrame(names | columns)

    def non_dominated(self, pair: Pair) -> list[Algorithm]:
        """The algorithms that no other dominates on average, sorted by the first measure."""
        frame = dominance(self.means, *(measure.column for measure in pair)).filter(~pl.col("dominated"))
        return [self._by_name[name] for name in frame["algorithm"]]

    def dominated_by(self, pair: Pair) -> dict[Algorithm, list[Algorithm]]:
        """The algorithms that dominate each algorithm on average."""
        table = dominates(*(self.means[measure.column].to_numpy() for measure in pair))
        everyone = list(self.agents)
        return {each: [everyone[row] for row in np.flatnonzero(table[:, at])] for at, each in enumerate(everyone)}

    def contest(self, one: Algorithm, other: Algorithm, pair: Pair) -> dict[str, float]:
        """Compare two algorithms problem by problem, with percentages of the problems instead of counts."""
        row = self.contests([(one, other)], pair).drop("one", "other").row(0, named=True)
        plain = {name: row.pop(name) for name in ("problems", "ratio")}
        return {name: 100 * count / plain["problems"] for name, count in row.items()} | plain

    def contests(self, pairs: Sequence[tuple[Algorithm, Algorithm]], pair: Pair) -> pl.DataFrame:
        """Compare many pairs of algorithms; see `permove.analysis.dominance.contests`."""
        if not pairs:
            return CONTESTS.to_frame()
        one, other = ([self.agents[each] for each in side] for side in zip(*pairs, strict=True))
        frame = pl.DataFrame({"one": one, "other": other})
        return contests(self.records, frame, *(measure.column for measure in pair))

    def trials(self, algorithms: Iterable[Algorithm]) -> pl.DataFrame:
        """Every trial of some algorithms, whose names are in the column `algorithm`."""
        specs = {self.agents[algorithm]: algorithm.name for algorithm in algorithms}
        return self._trials_of(list(specs)).with_columns(algorithm=pl.col("agent").replace_strict(specs))


def change(buckets: Mapping[int, tuple[float, float]], first: int, last: int) -> tuple[float, float]:
    """By how much a later bucket is above an earlier one, and the standard error; buckets have different problems."""
    (before, before_error), (after, after_error) = buckets[first], buckets[last]
    return after - before, math.hypot(before_error, after_error)


def grows(measure: Measure, algorithm: Algorithm, first: int = FIRST, *, so: bool = True) -> Predicate[Study]:
    """A measure grows, or does not, from a bucket to the last one, which have different problems."""

    def check(study: Study) -> Finding:
        buckets = study.by_bucket(measure, algorithm)
        difference, error = change(buckets, first, LAST)
        values = numbers(mean for mean, _ in buckets.values())
        found = f"{measure.plain} of {algorithm.name} by bucket: {values}; growth {difference:+,.0f} ± {error:,.0f}."
        return (difference > ERRORS * error) is so, found

    verb = "grows" if so else "does not grow"
    text = f"the {measure.plain} of {algorithm.name} {verb} with the problem size from bucket {first} to {LAST}"
    return Predicate(text, check, BEYOND_CHANCE)
