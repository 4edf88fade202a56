"""Files of pattern databases: `databases` in the data folder, with one folder per map, named by its fingerprint.

    databases/FINGERPRINT/map.json              name and size of the map when its first database was built
    databases/FINGERPRINT/subgoals-0-3.pdb      the database of subgoals of level 3 for agents on level 0, with
                                                the abstraction `free` and the path `diagonal`
    databases/FINGERPRINT/subgoals-0-3-aligned-cardinal.pdb  the same with another abstraction and another path
    databases/FINGERPRINT/.subgoals-0-3.lock    held by the process that builds it

The fingerprint is a hash of the free cells and the diagonal rule, so a changed map gets new databases and a copy of a
map shares them. A database gets its name when it is complete. The kernel releases the lock when its process ends.
Partial files that exist when a process acquires the lock are therefore left over from builds that were killed.
"""

import glob
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from permove._core import Grid
from permove.common.files import write_atomic
from permove.common.system import is_alive, lock
from permove.data.folder import data_folder

SUFFIX, PART = ".pdb", ".part"
ABOUT = "map.json"

SUBGOALS, DEPTHS = "subgoals", "depths"
"""Kinds of databases, by their entry for each pair of regions: intermediate goal and depth, or only the depth."""

ALIGNED, FREE, DIAGONAL = "aligned", "free", "diagonal"
"""The abstraction and the first moves of paths in databases of earlier versions, whose names state neither."""

POLL_SECONDS = 0.1


@dataclass(frozen=True, order=True)
class Key:
    """Identity of a database of a map: its kind, the level on which agents plan, and the level of its regions.

    Also the abstraction, and the moves that the paths of subgoals take first. A database of depths has no paths, so it
    always has the first of these rules.
    """

    kind: str
    base: int
    level: int
    abstraction: str = ALIGNED
    path: str = DIAGONAL

    def __post_init__(self) -> None:
        if self.kind == DEPTHS:
            object.__setattr__(self, "path", DIAGONAL)

    def __str__(self) -> str:
        agents = f" for agents on level {self.base}" if self.base else ""
        unusual = ", ".join(name for name in (self.abstraction, self.path) if name not in (ALIGNED, DIAGONAL))
        return f"{self.kind} of level {self.level}{agents}{unusual and f' ({unusual})'}"


@dataclass(frozen=True)
class About:
    """Name and properties of a map."""

    map: str
    width: int
    height: int
    diagonal: str
    free_cells: int


def databases_folder() -> Path:
    """Return the folder of all databases, which may not exist yet."""
    return data_folder() / "databases"


def path_of(fingerprint: str, key: Key) -> Path:
    """Return the path of a database of a map."""
    variants = [name for name in (key.abstraction, key.path) if name not in (FREE, DIAGONAL)]
    name = "-".join(map(str, (key.kind, key.base, key.level, *variants)))
    return databases_folder() / fingerprint / f"{name}{SUFFIX}"


def kept(fingerprint: str | None = None) -> list[Path]:
    """Return all databases of one map or of all maps, sorted by map and level."""

    def place(path: Path) -> tuple[str, int, str]:
        return path.parent.name, len(path.name), path.name

    return sorted(databases_folder().glob(f"{fingerprint or '*'}/[!.]*{SUFFIX}"), key=place)


def write_about(name: str, grid: Grid) -> None:
    """Store the name and properties of a map, unless they are stored already."""
    path = databases_folder() / grid.fingerprint / ABOUT
    if about(grid.fingerprint) is None:
        facts = About(name, grid.width, grid.height, grid.diagonal, grid.free_cells)
        write_atomic(path, (json.dumps(asdict(facts), ensure_ascii=False) + "\n").encode())


def about(fingerprint: str) -> About | None:
    """Return the stored facts about a map; `None` if they are missing or invalid."""
    try:
        return About(**json.loads((databases_folder() / fingerprint / ABOUT).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def build_lock(path: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Wait for the lock for building a database, and remove partial files of builds that were killed.

    `wait` is called repeatedly while another process holds the lock; it may raise.
    """
    held = os.open(path.with_name(f".{path.stem}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        # On a file system without locks, two processes may do the same work, which is harmless.
        while not lock(held):
            wait()
            time.sleep(POLL_SECONDS)
        for leftover in _leftovers(path):
            leftover.unlink(missing_ok=True)
        yield
    finally:
        os.close(held)


def abandoned(path: Path | None = None) -> list[Path]:
    """Return the partial files that killed processes left of one database, or of all in the data folder.

    The process id in the file name identifies them, since not all file systems have locks.
    """
    parts = databases_folder().glob(f"*/*{PART}") if path is None else _leftovers(path)
    numbers = ((part, part.name.removesuffix(PART).rpartition(".")[2]) for part in parts)
    return [part for part, number in numbers if number.isdecimal() and not is_alive(int(number))]


def remove(path: Path) -> None:
    """Remove a database or a partial file, and its folder if it has no other database."""
    path.unlink(missing_ok=True)
    if any(path.parent.glob(f"*{SUFFIX}*")):
        return  # another database, complete or being built
    for rest in (*path.parent.glob(".*.lock"), path.parent / ABOUT):
        rest.unlink(missing_ok=True)
    with suppress(OSError):  # the folder may contain files of the user
        path.parent.rmdir()


def _leftovers(path: Path) -> Iterator[Path]:
    """Return the partial files of a database, of this process or of others."""
    return path.parent.glob(f"{glob.escape(path.name)}.*{PART}")
