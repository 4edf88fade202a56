"""Short documents of headings, sentences and tables, which are rendered for the terminal, as Markdown and as HTML.

All content is plain text: markup in names is escaped in every format.
"""

import html
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from permove.common.errors import InputError
from permove.common.extras import is_installed
from permove.common.text import printable
from permove.records.flags import FLAG, FLAG_NOTE
from permove.report.fitting import FittingTable
from permove.report.formats import Format, ReportFormat, markdown_table, put, show
from permove.report.page import page as frame


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
class Limit:
    """An interval of a limit and the best agent in it; the page of a guide has a slider over these."""

    min: int
    max: int | None
    agent: str | None
    about: str
    text: str
    """The interval in the table."""


@dataclass(frozen=True)
class Document:
    """A title and the blocks below it."""

    title: str
    blocks: Sequence[Block]
    kind: str = "report"
    """The kind of the document, in the header of its page."""
    limits: Sequence[Limit] = ()
    unit: str = ""
    """The unit of the limits: `states` or `time`."""


def drawn(document: Document) -> str:
    """Return the first figure of a document as SVG."""
    figures = [block for block in document.blocks if isinstance(block, Figure)]
    if not figures:
        raise InputError("there is nothing to draw: no agent has values; choose other measures or agents")
    return figures[0].draw()


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


def page(document: Document, kind: str = "") -> str:
    """Render the document as a self-contained HTML file, in the design of all pages."""
    lead, *sections = _sections(document.blocks)
    head = f"<h1>{html.escape(document.title)}</h1>"
    slider = SLIDER if document.limits else ""
    body = [f'<main>{head}{slider}<section class="card" id="guide" data-name="{"Guide" if slider else "Result"}">']
    body.append(f"{_section(lead, 0)}</section>")
    for number, (title, blocks) in enumerate(_named(sections), 1):
        inner = f"<h2>{html.escape(title)}</h2>{_section(blocks, number)}"
        body.append(f'<section class="card" id="part-{number}">{inner}</section>')
    content = {"unit": document.unit, "limits": [asdict(limit) for limit in document.limits]} if slider else {}
    return frame("document", document.title, content, kind=kind or document.kind, body="\n".join([*body, "</main>"]))


SLIDER = """
<section class="card" id="choice" data-name="Limit" aria-label="Limit and best agent under it">
<p id="question"></p>
<p id="answer" role="status" aria-live="polite"></p>
<div id="sliding">
<input type="range" id="slider" min="0" max="1000" step="1" aria-label="Limit on planning per move, logarithmic scale">
<div id="strip" aria-hidden="true"></div>
<div id="scale" aria-hidden="true"></div>
</div>
</section>
"""


def _sections(blocks: Sequence[Block]) -> list[list[Block]]:
    """Divide blocks before each heading; the first part has no heading."""
    parts: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, Heading):
            parts.append([])
        parts[-1].append(block)
    return parts


def _named(sections: Sequence[Sequence[Block]]) -> list[tuple[str, Sequence[Block]]]:
    return [(section[0].text, section[1:]) for section in sections if isinstance(section[0], Heading)]


def _section(blocks: Sequence[Block], number: int) -> str:
    """Render the blocks of a section, with its figures next to the rest."""
    figures = [block for block in blocks if isinstance(block, Figure)]
    others = "\n".join(
        _html_table(block) if isinstance(block, Rows) else f"<p>{html.escape(block)}</p>"
        for block in blocks
        if isinstance(block, Rows | str)
    )
    if not figures or not is_installed("plots"):
        return others
    drawn = "\n".join(html_figure(each.draw(), each.about, f"{number}-{at}") for at, each in enumerate(figures))
    return f'<div class="pair"><div>{others}</div><div>{drawn}</div></div>' if others else drawn


def html_figure(svg: str, about: str, name: str) -> str:
    """Return a figure with its caption. `name` makes the identifiers in its SVG unique on the page."""
    scoped = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>f{name}-", svg)
    sized = re.sub(r'^(<svg[^>]*?) width="[\d.]+" height="[\d.]+"', r"\1", scoped)
    label = html.escape(about, quote=True)
    labelled = sized.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    return f"<figure>{labelled}<figcaption>{html.escape(about)}</figcaption></figure>"


def fragment(document: Document) -> str:
    """Render the document as HTML for the inside of a page, for example of a notebook."""
    body = [f"<h1>{html.escape(document.title)}</h1>"]
    for block in document.blocks:
        if isinstance(block, Heading):
            body.append(f"<h2>{html.escape(block.text)}</h2>")
        elif isinstance(block, Rows):
            body.append(_html_table(block))
        elif isinstance(block, str):
            body.append(f"<p>{html.escape(block)}</p>")
        elif is_installed("plots"):
            body.append(html_figure(block.draw(), block.about, f"n{len(body)}"))
    return "\n".join(body)


