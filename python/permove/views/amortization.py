"""Amortization: the number of moves after which precomputation has saved its build time."""

import math

import numpy as np
import polars as pl

from permove.analysis.amortization import CLOSEST, recouped
from permove.analysis.measures import MEASURES
from permove.common.errors import InputError
from permove.common.units import format_duration
from permove.report.document import Block, Document, Figure, Rows
from permove.report.plot import COLOURS, Data, Plot, svg
from permove.views.figures import ranges_figure
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, rows_note

POINTS = 12
"""Number of points of a line in the plot."""


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per agent that precomputes."""
    against = axes.against or CLOSEST
    labels = dict(run.by_problem.select("label", "agent").unique().iter_rows())
    if against != CLOSEST and against not in labels.values():
        if against not in labels:
            raise InputError(f"the run has no agent {against}; use the spec or the label of one, or {CLOSEST}")
        against = labels[against]
    frame = recouped(run.by_problem, against=against, rule=axes.rule(run), score=axes.scoring(), seed=axes.seed)
    about = axes.title(MEASURES["suboptimality"])
    rows = [
        [
            row["label"],
            row["other_label"],
            f"{row['suboptimality']:.3g} / {row['other_suboptimality']:.3g}",
            format_duration(row["build_ns"]),
            f"{_moves(row['moves'])}\n({_moves(row['moves_low'])} to {_moves(row['moves_high'])})",
            "never" if row["run_ns"] is None else format_duration(row["run_ns"]),
        ]
        for row in frame.head(MAX_ROWS).iter_rows(named=True)
    ]
    machines = run.by_problem.select("cpu", "host").unique().sort("cpu", "host").rows()
    clock = "with every move timed" if run.settings.timed else "with complete problems timed, not single moves"
    whom = (
        f"the agent that is closest in {about} and builds at most a tenth as long"
        if against == CLOSEST
        else frame["other_label"][0]
    )
    blocks: list[Block] = [
        f"Number of moves after which the build time (mean over the maps, beyond that of the other agent) is recouped, "
        f"compared with {whom}, with 95% bootstrap intervals, and the running time of these moves. Never: moves take "
        "longer.",
        Rows(
            ["agent", "against", about if about != "suboptimality" else "subopt.", "build", "moves", "running time"],
            [False, False, True, True, True, True],
            rows,
        ),
        *([_figure(frame)] if frame["moves"].is_finite().any() else []),
        Figure(lambda: svg(_data(frame)), "Total time, including the build, against moves"),
        *rows_note(frame.height),
        axes.note(run),
        f"Times were measured on {', '.join(f'{cpu} ({host})' for cpu, host in machines)}, {clock}.",
    ]
    return ViewResult(frame, Document(f"{run.title}: amortization of precomputation", blocks))


def _data(frame: pl.DataFrame) -> Data:
    """Return the data of the plot: total time by number of moves, of each agent and of those it is compared with."""
    known = [moves for moves in frame["moves"].to_list() if moves]
    places = np.geomspace(max(min(known, default=1e3) / 30, 1), max(known, default=1e6) * 30, POINTS)
    lines: dict[str, tuple[float, float]] = {}
    for row in frame.iter_rows(named=True):
        lines[row["label"]] = row["build_ns"], row["time_per_move_ns"]
        lines.setdefault(row["other_label"], (0.0, row["other_time_per_move_ns"]))
    shown = list(lines)[: len(COLOURS)]
    rows = [
        {"agent": label, "moves": float(moves), "seconds": (lines[label][0] + moves * lines[label][1]) / 1e9}
        for label in shown
        for moves in places
    ]
    look = Plot(
        "moves",
        "seconds",
        "Moves",
        "Total time (s)",
        group="agent",
        lines=shown,
        log_x=True,
        log_y=True,
    )
    return Data("Total time, including the build, against moves", pl.DataFrame(rows), look)


def _figure(frame: pl.DataFrame) -> Figure:
    """Return the numbers of moves with their intervals, in thousands; agents that never recoup are omitted."""
    kept = frame.filter(pl.col("moves").is_finite())
    ends = {
        name: pl.when(pl.col(f"moves{end}").is_finite()).then(pl.col(f"moves{end}") / 1000)
        for name, end in (("value", ""), ("low", "_low"), ("high", "_high"))
    }
    rows = kept.select("label", **ends, kind=pl.lit("moves to recoup the build time"))
    return ranges_figure(rows, "Thousand moves", "Moves after which the build time is recouped, with 95% intervals.")


def _moves(moves: float | None) -> str:
    if moves is None or math.isinf(moves):
        return "never"
    # More than three digits would suggest a precision that the value does not have.
    return f"{float(f'{moves:.3g}'):,.0f}"


VIEW = View(
    "amortization",
    "moves and time until precomputation has saved its build time (--against)",
    render,
    uses=("against",),
)
