"""Options that several commands share, so that they are named and explained alike."""

from pathlib import Path
from typing import Annotated

import typer

from permove.engines.work import HANG_SECONDS
from permove.records.settings import MAX_TRIALS
from permove.report.formats import Format, ReportFormat

FormatOption = Annotated[Format, typer.Option("--format", help="What to write.", show_choices=True)]
ReportFormatOption = Annotated[ReportFormat, typer.Option("--format", help="What to write.", show_choices=True)]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")]
OutFolderOption = Annotated[
    Path | None, typer.Option("--out", help="The run folder; by default one under runs/.", metavar="DIR")
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", "-j", help="Threads; by default every core, in timed runs one.", metavar="N")
]
CutoffOption = Annotated[
    int | None,
    typer.Option("--cutoff", help="Most states to expand for any one move; over it once, and out.", metavar="N"),
]
TimeLimitOption = Annotated[
    str | None, typer.Option("--time-limit", help="Most time for any one move: 500us, 1ms, 2s.", metavar="TIME")
]
HangLimitOption = Annotated[
    str | None,
    typer.Option(
        "--hang-limit",
        help="How long a plug-in may plan one move before it is ended.",
        show_default=f"{HANG_SECONDS:g}s",
        metavar="TIME",
    ),
]
AlphaOption = Annotated[
    float | None,
    typer.Option("--alpha", help="Most travel, over all trials, in optimal costs.", metavar="A"),
]
TrialsOption = Annotated[
    str,
    typer.Option(
        "--trials",
        help="once, or converge: again and again until a trial passes without learning or discovery.",
        metavar="once|converge",
    ),
]
MaxTrialsOption = Annotated[
    int | None,
    typer.Option(
        "--max-trials", help="With --trials converge: most trials.", show_default=str(MAX_TRIALS), metavar="N"
    ),
]
EngineOption = Annotated[
    str,
    typer.Option("--engine", help="Where to walk: local, or dask for a cluster.", metavar="local|dask"),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        help="With --engine dask: the scheduler's address, as in tcp://10.0.0.1:8786; without it, a cluster of this "
        "machine's cores is started.",
        metavar="ADDRESS",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The seed of everything that is drawn.", metavar="S")]
TerrainOption = Annotated[str, typer.Option("--terrain", help="The terrain rule.", metavar="RULE")]
DiagonalOption = Annotated[
    str, typer.Option("--diagonal", help="The diagonal rule: strict, free or none.", metavar="RULE")
]
SensorOption = Annotated[
    str, typer.Option("--sensor", help="What the agent sees: all, square(R) or cross.", metavar="SENSOR")
]
