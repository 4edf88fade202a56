"""`permove compare`: compare agents, paired over problems."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli import completion
from permove.cli.options import OutputOption, PlotOption, ReportFormatOption, ScoreOption, SeedOption, UnsolvedOption
from permove.common.errors import InputError
from permove.report.figures import write_figure
from permove.report.formats import ReportFormat
from permove.runs.compare import ALL
from permove.runs.compare import compare as pair

EXAMPLES = (
    "permove compare first 'rtaa(k=10)' 'rtaa(k=100)'",
    "permove compare first 'rtaa(k=10)' --against all --plot field.pdf",
    "permove compare first 'rtaa(k=10)' 'rtaa(k=10)' --with second",
)


def compare(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN", autocompletion=completion.runs)],
    one: Annotated[str, typer.Argument(help="Agent, by spec or label.", metavar="A")],
    other: Annotated[str | None, typer.Argument(help="Other agent.", metavar="B")] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Compare with all other agents of the run instead of B.", metavar="all"),
    ] = None,
    with_run: Annotated[
        Path | None,
        typer.Option("--with", help="Take B from this run, which may differ only in its seed.", metavar="RUN"),
    ] = None,
    measure: Annotated[
        str, typer.Option("--measure", help="Measure to compare: a column of the records.", metavar="MEASURE")
    ] = "suboptimality",
    traded: Annotated[
        str, typer.Option("--trade", help="Measure on the other axis of the trade-off.", metavar="MEASURE")
    ] = "expanded_per_move",
    plot: PlotOption = None,
    score: ScoreOption = "mean",
    unsolved: UnsolvedOption = None,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """Compare agents of a run, paired over problems.

    Compares agent A with agent B, or with all other agents of the run, on the same problems. The output contains a
    verdict, the difference of the means (or of another score) with its bootstrap interval, wins, losses and ties, the
    probability of improvement (a tie counts half), Wilcoxon's signed-rank test (with Holm's correction for several
    agents), dominance per problem, and the maps and sizes with the greatest wins and losses. An agent that exceeds the
    run's limit on planning per move is disqualified: it is compared on the problems on which it keeps the limit, and
    is neither better nor worse than others.

    `--plot` draws the trade-off of all agents, with a ring around A and B, or only around A with `--against all`. The
    page of `--format html` has a plot of the values of A and B on each problem, or of the differences to all agents.
    """
    if (other is None) == (against is None) or against not in (None, ALL):
        raise InputError("specify what to compare with: either an agent B or --against all")
    found = pair(
        run,
        one,
        other or ALL,
        with_run=with_run,
        measure=measure,
        against=traded,
        score=score,
        unsolved=unsolved,
        seed=seed,
    )
    if plot is not None:
        write_figure(plot, found.plot())
    found.show(format, output)
