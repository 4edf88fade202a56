"""What the algorithms did on the problems, measure by measure: the samples that tables, figures and claims look at."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from permove.analysis.dominance import CONTESTS, contests, dominance, dominates
from permove.analysis.outcomes import SOLVED
from permove.analysis.statistics import Values, standard_error
from permove.common.errors import InputError
from permove.papers.graph_abstraction_2007.algorithms import Algorithm, at_levels
from permove.papers.graph_abstraction_2007.problems import BUCKETS


@dataclass(frozen=True)
class Measure:
    """A performance measure: how the paper calls it, and the column of the records that has it. Less is better."""

    name: str
    column: str
    unit: float = 1.0
    """What one of the column's numbers is worth."""
    base: float = 0.0
    """What the column has where there is nothing to measure."""
    timed: bool = False
    """Whether the clock measures it."""

    @property
    def plain(self) -> str:
        """Its name without the unit."""
        return self.name.partition(" (")[0]


TRAVEL = Measure("convergence travel", "travel")
LAG = Measure("first-move lag", "first_move_touched")
MEMORY = Measure("convergence memory", "memory")
SUBOPTIMALITY = Measure("suboptimality (%)", "suboptimality", unit=100, base=1)
PLANNING = Measure("convergence planning", "touched")
LAG_TIME = Measure("first-move lag (s)", "first_move_ns", unit=1e-9, timed=True)
PLANNING_TIME = Measure("convergence planning (s of whole trials)", "time_ns", unit=1e-9, timed=True)
"""Sensing and walking included: there is no clock for planning alone."""

MEASURES = (TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING)
TIMES = (LAG_TIME, PLANNING_TIME)

Pair = tuple[Measure, Measure]


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
        self.walks = mine.height
        """How many walks to convergence there are."""
        self.converged = int((mine["status"] == "solved").sum())
        """How many of them arrived there."""
        place = ["set", "map", "problem"]
        everywhere = mine.filter(SOLVED).group_by(place).len().filter(pl.col("len") == len(agents))
        self.problems = everywhere.height
        if not self.problems:
            raise InputError("no problem was solved by all algorithms; take more --problems")
        self.records = mine.join(everywhere.select(place), on=place, how="semi").sort("agent", *place)
        self._trials_of = trials_of
        self.agents = agents
        self.timed = timed
        self._rows = {name: row for row, name in enumerate(self.records["agent"].unique(maintain_order=True))}
        self._tables: dict[Measure, Values] = {}

    @property
    def algorithms(self) -> list[Algorithm]:
        """Who took part."""
        return list(self.agents)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured."""
        return (*MEASURES, *TIMES) if self.timed else MEASURES

    def values(self, measure: Measure, *algorithms: Algorithm) -> Values:
        """What an algorithm has on each problem, in the same order for all of them; of several, their mean."""
        table = self._table(measure)
        values: Values = table[[self._rows[self.agents[algorithm]] for algorithm in algorithms]].mean(axis=0)
        return values

    def mean(self, measure: Measure, *algorithms: Algorithm) -> float:
        """The mean over all problems."""
        return float(self.values(measure, *algorithms).mean())

    def over(self, measure: Measure, groups: Iterable[Sequence[Algorithm]]) -> list[Values]:
        """The values of one group of algorithms after another."""
        return [self.values(measure, *group) for group in groups]

    def over_levels(self, measure: Measure, depth: int, weight: float, quota: float) -> list[Values]:
        """The values of LRTS with the same parameters from the ground to the highest level."""
        return [self.values(measure, algorithm) for algorithm in at_levels(depth, weight, quota)]

    @cached_property
    def optimal(self) -> Values:
        """The optimal cost of each problem."""
        return self._one["optimal"].to_numpy()

    @cached_property
    def bucket(self) -> Values:
        """The middle of each problem's bucket."""
        return self._one["bucket"].replace_strict(BUCKETS, return_dtype=pl.Float64).to_numpy()

    def by_bucket(self, measure: Measure, algorithm: Algorithm) -> dict[int, tuple[float, float]]:
        """The mean in each bucket, and its standard error."""
        values = self.values(measure, algorithm)
        parts = {middle: values[self.bucket == middle] for middle in BUCKETS.values()}
        return {middle: (float(part.mean()), standard_error(part)) for middle, part in parts.items()}

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row for each algorithm: its name, its agent, and the mean of each measure under its column's name."""
        return pl.DataFrame(
            [
                {
                    "algorithm": algorithm.name,
                    "agent": agent,
                    **{measure.column: self.mean(measure, algorithm) for measure in self.measures},
                }
                for algorithm, agent in self.agents.items()
            ]
        )

    def non_dominated(self, pair: Pair) -> list[Algorithm]:
        """The algorithms that no other dominates on average, along the trade-off from little of the first measure."""
        frame = dominance(self.means, *(measure.column for measure in pair)).filter(~pl.col("dominated"))
        return [self._by_name[name] for name in frame["algorithm"]]

    def dominated_by(self, pair: Pair) -> dict[Algorithm, list[Algorithm]]:
        """For each algorithm, those that dominate it on average."""
        x, y = (self.means[measure.column].to_numpy() for measure in pair)
        names = self.means["algorithm"].to_list()
        table = dominates(x, y)
        return {
            self._by_name[name]: [self._by_name[names[row]] for row in np.flatnonzero(table[:, column])]
            for column, name in enumerate(names)
        }

    def contest(self, one: Algorithm, other: Algorithm, pair: Pair) -> "Contest":
        """Two algorithms, problem by problem."""
        row = self.contests([(one, other)], pair).row(0, named=True)
        return Contest(**{name: value for name, value in row.items() if name not in ("one", "other")})

    def contests(self, pairs: Sequence[tuple[Algorithm, Algorithm]], pair: Pair) -> pl.DataFrame:
        """The same for many, as a frame."""
        if not pairs:
            return CONTESTS.to_frame()
        specs = [(self.agents[one], self.agents[other]) for one, other in pairs]
        frame = pl.DataFrame(specs, schema=["one", "other"], orient="row")
        return contests(self.records, frame, *(measure.column for measure in pair))

    def trials(self, *algorithms: Algorithm) -> pl.DataFrame:
        """Every trial of some algorithms; the column `algorithm` has their names."""
        names = {self.agents[algorithm]: algorithm.name for algorithm in algorithms}
        trials = self._trials_of(list(names))
        return trials.with_columns(algorithm=pl.col("agent").replace_strict(names))

    @cached_property
    def _by_name(self) -> dict[str, Algorithm]:
        return {algorithm.name: algorithm for algorithm in self.agents}

    @cached_property
    def _one(self) -> pl.DataFrame:
        """The records of one algorithm: what is the same for all of them."""
        return self.records.head(self.problems)

    def _table(self, measure: Measure) -> Values:
        """A row for each algorithm, a column for each problem."""
        if measure not in self._tables:
            column = self.records[measure.column].cast(pl.Float64).to_numpy()
            self._tables[measure] = (column.reshape(len(self._rows), -1) - measure.base) * measure.unit
        return self._tables[measure]


@dataclass(frozen=True)
class Contest:
    """On how many problems one algorithm is better than another; see `permove.analysis.dominance.contests`."""

    problems: int
    one_x: int
    other_x: int
    one_y: int
    other_y: int
    one_dominates: int
    other_dominates: int
    ratio: float

    def share(self, count: int) -> float:
        """So many of the problems, in percent."""
        return 100 * count / self.problems
