"""Install a wheel into an empty environment and use it in an empty folder: `python .ci/try_wheel.py WHEEL`.

The commands run without a compiler, and without the sources and settings of this repository. The script needs only the
standard library and works on every system for which there are wheels.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MAX_BASE_MB = 300
"""The limit on the size of the base installation."""

WINDOWS = os.name == "nt"

PYTHON = """
import permove as pm
run = pm.run("embedded", ["rtaa(k=10)"], cutoff=1000, limit=16, out="python", progress=False)
assert run.records.height == 16 and run.guide().frame.height
"""

AGENTS = ["astar", "lrta(d=1)", "rtaa(k={10,100})"]

COMMANDS = (
    ["--version"],
    ["run", "embedded", "--limit", "16", "-a", *AGENTS, "--cutoff", "1000", "--out", "first"],
    ["guide", "first"],
    ["report", "first", "--format", "html", "-o", "first.html"],
    ["compare", "first", "rtaa(k=100)", "--against", "all"],
    ["new-agent", "mine"],
)

PLUGIN = ["run", "embedded", "--limit", "4", "-a", "mine.py:Mine", "lrta(d=1)", "--cutoff", "1000", "--out", "mine"]

EXTRAS = {
    "plots": ["report", "first", "--view", "profiles", "--plot", "profiles.svg"],
    "training": ["train", "embedded", "-o", "tree.json"],
    "dask": ["run", "embedded", "--limit", "1", "-a", "astar", "--engine", "dask", "--out", "cluster"],
}
"""For each extra, a command that needs it."""


def main(wheel: Path) -> None:
    """Install the wheel, and run the commands."""
    with tempfile.TemporaryDirectory(prefix="permove-", ignore_cleanup_errors=True) as folder:
        scripts = installed(wheel, Path(folder) / "environment")
        room = Path(folder) / "room"
        room.mkdir()
        environment = {"PATH": str(scripts), "PERMOVE_DATA": str(room / "data"), "PYTHONUTF8": "1"}
        if WINDOWS:
            environment |= {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "USERPROFILE")}

        def run(*words: str) -> "subprocess.CompletedProcess[str]":
            command = [str(scripts / words[0]), *words[1:]]
            return subprocess.run(command, cwd=room, env=environment, capture_output=True, text=True, encoding="utf-8")

        for command in COMMANDS:
            result = run("permove", *command)
            assert result.returncode == 0, f"{command} failed:\n{result.stderr}"
            assert result.stdout or "-o" in command, f"{command} printed nothing"
        result = run("permove", *PLUGIN)
        assert result.returncode == (2 if WINDOWS else 0), result.stderr
        assert "Mine" in result.stdout or "forked" in result.stderr
        assert "best agent" in run("permove", "guide", "first").stdout
        assert (room / "first.html").read_bytes().startswith(b"<!doctype html>")
        result = run("python", "-c", PYTHON)
        assert result.returncode == 0, result.stderr
        for extra, command in EXTRAS.items():
            result = run("permove", *command)
            named = result.returncode == 2 and f"permove[{extra}]" in result.stderr
            assert named, f"{command} does not name the extra {extra}:\n{result.stderr}"
    print("The wheel works without a compiler, sources or extras.")


def installed(wheel: Path, environment: Path) -> Path:
    """Install the wheel into a new environment, print the sizes, and return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip = [sys.executable, "-m", "pip", "--python", environment, "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--only-binary", ":all:", wheel.resolve()], check=True)
    size = sum(path.stat().st_size for path in environment.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB; installed with all dependencies: {size:.0f} MB")
    assert size < MAX_BASE_MB, f"the base installation takes {size:.0f} MB, over {MAX_BASE_MB}"
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("permove/embedded/maps/") for name in names), "the wheel lacks the embedded suite"
    return environment / ("Scripts" if WINDOWS else "bin")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
