"""The help of every command: one short line first, and examples that work."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from map_formats import write_tmx
from permove.agents.panels import specs_of
from permove.agents.specs import expand_all
from permove.cli import COMMANDS, load
from permove.cli.multi_value_options import repeat_options
from support import invoke

MAX_COLUMNS = 60
ROOT = Path(__file__).parent.parent

FIRST = "run --map rooms-128 caves-128 --limit 8 -a 'lrta(d={1,3})' 'rtaa(k={10,100})' astar --cutoff 1000"
READING = ("agents", "compare", "guide", "maps", "new-agent", "panels", "pdb", "replay", "report", "solve", "suites")
"""Commands whose examples take little time."""


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command and every subcommand, with its name."""
    for name in COMMANDS:
        command = load(name)
        yield name, command
        for sub, each in getattr(command, "commands", {}).items():
            yield f"{name} {sub}", each


ALL = dict(commands())


def examples(name: str) -> list[list[str]]:
    """Return the words of the examples in the help of a command, without `permove`."""
    lines = (ALL[name].epilog or "").splitlines()
    return [shlex.split(line[3:-1])[1:] for line in lines if line.startswith("- `permove ")]


@pytest.mark.parametrize("name", ALL)
def test_help_starts_with_one_short_line(name: str) -> None:
    first = ALL[name].help.split("\n\n")[0]
    assert "\n" not in first
    assert len(first) <= MAX_COLUMNS
    assert first.endswith(".")
    assert COMMANDS.get(name, first) == first


@pytest.mark.parametrize("name", ALL)
def test_examples_use_existing_commands_and_options(name: str) -> None:
    assert examples(name) or hasattr(ALL[name], "commands")
    for words in examples(name):
        sub = " ".join(words[:2])
        key = sub if sub in ALL else words[0]
        # An example of `run` may be a command that follows it; subcommands show only themselves.
        assert key == name or " " not in name
        ALL[key].make_context(key, repeat_options(words)[len(key.split()) :])


@pytest.mark.parametrize("name", ["", *ALL])
def test_help_shows_usage_and_examples_and_flags_have_no_type(name: str) -> None:
    shown = invoke(name, "--help").stdout
    assert f"Usage: permove {name}" in shown
    assert "<bool>" not in shown
    assert name not in ALL or not examples(name) or f"permove {name}" in shown.partition("Examples")[2]


def test_permove_without_arguments_prints_three_commands_that_work() -> None:
    shown = invoke("").stdout
    commands = [shlex.split(line)[1:] for line in shown.splitlines() if line.startswith("  permove ")]
    assert len(commands) == 3
    agents = f"They run {len(expand_all(specs_of(['real-time'])))} agents on 40 problems"
    assert agents in shown
    for words in commands:
        ALL[words[0]].make_context(words[0], repeat_options(words)[1:])
    invoke(FIRST, "--out", "first")
    for words in commands[1:]:
        invoke("", *words)
    assert Path("first.html").is_file()


@pytest.mark.usefixtures("data_home")
def test_examples_of_reading_commands_work() -> None:
    Path("maps").symlink_to(ROOT / "maps")
    write_tmx(Path("game.tmx"))
    invoke(FIRST, "--out", "first")
    invoke(FIRST, "--out", "second", "--seed", 1)
    invoke("run --map rooms-128 --limit 4 -a 'lrts(d={1,2},gamma={0.5,1})' --out sweep")
    found = [words for name in ALL if name.split()[0] in READING for words in examples(name)]
    # Examples that write a file come before those that read it.
    for words in sorted(found, key=lambda words: words[0] not in ("new-agent", "run", "solve")):
        # `maps embedded` would write into the repository; the examples in C and Rust have the same folder.
        if words[:2] != ["maps", "embedded"] and "rust" not in words:
            invoke("", *words, *(["--yes"] if words[:2] == ["pdb", "clear"] else []))
