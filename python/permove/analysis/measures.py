"""What records measure, by the names of their columns, and how each becomes one figure for an agent.

Of every measure less is better. A mean is over the solved problems, a pooled one is all of it over all moves of these,
and a worst is the largest on any problem; of the worst there is no error, since no resample tells of moves that nobody
made.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from permove.analysis.belonging import PROBLEM, check_together
from permove.analysis.endings import SOLVED, endings, in_words
from permove.analysis.statistics import Resamples, Values, interval, ratio_error, standard_error
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.records.columns import IDENTITY

MEAN, POOLED, WORST = "mean", "pooled", "worst"


@dataclass(frozen=True)
class Measure:
    """One of them."""

    column: str
    about: str
    kind: str = MEAN
    total: str = ""
    """Of a pooled one, the column whose sum is divided by that of the moves."""


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
    Measure("memory", "heuristic values stored"),
    Measure("updates", "updates of heuristic values"),
    Measure("build_ns", "time to build what is used"),
    Measure("build_bytes", "bytes of what was built"),
)

MEASURES = {measure.column: measure for measure in _ALL}
"""Every measure, by the name of its column."""


def find(name: str) -> Measure:
    """The measure of a name."""
    if name not in MEASURES:
        raise InputError(
            f"there is no measure '{name}'{suggestion(name, list(MEASURES))}; give a column of records such as "
            "suboptimality, expanded_per_move or memory"
        )
    return MEASURES[name]


class Table:
    """Records as tables of agents by problems, so that figures and resamples of several measures go together."""

    def __init__(self, records: pl.DataFrame, *, seed: int = 0) -> None:
        check_together(records)
        self.records = records.sort(IDENTITY)
        self.agents: list[str] = self.records["agent"].unique(maintain_order=True).to_list()
        self.problems = self.records.select(PROBLEM).unique().sort(PROBLEM)
        self.resamples = Resamples(self.problems.height, seed=seed)
        places = pl.DataFrame({"agent": self.agents}).with_row_index("row")
        columns = self.problems.with_row_index("column")
        placed = self.records.select(*IDENTITY).join(places, on="agent").join(columns, on=list(PROBLEM))
        self._where = placed.sort(IDENTITY).select("row", "column").to_numpy().T
        self._solved = self.records.select(SOLVED).to_series().to_numpy()

    def values(self, column: str) -> Values:
        """A column of the solved records: a row for each agent, a column for each problem, nan where there is none."""
        table = np.full((len(self.agents), self.problems.height), np.nan)
        figures = self.records[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        table[tuple(self._where)] = np.where(self._solved, figures, np.nan)
        return table

    def figures(self, measure: Measure) -> Values:
        """The measure of each agent; nan where it has none."""
        if measure.kind == WORST:
            # Also the moves of problems that were not solved were made.
            worst = self.records.group_by("agent").agg(pl.col(measure.column).max()).sort("agent")
            return worst[measure.column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        over, under = self._parts(measure)
        there = ~np.isnan(over + under)
        with np.errstate(invalid="ignore"):
            found: Values = np.where(there, over, 0).sum(axis=1) / np.where(there, under, 0).sum(axis=1)
        return found

    def errors(self, measure: Measure) -> Values:
        """The standard error of each; nan where there is none."""
        if measure.kind == WORST:
            return np.full(len(self.agents), np.nan)
        over, under = self._parts(measure)
        there = ~np.isnan(over + under)
        pairs = [(top[both], bottom[both]) for top, bottom, both in zip(over, under, there, strict=True)]
        if measure.kind == MEAN:
            return np.array([standard_error(top) for top, _ in pairs])
        return np.array([ratio_error(top, bottom) if len(top) > 1 else np.nan for top, bottom in pairs])

    def resampled(self, measure: Measure) -> Values:
        """The measure of each agent, a column each, in each resample; the worst is what it is."""
        if measure.kind == WORST:
            return np.broadcast_to(self.figures(measure), (self.resamples.count, len(self.agents)))
        return self.resamples.ratios(*self._parts(measure))

    def averages(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """One row for each agent, with everything in it that went wrong.

        | column | meaning |
        | --- | --- |
        | label, agent | the papers' notation and the canonical spec |
        | problems, solved, missing | how many any agent walked, how many of them this one solved, and never walked |
        | over, why, unsolved, qualified | as in `tradeoff` |
        | each measure, .._se, .._low, .._high | figure, standard error, bootstrap interval; none for who passed the \
cutoff |
        """
        frame = (
            self.records.group_by("agent", maintain_order=True)
            .agg(pl.col("label").first(), **endings("expanded_max"))
            .with_columns(missing=self.problems.height - pl.col("problems").cast(pl.Int64))
            .with_columns(problems=pl.lit(self.problems.height, pl.Int64))
        )
        names: list[str] = []
        for measure in measures:
            low, high = (
                (np.full(len(self.agents), np.nan),) * 2
                if measure.kind == WORST or self.problems.height < 2
                else interval(self.resampled(measure))
            )
            found = {"": self.figures(measure), "_se": self.errors(measure), "_low": low, "_high": high}
            frame = frame.with_columns(
                pl.Series(f"{measure.column}{end}", values, pl.Float64).fill_nan(None) for end, values in found.items()
            )
            names += [f"{measure.column}{end}" for end in found]
        return in_words(frame, tuple(names)).select(
            "label", "agent", "problems", "solved", "missing", pl.exclude(FIRST)
        )

    def _parts(self, measure: Measure) -> tuple[Values, Values]:
        if measure.kind == POOLED:
            return self.values(measure.total), self.values("moves")
        values = self.values(measure.column)
        return values, np.where(np.isnan(values), np.nan, 1.0)


FIRST = ("label", "agent", "problems", "solved", "missing")
"""The columns that stand first."""
