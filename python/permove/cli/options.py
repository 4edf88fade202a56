"""Options that several commands share: one line for each, with its name, help and metavariable."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from permove.common.option_fields import defaults
from permove.data.problem_choice import Choice
from permove.engines import HANG_SECONDS
from permove.records.settings import MAX_TRIALS, Settings
from permove.records.traces import MAX_EVENTS, MAX_TRACES
from permove.report.formats import Format, ReportFormat
from permove.runs.execution_options import Execution

FormatOption = Annotated[Format, typer.Option("--format", help="The output format.", show_choices=True)]
ReportFormatOption = Annotated[ReportFormat, typer.Option("--format", help="The output format.", show_choices=True)]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")]
SeedOption = Annotated[int, typer.Option("--seed", help="The seed of everything that is drawn.", metavar="S")]
TerrainOption = Annotated[str, typer.Option("--terrain", help="The terrain rule.", metavar="RULE")]
DiagonalOption = Annotated[
    str, typer.Option("--diagonal", help="The diagonal rule: strict, free or none.", metavar="RULE")
]


def _option(kind: Any, *names: str, **details: Any) -> Any:
    return Annotated[kind, typer.Option(*names, **details)]


OPTIONS: dict[str, Any] = {
    "maps": _option(list[str] | None, "--map", help="Use only the problems on these maps.", metavar="NAME..."),
    "limit": _option(int | None, help="Use a sample of N problems, spread over maps and buckets.", metavar="N"),
    "shard": _option(
        str | None, help="Use the third of eight parts of these problems; `permove merge` joins them.", metavar="3/8"
    ),
    "cutoff": _option(
        int | None, help="Disqualify agents that expand more than N states for any single move.", metavar="N"
    ),
    "time_limit": _option(
        str | None, help="Disqualify agents that plan longer for any single move: 500us, 1ms, 2s.", metavar="TIME"
    ),
    "alpha": _option(float | None, help="Stop at A times the optimal cost of travel, over all trials.", metavar="A"),
    "sensor": _option(str, help="The sensor of the agent: all, square(R) or cross.", metavar="SENSOR"),
    "seed": SeedOption,
    "timed": _option(bool, "--timed", help="Measure the time of every single move."),
    "trials": _option(
        str, help="once, or converge: until a trial passes without learning or discovery.", metavar="once|converge"
    ),
    "max_trials": _option(
        int | None, help="With --trials converge: the maximum.", show_default=str(MAX_TRIALS), metavar="N"
    ),
    "out": _option(Path | None, help="The run folder (default: one under runs/).", metavar="DIR"),
    "jobs": _option(
        int | None, "--jobs", "-j", help="Number of threads (default: all cores; 1 for timed runs).", metavar="N"
    ),
    "engine": _option(str, help="Where agents run: local, or dask for a cluster.", metavar="local|dask"),
    "scheduler": _option(
        str | None,
        help="With --engine dask: the scheduler's address, as in tcp://10.0.0.1:8786; without it, a cluster of this "
        "machine's cores is started.",
        metavar="ADDRESS",
    ),
    "hang_limit": _option(
        str | None,
        help="Stop a plug-in that plans one move for longer than this.",
        show_default=f"{HANG_SECONDS:g}s",
        metavar="TIME",
    ),
    "any_machine": _option(bool, "--any-machine", help="Continue a timed run of another kind of machine."),
    "trace": _option(
        bool,
        "--trace",
        help=f"Keep every trial move by move for `permove replay`: at most {MAX_TRACES:,} records of at most "
        f"{MAX_EVENTS:,} moves and expansions each.",
    ),
}
"""The options of runs, by the names of the keywords of `permove.run`."""

EXECUTION = ("out", "jobs", "engine", "scheduler")
"""The options of commands that execute runs."""

_DEFAULTS = defaults(Settings) | defaults(Choice) | defaults(Execution) | {"hang_limit": None}


def takes(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Expand the `**options` of a command into options of the command line."""

    def expand(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command)
        kept = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        kind = inspect.Parameter.KEYWORD_ONLY
        added = [inspect.Parameter(name, kind, default=_DEFAULTS[name], annotation=OPTIONS[name]) for name in names]
        required = [each for each in kept if each.kind is not kind]
        further = [each for each in kept if each.kind is kind]
        command.__signature__ = signature.replace(parameters=[*required, *added, *further])  # type: ignore[attr-defined]
        return command

    return expand


def examples_help(*examples: str) -> str:
    """Return the examples at the end of a command's help."""
    return "\n\n".join(["**Examples**", *(f"- `{example}`" for example in examples)])
