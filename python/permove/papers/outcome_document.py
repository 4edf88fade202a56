"""A reproduction as text: published figures beside measured ones, then the paper's statements with what was found.

On the terminal and in Markdown a table has one column of the paper with its errors, or several without, and of the
data of a plot there are only the first rows; JSON has all.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict

import polars as pl
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.papers.outcome import Entry, Figure, Outcome, Statement
from permove.report.formats import Format, cell, json_text, markdown_table, plain_table
from permove.report.plot import Data
from permove.report.table import facts_table

PLAIN = 1e8
"""From here on a figure is shown as a power of ten."""

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

MOST_ROWS = 200
"""How many rows of a plot's data are shown to readers."""


def outcome_text(outcome: Outcome, format: Format, *, picture: str = "") -> RenderableType:
    """An outcome in a format: text, or tables for the terminal. Markdown shows the plot where `picture` names it."""
    if format is Format.MD:
        return _markdown(outcome, picture)
    writers = {Format.TABLE: _terminal, Format.JSON: _json, Format.CSV: _csv}
    return writers[format](outcome)


def _terminal(outcome: Outcome) -> RenderableType:
    parts: list[RenderableType] = [Text(outcome.title, style="bold"), Text()]
    for columns in outcome.tables:
        headers, rows = _cells(outcome, columns)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for at, header in enumerate(headers):
            table.add_column(header, justify="right" if at else "left", no_wrap=at > 0)
        for row in rows:
            table.add_row(*row)
        parts += [Text(_caption(outcome, columns)), table]
    if outcome.entries:
        parts.append(_entries(outcome.entries))
    parts += [Text(f"{note}\n") for note in outcome.notes]
    if outcome.data is not None:
        parts += [plain_table(outcome.data.frame.head(MOST_ROWS), outcome.data.about), Text(_more(outcome.data))]
    said = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 1, 0))
    for statement in outcome.statements:
        style = "" if statement.holds is not False else "bold red" if not statement.timed else "yellow"
        words = "\n".join(filter(None, [statement.predicate, statement.found]))
        quote = Text.assemble((f"“{statement.quote}”", "italic"), f" ({_place(statement)})\n", words)
        said.add_row(Text(_holds(statement), style=style), quote)
    if outcome.statements:
        parts += [Text("What the paper says\n"), said]
    parts += [Text(outcome.verdict, style="bold"), Text()]
    return Group(*parts, facts_table(dict(outcome.facts)))


def _markdown(outcome: Outcome, picture: str) -> str:
    parts = [f"# {outcome.title}\n", f"`{outcome.command}`\n", f"**{outcome.verdict}**\n"]
    parts += ["".join(f"- {fact}: {value}\n" for fact, value in outcome.facts.items())]
    for columns in outcome.tables:
        headers, rows = _cells(outcome, columns)
        headers = [header.replace("\n", " ") for header in headers]
        numbers = [at > 0 for at in range(len(headers))]
        parts += [f"## {_caption(outcome, columns)}\n", markdown_table(headers, numbers, rows)]
    if outcome.entries:
        entries = [[_name(each), each.published, each.measured, _agrees(each)] for each in outcome.entries]
        headers = ["", "published", "measured", "agrees"]
        parts += ["## What is printed\n", markdown_table(headers, [False] * len(headers), entries)]
    parts += [f"{note}\n" for note in outcome.notes]
    if outcome.data is not None:
        shown = outcome.data.frame.head(MOST_ROWS)
        cells = [list(map(cell, row)) for row in shown.iter_rows()]
        numbers = [dtype.is_numeric() for dtype in shown.dtypes]
        headers = [name.replace("_", " ") for name in shown.columns]
        shot = [f"![{outcome.data.about}]({picture})\n"] if picture else []
        parts += [f"## {outcome.data.about}\n", *shot, markdown_table(headers, numbers, cells), _more(outcome.data)]
    said = [
        [_holds(each), f"“{each.quote}” ({_place(each)})", each.predicate, each.found] for each in outcome.statements
    ]
    headers = ["", "statement", "predicate", "found"]
    if not any(each.predicate for each in outcome.statements):
        headers, said = [*headers[:2], headers[3]], [[*row[:2], row[3]] for row in said]
    if said:
        parts += ["## What the paper says\n", markdown_table(headers, [False] * len(headers), said)]
    return "\n".join(parts)


