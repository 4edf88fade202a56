"""The list of all suites as a frame."""

from dataclasses import asdict

import polars as pl

from permove.data import catalogue

COLUMNS = {
    "name": pl.String(),
    "maps": pl.Int64(),
    "problems": pl.Int64(),
    "terrain": pl.String(),
    "diagonal": pl.String(),
}


def suites() -> pl.DataFrame:
    """Return all suites with their numbers of maps and problems, and their rules for terrain and diagonal moves.

    Some of MovingAI's collections have only maps; their number of problems is null.

        pm.suites().filter(pl.col("problems") > 1000)
    """
    return pl.DataFrame([asdict(info) for info in catalogue.suites()], schema=COLUMNS)
