"""The suboptimality of many algorithms on many problems as a matrix."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.common.errors import InputError
from permove.data import Suite
from permove.data.problems import CELLS
from permove.runs.run import Run
from permove.select.scores import scores
from permove.select.space import NAME

MAX_CELLS = 2**28
"""Two gigabytes of values. Larger matrices are mostly empty, since every batch of algorithms has other problems."""


@dataclass(frozen=True)
class Matrix:
    """Algorithms × problems."""

    values: NDArray[np.float64]
    """Suboptimality, algorithms × problems; NaN if the algorithm was not run."""
    agents: list[str]
    """Canonical specs, one per row of the values."""
    labels: list[str]
    problems: pl.DataFrame
    """Set, map, problem, optimal, and, if known, start and goal; one row per column of the values."""
    alpha: float

    @classmethod
    def of(cls, runs: Sequence[Run], *, every: bool = False) -> Self:
        """Return the matrix of the algorithms of the space in some runs, or of `every` agent.

        The order of rows and columns does not depend on the order of the runs.
        """
        found = scores(runs, prefix=f"{NAME}(") if not every else scores(runs)
        columns = found.frame.group_by("map", "problem").agg(pl.col("optimal").first()).sort("map", "problem")
        shape = len(found.agents), columns.height
        if shape[0] * shape[1] > MAX_CELLS:
            raise InputError(
                f"{shape[0]:,} algorithms and {shape[1]:,} problems are too many for one matrix; use fewer runs, or "
                "explore with --batch set to the number of algorithms, so that all of them run on the same problems"
            )
        numbered = columns.with_row_index("column").select("map", "problem", "column")
        cells = found.frame.join(numbered, on=["map", "problem"])
        values = np.full(shape, np.nan)
        values[cells["agent"].to_numpy(), cells["column"].to_numpy()] = cells["value"].to_numpy()
        names = pl.DataFrame(found.maps, schema={"set": pl.String, "map": pl.String}, orient="row")
        problems = pl.concat([names[columns["map"]], columns.select("problem", "optimal")], how="horizontal")
        return cls(values, found.agents, found.labels, problems, found.alpha)

    def placed(self, suite: Suite) -> Self:
        """Return the matrix with the starts and goals of its problems, which are read from the suite."""
        places = suite.listed.select("set", "map", "problem", *CELLS)
        keys = ["set", "map", "problem"]
        problems = self.problems.drop(CELLS, strict=False).join(places, on=keys, how="left", maintain_order="left")
        missing = problems.filter(pl.col(CELLS[0]).is_null())
        if not missing.is_empty():
            row = missing.row(0, named=True)
            raise InputError(
                f"{suite.name} has no problem {row['problem']} on {row['set']}/{row['map']}; use the suite of the run"
            )
        return replace(self, problems=problems)

    @cached_property
    def maps(self) -> tuple[list[str], NDArray[np.intp]]:
        """The names of the maps with their sets, and the number of the map of each problem."""
        keys = self.problems.select(pl.concat_str("set", "map", separator="/")).to_series().to_numpy().astype(str)
        names, map_of = np.unique(keys, return_inverse=True)
        return names.tolist(), map_of

    @property
    def is_placed(self) -> bool:
        """Whether the starts and goals of the problems are known."""
        return set(CELLS) <= set(self.problems.columns)
