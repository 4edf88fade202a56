"""Short documents of headings, sentences and tables, which are rendered for the terminal, as Markdown and as HTML.

All content is plain text: markup in names is escaped in every format.
"""

import html
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from permove.report.formats import Format, ReportFormat, markdown_table, put, show


@dataclass(frozen=True)
class Link:
    """A link to a file next to the document."""

    text: str
    to: str


Cell = str | Link


@dataclass(frozen=True)
class Heading:
    """A heading of the blocks below it."""

    text: str


@dataclass(frozen=True)
class Rows:
    """A table. Numeric columns are right-aligned and never wrapped; text columns shrink to fit.

    Cells may have several lines.
    """

    headers: Sequence[str]
    numeric: Sequence[bool]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Figure:
    """A plot that pages show. Markdown refers to its file, if there is one; the terminal omits it."""

    draw: Callable[[], str]
    """Draws the plot as SVG."""
    about: str
    file: str = ""


Block = str | Heading | Rows | Figure


@dataclass(frozen=True)
class Document:
    """A title and the blocks below it."""

    title: str
    blocks: Sequence[Block]


def terminal(document: Document) -> RenderableType:
    """Render the document for a terminal of any width."""
    shown: list[RenderableType] = [Text(document.title, style="bold")]
    for block in document.blocks:
        if isinstance(block, Heading):
            shown.append(Text(block.text, style="bold"))
        elif isinstance(block, Rows):
            shown.append(_table(block))
        elif isinstance(block, str):
            shown.append(Text(f"{block}\n"))
    return Group(*shown)


def markdown(document: Document) -> str:
    """Render the document as Markdown."""
    parts = [f"# {_plain(document.title)}\n"]
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(f"## {_plain(block.text)}\n")
        elif isinstance(block, Rows):
            rows = [[_markdown_cell(cell) for cell in row] for row in block.rows]
            headers = [_plain(_one_line(header)) for header in block.headers]
            parts.append(markdown_table(headers, block.numeric, rows))
        elif isinstance(block, Figure) and block.file:
            parts.append(f"![{_plain(block.about)}]({block.file})\n")
        elif isinstance(block, str):
            parts.append(f"{_plain(block)}\n")
    return "\n".join(parts)


def page(document: Document) -> str:
    """Render the document as a self-contained HTML file without scripts."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{html.escape(document.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + fragment(document)
        + "\n</main>\n</body>\n</html>\n"
    )


def fragment(document: Document) -> str:
    """Render the document as HTML for the inside of a page, for example of a notebook."""
    body = [f"<h1>{html.escape(document.title)}</h1>"]
    for block in document.blocks:
        if isinstance(block, Heading):
            body.append(f"<h2>{html.escape(block.text)}</h2>")
        elif isinstance(block, Rows):
            body.append(_html_table(block))
        elif isinstance(block, Figure):
            caption = f"<figcaption>{html.escape(block.about)}</figcaption>"
            body.append(f'<figure class="wide">{block.draw()}{caption}</figure>')
        else:
            body.append(f"<p>{html.escape(block)}</p>")
    return "\n".join(body)


WRITERS: Mapping[ReportFormat, Callable[[Document], RenderableType]] = {
    ReportFormat.TABLE: terminal,
    ReportFormat.MD: markdown,
    ReportFormat.HTML: page,
}
"""Formats for people; the other formats contain the frame."""


def present(document: Document, frame: pl.DataFrame, format: ReportFormat | str, output: Path | None) -> None:
    """Write a document, or its frame if the format is for programs, to a file or to the terminal."""
    wanted = ReportFormat(format)
    if wanted in WRITERS:
        put(WRITERS[wanted](document), output)
    else:
        show(frame, document.title, Format(wanted), output)


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Pages of documents have no scripts, and load nothing."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5a6472; --line: #d7dce2; --paper: #fff; --link: #1a5fb4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --soft: #a3adba; --line: #3a424d; --paper: #14181d; --link: #8ab4f8; }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
p { max-width: 48rem; }
a { color: var(--link); }
.wide { overflow-x: auto; }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); }
table { border-collapse: collapse; font-size: 0.95rem; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
"""


HEADER_WIDTH = 18
"""Maximum width of the headers of numeric columns on a terminal, which leaves room for the text columns."""


def _table(rows: Rows) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for header, numeric in zip(rows.headers, rows.numeric, strict=True):
        text = textwrap.fill(header, HEADER_WIDTH) if numeric and "\n" not in header else header
        table.add_column(text, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
    for row in rows.rows:
        texts = [cell if isinstance(cell, str) else cell.text for cell in row]
        # As Text, in which rich does not interpret square brackets as markup.
        table.add_row(*map(Text, texts), end_section=any("\n" in text for text in texts))
    return table


def _html_table(rows: Rows) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        classes = (' class="number"' if numeric else "" for numeric in rows.numeric)
        return "".join(f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in zip(classes, cells, strict=True))

    head = line("th", [html.escape(_one_line(header)) for header in rows.headers])
    body = "\n".join(f"<tr>{line('td', [_html_cell(cell) for cell in row])}</tr>" for row in rows.rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _one_line(header: str) -> str:
    """Join the lines of a header, and the parts of a word that is hyphenated at the end of a line."""
    return header.replace("-\n", "").replace("\n", " ").strip()


def _html_cell(cell: Cell) -> str:
    if isinstance(cell, Link):
        return f'<a href="{html.escape(cell.to)}">{html.escape(cell.text)}</a>'
    return html.escape(cell).replace("\n", "<br>")


def _markdown_cell(cell: Cell) -> str:
    return f"[{_plain(cell.text)}]({cell.to})" if isinstance(cell, Link) else _plain(cell).replace("\n", "<br>")


def _plain(text: str) -> str:
    """Escape the characters that Markdown interprets."""
    return re.sub(r"([\\`*_<\[\]])", r"\\\1", text)
