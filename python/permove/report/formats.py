"""How every reporting command writes a frame: as a table for the terminal, JSON, CSV or Markdown, to a file or not.

JSON knows no infinite numbers: they are the text "inf" there, as in specs and in CSV, so that null is always what there
is no figure for. Terminal output goes through one rich console, so that pipes and `NO_COLOR` get plain text. What `-o`
names is written whole or not at all.
"""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from io import StringIO
from pathlib import Path

import polars as pl
from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

from permove.common.files import write_atomic
from permove.common.terminal import console

FILE_WIDTH = 120
"""How wide tables are that go into a file."""


class Format(StrEnum):
    """What a reporting command writes."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"


class ReportFormat(StrEnum):
    """What `permove report` writes: the formats of every reporting command, and a page."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"
    HTML = "html"


def show(
    frame: pl.DataFrame, title: str, format: Format, output: Path | None, *, table: RenderableType | None = None
) -> None:
    """Write a frame to `output`, or to the terminal where that is None.

    A `table` of the caller's own takes the place of the plain one; the other formats always show the frame.
    """
    if format is Format.TABLE:
        put(table if table is not None else plain_table(frame, title), output)
    else:
        put(_text(frame, title, format), output)


def put(content: RenderableType, output: Path | None) -> None:
    """Write text as it is, or anything else that rich can show, to `output` or to the terminal."""
    if output is not None:
        write_atomic(output, (content if isinstance(content, str) else _table_text(content)).encode())
    elif isinstance(content, str):
        sys.stdout.write(content)
    else:
        console().print(content)


NARROWEST = 8
"""Text is not folded to less than this, nor than what stands above it."""

ERROR = "_se"
"""How the name of a column with standard errors ends, after that of the column that they are of."""


def plain_table(frame: pl.DataFrame, title: str) -> Table:
    """A frame as it stands: one column each, numbers to the right, with their standard errors behind them."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    errors = {name: f"{name}{ERROR}" for name in frame.columns if f"{name}{ERROR}" in frame.columns}
    columns = [name for name in frame.columns if name not in errors.values()]
    for name in columns:
        # Text is folded where there is no room; numbers and the words above them are not.
        if frame.schema[name].is_numeric():
            header = name.replace("suboptimality", "subopt.").replace("_", "\n")
            table.add_column(header, justify="right", no_wrap=True)
        else:
            table.add_column(name.replace("_", " "), overflow="fold", min_width=min(len(name), NARROWEST))
    for row in frame.iter_rows(named=True):
        table.add_row(*(_with_error(row[name], row.get(errors.get(name, ""))) for name in columns))
    return table


def _with_error(value: object, error: object) -> str:
    return cell(value) if error is None else f"{cell(value)} ± {cell(error)}"


def number(value: float | int | None) -> str:
    """A number as people read it: whole ones with their thousands apart, others to four significant digits."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def cell(value: object) -> str:
    """What a frame has in one place, as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return number(value)
    if isinstance(value, list):
        return ", ".join(map(cell, value))
    return str(value)


def _table_text(table: RenderableType) -> str:
    page = StringIO()
    Console(file=page, width=FILE_WIDTH, color_system=None, highlight=False).print(table)
    return page.getvalue()


def _text(frame: pl.DataFrame, title: str, format: Format) -> str:
    if format is Format.JSON:
        return json_text(frame.to_dicts()) + "\n"
    if format is Format.CSV:
        return _flat(frame).write_csv()
    return _markdown(frame, title)


def json_text(content: object, *, indent: int | None = 2) -> str:
    """Content as JSON."""
    return json.dumps(_for_json(content), indent=indent, ensure_ascii=False, allow_nan=False, default=str)


def _for_json(value: object) -> object:
    """A value without the numbers that JSON does not know: infinite ones become text, and what is none is null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, dict):
        return {key: _for_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_for_json(part) for part in value]
    return value


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists become text: CSV has no other way."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    return frame.with_columns(pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in lists)


def _markdown(frame: pl.DataFrame, title: str) -> str:
    numbers = [dtype.is_numeric() for dtype in frame.dtypes]
    return (
        f"## {title}\n\n{markdown_table(frame.columns, numbers, [list(map(cell, row)) for row in frame.iter_rows()])}"
    )


def markdown_table(headers: Sequence[str], numbers: Sequence[bool], rows: Iterable[Sequence[str]]) -> str:
    """Cells as a table of Markdown; columns of numbers are set to the right."""
    rules = ["---:" if is_number else "---" for is_number in numbers]
    cells = ([text.replace("|", "\\|") for text in row] for row in rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in (headers, rules, *cells))
