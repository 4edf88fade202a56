"""Pattern databases on demand: opened if they exist, otherwise built, for runs and for single trials.

A damaged or outdated database in the data folder is rebuilt with a warning. A file that the user specified is never
rebuilt: if it cannot be used, that is an error.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from permove import _core, plugins
from permove.common.errors import InputError, reason
from permove.common.signals import Stop, stop_signals
from permove.common.terminal import Bar, console
from permove.data.folder import writing
from permove.pdb import files
from permove.pdb.files import Key

WAIT_SECONDS = 0.1

PIECE = 256
"""The number of depths computed between two updates of the progress bar."""


class NoSuchLevelError(InputError):
    """An agent needs a level of abstraction that a map does not have."""


class Stopped(KeyboardInterrupt):
    """The building of a database was stopped."""

    def __init__(self, title: str) -> None:
        super().__init__(f"interrupted while building {title}; run the same command again to restart the build")


@dataclass(frozen=True)
class Place:
    """A map on which agents need databases."""

    name: str
    grid: _core.Grid
    agents: Sequence[str]
    """Canonical specs."""


def needs(spec: str) -> list[Key]:
    """Return the databases that an agent needs for every map."""
    return [] if plugins.is_plugin(spec) else [Key(*need) for need in _core.needs(spec)]


def check_sensor(specs: Iterable[str], sensor: str) -> None:
    """Raise an error if an agent needs a database but does not know the map from the start."""
    if sensor == "all":
        return
    for spec in specs:
        if needs(spec):
            raise InputError(
                f"{spec} needs a pattern database and therefore a known map; use the sensor all instead of {sensor}, "
                "or omit this agent"
            )


def gather(places: Iterable[Place], *, jobs: int, shown: bool) -> list[_core.Database]:
    """Return the databases that agents need on maps, each opened once. Missing databases are built."""
    keys_of = cache(needs)
    wanted: dict[tuple[str, Key], tuple[Place, str]] = {}
    for place in places:
        for spec in place.agents:
            for key in keys_of(spec):
                wanted.setdefault((place.grid.fingerprint, key), (place, spec))
    missing = [
        (key, place, spec)
        for (fingerprint, key), (place, spec) in wanted.items()
        if not files.path_of(fingerprint, key).is_file()
    ]
    # Check this before hours of building for other maps.
    _check_levels(missing)
    numbers = {(place.grid.fingerprint, key): number for number, (key, place, _) in enumerate(missing, 1)}

    def count(fingerprint: str, key: Key) -> str:
        number = numbers.get((fingerprint, key))
        return "" if number is None or len(numbers) == 1 else f" ({number} of {len(numbers)})"

    return [
        open_or_build(place.grid, key, name=place.name, count=count(fingerprint, key), jobs=jobs, shown=shown)
        for (fingerprint, key), (place, _) in wanted.items()
    ]


def open_or_build(
    grid: _core.Grid, key: Key, *, name: str, jobs: int, shown: bool, count: str = "", again: bool = False
) -> _core.Database:
    """Return the database of a map from the data folder. It is built if it is missing, or if `again` is set."""
    path = files.path_of(grid.fingerprint, key)
    if not again and (database := _open_existing(path, grid, key, warn=True)):
        return database
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with stop_signals() as stop, _build_lock(path, title(name, key), stop, shown=shown):
            # The process that held the lock before may have built it.
            if not again and (database := _open_existing(path, grid, key, warn=False)):
                return database
            _check_disk_space(path, grid, key, name)
            files.write_about(name, grid)
            build(grid, key, path, title=title(name, key) + count, jobs=jobs, shown=shown, stop=stop)
    return open_(path, grid)


def write(grid: _core.Grid, key: Key, path: Path, *, name: str, jobs: int, shown: bool) -> _core.Database:
    """Build the database of a map into a file that the user specified."""
    try:
        for leftover in files.abandoned(path):
            leftover.unlink(missing_ok=True)
        _check_disk_space(path, grid, key, name)
        with stop_signals() as stop:
            build(grid, key, path, title=title(name, key), jobs=jobs, shown=shown, stop=stop)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({reason(error)}); free disk space, fix the permissions, or specify another file"
        ) from error
    return open_(path, grid)


def build(grid: _core.Grid, key: Key, path: Path, *, title: str, jobs: int, shown: bool, stop: Stop) -> None:
    """Build a database into a file. On failure or interruption no file is left."""
    building = _core.DatabaseBuild(grid, str(path), astuple(key), jobs)
    try:
        with Bar(title, building.total, shown=shown) as bar:
            while not building.wait(WAIT_SECONDS):
                bar.update(building.finished)
                if stop.requested:
                    building.cancel()
    except KeyboardInterrupt:
        building.cancel()
        with suppress(OSError, InputError):
            while not building.wait(WAIT_SECONDS):
                pass
        raise
    if stop.requested:
        raise Stopped(title)


def depths_for(
    grid: _core.Grid,
    level: int,
    goal: tuple[int, int],
    *,
    name: str,
    jobs: int,
    shown: bool,
    abstraction: str = files.ALIGNED,
) -> NDArray[np.int32]:
    """Return the optimal depth of every cell for one goal, as in a database of depths; -1 if there is no path.

    A picture needs only one goal, and a database of all pairs of cells of a map would be too large.
    """
    x, y = goal
    single = _core.GoalDepths(grid, level, abstraction, x, y)
    by_region = np.full(single.total + 1, -1, np.int32)  # the last one is for cells outside all regions
    with (
        stop_signals() as stop,
        Bar(f"{name}: depths of level {level} for {x},{y}", single.total, shown=shown) as bar,
    ):
        for first in range(0, single.total, PIECE):
            if stop.requested:
                raise KeyboardInterrupt
            by_region[first : min(first + PIECE, single.total)] = single.depths(first, PIECE, jobs)
            bar.update(first + PIECE)
    depths: NDArray[np.int32] = by_region[single.regions()]
    return depths


def open_(path: Path, grid: _core.Grid) -> _core.Database:
    """Open a database, or raise an error if it cannot be used on this map."""
    with _reading(path):
        return _core.Database.open(str(path), grid)


def check(path: Path) -> _core.DatabaseFacts:
    """Verify a complete database and return its facts."""
    with _reading(path):
        return _core.Database.check(str(path))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"the file {path} does not exist; `permove pdb build` creates databases") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({reason(error)}); check its permissions") from error


def title(name: str, key: Key) -> str:
    """Return a short description of a database."""
    return f"{name}: {key}"


def has_key(database: _core.Database, key: Key) -> bool:
    """Return whether a database has this key."""
    return key == key_of(database)


def key_of(database: _core.Database) -> Key:
    """Return the key of a database."""
    facts = database.facts
    return Key(facts.kind, facts.base, facts.level, facts.abstraction, facts.path)


def _open_existing(path: Path, grid: _core.Grid, key: Key, *, warn: bool) -> _core.Database | None:
    """Open an existing database; return `None` if it is missing or cannot be used."""
    if not path.is_file():
        return None
    problem = "is damaged, or not the database of this map, level and version of permove"
    try:
        database = _core.Database.open(str(path), grid)
        if has_key(database, key):
            return database
    except OSError as error:
        problem = f"cannot be read ({reason(error)})"
    except InputError:
        pass  # the file exists, but is not the database
    if warn:
        console(stderr=True).print(f"permove: {path} {problem}; rebuilding it", soft_wrap=True)
    return None


def _check_levels(missing: Sequence[tuple[Key, Place, str]]) -> None:
    top_of = cache(lambda grid, abstraction: _core.Hierarchy(grid, abstraction).top)
    for key, place, spec in missing:
        if key.level > (top := top_of(place.grid, key.abstraction)):
            raise NoSuchLevelError(
                f"{place.name}: {spec} needs level {key.level}, but the highest level of the map is "
                f"{top}; use a lower level"
            )


def _check_disk_space(path: Path, grid: _core.Grid, key: Key, name: str) -> None:
    """Raise an error if the disk is too full: all pairs of cells of a large map take many gigabytes."""
    pairs = _core.Hierarchy(grid, key.abstraction).states(key.level) ** 2
    required, free = pairs * (2 if key.kind == files.DEPTHS else 1), shutil.disk_usage(path.parent).free
    if required > free:
        raise InputError(
            f"{title(name, key)}: {pairs:,} pairs need at least {required / 1e9:,.1f} GB, but {path.parent} has only "
            f"{free / 1e9:,.1f} GB free; use a higher level, or free disk space"
        )


@contextmanager
def _build_lock(path: Path, title: str, stop: Stop, *, shown: bool) -> Iterator[None]:
    """Hold the lock for building a database. Waiting for another process is announced once."""
    announced = False

    def wait() -> None:
        nonlocal announced
        if stop.requested:
            raise Stopped(title)
        if not announced and shown:
            console(stderr=True).print(f"Another process is building {title}; waiting for it.", soft_wrap=True)
        announced = True

    with files.build_lock(path, wait):
        yield
