"""Options that several commands share: one line for each, with its name, help and metavariable."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from permove.analysis.scores import SCORES
from permove.analysis.unsolved import CAP, EXCLUDE
from permove.common.option_fields import defaults
from permove.common.units import format_size
from permove.data.problem_choice import Choice
from permove.engines import HANG_SECONDS, MEMORY_BYTES
from permove.records.settings import ALPHA, MAX_TRIALS, Settings
from permove.records.traces import MAX_EVENTS, MAX_TRACES
from permove.report.formats import Format, ReportFormat
from permove.runs.execution_options import Execution

FormatOption = Annotated[
    Format, typer.Option("--format", help="Output format: table, json, csv or md.", metavar="FORMAT")
]
ReportFormatOption = Annotated[
    ReportFormat, typer.Option("--format", help="Output format: table, json, csv, md, latex or html.", metavar="FORMAT")
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file instead of the terminal.", metavar="FILE")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of all random choices.", metavar="S")]
ScoreOption = Annotated[
    str,
    typer.Option(
        "--score",
        help="Summarize the values of an agent by this score (gmean: geometric mean, iqm: interquartile mean).",
        metavar="|".join(SCORES),
    ),
]
UnsolvedOption = Annotated[
    str | None,
    typer.Option(
        "--unsolved",
        help="Exclude problems that a ranked agent did not solve, or count unsolved trials as the cap on travel times "
        "the optimum (default: cap if there is a cap).",
        metavar=f"{EXCLUDE}|{CAP}",
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot", help="Also draw the figure to this file, one column of a paper wide.", metavar="FILE.svg|pdf|png"
    ),
]
TerrainOption = Annotated[str, typer.Option("--terrain", help="Terrain rule: land.", metavar="RULE")]
AbstractionOption = Annotated[
    str, typer.Option("--abstraction", help="Cliques that become abstract states: aligned or free.", metavar="NAME")
]
DiagonalOption = Annotated[str, typer.Option("--diagonal", help="Diagonal rule: strict, free or none.", metavar="RULE")]


def _option(kind: Any, *names: str, **details: Any) -> Any:
    return Annotated[kind, typer.Option(*names, **details)]


OPTIONS: dict[str, Any] = {
    "problems": _option(
        int | None, help="Draw N problems on each map, for suites that are map files or folders.", metavar="N"
    ),
    "maps": _option(list[str] | None, "--map", help="Use only the problems on these maps.", metavar="NAME..."),
    "limit": _option(int | None, help="Use a sample of N problems, spread over maps and buckets.", metavar="N"),
    "shard": _option(
        str | None, help="Use part K of N of these problems, as in 3/8; `permove merge` joins the parts.", metavar="K/N"
    ),
    "cutoff": _option(
        int | None, help="Disqualify agents that expand more than N states for any single move.", metavar="N"
    ),
    "time_limit": _option(
        str | None,
        help="Disqualify agents that plan longer than this, as in 500us or 1ms, for any single move.",
        metavar="TIME",
    ),
    "alpha": _option(
        float | None,
        help=f"Stop an agent when its travel exceeds A times the optimal cost, over all trials (default: {ALPHA:g}, in "
        "each trial; inf: no limit).",
        metavar="A",
    ),
    "sensor": _option(str, help="Sensor of the agents: all, square(R) or cross.", metavar="SENSOR"),
    "seed": SeedOption,
    "timed": _option(bool, "--timed", help="Measure the time of every single move."),
    "repeats": _option(
        int, help="In timed runs: repeat each trial N times; a move counts with its minimum.", metavar="N"
    ),
    "trials": _option(
        str,
        help="Run one trial per problem (once), or repeat it until an agent learns and discovers nothing (converge).",
        metavar="once|converge",
    ),
    "max_trials": _option(
        int | None, help=f"With --trials converge: stop after N trials (default: {MAX_TRIALS:,}).", metavar="N"
    ),
    "replicas": _option(
        int, help="Solve each problem N times, with other tie orders or seeds, and show the variation.", metavar="N"
    ),
    "out": _option(Path | None, help="Folder of the run (default: a new one in runs/).", metavar="DIR"),
    "jobs": _option(
        int | None, "--jobs", "-j", help="Number of threads (default: all cores; 1 for timed runs).", metavar="N"
    ),
    "engine": _option(str, help="Run agents on this machine (local) or on a cluster (dask).", metavar="local|dask"),
    "scheduler": _option(
        str | None,
        help="With --engine dask: address of the scheduler, as in tcp://10.0.0.1:8786 (default: a new cluster on this "
        "machine).",
        metavar="ADDRESS",
    ),
    "hang_limit": _option(
        str | None,
        help=f"Stop a plug-in that plans one move for longer than this (default: {HANG_SECONDS:g}s).",
        metavar="TIME",
    ),
    "memory_limit": _option(
        str | None,
        help=f"End a plug-in that needs more memory (default: {format_size(MEMORY_BYTES)}; inf for no limit).",
        metavar="SIZE",
    ),
    "any_machine": _option(bool, "--any-machine", help="Resume a timed run from another kind of machine."),
    "trace": _option(
        bool,
        "--trace",
        help=f"Record each trial for `permove replay`, at most {MAX_TRACES:,} of them with at most {MAX_EVENTS:,} "
        "moves and expansions each.",
    ),
}
"""The options of runs, by the names of the keywords of `permove.run`."""

EXECUTION = ("out", "jobs", "engine", "scheduler")
"""The options of commands that execute runs."""

DEFAULTS = defaults(Settings) | defaults(Choice) | defaults(Execution) | {"hang_limit": None, "memory_limit": None}
"""The default of each option."""


def with_options(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Expand the `**options` of a command into options of the command line."""

    def expand(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command)
        kept = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        kind = inspect.Parameter.KEYWORD_ONLY
        added = [inspect.Parameter(name, kind, default=DEFAULTS[name], annotation=OPTIONS[name]) for name in names]
        required = [each for each in kept if each.kind is not kind]
        further = [each for each in kept if each.kind is kind]
        command.__signature__ = signature.replace(parameters=[*required, *added, *further])  # type: ignore[attr-defined]
        return command

    return expand


def examples_help(*examples: str) -> str:
    """Return the examples at the end of a command's help."""
    return "\n\n".join(["**Examples**", *(f"- `{example}`" for example in examples)])
