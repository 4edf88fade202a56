"""`permove maps`: generate, convert and show maps, and draw problems."""

import re
from pathlib import Path, PurePosixPath
from typing import Annotated

import numpy as np
import polars as pl
import typer
from rich.console import Group

from permove import _core
from permove.cli.options import DiagonalOption, FormatOption, OutputOption, SeedOption, examples_help
from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.common.terminal import console
from permove.common.units import format_duration
from permove.data.drawing import SHORTEST
from permove.data.generate import EMBEDDED, embedded, make_map, scenarios
from permove.data.map_formats import read_map, write_map
from permove.data.map_formats.letters import THRESHOLD, Reading
from permove.report import picture
from permove.report.formats import Format, number, plain_table
from permove.report.formats import show as write
from permove.report.regions import lettered
from permove.report.table import facts_table

ThresholdOption = Annotated[
    int | None,
    typer.Option(
        "--threshold",
        help=f"Images: pixels darker than this are walls (default: {THRESHOLD}).",
        min=0,
        max=256,
        metavar="0..256",
    ),
]
PaletteOption = Annotated[
    Path | None,
    typer.Option(
        "--palette",
        help='Images: the letter of each colour, a TOML file with lines such as "#0000ff" = "W".',
        metavar="FILE",
    ),
]
CellOption = Annotated[
    int | None,
    typer.Option("--cell", help="Images: pixels along each side of a cell (default: 1).", min=1, metavar="N"),
]
LayerOption = Annotated[
    str | None, typer.Option("--layer", help="Tiled: the tiles of this layer are walls.", metavar="NAME")
]
PropertyOption = Annotated[
    str | None, typer.Option("--property", help="Tiled: tiles with this property are walls.", metavar="NAME")
]

