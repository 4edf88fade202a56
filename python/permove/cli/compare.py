"""`permove compare`: agents paired over problems."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import OutputOption, ReportFormatOption, SeedOption
from permove.common.errors import InputError
from permove.common.files import write_whole
from permove.report.formats import ReportFormat
from permove.runs.compare import ALL
from permove.runs.compare import compare as pair

EXAMPLES = (
    "permove compare runs/embedded-1a2b3c4d5e 'rtaa(k=10)' 'rtaa(k=100)'",
    "permove compare runs/embedded-1a2b3c4d5e 'rtaa(k=10)' --against all --plot field.svg",
    "permove compare first 'rtaa(ties=random)' 'rtaa(ties=random)' --with second",
)


def compare(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", metavar="RUN")],
    one: Annotated[str, typer.Argument(help="The agent, by spec or label.", metavar="A")],
    other: Annotated[str | None, typer.Argument(help="The agent that it is compared with.", metavar="[B]")] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="In place of B: all, for all others of the run.", metavar="all")
    ] = None,
    with_run: Annotated[
        Path | None,
        typer.Option("--with", help="Take B from this run of the same suite and settings but the seed.", metavar="RUN"),
    ] = None,
    measure: Annotated[
        str, typer.Option("--measure", help="What is compared: a column of the records.", metavar="MEASURE")
    ] = "suboptimality",
    traded: Annotated[
        str, typer.Option("--trade", help="What it is traded off against.", metavar="MEASURE")
    ] = "expanded_per_move",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the trade-off with the agents marked into this file.", metavar="FILE.svg"),
    ] = None,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """Compare an agent with another, or with all others of a run, paired over the problems that both solved.

    Shown are the difference of the means with its bootstrap interval, the probability of being better on a problem,
    wins and losses, Wilcoxon's signed-rank test, corrected after Holm where there are many others, dominance problem by
    problem, where the agent wins and loses, and what all this comes to in one sentence.
    """
    if (other is None) == (against is None) or against not in (None, ALL):
        raise InputError("an agent is compared with one other or with all; name it after A, or give --against all")
    found = pair(run, one, other or ALL, with_run=with_run, measure=measure, against=traded, seed=seed)
    if plot is not None:
        write_whole(plot, found.plot().encode())
    found.show(format, output)
