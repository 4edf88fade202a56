"""MovingAI's collections: imported once, with optima, into `movingai/SET` of the data folder.

The folder of a set has the original maps and scenarios, `index.json`, and a `problems-RULE.parquet` for each diagonal
rule that was used. An import builds a temporary folder and renames it, so that a set is never incomplete. The optima
of each map are stored when they are computed, so that an interrupted import can be resumed.
"""

import contextlib
import hashlib
import json
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
from permove.common.files import TEMPORARY, sweep, write_atomic
from permove.common.text import printable
from permove.data import archive
from permove.data.collection import MAP, SCENARIOS, Collection, File, MapProblems, MapSource, fingerprint
from permove.data.folder import data_folder, writing
from permove.data.problems import (
    SCHEMA,
    Advance,
    count_exclusions,
    disagreements,
    exclusions,
    listed,
    solve,
    total,
    with_optima,
)
from permove.data.suite import DIAGONAL, DIAGONAL_RULES, TERRAIN

ALL = ("sc1", "wc3maps512", "bg512", "dao")
"""The sets of the suite `movingai/all`, as in per-map-selection-2016."""

KNOWN = (*ALL, "bgmaps", "da2", "maze", "random", "room", "street", "wc3maps")
"""Sets of the site, for suggestions after an unknown name."""

FORMAT = 1
"""The version of the layout of a set's folder. Sets with another version must be imported again."""

MAX_CELLS = 500_000_000
"""The default limit on the cells of a set, several times those of MovingAI's largest one."""

INDEX = "index.json"

KINDS = ("-map", "-maps", "-scen", "-scens")
"""The suffixes of the site's archives after the name of the set."""

FOLDERS = ("map", "maps", "scen", "scens", "scenario", "scenarios")
"""Folders that are named after their content, not after a set."""


@dataclass(frozen=True)
class RuleCounts:
    """The numbers of maps, problems and excluded problems of a set under one diagonal rule."""

    maps: int
    problems: int
    left_out: dict[str, int]


@dataclass(frozen=True)
class MapEntry:
    """A map of a set: its file, the size to which the scenarios scale it, and the hash of its cells."""

    name: str
    file: str
    width: int
    height: int
    fingerprint: str


@dataclass(frozen=True)
class Index:
    """Facts about an imported set that are available without reading its problems."""

    name: str
    content: str
    """A hash of all files, by which an import detects that nothing changed."""
    maps: list[MapEntry]
    rules: dict[str, RuleCounts]
    disagreements: int
    format: int = FORMAT

    @property
    def has_problems(self) -> bool:
        """Whether the set has problems under some rule. Collections without scenarios have only maps."""
        return any(counts.problems for counts in self.rules.values())


def sets_folder() -> Path:
    """Return the folder with one subfolder per set."""
    return data_folder() / "movingai"


def imported() -> list[Index]:
    """Return all imported sets, those of `movingai/all` first."""
    folder = sets_folder()
    found = {path.parent.name for path in folder.glob(f"*/{INDEX}")} if folder.is_dir() else set()
    names = [*(name for name in ALL if name in found), *sorted(found.difference(ALL))]
    return [index for name in names if (index := read_index(name)) is not None]


def read_index(name: str) -> Index | None:
    """Return the index of a set, or `None` if it was not imported or has another format."""
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
    """Return the maps of an imported set by set and name."""
    folder = sets_folder() / index.name
    return {
        f"{index.name}/{entry.name}": MapSource(
            entry.name, File.on_disk(folder / entry.file), entry.width, entry.height, entry.fingerprint
        )
        for entry in index.maps
    }


def problems_of(index: Index) -> pl.DataFrame:
    """Return the problems of an imported set under the default rule, with the optima that the import computed."""
    found = _read_problems(_problems_file(index, DIAGONAL))
    if found is None:
        raise InputError(f"the problems of {index.name} are missing; import {index.name} again")
    return found


def listed_problems(index: Index, diagonal: str) -> pl.DataFrame:
    """Return the problems of an imported set under another rule, without their optima."""
    groups = Collection.in_folder(sets_folder() / index.name, index.name).problems()
    return listed(index.name, groups, TERRAIN, diagonal, walls_are_errors=False)


