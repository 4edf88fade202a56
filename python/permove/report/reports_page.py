"""The page of saved reports: what was reproduced per paper, and then the reports with their plots."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from permove.report.document import html_figure
from permove.report.page import page

MAX_EMBEDDED = 2**16
"""The maximum number of characters of a plot on the page; larger plots are links."""

INTRODUCTION = (
    "permove repeats the measurements of these papers and compares its values with the published ones. A report is a "
    "table, a figure or a list of claims of a paper. It agrees if the statements of the paper about it hold and its "
    "judged values are within tolerance, except for as many as chance explains."
)


@dataclass(frozen=True)
class SavedReport:
    """A report as it was saved."""

    name: str
    about: str
    text: str
    """In Markdown."""
    picture: str
    """Its plot as SVG, if it has one."""
    passed: bool | None
    verdict: str


@dataclass(frozen=True)
class SavedPaper:
    """The reports of a paper, with the texts about reproduced and other results."""

    key: str
    title: str
    measured: str
    words: Mapping[str, str]
    reports: Sequence[SavedReport]


def reports_page(title: str, papers: Sequence[SavedPaper]) -> str:
    """Return a page of papers, with a card for each, followed by the reports."""
    cards = "\n".join(map(_card, papers))
    parts = [f'<main><h1>{html.escape(title)}</h1><p>{html.escape(INTRODUCTION)}</p><div class="papers">{cards}</div>']
    numbers = count()
    for paper in papers:
        shown = [_rendered(each, next(numbers)) for each in paper.reports]
        name = html.escape(paper.key)
        about = f"<h2>{html.escape(paper.title)}</h2><p class='soft'>{html.escape(paper.measured)}</p>"
        text = about + "\n".join(shown)
        parts.append(f'<section class="card" id="{name}" data-name="{name}">{text}</section>')
    return page("document", title, {}, kind="reports", body="\n".join([*parts, "</main>"]))


def _card(paper: SavedPaper) -> str:
    """Return what was reproduced of a paper and what was not, in a few sentences."""
    judged = [each for each in paper.reports if each.passed is not None]
    agreed = sum(bool(each.passed) for each in judged)
    noun = f"report{'s' * (len(judged) > 1)} agree{'s' * (agreed == 1)}"
    texts = [
        f"<h2>{html.escape(paper.title)}</h2>",
        f'<div class="meter"><i style="width:{100 * agreed / max(len(judged), 1):.0f}%"></i></div>',
        f"<p><strong>{agreed} of {len(judged)} {noun} with the paper.</strong></p>",
    ]
    texts += [f"<p><strong>{name}:</strong> {html.escape(text)}</p>" for name, text in paper.words.items() if text]
    reading = "Read the report" if len(paper.reports) == 1 else f"Read the {len(paper.reports)} reports"
    texts.append(f'<p><a href="#{html.escape(paper.key)}">{reading}</a></p>')
    return f'<section class="card">{"".join(texts)}</section>'


def _rendered(report: SavedReport, number: int) -> str:
    """Return a report with its plot, below a line that opens it."""
    from markdown_it import MarkdownIt

    is_shown = 0 < len(report.picture) <= MAX_EMBEDDED
    text = re.sub(r"!(\[.*?\]\(.*?\.svg\))", "" if is_shown else r"\1", report.text)
    # Markup in the text is escaped.
    content = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    content = content.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    figure = html_figure(report.picture, report.about, f"r{number}") if is_shown else ""
    kind = "yes" if report.passed else "no"
    badge = "" if report.passed is None else f' <span class="verdict {kind}">{html.escape(report.verdict)}</span>'
    summary = f"<summary>{html.escape(report.name)}: {html.escape(report.about)}{badge}</summary>"
    return f'<details class="report">{summary}{figure}{content}</details>'
