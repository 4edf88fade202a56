"""`permove data`: import, fetch and list MovingAI's collections."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from permove import data
from permove.cli.options import FormatOption, OutputOption, examples_help
from permove.common.terminal import console
from permove.data import movingai
from permove.data.fetch import BASE_URL, VARIABLE
from permove.data.movingai import Index
from permove.data.problems import Exclusion, disagreements
from permove.data.suite import DIAGONAL
from permove.report.formats import Format, plain_table, show

app = typer.Typer(
    name="data",
    help="Import, fetch and list MovingAI's collections.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


@app.command(
    "import",
    epilog=examples_help("permove data import ~/Downloads/movingai", "permove data import dao-map.zip dao-scen.zip"),
)
def import_(
    paths: Annotated[
        list[Path], typer.Argument(help="Zip files, or folders with zip files, maps or scenarios.", metavar="PATH")
    ],
    max_cells: Annotated[int, typer.Option(help="Reject sets whose maps have more cells.", min=1)] = movingai.MAX_CELLS,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Import maps and scenarios from zip files and folders.

    The import recomputes the optimal cost of every problem and compares it with the value in the file. Existing files
    of a set are kept unless the import has newer ones. A set that has not changed is not imported again. After Ctrl-C,
    run the same command again to resume: the optima of finished maps are kept.
    """
    with (
        _resumable(),
        _bars(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bars,
    ):
        indexes = data.import_sets(paths, _solving(bars), max_cells=max_cells)
    _show_sets(indexes, "Imported", format, output)


@app.command(epilog=examples_help("permove data fetch dao"))
def fetch(
    set_name: Annotated[str, typer.Argument(help="Set of the site: sc1, wc3maps512, bg512, dao, ...", metavar="SET")],
    base_url: Annotated[
        str | None,
        typer.Option(
            help=f"Address that contains SET/SET-map.zip (default: {BASE_URL}).", envvar=VARIABLE, metavar="URL"
        ),
    ] = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Download a set from MovingAI's site and import it.

    Run the same command again to resume an interrupted download.
    """
    with (
        _resumable(),
        _bars(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()) as bars,
    ):
        index = data.fetch_sets(set_name, base_url, _downloading(bars), _solving(bars))
    _show_sets([index], "Imported", format, output)


@app.command("list", epilog=examples_help("permove data list", "permove data list --disagreements"))
def list_(
    disagreements: Annotated[
        bool, typer.Option("--disagreements", help="List the problems whose stored length is not optimal.")
    ] = False,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """List the imported sets with their maps and problems."""
    indexes = movingai.imported()
    if disagreements:
        _show_disagreements(indexes, format, output)
    else:
        _show_sets(indexes, f"Imported into {data.data_folder()}", format, output)


def _show_sets(indexes: list[Index], title: str, format: Format, output: Path | None) -> None:
    rows = [
        {
            "set": index.name,
            "maps": len(index.maps),
            "problems": index.rules[DIAGONAL].problems,
            "left_out": sum(index.rules[DIAGONAL].left_out.values()),
            **{_column(reason): index.rules[DIAGONAL].left_out[reason] for reason in Exclusion},
            "disagreements": index.disagreements,
        }
        for index in indexes
    ]
    numbers = ["maps", "problems", "left_out", *map(_column, Exclusion), "disagreements"]
    schema = {"set": pl.String(), **dict.fromkeys(numbers, pl.Int64())}
    frame = pl.DataFrame(rows, schema=schema)
    # The reasons would make the table too wide for a terminal; the other formats contain them.
    table = plain_table(frame.select("set", "maps", "problems", "left_out", "disagreements"), title)
    show(frame, title, format, output, table=table)


def _column(reason: Exclusion) -> str:
    return reason.name.lower()


def _show_disagreements(indexes: list[Index], format: Format, output: Path | None) -> None:
    empty = pl.DataFrame(
        schema={
            "set": pl.String,
            "map": pl.String,
            "problem": pl.UInt32,
            "stored": pl.Float64,
            "recomputed": pl.Float64,
        }
    )
    wrong = [disagreements(movingai.problems_of(index)) for index in indexes if index.disagreements]
    show(pl.concat([empty, *wrong]), "Problems whose stored length is wrong", format, output)


@contextmanager
def _resumable() -> Iterator[None]:
    """Say what an interrupted import has kept, and exit with code 130."""
    try:
        yield
    except KeyboardInterrupt:
        sentence = "permove: interrupted: finished maps are kept; run the same command again to resume"
        console(stderr=True).print(sentence, soft_wrap=True)
        raise typer.Exit(130) from None


@contextmanager
def _bars(
    *columns: TextColumn | BarColumn | MofNCompleteColumn | DownloadColumn | TimeRemainingColumn,
) -> Iterator[Progress]:
    """Show progress bars if the error stream is a terminal."""
    shown = sys.stderr.isatty()
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not shown) as bars:
        yield bars


def _solving(bars: Progress) -> Callable[[str, int], Callable[[int], None]]:
    def begin(set_name: str, problems: int) -> Callable[[int], None]:
        task = bars.add_task(f"optima of {set_name}", total=problems)
        return lambda done: bars.advance(task, done)

    return begin


def _downloading(bars: Progress) -> Callable[[str, int, int | None], None]:
    tasks: dict[str, TaskID] = {}

    def advance(name: str, done: int, size: int | None) -> None:
        if name not in tasks:
            tasks[name] = bars.add_task(name)
        bars.update(tasks[name], completed=done, total=size)

    return advance
