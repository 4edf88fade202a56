"""Import of results of other programs into a copy of a run, marked as not measured by permove."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from permove.analysis.compatibility import PROBLEM
from permove.common.errors import InputError, reason
from permove.common.names import suggestion
from permove.common.terminal import note
from permove.common.text import printable
from permove.common.units import format_duration
from permove.data import Choice
from permove.records.columns import IDENTITY, SCHEMA
from permove.records.settings import ONCE, Settings
from permove.runs import store
from permove.runs.manifest import Start
from permove.runs.run import Run

PREFIX = "imported:"
"""The beginning of the identity of an imported agent."""

MARK = " (imported)"
"""The end of its label, so that every table, page and plot shows that permove did not measure it."""

HOST = "imported"
"""The machine of imported records."""

REQUIRED = ("agent", "map", "problem")
QUALITY = ("cost", "suboptimality")
"""One of these columns is required; the other one follows from it."""

NUMBERS = tuple(
    name
    for name, dtype in SCHEMA.items()
    if dtype.is_numeric() and name not in ("bucket", "optimal", "seed", "repeats", "disturbed")
)
TEXTS = ("agent", "set", "map", "status", "reason")
STATUS = ("solved", "cutoff", "travel-cap", "stuck", "illegal", "error", "hung", "failed")
ROUNDING = 1e-3
"""How far a cost may be below the optimum, as a share of it; programs print few digits."""


def import_results(file: Path | str, run: Run | Path | str, out: Path | str) -> Run:
    """Add the results of another program to a copy of a run in the folder `out`, and return that run.

    The file is CSV with one row for each agent and problem. Required columns are `agent`, `map`, `problem` (its number
    in the scenarios of the map, from 0) and `cost` or `suboptimality`; `set` is required if the run has several sets,
    and `expanded_max` or `time_max_ns` if the run has a limit on it. Other columns of records are optional, for example
    `expanded`, `moves` and `status`. Unknown columns are ignored with a note.

    The agents are marked in all tables and pages, and keep the rules of the run: if a planning step exceeds the run's
    limit, the agent is disqualified. The optima are those of the run. A cost below the optimum is an error, since the
    other program then used another map or other moves.

        pm.import_results("hog2.csv", "first", "with-hog2").report()
    """
    opened, path, target = run if isinstance(run, Run) else Run(run), Path(file), Path(out)
    if opened.settings.trials != ONCE:
        raise InputError(f"{opened.folder} is a run to convergence; import results into a run of single trials")
    if target.exists():
        raise InputError(f"{target} already exists; choose a new folder with --out")
    results = _checked(_read(path, opened), path, opened)
    records = _records(results, opened)
    agents = records["agent"].unique(maintain_order=True).to_list()
    manifest = replace(opened.manifest, starts=[*opened.manifest.starts, Start.now(sys.argv, agents, Choice(), jobs=1)])
    with store.Writer(target, manifest, any_machine=True) as writer:
        for chunk, _ in store.read_chunks(opened.folder):
            writer.write(chunk)
        writer.write(records)
    return Run(target)


def _read(path: Path, run: Run) -> pl.DataFrame:
    """Return the file with typed columns, and the number of each line."""
    try:
        # Everything is read as text first, so that an error can name the line of a wrong value.
        text = pl.read_csv(path.read_bytes(), infer_schema=False)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({reason(error)}); check the path and the permissions") from error
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"{path} is not a CSV file with a header ({str(error).splitlines()[0]}); correct it"
        ) from error
    several = run.records["set"].n_unique() > 1
    limits = {"expanded_max": run.settings.cutoff, "time_max_ns": run.settings.time_limit_ns}
    for name in (*REQUIRED, *(["set"] if several else [])):
        _require(name in text.columns, path, name, "each row needs it", text.columns)
    _require(any(name in text.columns for name in QUALITY), path, " or ".join(QUALITY), "one is needed", text.columns)
    for name, limit in limits.items():
        why = f"the run has a limit of {limit} on it"
        _require(limit is None or name in text.columns, path, name, why, text.columns)
    known = [name for name in text.columns if name in (*TEXTS, *NUMBERS)]
    if ignored := [name for name in text.columns if name not in known]:
        note(f"{path}: unknown columns are ignored: {printable(', '.join(ignored))}")
    results = text.select(known).with_row_index("line", offset=2)
    for name in known:
        if name in NUMBERS:
            results = results.with_columns(_number(results, name, path))
    return results


def _require(condition: bool, path: Path, name: str, why: str, columns: list[str]) -> None:
    if not condition:
        raise InputError(f"{path} has no column {name}: {why}; add it to the columns {printable(', '.join(columns))}")


def _number(results: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """Return a column as numbers of the type that records have."""
    text = results[name].str.strip_chars()
    values = text.cast(pl.Float64, strict=False)
    numbers = values.cast(SCHEMA[name], strict=False)
    is_wrong = text.is_not_null() & (values.is_null() | ~values.is_finite() | numbers.is_null() | (values < 0))
    if SCHEMA[name].is_integer():
        is_wrong |= values != values.floor()
    for line, value in (
        results.select("line", name).filter(is_wrong.fill_null(True) & text.is_not_null()).head(1).iter_rows()
    ):
        kind = "an integer" if SCHEMA[name].is_integer() else "a number"
        raise InputError(f"{path}:{line}: {name} is '{printable(value)}', expected {kind} of at least 0; correct it")
    return numbers.alias(name)


def _checked(results: pl.DataFrame, path: Path, run: Run) -> pl.DataFrame:
    """Return the results with the optima of their problems, or raise an error about the first invalid line."""
    if results.is_empty():
        raise InputError(f"{path} has no rows; export the results again")
    if "set" not in results.columns:
        results = results.with_columns(set=pl.lit(run.records["set"][0]))
    if "replica" not in results.columns:
        results = results.with_columns(replica=pl.lit(0, SCHEMA["replica"]))
    if "status" not in results.columns:
        results = results.with_columns(status=pl.lit("solved"))
    for name in ("agent", "map", "problem"):
        for (line,) in results.filter(pl.col(name).is_null()).select("line").head(1).iter_rows():
            raise InputError(f"{path}:{line}: the row has no {name}; add it")
    for line, value in results.filter(~pl.col("status").is_in(STATUS)).select("line", "status").head(1).iter_rows():
        raise InputError(
            f"{path}:{line}: unknown status '{printable(str(value))}'{suggestion(str(value), STATUS)}; correct it"
        )
    problems = run.records.select(*PROBLEM, "bucket", "optimal").unique(PROBLEM)
    found = results.join(problems, on=PROBLEM, how="left", maintain_order="left")
    for row in found.filter(pl.col("optimal").is_null()).head(1).iter_rows(named=True):
        place = f"problem {row['problem']} of {printable(row['set'])}/{printable(row['map'])}"
        names = run.records["map"].unique().sort().to_list()
        hint = suggestion(row["map"], names) if row["map"] not in names else ""
        raise InputError(f"{path}:{row['line']}: {run.folder} has no {place}{hint}; import only problems of the run")
    for row in results.filter(pl.struct(IDENTITY).is_duplicated()).sort("line").slice(1, 1).iter_rows(named=True):
        raise InputError(
            f"{path}:{row['line']}: {printable(row['agent'])} has a second row for problem {row['problem']} of "
            f"{printable(row['map'])}; keep one of them"
        )
    return _qualities(found, path)


def _qualities(found: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return the results with both cost and suboptimality of solved problems."""
    missing = [pl.lit(None, pl.Float64).alias(name) for name in QUALITY if name not in found.columns]
    found = found.with_columns(missing)
    found = found.with_columns(
        cost=pl.col("cost").fill_null(pl.col("suboptimality") * pl.col("optimal")),
        suboptimality=pl.col("suboptimality").fill_null(pl.col("cost") / pl.col("optimal")),
    )
    solved = found.filter(pl.col("status") == "solved")
    for (line,) in solved.filter(pl.col("cost").is_null()).select("line").head(1).iter_rows():
        raise InputError(f"{path}:{line}: the row is solved but has no cost; add it, or give another status")
    for row in solved.filter(pl.col("cost") < pl.col("optimal") * (1 - ROUNDING)).head(1).iter_rows(named=True):
        raise InputError(
            f"{path}:{row['line']}: the cost {row['cost']:g} is below the optimal cost {row['optimal']:g} of problem "
            f"{row['problem']} of {printable(row['map'])}; use the same map, and the same rule for diagonal moves"
        )
    for row in (
        solved.filter((pl.col("suboptimality") * pl.col("optimal") - pl.col("cost")).abs() > ROUNDING * pl.col("cost"))
        .head(1)
        .iter_rows(named=True)
    ):
        raise InputError(
            f"{path}:{row['line']}: cost {row['cost']:g} and suboptimality {row['suboptimality']:g} do not agree for "
            f"the optimal cost {row['optimal']:g}; give one of them"
        )
    return found


