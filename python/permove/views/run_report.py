"""The default report of a run as a document: the agents that qualify, and those that are disqualified or failed."""

import polars as pl

from permove.analysis.measures import find
from permove.report.document import Block, Document, Heading, Rows
from permove.report.formats import number
from permove.report.table import MARK, MARK_NOTE, is_marked, plus_minus, qualified_cells, share
from permove.views.figures import tradeoff_figure

CONVERGENCE = {
    "travel": "travel",
    "suboptimality": "final suboptimality",
    "memory": "memory",
    "first_move_expanded": "first-move lag",
    "expanded": "planning",
}
"""Columns of the measures of convergence, with their headers."""


def report_document(frame: pl.DataFrame, title: str, note: str, *, converging: bool) -> Document:
    """Return the document of the frame of `tradeoff` or, for a run to convergence, of `convergence`."""
    qualified = frame.filter("qualified")
    blocks: list[Block] = []
    if not qualified.is_empty():
        x, y = ("first_move_expanded", "travel") if converging else ("expanded_per_move", "suboptimality")
        score = frame["score"].drop_nulls().unique().to_list()[:1]
        title_y = " ".join([*([] if converging else score), find(y).about])
        headers, rows = _convergence(qualified) if converging else qualified_cells(qualified)
        blocks += [
            tradeoff_figure(frame, find(x), find(y), title_y),
            Rows(headers, [at > 0 for at in range(len(headers))], rows),
        ]
    marks = [f"{MARK} {MARK_NOTE}"] if not converging and is_marked(qualified).any() else []
    blocks += [*filter(None, [note]), *marks]
    out = [
        [row["label"], f"{row['over']:,} of {row['problems']:,}", row["why"]]
        for row in frame.filter(pl.col("qualified").not_()).iter_rows(named=True)
    ]
    unsolved = [
        [row["label"], number(row["problems"]), row["unsolved"]]
        for row in qualified.filter(pl.col("unsolved") != "").iter_rows(named=True)
    ]
    if unsolved:
        table = Rows(["agent", "problems", "outcomes"], [False, True, False], unsolved)
        blocks += [Heading("Not converged" if converging else "Not solved"), table]
    if out:
        table = Rows(["agent", "problems", "worst case"], [False, True, False], out)
        blocks += [Heading("Disqualified: over the limit on planning per move"), table]
    return Document(title, blocks)


def _convergence(frame: pl.DataFrame) -> tuple[list[str], list[list[str]]]:
    rows = [
        [
            row["label"],
            share(row["converged"], row["problems"]),
            number(row["trials"]),
            *(plus_minus(row[name], row[f"{name}_se"]) for name in CONVERGENCE),
        ]
        for row in frame.iter_rows(named=True)
    ]
    return ["agent", "converged", "trials", *CONVERGENCE.values()], rows
