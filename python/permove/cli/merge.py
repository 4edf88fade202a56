"""`permove merge`: join runs."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from permove.cli import completion
from permove.cli.interrupts import report_interrupt
from permove.cli.options import FormatOption, OutputOption, ScoreOption, UnsolvedOption
from permove.common.terminal import console
from permove.report.formats import Format
from permove.runs.merge import merge as join

EXAMPLES = (
    "permove merge part-1 part-2 --out whole",
    "permove merge machine-*/run --out whole --format csv -o tradeoff.csv",
)


def merge(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", metavar="RUN", autocompletion=completion.runs)],
    out: Annotated[Path, typer.Option("--out", help="Folder of the joined run.", metavar="DIR")],
    any_machine: Annotated[
        bool, typer.Option("--any-machine", help="Join timed runs from different kinds of machine.")
    ] = False,
    score: ScoreOption = "mean",
    unsolved: UnsolvedOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Join runs, such as the shards of one run.

    The runs must have the same suite and settings; other runs are rejected before anything is written. A record that
    several runs contain must be equal in all of them and is stored once. The runs themselves do not change. The command
    shows the table of the joined run.
    """
    with report_interrupt():
        merged = join(runs, out, any_machine=any_machine, shown=sys.stderr.isatty())
    merged.run.report(format, output, score=score, unsolved=unsolved)
    kept = f", {merged.again:,} existed already" if merged.again else ""
    console(stderr=True).print(
        f"{merged.added:,} records were added to {merged.run.folder}{kept}.", soft_wrap=True, highlight=False
    )
