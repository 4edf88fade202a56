"""The suboptimality of many algorithms on many problems, as one matrix."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

MOST_CELLS = 2**28
"""Two gigabytes of values; what has more is mostly empty, since every batch of algorithms has other problems."""


@dataclass(frozen=True)
class Matrix:
    """Algorithms × problems."""

    values: NDArray[np.float64]
    """Suboptimality, algorithms × problems; NaN where the algorithm was not run."""
    agents: list[str]
    """Canonical specs, one for each row of the values."""
    labels: list[str]
    problems: pl.DataFrame
    """Set, map, problem and optimal, and where known start and goal; one row for each column of the values."""
    alpha: float

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Self:
        """The algorithms of the space that some runs have, on all problems of these runs; other agents are left out.

        The order of rows and columns depends on what they are alone.
        """
        found = scores(runs, prefix=f"{NAME}(")
        columns = found.frame.group_by("map", "problem").agg(pl.col("optimal").first()).sort("map", "problem")
        shape = len(found.agents), columns.height
        if shape[0] * shape[1] > MOST_CELLS:
            raise InputError(
                f"{shape[0]:,} algorithms and {shape[1]:,} problems are too many for one matrix; give fewer runs, or "
                "explore with a --batch of as many as there are algorithms, so that all walk the same problems"
            )
        numbered = columns.with_row_index("column").select("map", "problem", "column")
        cells = found.frame.join(numbered, on=["map", "problem"])
        values = np.full(shape, np.nan)
        values[cells["agent"].to_numpy(), cells["column"].to_numpy()] = cells["value"].to_numpy()
        names = pl.DataFrame(found.maps, schema={"set": pl.String, "map": pl.String}, orient="row")
        problems = pl.concat([names[columns["map"]], columns.select("problem", "optimal")], how="horizontal")
        return cls(values, found.agents, found.labels, problems, found.alpha)

    def placed(self, suite: Suite) -> Self:
        """The same, with where the problems of the suite start and end."""
        places = suite.problems.select("set", "map", "problem", *CELLS)
        keys = ["set", "map", "problem"]
        problems = self.problems.drop(CELLS, strict=False).join(places, on=keys, how="left", maintain_order="left")
        missing = problems.filter(pl.col(CELLS[0]).is_null())
        if not missing.is_empty():
            row = missing.row(0, named=True)
            raise InputError(
                f"{suite.name} has no problem {row['problem']} on {row['set']}/{row['map']}; give the suite of the run"
            )
        return replace(self, problems=problems)

    @property
    def is_placed(self) -> bool:
        """Whether it is known where problems start and end."""
        return set(CELLS) <= set(self.problems.columns)
