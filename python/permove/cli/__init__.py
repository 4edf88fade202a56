"""The command line: one file per command, put together here.

Whatever a user can cause ends as one sentence on the error stream and exit code 2, without a traceback.
"""

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from importlib.metadata import version as installed
from permove.cli import (
    agents,
    compare,
    data,
    guide,
    maps,
    merge,
    new_agent,
    panels,
    pdb,
    replay,
    report,
    reproduce,
    run,
    select,
    solve,
    suites,
    train,
)
from permove.cli.words import deal_out
from permove.common.errors import InputError

app = typer.Typer(
    name="permove",
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS: list[tuple[Callable[..., None], tuple[str, ...]]] = [
    (run.run, run.EXAMPLES),
    (solve.solve, solve.EXAMPLES),
    (report.report, report.EXAMPLES),
    (guide.guide, guide.EXAMPLES),
    (replay.replay, replay.EXAMPLES),
    (compare.compare, compare.EXAMPLES),
    (reproduce.reproduce, reproduce.EXAMPLES),
    (train.train, train.EXAMPLES),
    (merge.merge, merge.EXAMPLES),
    (agents.agents, agents.EXAMPLES),
    (new_agent.new_agent, new_agent.EXAMPLES),
    (panels.panels, panels.EXAMPLES),
    (suites.suites, suites.EXAMPLES),
]
EPILOGS = {reproduce.reproduce: reproduce.options_help()}
"""What the help of a command says before its examples."""

TAKES_MORE = {reproduce.reproduce}
"""Commands that read options of their own, which depend on what they are asked for."""

for function, examples in COMMANDS:
    app.command(
        epilog="\n\n".join(
            [*filter(None, [EPILOGS.get(function)]), "**Examples**", *(f"- `{example}`" for example in examples)]
        ),
        context_settings={"ignore_unknown_options": function in TAKES_MORE},
    )(function)
app.add_typer(data.app)
app.add_typer(maps.app)
app.add_typer(pdb.app)
app.add_typer(select.app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"permove {__version__}")
        raise typer.Exit


@app.callback()
def permove(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Under a limit on planning per move, which algorithm gives the shortest paths?

    permove lets search agents that may plan only a little before every move walk many problems, and tables what
    their paths and their planning cost. Begin with `permove run -a 'lrta(d=1..5)' astar`.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line: 0 when done, 1 when a claim failed, 2 for bad input, 130 when interrupted."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        code = app(deal_out(words or ["--help"]), prog_name="permove", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has closed it, as `head` does, for which typer exits by itself; Python's own flush at
        # exit must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except typer.TyperException as error:
        return _refuse(error.format_message())
    except (InputError, OSError) as error:
        return _refuse(_sentence(error))


def _refuse(sentence: str) -> int:
    print(f"permove: {sentence}", file=sys.stderr)
    return 2


def _sentence(error: InputError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use {error.filename}: {error.strerror}; check the path and its permissions"
    return str(error)
