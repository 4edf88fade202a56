"""The index of a folder of reports: README.md for readers of the repository, index.html for a browser."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.common.names import natural_order
from permove.papers.item import Paper
from permove.papers.outcome import AGREES
from permove.report.document import Block, Cell, Document, Heading, Link, Rows, markdown
from permove.report.reports_page import SavedPaper, SavedReport, reports_page

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
    return sorted(reports, key=lambda each: (order.index(each.paper.key), natural_order(each.item)))


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
        return Report(paper, name, about, path.with_suffix(".svg").is_file(), passed, counts, content["facts"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a report or is damaged; save it again, or remove it") from error


def write_index(folder: Path, reports: Sequence[Report]) -> list[Path]:
    """Write the files of the index and return their paths."""
    for name, write in FILES.items():
        write_atomic(folder / name, write(folder, reports).encode())
    return [folder / name for name in FILES]


def index_page(folder: Path, reports: Sequence[Report]) -> str:
    """Return the page of some reports: what was reproduced, per paper, and then the reports with their plots."""

    def saved(report: Report) -> SavedReport:
        text, plot = (folder / f"{report.path}{suffix}" for suffix in (".md", ".svg"))
        words = text.read_text() if text.is_file() else f"The text is missing; save {report.path} again."
        picture = plot.read_text() if report.picture else ""
        return SavedReport(report.item, report.about, words, picture, report.passed, AGREES[report.passed])

    papers = []
    for paper, group in groupby(reports, key=lambda each: each.paper):
        some = list(group)
        words = {"Reproduced": paper.reproduced, "Not reproduced": paper.differences}
        papers.append(SavedPaper(paper.key, paper.title, _made(some), words, [saved(each) for each in some]))
    return reports_page("Reproduced papers", papers)


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
        f"judged values agree. {agreed} reports agree, {failed} do not, and the others have nothing to judge.",
        "A report agrees if its statements hold and its judged values are within tolerance, except for as many as "
        "chance explains. Columns count the statements that hold, those about time (not judged), and the published "
        "values or entries of tables that agree. “permove reproduce --index reports” rebuilds this index.",
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
