"""The five measures of a convergence process (graph-abstraction-2007, Definition 2.5), one row per agent.

Convergence travel, memory and planning are totals over all trials; suboptimality and first-move lag are those of the
final trial. `unsolved` counts how often an agent reached a
cap on trials or travel. An agent that exceeded the cutoff even once is disqualified and has no means.
"""

import polars as pl

from permove.analysis.measures import Table
from permove.analysis.outcomes import format_outcomes, outcomes
from permove.analysis.scores import MEAN, Score
from permove.analysis.tradeoff import with_bootstrap_errors
from permove.analysis.unsolved import Unsolved, counted
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


def convergence(
    records: pl.DataFrame, *, worst_by: str = "expanded_max", rule: Unsolved | None = None, score: Score = MEAN
) -> pl.DataFrame:
    """Return the convergence measures of each agent, qualified agents first, sorted by first-move lag.

    `rule` says which problems count; by default each agent has its own, those on which it converged.

    | column | meaning |
    | --- | --- |
    | label, agent | the papers' notation and the canonical spec |
    | problems, converged | number of problems that the agent was run on, and on which it converged |
    | counted | number of problems that its values are over |
    | score | name of the score, such as `mean` |
    | trials, .._se | number of trials; like all measures below, the score and its standard error |
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
    means = {name: measure for column in MEASURES for name, measure in score.columns(column).items()}
    ordered = records.sort(IDENTITY)
    facts = ordered.group_by("agent", maintain_order=True).agg(pl.col("label").first(), **outcomes(worst_by))
    values = counted(ordered, rule).group_by("agent").agg(counted=pl.len(), score=pl.lit(score.name), **means)
    frame = facts.join(values, on="agent", how="left", maintain_order="left")
    if score is not MEAN:
        frame = with_bootstrap_errors(frame, Table(ordered, rule=rule, score=score), MEASURES)
    return (
        format_outcomes(frame.with_columns(pl.col("counted").fill_null(0)), tuple(means))
        .sort(~pl.col("qualified"), "first_move_expanded", "travel", "agent", nulls_last=True)
        .select(
            "label",
            "agent",
            "problems",
            pl.col("solved").alias("converged"),
            "counted",
            "score",
            *means,
            "over",
            "why",
            "broken",
            "how",
            "unsolved",
            "qualified",
        )
    )
