"""The remaining work of a run, and its division into tasks for the batch: one agent, one map, a few problems.

Tasks are small, so that progress is smooth and all cores finish at about the same time. Their order is random, so that
slow and fast agents are mixed, which makes the remaining time predictable and spreads disturbances of the machine
evenly. Records depend on neither.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

MAX_PROBLEMS = 50
"""The maximum number of problems of a task."""

TASKS_PER_JOB = 100
"""If there are few problems, tasks get smaller until there are about this many per thread."""


@dataclass(frozen=True)
class Tasks:
    """Tasks in the format of the batch: task `i` has the problems `problems[offsets[i]:offsets[i + 1]]`."""

    agents: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    problems: NDArray[np.uint32]

    @property
    def total(self) -> int:
        """The number of problems of all tasks."""
        return len(self.problems)


def left_to_do(agents: pl.DataFrame, problems: pl.DataFrame, done: pl.DataFrame) -> pl.DataFrame:
    """Return the numbers of agent, problem and grid for each record that is missing from `done`.

    `agents` has the columns agent and replica, `problems` has set, map, problem and grid, and `done` the columns of an
    identity.
    """
    numbered_agents = agents.select("agent", pl.col("replica").cast(pl.UInt32)).with_row_index("agent_number")
    numbered_problems = problems.select("set", "map", "problem", "grid").with_row_index("problem_number")
    numbers_done = done.join(numbered_agents, on=["agent", "replica"]).join(
        numbered_problems, on=["set", "map", "problem"]
    )
    return (
        numbered_agents.select("agent_number")
        .join(numbered_problems.select("problem_number", "grid"), how="cross")
        .join(numbers_done, on=["agent_number", "problem_number"], how="anti")
    )


def cut(left: pl.DataFrame, jobs: int) -> Tasks:
    """Divide the remaining work into tasks."""
    size = min(max(left.height // (jobs * TASKS_PER_JOB), 1), MAX_PROBLEMS)
    tasks = (
        left.with_columns(piece=pl.int_range(pl.len()).over("agent_number", "grid") // size)
        .group_by("agent_number", "grid", "piece", maintain_order=True)
        .agg("problem_number")
        .sample(fraction=1, shuffle=True, seed=0)
    )
    lengths = tasks["problem_number"].list.len().to_numpy().astype(np.uint64)
    return Tasks(
        agents=tasks["agent_number"].to_numpy().astype(np.uint32),
        offsets=np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)]),
        problems=tasks["problem_number"].explode().drop_nulls().to_numpy().astype(np.uint32),
    )
