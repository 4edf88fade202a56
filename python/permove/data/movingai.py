"""MovingAI's collections: imported once, with optima, into `movingai/SET` of the data folder.

A set's folder has the maps and scenarios as they came, `index.json`, and for each diagonal rule that was used
`problems-RULE.parquet`. Sets are built in a temporary folder beside it and renamed, so that a set is there as it was
before or as it is after an import, never in between.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath

import polars as pl

from permove.common.errors import InputError
from permove.data import archive
from permove.data.collection import MAP, SCENARIOS, Collection, File, MapProblems, MapSource, fingerprint
from permove.data.folder import data_folder, writing
from permove.data.problems import count, disagreements, judge, solve, total
from permove.data.suite import DIAGONAL, DIAGONAL_RULES, TERRAIN

ALL = ("sc1", "wc3maps512", "bg512", "dao")
"""The sets of the suite `movingai/all`, as in per-map-selection-2016."""

KNOWN = (*ALL, "bgmaps", "da2", "maze", "random", "room", "street")
"""Sets of the site, to suggest where a name is not found."""

FORMAT = 1
"""The layout of a set's folder; another one is imported again."""

INDEX = "index.json"

KINDS = ("-map", "-maps", "-scen", "-scens")
"""How the names of the site's archives go on after the set's name."""

FOLDERS = ("map", "maps", "scen", "scens", "scenario", "scenarios")
"""Folders that are named after what is in them, not after a set."""


@dataclass(frozen=True)
class RuleCounts:
    """What is left of a set under one diagonal rule."""

    maps: int
    problems: int
    left_out: dict[str, int]


@dataclass(frozen=True)
class MapEntry:
    """A map of a set: its file, the size the scenarios want it in, and the hash of its cells."""

    name: str
    file: str
    width: int
    height: int
    fingerprint: str


@dataclass(frozen=True)
class Index:
    """What is known of an imported set without reading its problems."""

    name: str
    content: str
    """A hash of all files, by which an import knows that there is nothing to do."""
    maps: list[MapEntry]
    rules: dict[str, RuleCounts]
    disagreements: int
    format: int = FORMAT

    @property
    def has_problems(self) -> bool:
        """Whether there are any under some rule: collections without scenarios are maps only."""
        return any(counts.problems for counts in self.rules.values())


def sets_folder() -> Path:
    """The folder with a folder for each set."""
    return data_folder() / "movingai"


def imported() -> list[Index]:
    """Every set that is there, those of `movingai/all` first."""
    folder = sets_folder()
    found = {path.parent.name for path in folder.glob(f"*/{INDEX}")} if folder.is_dir() else set()
    names = [*(name for name in ALL if name in found), *sorted(found.difference(ALL))]
    return [index for name in names if (index := read_index(name)) is not None]


def read_index(name: str) -> Index | None:
    """The index of a set, or None where it was not imported, or by a version that laid it down otherwise."""
    path = sets_folder() / name / INDEX
    try:
        content = json.loads(path.read_text())
        if content["format"] != FORMAT:
            return None
        rules = {rule: RuleCounts(**counts) for rule, counts in content.pop("rules").items()}
        maps = [MapEntry(**entry) for entry in content.pop("maps")]
        return Index(**content, maps=maps, rules=rules)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged ({error}); remove the folder and import {name} again") from error


def maps_of(index: Index) -> dict[str, MapSource]:
    """The maps of an imported set by set and name."""
    folder = sets_folder() / index.name
    return {
        f"{index.name}/{entry.name}": MapSource(
            entry.name, File.on_disk(folder / entry.file), entry.width, entry.height, entry.fingerprint
        )
        for entry in index.maps
    }


