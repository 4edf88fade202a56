"""Suboptimality against planning per move, one row per agent.

Planning per move is pooled: all expansions divided by all moves, so every move has the same weight. Its standard error
is that of the ratio estimator. The mean over problems of each problem's own ratio is also given, since some papers
print it. An agent that exceeded the cutoff even once is disqualified and has no means.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from permove.analysis.measures import MEASURES, Table
from permove.analysis.outcomes import format_outcomes, outcomes
from permove.analysis.scores import MEAN, MEDIAN, Score, concentrated
from permove.analysis.unsolved import Unsolved, counted
from permove.analysis.violations import RATES, violations
from permove.records.columns import IDENTITY


def tradeoff(
    records: pl.DataFrame,
    *,
    worst_by: str = "expanded_max",
    rule: Unsolved | None = None,
    score: Score = MEAN,
    limits: Mapping[str, int] | None = None,
) -> pl.DataFrame:
    """Return the trade-off of a run's records: qualified agents sorted by planning per move, then disqualified agents.

    If an agent exceeded the cutoff on several problems, `why` describes the one with the largest value of `worst_by`.
    `rule` says which problems count; by default each agent has its own, those that it solved. `limits` are the run's
    limits on `expanded_max` and `time_max_ns`.

    | column | meaning |
    | --- | --- |
    | label, agent | the papers' notation and the canonical spec |
    | problems, solved, counted | number of problems that the agent was run on, solved, and that its values are over |
    | score | name of the score, such as `mean` |
    | suboptimality, .._se | the score of the suboptimality, and its standard error |
    | suboptimality_mean, suboptimality_median | its mean and its median |
    | concentrated | whether a tenth of the problems contributes more than half of the suboptimality's excess over 1 |
    | expanded_per_move, .._se | pooled, and standard error |
    | expanded_per_move_mean | mean of the problems' own ratios |
    | touched_per_move, time_per_move_ns | pooled |
    | visits_per_state, .._se | the score of the visits per state, and its standard error; null if unknown |
    | visits_max | most visits to one state on any problem; null if unknown |
    | expanded_max | the worst move, on problem worst_problem of worst_set/worst_map, move number worst_move |
    | time_max_ns | the slowest move, in timed runs |
    | over, why | number of problems on which the cutoff was exceeded, and the worst case |
    | over_problems, over_episodes | shares of problems and of planning episodes over the limits; null if unknown |
    | broken, how | number of problems with a crash, hang or illegal move, and the first case |
    | unsolved | counts of all statuses other than `solved`, as text; empty if all problems were solved |
    | qualified | whether the agent never exceeded the cutoff |
    """
    worst = pl.col("expanded_max").arg_max()
    counts = outcomes(worst_by)
    ordered = records.sort(IDENTITY)
    facts = ordered.group_by("agent", maintain_order=True).agg(
        pl.col("label").first(),
        problems=counts.pop("problems"),
        solved=counts.pop("solved"),
        visits_max=pl.col("visits_max").max(),
        expanded_max=pl.col("expanded_max").max(),
        worst_set=pl.col("set").get(worst),
        worst_map=pl.col("map").get(worst),
        worst_problem=pl.col("problem").get(worst),
        worst_move=pl.col("expanded_max_move").get(worst),
        time_max_ns=pl.col("time_max_ns").max(),
        **counts,
    )
    means = (
        counted(ordered, rule)
        .group_by("agent", maintain_order=True)
        .agg(
            counted=pl.len(),
            score=pl.lit(score.name),
            **score.columns("suboptimality"),
            suboptimality_mean=MEAN.column("suboptimality"),
            suboptimality_median=MEDIAN.column("suboptimality"),
            concentrated=concentrated("suboptimality"),
            expanded_per_move=pooled("expanded"),
            expanded_per_move_se=ratio_error("expanded"),
            expanded_per_move_mean=pl.col("expanded_per_move").mean(),
            touched_per_move=pooled("touched"),
            time_per_move_ns=pooled("time_ns"),
            **score.columns("visits_per_state"),
        )
    )
    frame = facts.join(means, on="agent", how="left", maintain_order="left").join(
        violations(ordered, limits or {}), on="agent", how="left", maintain_order="left"
    )
    if score is not MEAN:
        table = Table(ordered, rule=rule, score=score)
        frame = with_bootstrap_errors(frame, table, ("suboptimality", "visits_per_state"))
    return (
        format_outcomes(frame.with_columns(pl.col("counted").fill_null(0)), MEANS)
        .sort(~pl.col("qualified"), "expanded_per_move", "agent", nulls_last=True)
        .select(COLUMNS)
    )


MEANS = (
    "suboptimality",
    "suboptimality_se",
    "suboptimality_mean",
    "suboptimality_median",
    "concentrated",
    "expanded_per_move",
    "expanded_per_move_se",
    "expanded_per_move_mean",
    "touched_per_move",
    "time_per_move_ns",
    "visits_per_state",
    "visits_per_state_se",
)
"""Columns that are null for disqualified agents."""

COLUMNS = (
    "label",
    "agent",
    "problems",
    "solved",
    "counted",
    "score",
    *MEANS,
    "visits_max",
    "expanded_max",
    "worst_set",
    "worst_map",
    "worst_problem",
    "worst_move",
    "time_max_ns",
    "over",
    "why",
    *RATES,
    "broken",
    "how",
    "unsolved",
    "qualified",
)
"""Columns of `tradeoff`."""


def pooled(name: str) -> pl.Expr:
    """Return a total divided by the total number of moves; null if there are no moves."""
    return (pl.col(name).sum() / pl.col("moves").sum()).fill_nan(None)


def ratio_error(name: str) -> pl.Expr:
    """Return the standard error of a ratio of sums: that of the mean residual, divided by the mean number of moves."""
    effort, moves = pl.col(name).cast(pl.Float64), pl.col("moves").cast(pl.Float64)
    residual = effort - effort.sum() / moves.sum() * moves
    count = pl.len().cast(pl.Int64)
    return pl.when(count > 1).then((residual.pow(2).sum() / (count * (count - 1))).sqrt() / moves.mean())


def with_bootstrap_errors(frame: pl.DataFrame, table: Table, columns: Sequence[str]) -> pl.DataFrame:
    """Replace the standard errors of some columns of a frame with one row per agent by those of the bootstrap."""
    errors = {
        f"{name}_se": pl.Series(table.errors(MEASURES[name]), dtype=pl.Float64).fill_nan(None) for name in columns
    }
    return frame.drop(errors).join(pl.DataFrame({"agent": table.agents, **errors}), on="agent", maintain_order="left")
