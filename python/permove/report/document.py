"""Short documents of headings, sentences and tables, written once for the terminal, for Markdown and as a page.

What stands in a document is text: names with markup in them are shown as they are, whatever it is written as.
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
    """Words that lead to a file beside the document."""

    words: str
    to: str


Cell = str | Link


@dataclass(frozen=True)
class Heading:
    """What the blocks below it are about."""

    words: str


@dataclass(frozen=True)
class Rows:
    """A table: columns of figures are set to the right and never broken, those of words give way."""

    headers: Sequence[str]
    figures: Sequence[bool]
    rows: Sequence[Sequence[Cell]]


Block = str | Heading | Rows


@dataclass(frozen=True)
class Document:
    """A title, and what stands below it."""

    title: str
    blocks: Sequence[Block]


def terminal(document: Document) -> RenderableType:
    """The document for a terminal, however narrow."""
    shown: list[RenderableType] = [Text(document.title, style="bold")]
    for block in document.blocks:
        if isinstance(block, Heading):
            shown.append(Text(block.words, style="bold"))
        elif isinstance(block, Rows):
            shown.append(_table(block))
        else:
            shown.append(Text(f"{block}\n"))
    return Group(*shown)


def markdown(document: Document) -> str:
    """The document as Markdown."""
    parts = [f"# {_plain(document.title)}\n"]
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(f"## {_plain(block.words)}\n")
        elif isinstance(block, Rows):
            rows = [[_markdown_cell(cell) for cell in row] for row in block.rows]
            headers = [_plain(header.replace("\n", " ").strip()) for header in block.headers]
            parts.append(markdown_table(headers, block.figures, rows))
        else:
            parts.append(f"{_plain(block)}\n")
    return "\n".join(parts)


def page(document: Document) -> str:
    """The document as one file of HTML that needs nothing else, not even a script."""
    body = [f"<h1>{html.escape(document.title)}</h1>"]
    for block in document.blocks:
        if isinstance(block, Heading):
            body.append(f"<h2>{html.escape(block.words)}</h2>")
        elif isinstance(block, Rows):
            body.append(_html_table(block))
        else:
            body.append(f"<p>{html.escape(block)}</p>")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(document.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


WRITERS: Mapping[ReportFormat, Callable[[Document], RenderableType]] = {
    ReportFormat.TABLE: terminal,
    ReportFormat.MD: markdown,
    ReportFormat.HTML: page,
}
"""The formats for readers; the others are for programs and contain the frame."""


def present(document: Document, frame: pl.DataFrame, format: ReportFormat | str, output: Path | None) -> None:
    """Write a document, or its frame in a format for programs, to a file or to the terminal."""
    wanted = ReportFormat(format)
    if wanted in WRITERS:
        put(WRITERS[wanted](document), output)
    else:
        show(frame, document.title, Format(wanted), output)


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
table { border-collapse: collapse; font-size: 0.95rem; }
th, td { padding: 0.3rem 0.9rem 0.3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
.figure { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
"""


HEADER_WIDTH = 18
"""What stands above figures is folded to this on a terminal: figures are short, and the words beside need the room."""


def _table(rows: Rows) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for header, figure in zip(rows.headers, rows.figures, strict=True):
        words = textwrap.fill(header, HEADER_WIDTH) if figure and "\n" not in header else header
        table.add_column(words, justify="right" if figure else "left", no_wrap=figure, overflow="fold")
    for row in rows.rows:
        # As text, in which square brackets are no markup.
        table.add_row(*(Text(cell if isinstance(cell, str) else cell.words) for cell in row))
    return table


def _html_table(rows: Rows) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        classes = (' class="figure"' if figure else "" for figure in rows.figures)
        return "".join(f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in zip(classes, cells, strict=True))

    head = line("th", [html.escape(header.replace("\n", " ").strip()) for header in rows.headers])
    body = "\n".join(f"<tr>{line('td', [_html_cell(cell) for cell in row])}</tr>" for row in rows.rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _html_cell(cell: Cell) -> str:
    if isinstance(cell, Link):
        return f'<a href="{html.escape(cell.to)}">{html.escape(cell.words)}</a>'
    return html.escape(cell)


def _markdown_cell(cell: Cell) -> str:
    return f"[{_plain(cell.words)}]({cell.to})" if isinstance(cell, Link) else _plain(cell)


def _plain(text: str) -> str:
    """Text in which Markdown finds nothing to mark up."""
    return re.sub(r"([\\`*_<\[\]])", r"\\\1", text)
