"""`permove replay`: a walk that was recorded, as a page that plays it or for the Posthoc visualiser."""

from pathlib import Path
from typing import Annotated

import typer

from permove.common.terminal import console
from permove.runs.replay import ReplayFormat
from permove.runs.replay import replay as write

EXAMPLES = (
    "permove replay walk.npz -o walk.html",
    "permove replay walk.npz --against other.npz -o both.html",
    "permove replay runs/embedded-1a2b3c4d5e --agent 'rtaa(k=10)' --problem caves-512:17 -o replay.html",
    "permove replay runs/embedded-1a2b3c4d5e --agent 'rtaa(k=10)' --against 'rtaa(k=100)' -o replay.html",
    "permove replay walk.npz --format posthoc -o walk.trace.yaml",
)


def replay(
    trace: Annotated[
        Path,
        typer.Argument(help="A trace, or the folder of a run that was made with --trace.", metavar="RUN|TRACE"),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")],
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="Of a run: whose walk; else the first.", metavar="SPEC")
    ] = None,
    problem: Annotated[
        str | None, typer.Option("--problem", help="Of a run: on which problem; else the first.", metavar="MAP:N")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="A second walk of the same problem: another agent of the run, or a trace.",
            metavar="SPEC|TRACE",
        ),
    ] = None,
    format: Annotated[
        ReplayFormat,
        typer.Option("--format", help="A page, or a search trace for the Posthoc visualiser.", show_choices=True),
    ] = ReplayFormat.HTML,
) -> None:
    """Play a walk move by move: where the agent went, what it expanded, how its heuristic rose, what it discovered.

    The page is one file that needs no network. What an agent expands on abstract levels is counted there, but not
    drawn. Walks are recorded by `permove solve --trace FILE` and by
    `permove run --trace`. `--format posthoc` writes the search trace that https://posthoc.pathfinding.ai shows, in its
    format 1.4.0.
    """
    walks = write(trace, output, agent=agent, problem=problem, against=against, format=format)
    facts = walks[0].facts
    labels = " and ".join(walk.facts.label for walk in walks)
    name = f"{facts.map}:{facts.problem}" if facts.set else facts.map
    console(stderr=True).print(f"{labels} on {name}: {output}", soft_wrap=True, markup=False)
