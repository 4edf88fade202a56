"""An outcome as text: a summary, published next to measured values, and the statements with the measured values.

A table with one column of the paper shows standard errors, a table with several does not. The terminal and Markdown
show only the first rows of a plot's data; JSON and CSV contain all rows.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import polars as pl
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.papers.outcome import AGREES, Entry, Figure, Outcome, Statement
from permove.report.formats import Format, cell, json_text, markdown_table, plain_table
from permove.report.plot import Data
from permove.report.table import facts_table

POWER_OF_TEN = 1e8
"""Values from here on are shown as a power of ten."""

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

MAX_ROWS = 200
"""Rows of a plot's data that are shown to readers."""


def outcome_text(outcome: Outcome, format: Format, *, picture: str = "") -> RenderableType:
    """Render an outcome. `picture` is the file of the plot, for Markdown."""
    if format is Format.MD:
        return _markdown(outcome, picture)
    writers = {Format.TABLE: _terminal, Format.JSON: _json, Format.CSV: _csv}
    return writers[format](outcome)


@dataclass(frozen=True)
class Section:
    """A table with its title; the first column contains words, and the others numbers or words, too."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False


def _sections(outcome: Outcome) -> list[Section]:
    """The tables of published and measured values, and the printed entries."""
    about = {column.key: f"({column.key}) {column.about}" for column in outcome.columns}
    found = [Section("; ".join(map(about.__getitem__, some)), *_cells(outcome, some)) for some in outcome.tables]
    headers, entries = ["", "published", "measured", "agrees"], [_entry(each) for each in outcome.entries]
    return found + ([Section("Printed entries", headers, entries, words=True)] if entries else [])


def _terminal(outcome: Outcome) -> RenderableType:
    parts: list[RenderableType] = [Text(outcome.title, style="bold"), Text(f"\n{outcome.summary}\n")]
    for section in _sections(outcome):
        parts += [Text(section.title), _table(section)]
    parts += [Text(f"{note}\n") for note in outcome.notes]
    if outcome.data is not None:
        parts += [plain_table(outcome.data.frame.head(MAX_ROWS), outcome.data.about), Text(_more(outcome.data))]
    statements = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 1, 0))
    for each in outcome.statements:
        style = "" if each.holds is not False else "bold red" if not each.timed else "yellow"
        found = "\n".join(filter(None, [each.predicate, each.found]))
        text = Text.assemble((each.text, "italic"), f" ({_place(each)})\n", found)
        statements.add_row(Text(_holds(each), style=style), text)
    if outcome.statements:
        parts += [Text("Statements\n"), statements]
    return Group(*parts, Text(outcome.verdict, style="bold"), Text(), facts_table(dict(outcome.facts)))


def _table(section: Section) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for at, header in enumerate(section.headers):
        number = at > 0 and not section.words
        table.add_column(header, justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row in section.rows:
        table.add_row(*row, end_section=section.words)
    return table


def _markdown(outcome: Outcome, picture: str) -> str:
    parts = [f"# {outcome.title}\n", f"{outcome.summary}\n", f"`{outcome.command}`\n", f"**{outcome.verdict}**\n"]
    parts += ["".join(f"- {fact}: {value}\n" for fact, value in outcome.facts.items())]
    for each in _sections(outcome):
        headers = [header.replace("\n", " ") for header in each.headers]
        numeric = [at > 0 and not each.words for at in range(len(headers))]
        parts += [f"## {each.title}\n", markdown_table(headers, numeric, each.rows)]
    parts += [f"{note}\n" for note in outcome.notes]
    if outcome.data is not None:
        shown = outcome.data.frame.head(MAX_ROWS)
        cells = [list(map(cell, row)) for row in shown.iter_rows()]
        headers = [name.replace("_", " ") for name in shown.columns]
        image = [f"![{outcome.data.about}]({picture})\n"] if picture else []
        table = markdown_table(headers, [dtype.is_numeric() for dtype in shown.dtypes], cells)
        parts += [f"## {outcome.data.about}\n", *image, table, _more(outcome.data)]
    rows = [[_holds(each), f"{each.text} ({_place(each)})", each.predicate, each.found] for each in outcome.statements]
    headers = ["", "statement", "exact condition", "measured"]
    if not any(each.predicate for each in outcome.statements):
        headers, rows = [*headers[:2], headers[3]], [[*row[:2], row[3]] for row in rows]
    if rows:
        parts += ["## Statements\n", markdown_table(headers, [False] * len(headers), rows)]
    return "\n".join(parts)


def _json(outcome: Outcome) -> str:
    plain = ("item", "command", "title", "summary", "passed", "verdict")
    content = {name: getattr(outcome, name) for name in plain} | {
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
    """The last key of a JSON object: a plot may have many rows, so each takes one line."""
    rows = [json_text(row, indent=None) for row in data.frame.iter_rows()]
    return (
        f',\n  "data": {{\n    "about": {json_text(data.about)},\n'
        f'    "columns": {json_text(data.frame.columns, indent=None)},\n    "rows": [\n      '
        + ",\n      ".join(rows)
        + "\n    ]\n  }\n}"
    )


def _csv(outcome: Outcome) -> str:
    """The data of a plot, or the values of a table, its entries or the statements: a frame holds one kind."""
    if outcome.data is not None:
        return outcome.data.frame.write_csv()
    rows = outcome.rows() or [asdict(each) for each in outcome.entries or outcome.statements]
    return pl.DataFrame(rows, infer_schema_length=None).write_csv()


def _entry(entry: Entry) -> list[str]:
    return [", ".join(filter(None, [entry.row, entry.column])), entry.published, entry.measured, AGREES[entry.agrees]]


def _more(data: Data) -> str:
    rest = data.frame.height - MAX_ROWS
    return f"{rest:,} more rows are in the JSON and CSV formats.\n" if rest > 0 else ""


def _cells(outcome: Outcome, columns: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of one table."""
    figures = {(figure.row, figure.column): figure for figure in outcome.figures if figure.column in columns}
    rows = list(dict.fromkeys(row for row, _ in figures))
    digits = {column.key: column.digits for column in outcome.columns}
    if len(columns) > 1:
        headers = [""] + [f"({column})\n{which}" for column in columns for which in ("published", "measured")]
        pairs = {row: [_pair(figures.get((row, column)), digits[column]) for column in columns] for row in rows}
        return headers, [[row, *(text for pair in pairs[row] for text in pair)] for row in rows]
    headers, cells, places = ["", "published", "measured"], [], digits[columns[0]]
    for figure in figures.values():
        both = ((figure.published, figure.published_se), (figure.measured, figure.measured_se))
        cells.append([figure.row, *(_with_error(*each, places) for each in both), _difference(outcome, figure)])
    if any(figure.difference is not None for figure in figures.values()):
        return [*headers, "difference in\nstandard errors"], cells
    return headers, [row[:3] for row in cells]


