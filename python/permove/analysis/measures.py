"""Measures: columns of records, and how each is aggregated to one value per agent.

Less is better for every measure. A mean, or another score, is over the problems that count, a pooled measure is the
total over all moves on these problems, and a worst is the maximum over all problems. A worst has no error estimate,
because resampling cannot produce moves that no agent made.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from permove.analysis.compatibility import PROBLEM, check_compatible
from permove.analysis.outcomes import format_outcomes, outcomes
from permove.analysis.scores import MEAN as MEAN_SCORE
from permove.analysis.scores import Score
from permove.analysis.statistics import Resamples, Values, interval, ratio_error, standard_error
from permove.analysis.unsolved import Unsolved, counted
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.records.columns import IDENTITY

MEAN, POOLED, WORST = "mean", "pooled", "worst"


@dataclass(frozen=True)
class Measure:
    """A measure of records."""

    column: str
    about: str
    kind: str = MEAN
    total: str = ""
    """For a pooled measure, the column whose sum is divided by the number of moves."""


_ALL = (
    Measure("suboptimality", "suboptimality"),
    Measure("expanded_per_move", "states expanded per move", POOLED, "expanded"),
    Measure("touched_per_move", "states touched per move", POOLED, "touched"),
    Measure("time_per_move_ns", "time per move", POOLED, "time_ns"),
    Measure("expanded_max", "states expanded for the worst move", WORST),
    Measure("touched_max", "states touched for the worst move", WORST),
    Measure("time_max_ns", "time of the worst move", WORST),
    Measure("cost", "cost of the path"),
    Measure("moves", "moves"),
    Measure("travel", "travel over all trials"),
    Measure("trials", "trials"),
    Measure("expanded", "states expanded"),
    Measure("touched", "states touched"),
    Measure("time_ns", "time"),
    Measure("first_move_expanded", "states expanded for the first move"),
    Measure("first_move_touched", "states touched for the first move"),
    Measure("first_move_ns", "time of the first move"),
    Measure("cold_first_ns", "time of the first move on untouched tables"),
    Measure("memory", "heuristic values stored"),
    Measure("memory_bytes", "peak bytes of the agent's tables", WORST),
    Measure("updates", "updates of heuristic values"),
    Measure("visits_per_state", "visits per state"),
    Measure("visits_max", "visits to one state", WORST),
    Measure("build_ns", "build time"),
    Measure("build_bytes", "bytes of built data"),
)

MEASURES = {measure.column: measure for measure in _ALL}
"""All measures by the names of their columns."""


def find(name: str) -> Measure:
    """Return the measure of a name."""
    if name not in MEASURES:
        raise InputError(
            f"unknown measure '{name}'{suggestion(name, list(MEASURES))}; use a column of records such as "
            "suboptimality, expanded_per_move or memory"
        )
    return MEASURES[name]


class Table:
    """Records as tables of agents by problems, so that all measures use the same resamples.

    `rule` says which problems count. By default each agent has its own: those that it solved.
    """

    def __init__(
        self, records: pl.DataFrame, *, seed: int = 0, rule: Unsolved | None = None, score: Score = MEAN_SCORE
    ) -> None:
        check_compatible(records)
        self.records, self.score = records.sort(IDENTITY), score
        self.counted = counted(self.records, rule)
        self.agents: list[str] = self.records["agent"].unique(maintain_order=True).to_list()
        self.problems = (self.records if rule is None else self.counted).select(PROBLEM).unique().sort(PROBLEM)
        self.resamples = Resamples(self.problems.height, seed=seed)
        places = pl.DataFrame({"agent": self.agents}).with_row_index("row")
        columns = self.problems.with_row_index("column")
        placed = self.counted.select(*IDENTITY).join(places, on="agent", maintain_order="left")
        placed = placed.join(columns, on=list(PROBLEM), maintain_order="left")
        self._where = placed.select("row", "column").to_numpy().T

    def values(self, column: str) -> Values:
        """Return a column of the records that count as an array of agents by problems; nan for missing values."""
        table = np.full((len(self.agents), self.problems.height), np.nan)
        if column in self.counted.columns:
            table[tuple(self._where)] = self.counted[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return table

    def aggregate(self, measure: Measure) -> Values:
        """Return the measure of each agent; nan if an agent has no values."""
        if measure.kind == WORST:
            return self._worst(measure.column)
        if measure.kind == MEAN and self.score is not MEAN_SCORE:
            return np.array([self.score.of(values) for values in self.values(measure.column)])
        over, under = self._parts(measure)
        known = ~np.isnan(over + under)
        with np.errstate(invalid="ignore"):
            found: Values = np.where(known, over, 0).sum(axis=1) / np.where(known, under, 0).sum(axis=1)
        return found

    def errors(self, measure: Measure) -> Values:
        """Return the standard error of the measure of each agent; nan if an agent has too few values.

        The errors of scores other than the mean are those of the bootstrap.
        """
        if measure.kind == WORST or self.problems.height < 2:
            return np.full(len(self.agents), np.nan)
        if measure.kind == MEAN and self.score is not MEAN_SCORE:
            return np.asarray(self.resampled(measure).std(axis=0, ddof=1))
        over, under = self._parts(measure)
        known = ~np.isnan(over + under)
        pairs = [(top[both], bottom[both]) for top, bottom, both in zip(over, under, known, strict=True)]
        if measure.kind == MEAN:
            return np.array([standard_error(top) for top, _ in pairs])
        return np.array([ratio_error(top, bottom) if len(top) > 1 else np.nan for top, bottom in pairs])

    def resampled(self, measure: Measure) -> Values:
        """Return the measure in each resample (row) for each agent (column); a worst is the same in all."""
        if measure.kind == WORST:
            return np.broadcast_to(self.aggregate(measure), (self.resamples.count, len(self.agents)))
        if measure.kind == MEAN:
            return self.score.resampled(self.resamples, self.values(measure.column))
        return self.resamples.ratios(*self._parts(measure))

    def averages(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return one row per agent.

        | column | meaning |
        | --- | --- |
        | label, agent | the papers' notation and the canonical spec |
        | problems, solved, missing | number of problems that any agent was run on, that this agent solved, and that \
this agent was not run on |
        | counted | number of problems that the measures are over |
        | over, why, unsolved, qualified | as in `tradeoff` |
        | each measure, .._se, .._low, .._high | value, standard error, bootstrap interval; null if the agent exceeded \
the cutoff |
        """
        problems = self.records.select(PROBLEM).n_unique()
        frame = (
            self.records.group_by("agent", maintain_order=True)
            .agg(pl.col("label").first(), **outcomes("expanded_max"))
            .with_columns(
                missing=problems - pl.col("problems").cast(pl.Int64),
                problems=pl.lit(problems, pl.Int64),
                counted=pl.Series(np.bincount(self._where[0], minlength=len(self.agents)), dtype=pl.Int64),
            )
        )
        names: list[str] = []
        for measure in measures:
            low, high = (
                (np.full(len(self.agents), np.nan),) * 2
                if measure.kind == WORST or self.problems.height < 2
                else interval(self.resampled(measure))
            )
            found = {"": self.aggregate(measure), "_se": self.errors(measure), "_low": low, "_high": high}
            frame = frame.with_columns(
                pl.Series(f"{measure.column}{end}", values, pl.Float64).fill_nan(None) for end, values in found.items()
            )
            names += [f"{measure.column}{end}" for end in found]
        return format_outcomes(frame, tuple(names)).select(*FIRST, pl.exclude(FIRST))

    def _worst(self, column: str) -> Values:
        """Return the maximum of a column, in which the moves on unsolved problems count, too."""
        if column not in self.records.columns:
            return np.full(len(self.agents), np.nan)
        worst = self.records.group_by("agent").agg(pl.col(column).max()).sort("agent")
        return worst[column].cast(pl.Float64).fill_null(np.nan).to_numpy()

    def _parts(self, measure: Measure) -> tuple[Values, Values]:
        if measure.kind == POOLED:
            return self.values(measure.total), self.values("moves")
        values = self.values(measure.column)
        return values, np.where(np.isnan(values), np.nan, 1.0)


FIRST = ("label", "agent", "problems", "solved", "missing", "counted")
"""Leading columns of `Table.averages`."""
