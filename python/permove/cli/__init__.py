"""The command line: one file per command, which is loaded when the command is used.

Errors that a user can cause are printed as one sentence on the error stream, without a traceback; the exit code is 2.
"""

import io
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version as installed
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from permove.cli.multi_value_options import repeat_options
from permove.common.errors import InputError
from permove.common.text import is_text, printable

COMMANDS = {
    "run": "Run agents on a suite and show the trade-off.",
    "rerun": "Repeat a run from its manifest and compare the records.",
    "solve": "Run one agent on one problem and show its path.",
    "report": "Show the results of a run as a table, a view or a page.",
    "guide": "Show the best agent for each limit on planning per move.",
    "replay": "Write a page that replays trials move by move.",
    "compare": "Compare agents of a run, paired over problems.",
    "reproduce": "Repeat the measurements of a paper.",
    "train": "Train decision trees that choose the depth of LRTA*.",
    "merge": "Join runs, such as the shards of one run.",
    "export": "Write the records of a run for other programs.",
    "import-results": "Add results of another program to a copy of a run.",
    "cite": "Print the references of a run as BibTeX.",
    "agents": "List the agents, or show one with its parameters.",
    "new-agent": "Write an example of a plug-in with its test.",
    "panels": "List the panels, which are named sets of baselines.",
    "suites": "List the suites of problems.",
    "data": "Import, fetch and list MovingAI's collections.",
    "maps": "Generate, convert and show maps, and draw problems.",
    "pdb": "Build, show and remove pattern databases.",
    "select": "Explore the space of algorithms and select from it.",
}
"""Every command with the first line of its help; the file `NAME.py` defines the command."""

WELCOME = """permove measures search agents that may plan only a little per move. Try these commands:

  permove run --limit 40 --panel real-time --cutoff 1000 --out first
  permove guide first
  permove report first --format html -o first.html

They run 23 agents on 40 problems, print the best agent for each limit on
planning per move, and write a page with plots. `permove --help` lists all
commands, and `permove --install-completion` completes them in your shell."""

COMPLETION = "_PERMOVE_COMPLETE"
"""The variable by which the shell asks for completions."""

HELP_NAMES = ["-h", "--help"]


class _Commands(TyperGroup):
    """Commands that are listed without being loaded."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, short_help=line) for name, line in COMMANDS.items()}

    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)
        _without_types(params)
        return params

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Typer would exit without a message.
            raise typer.Exit(_interrupted()) from None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(str(name)), rest


def load(name: str) -> Any:
    """Return a command or a group of commands, loaded from its file."""
    module = import_module(f"permove.cli.{name.replace('-', '_')}")
    if hasattr(module, "app"):
        return _without_types_of_flags(typer.main.get_command(module.app))
    from permove.cli.options import examples_help

    app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    epilog = "\n\n".join([*map(str, getattr(module, "EPILOG", ())), examples_help(*module.EXAMPLES)])
    settings = {"ignore_unknown_options": getattr(module, "OWN_OPTIONS", False)}
    app.command(name, epilog=epilog, context_settings=settings)(getattr(module, name.replace("-", "_")))
    return _without_types_of_flags(typer.main.get_command(app))


def _without_types_of_flags(command: Any) -> Any:
    """Remove the type `<bool>` of flags from the help, since flags take no value."""
    for each in (command, *getattr(command, "commands", {}).values()):
        _without_types(each.get_params(typer.Context(each, help_option_names=HELP_NAMES)))
    return command


def _without_types(parameters: Iterable[Any]) -> None:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""


app = typer.Typer(
    name="permove",
    cls=_Commands,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": HELP_NAMES},
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
    """Measure search agents that may plan only a little per move.

    Under a limit on planning per move, which algorithm finds the shortest paths? permove runs agents on many problems
    and shows the cost of their paths and of their planning in a table. Start with
    `permove run -a 'lrta(d=1..5)' astar`.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line: 0 for success, 1 if a claim failed, 2 for bad input, 130 if interrupted."""
    words = sys.argv[1:] if arguments is None else arguments
    if sys.platform == "win32":
        # The encoding of pipes and files there lacks characters of the tables.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8")
    if bad := next((word for word in words if not is_text(word)), None):
        return _fail(f"the argument '{bad}' is not valid UTF-8; use a name in UTF-8")
    try:
        if not words and COMPLETION not in os.environ:
            print(WELCOME)
            return 0
        code = app(repeat_options(words), prog_name="permove", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (BrokenPipeError, SystemExit):
        # The reader has closed the pipe, as `head` does. Python must not report an error when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except typer.TyperException as error:
        return _fail(error.format_message())
    except (InputError, OSError) as error:
        return _fail(_sentence(error))
    except MemoryError:
        return _fail("there is not enough memory; use smaller maps or fewer problems, or --jobs with fewer threads")
    except KeyboardInterrupt:
        return _interrupted()


def _interrupted() -> int:
    print("permove: interrupted", file=sys.stderr)
    return 130


def _fail(sentence: str) -> int:
    print(f"permove: {printable(sentence)}", file=sys.stderr)
    return 2


def _sentence(error: InputError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use {error.filename}: {error.strerror}; check the path and its permissions"
    return str(error)
