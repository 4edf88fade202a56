"""Replicas: each problem with several tie orders or seeds, and statistics that treat the problem as their unit."""

import math
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove.analysis.compatibility import check_compatible
from permove.analysis.replicas import by_problem
from permove.records.columns import IDENTITY, SCHEMA
from permove.select.scores import scores
from support import assert_same_records, invoke, records, rejects, replace_chunk, small_maps

COUNTS = ("moves", "expanded", "touched", "cost")
DIRECTIONS = ("n", "e", "s", "w", "ne", "se", "sw", "nw")


def run(agents: str | list[str], folder: Path, **settings: Any) -> pm.Run:
    small = {"maps": small_maps()[:1], "limit": 5, "progress": False}
    return pm.run("embedded", agents, out=folder, **{**small, **settings})


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    return run(["lrta(d=1)", "rtaa(k=10, ties=random)"], tmp_path_factory.mktemp("three") / "run", replicas=3)


def counts(run: pm.Run, **where: Any) -> list[tuple[Any, ...]]:
    return run.records.filter(**where).sort(IDENTITY).select("problem", *COUNTS).rows()


def test_every_replica_has_a_record_with_its_number(three: pm.Run) -> None:
    assert three.records.height == 2 * 5 * 3
    assert three.records["replica"].dtype == pl.UInt32
    assert three.records.select(IDENTITY).is_unique().all()
    assert sorted(three.records["replica"].unique()) == [0, 1, 2]
    assert three.title == "embedded, travel cap 1,000, 3 replicas"


def test_a_replica_has_the_next_tie_order(tmp_path: Path) -> None:
    found = run("lrta(d=1)", tmp_path / "all", replicas=8)
    for replica, direction in enumerate(DIRECTIONS):
        same = run(f"lrta(d=1, ties={direction})", tmp_path / direction)
        assert counts(found, replica=replica) == counts(same)
    orders = [counts(found, replica=replica) for replica in range(8)]
    assert all(one != other for one, other in pairwise(orders))


def test_a_replica_with_random_ties_has_the_next_seed(three: pm.Run, tmp_path: Path) -> None:
    agent = "rtaa(k=10, ties=random)"
    spec = three.records["agent"].unique().sort()[1]
    for replica in range(3):
        # The sample of problems depends on the seed, so the same problems are found by their numbers.
        other = pm.run(
            "embedded", agent, maps=small_maps()[:1], seed=replica, out=tmp_path / str(replica), progress=False
        )
        mine = three.records.filter(agent=spec, replica=replica)
        same = other.records.join(mine, on=["set", "map", "problem"], how="semi")
        assert same.select(COUNTS).rows() == mine.select(COUNTS).rows()


def test_a_plug_in_has_the_tie_orders_of_the_built_in_agent(tmp_path: Path) -> None:
    invoke("new-agent mine")
    found = run([f"{tmp_path}/mine.py:Mine", "lrta(d=1)"], tmp_path / "run", replicas=6, limit=2)
    mine, built_in = found.records.sort(IDENTITY).partition_by("agent")
    assert mine.select(COUNTS).rows() == built_in.select(COUNTS).rows()
    assert mine.filter(replica=0).select(COUNTS).rows() != mine.filter(replica=5).select(COUNTS).rows()


def test_the_number_of_threads_does_not_change_replicas_and_they_resume(three: pm.Run, tmp_path: Path) -> None:
    again = run(["lrta(d=1)", "rtaa(k=10, ties=random)"], tmp_path / "run", replicas=3, jobs=1)
    assert_same_records(again, three)
    first = run("lrta(d=1)", tmp_path / "more", replicas=3).records
    more = run(["lrta(d=1)", "rtaa(k=10, ties=random)"], tmp_path / "more", replicas=3)
    kept = more.records.filter(pl.col("agent").str.starts_with("lrta"))
    assert_frame_equal(kept, first)


def test_shards_with_replicas_merge_to_the_whole_run(three: pm.Run, tmp_path: Path) -> None:
    agents = ["lrta(d=1)", "rtaa(k=10, ties=random)"]
    parts = [run(agents, tmp_path / f"{part}", replicas=3, shard=f"{part}/2").folder for part in (1, 2)]
    merged = pm.merge(parts, tmp_path / "merged").run
    assert_same_records(merged, three)


def test_runs_with_another_number_of_replicas_are_not_combined(three: pm.Run) -> None:
    with rejects("replicas 3, not 1"):
        run("lrta(d=1)", three.folder)


def test_a_problem_is_the_mean_over_its_replicas_and_the_worst_of_its_worsts() -> None:
    raw = records(
        {"replica": 0, "cost": 12.0, "suboptimality": 1.2, "moves": 12, "expanded": 12, "expanded_max": 5},
        {
            "replica": 1,
            "cost": 20.0,
            "suboptimality": 2.0,
            "moves": 20,
            "expanded": 60,
            "expanded_max": 9,
            "expanded_max_move": 7,
        },
        {"problem": 1, "replica": 0},
        {"problem": 1, "replica": 1, "status": "travel-cap", "cost": None, "suboptimality": None, "reason": "far"},
        {"problem": 2, "replica": 0, "status": "travel-cap", "reason": "far"},
        {"problem": 2, "replica": 1, "status": "cutoff", "reason": "over"},
    )
    combined = by_problem(raw)
    assert combined.columns == SCHEMA.names()
    first = combined.row(0, named=True)
    expected = {
        "suboptimality": 1.6,
        "moves": 16,
        "expanded": 36,
        "expanded_per_move": 36 / 16,
        "expanded_max": 9,
        "expanded_max_move": 7,
        "status": "solved",
    }
    assert {name: first[name] for name in expected} == pytest.approx(expected)
    assert combined.select("status", "reason").rows()[1:] == [("travel-cap", "far"), ("cutoff", "over")]
    check_compatible(combined)
    with rejects("contain replicas; pass `Run.by_problem`"):
        check_compatible(raw)


