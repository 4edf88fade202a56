"""`permove report`: show the table, a view or the page of a run."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli import completion
from permove.cli.options import OutputOption, PlotOption, ReportFormatOption, ScoreOption, SeedOption, UnsolvedOption
from permove.common.errors import InputError
from permove.report.figures import write_figure
from permove.report.formats import ReportFormat
from permove.runs.run import Run
from permove.views import VIEWS
from permove.views.view import OWN

EXAMPLES = (
    "permove report first",
    "permove report first --format csv -o tradeoff.csv",
    "permove report first --view tradeoff --x time_per_move_ns --y suboptimality",
    "permove report first --view scaling --y expanded",
    "permove report first --plot tradeoff.pdf",
    "permove report first --format latex -o table.tex",
    "permove report first --view profiles --plot profiles.svg",
    "permove report first --view histogram --y suboptimality --plot histogram.svg",
    "permove report sweep --view interplay --parameters d,gamma",
    "permove report first --score median --unsolved exclude",
    "permove report first --format html -o report.html",
)

EPILOG = ("**Views**", *(f"- `{view.name}`: {view.about}" for view in VIEWS.values()))


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN", autocompletion=completion.runs)],
    view: Annotated[
        str | None,
        typer.Option("--view", help="Show this view instead of the table; see below.", metavar="VIEW"),
    ] = None,
    x: Annotated[
        str | None, typer.Option("--x", help="Measure of the x axis: a column of the records.", metavar="MEASURE")
    ] = None,
    y: Annotated[str | None, typer.Option("--y", help="Measure of the y axis.", metavar="MEASURE")] = None,
    score: ScoreOption = "mean",
    unsolved: UnsolvedOption = None,
    relative_to: Annotated[
        str | None,
        typer.Option(
            "--relative-to",
            help="With --view profiles: compare with the optimum, or with the best agent on each problem.",
            metavar="optimum|best",
        ),
    ] = None,
    parameters: Annotated[
        str | None,
        typer.Option("--parameters", help="With --view interplay: two parameters, as in d,gamma.", metavar="P,Q"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="With --view amortization: compare with this agent, or with the closest in suboptimality that builds "
            "little.",
            metavar="AGENT|closest",
        ),
    ] = None,
    problem: Annotated[
        str | None,
        typer.Option("--problem", help="With --view best-so-far: show the trials of one problem.", metavar="MAP:N"),
    ] = None,
    plot: PlotOption = None,
    scrubbing: Annotated[
        bool, typer.Option("--scrubbing", help="Add visits per state to the table, and the most visits to one state.")
    ] = False,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """Show the results of a run as a table, a view or a page.

    The table shows suboptimality against planning per move, one row per agent, with the mean (or another score) and the
    median. All values are over the same problems; the line below the table says which. For a run to convergence it
    shows the five measures of convergence. A view shows another aspect of the run, with bootstrap intervals over its
    problems.

    `--plot` draws the trade-off, or the view, for one column of a paper: error bars are standard errors, lines join
    agents that differ only in a parameter, and the dashed line is the Pareto front. `--format latex` writes tables for
    the packages booktabs and graphicx.

    `--format html` writes a self-contained page to the file of `-o`: the trade-off as a plot with a slider for the
    limit on planning per move, the guide, results for each map and problem size, dominance between agents, and how the
    run was made. With `--view`, the page contains only the view.
    """
    own = {"relative_to": relative_to, "parameters": parameters, "against": against, "problem": problem}
    if view is not None:
        found = Run(run).view(view, x=x, y=y, score=score, unsolved=unsolved, seed=seed, **own)
        if plot is not None:
            write_figure(plot, found.plot())
        found.show(format, output)
    elif x is not None or y is not None:
        raise InputError("--x and --y require a view; add one, for example --view tradeoff")
    elif given := [name for name, value in own.items() if value is not None]:
        raise InputError(f"--{given[0].replace('_', '-')} requires a view; add --view {OWN[given[0]]}")
    else:
        if plot is not None:
            write_figure(plot, Run(run).plot(score=score, unsolved=unsolved))
        Run(run).report(format, output, score=score, unsolved=unsolved, scrubbing=scrubbing)
