"""The README is true: its commands run, its Python runs, and its table is what the first run prints."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from permove.cli import main
from support import permove

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


COMMANDS = [shlex.split(line) for block in blocks("sh") for line in block.splitlines()]
OF_MOVINGAI = [command for command in COMMANDS if command[1] == "data" or any("movingai" in word for word in command)]
OF_PAPERS = [command for command in COMMANDS if command[1] == "reproduce"]
OF_OURS = [command for command in COMMANDS if command[0] == "permove" and command not in OF_MOVINGAI + OF_PAPERS]
TABLED = [
    command
    for command in OF_OURS
    if (command[1] == "run" and command[-1] in ("first", "learned", "mine")) or command[1:] == ["guide", "first"]
]
"""The commands whose tables the README shows."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that someone who follows the README works in, with the maps where a clone has them."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "maps").symlink_to(ROOT / "maps")
    return folder


def follow(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    program, *arguments = command
    assert program == "permove"
    return permove(*arguments, cwd=folder, **environment)


def but_times(table: str) -> list[str]:
    """A table's lines without their last column, where it is a time."""
    return [re.sub(r"\s+[\d.]+ (ns|µs|ms)$", "", line.rstrip()) for line in table.splitlines() if line.strip()]


def test_it_begins_with_the_two_commands() -> None:
    assert COMMANDS[:2] == [["make", "demo"], ["make", "test"]]


@pytest.mark.parametrize("command", [command for command in COMMANDS if command[0] == "make"], ids=shlex.join)
def test_its_make_targets_exist(command: list[str]) -> None:
    assert re.search(rf"^{command[1]}:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)


def test_its_commands_run_one_after_the_other_and_print_its_table(reader: Path) -> None:
    printed = {}
    for command in OF_OURS:
        result = follow(command, reader)
        assert result.returncode == 0, f"{shlex.join(command)}: {result.stderr}"
        printed[shlex.join(command)] = result.stdout
    tables = blocks("text")
    assert len(tables) == 4
    for table, command in zip(tables, TABLED, strict=True):
        assert but_times(table) == but_times(printed[shlex.join(command)])
    assert (reader / "path.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("program", blocks("python"))
def test_its_python_runs(program: str, reader: Path) -> None:
    result = subprocess.run([sys.executable, "-c", program], cwd=reader, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("command", OF_PAPERS, ids=shlex.join)
def test_its_papers_are_reproduced(
    command: list[str],
    reader: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    # Few mazes or problems, which may well disagree with the paper; whether many agree is no matter of minutes.
    few = ["--mazes", "2"] if len(command) > 2 and "--index" not in command else []
    if any(word.startswith(("graph-abstraction", "dynamic-control")) for word in command):
        monkeypatch.setenv("PERMOVE_DATA", str(request.getfixturevalue("movingai_data")))
        few = ["--problems", "1"]
    if any(word.startswith("per-map-selection") for word in command):
        monkeypatch.setenv("PERMOVE_DATA", str(request.getfixturevalue("movingai_data")))
        few = ["--algorithms", "15", "--problems", "30", "--trials", "2"]
    monkeypatch.chdir(reader)
    assert main([*command[1:], *few]) in ((0, 1) if few else (0,))
    assert "rtaa-2006/table-1" in capsys.readouterr().out or few or "--index" in command
    if "--save" in command:
        assert Path("reports/rtaa-2006/table-1.md").is_file()


def test_its_commands_for_movingai_run_one_after_the_other(movingai_data: Path, reader: Path) -> None:
    # A sample of the sample, since real-time agents walk for minutes on these maps.
    here = {"~/Downloads/movingai": os.environ["PERMOVE_TEST_MOVINGAI"], "2000": "40"}
    for command in OF_MOVINGAI:
        # What the network would bring is there already; how it is fetched is tested elsewhere.
        if "fetch" not in command:
            result = follow([here.get(word, word) for word in command], reader, PERMOVE_DATA=str(movingai_data))
            assert result.returncode == 0, f"{shlex.join(command)}: {result.stderr}"
