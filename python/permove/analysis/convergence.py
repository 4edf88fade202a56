"""The five measures of a convergence process (graph-abstraction-2007, Definition 2.5), one row per agent.

Convergence travel, memory and planning are those of all trials together; suboptimality and first-move lag are those of
the final trial. Means are over the problems on which the agent converged; an agent that hit a cap on trials or travel
is told with how often, and one that passed the cutoff even once is disqualified and has no means.
"""

import polars as pl

from permove.analysis.endings import endings, in_words, mean
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
"""The columns of records that the measures are means of."""


def convergence(records: pl.DataFrame, *, worst_by: str = "expanded_max") -> pl.DataFrame:
    """The measures that the records of a run to convergence show, qualified agents first, by their first-move lag.

    | column | meaning |
    | --- | --- |
    | label, agent | the papers' notation and the canonical spec |
    | problems, converged | how many were tried, on how many the agent converged |
    | trials, .._se | mean and standard error, as for all that follows: how many trials it took |
    | travel | convergence travel |
    | first_move_expanded, first_move_touched, first_move_ns | first-move lag; the time in timed runs alone |
    | memory | convergence memory: heuristic values stored |
    | suboptimality | of the final trial, as a ratio to the optimum |
    | expanded, touched, time_ns | convergence planning |
    | over, why | on how many problems the cutoff was passed, and what happened on the worst of them |
    | broken, how | on how many problems it broke down or broke the rules, and what happened on the first |
    | unsolved | how often each other status occurred, caps among them, as text |
    | qualified | whether the cutoff was never passed |
    """
    means = {name: measure for column in MEASURES for name, measure in mean(column).items()}
    frame = (
        records.sort(IDENTITY)
        .group_by("agent", maintain_order=True)
        .agg(pl.col("label").first(), **means, **endings(worst_by))
    )
    return (
        in_words(frame, tuple(means))
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
