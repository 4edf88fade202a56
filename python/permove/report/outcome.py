"""A reproduction as text: published figures beside measured ones, then the paper's statements with what was found.

On the terminal and in Markdown a table has one column of the paper with its errors, or several without; JSON has all.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict

import polars as pl
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.papers.outcome import Figure, Outcome, Statement
from permove.report.formats import Format, markdown_table
from permove.report.table import facts_table


def outcome_text(outcome: Outcome, format: Format) -> RenderableType:
    """An outcome in a format: text, or tables for the terminal."""
    writers = {Format.TABLE: _terminal, Format.JSON: _json, Format.CSV: _csv, Format.MD: _markdown}
    return writers[format](outcome)


def _terminal(outcome: Outcome) -> RenderableType:
    parts: list[RenderableType] = [Text(outcome.title, style="bold"), Text()]
    for columns in outcome.tables:
        headers, rows = _cells(outcome, columns)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for at, header in enumerate(headers):
            table.add_column(header, justify="right" if at else "left", no_wrap=True)
        for row in rows:
            table.add_row(*row)
        parts += [Text(_caption(outcome, columns)), table]
    said = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 1, 0))
    for statement in outcome.statements:
        style = "" if statement.holds else "bold red" if not statement.timed else "yellow"
        quote = Text.assemble((f"“{statement.quote}”", "italic"), f" (Section {statement.section})\n", statement.found)
        said.add_row(Text(_holds(statement), style=style), quote)
    parts += [Text("What the paper says\n"), said, Text(outcome.verdict, style="bold"), Text()]
    return Group(*parts, facts_table(dict(outcome.facts)))


def _markdown(outcome: Outcome) -> str:
    parts = [f"# {outcome.title}\n", f"`permove reproduce {outcome.item}`\n", f"**{outcome.verdict}**\n"]
    parts += ["".join(f"- {fact}: {value}\n" for fact, value in outcome.facts.items())]
    for columns in outcome.tables:
        headers, rows = _cells(outcome, columns)
        headers = [header.replace("\n", " ") for header in headers]
        numbers = [at > 0 for at in range(len(headers))]
        parts += [f"## {_caption(outcome, columns)}\n", markdown_table(headers, numbers, rows)]
    said = [[_holds(each), f"“{each.quote}” (Section {each.section})", each.found] for each in outcome.statements]
    parts += ["## What the paper says\n", markdown_table(["", "statement", "found"], [False] * 3, said)]
    return "\n".join(parts)


def _json(outcome: Outcome) -> str:
    content = {
        "item": outcome.item,
        "title": outcome.title,
        "passed": outcome.passed,
        "verdict": outcome.verdict,
        "facts": dict(outcome.facts),
        "tolerance": asdict(outcome.tolerance),
        "columns": [asdict(column) for column in outcome.columns],
        "figures": [{key: _finite(value) for key, value in row.items()} for row in outcome.rows()],
        "statements": [asdict(statement) for statement in outcome.statements],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _csv(outcome: Outcome) -> str:
    """The figures; statements are words and have no place in it."""
    return pl.DataFrame(outcome.rows(), infer_schema_length=None).write_csv()


def _cells(outcome: Outcome, columns: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of one table."""
    figures = {(figure.row, figure.column): figure for figure in outcome.figures if figure.column in columns}
    rows = list(dict.fromkeys(row for row, _ in figures))
    if len(columns) == 1:
        of_row = [figures[row, columns[0]] for row in rows]
        cells = [
            [
                figure.row,
                _with_error(figure.published, figure.published_se),
                _with_error(figure.measured, figure.measured_se),
                _difference(outcome, figure),
            ]
            for figure in of_row
        ]
        headers = ["", "published", "measured", "difference in\nstandard errors"]
        has_difference = any(figure.difference is not None for figure in of_row)
        return (headers, cells) if has_difference else (headers[:3], [row[:3] for row in cells])
    headers = [""] + [f"({column})\n{which}" for column in columns for which in ("published", "measured")]
    empty = ("–", "–")
    return headers, [
        [row, *(cell for column in columns for cell in _pair(figures.get((row, column))) or empty)] for row in rows
    ]


def _pair(figure: Figure | None) -> tuple[str, str] | None:
    return None if figure is None else (_figure(figure.published), _figure(figure.measured))


def _with_error(mean: float, error: float | None) -> str:
    if error is None:
        return _figure(mean)
    return f"{_figure(mean)} ± {error:,.0f}" if abs(mean) >= 1000 else f"{_figure(mean)} ± {_figure(error)}"


def _difference(outcome: Outcome, figure: Figure) -> str:
    if figure.difference is None:
        return "–"
    mark = "!" if abs(figure.difference) > outcome.tolerance.far else "*"
    return f"{figure.difference:+.2f}" + (mark if abs(figure.difference) > outcome.tolerance.near else " ")


def _caption(outcome: Outcome, columns: Sequence[str]) -> str:
    about = {column.key: f"({column.key}) {column.about}" for column in outcome.columns}
    return "; ".join(about[column] for column in columns)


def _holds(statement: Statement) -> str:
    if statement.timed:
        return "timed: holds" if statement.holds else "timed: not so"
    return "holds" if statement.holds else "FAILS"


def _figure(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