def test_a_run_without_replicas_is_not_changed() -> None:
    plain = records({"problem": 0}, {"problem": 1})
    assert by_problem(plain) is plain


def test_the_table_shows_the_deviation_between_replicas_and_the_error_over_problems(three: pm.Run) -> None:
    frame = three.tradeoff()
    for row in frame.iter_rows(named=True):
        own = three.records.filter(agent=row["agent"])
        means = [part["suboptimality"].mean() for part in own.partition_by("replica")]
        assert row["replica_sd"] == pytest.approx(statistics.stdev(means))
        problems = [part["suboptimality"].mean() for part in own.partition_by("set", "map", "problem")]
        assert row["problems"] == len(problems) == 5
        assert row["suboptimality"] == pytest.approx(statistics.mean(problems))
        assert row["suboptimality_se"] == pytest.approx(statistics.stdev(problems) / math.sqrt(5))
    printed = invoke("report", three.folder).stdout
    assert printed.split("\n")[3].split() == [
        *("agent", "solved", "subopt.", "replicas", "subopt.", "per", "move", "move", "per", "move")
    ]
    assert "“between replicas” the standard deviation" in " ".join(printed.split())


def test_a_table_without_replicas_has_no_column_for_them(tmp_path: Path) -> None:
    one = run("lrta(d=1)", tmp_path / "run")
    assert "replica_sd" not in one.tradeoff().columns
    assert "replicas" not in invoke("report", one.folder).stdout


def test_guide_comparison_views_and_page_use_one_row_per_problem(three: pm.Run, tmp_path: Path) -> None:
    candidates = three.guide().candidates
    worst = three.records.group_by("agent").agg(pl.col("expanded_max").max()).sort("agent")
    assert candidates.sort("agent")["worst"].to_list() == worst["expanded_max"].to_list()
    assert set(candidates["problems"]) == {5}
    agents = three.records["agent"].unique().sort()
    pair = pm.compare(three, agents[0], agents[1]).pairs.row(0, named=True)
    assert pair["wins"] + pair["ties"] + pair["losses"] == pair["problems"] == 5
    for name in ("tradeoff", "scaling"):
        assert three.view(name).frame.height > 0
    three.report("html", tmp_path / "page.html")


def test_replicas_converge_separately(tmp_path: Path) -> None:
    found = run("lrta(d=1)", tmp_path / "run", replicas=2, trials="converge", limit=3)
    sums = found.trials.group_by(IDENTITY).agg(pl.col("travel").sum(), trials=pl.len()).sort(IDENTITY)
    assert sums["travel"].to_list() == pytest.approx(found.records["travel"].to_list())
    assert sums["trials"].to_list() == found.records["trials"].to_list()
    row = found.convergence().row(0, named=True)
    means = [part["travel"].mean() for part in found.records.partition_by("replica")]
    assert row["replica_sd"] == pytest.approx(statistics.stdev(means))
    curve = found.view("convergence").frame
    assert set(curve["problems"]) == {3}
    first = found.trials.filter(trial=1)
    assert curve.filter(trial=1)["value"].item() == pytest.approx((first["travel"] / first["optimal"]).mean())


def test_records_of_earlier_versions_are_those_of_the_first_replica(tmp_path: Path) -> None:
    old = run("lrta(d=1)", tmp_path / "run", trials="converge")
    expected = old.records, old.trials
    for chunk in [*old.folder.glob("records/*.parquet"), *old.folder.glob("trials/*.parquet")]:
        replace_chunk(chunk, pl.read_parquet(chunk, memory_map=False).drop("replica"))
    again = run(["lrta(d=1)", "astar"], tmp_path / "run", trials="converge")
    is_old = pl.col("agent").str.starts_with("lrta")
    assert_frame_equal(again.records.filter(is_old), expected[0])
    assert_frame_equal(again.trials.filter(is_old), expected[1])
    assert again.records.height == 2 * expected[0].height


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"replicas": 9}, "replicas 9 is out of range; it must be at least 1 and at most 8"),
        ({"replicas": 0}, "replicas 0 is out of range"),
        ({"replicas": 2, "trace": True}, "omit --trace or --replicas"),
    ],
)
def test_impossible_replicas_are_rejected(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with rejects(message):
        run("lrta(d=1)", tmp_path / "run", **settings)


def test_maps_without_diagonal_moves_have_four_tie_orders(tmp_path: Path) -> None:
    options = {"maps": ["rooms-128"], "limit": 3, "progress": False}
    with rejects("only 4 orders of ties without diagonal moves, not 5; use --replicas 4"):
        pm.run("embedded@none", "lrta(d=1)", replicas=5, out=tmp_path / "five", **options)
    found = pm.run("embedded@none", "lrta(d=1)", replicas=4, out=tmp_path / "four", **options)
    orders = [counts(found, replica=replica) for replica in range(4)]
    assert all(one != other for one, other in pairwise(orders))


def test_selection_needs_a_run_without_replicas(three: pm.Run) -> None:
    with rejects("several records per problem; use a run without --replicas"):
        scores([three])
