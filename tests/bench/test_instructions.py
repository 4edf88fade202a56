"""Instructions of the hot loops, counted by callgrind: unlike times, they do not depend on what else the machine does.

`instructions.json` has the committed counts, and the compiler and the processor architecture that they are of. After a
change that is meant to cost more, or with another compiler, run `.venv/bin/python tests/bench/test_instructions.py`.
"""

import json
import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FILE = Path(__file__).with_name("instructions.json")

ITEMS = ("shortest-path tree", "astar", "lrta(d=5)", "klrta(k=100)", "rtaa(k=100)", "aligned hierarchy, built", "pra")
"""Items of `rust/core/benches/speed.rs` on maps."""

MAX_RATIO = 1.02


def compiler() -> str:
    """Return the version of the compiler and the architecture."""
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return f"{version.strip()}, {platform.machine()}"


@cache
def program() -> str:
    """Build the benchmarks, and return the path of the program."""
    command = [
        "cargo",
        "bench",
        "--locked",
        "-p",
        "permove-core",
        "--bench",
        "speed",
        "--no-run",
        "--message-format=json",
    ]
    lines = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()
    built = (json.loads(line) for line in lines)
    return next(str(each["executable"]) for each in built if each.get("executable"))


@cache
def total(*item: str) -> int:
    """Return the instructions of a run of an item, or of loading the map."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program(), "--once", *item]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found = re.search(r"Collected : (\d+)", result.stderr)
    assert found, result.stderr
    return int(found[1])


def instructions(item: str) -> int:
    return total(item) - total()


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("item", ITEMS)
def test_hot_loop_needs_at_most_two_percent_more_instructions(item: str, capsys: pytest.CaptureFixture[str]) -> None:
    committed = json.loads(FILE.read_text())
    if committed["compiler"] != compiler():
        pytest.skip(f"the committed counts are of {committed['compiler']}, not {compiler()}; count again")
    counted, before = instructions(item), committed["instructions"][item]
    with capsys.disabled():
        print(f"\n{item}: {counted:,} instructions, {counted / before - 1:+.2%}")
    assert counted <= MAX_RATIO * before, f"{item} needs {counted / before - 1:.1%} more instructions than {before:,}"


if __name__ == "__main__":
    content = {"compiler": compiler(), "instructions": {item: instructions(item) for item in ITEMS}}
    FILE.write_text(json.dumps(content, indent=2) + "\n")
