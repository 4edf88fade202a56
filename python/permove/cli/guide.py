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
        str, typer.Option("--by", help="The quantity that is limited for any single move.", metavar=f"{STATES}|{TIME}")
    ] = STATES,
    quantile: Annotated[
        str,
        typer.Option(
            "--quantile",
            help="With --by time: apply the limit to the slowest move, or to this share of a problem's moves.",
            metavar="worst|99.9|99",
        ),
    ] = "worst",
    max_memory: Annotated[
        str | None,
        typer.Option(
            "--max-memory",
            help="Maximum memory on any problem, as in 10MB: built data, and 8 bytes per heuristic value.",
            metavar="SIZE",
        ),
    ] = None,
    max_build: Annotated[
        str | None,
        typer.Option("--max-build", help="Maximum build time on any map, as in 2s.", metavar="TIME"),
    ] = None,
    known_map: Annotated[
        bool,
        typer.Option("--known-map/--unknown-map", help="Whether agents may use data that was built from the map."),
    ] = True,
    per_set: Annotated[bool, typer.Option("--per-set", help="Show a guide for each set of maps.")] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            help="Explain the rank of each agent under this limit: 100, or 1ms with --by time.",
            metavar="LIMIT",
        ),
    ] = None,
    seed: SeedOption = 0,
    format: ReportFormatOption = ReportFormat.TABLE,
    output: OutputOption = None,
) -> None:
    """For every limit on planning per move, show the agent with the best suboptimality that never exceeds the limit.

    An agent that exceeds a limit on a single move of a single problem is not chosen under it. Agents that are
    statistically tied with the best one (paired bootstrap over the problems) are listed with it. Agents that did not
    solve every problem, or violate `--max-memory`, `--max-build` or `--unknown-map`, are listed separately. Guides by
    time are valid for one kind of machine; if the records come from several, each kind gets its own guide.
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
    """Return the limit to explain: a number of states, or a duration."""
    if by == TIME:
        return parse_duration(text)
    digits = text.replace(",", "")
    if not digits.isdecimal() or int(digits) < 1 or int(digits) >= 2**63:
        raise InputError(f"--explain {text} is not a number of states; use one such as 100")
    return int(digits)
