"""The five measures of a convergence process (graph-abstraction-2007, Definition 2.5), one row per agent.

Convergence travel, memory and planning are totals over all trials; suboptimality and first-move lag are those of the
final trial. Means are over the problems on which the agent converged. `unsolved` counts how often an agent reached a
cap on trials or travel. An agent that exceeded the cutoff even once is disqualified and has no means.
"""

import polars as pl

from permove.analysis.outcomes import format_outcomes, mean, outcomes
from permove.records.columns import IDENTITY

MEASURES = (
    "trials",
    "travel",
    "first_move_expanded",
    "first_move_touched",
    "first_move_ns",
    "memory",
    "suboptimality",
    "expanded",
    "touched",
    "time_ns",
)
"""Columns of records that are averaged."""


def convergence(records: pl.DataFrame, *, worst_by: str = "expanded_max") -> pl.DataFrame:
    """Return the convergence measures of each agent, qualified agents first, sorted by first-move lag.

    | column | meaning |
    | --- | --- |
    | label, agent | the papers' notation and the canonical spec |
    | problems, converged | number of problems that the agent was run on, and on which it converged |
    | trials, .._se | number of trials; like all measures below, the mean and its standard error |
    | travel | convergence travel |
    | first_move_expanded, first_move_touched, first_move_ns | first-move lag; the time only in timed runs |
    | memory | convergence memory: heuristic values stored |
    | suboptimality | suboptimality of the final trial, as a ratio to the optimum |
    | expanded, touched, time_ns | convergence planning |
    | over, why | number of problems on which the cutoff was exceeded, and the worst case |
    | broken, how | number of problems with a crash, hang or illegal move, and the first case |
    | unsolved | counts of all statuses other than `solved`, including caps, as text |
    | qualified | whether the agent never exceeded the cutoff |
    """
    means = {name: measure for column in MEASURES for name, measure in mean(column).items()}
    frame = (
        records.sort(IDENTITY)
        .group_by("agent", maintain_order=True)
        .agg(pl.col("label").first(), **means, **outcomes(worst_by))
    )
    return (
        format_outcomes(frame, tuple(means))
        .sort(~pl.col("qualified"), "first_move_expanded", "travel", "agent", nulls_last=True)
        .select(
            "label",
            "agent",
            "problems",
            pl.col("solved").alias("converged"),
            *means,
            "over",
            "why",
            "broken",
            "how",
            "unsolved",
            "qualified",
        )
    )
