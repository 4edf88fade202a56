"""The index of a folder of reports: README.md for readers of the repository, index.html for a browser."""

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.papers.item import Paper
from permove.papers.outcome import AGREES
from permove.report.document import Block, Cell, Document, Heading, Link, Rows, html_figure, markdown
from permove.report.page import page

Count = tuple[int, int]
"""How many of some checks agree, and how many there are."""

COUNTS = ("statements", "timed", "figures", "entries")
"""The checks of a report. Statements about time are counted separately from the others."""


@dataclass(frozen=True)
class Report:
    """A saved report and the counts of its checks."""

    paper: Paper
    path: str
    """The path in the folder, without suffix."""
    about: str
    picture: bool
    passed: bool | None
    """Whether everything that is judged agrees; `None` if nothing is judged."""
    counts: Mapping[str, Count]
    facts: Mapping[str, str]

    @property
    def item(self) -> str:
        """The item, after the name of a subfolder if there is one."""
        return self.path.partition("/")[2]

    @property
    def cells(self) -> dict[str, Cell]:
        """The row of the report in the index."""
        revision = re.search(r"revision (\S+?)(?:,|$)", self.facts.get("permove", ""))
        return {
            "item": Link(self.item, f"{self.path}.md"),
            "what": self.about,
            "agrees": AGREES[self.passed],
            **{name: f"{some:,} of {total:,}" if total else "–" for name, (some, total) in self.counts.items()},
            "revision": revision[1] if revision else "–",
            "date": self.facts.get("date", "–"),
            "data": Link("JSON", f"{self.path}.json"),
            "plot": Link("SVG", f"{self.path}.svg") if self.picture else "–",
        }


