"""`permove replay`: show a recorded trial as a page, or export it for the Posthoc visualiser."""

from pathlib import Path
from typing import Annotated

import typer

from permove.common.terminal import console
from permove.runs.replay import ReplayFormat
from permove.runs.replay import replay as write

EXAMPLES = (
    "permove solve maps/caves-128.map 3,4 100,90 -a 'rtaa(k=10)' --trace trial.npz",
    "permove replay trial.npz -o trial.html",
    "permove run --map rooms-128 --limit 3 -a 'rtaa(k={10,100})' --trace --out traced",
    "permove replay traced --agent 'rtaa(k=10)' --against 'rtaa(k=100)' -o replay.html",
    "permove replay trial.npz --format posthoc -o trial.trace.yaml",
)


def replay(
    trace: Annotated[
        Path,
        typer.Argument(help="Trace, or folder of a run with --trace.", metavar="RUN|TRACE"),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="Agent of the run (default: the first).", metavar="SPEC")
    ] = None,
    problem: Annotated[
        str | None, typer.Option("--problem", help="Problem of the run (default: the first).", metavar="MAP:N")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Show a second trial on the same problem: another agent of the run, or a trace.",
            metavar="SPEC|TRACE",
        ),
    ] = None,
    format: Annotated[
        ReplayFormat,
        typer.Option("--format", help="Write a page, or a search trace for the Posthoc visualiser.", show_choices=True),
    ] = ReplayFormat.HTML,
) -> None:
    """Write a page that replays trials move by move.

    The page shows the path, the expanded states, the changes of the heuristic, and the discoveries. It is one file that
    needs no network. States on abstract levels are counted but not drawn. `permove solve --trace FILE` and
    `permove run --trace` record trials. `--format posthoc` writes a search trace for https://posthoc.pathfinding.ai, in
    its format 1.4.0.
    """
    trials = write(trace, output, agent=agent, problem=problem, against=against, format=format)
    facts = trials[0].facts
    labels = " and ".join(trial.facts.label for trial in trials)
    name = f"{facts.map}:{facts.problem}" if facts.set else facts.map
    console(stderr=True).print(f"{labels} on {name}: {output}", soft_wrap=True, markup=False)
