"""The index of a folder of reports: README.md for readers of the repository, index.html for a browser."""

from pathlib import Path
from typing import Any

import polars as pl

from permove.common.files import write_atomic
from permove.report.document import Block, Cell, Document, Heading, Link, Rows, markdown, page
from permove.report.formats import cell

FILES = {"README.md": markdown, "index.html": page}
"""The files of an index and their writers."""


def write_index(folder: Path, summary: pl.DataFrame) -> list[Path]:
    """Write the files of the index and return their paths."""
    document = index_document(summary)
    for name, written in FILES.items():
        write_atomic(folder / name, written(document).encode())
    return [folder / name for name in FILES]


def index_document(summary: pl.DataFrame) -> Document:
    """Return the index of a frame from `papers.index.summary`."""
    counts = summary.select(
        papers=pl.col("paper").n_unique(),
        reports=pl.len(),
        agreed=pl.col("passed").sum(),
        failed=(~pl.col("passed")).sum(),
        hold=pl.col("hold").sum(),
        statements=pl.col("statements").sum(),
        near=pl.col("near").sum(),
        judged=pl.col("judged").sum(),
    ).row(0, named=True)
    blocks: list[Block] = [
        f"This folder compares published with measured results: {counts['reports']} tables, figures and lists of "
        f"claims from {counts['papers']} papers. {counts['hold']:,} of {counts['statements']:,} checked statements "
        f"hold, and {counts['near']:,} of {counts['judged']:,} judged values agree. {counts['agreed']} reports agree "
        f"in everything that is judged, {counts['failed']} do not.",
        "A report agrees if all judged values are within tolerance and all checked statements hold. Statements about "
        "time are counted separately and cannot fail a report. The command “permove reproduce --index reports” "
        "rebuilds this index.",
    ]
    for paper in summary.partition_by("paper", maintain_order=True):
        first = paper.row(0, named=True)
        blocks.append(Heading(first["title"]))
        blocks += [f"Reproduced: {first['reproduced']}"] if first["reproduced"] else []
        blocks += [f"Not reproduced: {first['differences']}"] if first["differences"] else []
        blocks += [_agreement(paper), _table(paper), _made(paper)]
    return Document("Reproduced papers", blocks)


def _agreement(paper: pl.DataFrame) -> str:
    """Counts over the reports of a paper. A statement may occur in several reports."""
    judged = paper.filter(pl.col("passed").is_not_null())
    disagree = ", ".join(judged.filter(~pl.col("passed"))["item"])
    rest = f" Reports with disagreements: {disagree}." if disagree else ""
    return (
        f"{judged['passed'].sum()} of {judged.height} reports agree; over all reports, {paper['hold'].sum()} of "
        f"{paper['statements'].sum()} statements hold.{rest}"
    )


COLUMNS = ("item", "what", "agrees", "statements", "unchecked", "timed", "figures", "entries", "revision", "date")
"""Possible columns of a table; empty columns are omitted."""

TEXT = ("item", "what", "agrees", "data", "plot")
"""Columns with text."""


def _table(paper: pl.DataFrame) -> Rows:
    rows = [_cells(row) for row in paper.iter_rows(named=True)]
    headers = [name for name in (*COLUMNS, "data", "plot") if any(row[name] != "–" for row in rows)]
    return Rows(headers, [name not in TEXT for name in headers], [[row[name] for name in headers] for row in rows])


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        "item": Link(row["item"], f"{row['path']}.md"),
        "what": row["about"],
        "agrees": {True: "yes", False: "no", None: "–"}[row["passed"]],
        "statements": _of(row["hold"], row["statements"]),
        "unchecked": f"{row['unchecked']:,}" if row["unchecked"] else "–",
        "timed": _of(row["timed_hold"], row["timed"]),
        "figures": _of(row["near"], row["judged"]),
        "entries": _of(row["entries_agree"], row["entries"]),
        "revision": cell(row["revision"]),
        "date": cell(row["date"]),
        "data": Link("JSON", f"{row['path']}.json"),
        "plot": Link("SVG", f"{row['path']}.svg") if row["picture"] else "–",
    }


def _made(paper: pl.DataFrame) -> str:
    """The machines of a paper's reports."""
    machines: list[Any] = paper["machine"].drop_nulls().unique(maintain_order=True).to_list()
    return f"Measured on {' and on '.join(machines)}." if machines else "The reports do not name a machine."


def _of(some: int, total: int) -> str:
    return f"{some:,} of {total:,}" if total else "–"
