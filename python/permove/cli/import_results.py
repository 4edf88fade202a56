"""`permove import-results`: compare results of another program with a run."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import FormatOption, OutputOption
from permove.exchange import importing
from permove.report.formats import Format

EXAMPLES = (
    "permove import-results hog2.csv first --out with-hog2",
    "permove compare with-hog2 'HOG2 RTAA* (imported)' --against all",
)


def import_results(
    file: Annotated[Path, typer.Argument(help="CSV file with results.", metavar="FILE.csv")],
    run: Annotated[Path, typer.Argument(help="Folder of a run on the same problems.", metavar="RUN")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the new run.", metavar="DIR")],
    format: FormatOption = Format.TABLE,
    output: OutputOption = None,
) -> None:
    """Add results of another program to a copy of a run.

    The file has one row per agent and problem, with the columns `agent`, `map`, `problem` (the number in the scenarios
    of the map, from 0) and `cost` or `suboptimality`. `set` is required if the run has several sets, and `expanded_max`
    or `time_max_ns` if the run has a limit on it. Other columns of records, such as `expanded`, `moves` and `status`,
    are optional. `permove export RUN -o example.csv` shows all columns.

    Imported agents are marked in all tables and pages, since permove did not measure them: it cannot check their
    counts. Their costs are checked against the optima of the run. The run itself does not change.
    """
    importing.import_results(file, run, out).report(format, output)
