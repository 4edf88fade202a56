"""After how many moves what was built beforehand has paid for itself."""

import math

from permove.analysis.amortization import recouped
from permove.common.units import format_duration
from permove.report.document import Block, Document, Rows
from permove.views.view import MOST_ROWS, Axes, RunLike, Seen, View, more


def see(run: RunLike, axes: Axes) -> Seen:
    """One row for each agent that has something built."""
    frame = recouped(run.records, seed=axes.seed)
    rows = [
        [
            row["label"],
            row["other_label"],
            f"{row['suboptimality']:.4g} / {row['other_suboptimality']:.4g}",
            format_duration(row["build_ns"]),
            _moves(row["moves"]),
            f"{_moves(row['moves_low'])} to {_moves(row['moves_high'])}",
        ]
        for row in frame.head(MOST_ROWS).iter_rows(named=True)
    ]
    machines = run.records.select("cpu", "host").unique().sort("cpu", "host").rows()
    clock = "with the time of every move measured" if run.settings.timed else "timed as a whole, not by moves"
    blocks: list[Block] = [
        "Against the agent without anything built whose suboptimality is the closest: after how many moves the build, "
        "its mean over the maps, has been saved, with the 95% bootstrap interval; never where moves take longer.",
        Rows(
            ["agent", "against", "suboptimality", "build", "moves", "95% interval"],
            [False, False, True, True, True, True],
            rows,
        ),
        *more(frame.height),
        f"Times are those of {', '.join(f'{cpu} ({host})' for cpu, host in machines)}, {clock}.",
    ]
    return Seen(frame, Document(f"{run.title}: amortization of what is built beforehand", blocks))


def _moves(moves: float | None) -> str:
    if moves is None or math.isinf(moves):
        return "never"
    # Three digits are more than such a figure can keep.
    return f"{float(f'{moves:.3g}'):,.0f}"


VIEW = View("amortization", "after how many moves what is built has paid for itself", see)
