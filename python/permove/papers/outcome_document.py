"""An outcome as a document: a summary, published next to measured values, and the statements with the measured values.

A table with one column of the paper shows standard errors, a table with several does not. The terminal and Markdown
show only the first rows of a plot's data; JSON and CSV contain all rows.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from permove.papers.outcome import AGREES, Figure, Outcome, Statement
from permove.report import document as doc
from permove.report.formats import Format, csv_text, frame_cells, json_text
from permove.report.plot import Data, svg

POWER_OF_TEN = 1e8
"""Values from here on are shown as a power of ten."""

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

MAX_ROWS = 200
"""Rows of a plot's data that are shown to readers."""


def outcome_text(outcome: Outcome, format: Format, *, picture: str = "") -> RenderableType:
    """Render an outcome. `picture` is the file of the plot, for Markdown."""
    if format is Format.JSON:
        return _json(outcome)
    if format is Format.CSV:
        return _csv(outcome)
    document = outcome_document(outcome, picture)
    if format is Format.MD:
        return doc.markdown(document)
    # The summary is far above the end of a long output.
    return Group(doc.terminal(document), Text(outcome.agreement, style="bold"))


def outcome_document(outcome: Outcome, picture: str = "") -> doc.Document:
    """Return an outcome as a document with the picture of its plot, if there is a file."""
    about = {column.key: f"({column.key}) {column.about}" for column in outcome.columns}
    blocks: list[doc.Block] = [outcome.summary]
    for columns in outcome.tables or [[key] for key in about]:
        headers, rows = _cells(outcome, columns)
        numeric = [at > 0 for at in range(len(headers))]
        blocks += [doc.Heading("; ".join(map(about.__getitem__, columns))), doc.Rows(headers, numeric, rows)]
    if outcome.entries:
        entries = [
            [", ".join(filter(None, [each.row, each.column])), each.published, each.measured, AGREES[each.agrees]]
            for each in outcome.entries
        ]
        blocks += [doc.Heading("Printed entries"), _text_rows(["", "published", "measured", "agrees"], entries)]
    blocks += outcome.notes
    if outcome.data is not None:
        blocks += _data_blocks(outcome.data, picture)
    if outcome.statements:
        headers = ["", "statement, exact condition, measured values"]
        blocks += [doc.Heading("Statements"), _text_rows(headers, map(_statement, outcome.statements))]
    facts = {"command": outcome.command, **outcome.facts}
    blocks += [doc.Heading("How it was measured"), _text_rows(("", ""), map(list, facts.items()))]
    return doc.Document(outcome.title, blocks)


def _text_rows(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> doc.Rows:
    return doc.Rows(headers, [False] * len(headers), list(rows))


def _statement(statement: Statement) -> list[str]:
    place = statement.section
    if place[0].isdecimal():
        place = f"Section {place}"
    # In some papers, sections have names instead of numbers.
    elif len(place.partition(",")[0]) == 1:
        place = f"Appendix {place}"
    verdict = "holds" if statement.holds else "does not hold" if statement.timed else "FAILS"
    text = "\n".join(filter(None, [f"{statement.text} ({place})", statement.predicate, statement.found]))
    return [f"timed: {verdict}" if statement.timed else verdict, text]


def _data_blocks(data: Data, picture: str) -> list[doc.Block]:
    rest = data.frame.height - MAX_ROWS
    return [
        doc.Heading(data.about),
        *([doc.Figure(lambda: svg(data), data.about, picture)] if picture else []),
        doc.Rows(*frame_cells(data.frame.head(MAX_ROWS))),
        *([f"{rest:,} more rows are in the JSON and CSV formats."] if rest > 0 else []),
    ]


def _json(outcome: Outcome) -> str:
    plain = ("item", "command", "title", "summary", "passed")
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
        return csv_text(outcome.data.frame)
    rows = outcome.rows() or [asdict(each) for each in outcome.entries or outcome.statements]
    return csv_text(pl.DataFrame(rows, infer_schema_length=None))


def _cells(outcome: Outcome, columns: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of one table."""
    figures = {(figure.row, figure.column): figure for figure in outcome.figures if figure.column in columns}
    rows = list(dict.fromkeys(row for row, _ in figures))
    digits = {column.key: column.digits for column in outcome.columns}
    if len(columns) > 1:
        headers = [""] + [f"({column})\n{which}" for column in columns for which in ("published", "measured")]
        pairs = {key: (each.published, each.measured) for key, each in figures.items()}
        cells = [
            [
                row,
                *(
                    _value(value, digits[key])
                    for key in columns
                    for value in pairs.get((row, key), (math.nan, math.nan))
                ),
            ]
            for row in rows
        ]
        return headers, cells
    headers, cells, places = ["", "published", "measured"], [], digits[columns[0]]
    for figure in figures.values():
        both = ((figure.published, figure.published_se), (figure.measured, figure.measured_se))
        cells.append([figure.row, *(_with_error(*each, places) for each in both), _difference(outcome, figure)])
    if any(figure.difference is not None for figure in figures.values()):
        return [*headers, "difference in\nstandard errors"], cells
    return headers, [row[:3] for row in cells]


def _with_error(mean: float, error: float | None, digits: int) -> str:
    if error is None or math.isnan(error):
        return _value(mean, digits)
    return f"{_value(mean, digits)} ± " + (f"{error:,.0f}" if abs(mean) >= 1000 else _value(error, digits))


def _difference(outcome: Outcome, figure: Figure) -> str:
    if figure.difference is None:
        return "–"
    mark = "!" if abs(figure.difference) > outcome.tolerance.far else "*"
    return f"{figure.difference:+.2f}" + (mark if abs(figure.difference) > outcome.tolerance.near else " ")


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
