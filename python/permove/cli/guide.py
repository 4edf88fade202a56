"""`permove guide`: the best agent for each limit on planning per move."""

from pathlib import Path
from typing import Annotated

import typer

from permove.analysis.guide import STATES, TIME
from permove.analysis.scores import MEAN
from permove.cli import completion
from permove.cli.options import OutputOption, PlotOption, ReportFormatOption, ScoreOption, SeedOption, UnsolvedOption
from permove.common.errors import InputError
from permove.common.units import parse_duration
from permove.report.figures import write_figure
from permove.report.formats import ReportFormat
from permove.runs.run import Run
from permove.views.per_map import PerMapGuide

EXAMPLES = (
    "permove guide first",
    "permove guide first --explain 100",
    "permove guide first --unknown-map --max-memory 1MB",
    "permove guide first --per-map",
    "permove guide first --per-map --explain 100 --format csv -o maps.csv",
    "permove guide first --format html -o guide.html",
    "permove guide first --plot guide.pdf --format latex -o guide.tex",
    "permove run --limit 40 -a 'rtaa(k={10,100})' --timed --out timed",
    "permove guide timed --by time --quantile 99.9 --explain 1ms",
)


ByOption = Annotated[
    str,
    typer.Option("--by", help="Limit the expanded states or the time of any single move.", metavar=f"{STATES}|{TIME}"),
]
QuantileOption = Annotated[
    str,
    typer.Option(
        "--quantile",
        help="With --by time: apply the limit to all moves (worst), or to this percentage of the moves.",
        metavar="worst|99.9|99",
    ),
]
MaxMemoryOption = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        help="Exclude agents that use more memory than this, as in 10MB, on any problem.",
        metavar="SIZE",
    ),
]
MaxBuildOption = Annotated[
    str | None,
    typer.Option(
        "--max-build",
        help="Exclude agents that build data for longer than this, as in 2s, on any map.",
        metavar="TIME",
    ),
]
KnownMapOption = Annotated[
    bool,
    typer.Option("--known-map/--unknown-map", help="Include or exclude agents that build data from the map."),
]
PerSetOption = Annotated[bool, typer.Option("--per-set", help="Show a guide for each set of maps.")]
PerMapOption = Annotated[
    bool, typer.Option("--per-map", help="Show the best agent for each map, and what the common choice would lose.")
]
TolerateOption = Annotated[
    str,
    typer.Option(
        "--tolerate",
        help="Include agents if at most this share of their planned moves, as in 0.1%, exceeds the limit.",
        metavar="SHARE",
    ),
]
SpeedOption = Annotated[
    float,
    typer.Option(
        "--speed",
        help="With --by time: the guide of a machine with this speed, relative to the one that was measured.",
        metavar="X",
    ),
]
ExplainOption = Annotated[
    str | None,
    typer.Option(
        "--explain",
        help="Show the verdict on each agent under this limit, as in 100, or 1ms with --by time.",
        metavar="LIMIT",
    ),
]


def guide(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN", autocompletion=completion.runs)],
    by: ByOption = STATES,
    quantile: QuantileOption = "worst",
    max_memory: MaxMemoryOption = None,
    max_build: MaxBuildOption = None,
    known_map: KnownMapOption = True,
    per_set: PerSetOption = False,
    per_map: PerMapOption = False,
    tolerate: TolerateOption = "0%",
    speed: SpeedOption = 1.0,
    explain: ExplainOption = None,
    plot: PlotOption = None,
    score: ScoreOption = MEAN.name,
    unsolved: UnsolvedOption = None,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """Show the best agent for each limit on planning per move.

    The best agent has the lowest suboptimality among the agents that never exceed the limit, on any move of any
    problem: the lowest mean, or the lowest `--score`. Agents that are statistically tied with it (paired bootstrap over
    the problems) are listed with it. Agents that were stopped by the run's cutoff, or violate `--max-memory`,
    `--max-build` or `--unknown-map`, are listed separately. Memory is the data built for a map plus the peak of the
    agent's own tables. A guide by time is valid for one kind of machine; if the records come from several kinds, each
    gets its own guide.

    With `--per-map`, each map gets its own choice next to the common one. Both are scored in-sample, on the problems by
    which they are chosen, and held out, on other problems of the map. The own choice is recommended only if it beats
    the common one on held-out problems. `--explain LIMIT` then shows the choices under one limit.
    """
    limit = None if explain is None else _limit(explain, by)
    found = Run(run).guide(
        by=by,
        quantile=quantile,
        max_memory=max_memory,
        max_build=max_build,
        known_map=known_map,
        per_set=per_set,
        tolerate=tolerate,
        speed=speed,
        score=score,
        unsolved=unsolved,
        seed=seed,
    )
    if plot is not None:
        write_figure(plot, found.plot())
    if per_map:
        PerMapGuide(found, limit).show(format, output)
    else:
        found.show(format, output, explain=limit)


def _limit(text: str, by: str) -> int:
    """Return the limit to explain: a number of states, or a duration."""
    if by == TIME:
        return parse_duration(text)
    digits = text.replace(",", "")
    if not digits.isdecimal() or int(digits) < 1 or int(digits) >= 2**63:
        raise InputError(f"invalid number of states '{text}'; use a number such as 100")
    return int(digits)
