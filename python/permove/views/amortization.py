"""Amortization: the number of moves after which precomputation has saved its build time."""

import math

from permove.analysis.amortization import recouped
from permove.analysis.measures import MEASURES
from permove.common.units import format_duration
from permove.report.document import Block, Document, Rows
from permove.views.view import MAX_ROWS, Axes, RunLike, View, ViewResult, rows_note


def render(run: RunLike, axes: Axes) -> ViewResult:
    """Return one row per agent that precomputes."""
    frame = recouped(run.by_problem, rule=axes.rule(run), score=axes.scoring(), seed=axes.seed)
    about = axes.title(MEASURES["suboptimality"])
    rows = [
        [
            row["label"],
            row["other_label"],
            f"{row['suboptimality']:.4g} / {row['other_suboptimality']:.4g}",
            format_duration(row["build_ns"]),
            _moves(row["moves"]),
            f"{_moves(row['moves_low'])} to {_moves(row['moves_high'])}",
        ]
        for row in frame.head(MAX_ROWS).iter_rows(named=True)
    ]
    machines = run.by_problem.select("cpu", "host").unique().sort("cpu", "host").rows()
    clock = "with every move timed" if run.settings.timed else "with complete problems timed, not single moves"
    blocks: list[Block] = [
        "Number of moves after which the build time (mean over the maps) is recouped, compared with the agent without "
        f"precomputation that is closest in {about}, with 95% bootstrap intervals. Never: moves take longer.",
        Rows(
            ["agent", "against", about, "build", "moves", "95% interval"],
            [False, False, True, True, True, True],
            rows,
        ),
        *rows_note(frame.height),
        axes.note(run),
        f"Times were measured on {', '.join(f'{cpu} ({host})' for cpu, host in machines)}, {clock}.",
    ]
    return ViewResult(frame, Document(f"{run.title}: amortization of precomputation", blocks))


def _moves(moves: float | None) -> str:
    if moves is None or math.isinf(moves):
        return "never"
    # More than three digits would suggest a precision that the value does not have.
    return f"{float(f'{moves:.3g}'):,.0f}"


VIEW = View("amortization", "the number of moves after which precomputation has saved its build time", render)
