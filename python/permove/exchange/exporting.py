"""Export of the records of a run: long or wide tables as CSV, Parquet or Arrow, and scenarios of ASlib."""

from enum import StrEnum
from io import BytesIO
from pathlib import Path

import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.analysis.measures import find
from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.exchange import aslib
from permove.records.columns import HISTOGRAM
from permove.report.formats import csv_text
from permove.runs.run import Run

KEYS = (*PROBLEM, "replica", "optimal")
"""The first columns of a wide table."""


class ExportFormat(StrEnum):
    """Formats of exported records."""

    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"
    ASLIB = "aslib"


def export(
    run: Run | Path | str,
    output: Path | str,
    format: ExportFormat | str | None = None,
    *,
    wide: bool = False,
    measure: str = "suboptimality",
    seed: int = 0,
) -> list[Path]:
    """Write the records of a run for other programs, and return the written files.

    A long table has one row for each agent, problem and replica, with all columns of the records. A `wide` table has
    one row for each problem and replica, and one column for each agent with the values of the `measure`. The format is
    that of the suffix of `output` unless given: `csv`, `parquet` or `arrow` (the file format of Arrow, version 2 of
    Feather). CSV has no lists, so it has no histograms, and joins other lists by spaces.

    The format `aslib` writes a folder: an algorithm-selection scenario of ASlib with the `measure` as performance, the
    status of all runs, features of all problems, and folds, which keep the problems of a map together and depend on
    the `seed`.

        pm.export("first", "first.parquet")
        pm.export("first", "expanded.csv", wide=True, measure="expanded")
        pm.export("first", "scenario", "aslib")
    """
    opened, path = run if isinstance(run, Run) else Run(run), Path(output)
    chosen = _format(path, format)
    if opened.records.is_empty():
        raise InputError(f"{opened.folder} has no records to export; finish the run first")
    if wide or chosen is ExportFormat.ASLIB:
        _check_measure(measure, opened.records)
    if chosen is ExportFormat.ASLIB:
        return aslib.write(opened, path, measure, seed)
    write_atomic(path, _content(wide_table(opened.records, measure) if wide else opened.records, chosen))
    return [path]


def wide_table(records: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return one row per problem and replica, with a column of the measure for each agent."""
    return records.pivot("agent", index=KEYS, values=measure, maintain_order=True)


def _format(path: Path, format: ExportFormat | str | None) -> ExportFormat:
    name = path.suffix.removeprefix(".") if format is None else str(format)
    if name not in [*ExportFormat]:
        what = f"the suffix of {path} is not a format" if format is None else f"unknown format '{name}'"
        raise InputError(f"{what}; use --format {', '.join(ExportFormat)}")
    return ExportFormat(name)


def _check_measure(measure: str, records: pl.DataFrame) -> None:
    if records[find(measure).column].is_null().all():
        remedy = "run with --timed to measure it" if measure.endswith("_ns") else "export another --measure"
        raise InputError(f"no record of the run has a value of {measure}; {remedy}")


def _content(frame: pl.DataFrame, format: ExportFormat) -> bytes:
    if format is ExportFormat.CSV:
        return csv_text(frame.drop(name for name, dtype in frame.schema.items() if dtype == HISTOGRAM)).encode()
    buffer = BytesIO()
    if format is ExportFormat.PARQUET:
        frame.write_parquet(buffer)
    else:
        # Older readers know strings only in this layout.
        frame.write_ipc(buffer, compat_level=pl.CompatLevel.oldest())
    return buffer.getvalue()
