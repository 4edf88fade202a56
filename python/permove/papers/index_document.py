"""The index of a folder of reports: README.md for readers of the repository, index.html for a browser."""

from pathlib import Path
from typing import Any

import polars as pl

from permove.common.files import write_atomic
from permove.report.document import Block, Cell, Document, Heading, Link, Rows, markdown, page
from permove.report.formats import cell

FILES = {"README.md": markdown, "index.html": page}
"""What an index is written as."""


def write_index(folder: Path, summary: pl.DataFrame) -> list[Path]:
    """Write all of them, and say which."""
    document = index_document(summary)
    for name, written in FILES.items():
        write_atomic(folder / name, written(document).encode())
    return [folder / name for name in FILES]


def index_document(summary: pl.DataFrame) -> Document:
    """The frame of `papers.index.summary`."""
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
        f"What was found, published against measured: {counts['reports']} tables, figures and lists of claims of "
        f"{counts['papers']} papers. {counts['hold']:,} of {counts['statements']:,} statements hold, and "
        f"{counts['near']:,} of {counts['judged']:,} figures that have to agree do. {counts['agreed']} reports agree "
        f"in all that is judged, {counts['failed']} do not; each says in what.",
        "A report agrees where every figure is within its tolerance and every statement holds that was checked; "
        "statements about time are counted apart and fail nothing. The command “permove reproduce --index reports” "
        "makes this index anew from the reports beside it.",
    ]
    for paper in summary.partition_by("paper", maintain_order=True):
        blocks += [Heading(paper["title"][0]), _table(paper), _made(paper)]
    return Document("Papers, reproduced", blocks)


COLUMNS = ("item", "what", "agrees", "statements", "unchecked", "timed", "figures", "entries", "revision", "date")
"""What every table of the index may have; columns in which a paper has nothing are left out."""

WORDS = ("item", "what", "agrees", "data", "plot")
"""The columns of words."""


def _table(paper: pl.DataFrame) -> Rows:
    rows = [_cells(row) for row in paper.iter_rows(named=True)]
    headers = [name for name in (*COLUMNS, "data", "plot") if any(row[name] != "–" for row in rows)]
    return Rows(headers, [name not in WORDS for name in headers], [[row[name] for name in headers] for row in rows])


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
    """On which machines."""
    machines: list[Any] = paper["machine"].drop_nulls().unique(maintain_order=True).to_list()
    return f"Measured on {' and on '.join(machines)}." if machines else "The reports do not say on what machine."


def _of(some: int, whole: int) -> str:
    return f"{some:,} of {whole:,}" if whole else "–"