def problems_of(index: Index, diagonal: str, advance: Callable[[int], None] = lambda _: None) -> pl.DataFrame:
    """The problems of an imported set; under another rule than at import, optima are computed once and kept."""
    folder = sets_folder() / index.name
    path = folder / f"problems-{diagonal}.parquet"
    if path.exists():
        try:
            return pl.read_parquet(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(f"{path} is damaged ({error}); remove it and call this again") from error
    groups = Collection.in_folder(folder, index.name).problems()
    solved = solve(index.name, groups, TERRAIN, diagonal, walls_are_errors=False, advance=advance)
    with writing(folder):
        _write_problems(path, solved.problems)
    return solved.problems


ImportProgress = Callable[[str, int], Callable[[int], None]]
"""Called with a set's name and number of problems, it gives what is to be told how many more of them are done."""


def silent(_set: str, _problems: int) -> Callable[[int], None]:
    """No progress at all."""
    return lambda _: None


def import_sets(paths: Sequence[Path], progress: ImportProgress = silent) -> list[Index]:
    """Import every set in the given zips and folders and return what is there of them now."""
    sets = _gather(paths)
    return [_import_set(name, files, partial(progress, name)) for name, files in sorted(sets.items())]


def _gather(paths: Sequence[Path]) -> dict[str, dict[str, File]]:
    """The files of every set by their names, wherever they lie in the given zips and folders."""
    sets: dict[str, dict[str, File]] = {}
    for path in paths:
        before = sum(map(len, sets.values()))
        for set_name, file_name, file in _files(path):
            files = sets.setdefault(set_name, {})
            if file_name in files and files[file_name].read() != file.read():
                raise InputError(
                    f"{file.label} and {files[file_name].label} are two files of one name in the set {set_name}; "
                    "import only one of them"
                )
            files[file_name] = file
        if sum(map(len, sets.values())) == before:
            raise InputError(f"{path} has no {MAP} or {SCENARIOS} files in it; name MovingAI's zips or their folder")
    return sets


def _files(path: Path) -> Iterator[tuple[str, str, File]]:
    """Set, file name and file for everything at a path, zips within folders included."""
    if path.is_dir():
        for zipped in sorted(path.rglob("*.zip")):
            yield from _files(zipped)
        collection = Collection.in_folder(path, path.name)
        root = path.resolve()
        for inner, file in {**collection.maps, **collection.scenarios}.items():
            relative = PurePosixPath(inner)
            yield _set_name([root.parent.name, root.name, *relative.parent.parts]), relative.name, file
        return
    if not path.exists():
        raise InputError(f"{path} is not there; name MovingAI's zips or the folder they are in")
    if path.suffix.lower() != ".zip":
        raise InputError(f"{path} is neither a zip file nor a folder; name MovingAI's zips or the folder they are in")
    named_after_set = path.stem.lower().endswith(KINDS)
    for inner, file in archive.files_in(path).items():
        relative = PurePosixPath(inner)
        folders = [path.stem] if named_after_set else [path.stem, *relative.parent.parts]
        yield _set_name(folders), relative.name, file


def _set_name(folders: Sequence[str]) -> str:
    """The set that files belong to: the innermost folder that is not named after what is in it."""
    for folder in reversed(folders):
        if folder.lower() not in FOLDERS:
            kind = next((kind for kind in KINDS if folder.lower().endswith(kind)), "")
            return folder[: len(folder) - len(kind)]
    return folders[-1]


def _import_set(name: str, files: Mapping[str, File], progress: Callable[[int], Callable[[int], None]]) -> Index:
    if not name or name.startswith("."):
        label = next(iter(files.values())).label
        raise InputError(f"{label} belongs to no set that could be named; rename its archive to SET-map.zip")
    target = sets_folder() / name
    with writing(target.parent):
        _settle(target)
    before = read_index(name)
    if before is not None:
        # Maps may come first and scenarios later.
        there = Collection.in_folder(target, name)
        files = {**there.maps, **there.scenarios, **files}
    content = _hash(files)
    if before is not None and before.content == content:
        return before
    collection = Collection(name, files)
    if not collection.maps:
        first = next(iter(files.values()))
        raise InputError(f"{first.label} is there, but no map of the set {name}; import {name}-map.zip as well")
    groups = collection.problems()
    solved = solve(
        name,
        groups,
        TERRAIN,
        DIAGONAL,
        walls_are_errors=False,
        advance=progress(sum(len(group.stored) for group in groups)),
    )
    entries, rules = _survey(collection, groups)
    index = Index(name, content, entries, rules, disagreements(solved.problems).height)
    _lay_down(target, files, index, solved.problems)
    return index


def _survey(collection: Collection, groups: Sequence[MapProblems]) -> tuple[list[MapEntry], dict[str, RuleCounts]]:
    """Every map with its hash, and how many problems there are under each rule, for which components suffice."""
    files = {file.label: path for path, file in collection.maps.items()}

    def one(group: MapProblems) -> tuple[MapEntry, dict[str, dict[str, int]]]:
        grid = group.map.grid(TERRAIN, DIAGONAL)
        counts = {rule: count(judge(grid.with_diagonal(rule), group)) for rule in DIAGONAL_RULES}
        return _entry(group.map, files, fingerprint(grid)), counts

    def bare(source: MapSource) -> MapEntry:
        return _entry(source, files, fingerprint(source.grid(TERRAIN, DIAGONAL)))

    used = {group.map.file.label for group in groups}
    unused = [source for source in collection.sources() if source.file.label not in used]
    with ThreadPoolExecutor() as pool:
        surveyed = list(pool.map(one, groups))
        entries = [*(entry for entry, _ in surveyed), *pool.map(bare, unused)]
    rules = {}
    for rule in DIAGONAL_RULES:
        left_out = [counts[rule] for _, counts in surveyed]
        sizes = [len(group.stored) - sum(out.values()) for group, out in zip(groups, left_out, strict=True)]
        rules[rule] = RuleCounts(sum(size > 0 for size in sizes), sum(sizes), total(left_out))
    return entries, rules


def _entry(source: MapSource, files: Mapping[str, str], cells: str) -> MapEntry:
    return MapEntry(source.name, files[source.file.label], source.width, source.height, cells)


def _lay_down(target: Path, files: Mapping[str, File], index: Index, problems: pl.DataFrame) -> None:
    """Build the set's folder beside its place and put it there in one step."""
    with writing(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            for name, file in files.items():
                (temporary / name).write_bytes(file.read())
            _write_problems(temporary / f"problems-{DIAGONAL}.parquet", problems)
            (temporary / INDEX).write_text(json.dumps(asdict(index), indent=1) + "\n")
            temporary.chmod(0o755)
            _swap(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _swap(temporary: Path, target: Path) -> None:
    """Rename a folder to where another one may be; should that fail, or be killed, the other one is put back."""
    before = _before(target)
    if target.exists():
        shutil.rmtree(before, ignore_errors=True)
        target.rename(before)
    try:
        temporary.rename(target)
    finally:
        _settle(target)


def _before(target: Path) -> Path:
    return target.with_name(f".{target.name}.before")


def _settle(target: Path) -> None:
    """End a swap that was broken off between its two steps."""
    before = _before(target)
    if not before.exists():
        return
    if target.exists():
        shutil.rmtree(before, ignore_errors=True)
    else:
        before.rename(target)


def _write_problems(path: Path, problems: pl.DataFrame) -> None:
    """Write a frame whole or not at all."""
    content = BytesIO()
    problems.write_parquet(content, compression="zstd")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content.getbuffer())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _hash(files: Mapping[str, File]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(files):
        content = files[name].read()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
