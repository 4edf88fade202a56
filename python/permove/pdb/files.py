"""Where pattern databases are kept: `databases` in the data folder, with a folder for each map, named by its cells.

    databases/FINGERPRINT/map.json              how the map was called when its first database was built, and its size
    databases/FINGERPRINT/subgoals-0-3.pdb      the database of subgoals of level 3 for agents on level 0
    databases/FINGERPRINT/.subgoals-0-3.lock    held by the process that builds it

The fingerprint is of free cells and diagonal rule, so a map that changes has other databases, and a copy of it has the
same. A database appears under its name when it is whole. The lock is the kernel's: it falls with the process that held
it, so whoever gets it knows that what lies half written beside it is left over from a build that was killed.
"""

import fcntl
import glob
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from permove._core import Grid
from permove.common.files import write_whole
from permove.data.folder import data_folder

SUFFIX, PART = ".pdb", ".part"
ABOUT = "map.json"

SUBGOALS, DEPTHS = "subgoals", "depths"
"""What a database stores for each pair of regions: the intermediate goal and the depth for it, or the depth alone."""

POLL_SECONDS = 0.1


@dataclass(frozen=True, order=True)
class Key:
    """Which database of a map: what it stores, the level that agents plan on, and the level of its regions."""

    kind: str
    base: int
    level: int

    def __str__(self) -> str:
        agents = f" for agents on level {self.base}" if self.base else ""
        return f"{self.kind} of level {self.level}{agents}"


@dataclass(frozen=True)
class About:
    """How a map is called, and what it is like."""

    map: str
    width: int
    height: int
    diagonal: str
    free_cells: int


def databases_folder() -> Path:
    """The folder of all databases; it need not exist yet."""
    return data_folder() / "databases"


def path_of(fingerprint: str, key: Key) -> Path:
    """Where a database of a map belongs."""
    return databases_folder() / fingerprint / f"{key.kind}-{key.base}-{key.level}{SUFFIX}"


def kept(fingerprint: str | None = None) -> list[Path]:
    """Every database that is kept, of one map or of all, map by map from the lower levels to the higher."""

    def place(path: Path) -> tuple[str, int, str]:
        return path.parent.name, len(path.name), path.name

    return sorted(databases_folder().glob(f"{fingerprint or '*'}/[!.]*{SUFFIX}"), key=place)


def note(name: str, grid: Grid) -> None:
    """Write down how a map is called, where that is not known yet."""
    path = databases_folder() / grid.fingerprint / ABOUT
    if about(grid.fingerprint) is None:
        facts = About(name, grid.width, grid.height, grid.diagonal, grid.free_cells)
        write_whole(path, (json.dumps(asdict(facts), ensure_ascii=False) + "\n").encode())


def about(fingerprint: str) -> About | None:
    """What was written down about a map; nothing where that is not there or makes no sense."""
    try:
        return About(**json.loads((databases_folder() / fingerprint / ABOUT).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def turn(path: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Be the only process that builds this database, once others are done, and clear away what killed ones left.

    `wait` is called again and again as long as another process has its turn; it may raise.
    """
    lock = os.open(path.with_name(f".{path.stem}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        while not _locked(lock):
            wait()
            time.sleep(POLL_SECONDS)
        for leftover in _leftovers(path):
            leftover.unlink(missing_ok=True)
        yield
    finally:
        os.close(lock)


def abandoned(path: Path | None = None) -> list[Path]:
    """What killed processes have left half written of a database, or of all in the data folder.

    Told by the number of the process that each belongs to, for places without locks.
    """
    parts = databases_folder().glob(f"*/*{PART}") if path is None else _leftovers(path)
    numbers = ((part, part.name.removesuffix(PART).rpartition(".")[2]) for part in parts)
    return [part for part, number in numbers if number.isdecimal() and not _is_alive(int(number))]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def remove(path: Path) -> None:
    """Remove a database, or what is left of one, and its folder where it was the last one in there."""
    path.unlink(missing_ok=True)
    if any(path.parent.glob(f"*{SUFFIX}*")):
        return  # another one, or one on its way
    for rest in (*path.parent.glob(".*.lock"), path.parent / ABOUT):
        rest.unlink(missing_ok=True)
    with suppress(OSError):  # someone may have put something else there
        path.parent.rmdir()


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: two processes may then do the same work, which does no harm
        return True
    return True


def _leftovers(path: Path) -> Iterator[Path]:
    """What is half written of a database, by this process or by others."""
    return path.parent.glob(f"{glob.escape(path.name)}.*{PART}")