def _pair(figure: Figure | None, digits: int) -> tuple[str, str]:
    return ("–", "–") if figure is None else (_value(figure.published, digits), _value(figure.measured, digits))


def _with_error(mean: float, error: float | None, digits: int) -> str:
    if error is None or math.isnan(error):
        return _value(mean, digits)
    return f"{_value(mean, digits)} ± " + (f"{error:,.0f}" if abs(mean) >= 1000 else _value(error, digits))


def _difference(outcome: Outcome, figure: Figure) -> str:
    if figure.difference is None:
        return "–"
    mark = "!" if abs(figure.difference) > outcome.tolerance.far else "*"
    return f"{figure.difference:+.2f}" + (mark if abs(figure.difference) > outcome.tolerance.near else " ")


def _place(statement: Statement) -> str:
    if statement.section[0].isdecimal():
        return f"Section {statement.section}"
    # In some papers, sections have names instead of numbers.
    return f"Appendix {statement.section}" if len(statement.section.partition(",")[0]) == 1 else statement.section


def _holds(statement: Statement) -> str:
    if statement.holds is None:
        return "not checked"
    if statement.timed:
        return "timed: holds" if statement.holds else "timed: does not hold"
    return "holds" if statement.holds else "FAILS"


def _value(value: float, digits: int) -> str:
    if math.isnan(value):
        return "–"
    if value == math.inf:
        return "∞"
    if abs(value) >= POWER_OF_TEN:
        mantissa, _, exponent = f"{value:.1e}".partition("e")
        return f"{mantissa}×10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}f}" if abs(value) >= 10 ** (1 - digits) else f"{value:.2g}"
