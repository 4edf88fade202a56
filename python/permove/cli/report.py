"""`permove report`: show the table, a view or the page of a run."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import OutputOption, SeedOption
from permove.common.errors import InputError
from permove.report.formats import ReportFormat
from permove.runs.run import Run
from permove.views import VIEWS

EXAMPLES = (
    "permove report runs/embedded-1a2b3c4d5e",
    "permove report runs/embedded-1a2b3c4d5e --format csv -o tradeoff.csv",
    "permove report runs/embedded-1a2b3c4d5e --view tradeoff --x time_per_move_ns --y suboptimality",
    "permove report runs/embedded-1a2b3c4d5e --view scaling --y expanded",
    "permove report runs/embedded-1a2b3c4d5e --format html -o report.html",
)


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", metavar="RUN")],
    view: Annotated[
        str | None,
        typer.Option(
            "--view",
            help="Instead of the table: " + "; ".join(f"{view.name}, {view.about}" for view in VIEWS.values()) + ".",
            metavar="|".join(VIEWS),
        ),
    ] = None,
    x: Annotated[
        str | None, typer.Option("--x", help="The measure of the x axis: a column of the records.", metavar="MEASURE")
    ] = None,
    y: Annotated[str | None, typer.Option("--y", help="The measure of the y axis.", metavar="MEASURE")] = None,
    seed: SeedOption = 0,
    format: Annotated[
        ReportFormat, typer.Option("--format", help="What to write; html needs -o.", show_choices=True)
    ] = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """Show suboptimality against planning per move, one row per agent, or of a run to convergence its five measures.

    A view shows another aspect of the run, with bootstrap intervals over its problems.

    `--format html` writes a page, one file that needs no network. It contains the trade-off as a plot with a slider for
    the limit on planning per move, the guide, results for each map and problem size, dominance between agents, and how
    the run was made. With a view, the page contains only the view.
    """
    if view is not None:
        Run(run).view(view, x=x, y=y, seed=seed).show(format, output)
    elif x is not None or y is not None:
        raise InputError("--x and --y need a view; use one, as in --view tradeoff")
    else:
        Run(run).report(format, output)