def with_known_optima(index: Index, problems: pl.DataFrame, diagonal: str, advance: Advance) -> pl.DataFrame:
    """Return listed problems with their optima, which are computed once and stored."""
    path, keys = _problems_file(index, diagonal), ["map", "problem"]
    known = _read_problems(path)
    known = SCHEMA.to_frame() if known is None else known
    unknown = problems.join(known, on=keys, how="anti", maintain_order="left")
    if not unknown.is_empty():
        sources = maps_of(index)
        solved = with_optima(unknown, lambda key: sources[key].grid(TERRAIN, diagonal), advance)
        known = pl.concat([known, solved]).sort(keys)
        with writing(path.parent):
            _write_problems(path, known)
    return problems.select(keys).join(known, on=keys, how="left", maintain_order="left").select(SCHEMA.names())


def _problems_file(index: Index, diagonal: str) -> Path:
    return sets_folder() / index.name / f"problems-{diagonal}.parquet"


def _read_problems(path: Path) -> pl.DataFrame | None:
    if not path.exists():
        return None
    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{path} is damaged ({error}); remove it and run this again") from error


ImportProgress = Callable[[str, int], Callable[[int], None]]
"""Called with the name of a set and its number of problems; returns a callback for newly finished problems."""


def no_progress(_set: str, _problems: int) -> Callable[[int], None]:
    """Report no progress."""
    return lambda _: None


def import_sets(
    paths: Sequence[Path], progress: ImportProgress = no_progress, *, max_cells: int = MAX_CELLS
) -> list[Index]:
    """Import all sets in the given zip files and folders, and return their indexes.

    `max_cells` limits the cells of all maps of a set.
    """
    sets = _find_sets(paths)
    return [_import_set(name, files, partial(progress, name), max_cells) for name, files in sorted(sets.items())]


def _find_sets(paths: Sequence[Path]) -> dict[str, dict[str, File]]:
    """Return the files of all sets in the given zip files and folders, by set and file name."""
    sets: dict[str, dict[str, File]] = {}
    for path in paths:
        before = sum(map(len, sets.values()))
        for set_name, file_name, file in _files(path):
            files = sets.setdefault(set_name, {})
            if file_name in files and files[file_name].read() != file.read():
                raise InputError(
                    f"{file.label} and {files[file_name].label} have the same name in the set {set_name} but different "
                    "content; import only one of them"
                )
            files[file_name] = file
        if sum(map(len, sets.values())) == before:
            raise InputError(f"{path} has no {MAP} or {SCENARIOS} files; specify MovingAI's zip files or their folder")
    return sets


def _files(path: Path) -> Iterator[tuple[str, str, File]]:
    """Yield set, file name and file for all maps and scenarios at a path, including those in zip files in folders."""
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
        raise InputError(f"{path} does not exist; specify MovingAI's zip files or their folder")
    if path.suffix.lower() != ".zip":
        raise InputError(f"{path} is neither a zip file nor a folder; specify MovingAI's zip files or their folder")
    named_after_set = path.stem.lower().endswith(KINDS)
    for inner, file in archive.files_in(path).items():
        relative = PurePosixPath(inner)
        folders = [path.stem] if named_after_set else [path.stem, *relative.parent.parts]
        yield _set_name(folders), relative.name, file


def _set_name(folders: Sequence[str]) -> str:
    """Return the name of the set of some files: the innermost folder that is not named after its content."""
    for folder in reversed(folders):
        if folder.lower() not in FOLDERS:
            kind = next((kind for kind in KINDS if folder.lower().endswith(kind)), "")
            return folder[: len(folder) - len(kind)]
    return folders[-1]


def _import_set(
    name: str, files: Mapping[str, File], progress: Callable[[int], Callable[[int], None]], max_cells: int
) -> Index:
    label = next(iter(files.values())).label
    if not name or name.startswith("."):
        raise InputError(f"cannot determine the set of {label}; rename its archive to SET-map.zip")
    if name == "all" or "@" in name or name != printable(name):
        raise InputError(f"{label}: a set cannot be named '{name}', which no suite can name; rename its archive")
    target = sets_folder() / name
    with writing(target.parent):
        _finish_swap(target)
    before = read_index(name)
    if before is not None:
        # Maps may be imported first and scenarios later.
        existing = Collection.in_folder(target, name)
        files = {**existing.maps, **existing.scenarios, **files}
    content = _hash(files)
    if before is not None and before.content == content:
        return before
    collection = Collection(name, files)
    if not collection.maps:
        first = next(iter(files.values()))
        raise InputError(f"{first.label}: the set {name} has no maps; import {name}-map.zip, too")
    groups = collection.problems()
    maps = {(each.file.label, each.width, each.height) for each in [*collection.sources(), *(it.map for it in groups)]}
    cells = sum(width * height for _, width, height in maps)
    if cells > max_cells:
        raise InputError(
            f"the maps of the set {name} have {cells:,} cells, more than {max_cells:,}; import fewer maps, or raise "
            "--max-cells"
        )
    finished = target.with_name(f".{name}.optima")
    solved = solve(
        name,
        groups,
        TERRAIN,
        DIAGONAL,
        walls_are_errors=False,
        advance=progress(sum(len(group.stored) for group in groups)),
        known=partial(_kept, finished),
    )
    entries, rules = _survey(collection, groups)
    index = Index(name, content, entries, rules, disagreements(solved).height)
    _write_set(target, files, index, solved)
    shutil.rmtree(finished, ignore_errors=True)
    return index


