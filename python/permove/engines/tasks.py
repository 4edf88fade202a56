"""Cutting what is left of a run into tasks for the batch: one agent, one map, a few problems.

Tasks are small, so that progress is smooth and all cores end together, and they come in shuffled order, so that slow
and fast agents are mixed all the way, which makes the time left predictable and spreads the machine's moods evenly.
Neither has any influence on the records.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

MOST_PROBLEMS = 50
"""No task has more problems than this."""

TASKS_PER_JOB = 100
"""Where there are few problems, tasks get smaller until there are about this many for each thread."""


@dataclass(frozen=True)
class Tasks:
    """Tasks as the batch takes them: task `i` has the problems `problems[offsets[i]:offsets[i + 1]]`."""

    agents: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    problems: NDArray[np.uint32]

    @property
    def total(self) -> int:
        """How many problems there are in all tasks together."""
        return len(self.problems)


def left_to_do(agents: pl.DataFrame, problems: pl.DataFrame, done: pl.DataFrame) -> pl.DataFrame:
    """Rows of agent, problem and grid, by number, for every record that is wanted and not among those `done`.

    `agents` has the column agent, `problems` has set, map, problem and grid, and `done` the columns of an identity.
    """
    numbered_agents = agents.select("agent").with_row_index("agent_number")
    numbered_problems = problems.select("set", "map", "problem", "grid").with_row_index("problem_number")
    numbers_done = done.join(numbered_agents, on="agent").join(numbered_problems, on=["set", "map", "problem"])
    return (
        numbered_agents.select("agent_number")
        .join(numbered_problems.select("problem_number", "grid"), how="cross")
        .join(numbers_done, on=["agent_number", "problem_number"], how="anti")
    )


def cut(left: pl.DataFrame, jobs: int) -> Tasks:
    """Cut what is left to do into tasks."""
    size = min(max(left.height // (jobs * TASKS_PER_JOB), 1), MOST_PROBLEMS)
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
