"""The trade-off between two measures: the Pareto front, how surely, and who dominates the others."""

import polars as pl

from permove.analysis.pareto import pareto
from permove.report.document import Block, Document, Heading, Rows
from permove.views.view import MOST_ROWS, Axes, RunLike, Seen, View, apart, figure, more, problems_note, with_interval


def see(run: RunLike, axes: Axes) -> Seen:
    """The front first, then who is dominated, then who does not compare."""
    x, y = axes.measures(run)
    frame = pareto(run.records, x, y, seed=axes.seed)
    front = frame.filter(pl.col("dominated").not_())
    beaten = frame.filter("dominated")
    titles = [x.about, y.about]
    rows = [
        [
            row["label"],
            with_interval(row, x),
            with_interval(row, y),
            "–" if row["front"] is None else f"{100 * row['front']:.0f}%",
        ]
        for row in front.iter_rows(named=True)
    ]
    blocks: list[Block] = [
        Heading("Dominated by nobody, and in how many resamples of the problems"),
        Rows(["agent", *titles, "resamples"], [False, True, True, True], rows),
        problems_note(frame["problems"][0]),
    ]
    if not beaten.is_empty():
        lost = [
            [row["label"], figure(row[x.column], x), figure(row[y.column], y), row["dominated_by"]]
            for row in beaten.head(MOST_ROWS).iter_rows(named=True)
        ]
        blocks += [
            Heading("Dominated"),
            Rows(["agent", *titles, "by"], [False, True, True, False], lost),
            *more(beaten.height),
        ]
    return Seen(frame, Document(f"{run.title}: {y.about} against {x.about}", [*blocks, *apart(frame)]))


VIEW = View("tradeoff", "the Pareto front of two measures, --x and --y", see)
