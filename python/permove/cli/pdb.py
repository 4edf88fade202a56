"""`permove pdb`: build, list, draw and remove pattern databases."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer
from numpy.typing import NDArray
from rich.console import Group, RenderableType

from permove import _core, pdb
from permove.cli.interrupts import report_interrupt
from permove.cli.maps import find_map
from permove.cli.options import (
    AbstractionOption,
    DiagonalOption,
    FormatOption,
    OutputOption,
    TerrainOption,
    examples_help,
)
from permove.cli.solve import read_cell
from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.common.machine import usable_cores
from permove.common.terminal import console
from permove.pdb import files
from permove.pdb.files import DEPTHS, SUBGOALS, SUFFIX, Key
from permove.report import depths as shades
from permove.report import picture
from permove.report.formats import Format, plain_table
from permove.report.formats import show as report
from permove.report.pdb_table import databases_table, format_bytes, published
from permove.runs.execution_options import MAX_JOBS

app = typer.Typer(
    name="pdb",
    help="Build, show and remove pattern databases.\n\nThey contain intermediate goals and lookahead depths for pairs "
    "of regions of a map. Runs build the databases that their agents need and store them in the data folder.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


class Kind(StrEnum):
    """The kinds of databases, by what they store for each pair of regions."""

    SUBGOALS = SUBGOALS
    DEPTHS = DEPTHS


class Kinds(StrEnum):
    """The kinds to build."""

    SUBGOALS = SUBGOALS
    DEPTHS = DEPTHS
    BOTH = "both"


SCHEMA = pl.Schema(
    {
        "map": pl.String(),
        "kind": pl.String(),
        "base": pl.Int64(),
        "level": pl.Int64(),
        "abstraction": pl.String(),
        "path": pl.String(),
        "regions": pl.Int64(),
        "pairs": pl.Int64(),
        "searched": pl.Int64(),
        "max_depth": pl.Int64(),
        "bytes": pl.Int64(),
        "build_ns": pl.Int64(),
        "threads": pl.Int64(),
        "published": pl.String(),
        "file": pl.String(),
    }
)
"""Facts about a database: `searched` counts the depths that needed a search, `published` is the paper's build time."""

MapArgument = Annotated[str, typer.Argument(help="Map file, or map of the embedded suite.", metavar="MAP")]


@app.command(
    epilog=examples_help(
        "permove pdb build maps/caves-128.map -l 3",
        "permove pdb build caves-128 -l 5 --kind both",
        "permove pdb build caves-128 -l 3 --base 2",
        "permove pdb build caves-128 -l 3 --abstraction aligned",
        "permove pdb build caves-128 -l 1 -o caves-1.pdb --jobs 4",
    )
)
def build(
    map: MapArgument,
    level: Annotated[
        int, typer.Option("--level", "-l", help="Use the states of this level as regions.", min=0, metavar="L")
    ],
    kind: Annotated[Kinds, typer.Option(help="Kind of database: see above.", show_choices=True)] = Kinds.SUBGOALS,
    base: Annotated[
        int, typer.Option(help="Level that agents plan on: 0 for lrta, l for pr-lrta.", min=0, metavar="B")
    ] = 0,
    abstraction: AbstractionOption = "aligned",
    path: Annotated[
        str, typer.Option("--path", help="Moves that paths take first: diagonal or cardinal.", metavar="NAME")
    ] = "diagonal",
    terrain: TerrainOption = "land",
    diagonal: DiagonalOption = "strict",
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Number of threads (default: all cores).", metavar="N")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file instead of the data folder.", metavar="FILE"),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Rebuild the database if it exists.")] = False,
    format: FormatOption = Format.TABLE,
) -> None:
    """Build a pattern database of a map unless it exists.

    The regions are the states of level L. For each pair of regions, a database of `subgoals` contains the intermediate
    goal, at which the optimal path enters the next region, and the optimal lookahead depth for it. A database of
    `depths` contains the optimal depth for the global goal (dynamic-control-2008, Figures 6 and 8). Depths are not
    capped, so agents with any cap can use the same database. A database serves only agents with the same `abstraction`
    and, for subgoals, the same `path`.
    """
    kinds = [Kind.SUBGOALS, Kind.DEPTHS] if kind is Kinds.BOTH else [Kind(kind)]
    if output is not None and len(kinds) > 1:
        raise InputError(f"-o {output} cannot hold two databases; use --kind subgoals or --kind depths, or omit -o")
    jobs = in_range("jobs", jobs, 1, MAX_JOBS) or usable_cores()
    grid = find_map(map).grid(terrain, diagonal)
    _check_level(map, grid, level, base, abstraction)
    made: list[Path] = []
    for key in (Key(kind, base, level, abstraction, path) for kind in kinds):
        file = output or files.path_of(grid.fingerprint, key)
        before = file.stat().st_ino if file.exists() else None
        with report_interrupt():
            if output is None:
                pdb.open_or_build(grid, key, name=map, jobs=jobs, shown=sys.stderr.isatty(), again=again)
            else:
                _build_into(output, grid, key, map, jobs, again=again)
        # A build replaces the file, perhaps within one tick of the clock that modification times have.
        if before == file.stat().st_ino:
            console(stderr=True).print(f"{pdb.title(map, key)} already exists; --again rebuilds it.", soft_wrap=True)
        made.append(file)
    _show_databases(made, f"Pattern databases of {map}", format, None, named={grid.fingerprint: (map, grid)})


