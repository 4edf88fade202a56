"""Pattern databases on demand: opened where they are kept, built where they are not, for runs and for single trials.

A database that is kept and cannot be used, since it is damaged or of another version, is built anew with a word on the
error stream. One that a user names is never touched: it is what it should be, or an error.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
"""So many depths are searched for before the bar moves."""


class NoSuchLevelError(InputError):
    """An agent wants a level of abstraction that a map does not have."""


class Stopped(KeyboardInterrupt):
    """The building of a database was stopped."""

    def __init__(self, title: str) -> None:
        super().__init__(
            f"interrupted: nothing is kept of {title}, which was being built; the same command begins it anew"
        )


@dataclass(frozen=True)
class Place:
    """A map on which agents need databases."""

    name: str
    grid: _core.Grid
    agents: Sequence[str]
    """Canonical specs."""


def needs(spec: str) -> list[Key]:
    """The databases that an agent needs of every map."""
    return [] if plugins.is_plugin(spec) else [Key(*need) for need in _core.needs(spec)]


def check_sensor(specs: Iterable[str], sensor: str) -> None:
    """Refuse agents with databases where the map is not known from the beginning."""
    if sensor == "all":
        return
    for spec in specs:
        if needs(spec):
            raise InputError(
                f"{spec} needs a pattern database, which is of a map that the agent knows; use the sensor all, not "
                f"{sensor}, or leave this agent out"
            )


def gather(places: Iterable[Place], *, jobs: int, shown: bool) -> list[_core.Database]:
    """The databases that agents need on maps, each opened once; what is not there yet is built."""
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
    # Better now than after hours of building for other maps.
    _check_levels(missing)
    numbers = {(place.grid.fingerprint, key): number for number, (key, place, _) in enumerate(missing, 1)}

    def count(fingerprint: str, key: Key) -> str:
        number = numbers.get((fingerprint, key))
        return "" if number is None or len(numbers) == 1 else f" ({number} of {len(numbers)})"

    return [
        keep(place.grid, key, name=place.name, count=count(fingerprint, key), jobs=jobs, shown=shown)
        for (fingerprint, key), (place, _) in wanted.items()
    ]


def keep(
    grid: _core.Grid, key: Key, *, name: str, jobs: int, shown: bool, count: str = "", again: bool = False
) -> _core.Database:
    """The database of a map from the data folder, where it is built if it is not there, or in any case `again`."""
    path = files.path_of(grid.fingerprint, key)
    if not again and (database := _kept(path, grid, key, speak=True)):
        return database
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with stop_signals() as stop, _turn(path, title(name, key), stop, shown=shown):
            # Whoever had the turn before may have built it.
            if not again and (database := _kept(path, grid, key, speak=False)):
                return database
            _check_room(path, grid, key, name)
            files.note(name, grid)
            build(grid, key, path, title=title(name, key) + count, jobs=jobs, shown=shown, stop=stop)
    return open_(path, grid)


def write(grid: _core.Grid, key: Key, path: Path, *, name: str, jobs: int, shown: bool) -> _core.Database:
    """Build the database of a map into a file that the user names."""
    try:
        for leftover in files.abandoned(path):
            leftover.unlink(missing_ok=True)
        _check_room(path, grid, key, name)
        with stop_signals() as stop:
            build(grid, key, path, title=title(name, key), jobs=jobs, shown=shown, stop=stop)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({reason(error)}); make room or give permission there, or name another file"
        ) from error
    return open_(path, grid)


def build(grid: _core.Grid, key: Key, path: Path, *, title: str, jobs: int, shown: bool, stop: Stop) -> None:
    """Build a database into a file, which is whole or absent, however this ends."""
    building = _core.DatabaseBuild(grid, str(path), kind=key.kind, base=key.base, level=key.level, jobs=jobs)
    try:
        with Bar(title, building.total, shown=shown) as bar:
            while not building.wait(WAIT_SECONDS):
                bar.update(building.finished)
                if stop.asked:
                    building.cancel()
    except KeyboardInterrupt:
        building.cancel()
        with suppress(OSError, InputError):
            while not building.wait(WAIT_SECONDS):
                pass
        raise
    if stop.asked:
        raise Stopped(title)


def depths_for(
    grid: _core.Grid, level: int, goal: tuple[int, int], *, name: str, jobs: int, shown: bool
) -> NDArray[np.int32]:
    """The optimal depth of every cell for one goal, -1 where there is no way, as a database of depths would have it.

    A picture needs no more, and all pairs of the cells of a map are too many to search.
    """
    x, y = goal
    single = _core.GoalDepths(grid, level, x, y)
    by_region = np.full(single.total + 1, -1, np.int32)  # the last one is for what lies in no region
    with (
        stop_signals() as stop,
        Bar(f"{name}: depths of level {level} for {x},{y}", single.total, shown=shown) as bar,
    ):
        for first in range(0, single.total, PIECE):
            if stop.asked:
                raise KeyboardInterrupt
            by_region[first : min(first + PIECE, single.total)] = single.depths(first, PIECE, jobs)
            bar.update(first + PIECE)
    depths: NDArray[np.int32] = by_region[single.regions()]
    return depths


def open_(path: Path, grid: _core.Grid) -> _core.Database:
    """Open a database, or tell why it cannot be used on this map."""
    with _reading(path):
        return _core.Database.open(str(path), grid)


def check(path: Path) -> _core.DatabaseFacts:
    """What a database of some map says of itself, after a look at all of it."""
    with _reading(path):
        return _core.Database.check(str(path))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"there is no file {path}; `permove pdb build` makes databases") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({reason(error)}); check its permissions") from error


def title(name: str, key: Key) -> str:
    """A database in a few words."""
    return f"{name}: {key}"


def is_of(database: _core.Database, key: Key) -> bool:
    """Whether a database is this one of its map's."""
    return key == key_of(database)


