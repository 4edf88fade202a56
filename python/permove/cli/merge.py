"""`permove merge`: runs that were made apart become one."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from permove.cli.interrupts import reported
from permove.cli.options import FormatOption, OutputOption
from permove.common.terminal import console
from permove.report.formats import Format
from permove.runs.merge import merge as join

EXAMPLES = (
    "permove merge part-1 part-2 --out whole",
    "permove merge machine-*/run --out whole --format csv -o tradeoff.csv",
)


def merge(
    runs: Annotated[list[Path], typer.Argument(help="The folders of runs.", metavar="RUN...")],
    out: Annotated[Path, typer.Option("--out", help="The run folder that gets all records.", metavar="DIR")],
    any_machine: Annotated[
        bool, typer.Option("--any-machine", help="Join timed runs of different kinds of machine.")
    ] = False,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Join runs of the same suite and settings, such as the shards of one run, and show the table of all of them.

    Records are joined by what they are of: those that several runs have are kept once, and must agree. What does not
    belong together is refused before anything is written; the runs themselves stay as they are.
    """
    with reported():
        merged = join(runs, out, any_machine=any_machine, shown=sys.stderr.isatty())
    merged.run.report(format, output)
    kept = f", {merged.again:,} were there already" if merged.again else ""
    console(stderr=True).print(
        f"{merged.added:,} records were added to {merged.run.folder}{kept}.", soft_wrap=True, highlight=False
    )
