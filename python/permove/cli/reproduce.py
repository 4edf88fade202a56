"""`permove reproduce`: repeat the measurements of a paper."""

import sys
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from permove import papers
from permove.cli.interrupts import report_interrupt
from permove.cli.options import EXECUTION, FormatOption, OutputOption, with_options
from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.common.terminal import console
from permove.papers import find, items
from permove.papers import reproduce as do
from permove.papers.index import summary, write_index
from permove.papers.item import Item, Paper
from permove.papers.item_table import item_table
from permove.papers.outcome import Outcome
from permove.papers.outcome_document import outcome_text
from permove.report.formats import Format, put, show
from permove.report.plot import compact, svg

EXAMPLES = (
    "permove reproduce",
    "permove reproduce rtaa-2006/table-1 --mazes 100",
    "permove reproduce rtaa-2006/table-1 --save reports",
    "permove reproduce graph-abstraction-2007/table-4",
    "permove reproduce --index reports",
)


OWN_OPTIONS = True
"""Each item has further options, which typer does not know."""


@with_options(*EXECUTION)
def reproduce(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Item to reproduce, with its options (default: list all items).",
            metavar="PAPER/ITEM [--OPTION N]",
            show_default=False,
        ),
    ] = None,
    *,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Also write DIR/PAPER/ITEM.md, .json and, for plots, .svg.", metavar="DIR"),
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option("--index", help="Update README.md and index.html of the reports in DIR.", metavar="DIR"),
    ] = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
    **execution: Any,
) -> None:
    """Repeat the measurements of a paper.

    Compares published values and claims with measured ones. The exit code is 1 if values are out of tolerance or a
    claim fails. Claims about time are reported but do not affect the exit code. Records are stored in a run folder; run
    the same command again to resume.
    """
    names, given = _separate(words or [])
    if index is not None:
        if words:
            raise InputError(f"--index only reads saved reports; omit {words[0]}")
        written = write_index(index, summary(index, papers.PAPERS))
        console(stderr=True).print(f"Written: {' and '.join(map(str, written))}", soft_wrap=True)
        return
    if len(names) > 1:
        raise InputError(f"'{names[1]}' is a second item; specify one item, for example {next(iter(items()))}")
    if not names or any(names[0] == paper.key for paper in papers.PAPERS):
        if given:
            raise InputError(
                f"{next(iter(given))} is an option of an item; specify one, for example {next(iter(items()))}"
            )
        chosen = [paper for paper in papers.PAPERS if not names or paper.key == names[0]]
        show(_listing(chosen), "Items to reproduce", format, output, table=item_table(chosen))
        return
    options = _checked(names[0], find(names[0]), given)
    if save is not None:
        (save / names[0]).parent.mkdir(parents=True, exist_ok=True)
    notes = console(stderr=True)
    with report_interrupt():
        outcome = do(names[0], command=sys.argv, **execution, **options)
    put(outcome_text(outcome, format), output)
    if save is not None:
        notes.print(f"Saved: {_save(outcome, save)}", soft_wrap=True)
    if outcome.folder is not None:
        notes.print(f"Records: {outcome.folder}", soft_wrap=True)
    if not outcome.passed:
        raise typer.Exit(1)


def _separate(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Separate names from the options of an item."""
    names: list[str] = []
    given: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            names.append(word)
            continue
        option, equals, value = word.partition("=")
        if not equals:
            value = next(rest, "")
            if not value:
                raise InputError(f"{option} has no value; use {option} N")
        given[option] = value
    return names, given


def _checked(name: str, item: Item, given: dict[str, str]) -> dict[str, int]:
    known = [f"--{option.name}" for option in item.options]
    for option, value in given.items():
        if option not in known:
            raise InputError(
                f"{name} has no option {option}{suggestion(option, known)}; `permove reproduce --help` lists "
                "all options"
            )
        if not value.removeprefix("-").isdecimal():
            raise InputError(f"{option} {value} is not an integer; use a number such as 100")
    return {option.removeprefix("--"): int(value) for option, value in given.items()}


def _listing(chosen: list[Paper]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "item": f"{paper.key}/{item.name}",
                "about": item.about,
                "options": ", ".join(f"--{option.name} {option.default}" for option in item.options),
                "paper": paper.title,
            }
            for paper in chosen
            for item in paper.items
        ]
    )


def _save(outcome: Outcome, folder: Path) -> str:
    """Write Markdown for readers, JSON for programs and the plot, if any; return the names of the files."""
    path = folder / outcome.item
    drawn = outcome.data is not None and outcome.data.plot is not None
    if outcome.data is not None and drawn:
        put(compact(svg(outcome.data)), path.with_suffix(".svg"))
    picture = f"{path.name}.svg" if drawn else ""
    for kind in (Format.MD, Format.JSON):
        put(outcome_text(outcome, kind, picture=picture), path.with_suffix(f".{kind}"))
    return f"{path}.md and {path.name}.json" + (f" and {picture}" if drawn else "")


def _options_help() -> str:
    """Return every item with its options; consecutive items with the same options share a list."""
    lines = ["**Items**, and the options of each with their defaults"]
    for options, group in groupby(items().items(), key=lambda named: named[1].options):
        lines += [f"`{name}`: {item.about}" for name, item in group]
        lines += [f"- `--{option.name} {option.default}`: {option.about}" for option in options]
    return "\n\n".join(lines)


EPILOG = (_options_help(),)
