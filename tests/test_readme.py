"""The README and the pages that it leads to are true: their commands run, and print the tables that they show.

Blocks of `sh` and `python` are run, page by page, each page in a folder of its own. What needs a machine that is not
here stands in blocks of `shell` and `py`, and the page says that it was not tried.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from permove import _core
from permove.cli import main
from permove.papers import items
from support import called, permove

ROOT = Path(__file__).parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in (ROOT / "README.md", *sorted((ROOT / "python" / "permove").rglob("README.md")))
}
SMALL_SAMPLES = {
    "rtaa-2006": ["--mazes", "2"],
    "graph-abstraction-2007": ["--problems", "1"],
    "dynamic-control-2008": ["--problems", "1"],
    "per-map-selection-2016": ["--algorithms", "15", "--problems", "30", "--trials", "2"],
}
"""Options that make an item of a paper take seconds."""

AGENTS = "python/permove/README.md"
"""The page that says what is counted of each agent."""


def blocks(page: str, *languages: str) -> list[tuple[str, str]]:
    """The blocks of a page that are in one of these languages, each with its language."""
    return re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```", PAGES[page], flags=re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[list[str]]:
    return [shlex.split(line) for _, block in blocks(page, "sh") for line in block.splitlines()]


def is_of_movingai(command: list[str]) -> bool:
    return command[1] == "data" or any("movingai" in word for word in command)


def is_of_papers(command: list[str]) -> bool:
    return command[1] == "reproduce"


def is_of_ours(command: list[str]) -> bool:
    return command[0] == "permove" and not is_of_movingai(command) and not is_of_papers(command)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders that someone who follows a page works in, with the maps where a clone has them."""
    found = {}
    for page in PAGES:
        found[page] = tmp_path_factory.mktemp("reader")
        (found[page] / "maps").symlink_to(ROOT / "maps")
    return found


def follow(page: str, command: list[str], folder: Path, **environment: str) -> str:
    program, *arguments = command
    assert program == "permove"
    # The front page is followed as a newcomer does it; one process is enough for the other pages.
    result = (permove if page == "README.md" else called)(*arguments, cwd=folder, **environment)
    assert result.returncode == 0, f"{shlex.join(command)}: {result.stderr}"
    return result.stdout


def but_times(table: str) -> list[str]:
    """A table's lines without their last column, where it is a time."""
    return [re.sub(r"\s+[\d.]+ (ns|µs|ms)$", "", line.rstrip()) for line in table.splitlines() if line.strip()]


def test_readme_starts_with_the_two_commands_and_is_short() -> None:
    assert commands("README.md")[:2] == [["make", "demo"], ["make", "test"]]
    assert len(PAGES["README.md"].splitlines()) <= 150


def test_readme_links_to_every_page_and_every_link_exists() -> None:
    linked = set()
    for page, text in PAGES.items():
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if not target.startswith("https://"):
                path = (ROOT / page).parent / target
                assert path.exists(), f"{page}: {target}"
                if page == "README.md":
                    linked.add(str(path.relative_to(ROOT)))
    assert linked >= PAGES.keys() - {"README.md"}


@pytest.mark.parametrize(
    "command", [command for page in PAGES for command in commands(page) if command[0] == "make"], ids=shlex.join
)
def test_make_targets_exist(command: list[str]) -> None:
    assert re.search(rf"^{command[1]}:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(is_of_ours, commands(page)))])
def test_commands_of_a_page_run_in_order_and_print_its_tables(page: str, folders: dict[str, Path]) -> None:
    printed: list[list[str]] = []
    for language, block in blocks(page, "sh", "text"):
        if language == "text":
            # A table is what one of the commands right before it prints.
            assert but_times(block) in printed, f"{page}: nothing prints\n{block}"
        else:
            ours = filter(is_of_ours, map(shlex.split, block.splitlines()))
            printed = [but_times(follow(page, command, folders[page])) for command in ours]
    for picture in folders[page].glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_tables_follow_their_commands() -> None:
    shown = {page: len(blocks(page, "text")) for page in PAGES}
    assert {page: count for page, count in shown.items() if count} == {"README.md": 3, AGENTS: 1}


@pytest.mark.parametrize("program", [program for page in PAGES for _, program in blocks(page, "python")])
def test_python_of_a_page_runs(program: str, tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
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
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    paper = item.partition("/")[0]
    if paper != "rtaa-2006":
        request.getfixturevalue("movingai_home")
    monkeypatch.chdir(folders[page])
    code = main([*command[1:], *SMALL_SAMPLES[paper], "--save", "reports"])
    saved = json.loads(Path(f"reports/{item}.json").read_text())
    assert saved["item"] == item
    # A small sample may well disagree with the paper, and the exit code has to say so.
    assert code == (0 if saved["passed"] else 1)
    assert saved["title"] in " ".join(capsys.readouterr().out.split())
    assert saved["title"] in Path(f"reports/{item}.md").read_text()


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(is_of_papers, commands(page)))])
def test_papers_are_listed_and_saved_reports_are_indexed(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(ROOT / "reports", "reports", ignore=lambda *_: {"README.md", "index.html"})
    for command in filter(is_of_papers, commands(page)):
        if not items().keys() & set(command):
            assert main(command[1:]) == 0
            listed = set(re.findall(r"[\w-]+", capsys.readouterr().out))
            if "--index" in command:
                assert Path("reports/README.md").read_text() == (ROOT / "reports" / "README.md").read_text()
            else:
                assert {word for item in items() for word in item.split("/")} <= listed


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(is_of_movingai, commands(page)))])
def test_movingai_commands_run_in_order(
    page: str, movingai_data: Path, movingai_zips: Path, folders: dict[str, Path]
) -> None:
    # A sample of the sample, since real-time agents walk for minutes on these maps.
    here = {"~/Downloads/movingai": str(movingai_zips), "2000": "40"}
    for command in filter(is_of_movingai, commands(page)):
        # What the network would bring is there already; how it is fetched is tested elsewhere.
        if "fetch" not in command:
            words = [here.get(word, word) for word in command]
            follow(page, words, folders[page], PERMOVE_DATA=str(movingai_data))


def with_table_of_counts(page: str) -> str:
    """Return a page whose table of what is counted is that of the catalogue."""
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
