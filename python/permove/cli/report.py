"""`permove report`: the table of a run that was made before, or its page."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import OutputOption
from permove.report.formats import ReportFormat
from permove.run import Run

EXAMPLES = (
    "permove report runs/embedded-1a2b3c4d5e",
    "permove report runs/embedded-1a2b3c4d5e --format csv -o tradeoff.csv",
    "permove report runs/embedded-1a2b3c4d5e --format html -o report.html",
)


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", metavar="RUN")],
    format: Annotated[
        ReportFormat, typer.Option("--format", help="What to write; html needs -o.", show_choices=True)
    ] = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """Show suboptimality against planning per move, one row per agent, or of a run to convergence its five measures.

    `--format html` writes a page, one file that needs no network: the trade-off as a plot with a limit on planning per
    move to slide, the guide, every map and size of problem by itself, who dominates whom, and how the run was made.
    """
    Run(run).report(format, output)
