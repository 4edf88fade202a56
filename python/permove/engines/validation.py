"""Validation of records that a worker process has sent, with everything that the run knows about them.

A worker runs the code of a plug-in, which could send invented records. The checks cover the identity of records, the
length of paths, and the relations between counts and limits. Counts that were made inside the worker, such as the
expanded states, cannot be verified completely.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.common.text import printable
from permove.engines.messages import Found
from permove.records.columns import CLOCK
from permove.records.histograms import bucket_ends
from permove.records.settings import CONVERGE, Settings

MAX_REASON = 1000
"""The maximum length of a reason; the rest is cut off."""

STATUSES = ("solved", "cutoff", "travel-cap", "trial-cap", "stuck", "illegal", "error")
"""The ends of trials within a worker."""

ROUNDING = 1e-9
"""The relative error of sums of lengths."""

MAX_MEMORY = 2**54
"""More bytes than any machine has."""

_ROOT = 2**0.5
_TIMES = [name for name in CLOCK if name not in ("time_ns", "time_per_move_ns", "build_ns")]
"""The columns of timed runs."""


@dataclass(frozen=True)
class Task:
    """The records that a worker may send: the problems in this order, on a map with this number of cells."""

    numbers: Sequence[int]
    problems: NDArray[np.void]
    """The rows of these problems, with the fields `_core.PROBLEM_COLUMNS`."""
    cells: int
    settings: Settings
    elapsed_ns: int
    """The time since the task began."""


class ImpossibleRecordError(ValueError):
    """Raised if a record contradicts what is known."""


def checked(found: Found, task: Task) -> Found:
    """Return records with printable reasons, or raise an `ImpossibleRecordError`."""
    records, trials = found
    expected = list(task.numbers[: records.height])
    if records.is_empty() or records["problem"].to_list() != expected or set(records["agent"]) != {0}:
        raise ImpossibleRecordError("it sent records of problems that it was not solving")
    if not set(trials["problem"]) <= set(expected) or not set(trials["agent"]) <= {0}:
        raise ImpossibleRecordError("it sent trials of problems that it was not solving")
    rows = task.problems[: records.height]
    optimal = pl.Series("optimal", rows["cardinal"] + rows["diagonal"] * _ROOT)
    known = (
        records.with_columns(optimal)
        .join(_sums_of_trials(trials), on="problem", how="left", maintain_order="left")
        .join(_sums_of_histograms(records), on="problem", how="left", maintain_order="left")
    )
    checks = dict(_checks(task))
    passed = known.select(check.fill_null(value=False).alias(name) for name, check in checks.items())
    for name in passed.columns:
        if not passed[name].all():
            number = records["problem"][int(passed[name].arg_min() or 0)]
            place = expected.index(number) + 1
            raise ImpossibleRecordError(f"it sent an impossible record, the {place}. of {len(expected)}: {name}")
    cut = pl.col("reason").map_elements(lambda text: printable(text)[:MAX_REASON], pl.String)
    return Found(records.with_columns(cut), trials)


def _checks(task: Task) -> Iterator[tuple[str, pl.Expr]]:
    """Yield what must be true for every record, with the violation in words."""
    col, settings = pl.col, task.settings
    solved = col("status") == "solved"
    yield "its status is unknown", col("status").is_in(STATUSES)
    for name in ("cost", "suboptimality"):
        yield f"it has a {name} although it is not solved, or none", col(name).is_not_null() == solved
    yield "it has a reason although it is solved, or none", col("reason").is_null() == solved
    yield "its path is shorter than the optimum", ~solved | (col("cost") >= col("optimal") * (1 - ROUNDING))
    ratio = col("cost") / col("optimal")
    yield "its suboptimality is not its cost divided by the optimum", ~solved | _close(col("suboptimality"), ratio)
    yield "its travel is not a sum of moves", _is_path("travel")
    yield from _checks_of_counts(task, solved)
    yield from _checks_of_limits(settings, solved)
    yield from _checks_of_times(task)
    yield from _checks_of_trials(settings, solved) if settings.trials == CONVERGE else _checks_of_one_trial(solved)


def _checks_of_counts(task: Task, solved: pl.Expr) -> Iterator[tuple[str, pl.Expr]]:
    col = pl.col
    for name in ("expanded", "touched"):
        worst, first = col(f"{name}_max"), col(f"first_move_{name}")
        yield f"its worst move {name} more than all moves", worst <= col(name)
        yield f"its first move {name} more than its worst", first <= worst
    yield "its worst move is not one of its moves", col("expanded_max_move") <= col("moves") + 1
    yield "its worst move has no effort", (col("expanded_max_move") == 0) == (col("expanded_max") == 0)
    yield "it moved without planning", (col("episodes") > 0) | (col("moves") == 0)
    yield "more moves left unexpanded states than it made", ~solved | (col("unexpanded_moves") <= col("moves"))
    yield "it learned more values than there are states", col("memory") <= task.cells
    yield "it visited a state more often than it moved", col("visits_max") <= col("moves") + col("trials")
    yield "its visits per state are impossible", col("visits_per_state").is_between(0, col("visits_max"))
    yield "it uses more memory than there is", col("memory_bytes").fill_null(0) <= MAX_MEMORY
    yield "its learned amount is impossible", col("learned").is_finite() & (col("learned") >= 0)
    yield "it discovered more cells than there are", col("discovered") <= task.cells
    if task.settings.sensor == "all":
        yield "it discovered cells of a known map", col("discovered") == 0
        yield "it planned more often than it moved", col("episodes") <= col("moves") + col("trials")
    yield "data was built for it", (col("build_ns") == 0) & (col("build_bytes") == 0)
    yield "its histogram has other moves", (col("planned") <= col("moves") + col("trials")) & (col("buckets_rise"))
    yield "its histogram has other effort", (col("lowest") <= col("expanded")) & (col("expanded") <= col("highest"))
    yield "its histogram has another worst move", col("expanded_max").is_between(col("worst_low"), col("worst_high"))


def _checks_of_limits(settings: Settings, solved: pl.Expr) -> Iterator[tuple[str, pl.Expr]]:
    col, status = pl.col, pl.col("status")
    is_cutoff = status == "cutoff"
    if settings.cutoff is not None:
        yield "its worst move exceeds the cutoff", is_cutoff | (col("expanded_max") <= settings.cutoff)
    if settings.time_limit_ns is None:
        exceeds = pl.lit(settings.cutoff is not None) & (col("expanded_max") > (settings.cutoff or 0))
        yield "it did not exceed the cutoff", ~is_cutoff | exceeds
    if settings.alpha is None:
        yield "its travel is not limited", status != "travel-cap"
        return
    cap = col("optimal") * settings.alpha
    # The last move of a trial may exceed the limit.
    trials = col("trials") if settings.cap_each_trial else 1
    yield "its travel exceeds the limit", col("travel") <= (cap + _ROOT) * trials * (1 + ROUNDING)
    yield "its path exceeds the limit", ~solved | (col("cost") <= (cap + _ROOT) * (1 + ROUNDING))
    yield "its travel is within the limit", (status != "travel-cap") | (col("travel") >= cap * (1 - ROUNDING) - 1)


def _checks_of_times(task: Task) -> Iterator[tuple[str, pl.Expr]]:
    col = pl.col
    yield "it took longer than the task", col("time_ns").sum() <= task.elapsed_ns
    for name in _TIMES:
        if task.settings.timed:
            yield f"its {name} is missing", col(name).is_not_null()
        else:
            yield f"its {name} was not measured", col(name).is_null()
    if task.settings.timed:
        yield "a move took longer than the task", col("time_max_ns") <= task.elapsed_ns


def _checks_of_one_trial(solved: pl.Expr) -> Iterator[tuple[str, pl.Expr]]:
    col = pl.col
    yield "it has several trials", (col("trials") == 1) & col("rows").is_null()
    yield "it must be solved once", col("status") != "trial-cap"
    yield "its cost is not that of its path", ~solved | (col("cost") == col("travel"))


def _checks_of_trials(settings: Settings, solved: pl.Expr) -> Iterator[tuple[str, pl.Expr]]:
    col = pl.col
    is_capped = col("status") == "trial-cap"
    yield "it has more trials than allowed", col("trials").is_between(1, settings.max_trials)
    yield "its trials are incomplete", (col("rows") == col("trials")) & col("in_order")
    yield "a trial after an unsolved one", col("earlier_solved")
    yield "its status is not that of its last trial", is_capped | (col("last_status") == col("status"))
    yield (
        "it did not exceed the number of trials",
        ~is_capped | ((col("trials") == settings.max_trials) & (col("last_status") == "solved")),
    )
    yield "its cost is not that of its last trial", ~solved | (col("cost") == col("last_travel"))
    yield "a trial has a travel that is not a sum of moves", col("paths")
    for name in _SUMMED[: None if not settings.timed else -1]:
        yield f"its {name} is not the sum of its trials", _close(col(name), col(f"trials_{name}"))


_SUMMED = ("travel", "moves", "episodes", "expanded", "touched", "discovered", "time_ns")
"""The columns that trials and records have, and that are sums in records; times except in timed runs."""


def _sums_of_trials(trials: pl.DataFrame) -> pl.DataFrame:
    """Return facts about the trials of each problem."""
    col = pl.col
    return trials.group_by("problem").agg(
        *(col(name).sum().alias(f"trials_{name}") for name in _SUMMED),
        rows=pl.len(),
        in_order=(col("trial") == pl.int_range(1, pl.len() + 1)).all(),
        earlier_solved=(col("status").slice(0, pl.len() - 1) == "solved").all(),
        last_status=col("status").last(),
        last_travel=col("travel").last(),
        paths=_is_path("travel").all(),
    )


def _sums_of_histograms(records: pl.DataFrame) -> pl.DataFrame:
    """Return facts about the histogram of each problem; no row if it is empty."""
    col = pl.col
    counts = (
        records.select("problem", bucket="expanded_histogram")
        .filter(col("bucket").list.len() > 0)
        .explode("bucket")
        .unnest("bucket")
        .join(bucket_ends(), on="bucket", how="left", maintain_order="left")
        # As floats, since sums of forged counts could overflow.
        .with_columns(col("count", "low", "high").cast(pl.Float64))
    )
    facts = counts.group_by("problem").agg(
        planned=col("count").sum(),
        buckets_rise=(col("bucket").diff().fill_null(1) > 0).all() & (col("count") > 0).all(),
        lowest=(col("count") * col("low")).sum() * (1 - ROUNDING),
        highest=(col("count") * col("high")).sum() * (1 + ROUNDING),
        worst_low=col("low").last(),
        worst_high=col("high").last(),
    )
    empty: Mapping[str, float | bool] = dict.fromkeys(facts.columns[1:], 0.0) | {"buckets_rise": True}
    every = records.select("problem").join(facts, on="problem", how="left", maintain_order="left")
    is_empty = records["expanded_histogram"].list.len() == 0
    return every.with_columns(
        pl.when(is_empty).then(value).otherwise(name).alias(name) for name, value in empty.items()
    )


def _is_path(length: str) -> pl.Expr:
    """Return whether a length is a sum of `moves` moves, some of them diagonal."""
    col = pl.col
    diagonal = ((col(length) - col("moves")) / (_ROOT - 1)).round()
    is_possible = (diagonal >= 0) & (diagonal <= col("moves"))
    return is_possible & _close(col("moves") - diagonal + diagonal * _ROOT, col(length))


def _close(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    return (one.cast(pl.Float64) - other.cast(pl.Float64)).abs() <= other.cast(pl.Float64).abs() * ROUNDING
