"""`permove cite`: print the references of a run."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import OutputOption
from permove.report.formats import put
from permove.runs.run import Run

EXAMPLES = ("permove cite first", "permove cite first -o references.bib")


def cite(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    output: OutputOption = None,
) -> None:
    """Print the references of a run as BibTeX.

    The entries are the papers that define the agents of the run, permove itself, and the paper about
    MovingAI's maps if the run uses them. Plug-ins and imported results are named in comments.
    """
    put(Run(run).citations, output)
