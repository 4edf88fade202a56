"""Completion of agents, suites and run folders in the shell; `permove --install-completion` enables it."""

import os
from collections.abc import Iterable
from pathlib import Path

MAX_FOLDERS = 200
"""Maximum number of run folders that are offered."""


def agents(incomplete: str) -> list[str]:
    """Return the agents with a prefix."""
    from permove import _core

    return _starting([info.name for info in _core.catalogue()], incomplete)


def panels(incomplete: str) -> list[str]:
    """Return the panels with a prefix."""
    from permove.agents.panels import PANELS

    return _starting(PANELS, incomplete)


def suites(incomplete: str) -> list[str]:
    """Return the suites with a prefix, or agents and panels if the last option takes several of them."""
    option = next((word for word in reversed(_words()) if word.startswith("-")), "")
    if option in ("-a", "--agent"):
        return agents(incomplete)
    if option == "--panel":
        return panels(incomplete)
    from permove.data import movingai
    from permove.data.catalogue import ALL, EMBEDDED, MOVINGAI

    names = [EMBEDDED, ALL, *(f"{MOVINGAI}{index.name}" for index in movingai.imported())]
    return [*_starting(names, incomplete), *_paths(incomplete)]


def runs(incomplete: str) -> list[str]:
    """Return the run folders below the current folder, or below a path, with a prefix."""
    base = Path(incomplete).parent if "/" in incomplete else Path()
    found = {file.parent.as_posix() for pattern in ("*", "*/*") for file in base.glob(f"{pattern}/manifest.json")}
    return _starting(sorted(found), incomplete)[:MAX_FOLDERS]


def _paths(incomplete: str) -> list[str]:
    """Return the folders and files that a suite may be, one level deep."""
    from permove.data.map_formats import is_map

    base = Path(incomplete).parent if "/" in incomplete else Path()
    usable = (
        path for path in sorted(base.glob("*")) if path.is_dir() or is_map(path) or path.suffix in (".scen", ".toml")
    )
    names = (f"{path.as_posix()}/" if path.is_dir() else path.as_posix() for path in usable if path.name[0] != ".")
    return _starting(names, incomplete)


def _words() -> list[str]:
    """Return the words of the command line that is completed, without the last one."""
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or "").split()[:-1]


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
