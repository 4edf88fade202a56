"""Output formats of every reporting command: terminal table, JSON, CSV or Markdown, printed or written to a file.

JSON has no infinite numbers: they are written as the text "inf", as in specs and CSV, so null always means a missing
value. Terminal output goes through one rich console, so pipes and `NO_COLOR` get plain text. A file given by `-o` is
written atomically.
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
from permove.common.text import printable_lines, without_formula

FILE_WIDTH = 120
"""Width of tables that are written to a file."""


class Format(StrEnum):
    """Output formats of reporting commands."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"


class ReportFormat(StrEnum):
    """Output formats of documents: those of every reporting command, LaTeX and HTML."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"
    LATEX = "latex"
    HTML = "html"


def show(
    frame: pl.DataFrame,
    title: str,
    format: Format,
    output: Path | None,
    *,
    table: RenderableType | None = None,
    note: str = "",
) -> None:
    """Write a frame to `output`, or to the terminal if `output` is None.

    If given, `table` replaces the plain table; the other formats always contain the frame, and Markdown the `note`.
    """
    if format is Format.TABLE:
        put(table if table is not None else plain_table(frame, title), output)
    else:
        put(_text(frame, title, format, note), output)


def put(content: RenderableType, output: Path | None) -> None:
    """Write text, or anything that rich can render, to `output` or to the terminal."""
    if output is not None:
        write_atomic(output, (content if isinstance(content, str) else _table_text(content)).encode())
    elif isinstance(content, str):
        sys.stdout.write(printable_lines(content))
    else:
        console().print(content)


MIN_WIDTH = 8
"""Minimum width of a text column, unless its header is shorter."""

ERROR = "_se"
"""Suffix of columns with standard errors, after the name of their column."""


def plain_table(frame: pl.DataFrame, title: str) -> Table:
    """Return a frame as a table, with numbers right-aligned and followed by their standard errors."""
    headers, numbers, rows = frame_cells(frame)
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    for header, numeric in zip(headers, numbers, strict=True):
        # Text wraps if there is too little room; numbers and their headers do not.
        if numeric:
            table.add_column(
                header.replace("suboptimality", "subopt.").replace(" ", "\n"), justify="right", no_wrap=True
            )
        else:
            table.add_column(header, overflow="fold", min_width=min(len(header), MIN_WIDTH))
    for row in rows:
        table.add_row(*row)
    return table


def frame_cells(frame: pl.DataFrame) -> tuple[list[str], list[bool], list[list[str]]]:
    """Return the headers of a frame, whether its columns are numeric, and its cells; errors follow their values."""
    errors = {name: f"{name}{ERROR}" for name in frame.columns if f"{name}{ERROR}" in frame.columns}
    columns = [name for name in frame.columns if name not in errors.values()]
    rows = [[_with_error(row[name], row.get(errors.get(name, ""))) for name in columns] for row in frame.to_dicts()]
    return [name.replace("_", " ") for name in columns], [frame.schema[name].is_numeric() for name in columns], rows


def _with_error(value: object, error: object) -> str:
    return cell(value) if error is None else f"{cell(value)} ± {cell(error)}"


def number(value: float | int | None) -> str:
    """Format a number: integers with thousands separators, other numbers to four significant digits."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def cell(value: object) -> str:
    """Format a value of a frame."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return number(value)
    if isinstance(value, list):
        return ", ".join(map(cell, value))
    return str(value)


def html_text(content: RenderableType) -> str:
    """Return anything that rich can render as HTML with a fixed-width font, for notebooks."""
    page = Console(file=StringIO(), width=FILE_WIDTH, record=True, highlight=False)
    page.print(content)
    style = (
        "font-family: ui-monospace, monospace; font-size: 0.85em; line-height: 1.2; white-space: pre; overflow-x: auto"
    )
    return page.export_html(inline_styles=True, code_format=f'<pre style="{style}">{{code}}</pre>')


def _table_text(table: RenderableType) -> str:
    page = StringIO()
    Console(file=page, width=FILE_WIDTH, color_system=None, highlight=False).print(table)
    return printable_lines(page.getvalue())


def _text(frame: pl.DataFrame, title: str, format: Format, note: str) -> str:
    if format is Format.JSON:
        text = json_text(frame.to_dicts()) + "\n"
    elif format is Format.CSV:
        return csv_text(frame)
    else:
        text = _markdown(frame, title) + (f"\n{note}\n" if note else "")
    return printable_lines(text)


def json_text(content: object, *, indent: int | None = 2) -> str:
    """Return content as JSON."""
    return json.dumps(_for_json(content), indent=indent, ensure_ascii=False, allow_nan=False, default=str)


def _for_json(value: object) -> object:
    """Replace numbers that JSON does not have: infinity by text, nan by null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, dict):
        return {key: _for_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_for_json(part) for part in value]
    return value


def csv_text(frame: pl.DataFrame) -> str:
    """Return a frame as CSV."""
    return printable_lines(_flat(frame).write_csv())


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Join lists to text, since CSV has no lists, and quote text that spreadsheets take for formulas."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    flat = frame.with_columns(pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in lists)
    return flat.with_columns(pl.col(pl.String).map_elements(without_formula, pl.String))


def _markdown(frame: pl.DataFrame, title: str) -> str:
    numbers = [dtype.is_numeric() for dtype in frame.dtypes]
    return (
        f"## {title}\n\n{markdown_table(frame.columns, numbers, [list(map(cell, row)) for row in frame.iter_rows()])}"
    )


def markdown_table(headers: Sequence[str], numbers: Sequence[bool], rows: Iterable[Sequence[str]]) -> str:
    """Return cells as a Markdown table, with columns of numbers right-aligned."""
    rules = ["---:" if is_number else "---" for is_number in numbers]
    cells = ([text.replace("|", "\\|") for text in row] for row in rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in (headers, rules, *cells))
