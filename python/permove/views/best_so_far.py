"""The best solution so far against travel over trials, for all problems or one of them."""

import polars as pl

from permove.analysis.best_so_far import best_so_far, so_far
from permove.common.errors import InputError
from permove.report.document import Block, Document, Figure, Rows
from permove.report.formats import number
from permove.report.plot import COLOURS, Data, Plot, svg
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, rows_note

MAX_MARKS = 5
"""Maximum number of amounts of travel that have a column in the table; JSON and CSV have all."""


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per agent and amount of travel; or per agent and trial, of one problem."""
    if axes.problem is not None:
        return _one_problem(run, axes.problem)
    frame = best_so_far(run.trials, seed=axes.seed)
    grid = frame["travel"].unique().sort().to_list()
    marks = [grid[round(at * (len(grid) - 1) / (MAX_MARKS - 1))] for at in range(MAX_MARKS)]
    found = {(row["agent"], row["travel"]): row for row in frame.iter_rows(named=True)}
    labels = dict(frame.select("agent", "label").iter_rows())
    rows = [[label, *(_cell(found[agent, mark]) for mark in marks)] for agent, label in labels.items()]
    problems = frame["problems"].to_numpy().max()
    blocks: list[Block] = [
        f"Median suboptimality of the best solution so far, by travel over all trials in optimal costs, over "
        f"{problems:,} problems. A problem without a solution counts as infinitely bad; in brackets, the share of the "
        "problems with a solution, if not all have one.",
        Figure(
            lambda: svg(
                _data(frame, "travel", "median", "Travel so far (optimal costs)", "Median suboptimality so far")
            ),
            "The best solution so far against travel",
        ),
        Rows(["travel", *(number(mark) for mark in marks)], [False, *([True] * len(marks))], rows[:MAX_ROWS]),
        *rows_note(len(rows)),
    ]
    return ViewResult(frame, Document(f"{run.title}: best solution so far against travel", blocks))


def _one_problem(run: RunLike, problem: str) -> ViewResult:
    """Return the trials of one problem, as in the paper."""
    place, _, ordinal = problem.rpartition(":")
    if not place or not ordinal.isdecimal():
        raise InputError(f"'{problem}' is not a problem; use MAP:N, for example caves-128:5")
    named = (pl.col("map") == place) | (pl.concat_str("set", "map", separator="/") == place)
    own = run.trials.filter(named & (pl.col("problem") == int(ordinal)))
    if own.is_empty():
        raise InputError(f"the run has no trials of problem {ordinal} on {place}; choose one of its problems")
    columns = ["label", "agent", "trial", "travel", "cumulative_travel", "shortest_so_far"]
    frame = so_far(own).select(columns)
    rows = [[row["label"], *(number(row[name]) for name in columns[2:])] for row in frame.iter_rows(named=True)]
    blocks: list[Block] = [
        f"Every trial on problem {ordinal} of {place}, optimal cost {own['optimal'][0]:.2f}.",
        Figure(
            lambda: svg(
                _data(frame, "cumulative_travel", "shortest_so_far", "Cumulative travel", "Shortest solution so far")
            ),
            "The shortest solution so far against cumulative travel",
        ),
        Rows(["agent", "trial", "travel", "cumulative", "shortest so far"], [False, *([True] * 4)], rows[:MAX_ROWS]),
        *rows_note(len(rows)),
    ]
    return ViewResult(frame, Document(f"{run.title}: problem {ordinal} of {place}, trial by trial", blocks))


def _data(frame: pl.DataFrame, x: str, y: str, x_title: str, y_title: str) -> Data:
    labels = frame["label"].unique(maintain_order=True).head(len(COLOURS)).to_list()
    drawn = frame.filter(pl.col("label").is_in(labels)).drop_nulls(y)
    one = x != "travel"
    if one:
        # Only trials that improve on all before them, and the last one.
        best, trial = pl.col(y), pl.col("trial")
        better = (best != best.shift(1)).fill_null(True) | (trial == trial.max())
        drawn = drawn.filter(better.over("label"))
    look = Plot(x, y, x_title, y_title, group="label", lines=labels, log_x=True, log_y=True, points=one)
    return Data(y_title, drawn, look)


def _cell(row: dict[str, float | None]) -> str:
    solved = row["solved"]
    assert solved is not None
    share = "" if solved == 1 else f" ({100 * solved:.0f}%)"
    return f"{number(row['median'])}{share}"


VIEW = View("best-so-far", "the best solution so far against travel over trials (--problem)", render, uses=("problem",))
