"""Available suites, and loading a suite by name.

A name is `embedded`, `movingai/SET`, `movingai/all`, or the path of a `.scen` file, of a map, or of a folder with maps
and scenarios. The suffix `@free` or `@none` selects another diagonal rule. ` + ` between names joins their suites.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import polars as pl

from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.common.terminal import Bar, note
from permove.data import movingai
from permove.data.collection import SCENARIOS, Collection, MapSource
from permove.data.drawing import drawn, source_at
from permove.data.map_formats import SUFFIXES, is_map, read_map
from permove.data.movingai import Index
from permove.data.problems import Advance, count_exclusions, exclusions, listed, no_advance, solve, with_optima
from permove.data.suite import DIAGONAL, DIAGONAL_RULES, TERRAIN, Suite

EMBEDDED = "embedded"
MOVINGAI = "movingai/"
ALL = f"{MOVINGAI}all"

PARTS = ("maps", "scenarios")
"""The folders of the embedded suite."""

AND = " + "
"""The separator of joined suites."""

PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True)
class SuiteInfo:
    """Facts about a suite that are available without loading its problems."""

    name: str
    maps: int
    problems: int | None
    """`None` if the suite has only maps."""
    terrain: str
    diagonal: str


def suites() -> list[SuiteInfo]:
    """Return all available suites, under every diagonal rule."""
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


@dataclass(frozen=True)
class Draw:
    """Random problems to draw on each map, instead of reading scenarios."""

    count: int
    seed: int = 0


def open_suite(suite: str | Suite, *, shown: bool, draw: Draw | None = None) -> Suite:
    """Return a suite, given itself or its name, with its problems loaded. A progress bar counts computed optima.

    If problems are drawn, a note says so.
    """
    name = suite if isinstance(suite, str) else suite.name
    with Bar(f"loading {name}", None, shown=shown) as bar:
        found = load(suite, bar.advance, draw) if isinstance(suite, str) else suite
        _ = found.fingerprint
    if draw is not None:
        count, maps = found.listed.height, len(found.maps)
        note(f"drew {count:,} problems on {maps:,} map{'s' * (maps > 1)} with seed {draw.seed}")
    return found


def load(name: str, advance: Advance = no_advance, draw: Draw | None = None) -> Suite:
    """Return the suite with a name. `advance` is called with the number of optima computed since the last call.

    With `draw`, problems are drawn on the maps of the suite, which are files.
    """
    if AND in name and not Path(name).exists():
        return _joined(name, [load(part, advance, draw) for part in name.split(AND)])
    base, diagonal = _split(name)
    if draw is not None:
        return _drawn(name, Path(base).expanduser(), draw, diagonal)
    if base == EMBEDDED:
        folder = embedded_folder()
        if folder is None:
            raise InputError(f"the embedded suite is missing from {PACKAGE / EMBEDDED}; reinstall permove")
        return _from_files(EMBEDDED, _embedded(folder), diagonal, advance)
    if base.startswith(MOVINGAI) and not Path(base).exists():
        names = movingai.ALL if base == ALL else (base.removeprefix(MOVINGAI),)
        return _imported(base, [_index(set_name) for set_name in names], diagonal)
    path = Path(base).expanduser()
    if path.is_dir():
        collection = Collection.in_folder(path, path.resolve().name, formats=SUFFIXES)
        if not collection.scenarios:
            raise InputError(
                f"{path} has no {SCENARIOS} files; add some, draw problems with --problems, or specify another folder"
            )
        return _from_own_files(base, collection, diagonal)
    if path.suffix == SCENARIOS:
        return _from_own_files(base, Collection.of_scenario_file(path), diagonal)
    if path.is_file() and is_map(path):
        return _of_map(base, path, diagonal)
    if path.is_file():
        raise InputError(
            f"{path} is neither a scenario file nor a map; specify a {SCENARIOS} file, a map ({' '.join(SUFFIXES)}) "
            "or a folder with maps and scenarios"
        )
    raise InputError(
        f"unknown suite {name}{suggestion(base, _names())}; `permove suites` lists all suites, and "
        "`permove data import` or `permove data fetch` adds MovingAI's sets"
    )


def maps(set_name: str) -> dict[str, MapSource]:
    """Return the maps of an imported set by name, even if it has no problems."""
    return {source.name: source for source in movingai.maps_of(_index(set_name)).values()}


def imported_map(set_name: str, name: str) -> MapSource:
    """Return a map of an imported set, even if the set has no problems."""
    known = maps(set_name)
    if name not in known:
        raise InputError(
            f"the map {name} is not in the imported set {set_name}; use `permove data import PATH` with MovingAI's "
            f"{set_name}-map.zip"
        )
    return known[name]


def embedded_folder() -> Path | None:
    """Return the folder with `maps` and `scenarios` of the embedded suite: in the package, or the repository."""
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
        raise InputError(f"{name}: unknown diagonal rule {rule}{hint}; choose one of {', '.join(DIAGONAL_RULES)}")
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
        f"MovingAI's set {set_name} is not imported{hint}; run `permove data fetch {set_name}`, or "
        "`permove data import PATH` with its zip files"
    )


def _imported(name: str, indexes: list[Index], diagonal: str) -> Suite:
    if not any(index.has_problems for index in indexes):
        raise InputError(f"{name} has only maps; import its scenarios, or specify a {SCENARIOS} file")
    sources = {key: source for index in indexes for key, source in movingai.maps_of(index).items()}

    if diagonal == DIAGONAL:
        return Suite(name, sources, lambda: pl.concat(map(movingai.problems_of, indexes)), TERRAIN, diagonal)

    def optima(problems: pl.DataFrame, advance: Advance) -> pl.DataFrame:
        rows = problems.with_row_index("row")
        found = []
        for index in indexes:
            own = rows.filter(set=index.name)
            solved = movingai.with_known_optima(index, own.drop("row"), diagonal, advance)
            found.append(solved.with_columns(own["row"]).select(rows.columns))
        return pl.concat(found).sort("row").drop("row")

    def load() -> pl.DataFrame:
        return pl.concat([movingai.listed_problems(index, diagonal) for index in indexes])

    return Suite(_full(name, diagonal), sources, load, TERRAIN, diagonal, optima)


def _from_files(name: str, collection: Collection, diagonal: str, advance: Advance) -> Suite:
    """Return the suite of some files, with the optima of all problems."""
    groups = collection.problems()
    sources = {f"{collection.name}/{group.map.name}": group.map for group in groups}

    def load() -> pl.DataFrame:
        return solve(collection.name, groups, TERRAIN, diagonal, walls_are_errors=True, advance=advance)

    return Suite(_full(name, diagonal), sources, load, TERRAIN, diagonal)


def _from_own_files(name: str, collection: Collection, diagonal: str) -> Suite:
    """Return the suite of files of the user, whose optima are computed only for problems that are used."""
    groups = collection.problems()
    sources = {f"{collection.name}/{group.map.name}": group.map for group in groups}

    def optima(problems: pl.DataFrame, advance: Advance) -> pl.DataFrame:
        return with_optima(problems, lambda key: sources[key].grid(TERRAIN, diagonal), advance)

    def load() -> pl.DataFrame:
        return listed(collection.name, groups, TERRAIN, diagonal, walls_are_errors=True)

    return Suite(_full(name, diagonal), sources, load, TERRAIN, diagonal, optima)


def _of_map(name: str, path: Path, diagonal: str) -> Suite:
    """Return the suite of a map and the scenarios next to it, which `permove maps problems` writes."""
    beside = path.with_name(f"{path.name}{SCENARIOS}")
    for scenarios in (beside, path.with_suffix(SCENARIOS), path.parent.parent / "scenarios" / beside.name):
        if scenarios.is_file():
            return _from_own_files(name, Collection.of_scenario_file(scenarios), diagonal)
    raise InputError(
        f"{path} has no problems: there is no {path.name}{SCENARIOS}; draw some, for example with --problems 200, or "
        f"write them with `permove maps problems {path}`"
    )


def _drawn(name: str, path: Path, draw: Draw, diagonal: str) -> Suite:
    """Return a suite of problems that are drawn on a map, or on all maps in a folder."""
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file() and is_map(each))
        # The image of an occupancy grid is read through the file with its thresholds.
        grids = {each.with_suffix("") for each in files if each.suffix.lower() in (".yaml", ".yml")}
        files = [each for each in files if each.suffix.lower() != ".pgm" or each.with_suffix("") not in grids]
        if not files:
            raise InputError(f"{path} has no maps; add some ({' '.join(SUFFIXES)}), or specify a different folder")
        set_name = path.resolve().name
        by_name = {each.relative_to(path).as_posix(): each for each in files}
        stems = Counter(each.stem for each in files)
        sources = [
            replace(source_at(each, read_map(each)), name=each.stem if stems[each.stem] == 1 else name)
            for name, each in by_name.items()
        ]
    elif path.is_file() and is_map(path):
        set_name, sources = path.stem, [source_at(path, read_map(path))]
    else:
        raise InputError(
            f"problems can be drawn only on a map ({' '.join(SUFFIXES)}) or a folder with maps, not on {name}; omit "
            "--problems, or specify a map"
        )
    problems = drawn(set_name, sources, draw.count, draw.seed, TERRAIN, diagonal)
    return Suite(name, {f"{set_name}/{each.name}": each for each in sources}, lambda: problems, TERRAIN, diagonal)


def _joined(name: str, parts: list[Suite]) -> Suite:
    """Return the problems of several suites as one suite."""
    rules = {part.diagonal: part.name for part in parts}
    if len(rules) > 1:
        (one, first), (other, second) = [*rules.items()][:2]
        raise InputError(
            f"{first} has the diagonal rule {one} and {second} has {other}; use the same rule for all suites, for "
            f"example {second.partition('@')[0]}" + ("" if one == DIAGONAL else f"@{one}")
        )
    maps: dict[str, MapSource] = {}
    for part in parts:
        if both := maps.keys() & part.maps.keys():
            raise InputError(
                f"several of the suites {name} have the map {min(both)}; rename one, or use only one suite"
            )
        maps |= part.maps
    owner = {key: part for part in parts for key in part.maps}

    def load() -> pl.DataFrame:
        return pl.concat([part.listed for part in parts])

    def optima(problems: pl.DataFrame, advance: Advance) -> pl.DataFrame:
        key = pl.concat_str("set", "map", separator="/")
        rows = problems.with_row_index("row")
        found = []
        for part in parts:
            own = rows.filter(key.is_in([each for each, suite in owner.items() if suite is part]))
            complete = own if part.optima is None else part.optima(own.drop("row"), advance)
            found.append(complete.with_columns(own["row"]).select(rows.columns))
        return pl.concat(found).sort("row").drop("row")

    lazy = any(part.optima is not None for part in parts)
    return Suite(name, maps, load, TERRAIN, parts[0].diagonal, optima if lazy else None)


def _full(name: str, diagonal: str) -> str:
    return name if diagonal == DIAGONAL else f"{name}@{diagonal}"


def _info(name: str, indexes: list[Index], rule: str) -> SuiteInfo:
    counts = [index.rules[rule] for index in indexes]
    map_count, problems = sum(count.maps for count in counts), sum(count.problems for count in counts)
    return SuiteInfo(_full(name, rule), map_count, problems, TERRAIN, rule)


@cache
def _embedded_counts(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the number of maps and problems of the embedded suite under each rule."""
    groups = _embedded(folder).problems()
    counts = {}
    for rule in DIAGONAL_RULES:
        excluded = [count_exclusions(exclusions(group.map.grid(TERRAIN, rule), group)) for group in groups]
        sizes = [len(group.stored) - sum(each.values()) for group, each in zip(groups, excluded, strict=True)]
        counts[rule] = (sum(size > 0 for size in sizes), sum(sizes))
    return counts


def _embedded_infos() -> list[SuiteInfo]:
    folder = embedded_folder()
    if folder is None:
        return []
    counts = _embedded_counts(folder)
    return [SuiteInfo(_full(EMBEDDED, rule), *counts[rule], TERRAIN, rule) for rule in DIAGONAL_RULES]