def _kept(folder: Path, group: MapProblems, compute: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Return the problems of a map with their optima, which an interrupted import may have computed and stored.

    The files are removed at the end of the import.
    """
    digest = hashlib.blake2b(group.map.file.read(), digest_size=16)
    digest.update(f"{folder.name}\0{group.map.name}\0{group.map.width}\0{group.map.height}\0".encode())
    for column in (group.cells, group.bucket, group.stored):
        digest.update(column.tobytes())
    path = folder / f"{digest.hexdigest()}.parquet"
    with contextlib.suppress(pl.exceptions.PolarsError, OSError):
        return pl.read_parquet(path)
    solved = compute()
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _write_problems(path, solved)
    return solved


def _survey(collection: Collection, groups: Sequence[MapProblems]) -> tuple[list[MapEntry], dict[str, RuleCounts]]:
    """Return all maps with their hashes, and the counts under each rule, which need no optima."""
    files = {file.label: path for path, file in collection.maps.items()}

    def used_map(group: MapProblems) -> tuple[MapEntry, dict[str, dict[str, int]]]:
        grid = group.map.grid(TERRAIN, DIAGONAL)
        counts = {rule: count_exclusions(exclusions(grid.with_diagonal(rule), group)) for rule in DIAGONAL_RULES}
        return _entry(group.map, files, fingerprint(grid)), counts

    def unused_map(source: MapSource) -> MapEntry:
        return _entry(source, files, fingerprint(source.grid(TERRAIN, DIAGONAL)))

    used = {group.map.file.label for group in groups}
    unused = [source for source in collection.sources() if source.file.label not in used]
    with ThreadPoolExecutor() as pool:
        surveyed = list(pool.map(used_map, groups))
        entries = [*(entry for entry, _ in surveyed), *pool.map(unused_map, unused)]
    rules = {}
    for rule in DIAGONAL_RULES:
        excluded = [counts[rule] for _, counts in surveyed]
        sizes = [len(group.stored) - sum(each.values()) for group, each in zip(groups, excluded, strict=True)]
        rules[rule] = RuleCounts(sum(size > 0 for size in sizes), sum(sizes), total(excluded))
    return entries, rules


def _entry(source: MapSource, files: Mapping[str, str], cells: str) -> MapEntry:
    return MapEntry(source.name, files[source.file.label], source.width, source.height, cells)


def _write_set(target: Path, files: Mapping[str, File], index: Index, problems: pl.DataFrame) -> None:
    """Write the folder of a set under a temporary name and rename it."""
    with writing(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent, f".*{TEMPORARY}")
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=TEMPORARY, dir=target.parent))
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
    """Replace a folder that may exist. If the rename fails or the process is killed, the old folder is restored."""
    before = _before(target)
    if target.exists():
        shutil.rmtree(before, ignore_errors=True)
        target.rename(before)
    try:
        temporary.rename(target)
    finally:
        _finish_swap(target)


def _before(target: Path) -> Path:
    return target.with_name(f".{target.name}.before")


def _finish_swap(target: Path) -> None:
    """Finish or undo a swap that was interrupted between its two steps."""
    before = _before(target)
    if not before.exists():
        return
    if target.exists():
        shutil.rmtree(before, ignore_errors=True)
    else:
        before.rename(target)


def _write_problems(path: Path, problems: pl.DataFrame) -> None:
    content = BytesIO()
    problems.write_parquet(content, compression="zstd")
    write_atomic(path, content.getvalue())


def _hash(files: Mapping[str, File]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(files):
        content = files[name].read()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
