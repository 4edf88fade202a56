"""`permove solve`: run one trial, and draw it."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group

from permove.cli import completion
from permove.cli.interrupts import report_interrupt
from permove.cli.options import DiagonalOption, FormatOption, OutputOption, TerrainOption, with_options
from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.records import traces
from permove.report import picture
from permove.report.formats import Format, show
from permove.report.table import facts_table
from permove.runs.solve import solve as run

EXAMPLES = (
    "permove solve maps/caves-128.map 3,4 100,90 -a 'rtaa(k=10)'",
    "permove solve maps/caves-128.map 3,4 100,90 -a astar --png path.png",
    "permove solve maps/caves-128.map 3,4 100,90 -a 'rtaa(k=10)' --sensor 'square(10)' --trace trial.npz",
)


@with_options("cutoff", "time_limit", "alpha", "seed", "sensor")
def solve(
    map: Annotated[Path, typer.Argument(help="Map in any format; see `permove maps convert`.", metavar="MAP")],
    start: Annotated[str, typer.Argument(help="Start as X,Y: column and row, from the top left.", metavar="START")],
    goal: Annotated[str, typer.Argument(help="Goal as X,Y.", metavar="GOAL")],
    agent: Annotated[
        str, typer.Option("--agent", "-a", help="Agent to run.", metavar="SPEC", autocompletion=completion.agents)
    ],
    terrain: TerrainOption = "land",
    diagonal: DiagonalOption = "strict",
    *,
    png: Annotated[
        Path | None, typer.Option(help="Also draw the map and the path to this file.", metavar="FILE")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            help=f"Record the trial for `permove replay`, up to {traces.MAX_EVENTS:,} moves and expansions.",
            metavar="FILE",
        ),
    ] = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
    **options: Any,
) -> None:
    """Run one agent on one problem and show its path.

    The picture shows the map with the path and the expanded states. With a sensor, cells that the agent has not seen
    are darker.
    """
    with report_interrupt():
        solution = run(map, read_cell(start), read_cell(goal), agent, terrain=terrain, diagonal=diagonal, **options)
    if trace is not None:
        solution.save_trace(trace)
    if png is not None:
        write_atomic(png, solution.png())
    letters, trial = solution.map.letters(), solution.trace
    drawn = Group(
        picture.text(letters, trial.cells, trial.expansions, seen=solution.seen), facts_table(solution.summary)
    )
    show(solution.record, f"{map} {start} {goal}", format, output, table=drawn)


def read_cell(text: str) -> tuple[int, int]:
    """Read a cell such as 12,7."""
    match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text)
    if not match:
        raise InputError(f"invalid cell '{text}'; use its column and row from the top left, for example 12,7")
    return int(match[1]), int(match[2])
