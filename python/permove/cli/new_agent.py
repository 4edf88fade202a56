"""`permove new-agent`: write an example of a plug-in."""

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
    name: Annotated[str, typer.Argument(help="Name of the agent: lowercase letters, digits and _.", metavar="NAME")],
    lang: Annotated[Language, typer.Option("--lang", help="Language of the example.")] = Language.PYTHON,
    like: Annotated[Algorithm, typer.Option("--like", help="Algorithm of the example.")] = Algorithm.LRTA,
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.", metavar="DIR")] = Path(),
) -> None:
    """Write an example of a plug-in with its test.

    The example is LRTA* with a lookahead of one move, or RTAA*, explained line by line. Change it into your own
    algorithm. The command prints how to build, test and run it. Expansions of plug-ins are counted like those of
    built-in agents. If a plug-in crashes, hangs or returns an invalid move, the record contains the problem, the move
    and the reason, and the run continues.
    """
    written = write_example(name, lang, like, out)
    tests = written.files[-1]
    home = "" if tests.parent == Path() else f"cd {tests.parent} && "
    steps = {
        "Build": written.build,
        "Test": f"{home}python -m unittest {tests.stem}",
        "Show": f"permove agents {written.spec}",
        "Run": f"permove run --limit 160 -a {written.spec} '{BASELINES[like]}' --cutoff 1000 --out {name}-run",
    }
    screen = console()
    screen.print(f"Written: {', '.join(map(str, written.files))}", soft_wrap=True, highlight=False)
    for step, command in steps.items():
        if command is not None:
            screen.print(f"{step + ':':<7}{command}", soft_wrap=True, highlight=False, markup=False)
