"""`permove export`: write the records of a run for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from permove.cli.options import SeedOption
from permove.common.terminal import console
from permove.exchange import exporting
from permove.exchange.exporting import ExportFormat

EXAMPLES = (
    "permove export first -o first.parquet",
    "permove export first -o first.csv",
    "permove export first --wide --measure expanded_per_move -o expanded.csv",
    "permove export first --format aslib -o scenario",
)


def export(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write to this file, or folder for aslib.", metavar="PATH")
    ],
    format: Annotated[
        ExportFormat | None,
        typer.Option("--format", help="Format (default: the suffix of PATH).", metavar="csv|parquet|arrow|aslib"),
    ] = None,
    wide: Annotated[
        bool, typer.Option("--wide", help="Write one column per agent, with the values of a measure.")
    ] = False,
    measure: Annotated[
        str, typer.Option("--measure", help="The measure of wide tables and scenarios.", metavar="MEASURE")
    ] = "suboptimality",
    seed: SeedOption = 0,
) -> None:
    """Write the records of a run for other programs.

    A long table has one row per agent, problem and replica, with all columns of the records. `--wide` writes one row
    per problem, with one column per agent. CSV has no histograms.

    `--format aslib` writes a scenario for algorithm selection, as in the Algorithm Selection Library: the values of the
    measure and the status of every run, features of all problems with their costs, and folds for cross-validation that
    keep the problems of a map together.
    """
    files = exporting.export(run, output, format, wide=wide, measure=measure, seed=seed)
    what = f"{len(files)} files in {output}" if len(files) > 1 else str(output)
    console(stderr=True).print(f"Wrote {what}.", soft_wrap=True)
