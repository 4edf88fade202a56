"""Options that several commands share, so that they are named and explained alike."""

from pathlib import Path
from typing import Annotated

import typer

from permove.report.formats import Format

FormatOption = Annotated[Format, typer.Option("--format", help="What to write.", show_choices=True)]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")]
CutoffOption = Annotated[
    int | None,
    typer.Option("--cutoff", help="Most states to expand for any one move; over it once, and out.", metavar="N"),
]
TimeLimitOption = Annotated[
    str | None, typer.Option("--time-limit", help="Most time for any one move: 500us, 1ms, 2s.", metavar="TIME")
]
AlphaOption = Annotated[
    float | None, typer.Option("--alpha", help="Stop a trial that has travelled A times the optimum.", metavar="A")
]
SeedOption = Annotated[int, typer.Option("--seed", help="The seed of everything that is drawn.", metavar="S")]
SensorOption = Annotated[
    str, typer.Option("--sensor", help="What the agent sees: all, square(R) or cross.", metavar="SENSOR")
]