def summary(folder: Path, papers: Iterable[Paper]) -> list[Report]:
    """Return the reports in a folder, in the order of the papers and of the numbers of their items."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}; `permove reproduce ITEM --save {folder}` creates it")
    known = {paper.key: paper for paper in papers}
    reports = [_report(folder, path, known) for path in sorted(folder.glob("*/**/*.json"))]
    if not reports:
        raise InputError(f"{folder} has no reports; `permove reproduce ITEM --save {folder}` writes one")
    order = [*known, *(each.paper.key for each in reports if each.paper.key not in known)]
    return sorted(reports, key=lambda each: (order.index(each.paper.key), _natural(each.item)))


def _report(folder: Path, path: Path, known: dict[str, Paper]) -> Report:
    name = path.relative_to(folder).with_suffix("").as_posix()
    key = name.partition("/")[0]
    paper = known.get(key, Paper(key, key, ()))
    try:
        content = json.loads(path.read_bytes())
        near, statements = content["tolerance"]["near"], content["statements"]
        judged = [each["difference"] for each in content["figures"] if each["judged"]]
        checks = (
            [each["holds"] for each in statements if not each["timed"]],
            [each["holds"] for each in statements if each["timed"]],
            [difference is not None and abs(difference) <= near for difference in judged],
            [each["agrees"] for each in content["entries"] if each["agrees"] is not None],
        )
        counts = {check: (sum(some), len(some)) for check, some in zip(COUNTS, checks, strict=True)}
        passed = content["passed"] if judged or checks[0] else None
        first, _, rest = content["title"].partition(", ")
        about = rest if rest and first in paper.title else content["title"]
        picture = path.with_suffix(".svg").is_file()
        return Report(paper, name, about, picture, passed, counts, content["facts"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a report or is damaged; save it again, or remove it") from error


def _natural(name: str) -> tuple[object, ...]:
    """A sort key that puts table-9 before table-10, and subfolders last."""
    words = re.findall(r"\d+|\D+", name)
    return (name.count("/"), *(("", int(word)) if word.isdecimal() else (word, 0) for word in words))


def write_index(folder: Path, reports: Sequence[Report]) -> list[Path]:
    """Write the files of the index and return their paths."""
    for name, write in FILES.items():
        write_atomic(folder / name, write(folder, reports).encode())
    return [folder / name for name in FILES]


def index_page(folder: Path, reports: Sequence[Report]) -> str:
    """Return the page of some reports: what was reproduced, per paper, and then the reports with their plots."""
    papers = [list(group) for _, group in groupby(reports, key=lambda each: each.paper.key)]
    numbers = {each.path: number for number, each in enumerate(reports)}
    cards = "\n".join(map(_card, papers))
    parts = [f'<main><h1>Reproduced papers</h1><p>{html.escape(INTRODUCTION)}</p><div class="papers">{cards}</div>']
    for some in papers:
        paper = some[0].paper
        shown = "\n".join(_rendered(folder, each, numbers[each.path]) for each in some)
        name = html.escape(paper.key)
        about = f"<h2>{html.escape(paper.title)}</h2><p class='soft'>{html.escape(_made(some))}</p>"
        parts.append(f'<section class="card" id="{name}" data-name="{name}">{about}{shown}</section>')
    return page("document", "Reproduced papers", {}, kind="reports", body="\n".join([*parts, "</main>"]))


INTRODUCTION = (
    "permove repeats the measurements of these papers and compares its values with the published ones. A report is a "
    "table, a figure or a list of claims of a paper. It agrees if all judged values are within tolerance and all "
    "statements of the paper about it hold; statements about time are counted separately."
)


def _card(reports: Sequence[Report]) -> str:
    """Return what was reproduced of a paper and what was not, in a few sentences."""
    paper, judged = reports[0].paper, [each for each in reports if each.passed is not None]
    agreed = sum(bool(each.passed) for each in judged)
    noun = f"report{'s' * (len(judged) > 1)} agree{'s' * (agreed == 1)}"
    texts = [
        f"<h2>{html.escape(paper.title)}</h2>",
        f'<div class="meter"><i style="width:{100 * agreed / max(len(judged), 1):.0f}%"></i></div>',
        f"<p><strong>{agreed} of {len(judged)} {noun} with the paper.</strong></p>",
    ]
    words = {"Reproduced": paper.reproduced, "Not reproduced": paper.differences}
    texts += [f"<p><strong>{name}:</strong> {html.escape(text)}</p>" for name, text in words.items() if text]
    reading = "Read the report" if len(reports) == 1 else f"Read the {len(reports)} reports"
    texts.append(f'<p><a href="#{html.escape(paper.key)}">{reading}</a></p>')
    return f'<section class="card">{"".join(texts)}</section>'


def _rendered(folder: Path, report: Report, number: int) -> str:
    """Return a report as it was saved, with its plot, below a line that opens it."""
    from markdown_it import MarkdownIt

    path = folder / f"{report.path}.md"
    saved = path.read_text() if path.is_file() else f"The text is missing; save {report.path} again."
    text = re.sub(r"!\[.*?\]\(.*?\.svg\)", "", saved)
    # Markup in the text is escaped.
    content = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    content = content.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    picture = folder / f"{report.path}.svg"
    figure = html_figure(picture.read_text(), report.about, f"r{number}") if report.picture else ""
    verdict = {True: "yes", False: "no", None: ""}[report.passed]
    badge = f' <span class="verdict {verdict}">{AGREES[report.passed]}</span>' if verdict else ""
    summary = f"<summary>{html.escape(report.item)}: {html.escape(report.about)}{badge}</summary>"
    return f'<details class="report">{summary}{figure}{content}</details>'


FILES: Mapping[str, Callable[[Path, Sequence[Report]], str]] = {
    "README.md": lambda _, reports: markdown(index_document(reports)),
    "index.html": index_page,
}
"""The files of an index and their writers."""


def index_document(reports: Sequence[Report]) -> Document:
    """Return the index of some reports."""
    papers = [list(group) for _, group in groupby(reports, key=lambda each: each.paper.key)]
    agreed, failed = (sum(each.passed is so for each in reports) for so in (True, False))
    hold, statements = _total(reports, "statements")
    near, judged = _total(reports, "figures")
    blocks: list[Block] = [
        f"This folder compares published with measured results: {len(reports)} tables, figures and lists of claims "
        f"from {len(papers)} papers. {hold:,} of {statements:,} statements hold, and {near:,} of {judged:,} "
        f"judged values agree. {agreed} reports agree in everything that is judged, {failed} do not.",
        "A report agrees if all judged values are within tolerance and all statements hold. Statements about "
        "time are counted separately and cannot fail a report. The command “permove reproduce --index reports” "
        "rebuilds this index.",
    ]
    for some in papers:
        paper = some[0].paper
        blocks.append(Heading(paper.title))
        blocks += [f"Reproduced: {paper.reproduced}"] if paper.reproduced else []
        blocks += [f"Not reproduced: {paper.differences}"] if paper.differences else []
        blocks += [_agreement(some), _table(some), _made(some)]
    return Document("Reproduced papers", blocks)


def _agreement(reports: Sequence[Report]) -> str:
    """Counts over the reports of a paper. A statement may occur in several reports."""
    judged = [each for each in reports if each.passed is not None]
    disagree = ", ".join(each.item for each in judged if not each.passed)
    rest = f" Reports with disagreements: {disagree}." if disagree else ""
    hold, statements = _total(reports, "statements")
    agreed = sum(bool(each.passed) for each in judged)
    return f"{agreed} of {len(judged)} reports agree; over all reports, {hold} of {statements} statements hold.{rest}"


def _table(reports: Sequence[Report]) -> Rows:
    """The reports of a paper; empty columns are omitted."""
    rows = [each.cells for each in reports]
    headers = [name for name in rows[0] if any(row[name] != "–" for row in rows)]
    numeric = [name in (*COUNTS, "revision", "date") for name in headers]
    return Rows(headers, numeric, [[row[name] for name in headers] for row in rows])


def _made(reports: Sequence[Report]) -> str:
    """The machines of a paper's reports."""
    known = ([each.facts[key] for key in ("processor", "system") if key in each.facts] for each in reports)
    machines = list(dict.fromkeys("; ".join(parts) for parts in known if parts))
    return f"Measured on {' and on '.join(machines)}." if machines else "The reports do not name a machine."


def _total(reports: Iterable[Report], check: str) -> Count:
    agree, total = zip(*(each.counts[check] for each in reports), strict=True)
    return sum(agree), sum(total)