def latex(document: Document) -> str:
    """Render the document as tables of LaTeX, for the packages booktabs and graphicx; sentences are notes below them.

    A table that is too wide for its column is scaled down.
    """
    parts = [f"% {printable(document.title)}\n% Needs \\usepackage{{booktabs,graphicx}}.\n"]
    caption = document.title
    for block in document.blocks:
        if isinstance(block, Heading):
            caption = f"{document.title}: {block.text}"
        elif isinstance(block, Rows):
            parts.append(_latex_table(block, caption))
        elif isinstance(block, str):
            parts.append(f"\\noindent{{\\footnotesize {latex_text(block)}\\par}}\n")
    return "\n".join(parts)


def _latex_table(rows: Rows, caption: str) -> str:
    columns = "".join("r" if numeric else "l" for numeric in rows.numeric)
    headers = [header.replace("\n", " ").strip() for header in rows.headers]
    texts = [[(cell if isinstance(cell, str) else cell.text).replace("\n", " ") for cell in row] for row in rows.rows]
    head, *body = (f"{' & '.join(map(latex_text, cells))} \\\\" for cells in (headers, *texts))
    tabular = "\n".join([f"\\begin{{tabular}}{{{columns}}}", "\\toprule", head, "\\midrule", *body, "\\bottomrule"])
    return (
        f"\\begin{{table}}\n\\centering\n\\caption{{{latex_text(caption)}}}\n\\small\\setlength{{\\tabcolsep}}{{4pt}}\n"
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
        f"{tabular}\n\\end{{tabular}}}}\n\\end{{table}}\n"
    )


LATEX = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **dict(
        zip(
            "±×·†‡≈∞−<>γαβδεµΣ≤≥→",
            (
                r"\pm",
                r"\times",
                r"\cdot",
                r"\dagger",
                r"\ddagger",
                r"\approx",
                r"\infty",
                "-",
                "<",
                ">",
                r"\gamma",
                r"\alpha",
                r"\beta",
                r"\delta",
                r"\varepsilon",
                r"\mu",
                r"\Sigma",
                r"\le",
                r"\ge",
                r"\to",
            ),
            strict=True,
        )
    ),
    "–": "--",
    "“": "``",
    "”": "''",
    "’": "'",
}
"""LaTeX for characters; other characters outside ASCII need an engine for Unicode."""

MATH = re.compile("[±×·†‡≈∞−<>γαβδεµΣ≤≥→]")


def latex_text(text: str) -> str:
    """Return text for LaTeX. Numbers of this package have a space around ±, which is that of the operator."""
    spaced = re.sub(r"\s*±\s*", "±", printable(text))
    plain = spaced.replace("--", "-\0-")  # LaTeX would draw two hyphens as a dash
    return "".join(f"${LATEX[each]}$" if MATH.match(each) else LATEX.get(each, each) for each in plain).replace(
        "\0", "{}"
    )


WRITERS: Mapping[ReportFormat, Callable[[Document], RenderableType]] = {
    ReportFormat.TABLE: terminal,
    ReportFormat.MD: markdown,
    ReportFormat.LATEX: latex,
    ReportFormat.HTML: page,
}
"""Formats for people; the other formats contain the frame."""


def present(document: Document, frame: pl.DataFrame, format: ReportFormat | str, output: Path | None) -> None:
    """Write a document, or its frame if the format is for programs, to a file or to the terminal."""
    wanted = ReportFormat(format)
    cells = (cell for block in document.blocks if isinstance(block, Rows) for row in block.rows for cell in row)
    if any(isinstance(cell, str) and FLAG in cell for cell in cells):
        document = replace(document, blocks=[*document.blocks, FLAG_NOTE])
    if wanted in WRITERS:
        put(WRITERS[wanted](document), output)
    else:
        show(frame, document.title, Format(wanted), output)


NARROW = 3
"""Maximum number of columns of a table that fits a phone."""

HEADER_WIDTH = 18
"""Maximum width of the headers of numeric columns on a terminal, which leaves room for the text columns."""


def _table(rows: Rows) -> FittingTable:
    headers = [
        textwrap.fill(header, HEADER_WIDTH) if numeric and "\n" not in header else header
        for header, numeric in zip(rows.headers, rows.numeric, strict=True)
    ]
    texts = [[cell if isinstance(cell, str) else cell.text for cell in row] for row in rows.rows]
    return FittingTable(headers, rows.numeric, [*texts])


def _html_table(rows: Rows) -> str:
    headers = [html.escape(_one_line(header), quote=True) for header in rows.headers]
    classes = [" ".join(["number"] * numeric + ["lead"] * (at == 0)) for at, numeric in enumerate(rows.numeric)]

    def line(cells: Sequence[Cell]) -> str:
        named = zip(classes, headers, cells, strict=True)
        return "".join(f'<td class="{kind}" data-name="{name}">{_html_cell(cell)}</td>' for kind, name, cell in named)

    head = "".join(f'<th class="{kind}">{name}</th>' for kind, name in zip(classes, headers, strict=True))
    body = "\n".join(f"<tr>{line(row)}</tr>" for row in rows.rows)
    wide = ' class="wide"' if len(headers) > NARROW else ""
    return (
        f'<div class="scroll"><table{wide}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'
    )


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
