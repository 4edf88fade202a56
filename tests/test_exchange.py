"""Export of runs, scenarios of ASlib, import of results of other programs, and references."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import permove as pm
from permove import _core
from permove.agents import citations
from permove.exchange.aslib import FOLDS
from permove.records.columns import SCHEMA
from support import invoke

AGENTS = ["astar", "lrta(d=1)", "rtaa(k=100)"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("exchange") / "run"
    return pm.run("embedded", AGENTS, cutoff=1000, limit=32, out=folder, progress=False)


def test_exported_tables_are_the_records(run: pm.Run, tmp_path: Path) -> None:
    for name, read in (("x.parquet", pl.read_parquet), ("x.arrow", pl.read_ipc)):
        pm.export(run, tmp_path / name)
        assert read(tmp_path / name).equals(run.records)
    pm.export(run, tmp_path / "x.csv")
    csv = pl.read_csv(tmp_path / "x.csv")
    assert csv.columns == [name for name in SCHEMA if not name.endswith("_histogram")]
    assert csv["expanded"].to_list() == run.records["expanded"].to_list()


def test_wide_table_has_a_column_for_each_agent(run: pm.Run, tmp_path: Path) -> None:
    invoke(f"export {run.folder} --wide --measure expanded -o {tmp_path / 'wide.csv'}")
    wide = pl.read_csv(tmp_path / "wide.csv")
    agents = run.records["agent"].unique(maintain_order=True).to_list()
    assert wide.columns == ["set", "map", "problem", "replica", "optimal", *agents]
    assert wide.height == 32
    for agent in agents:
        assert sorted(wide[agent]) == sorted(run.records.filter(pl.col("agent") == agent)["expanded"])


def arff(path: Path) -> tuple[dict[str, str], list[list[str]]]:
    """Read the attributes and rows of an ARFF file in which only algorithms are quoted."""
    lines = path.read_text().splitlines()
    attributes = dict(line.split(" ", 2)[1:] for line in lines if line.startswith("@ATTRIBUTE"))
    rows = lines[lines.index("@DATA") + 1 :]
    return attributes, [list(split(row)) for row in rows]


def split(row: str) -> Iterator[str]:
    for number, part in enumerate(row.split("'")):
        yield from [part] if number % 2 else [word for word in part.split(",") if word]


def test_aslib_scenario_has_every_part_of_the_specification(run: pm.Run, tmp_path: Path) -> None:
    invoke(f"export {run.folder} --format aslib -o {tmp_path / 'scenario'}")
    folder = tmp_path / "scenario"
    lines = (folder / "description.txt").read_text().splitlines()
    description: dict[str, Any] = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}
    assert description["performance_measures"] == ["suboptimality"]
    assert description["algorithm_cutoff_time"] == run.settings.alpha
    (step,) = description["feature_steps"]
    assert description["feature_steps"][step]["provides"] == _core.survey_features()
    attributes, runs = arff(folder / "algorithm_runs.arff")
    assert list(attributes) == ["instance_id", "repetition", "algorithm", "suboptimality", "runstatus"]
    expected = {
        (f"{row['set']}/{row['map']}/{row['problem']}", row["agent"]): row for row in run.records.iter_rows(named=True)
    }
    assert len(runs) == len(expected)
    for instance, repetition, agent, value, status in runs:
        record = expected.pop((instance, agent))
        assert (repetition, status) == ("1", "ok" if record["status"] == "solved" else "timeout")
        assert float(value) == (record["suboptimality"] if status == "ok" else run.settings.alpha)
    assert not expected
    instances = {row[0] for row in runs}
    for name in ("feature_values", "feature_runstatus", "feature_costs", "ground_truth", "cv"):
        attributes, rows = arff(folder / f"{name}.arff")
        assert {row[0] for row in rows} == instances
        assert all(len(row) == len(attributes) for row in rows)
    folds: dict[str, set[str]] = {}
    for instance, _, fold in arff(folder / "cv.arff")[1]:
        folds.setdefault(instance.rpartition("/")[0], set()).add(fold)
    assert {len(each) for each in folds.values()} == {1}, "the problems of a map are in one fold"
    assert {fold for each in folds.values() for fold in each} == {str(fold) for fold in range(1, FOLDS + 1)}
    assert (folder / "citation.bib").read_text() == run.citations


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("-o x.csv --wide --measure expandd", ["expandd", "did you mean expanded"]),
        ("-o x.csv --wide --measure time_max_ns", ["no record", "--timed"]),
        ("-o x.xlsx", ["x.xlsx", "csv, parquet, arrow, aslib"]),
        ("-o full --format aslib", ["full already exists"]),
    ],
)
def test_impossible_export_prints_error(run: pm.Run, options: str, words: list[str]) -> None:
    Path("full").mkdir()
    Path("full/file").touch()
    error = invoke(f"export {run.folder} {options}", code=2).stderr
    assert len(error.splitlines()) == 1
    assert all(word in error for word in words), error
    assert not list(Path().glob("x.*"))


def results(run: pm.Run, **columns: Any) -> pl.DataFrame:
    """Return results of another program: those of RTAA*, a little worse."""
    rows = run.records.filter(pl.col("label") == "RTAA* (k=100)")
    frame = rows.select(
        "map", "problem", pl.col("cost") * 1.5, "moves", "expanded", "expanded_max", agent=pl.lit("HOG2")
    )
    return frame.with_columns(**columns)


def test_imported_results_are_marked_and_compared(run: pm.Run) -> None:
    results(run).write_csv("hog2.csv")
    before = sorted(path.name for path in run.folder.rglob("*"))
    table = invoke(f"import-results hog2.csv {run.folder} --out joined").stdout
    assert "HOG2 (imported)" in table
    joined = pm.Run("joined")
    assert joined.records.height == run.records.height + 32
    imported = joined.records.filter(pl.col("agent") == "imported:HOG2")
    assert set(imported["host"]) == {"imported"}
    assert (imported["suboptimality"] - imported["cost"] / imported["optimal"]).abs().max() == 0
    assert sorted(path.name for path in run.folder.rglob("*")) == before
    assert "imported:HOG2" in invoke("", "compare", "joined", "HOG2", "--against", "all", code=2).stderr
    words = ["compare", "joined", "HOG2 (imported)", "rtaa(k=100)"]
    assert "HOG2 (imported) is worse than RTAA* (k=100)" in " ".join(invoke("", *words).stdout.split())
    assert "HOG2 (imported)" in invoke("guide joined --explain 900").stdout
    assert "% imported:HOG2 is not in permove's catalogue" in invoke("cite joined").stdout


def test_imported_results_keep_the_limits_of_the_run(run: pm.Run) -> None:
    results(run, expanded_max=pl.lit(1001)).write_csv("over.csv")
    joined = pm.import_results("over.csv", run, "joined")
    imported = joined.records.filter(pl.col("agent") == "imported:HOG2")
    assert set(imported["status"]) == {"cutoff"}
    assert imported["cost"].null_count() == imported.height
    assert "according to imported results" in imported["reason"][0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.drop("map"), ["hog2.csv has no column map"]),
        (lambda frame: frame.drop("cost"), ["cost or suboptimality"]),
        (lambda frame: frame.drop("expanded_max"), ["expanded_max", "limit of 1000"]),
        (lambda frame: pl.concat([frame, frame.tail(1)]), ["hog2.csv:34", "a second row"]),
        (lambda frame: frame.with_columns(map=pl.lit("arena")), ["hog2.csv:2", "arena", "only problems of the run"]),
        (lambda frame: frame.with_columns(problem=pl.lit(100_000)), ["no problem 100000"]),
        (lambda frame: frame.with_columns(moves=pl.lit("many")), ["moves is 'many'", "integer"]),
        (lambda frame: frame.with_columns(cost=pl.lit(-1.0)), ["hog2.csv:2: cost is '-1.0'"]),
        (lambda frame: frame.with_columns(cost=pl.lit(0.5)), ["below the optimal cost"]),
        (lambda frame: frame.with_columns(cost=pl.lit(None)), ["hog2.csv:2", "no cost"]),
        (lambda frame: frame.with_columns(suboptimality=pl.lit(3.25)), ["do not agree"]),
        (lambda frame: frame.with_columns(status=pl.lit("solvd")), ["solvd", "did you mean solved"]),
        (lambda frame: frame.clear(), ["no rows"]),
    ],
)
def test_invalid_results_print_error(run: pm.Run, change: Any, words: list[str]) -> None:
    change(results(run)).write_csv("hog2.csv")
    error = invoke(f"import-results hog2.csv {run.folder} --out joined", code=2).stderr
    assert len(error.splitlines()) == 1
    assert all(word in error for word in words), error
    assert not Path("joined").exists()


def test_every_reference_of_the_catalogue_has_an_entry() -> None:
    missing = {
        f"{info.name}: {info.paper}"
        for info in _core.catalogue()
        if not info.paper or not set(citations.keys_of(info.paper)) <= citations.entries().keys()
    }
    assert not missing, "add these to python/permove/agents/citations.bib"


def test_citations_are_those_of_the_agents(run: pm.Run) -> None:
    text = invoke(f"cite {run.folder}").stdout
    assert text == run.citations
    keys = {line.partition("{")[2].rstrip(",") for line in text.splitlines() if line.startswith("@")}
    assert {"permove", "hart-1968", "korf-1990", "rtaa-2006"} <= keys
    assert not keys & {"dijkstra-1959", citations.BENCHMARKS}
    assert text.count("{") == text.count("}")