@app.command(
    epilog=examples_help(
        "permove pdb info",
        "permove pdb info maps/caves-128.map",
        "permove pdb info caves-1.pdb --format json",
    )
)
def info(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="Maps or database files (default: all in the data folder).", metavar="MAP|FILE"),
    ] = None,
    terrain: TerrainOption = "land",
    diagonal: DiagonalOption = "strict",
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Show pattern databases with their size and build time.

    For maps of 512 × 512 cells the table includes the build time that dynamic-control-2008 reports: Table 5 for
    subgoals, Table 13 for depths. The paper's times are for an average map on a 3 GHz Pentium.
    """
    paths: list[Path] = []
    named: dict[str, tuple[str, _core.Grid]] = {}
    for word in what or []:
        if _is_database(word):
            pdb.check(Path(word))
            paths.append(Path(word))
            continue
        grid = find_map(word).grid(terrain, diagonal)
        named[grid.fingerprint] = word, grid
        if not (found := files.kept(grid.fingerprint)):
            raise InputError(f"{word} has no pattern database; `permove pdb build {word} -l 3` builds one")
        for path in found:
            pdb.open_(path, grid)  # verifies every byte
        paths += found
    if not what:
        paths = files.kept()
    folder = files.databases_folder()
    title = "Pattern databases" if what else f"Pattern databases in {folder}"
    _show_databases(paths, title, format, output, named=named, checked=bool(what))


@app.command(
    epilog=examples_help(
        "permove pdb show maps/caves-128.map 64,64",
        "permove pdb show caves-128 64,64 -l 3 --png depths.png",
        "permove pdb show caves-128 64,64 -l 1 --kind subgoals",
    )
)
def show(
    map: MapArgument,
    goal: Annotated[str, typer.Argument(help="Goal as X,Y: column and row, from the top left.", metavar="GOAL")],
    level: Annotated[
        int,
        typer.Option("--level", "-l", help="Level of the regions; at 0 each cell is a region.", min=0, metavar="L"),
    ] = 0,
    kind: Annotated[Kind, typer.Option(help="Show depths for the global goal, or for subgoals.", show_choices=True)] = (
        Kind.DEPTHS
    ),
    abstraction: AbstractionOption = "aligned",
    terrain: TerrainOption = "land",
    diagonal: DiagonalOption = "strict",
    png: Annotated[
        Path | None, typer.Option("--png", "-o", help="Also draw the depths to this file.", metavar="FILE")
    ] = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """Draw the optimal lookahead depths of a map for a goal.

    Depth 1 is white, and greater depths are darker. Level 0 is Figure 2 of dynamic-control-2008 and `-l 3` is Figure 3,
    in which all cells of a region share the depth of its representative. Obstacles are black, the goal is coloured.
    With `--kind subgoals` the depths are those for intermediate goals. Without colours the shades are digits, which the
    table below the picture explains.
    """
    x, y = read_cell(goal)
    grid = find_map(map).grid(terrain, diagonal)
    free = grid.free()
    if not (x < grid.width and y < grid.height):
        raise InputError(
            f"{map}: the goal {x},{y} is outside the map; x is 0..{grid.width - 1} and y is 0..{grid.height - 1}"
        )
    if not free[y, x]:
        raise InputError(f"{map}: the goal {x},{y} is an obstacle; choose a free cell")
    _check_level(map, grid, level, 0, abstraction)
    depths = _depths(map, grid, Key(kind, 0, level, abstraction), (x, y))
    letters, legend = shades.shaded(depths, free), shades.legend(depths, free)
    if png is not None:
        write_atomic(png, picture.png(picture.image(letters, scale=picture.png_scale(letters), goal=(x, y))))
    title = f"Depths for the goal {x},{y}, level {level}" + ("" if kind is Kind.DEPTHS else ", for subgoals")
    drawn: list[RenderableType] = [picture.text(letters, goal=(x, y)), plain_table(legend, title)]
    facts = {"map": map, "goal_x": x, "goal_y": y, "kind": str(kind), "level": level, "abstraction": abstraction}
    columns = [pl.lit(value).alias(name) for name, value in facts.items()]
    report(legend.select(*columns, pl.all()), title, format, None, table=Group(*drawn))


@app.command(epilog=examples_help("permove pdb clear", "permove pdb clear caves-128", "permove pdb clear --yes"))
def clear(
    maps: Annotated[list[str] | None, typer.Argument(help="Maps (default: all).", metavar="MAP")] = None,
    terrain: TerrainOption = "land",
    diagonal: DiagonalOption = "strict",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove pattern databases from the data folder.

    Runs that need them build them again.
    """
    if maps:
        fingerprints = [find_map(name).grid(terrain, diagonal).fingerprint for name in maps]
        paths = [path for fingerprint in dict.fromkeys(fingerprints) for path in files.kept(fingerprint)]
    else:
        paths = files.kept()
    left = [] if maps else files.abandoned()
    if not paths and not left:
        console().print("There are no databases to remove.")
        return
    count, of = _count(len(paths), "pattern database"), _count(len({path.parent for path in paths}), "map")
    unfinished = f" and {len(left)} unfinished" if left else ""
    what = f"{count} of {of}{unfinished}, {format_bytes(sum(path.stat().st_size for path in (*paths, *left)))}"
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"cannot ask whether to remove {what}, since the input is not a terminal; use --yes")
        typer.confirm(f"Remove {what}?", abort=True)
    for path in (*left, *paths):
        files.remove(path)
    console().print(f"Removed {what}.", soft_wrap=True)


