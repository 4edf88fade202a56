"""Collections: map files and scenario files that belong together, on disk or in an archive.

A collection has its files by their paths and finds the map that a line of a scenario file refers to.
`permove.data.problems` determines which problems are solvable and computes their optima.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from permove._core import Grid, Map, Scenarios
from permove.common.errors import InputError
from permove.common.text import is_text
from permove.data.map_formats import MAP as MAP
from permove.data.map_formats import SUFFIXES, is_map, map_text

SCENARIOS = ".scen"


@dataclass(frozen=True)
class File:
    """A file on disk or in an archive: its name in error messages, and a function that reads it."""

    label: str
    read: Callable[[], bytes]

    @staticmethod
    def on_disk(path: Path) -> "File":
        """Return a file of the file system. Maps in other formats are read as map files."""
        if not is_text(str(path)):
            raise InputError(f"the name of {path} is not valid UTF-8; rename the file")
        return File(str(path), partial(_read, path))


def _read(path: Path) -> bytes:
    try:
        return map_text(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the path") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path and its permissions") from error


@dataclass(frozen=True)
class MapSource:
    """A map of a suite: its name, its file, and the size to which the scenarios scale it."""

    name: str
    file: File
    width: int
    height: int
    fingerprint: str | None = None
    """The hash of the cells at the time of the import."""
    whole: bool = True
    """Whether it has all its parts, or only the largest connected one."""

    def grid(self, terrain: str, diagonal: str) -> Grid:
        """Load the map as a search space."""
        letters = Map.parse(self.file.read(), self.file.label)
        if (letters.width, letters.height) != (self.width, self.height):
            letters = letters.scaled(self.width, self.height)
        if not self.whole:
            letters = letters.largest_part(terrain, diagonal)
        grid = letters.grid(terrain, diagonal)
        if self.fingerprint is not None and self.fingerprint != fingerprint(grid):
            raise InputError(f"{self.file.label} was changed after its import; import its collection again")
        return grid


def fingerprint(grid: Grid) -> str:
    """Return a hash of the cells of a grid that does not depend on the diagonal rule."""
    return (grid if grid.diagonal == "strict" else grid.with_diagonal("strict")).fingerprint


@dataclass(frozen=True)
class MapProblems:
    """The problems on one map at one size, in the order of the files. The ordinal of a problem is its index here."""

    map: MapSource
    cells: NDArray[np.uint32]
    """Rows of start x, start y, goal x, goal y."""
    bucket: NDArray[np.uint32]
    stored: NDArray[np.float64]
    """The optimal lengths stated in the files."""
    labels: list[str]
    """The file of each problem."""
    lines: NDArray[np.uint32]

    def place(self, ordinal: int) -> str:
        """Return the file and line of a problem, for error messages."""
        return f"{self.labels[ordinal]}, line {self.lines[ordinal]}"


class Collection:
    """Maps and scenarios by their relative paths with forward slashes."""

    def __init__(self, name: str, files: Mapping[str, File]) -> None:
        self.name = name
        self.maps = {path: files[path] for path in sorted(files) if path.lower().endswith(SUFFIXES)}
        self.scenarios = {path: files[path] for path in sorted(files) if path.lower().endswith(SCENARIOS)}
        self._by_name: dict[str, list[str]] = {}
        for path in self.maps:
            self._by_name.setdefault(PurePosixPath(path).name, []).append(path)
        self._stems = Counter(PurePosixPath(name).stem for name in self._by_name)

    @staticmethod
    def in_folder(
        folder: Path, name: str, parts: Sequence[str] = (".",), formats: Sequence[str] = (MAP,)
    ) -> "Collection":
        """Return all maps and scenarios in a folder and its subfolders, or in some `parts` of it."""
        patterns = [(part, f"*{kind}") for part in parts for kind in (*formats, SCENARIOS)]
        paths = [path for part, pattern in patterns for path in (folder / part).rglob(pattern) if path.is_file()]
        return Collection(name, {path.relative_to(folder).as_posix(): File.on_disk(path) for path in paths})

    @staticmethod
    def of_scenario_file(path: Path) -> "Collection":
        """Return a scenario file with its maps, searched in its folder, in `../maps` and relative to all parents."""
        scenarios, folder = File.on_disk(path), path.absolute().parent
        files, near = {path.name: scenarios}, (folder, folder.parent / "maps")
        for place in near:
            files |= {found.name: File.on_disk(found) for found in place.glob(f"*{MAP}")}
        for wanted in sorted(set(Scenarios.parse(scenarios.read(), scenarios.label).map)):
            places = [above / wanted for above in (folder, *folder.parents)]
            if not wanted.endswith(MAP):
                places += [place / PurePosixPath(wanted).name for place in near]
            if found := next((place for place in places if place.is_file()), None):
                files[wanted] = File.on_disk(found)
        own = Path(path.name.removesuffix(SCENARIOS))
        return Collection(own.stem if is_map(own) else own.name, files)

    def problems(self) -> list[MapProblems]:
        """Return the problems of all scenario files by map, sorted by the names of the maps."""
        parts: dict[tuple[str, int, int], list[_Part]] = {}
        for file in self.scenarios.values():
            for key, part in self._parts(file):
                parts.setdefault(key, []).append(part)
        found = [_join(self._source(*key), pieces) for key, pieces in parts.items()]
        return sorted(found, key=lambda problems: problems.map.name)

    def sources(self) -> list[MapSource]:
        """Return all maps at their original sizes."""
        sizes = {path: _size(file) for path, file in self.maps.items()}
        return [MapSource(self._name(path), self.maps[path], *size) for path, size in sizes.items()]

    def _parts(self, file: File) -> Iterable[tuple[tuple[str, int, int], "_Part"]]:
        scenarios = Scenarios.parse(file.read(), file.label)
        wanted, size = np.array(scenarios.map, dtype=object), scenarios.size
        keys = [(name, int(width), int(height)) for name, (width, height) in zip(wanted, size, strict=True)]
        for key in dict.fromkeys(keys):
            rows = np.flatnonzero((wanted == key[0]) & (size == key[1:]).all(axis=1))
            path = self._find(key[0], f"{file.label}, line {scenarios.line[rows[0]]}")
            yield (path, key[1], key[2]), _Part(file.label, scenarios, rows)

    def _find(self, wanted: str, place: str) -> str:
        """Return the map with the same file name that has the most parent folders in common with a path."""
        parts = PurePosixPath(wanted.replace("\\", "/")).parts
        candidates = self._by_name.get(parts[-1] if parts else "", [])
        if not candidates:
            raise InputError(f"{place}: the map {wanted} is not in {self.name}; add it, or import its archive, too")
        agreement = {path: _common_end(parts, PurePosixPath(path).parts) for path in candidates}
        best = max(agreement.values())
        closest = [path for path in candidates if agreement[path] == best]
        if len(closest) > 1:
            raise InputError(f"{place}: the map {wanted} is ambiguous: {' or '.join(closest)}; keep only one of them")
        return closest[0]

    def _source(self, path: str, width: int, height: int) -> MapSource:
        file, name = self.maps[path], self._name(path)
        scaled = _size(file) != (width, height)
        return MapSource(f"{name}@{width}x{height}" if scaled else name, file, width, height)

    def _name(self, path: str) -> str:
        """Return the name of a map: its file name, or its path if several files have the same name.

        The name has no suffix, unless it is that of a map in another format next to a map with the same name.
        """
        name = PurePosixPath(path).name
        named = name if len(self._by_name[name]) == 1 else path
        same_name = self._stems[PurePosixPath(name).stem] > 1 and not name.endswith(MAP)
        return named if same_name else named[: -len(PurePosixPath(name).suffix)]


@dataclass(frozen=True)
class _Part:
    """The lines of one file that belong to one map."""

    label: str
    scenarios: Scenarios
    rows: NDArray[np.intp]


def _join(source: MapSource, parts: list[_Part]) -> MapProblems:
    return MapProblems(
        map=source,
        cells=np.concatenate([part.scenarios.cells[part.rows] for part in parts]),
        bucket=np.concatenate([part.scenarios.bucket[part.rows] for part in parts]),
        stored=np.concatenate([part.scenarios.length[part.rows] for part in parts]),
        labels=[part.label for part in parts for _ in part.rows],
        lines=np.concatenate([part.scenarios.line[part.rows] for part in parts]),
    )


def _size(file: File) -> tuple[int, int]:
    letters = Map.parse(file.read(), file.label)
    return letters.width, letters.height


def _common_end(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Return the number of trailing parts that two paths have in common."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(a), len(b)))
