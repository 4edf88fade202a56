"""Tables on terminals of different widths, and completion in the shell."""

import os
from pathlib import Path

import pytest

from permove import _core
from permove.report.fitting import MIN_NAME, FittingTable
from support import invoke, permove, printed, widest

RUN = "run --map rooms-128 --limit 6 -a 'rtaa(k={3,10})' 'rtaa(k=10, ties=diagonal)' 'lrta(d=1)' 'wastar(gamma=0.2)'"
COMMANDS = ["report first", "guide first", "compare first 'rtaa(k=3)' --against all", "report first --view scaling"]
COMMANDS += ["report first --view tradeoff", "report first --view profiles", "guide first --explain 50"]


def test_tables_fit_their_width_and_keep_the_names_of_agents_readable() -> None:
    invoke(f"{RUN} --cutoff 1000 --out first")
    for line in COMMANDS:
        for width in (60, 80, 100):
            shown = invoke(line, COLUMNS=str(width)).stdout
            assert widest(shown) <= width, (line, width)
            assert "…" not in shown
            for name in ("RTAA* (k=3)", "LRTA* (F, G)"):
                assert line.startswith("guide first") or name in shown, (line, width)


def test_columns_without_room_continue_in_another_table_with_the_names() -> None:
    table = FittingTable(["agent", "one", "two"], [False, True, True])
    for number in range(3):
        table.add_row(f"a long name of agent {number}", "1,234,567 ± 89", "7,654,321 ± 98")
    wide, narrow = printed(table, 80), printed(table, 34)
    assert wide.count("agent 1") == 1
    assert wide.count("7,654,321 ± 98") == narrow.count("7,654,321 ± 98") == 3
    assert narrow.count("agent 1") == 2
    assert widest(narrow) <= 34
    assert all(part in narrow for part in ("one", "two"))
    assert min(map(len, ("a long name", "of agent 1"))) <= MIN_NAME


def test_list_of_agents_fits_a_screen() -> None:
    shown = invoke("agents").stdout
    assert len(shown.splitlines()) <= max(24, len(_core.catalogue()) + 1)
    assert all(info.name in shown and info.title in shown for info in _core.catalogue())
    assert widest(shown) <= 80


def completions(*words: str) -> list[str]:
    line = {"_PERMOVE_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(["permove", *words])}
    return permove("", **line, COMP_CWORD=str(len(words))).stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["gui"], "guide"),
        (["run", "emb"], "embedded"),
        (["run", "lev"], "level.png"),
        (["run", "-a", "lrt"], "lrta"),
        (["run", "-a", "astar", "rta"], "rtaa"),
        (["run", "--panel", "real"], "real-time"),
        (["agents", "dstar"], "dstar-lite"),
        (["report", "fi"], "first"),
        (["guide", "runs/"], "runs/second"),
    ],
    ids=" ".join,
)
def test_shell_completes_commands_agents_suites_and_run_folders(words: list[str], expected: str) -> None:
    Path("level.png").touch()
    for folder in ("first", "runs/second"):
        Path(folder).mkdir(parents=True)
        Path(folder, "manifest.json").touch()
    assert expected in completions(*words)
    assert "COMP_WORDS" not in os.environ
