"""`permove guide`: which agent under which limit."""

from pathlib import Path
from typing import Annotated

import typer

from permove.analysis.guide import STATES, TIME
from permove.cli.options import OutputOption, ReportFormatOption, SeedOption
from permove.common.errors import InputError
from permove.common.units import parse_duration
from permove.report.formats import ReportFormat
from permove.runs.run import Run

EXAMPLES = (
    "permove guide runs/embedded-1a2b3c4d5e",
    "permove guide runs/embedded-1a2b3c4d5e --explain 100",
    "permove guide runs/embedded-1a2b3c4d5e --unknown-map --max-memory 1MB",
    "permove guide runs/embedded-1a2b3c4d5e --by time --quantile 99.9 --explain 1ms",
    "permove guide runs/embedded-1a2b3c4d5e --format html -o guide.html",
)


def guide(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", metavar="RUN")],
    by: Annotated[
        str, typer.Option("--by", help="What is limited for any one move.", metavar=f"{STATES}|{TIME}")
    ] = STATES,
    quantile: Annotated[
        str,
        typer.Option(
            "--quantile",
            help="With --by time: what has to keep the limit, the slowest move or this share of a problem's moves.",
            metavar="worst|99.9|99",
        ),
    ] = "worst",
    max_memory: Annotated[
        str | None,
        typer.Option(
            "--max-memory",
            help="Most memory on any problem, as in 10MB: what was built, and 8 bytes a heuristic value.",
            metavar="SIZE",
        ),
    ] = None,
    max_build: Annotated[
        str | None,
        typer.Option("--max-build", help="Most time to build what is used on any map, as in 2s.", metavar="TIME"),
    ] = None,
    known_map: Annotated[
        bool,
        typer.Option(
            "--known-map/--unknown-map", help="Whether agents may have something built from the map beforehand."
        ),
    ] = True,
    per_set: Annotated[bool, typer.Option("--per-set", help="A guide for each set of maps.")] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            help="Say of each agent what becomes of it under this limit: 100, or 1ms with --by time.",
            metavar="LIMIT",
        ),
    ] = None,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """For every limit on planning per move, show the agent with the best suboptimality among those never over it.

    Who passes a limit on a single move of a single problem is out of the question under it. Beside the best are those
    that cannot be told from it, by a paired bootstrap over the problems; agents that did not solve every problem, or
    are past `--max-memory`, `--max-build` or `--unknown-map`, are listed apart. Guides by time hold for one kind of
    machine, and records of several are guided apart.
    """
    limit = None if explain is None else _limit(explain, by)
    found = Run(run).guide(
        by=by,
        quantile=quantile,
        max_memory=max_memory,
        max_build=max_build,
        known_map=known_map,
        per_set=per_set,
        seed=seed,
    )
    found.show(format, output, explain=limit)


def _limit(text: str, by: str) -> int:
    """The limit that is to be explained: a number of states, or a duration."""
    if by == TIME:
        return parse_duration(text)
    digits = text.replace(",", "")
    if not digits.isdecimal() or int(digits) < 1 or int(digits) >= 2**63:
        raise InputError(f"--explain {text} is no number of states; give one such as 100")
    return int(digits)
