"""Convergence curves, trial by trial."""

from permove.analysis.curves import MEASURES, curves
from permove.common.units import format_duration
from permove.report.document import Block, Document, Rows
from permove.report.table import compact
from permove.views.view import MOST_ROWS, Axes, RunLike, Seen, View, more

MOST_MARKS = 5
"""How many trials have a column on the terminal; JSON and CSV have all."""


def see(run: RunLike, axes: Axes) -> Seen:
    """One row for each agent, one column for each of some trials."""
    measure = axes.y or "travel"
    frame = curves(run.trials, measure, seed=axes.seed)
    every = frame["trial"].unique().sort().to_list()
    # The first and the last, and what is spread between them.
    spread = sorted({round(at * (len(every) - 1) / (MOST_MARKS - 1)) for at in range(MOST_MARKS)})
    marks = [every[at] for at in spread]
    found = {(row["agent"], row["trial"]): row for row in frame.iter_rows(named=True)}
    labels = dict(frame.select("agent", "label").iter_rows())
    rows = [
        [label, *(_cell(found[agent, mark], measure) for mark in marks if (agent, mark) in found)]
        for agent, label in sorted(labels.items(), key=lambda each: (found[each[0], marks[0]]["mean"], each[0]))
    ]
    problems = frame["problems"].to_numpy().max()
    blocks: list[Block] = [
        f"{MEASURES[measure].capitalize()} in a trial, or in the final one of a problem that needed fewer, over "
        f"{problems:,} problems.",
        Rows(["trial", *(f"{mark:,}" for mark in marks)], [False, *([True] * len(marks))], rows[:MOST_ROWS]),
        *more(len(rows)),
    ]
    return Seen(frame, Document(f"{run.title}: {MEASURES[measure]}, trial by trial", blocks))


def _cell(row: dict[str, float | None], measure: str) -> str:
    if measure.endswith("_ns"):
        return format_duration(row["mean"])
    return compact(row["mean"], row["se"])


VIEW = View("convergence", "a measure of a trial, --y, trial by trial", see)
