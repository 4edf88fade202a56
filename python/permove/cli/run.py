"""`permove run`: run agents on a suite, and show the table of the results."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from permove.cli import completion
from permove.cli.interrupts import report_interrupt
from permove.cli.options import DEFAULTS, OPTIONS, FormatOption, OutputOption, ScoreOption, UnsolvedOption, with_options
from permove.common.errors import InputError
from permove.common.terminal import console
from permove.records import traces
from permove.report.formats import Format
from permove.runs.execute import run as execute
from permove.runs.experiment import SUFFIX, run_experiment
from permove.runs.run import Run

EXAMPLES = (
    "permove run -a 'lrta(d=1..5)' astar",
    "permove run level.png --problems 200 --panel real-time --cutoff 1000",
    "permove run movingai/dao movingai/sc1 own/ --limit 2000 -a 'rtaa(k={10,100})' --cutoff 1000",
    "permove run experiment.toml --jobs 2",
    "permove run movingai/dao --limit 2000 -a 'klrta(k={10,100})' 'rtaa(k={10,100})' --cutoff 1000",
    "permove run embedded -a rtaa --map caves-256 --time-limit 1ms",
    "permove run embedded --limit 160 --panel real-time -a 'lrts(d=5)' --cutoff 1000",
    "permove run embedded --limit 20 -a 'rtaa(k={10,100})' --sensor 'square(10)' --trials converge",
    "permove run embedded --map caves-512 --limit 3 -a 'rtaa(k={10,100})' --sensor 'square(10)' --trace",
    "permove run embedded --limit 20 -a 'mine.py:Mine(k={5,10})' ./libmine.so:mine 'lrta(d=1)'",
)


@with_options(*OPTIONS)
def run(
    suites: Annotated[
        list[str] | None,
        typer.Argument(
            help="Problems: suites (see `permove suites`), maps or folders (default: embedded).",
            metavar="SUITE...",
            autocompletion=completion.suites,
        ),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            help="Agents to run; 1..5 and {10,100} sweep a parameter.",
            metavar="SPEC...",
            autocompletion=completion.agents,
        ),
    ] = None,
    panel: Annotated[
        list[str] | None,
        typer.Option(
            "--panel",
            help="Also run a named set of baselines; see `permove panels`.",
            metavar="NAME...",
            autocompletion=completion.panels,
        ),
    ] = None,
    *,
    score: ScoreOption = "mean",
    unsolved: UnsolvedOption = None,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
    **options: Any,
) -> None:
    """Run agents on a suite and show the trade-off.

    The table shows suboptimality against planning per move, one row per agent. With `--trials converge` it shows the
    five measures of graph-abstraction-2007 instead: convergence travel, first-move lag, convergence memory,
    suboptimality of the final trial, and convergence planning.

    A suite may be a map in any format (`permove maps convert --help`), on which `--problems N` draws problems, or an
    experiment: a TOML file with the keys `suites`, `agents`, `panel` and `seeds`, which are lists, and the options of
    this command, such as `cutoff = 1000`. There is one run for each seed. Options of the command line replace those of
    the file.

    `permove agents` lists the agents. A plug-in is named by its file: `FILE.py:CLASS` or `LIBRARY.so:AGENT`. Plug-ins
    run in their own processes. If one crashes or hangs, that is recorded, and the run continues.

    Records are stored in a folder during the run. After Ctrl-C, run the same command again to resume. If all
    records exist, the command only prints the table.
    """
    notes = console(stderr=True)
    with report_interrupt():
        if suites and suites[0].endswith(SUFFIX):
            if len(suites) > 1 or agents or panel:
                raise InputError(f"{suites[0]} is an experiment; write suites, agents and panels into it")
            given = {name: value for name, value in options.items() if value != DEFAULTS[name]}
            results = run_experiment(suites[0], command=sys.argv, **given)
        else:
            results = [execute(suites or "embedded", agents or (), panel=panel or (), command=sys.argv, **options)]
    for result in results:
        _show(result, notes, format, _with_seed(output, result, results), score=score, unsolved=unsolved)


def _with_seed(output: Path | None, result: Run, results: Sequence[Run]) -> Path | None:
    """Return the file of a result; several results have one for each seed."""
    if output is None or len(results) == 1:
        return output
    return output.with_stem(f"{output.stem}-seed-{result.settings.seed}")


def _show(
    result: Run, notes: Console, format: Format, output: Path | None, *, score: str, unsolved: str | None
) -> None:
    """Show the table of a run, and notes about it on the error stream."""
    result.report(format, output, score=score, unsolved=unsolved)
    if idle := result.never_learning:
        verbs = "neither learns nor discovers" if len(idle) == 1 else "neither learn nor discover"
        names = " and ".join(filter(None, [", ".join(idle[:-1]), idle[-1]]))
        notes.print(f"{names} {verbs} anything with the sensor all, so there is one trial.", soft_wrap=True)
    if note := result.timing_note:
        notes.print(note, soft_wrap=True)
    notes.print(f"Records: {result.folder}", soft_wrap=True)
    if (result.folder / traces.FOLDER).is_dir():
        notes.print(f"Traces: `permove replay {result.folder} -o replay.html` shows them.", soft_wrap=True)
