"""`permove report`: show the table, a view or the page of a run."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import OutputOption, ReportFormatOption, SeedOption
from permove.common.errors import InputError
from permove.report.formats import ReportFormat
from permove.runs.run import Run
from permove.views import VIEWS

EXAMPLES = (
    "permove report first",
    "permove report first --format csv -o tradeoff.csv",
    "permove report first --view tradeoff --x time_per_move_ns --y suboptimality",
    "permove report first --view scaling --y expanded",
    "permove report first --format html -o report.html",
)

EPILOG = ("**Views**", *(f"- `{view.name}`: {view.about}" for view in VIEWS.values()))


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    view: Annotated[
        str | None,
        typer.Option("--view", help="Show this view instead of the table; see below.", metavar="VIEW"),
    ] = None,
    x: Annotated[
        str | None, typer.Option("--x", help="Measure of the x axis: a column of the records.", metavar="MEASURE")
    ] = None,
    y: Annotated[str | None, typer.Option("--y", help="Measure of the y axis.", metavar="MEASURE")] = None,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """Show the results of a run as a table, a view or a page.

    The table shows suboptimality against planning per move, one row per agent. For a run to convergence it shows the
    five measures of convergence. A view shows another aspect of the run, with bootstrap intervals over its problems.

    `--format html` writes a self-contained page to the file of `-o`: the trade-off as a plot with a slider for the
    limit on planning per move, the guide, results for each map and problem size, dominance between agents, and how the
    run was made. With `--view`, the page contains only the view.
    """
    if view is not None:
        Run(run).view(view, x=x, y=y, seed=seed).show(format, output)
    elif x is not None or y is not None:
        raise InputError("--x and --y require a view; add one, for example --view tradeoff")
    else:
        Run(run).report(format, output)
