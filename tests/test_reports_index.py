"""The index of the reports is up to date and made by one command."""

import json
from pathlib import Path
from typing import Any

import pytest

from permove import papers
from permove.papers.index import FILES, summary
from permove.report.document import Document, markdown
from support import contents, error_of, invoke, rejects

REPORTS = Path(__file__).parent.parent / "reports"


@pytest.mark.parametrize("name", FILES)
def test_index_is_generated_from_the_reports(name: str) -> None:
    expected = FILES[name](REPORTS, summary(REPORTS, papers.PAPERS))
    hint = "the index is out of date; run `permove reproduce --index reports`"
    assert (REPORTS / name).read_text() == expected, hint


def test_index_counts_the_results_of_every_report() -> None:
    reports = summary(REPORTS, papers.PAPERS)
    assert len(reports) == len(list(REPORTS.glob("*/**/*.json")))
    for each in reports:
        summary_of_report = json.loads((REPORTS / f"{each.path}.json").read_text())["summary"]
        assert (REPORTS / f"{each.path}.md").is_file()
        for check, words in (
            ("statements", "statements hold"),
            ("timed", "statements about time hold"),
            ("figures", "judged values"),
            ("entries", "printed entries agree"),
        ):
            some, total = each.counts[check]
            if total > 1:
                count = f"all {total}" if some == total and check == "statements" else f"{some} of {total}"
                assert f"{count} {words}" in summary_of_report
        if each.passed is not None:
            assert ("The results agree:" in summary_of_report) == each.passed


def report(**content: Any) -> str:
    plain = {
        "title": "Some Paper, Table 1: <b>figures</b>",
        "passed": True,
        "facts": {"permove": "0.1.0, revision abc123, core 1", "processor": "fast", "date": "2026-01-02"},
        "tolerance": {"near": 2.0},
        "figures": [{"judged": True, "difference": 1.0}, {"judged": True, "difference": None}, {"judged": False}],
        "entries": [],
        "statements": [
            {"holds": True, "timed": False},
            {"holds": False, "timed": True},
        ],
    }
    return json.dumps(plain | content)


def test_reproduce_writes_the_index_with_machine_and_revision() -> None:
    Path("reports/paper").mkdir(parents=True)
    for name in ("table-10", "table-9"):
        Path(f"reports/paper/{name}.json").write_text(report())
    assert "Written" in invoke("reproduce --index reports").stderr
    text = Path("reports/README.md").read_text()
    assert text.index("table-9") < text.index("table-10")
    assert "| yes | 1 of 1 | 0 of 1 | 1 of 2 | abc123 | 2026-01-02 |" in text
    assert "Measured on fast." in text
    page = Path("reports/index.html").read_text()
    assert page.index("<summary>table-9: ") < page.index("<summary>table-10: ")
    assert "<b>" not in page
    before = contents(Path())
    invoke("reproduce --index reports")
    assert contents(Path()) == before


def test_index_of_missing_or_damaged_reports_is_rejected() -> None:
    with rejects("there is no folder"):
        summary(Path("none"), papers.PAPERS)
    with rejects("has no reports"):
        summary(Path(), papers.PAPERS)
    Path("paper").mkdir()
    Path("paper/table-1.json").write_text('{"title": "cut of')
    with rejects("table-1.json is not a report or is damaged"):
        summary(Path(), papers.PAPERS)


def test_index_and_item_exclude_each_other() -> None:
    assert "omit rtaa-2006/table-1" in error_of("reproduce rtaa-2006/table-1 --index reports")


def test_every_report_starts_with_the_summary_of_its_json() -> None:
    for path in REPORTS.glob("*/**/*.json"):
        content = json.loads(path.read_text())
        lines = path.with_suffix(".md").read_text().splitlines()
        assert lines[2] == markdown(Document("", [content["summary"]])).splitlines()[2]
        assert "permove" in content["summary"]
        agrees = "The results agree only in part" not in lines[2] and "The results disagree" not in lines[2]
        assert agrees == content["passed"]


def test_index_describes_each_paper_before_its_items() -> None:
    text = (REPORTS / "README.md").read_text()
    for paper in papers.PAPERS:
        assert paper.reproduced
        assert paper.differences
    assert text.count("\nReproduced: ") == text.count("\nNot reproduced: ") == len(papers.PAPERS)
