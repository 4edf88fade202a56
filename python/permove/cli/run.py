"""`permove run`: agents on a suite, and the table of what they did."""

import sys
from typing import Annotated

import typer

from permove.cli.options import (
    AlphaOption,
    CutoffOption,
    EngineOption,
    FormatOption,
    HangLimitOption,
    JobsOption,
    MaxTrialsOption,
    OutFolderOption,
    OutputOption,
    SchedulerOption,
    SeedOption,
    SensorOption,
    TimeLimitOption,
    TrialsOption,
)
from permove.cli.stopping import told
from permove.common.terminal import console
from permove.engines.choice import LOCAL
from permove.engines.work import HANG_SECONDS
from permove.records.settings import ONCE
from permove.records.traces import MOST_EVENTS, MOST_TRACES
from permove.report.formats import Format
from permove.runs.execute import run as start

EXAMPLES = (
    "permove run -a 'lrta(d=1..5)' astar",
    "permove run movingai/dao --limit 2000 -a 'klrta(k={10,100})' 'rtaa(k={10,100})' --cutoff 1000",
    "permove run embedded -a rtaa --map caves-256 --time-limit 1ms",
    "permove run embedded --limit 160 --panel real-time -a 'lrts(d=5)' --cutoff 1000",
    "permove run embedded --limit 20 -a 'rtaa(k={10,100})' --sensor 'square(10)' --trials converge",
    "permove run embedded --map caves-512 --limit 3 -a 'rtaa(k={10,100})' --sensor 'square(10)' --trace",
    "permove run embedded --limit 20 -a 'mine.py:Mine(k={5,10})' ./libmine.so:mine 'lrta(d=1)'",
)


def run(
    suite: Annotated[str, typer.Argument(help="The problems; `permove suites` lists what there is.")] = "embedded",
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", "-a", help="Agents, as many as you like; 1..5 and {10,100} sweep.", metavar="SPEC..."),
    ] = None,
    panel: Annotated[
        list[str] | None,
        typer.Option("--panel", help="Baselines to walk beside them; `permove panels` lists them.", metavar="NAME..."),
    ] = None,
    maps: Annotated[
        list[str] | None, typer.Option("--map", help="Only the problems on these maps.", metavar="NAME...")
    ] = None,
    cutoff: CutoffOption = None,
    time_limit: TimeLimitOption = None,
    alpha: AlphaOption = None,
    out: OutFolderOption = None,
    jobs: JobsOption = None,
    limit: Annotated[
        int | None, typer.Option("--limit", help="A sample of N problems, spread over maps and buckets.", metavar="N")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard", help="Only the third of eight parts of all that; `permove merge` joins them.", metavar="3/8"
        ),
    ] = None,
    seed: SeedOption = 0,
    sensor: SensorOption = "all",
    trials: TrialsOption = ONCE,
    max_trials: MaxTrialsOption = None,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help=f"Keep every walk move by move for `permove replay`: of at most {MOST_TRACES:,} records, "
            f"each of at most {MOST_EVENTS:,} moves and expansions.",
        ),
    ] = False,
    timed: Annotated[bool, typer.Option("--timed", help="Measure the time of every single move.")] = False,
    engine: EngineOption = LOCAL,
    scheduler: SchedulerOption = None,
    any_core: Annotated[
        bool, typer.Option("--any-core", help="Go on with a run that another build of the core began.")
    ] = False,
    hang_limit: HangLimitOption = None,
    any_machine: Annotated[
        bool, typer.Option("--any-machine", help="Go on with a timed run that another kind of machine began.")
    ] = False,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Let agents walk the problems of a suite and show suboptimality against planning per move.

    With `--trials converge` the table has the five measures of graph-abstraction-2007 instead: convergence travel,
    first-move lag, convergence memory, suboptimality of the final trial, and convergence planning.

    An agent is one that `permove agents` lists, or a plug-in: `FILE.py:CLASS`, `LIBRARY.so:AGENT`. Plug-ins walk in
    processes of their own; where one crashes or hangs, that is recorded, and the run goes on.

    Records are kept in a folder as they come. Ctrl-C stops with what was done kept, and the same command goes on from
    there; when all is done, it only prints the table again.
    """
    notes = console(stderr=True)
    with told():
        result = start(
            suite,
            agents or (),
            panel=panel or (),
            cutoff=cutoff,
            time_limit=time_limit,
            alpha=alpha,
            out=out,
            jobs=jobs,
            limit=limit,
            shard=shard,
            seed=seed,
            sensor=sensor,
            timed=timed,
            trials=trials,
            max_trials=max_trials,
            maps=maps,
            trace=trace,
            engine=engine,
            scheduler=scheduler,
            any_core=any_core,
            hang_limit=HANG_SECONDS if hang_limit is None else hang_limit,
            any_machine=any_machine,
            command=sys.argv,
        )
    result.report(format, output)
    if idle := result.never_learning:
        verbs = "neither learns nor discovers" if len(idle) == 1 else "neither learn nor discover"
        names = " and ".join(filter(None, [", ".join(idle[:-1]), idle[-1]]))
        notes.print(f"{names} {verbs} anything with the sensor all: one trial.", soft_wrap=True)
    this = result.manifest.starts[-1]
    if this.tick_overhead_ns is not None:
        threads = "one thread" if this.jobs == 1 else f"{this.jobs} threads side by side, which disturb each other"
        notes.print(f"Timed on {threads}; reading the clock adds about {this.tick_overhead_ns:.0f} ns to each move.")
    notes.print(f"Records: {result.folder}", soft_wrap=True)
    if trace:
        notes.print(f"Traces: `permove replay {result.folder} -o replay.html` shows them.", soft_wrap=True)
