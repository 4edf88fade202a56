"""`permove rerun`: repeat a run from its manifest, and compare the records."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from permove.cli import completion
from permove.cli.interrupts import report_interrupt
from permove.cli.options import FormatOption, OutputOption, with_options
from permove.common.terminal import console
from permove.report.formats import Format
from permove.runs.rerun import rerun as repeat

EXAMPLES = ("permove rerun first", "permove rerun first --out second --jobs 1")


@with_options("out", "jobs")
def rerun(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN", autocompletion=completion.runs)],
    *,
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
    **options: Any,
) -> None:
    """Repeat a run from its manifest and compare the records.

    Runs the same agents on the same problems with the same settings, in another folder (default: RUN-again), and shows
    the table of the new run. The number of threads does not matter. Relative paths of suites and plug-ins are relative
    to the current folder.

    The exit code is 1 if a record differs in anything but times and machines.
    """
    with report_interrupt():
        found = repeat(run, command=sys.argv, **options)
    found.run.report(format, output)
    notes, count = console(stderr=True), found.differing.height
    notes.print(f"Records: {found.run.folder}", soft_wrap=True)
    if count == 0:
        notes.print(f"All {found.equal:,} records equal those of {run}, apart from times.", soft_wrap=True)
        return
    agent, *place, problem, _ = found.differing.row(0)
    notes.print(
        f"{count:,} records differ from those of {run}, the first of {agent} on {'/'.join(place)}, problem {problem}; "
        f"{found.equal:,} are equal.",
        soft_wrap=True,
    )
    raise typer.Exit(1)
