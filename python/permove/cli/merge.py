"""`permove merge`: join runs."""

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
    out: Annotated[Path, typer.Option("--out", help="The folder of the joined run.", metavar="DIR")],
    any_machine: Annotated[
        bool, typer.Option("--any-machine", help="Join timed runs of different kinds of machine.")
    ] = False,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Join runs of the same suite and settings, such as the shards of one run, and show the table of all of them.

    Records are joined by identity: a record that several runs contain is kept once and must be equal in all of them.
    Runs that do not belong together are rejected before anything is written. The runs themselves do not change.
    """
    with reported():
        merged = join(runs, out, any_machine=any_machine, shown=sys.stderr.isatty())
    merged.run.report(format, output)
    kept = f", {merged.again:,} existed already" if merged.again else ""
    console(stderr=True).print(
        f"{merged.added:,} records were added to {merged.run.folder}{kept}.", soft_wrap=True, highlight=False
    )
