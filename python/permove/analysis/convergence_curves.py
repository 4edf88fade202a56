"""Convergence curves: the score of a measure in each trial, always over the same problems.

A problem on which an agent has converged counts with the value of its final trial. Otherwise a curve could change only
because some problems no longer count.
"""

import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.scores import MEAN, Score
from permove.analysis.statistics import Resamples, interval, standard_error
from permove.common.errors import InputError
from permove.records.columns import IDENTITY

MEASURES = {
    "travel": "travel in optimal costs",
    "moves": "moves",
    "expanded": "states expanded",
    "touched": "states touched",
    "time_ns": "time",
    "first_move_expanded": "states expanded for the first move",
    "changes": "changes of heuristic values",
}
"""Measures of a trial, with their titles."""

STEPS = (1, 2, 5)
"""Trials at which a curve has a point; also these times 10, 100, ..."""


def convergence_curves(
    trials: pl.DataFrame, measure: str = "travel", *, score: Score = MEAN, seed: int = 0
) -> pl.DataFrame:
    """Return one row per agent and trial, at the trials 1, 2, 5, 10, ... and the last trial of any agent.

    | column | meaning |
    | --- | --- |
    | label, agent, trial | the agent and the trial |
    | problems, going | number of problems, and on how many of them the agent continues after this trial |
    | score | name of the score, such as `mean` |
    | value, se, low, high | the score in this trial, or in the final trial if that was earlier, with its error and \
bootstrap interval |
    """
    if trials.is_empty():
        raise InputError("the run has one trial per problem; `permove run --trials converge` runs until convergence")
    if measure not in MEASURES:
        raise InputError(f"trials have no measure '{measure}'; choose one of {', '.join(MEASURES)}")
    value = pl.col(measure) / pl.col("optimal") if measure == "travel" else pl.col(measure).cast(pl.Float64)
    ordered = trials.select("label", *IDENTITY, "trial", value=value).sort(*IDENTITY, "trial")
    last = ordered.group_by("agent", *PROBLEM, maintain_order=True).agg(last=pl.col("trial").max())
    rows = [row for mark in _marks(int(last["last"].to_numpy().max())) for row in _at(ordered, last, mark, score, seed)]
    return (
        pl.DataFrame(rows, infer_schema_length=None)
        .sort("agent", "trial")
        .with_columns(pl.col("value", "se", "low", "high").cast(pl.Float64))
    )


def _marks(last: int) -> list[int]:
    marks = [step * 10**power for power in range(len(str(last))) for step in STEPS]
    return [mark for mark in marks if mark < last] + [last]


def _at(ordered: pl.DataFrame, last: pl.DataFrame, mark: int, score: Score, seed: int) -> list[dict[str, object]]:
    """Return the rows of all agents at one trial."""
    each = ordered.filter(pl.col("trial") <= mark).group_by(IDENTITY, maintain_order=True).last()
    now = each.group_by("agent", *PROBLEM, maintain_order=True).agg(pl.col("label").first(), pl.col("value").mean())
    going = dict(last.group_by("agent").agg((pl.col("last") > mark).sum()).iter_rows())
    rows: list[dict[str, object]] = []
    for own in now.partition_by("agent", maintain_order=True):
        values = own["value"].drop_nulls().drop_nans().to_numpy()
        ends: dict[str, float] = {}
        if len(values) > 1:
            resampled = score.resampled(Resamples(len(values), seed=seed), values[None, :])
            low, high = interval(resampled)
            se = standard_error(values) if score is MEAN else float(resampled.std(ddof=1))
            ends = {"se": se, "low": float(low[0]), "high": float(high[0])}
        rows.append(
            {
                "label": own["label"][0],
                "agent": own["agent"][0],
                "trial": mark,
                "problems": own.height,
                "going": going[own["agent"][0]],
                "score": score.name,
                "value": score.of(values) if len(values) else None,
                **dict.fromkeys(("se", "low", "high")),
                **ends,
            }
        )
    return rows