def _json(outcome: Outcome) -> str:
    content = {
        "item": outcome.item,
        "command": outcome.command,
        "title": outcome.title,
        "passed": outcome.passed,
        "verdict": outcome.verdict,
        "facts": dict(outcome.facts),
        "tolerance": asdict(outcome.tolerance),
        "columns": [asdict(column) for column in outcome.columns],
        "figures": outcome.rows(),
        "entries": [asdict(entry) for entry in outcome.entries],
        "notes": list(outcome.notes),
        "statements": [asdict(statement) for statement in outcome.statements],
    }
    text = json_text(content)
    return (text if outcome.data is None else text.removesuffix("\n}") + _json_data(outcome.data)) + "\n"


def _json_data(data: Data) -> str:
    """What follows the rest of a JSON object: the rows of a plot may be many, and take a line each."""
    rows = [json_text(row, indent=None) for row in data.frame.iter_rows()]
    return (
        f',\n  "data": {{\n    "about": {json_text(data.about)},\n'
        f'    "columns": {json_text(data.frame.columns, indent=None)},\n    "rows": [\n      '
        + ",\n      ".join(rows)
        + "\n    ]\n  }\n}"
    )


def _csv(outcome: Outcome) -> str:
    """The data of a plot, or else the figures of a table, its entries, or the statements: one frame has one kind."""
    if outcome.data is not None:
        return outcome.data.frame.write_csv()
    rows = outcome.rows() or [asdict(each) for each in outcome.entries or outcome.statements]
    return pl.DataFrame(rows, infer_schema_length=None).write_csv()


def _entries(entries: Sequence[Entry]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for header in ("", "published", "measured", "agrees"):
        table.add_column(header, overflow="fold")
    for entry in entries:
        table.add_row(_name(entry), entry.published, entry.measured, _agrees(entry), end_section=True)
    return table


def _name(entry: Entry) -> str:
    return ", ".join(filter(None, [entry.row, entry.column]))


def _agrees(entry: Entry) -> str:
    return {True: "yes", False: "no", None: "–"}[entry.agrees]


def _more(data: Data) -> str:
    left = data.frame.height - MOST_ROWS
    return f"And {left:,} more rows, which --format json and --format csv have.\n" if left > 0 else ""


def _cells(outcome: Outcome, columns: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of one table."""
    figures = {(figure.row, figure.column): figure for figure in outcome.figures if figure.column in columns}
    rows = list(dict.fromkeys(row for row, _ in figures))
    digits = {column.key: column.digits for column in outcome.columns}
    if len(columns) == 1:
        of_row = [figures[row, columns[0]] for row in rows]
        shown = digits[columns[0]]
        cells = [
            [
                figure.row,
                _with_error(figure.published, figure.published_se, shown),
                _with_error(figure.measured, figure.measured_se, shown),
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
        [row, *(cell for column in columns for cell in _pair(figures.get((row, column)), digits[column]) or empty)]
        for row in rows
    ]


def _pair(figure: Figure | None, digits: int) -> tuple[str, str] | None:
    return None if figure is None else (_figure(figure.published, digits), _figure(figure.measured, digits))


def _with_error(mean: float, error: float | None, digits: int) -> str:
    if error is None or math.isnan(error):
        return _figure(mean, digits)
    shown = f"{error:,.0f}" if abs(mean) >= 1000 else _figure(error, digits)
    return f"{_figure(mean, digits)} ± {shown}"


def _difference(outcome: Outcome, figure: Figure) -> str:
    if figure.difference is None:
        return "–"
    mark = "!" if abs(figure.difference) > outcome.tolerance.far else "*"
    return f"{figure.difference:+.2f}" + (mark if abs(figure.difference) > outcome.tolerance.near else " ")


def _caption(outcome: Outcome, columns: Sequence[str]) -> str:
    about = {column.key: f"({column.key}) {column.about}" for column in outcome.columns}
    return "; ".join(about[column] for column in columns)


def _place(statement: Statement) -> str:
    if statement.section[0].isdecimal():
        return f"Section {statement.section}"
    # Sections of some papers have names alone, as have abstracts.
    return f"Appendix {statement.section}" if len(statement.section.partition(",")[0]) == 1 else statement.section


def _holds(statement: Statement) -> str:
    if statement.holds is None:
        return "not checked"
    if statement.timed:
        return "timed: holds" if statement.holds else "timed: not so"
    return "holds" if statement.holds else "FAILS"


def _figure(value: float, digits: int) -> str:
    if math.isnan(value):
        return "–"
    if value == math.inf:
        return "∞"
    if abs(value) >= PLAIN:
        mantissa, _, exponent = f"{value:.1e}".partition("e")
        return f"{mantissa}×10{str(int(exponent)).translate(RAISED)}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}f}" if abs(value) >= 10 ** (1 - digits) else f"{value:.2g}"
