"""The command line: one file per command, which is loaded when the command is used.

Errors that a user can cause are printed as one sentence on the error stream, without a traceback; the exit code is 2.
"""

import os
import sys
from importlib import import_module
from importlib.metadata import version as installed
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from permove.cli.multi_value_options import repeat_options
from permove.common.errors import InputError

COMMANDS = {
    "run": "Run agents on a suite and show the trade-off.",
    "solve": "Run one agent on one problem, with a picture.",
    "report": "Show the table, a view or the page of a run.",
    "guide": "Show the best agent for every limit per move.",
    "replay": "Show recorded trials move by move in a browser.",
    "compare": "Compare agents of a run, paired over problems.",
    "reproduce": "Measure what a paper measured.",
    "train": "Train decision trees that choose LRTA*'s lookahead.",
    "merge": "Join runs, such as the shards of one run.",
    "agents": "List the agents, or show one with its parameters.",
    "new-agent": "Write an example of a plug-in with its test.",
    "panels": "List named sets of baselines.",
    "suites": "List the suites of problems.",
    "data": "Import, fetch and list MovingAI's collections.",
    "maps": "Generate maps and problems, and look at maps.",
    "pdb": "Build pattern databases and look at them.",
    "select": "Explore and select from the space of algorithms.",
}
"""Every command with its line in `permove --help`; the file `NAME.py` defines it."""


class _Commands(TyperGroup):
    """Commands that are listed without being loaded."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, short_help=line) for name, line in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(str(name)), rest


def load(name: str) -> Any:
    """Return a command or a group of commands, loaded from its file."""
    module = import_module(f"permove.cli.{name.replace('-', '_')}")
    if hasattr(module, "app"):
        return typer.main.get_command(module.app)
    from permove.cli.options import examples_help

    app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    epilog = "\n\n".join([*map(str, getattr(module, "EPILOG", ())), examples_help(*module.EXAMPLES)])
    settings = {"ignore_unknown_options": getattr(module, "OWN_OPTIONS", False)}
    app.command(name, epilog=epilog, context_settings=settings)(getattr(module, name.replace("-", "_")))
    return typer.main.get_command(app)


app = typer.Typer(
    name="permove",
    cls=_Commands,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"permove {installed('permove')}")
        raise typer.Exit


@app.callback()
def permove(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Under a limit on planning per move, which algorithm finds the shortest paths?

    permove runs search agents that may plan only a bounded amount before each move on many problems, and tabulates the
    costs of their paths and of their planning. Start with `permove run -a 'lrta(d=1..5)' astar`.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line: 0 for success, 1 if a claim failed, 2 for bad input, 130 if interrupted."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        code = app(repeat_options(words or ["--help"]), prog_name="permove", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (BrokenPipeError, SystemExit):
        # The reader of our output has closed it, as `head` does; Python's own flush at exit must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except typer.TyperException as error:
        return _fail(error.format_message())
    except (InputError, OSError) as error:
        return _fail(_sentence(error))


def _fail(sentence: str) -> int:
    print(f"permove: {sentence}", file=sys.stderr)
    return 2


def _sentence(error: InputError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use {error.filename}: {error.strerror}; check the path and its permissions"
    return str(error)