app = typer.Typer(
    name="maps",
    help="Generate, convert and show maps, and draw problems.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


def _kinds() -> str:
    """Return every kind of map with its options, for `--help`."""
    lines = ["**Kinds of maps**, and the options of each with their defaults and ranges"]
    for kind, about, options in _core.generators():
        lines.append(f"`{kind}`: {about}")
        lines += [
            f"- `{name}={default:g}` ({minimum:g}..{maximum:g}): {description}"
            for name, default, minimum, maximum, description in options
        ]
    return "\n\n".join(lines)


@app.command(
    epilog=_kinds()
    + "\n\n"
    + examples_help(
        "permove maps generate caves --size 256x256 --seed 7 -o caves.map",
        "permove maps generate maze --size 151 -O corridor=3 -n 100 --least 90 --most 100 -o maze.map",
        "permove maps generate rooms --size 128 -n 10 --buckets -o rooms.map",
    )
)
def generate(
    kind: Annotated[str, typer.Argument(help="Kind of map; see below.", metavar="KIND")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Map file to write, NAME.map.", metavar="FILE")],
    size: Annotated[str, typer.Option(help="Columns and rows, 8 to 1024 each.", metavar="WxH")] = "256x256",
    seed: SeedOption = 0,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-O", help="Set an option of the kind.", metavar="NAME=VALUE")
    ] = None,
    problems: Annotated[
        int, typer.Option("--problems", "-n", help="Draw N problems into NAME.map.scen.", min=0, metavar="N")
    ] = 0,
    min_cost: Annotated[
        float | None, typer.Option("--least", help="Draw problems with an optimal cost of at least A.", metavar="A")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--most", help="Draw problems with an optimal cost below B.", metavar="B")
    ] = None,
    buckets: Annotated[
        bool, typer.Option("--buckets", help="Draw N problems in each of MovingAI's buckets: 0 to 4, 4 to 8, ...")
    ] = False,
    every: Annotated[int, typer.Option(help="With --buckets: use only every K-th bucket.", min=1, metavar="K")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Generate a map and problems on it from a seed.

    The map is a MovingAI file, which other programs read too. All problems are in its largest connected part, under
    the diagonal rule `strict`. They differ from each other, and their optimal costs are exact.
    """
    _check_output(output)
    in_range("seed", seed, 0, 2**64 - 1)
    has_range = min_cost is not None or max_cost is not None
    if problems == 0 and (buckets or has_range):
        raise InputError("no number of problems is given; specify it with -n, for example -n 100")
    if buckets and has_range:
        raise InputError("--buckets cannot be combined with --least and --most; omit one of them")
    if every != 1 and not buckets:
        raise InputError("--every requires --buckets; add --buckets, or omit --every")
    width, height = _size(size)
    made = make_map(kind, width, height, seed, dict(_setting(text) for text in option or []))
    files = {output: made.text()}
    facts = {output.name: f"{width} × {height}, {made.grid('land', 'strict').free_cells} free cells"}
    if problems:
        costs = (0.0 if min_cost is None else min_cost, np.inf if max_cost is None else max_cost)
        drawn = _draw(output.name, made, problems, every if buckets else None, costs, seed, "strict")
        path = output.with_name(f"{output.name}.scen")
        files[path] = drawn.text()
        facts |= _drawn_facts(path.name, drawn)
    for path in files:
        if path.exists() and not force:
            raise InputError(f"{path} already exists; specify a different file, or use --force to overwrite it")
    for path, content in files.items():
        write_atomic(path, content)
    console().print(facts_table(facts))


@app.command(
    epilog=examples_help(
        "permove maps convert maps/caves-128.map level.png",
        "permove maps convert level.png level.map --threshold 100 --cell 16",
        "permove maps convert game.tmx game.map --layer Walls",
    )
)
def convert(
    source: Annotated[Path, typer.Argument(help="Map in any format; see below.", metavar="IN")],
    output: Annotated[Path, typer.Argument(help="File to write; its suffix is the format.", metavar="OUT")],
    threshold: ThresholdOption = None,
    palette: PaletteOption = None,
    cell: CellOption = None,
    layer: LayerOption = None,
    property: PropertyOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Convert a map between formats.

    The suffix is the format. `.map` is MovingAI's. In images (`.png`, `.gif`, `.bmp`, `.jpg`, `.webp`, `.tif`, `.pgm`)
    dark pixels are walls, unless a palette gives the letter of each colour. A `.txt` file is ASCII art with `.` or a
    space for free cells and `#` or `@` for walls. A `.csv` file has 0 for free cells and 1 for walls. In Tiled maps
    (`.tmx`, `.tmj`) the walls are the tiles of a layer, or all tiles with a property. Without options, this is the
    layer or property named `walls`, `collision` or similar, or the only layer. Occupancy grids of ROS are named by
    their `.yaml` file; unknown cells are walls. In `.npy` arrays 0 and False are free.

    All formats except Tiled, ROS and JPEG can also be written. `permove run`, `solve` and `maps show` read all formats
    directly.
    """
    made = read_map(source, Reading(threshold, palette, cell, layer, property))
    if not output.parent.is_dir():
        raise InputError(f"the folder {output.parent} does not exist; create it first")
    content = write_map(made, output)
    if output.exists() and not force:
        raise InputError(f"{output} already exists; specify a different file, or use --force to overwrite it")
    write_atomic(output, content)
    free = made.grid("land", "strict").free_cells
    console().print(facts_table({output.name: f"{made.width} × {made.height}, {free} free cells"}))


@app.command(
    epilog=examples_help(
        "permove maps problems maps/caves-128.map -n 200 -o caves.scen",
        "permove maps problems maps/caves-128.map -n 50 --optimal 90..100 --seed 1 -o long.scen",
        "permove maps problems maps/caves-128.map -n 2 --buckets -o buckets.scen",
    )
)
def problems(
    map: Annotated[Path, typer.Argument(help="Map in any format.", metavar="MAP")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Scenario file to write.", metavar="FILE.scen")],
    count: Annotated[int, typer.Option("--problems", "-n", help="Draw N problems.", min=1, metavar="N")] = 100,
    optimal: Annotated[
        str | None,
        typer.Option("--optimal", help="Draw problems with an optimal cost of at least A and below B.", metavar="A..B"),
    ] = None,
    buckets: Annotated[
        bool, typer.Option("--buckets", help="Draw N problems in each of MovingAI's buckets: 0 to 4, 4 to 8, ...")
    ] = False,
    every: Annotated[int, typer.Option(help="With --buckets: use only every K-th bucket.", min=1, metavar="K")] = 1,
    seed: SeedOption = 0,
    diagonal: DiagonalOption = "strict",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Draw problems on a map into a scenario file.

    All problems are in the largest connected part of the map. They differ from each other, and their optimal costs are
    exact. `permove run FILE.scen` runs agents on them. If the file is named MAP.scen and is next to the map, `permove
    run MAP` finds it.
    """
    if output.suffix != ".scen":
        raise InputError(f"invalid scenario file {output}; use a name that ends in .scen")
    if optimal is not None and buckets:
        raise InputError("--buckets cannot be combined with --optimal; omit one of them")
    if output.exists() and not force:
        raise InputError(f"{output} already exists; specify a different file, or use --force to overwrite it")
    in_range("seed", seed, 0, 2**64 - 1)
    made = read_map(map)
    costs = (SHORTEST, np.inf) if optimal is None else _costs(optimal)
    drawn = _draw(map.name, made, count, every if buckets else None, costs, seed, diagonal)
    write_atomic(output, drawn.text())
    console().print(facts_table(_drawn_facts(output.name, drawn)))


@app.command(
    epilog=examples_help(
        "permove maps show maps/caves-128.map",
        "permove maps show caves-128 --png caves.png",
        "permove maps show caves-128 --abstraction 3 --png regions.png",
        "permove maps show caves-128 --abstraction 3 --variant aligned",
        "permove maps show caves-128 --abstraction 0 --diagonal none --format json",
    )
)
def show(
    map: Annotated[
        str, typer.Argument(help="Map in any format (see `maps convert`), or of the embedded suite.", metavar="MAP")
    ],
    abstraction: Annotated[
        int | None,
        typer.Option(
            help="Draw the abstract states of level L, and list all levels. Level 0 is the map itself.",
            min=0,
            metavar="L",
        ),
    ] = None,
    variant: Annotated[
        str, typer.Option("--variant", help="Variant of the abstraction: aligned or free.", metavar="NAME")
    ] = "aligned",
    diagonal: DiagonalOption = "strict",
    threshold: ThresholdOption = None,
    palette: PaletteOption = None,
    cell: CellOption = None,
    layer: LayerOption = None,
    property: PropertyOption = None,
    png: Annotated[Path | None, typer.Option(help="Also draw the map to this file.", metavar="FILE")] = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Show a map with its size and its connected parts.

    Ground is light, swamp greenish, trees green, water blue, and cells out of bounds are dark. The fingerprint is that
    of the search space under the terrain rule `land` and the diagonal rule.

    With `--abstraction` the cells of each abstract state have one colour, and adjacent states have different colours;
    without colours they have lowercase letters. Properties 1 to 8 of clique abstractions (graph-abstraction-2007) are
    checked on all levels. The exit code is 1 if one does not hold.
    """
    shown = find_map(map, Reading(threshold, palette, cell, layer, property))
    letters, grid = shown.letters(), shown.grid("land", diagonal)
    frame = _figures(map, grid)
    tables = [facts_table(_facts(frame))]
    broken = None
    if abstraction is not None:
        hierarchy = _core.Hierarchy(grid, variant)
        if abstraction > hierarchy.top:
            raise InputError(f"invalid level {abstraction} for {map}; use a level from 0 to {hierarchy.top}")
        if abstraction > 0:
            letters = lettered(letters, hierarchy.regions(abstraction))
        broken = hierarchy.check()
        levels = _levels(hierarchy)
        tables += [plain_table(levels, "Levels of abstraction"), facts_table(_hierarchy_facts(hierarchy, broken))]
        whole = {"variant": variant, "bytes": hierarchy.bytes, "build_ns": hierarchy.build_ns, "broken": broken}
        frame = frame.join(levels, how="cross").with_columns(pl.lit(value).alias(name) for name, value in whole.items())
    if png is not None:
        write_atomic(png, picture.png(picture.image(letters, scale=picture.png_scale(letters), cliffs=grid.cliffs())))
    write(frame, map, format, output, table=Group(picture.text(letters), *tables))
    if broken is not None:
        raise typer.Exit(1)


@app.command(name="embedded", epilog=examples_help("permove maps embedded", "permove maps embedded --check"))
def make_embedded(
    folder: Annotated[
        Path, typer.Argument(help="Folder of `maps/` and `scenarios/`.", metavar="FOLDER", show_default=False)
    ] = Path(),
    check: Annotated[bool, typer.Option("--check", help="Only compare with the existing files.")] = False,
) -> None:
    """Generate or check the files of the embedded suite."""
    differing: list[PurePosixPath] = []
    made = dict(embedded())
    for name, content in made.items():
        path = folder / name
        if check:
            if not path.is_file() or path.read_bytes() != content:
                differing.append(name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, content)
    if differing:
        names = ", ".join(str(name) for name in differing)
        raise InputError(f"{names} in {folder} do not match their seeds; `permove maps embedded` writes them")
    size = sum(len(content) for content in made.values())
    console().print(f"{len(made)} files, {size / 1e6:.2f} MB, {'match their seeds' if check else 'written'}.")


def _figures(map: str, grid: _core.Grid) -> pl.DataFrame:
    """Return one row of facts about a map."""
    parts = np.unique(grid.components()[grid.free()], return_counts=True)[1]
    return pl.DataFrame(
        {
            "map": map,
            "width": grid.width,
            "height": grid.height,
            "diagonal": grid.diagonal,
            "free_cells": grid.free_cells,
            "cliffs": 0 if (cliffs := grid.cliffs()) is None else int(np.bitwise_count(cliffs).sum()) // 2,
            "parts": parts.size,
            "largest_part": int(parts.max(initial=0)),
            "fingerprint": grid.fingerprint,
        }
    )


def _facts(figures: pl.DataFrame) -> dict[str, str]:
    row = figures.row(0, named=True)
    share = row["free_cells"] / (row["width"] * row["height"])
    return {
        "size": f"{row['width']} × {row['height']}",
        "free cells": f"{row['free_cells']} ({share:.0%})",
        "connected parts": f"{row['parts']}"
        + (f", the largest of {row['largest_part']} cells" if row["parts"] > 1 else ""),
        **({"cliffs": f"{row['cliffs']} between free cells"} if row["cliffs"] else {}),
        "fingerprint": row["fingerprint"],
    }


def _levels(hierarchy: _core.Hierarchy) -> pl.DataFrame:
    """Return one row for each level, the ground first."""
    levels = range(hierarchy.top + 1)
    degrees = [hierarchy.degrees(level) for level in levels]
    return pl.DataFrame(
        {
            "level": levels,
            "states": [hierarchy.states(level) for level in levels],
            "edges": [int(degree.sum()) // 2 for degree in degrees],
            "mean_degree": [float(degree.mean()) if degree.size else None for degree in degrees],
            "most_children": [int(hierarchy.children(level).max()) if level else None for level in levels],
        },
        schema_overrides={"mean_degree": pl.Float64, "most_children": pl.Int64},
    )


def _hierarchy_facts(hierarchy: _core.Hierarchy, broken: str | None) -> dict[str, str]:
    cells = hierarchy.states(0)
    return {
        "build time": format_duration(hierarchy.build_ns),
        "memory": f"{number(hierarchy.bytes)} bytes"
        + (f", {hierarchy.bytes / cells:.1f} per free cell" if cells else ""),
        "checked": "properties 1 to 8 hold" if broken is None else broken,
    }


def _check_output(output: Path) -> None:
    if output.suffix != ".map":
        raise InputError(f"invalid map file {output}; use a name that ends in .map")
    if not output.parent.is_dir():
        raise InputError(f"the folder {output.parent} does not exist; create it first")


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})(?:[x×](\d{1,9}))?", text.strip().lower())
    if not match:
        raise InputError(
            f"invalid size '{text}'; use columns and rows, for example 256x192, or one number for a square"
        )
    return int(match[1]), int(match[2] or match[1])


def _setting(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise InputError(f"invalid option '{text}'; use a name and a number, for example corridor=3") from None


def _draw(
    file: str, made: _core.Map, count: int, every: int | None, costs: tuple[float, float], seed: int, diagonal: str
) -> _core.Scenarios:
    """Draw problems with a range of optimal costs, or in `every`-th bucket."""
    grid = made.grid("land", diagonal)
    cells, moves = (
        _core.draw_problems(grid, count, *costs, seed)
        if every is None
        else _core.draw_buckets(grid, count, every, seed)
    )
    return scenarios(file, made, cells, moves)


def _drawn_facts(name: str, drawn: _core.Scenarios) -> dict[str, str]:
    lengths = drawn.length
    return {name: f"{len(drawn)} problems, optimal costs {lengths.min():.2f} to {lengths.max():.2f}"}


def _costs(text: str) -> tuple[float, float]:
    match = re.fullmatch(r"\s*([\d.]+?)?\s*\.\.\s*([\d.]+)?\s*", text)
    try:
        return float(match[1] or 0), float(match[2] or np.inf)  # type: ignore[index]
    except (TypeError, ValueError):
        raise InputError(f"invalid range of costs '{text}'; use two numbers, for example 90..100") from None


def find_map(name: str, reading: Reading = Reading()) -> _core.Map:
    """Return the map in a file, or a map of the embedded suite."""
    path = Path(name)
    recipes = {recipe.name: recipe for recipe in EMBEDDED}
    if not path.is_file() and name in recipes:
        return recipes[name].map()
    if not path.exists():
        raise InputError(f"the file {name} does not exist; the maps of the embedded suite are {', '.join(recipes)}")
    return read_map(path, reading)