def key_of(database: _core.Database) -> Key:
    """Which of its map's a database is."""
    facts = database.facts
    return Key(facts.kind, facts.base, facts.level)


def _kept(path: Path, grid: _core.Grid, key: Key, *, speak: bool) -> _core.Database | None:
    """The database that is kept there, if it can be used."""
    if not path.is_file():
        return None
    try:
        database = open_(path, grid)
        if is_of(database, key):
            return database
        why = f"{path} is another database"
    except InputError as error:
        why = str(error).partition(";")[0]
    if speak:
        console(stderr=True).print(f"permove: {why}; it is built anew", soft_wrap=True)
    return None


def _check_levels(missing: Sequence[tuple[Key, Place, str]]) -> None:
    top = cache(lambda grid: _core.Hierarchy(grid).top)
    for key, place, spec in missing:
        if key.level > top(place.grid):
            raise NoSuchLevelError(
                f"{place.name}: level {key.level} of {spec} is above the top of the map's hierarchy, which is "
                f"{top(place.grid)}; use a level up to that"
            )


def _check_room(path: Path, grid: _core.Grid, key: Key, name: str) -> None:
    """Refuse to begin what the disk has no room for: the pairs of cells of a large map take many gigabytes."""
    pairs = _core.Hierarchy(grid).states(key.level) ** 2
    least, free = pairs * (2 if key.kind == files.DEPTHS else 1), shutil.disk_usage(path.parent).free
    if least > free:
        raise InputError(
            f"{title(name, key)}: {pairs:,} pairs take {least / 1e9:,.1f} GB and more, and {path.parent} has room for "
            f"{free / 1e9:,.1f}; use a higher level, or make room"
        )


@contextmanager
def _turn(path: Path, title: str, stop: Stop, *, shown: bool) -> Iterator[None]:
    """The turn to build a database, with a word where that has to be waited for."""
    told = False

    def wait() -> None:
        nonlocal told
        if stop.asked:
            raise Stopped(title)
        if not told and shown:
            console(stderr=True).print(f"Another process builds {title}; waiting for it.", soft_wrap=True)
        told = True

    with files.turn(path, wait):
        yield
