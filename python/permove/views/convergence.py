"""Convergence curves: a measure of each agent, trial by trial."""

import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.convergence_curves import MEASURES, convergence_curves
from permove.analysis.measures import Table
from permove.common.units import format_duration
from permove.report.document import Block, Document, Rows
from permove.report.figures import Axis
from permove.report.table import compact
from permove.views.figures import MICROSECONDS, axis_of, curves_figure
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, rows_note, unsolved_blocks

MAX_MARKS = 5
"""Maximum number of trials that have a column in the table; JSON and CSV have all."""


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per agent, with one column per trial."""
    measure = axes.y or "travel"
    # The problems that count, as in the table of the run.
    compared = axes.rule(run).comparable(run.by_problem)
    trials = run.trials.join(compared, on=["agent", *PROBLEM], how="semi", maintain_order="left")
    frame = convergence_curves(trials, measure, score=axes.scoring(), seed=axes.seed)
    every = frame["trial"].unique().sort().to_list()
    # The first and the last trial, and some between them.
    spread = sorted({round(at * (len(every) - 1) / (MAX_MARKS - 1)) for at in range(MAX_MARKS)})
    marks = [every[at] for at in spread]
    found = {(row["agent"], row["trial"]): row for row in frame.iter_rows(named=True)}
    labels = dict(frame.select("agent", "label").iter_rows())
    order = sorted(labels.items(), key=lambda each: (found[each[0], marks[0]]["value"], each[0]))
    place = {agent: number for number, (agent, _) in enumerate(order)}
    rows = [
        [label, *(_cell(found[agent, mark], measure) for mark in marks if (agent, mark) in found)]
        for agent, label in order
    ]
    blocks: list[Block] = [
        f"{MEASURES[measure].capitalize()} per trial, {axes.scoring().words} over the problems. Problems that needed "
        "fewer trials count with their final one.",
        curves_figure(
            frame.sort(pl.col("agent").replace_strict(place, return_dtype=pl.Int64), "trial"),
            axis_of("trial", "trial"),
            Axis(
                axis_of(measure, MEASURES[measure]).title,
                "value",
                None,
                "se",
                MICROSECONDS if measure.endswith("_ns") else 1,
            ),
            f"{MEASURES[measure].capitalize()} of each trial, with standard errors.",
            marks=False,
        ),
        Rows(["trial", *(f"{mark:,}" for mark in marks)], [False, *([True] * len(marks))], rows[:MAX_ROWS]),
        *rows_note(len(rows)),
        axes.note(run),
        *unsolved_blocks(Table(run.by_problem).averages([])),
    ]
    return ViewResult(frame, Document(f"{run.title}: {MEASURES[measure]}, trial by trial", blocks))


def _cell(row: dict[str, float | None], measure: str) -> str:
    if measure.endswith("_ns"):
        return format_duration(row["value"])
    return compact(row["value"], row["se"])


VIEW = View("convergence", "a measure (--y) trial by trial", render)
