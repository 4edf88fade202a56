"""The README and the other pages are correct: their commands run and print the tables that the pages show.

Blocks of `sh` and `python` are run in order, each page in its own folder. Blocks of `shell` and `py` need other
machines and are not run; the page says so. Commands before a table run as they are, others on fewer problems.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from permove import _core
from permove.papers import items
from permove.report.document import Document, markdown
from support import TIMEOUT, invoke, permove

ROOT = Path(__file__).parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in (
        ROOT / "README.md",
        *sorted((ROOT / "python" / "permove").rglob("README.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
    )
}
SMALL_SAMPLES = {
    "rtaa-2006": ["--mazes", "2"],
    "graph-abstraction-2007": ["--problems", "1", "--standins", "1"],
    "dynamic-control-2008": ["--problems", "1", "--standins", "1"],
    "per-map-selection-2016": ["--algorithms", "15", "--problems", "30", "--trials", "2"],
}
"""Options with which an item of a paper takes seconds."""

FEW = {"--limit": 10, "--problems": 20, "-p": 60, "--trials": 3}
"""The maximum values of options of commands whose output no page shows."""

AGENTS = "python/permove/README.md"
"""The page that describes what is counted for each agent."""


def pages(names: Iterable[str]) -> list[Any]:
    """Return pages as parameters. The pages of the documentation take too long for every test run."""
    return [pytest.param(name, marks=pytest.mark.slow if name.startswith("docs/") else ()) for name in names]


def blocks(page: str, *languages: str) -> list[tuple[str, str]]:
    """Return the blocks of a page in these languages, each with its language."""
    return re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```", PAGES[page], flags=re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[list[str]]:
    return [shlex.split(line) for _, block in blocks(page, "sh") for line in block.splitlines()]


def is_of_movingai(command: list[str]) -> bool:
    return command[1] == "data" or any("movingai" in word for word in command)


def is_of_paper(command: list[str]) -> bool:
    return command[1] == "reproduce"


def is_embedded(command: list[str]) -> bool:
    return command[0] == "permove" and not is_of_movingai(command) and not is_of_paper(command)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A working folder for each page, with the maps as in a clone."""
    found = {}
    for page in PAGES:
        found[page] = tmp_path_factory.mktemp("reader")
        (found[page] / "maps").symlink_to(ROOT / "maps")
    return found


def reduced(command: list[str]) -> list[str]:
    """Return a command with at most the values of `FEW`."""
    words = list(command)
    for at, (option, value) in enumerate(pairwise(command), 1):
        if option in FEW and value.isdigit():
            words[at] = str(min(int(value), FEW[option]))
    return words


def without_times(table: str) -> list[str]:
    """Return the lines of a table without the times in the last column."""
    return [re.sub(r"\s+[\d.]+ (ns|µs|ms)$", "", line.rstrip()) for line in table.splitlines() if line.strip()]


def test_readme_starts_with_the_two_commands_and_is_short() -> None:
    assert commands("README.md")[:2] == [["make", "demo"], ["make", "test"]]
    assert len(PAGES["README.md"].splitlines()) < 120


def test_readme_links_to_every_page_and_every_link_exists() -> None:
    linked = set()
    # mkdocs checks the links of the documentation.
    for page, text in ((page, text) for page, text in PAGES.items() if not page.startswith("docs/")):
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if not target.startswith("https://"):
                path = (ROOT / page).parent / target
                assert path.exists(), f"{page}: {target}"
                if page == "README.md":
                    linked.add(str(path.relative_to(ROOT)))
    assert linked >= {page for page in PAGES if not page.startswith("docs/")} - {"README.md"}


