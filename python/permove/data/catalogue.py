"""Which suites there are, and the way from a name to a suite.

A name is `embedded`, `movingai/SET`, `movingai/all`, or the path of a `.scen` file or of a folder of maps and scenarios
of one's own; `@free` or `@none` after it chooses another diagonal rule.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.common.terminal import Bar
from permove.data import movingai
from permove.data.collection import SCENARIOS, Collection, MapSource
from permove.data.movingai import Index
from permove.data.problems import count, judge, solve
from permove.data.suite import DIAGONAL, DIAGONAL_RULES, TERRAIN, Suite

EMBEDDED = "embedded"
MOVINGAI = "movingai/"
ALL = f"{MOVINGAI}all"

PARTS = ("maps", "scenarios")
"""The folders of the embedded suite."""

PACKAGE = Path(__file__).parent.parent

Progress = Callable[[int], None]


@dataclass(frozen=True)
class SuiteInfo:
    """What can be said of a suite without loading its problems."""

    name: str
    maps: int
    problems: int | None
    """None where there are maps only."""
    terrain: str
    diagonal: str


def suites() -> list[SuiteInfo]:
    """Every suite that is there, under every diagonal rule."""
    found = _embedded_infos()
    indexes = movingai.imported()
    for index in indexes:
        if index.has_problems:
            found += [_info(f"{MOVINGAI}{index.name}", [index], rule) for rule in DIAGONAL_RULES]
        else:
            found.append(SuiteInfo(f"{MOVINGAI}{index.name}", len(index.maps), None, TERRAIN, DIAGONAL))
    all_sets = [index for index in indexes if index.name in movingai.ALL]
    if len(all_sets) == len(movingai.ALL):
        found += [_info(ALL, all_sets, rule) for rule in DIAGONAL_RULES]
    return found


def open_suite(suite: str | Suite, *, shown: bool) -> Suite:
    """Return a suite or the suite of a name, with its problems loaded; a progress bar counts computed optima."""
    name = suite if isinstance(suite, str) else suite.name
    with Bar(f"loading {name}", None, shown=shown) as bar:
        found = load(suite, bar.advance) if isinstance(suite, str) else suite
        _ = found.fingerprint
    return found


def load(name: str, advance: Progress = lambda _: None) -> Suite:
    """Return the suite of a name; `advance` is called with the number of problems whose optima were computed."""
    base, diagonal = _split(name)
    if base == EMBEDDED:
        folder = embedded_folder()
        if folder is None:
            raise InputError(f"the embedded suite is missing from {PACKAGE / EMBEDDED}; install permove again")
        return _own(EMBEDDED, _embedded(folder), diagonal, advance)
    if base.startswith(MOVINGAI) and not Path(base).exists():
        names = movingai.ALL if base == ALL else (base.removeprefix(MOVINGAI),)
        return _imported(base, [_index(set_name) for set_name in names], diagonal, advance)
    path = Path(base).expanduser()
    if path.is_dir():
        collection = Collection.in_folder(path, path.resolve().name)
        if not collection.scenarios:
            raise InputError(f"{path} has no {SCENARIOS} files in it; add some, or name another folder")
        return _own(base, collection, diagonal, advance)
    if path.suffix == SCENARIOS:
        return _own(base, Collection.of_scenario_file(path), diagonal, advance)
    if path.is_file():
        raise InputError(f"{path} is no scenario file; name a {SCENARIOS} file or a folder of maps and scenarios")
    raise InputError(
        f"there is no suite {name}{suggestion(base, _names())}; `permove suites` lists what there is, and "
        "`permove data import` or `permove data fetch` adds MovingAI's sets"
    )


def maps(set_name: str) -> dict[str, MapSource]:
    """The maps of an imported set, by their own names, whether it has problems or not."""
    return {source.name: source for source in movingai.maps_of(_index(set_name)).values()}


def embedded_folder() -> Path | None:
    """The folder that has `maps` and `scenarios` of the embedded suite: in the package, or at the repository's top."""
    places = (PACKAGE / EMBEDDED, PACKAGE.parent.parent)
    return next((folder for folder in places if all((folder / part).is_dir() for part in PARTS)), None)


def _embedded(folder: Path) -> Collection:
    return Collection.in_folder(folder, EMBEDDED, PARTS)


def _split(name: str) -> tuple[str, str]:
    base, at, rule = name.rpartition("@")
    if not at or Path(name).exists():
        return name, DIAGONAL
    if rule not in DIAGONAL_RULES:
        hint = suggestion(rule, DIAGONAL_RULES)
        raise InputError(f"{name}: there is no diagonal rule {rule}{hint}; use {', '.join(DIAGONAL_RULES)}")
    return base, rule


def _names() -> list[str]:
    return [EMBEDDED, ALL, *(f"{MOVINGAI}{name}" for name in _set_names())]


def _set_names() -> list[str]:
    return list(dict.fromkeys([*(index.name for index in movingai.imported()), *movingai.KNOWN]))


def _index(set_name: str) -> Index:
    index = movingai.read_index(set_name)
    if index is not None:
        return index
    known = _set_names()
    hint = "" if set_name in known else suggestion(set_name, known)
    raise InputError(
        f"MovingAI's set {set_name} is not imported{hint}; use `permove data import PATH` with its zips, or `permove "
        f"data fetch {set_name}`"
    )


def _imported(name: str, indexes: list[Index], diagonal: str, advance: Progress) -> Suite:
    if not any(index.has_problems for index in indexes):
        raise InputError(
            f"{name} has maps only; import scenarios for them, or name one of their own in a {SCENARIOS} file"
        )
    sources = {key: source for index in indexes for key, source in movingai.maps_of(index).items()}

    def load() -> pl.DataFrame:
        return pl.concat([movingai.problems_of(index, diagonal, advance) for index in indexes])

    return Suite(_full(name, diagonal), sources, load, TERRAIN, diagonal)


def _own(name: str, collection: Collection, diagonal: str, advance: Progress) -> Suite:
    """A suite of files that were never imported: every fault in them is told, since whoever wrote them can mend it."""
    groups = collection.problems()
    sources = {f"{collection.name}/{group.map.name}": group.map for group in groups}

    def load() -> pl.DataFrame:
        solved = solve(collection.name, groups, TERRAIN, diagonal, walls_are_errors=True, advance=advance)
        return solved.problems

    return Suite(_full(name, diagonal), sources, load, TERRAIN, diagonal)


def _full(name: str, diagonal: str) -> str:
    return name if diagonal == DIAGONAL else f"{name}@{diagonal}"


def _info(name: str, indexes: list[Index], rule: str) -> SuiteInfo:
    counts = [index.rules[rule] for index in indexes]
    map_count, problems = sum(count.maps for count in counts), sum(count.problems for count in counts)
    return SuiteInfo(_full(name, rule), map_count, problems, TERRAIN, rule)


@cache
def _embedded_counts(folder: Path) -> dict[str, tuple[int, int]]:
    """Maps and problems of the embedded suite under each rule."""
    groups = _embedded(folder).problems()
    counts = {}
    for rule in DIAGONAL_RULES:
        sizes = [
            len(group.stored) - sum(count(judge(group.map.grid(TERRAIN, rule), group)).values()) for group in groups
        ]
        counts[rule] = (sum(size > 0 for size in sizes), sum(sizes))
    return counts


def _embedded_infos() -> list[SuiteInfo]:
    folder = embedded_folder()
    if folder is None:
        return []
    counts = _embedded_counts(folder)
    return [SuiteInfo(_full(EMBEDDED, rule), *counts[rule], TERRAIN, rule) for rule in DIAGONAL_RULES]
