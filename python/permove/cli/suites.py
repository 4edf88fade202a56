"""`permove suites`: list the suites of problems."""

from dataclasses import asdict

import polars as pl

from permove import data
from permove.cli.options import FormatOption, OutputOption
from permove.report.formats import Format, show

EXAMPLES = ("permove suites", "permove suites --format json -o suites.json")

COLUMNS = {
    "name": pl.String(),
    "maps": pl.Int64(),
    "problems": pl.Int64(),
    "terrain": pl.String(),
    "diagonal": pl.String(),
}


def suites(format: FormatOption = Format.TABLE, output: OutputOption = None) -> None:
    """List the suites of problems.

    The table shows their numbers of maps and problems. Some of MovingAI's collections have only maps.
    """
    frame = pl.DataFrame([asdict(info) for info in data.suites()], schema=COLUMNS)
    show(frame, "Suites", format, output)
