"""`permove new-agent`: an agent of your own to start from."""

from pathlib import Path
from typing import Annotated

import typer

from permove.common.terminal import console
from permove.plugins.example import BASELINES, Algorithm, Language, write_example

EXAMPLES = (
    "permove new-agent mine",
    "permove new-agent mine --lang rust",
    "permove new-agent mine --lang c --like rtaa",
)


def new_agent(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and _.", metavar="NAME")],
    lang: Annotated[Language, typer.Option("--lang", help="What it is written in.")] = Language.PYTHON,
    like: Annotated[Algorithm, typer.Option("--like", help="What it does, to begin with.")] = Algorithm.LRTA,
    out: Annotated[Path, typer.Option("--out", help="Where it is written.", metavar="DIR")] = Path(),
) -> None:
    """Write an agent of your own that works, with a test of it, and say how to run it.

    It is LRTA* with a lookahead of one, or RTAA*, explained line by line. Change it into what you have in mind. The
    harness counts what it expands, as for every other agent; where it crashes, hangs or makes a move that is none, that
    is recorded with the problem, the move and the reason, and the run goes on.
    """
    written = write_example(name, lang, like, out)
    tests = written.files[-1]
    home = "" if tests.parent == Path() else f"cd {tests.parent} && "
    steps = {
        "Build": written.build,
        "Test": f"{home}python -m unittest {tests.stem}",
        "Look": f"permove agents {written.spec}",
        "Run": f"permove run --limit 160 -a {written.spec} '{BASELINES[like]}' --cutoff 1000 --out {name}-run",
    }
    screen = console()
    screen.print(f"Written: {', '.join(map(str, written.files))}", soft_wrap=True, highlight=False)
    for step, command in steps.items():
        if command is not None:
            screen.print(f"{step + ':':<7}{command}", soft_wrap=True, highlight=False, markup=False)