def _violations(settings: Settings) -> Iterator[tuple[pl.Expr, str, str]]:
    """Yield the limits of a run: the condition that a row exceeds it, its status and the reason."""
    if settings.alpha is not None:
        exceeds = (pl.col("status") == "solved") & (pl.col("suboptimality") > settings.alpha)
        yield exceeds, "travel-cap", f"travelled more than {settings.alpha:g} times the optimum"
    if settings.cutoff is not None:
        yield pl.col("expanded_max") > settings.cutoff, "cutoff", f"a move expanded more than {settings.cutoff} states"
    if settings.time_limit_ns is not None:
        limit = format_duration(settings.time_limit_ns)
        yield pl.col("time_max_ns") > settings.time_limit_ns, "cutoff", f"a move took longer than {limit}"


def _records(results: pl.DataFrame, run: Run) -> pl.DataFrame:
    """Return the results as records. Rows that exceed a limit of the run are not solved."""
    settings = run.settings
    status, why = pl.col("status"), pl.col("reason") if "reason" in results.columns else pl.lit(None, pl.String)
    for exceeds, kind, text in _violations(settings):
        status = pl.when(exceeds).then(pl.lit(kind)).otherwise(status)
        why = pl.when(exceeds).then(pl.lit(f"{text}, according to imported results")).otherwise(why)
    moves = (
        pl.when(pl.col("moves") > 0).then(pl.col("moves")) if "moves" in results.columns else pl.lit(None, pl.Float64)
    )
    ratios = {
        f"{name}_per_move{unit}": pl.col(f"{name}{unit}") / moves
        for name, unit in (("expanded", ""), ("touched", ""), ("time", "_ns"))
        if f"{name}{unit}" in results.columns and f"{name}_per_move{unit}" not in results.columns
    }
    solved = pl.col("status") == "solved"
    return (
        results.with_columns(
            status=status, reason=why, label=pl.col("agent") + MARK, agent=PREFIX + pl.col("agent"), **ratios
        )
        .with_columns(
            cost=pl.when(solved).then("cost"),
            suboptimality=pl.when(solved).then("suboptimality"),
            travel=pl.col("travel") if "travel" in results.columns else pl.when(solved).then("cost"),
            trials=pl.lit(1),
            sensor=pl.lit(settings.sensor),
            seed=pl.lit(settings.seed),
            host=pl.lit(HOST),
            cpu=pl.lit(HOST),
        )
        .pipe(
            lambda frame: frame.with_columns(pl.lit(None).alias(name) for name in SCHEMA if name not in frame.columns)
        )
        .select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())
    )