def _depths(map: str, grid: _core.Grid, key: Key, goal: tuple[int, int]) -> NDArray[np.int32]:
    """Return the depth of every cell for a goal; -1 for cells from which the goal is unreachable."""
    (x, y), jobs, shown = goal, usable_cores(), sys.stderr.isatty()
    if key.kind == DEPTHS:
        return pdb.depths_for(grid, key.level, goal, name=map, jobs=jobs, shown=shown, abstraction=key.abstraction)
    with report_interrupt():
        database = pdb.open_or_build(grid, key, name=map, jobs=jobs, shown=shown)
    depths, parts = database.depths(x, y), grid.components()
    depths[parts != parts[y, x]] = -1
    return depths


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _build_into(path: Path, grid: _core.Grid, key: Key, name: str, jobs: int, *, again: bool) -> None:
    """Build a database into the user's file, or check the database in it."""
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; create it first")
    if again or not path.exists():
        if path.exists() and not _is_database(str(path)):
            raise InputError(f"{path} is not a pattern database; specify a different file")
        pdb.write(grid, key, path, name=name, jobs=jobs, shown=sys.stderr.isatty())
    elif not pdb.has_key(existing := pdb.open_(path, grid), key):
        raise InputError(f"{path} contains {pdb.key_of(existing)}, not {key}; specify a different file, or add --again")


def _check_level(map: str, grid: _core.Grid, level: int, base: int, abstraction: str) -> None:
    if base > level:
        raise InputError(f"--base {base} is higher than --level {level}; use a lower base")
    top = _core.Hierarchy(grid, abstraction).top
    if level > top:
        raise InputError(f"invalid level {level} for {map}; use a level from 0 to {top}")


def _is_database(word: str) -> bool:
    """Return whether a user means a database rather than a map by a file."""
    path = Path(word)
    if path.suffix == SUFFIX or not path.is_file():
        return path.suffix == SUFFIX
    with path.open("rb") as file:
        return file.read(len(_core.DATABASE_MAGIC)) == _core.DATABASE_MAGIC


def _show_databases(
    paths: Sequence[Path],
    title: str,
    format: Format,
    output: Path | None,
    *,
    named: dict[str, tuple[str, _core.Grid]],
    checked: bool = True,
) -> None:
    """Show databases; `named` contains the maps that the user named, by fingerprint."""
    rows = []
    for path in paths:
        try:
            rows.append(_row(path, named))
        except (InputError, OSError) as error:
            if checked:
                raise
            # One unreadable database does not hide the others in the list of all.
            console(stderr=True).print(f"permove: {error}", soft_wrap=True)
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    report(frame, title, format, output, table=databases_table(frame, title))


def _row(path: Path, named: dict[str, tuple[str, _core.Grid]]) -> dict[str, object]:
    facts = _core.Database.look(str(path))
    size, name = None, facts.fingerprint
    if facts.fingerprint in named:
        name, grid = named[facts.fingerprint]
        size = grid.width, grid.height
    elif about := files.about(facts.fingerprint):
        name, size = about.map, (about.width, about.height)
    return {
        "map": name,
        "kind": facts.kind,
        "base": facts.base,
        "level": facts.level,
        "abstraction": facts.abstraction,
        "path": facts.path,
        "regions": facts.regions,
        "pairs": facts.pairs,
        "searched": facts.computed,
        "max_depth": facts.max_depth,
        "bytes": path.stat().st_size,
        "build_ns": facts.build_ns,
        "threads": facts.jobs,
        "published": published(facts.kind, facts.base, facts.level, size),
        "file": str(path),
    }
