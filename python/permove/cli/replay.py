"""`permove replay`: show a recorded trial as a page, or export it for the Posthoc visualiser."""

from pathlib import Path
from typing import Annotated

import typer

from permove.common.terminal import console
from permove.runs.replay import ReplayFormat
from permove.runs.replay import replay as write

EXAMPLES = (
    "permove replay trial.npz -o trial.html",
    "permove replay trial.npz --against other.npz -o both.html",
    "permove replay runs/embedded-1a2b3c4d5e --agent 'rtaa(k=10)' --problem caves-512:17 -o replay.html",
    "permove replay runs/embedded-1a2b3c4d5e --agent 'rtaa(k=10)' --against 'rtaa(k=100)' -o replay.html",
    "permove replay trial.npz --format posthoc -o trial.trace.yaml",
)


def replay(
    trace: Annotated[
        Path,
        typer.Argument(help="A trace, or the folder of a run that was made with --trace.", metavar="RUN|TRACE"),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")],
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="The agent, for a run (default: the first).", metavar="SPEC")
    ] = None,
    problem: Annotated[
        str | None, typer.Option("--problem", help="The problem, for a run (default: the first).", metavar="MAP:N")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="A second trial on the same problem: another agent of the run, or a trace.",
            metavar="SPEC|TRACE",
        ),
    ] = None,
    format: Annotated[
        ReplayFormat,
        typer.Option("--format", help="A page, or a search trace for the Posthoc visualiser.", show_choices=True),
    ] = ReplayFormat.HTML,
) -> None:
    """Replay a trial move by move: the path, expanded states, changes of the heuristic, and discoveries.

    The page is one file that needs no network. It counts but does not draw states that an agent expands on abstract
    levels. `permove solve --trace FILE` and `permove run --trace` record trials. `--format posthoc` writes the search
    trace that https://posthoc.pathfinding.ai shows, in its format 1.4.0.
    """
    trials = write(trace, output, agent=agent, problem=problem, against=against, format=format)
    facts = trials[0].facts
    labels = " and ".join(trial.facts.label for trial in trials)
    name = f"{facts.map}:{facts.problem}" if facts.set else facts.map
    console(stderr=True).print(f"{labels} on {name}: {output}", soft_wrap=True, markup=False)
