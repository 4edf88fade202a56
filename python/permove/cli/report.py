"""`permove report`: the table of a run that was made before."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import FormatOption, OutputOption
from permove.report.formats import Format
from permove.run import Run

EXAMPLES = (
    "permove report runs/embedded-1a2b3c4d5e",
    "permove report runs/embedded-1a2b3c4d5e --format csv -o tradeoff.csv",
)


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", metavar="RUN")],
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Show suboptimality against planning per move, one row per agent, or of a run to convergence its five measures."""
    Run(run).report(format, output)
