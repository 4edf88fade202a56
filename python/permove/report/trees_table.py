"""Terminal table of trained decision trees."""

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from permove.report.formats import number
from permove.report.table import headed_table, plus_minus


def trees_table(frame: pl.DataFrame, title: str) -> RenderableType:
    """Return one row per tree of `permove train`."""
    table = headed_table("file", "d_max", "moves", "accuracy", "majority", "leaves", "ccp_alpha")
    for row in frame.iter_rows(named=True):
        table.add_row(
            row["file"],
            number(row["dmax"]),
            number(row["moves"]),
            plus_minus(row["accuracy"], row["accuracy_se"]),
            f"{row['majority']:.3f}",
            number(row["leaves"]),
            number(row["ccp_alpha"]),
        )
    return Group(Text(title, style="bold"), table)