@pytest.mark.parametrize(
    "command", [command for page in PAGES for command in commands(page) if command[0] == "make"], ids=shlex.join
)
def test_make_targets_exist(command: list[str]) -> None:
    assert re.search(rf"^{command[1]}:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("page", pages(page for page in PAGES if any(map(is_embedded, commands(page)))))
def test_commands_of_a_page_run_in_order_and_print_its_tables(
    page: str, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folders[page])
    tables: list[list[str]] = []
    found = blocks(page, "sh", "text", "python")
    for (language, block), (following, _) in zip(found, [*found[1:], ("", "")], strict=True):
        if language == "python":
            run_program(block)
            continue
        if language == "text":
            assert without_times(block) in tables, f"{page}: no command prints\n{block}"
            continue
        run = filter(is_embedded, map(shlex.split, block.splitlines()))
        tables = [
            without_times(invoke("", *(words if following == "text" else reduced(words))[1:]).stdout) for words in run
        ]
    for picture in folders[page].glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")
    for name in re.findall(r"\]\(\.\./pictures/(\S+)\)", PAGES[page]):
        drawn = (folders[page] / name).read_bytes()
        assert drawn == (ROOT / "docs" / "pictures" / name).read_bytes(), f"{page} draws another {name}; copy it there"


def test_tables_follow_their_commands() -> None:
    shown = {page: len(blocks(page, "text")) for page in PAGES}
    tutorials = {f"docs/tutorials/{name}.md": 1 for name in ("comparison", "guides", "suites")}
    assert {page: count for page, count in shown.items() if count} == {"README.md": 2, AGENTS: 1, **tutorials}


@pytest.mark.parametrize("page", [page for page in PAGES if not any(map(is_embedded, commands(page)))])
def test_python_of_a_page_without_commands_runs(page: str) -> None:
    for _, program in blocks(page, "python"):
        run_program(program)


def run_program(program: str) -> None:
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("page", "item", "command"),
    [(page, item, command) for page in PAGES for command in commands(page) for item in items().keys() & set(command)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_item_of_a_paper_is_measured_printed_and_saved(
    page: str,
    item: str,
    command: list[str],
    folders: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    paper = item.partition("/")[0]
    if paper != "rtaa-2006":
        request.getfixturevalue("movingai_home")
    monkeypatch.chdir(folders[page])
    # A small sample may disagree with the paper; then the exit code is 1.
    result = invoke("", *command[1:], *SMALL_SAMPLES[paper], "--save", "reports", code=None)
    saved = json.loads(Path(f"reports/{item}.json").read_text())
    assert saved["item"] == item
    assert result.returncode == (0 if saved["passed"] else 1)
    assert saved["title"] in " ".join(result.stdout.split())
    assert Path(f"reports/{item}.md").read_text().startswith(markdown(Document(saved["title"], [])).strip())


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(is_of_paper, commands(page)))])
def test_papers_are_listed_and_saved_reports_are_indexed(page: str) -> None:
    shutil.copytree(ROOT / "reports", "reports", ignore=lambda *_: {"README.md", "index.html"})
    for command in filter(is_of_paper, commands(page)):
        if not items().keys() & set(command):
            listed = set(re.findall(r"[\w-]+", invoke("", *command[1:]).stdout))
            if "--index" in command:
                assert Path("reports/README.md").read_text() == (ROOT / "reports" / "README.md").read_text()
            else:
                assert {word for item in items() for word in item.split("/")} <= listed


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(is_of_movingai, commands(page)))])
def test_movingai_commands_run_in_order(
    page: str, movingai_data: Path, movingai_zips: Path, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folders[page])
    for command in filter(is_of_movingai, commands(page)):
        # The sets are already imported, and downloads have their own tests.
        if "fetch" not in command:
            words = [str(movingai_zips) if word == "~/Downloads/movingai" else word for word in reduced(command)]
            result = permove("", *words[1:], PERMOVE_DATA=str(movingai_data))
            assert result.returncode == 0, result.stderr


def with_table_of_counts(page: str) -> str:
    """Return a page with the table of counts from the catalogue."""
    lines = ["| agent | name in papers | counted |", "| --- | --- | --- |"]
    lines += [
        f"| `{info.name}` | {info.title} | {info.counts} |".replace("*", r"\*").replace("_", r"\_")
        for info in _core.catalogue()
    ]
    before, begin, rest = page.partition("<!-- agents: generated -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    assert begin, f"{AGENTS} has no comment `agents: generated`"
    assert end, f"{AGENTS} has no comment `end`"
    return "\n".join([before + begin, *lines, "", end + after])


def test_table_of_counts_is_that_of_the_catalogue() -> None:
    up_to_date = with_table_of_counts(PAGES[AGENTS]) == PAGES[AGENTS]
    assert up_to_date, f"the table in {AGENTS} is out of date; run `.venv/bin/python tests/test_readme.py`"


if __name__ == "__main__":
    (ROOT / AGENTS).write_text(with_table_of_counts(PAGES[AGENTS]))
