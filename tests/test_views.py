"""Views of a run: fronts and dominance, scaling, amortization and convergence curves."""

import json
import math
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import permove as pm
from permove.analysis.amortization import recouped
from permove.analysis.convergence_curves import convergence_curves
from permove.analysis.dominance import ratios
from permove.analysis.measures import MEASURES, Table, find
from permove.analysis.pareto import pareto
from permove.analysis.scaling import scaling
from permove.analysis.scores import SCORES
from permove.analysis.tradeoff import tradeoff
from permove.records.columns import TRIALS
from permove.views import VIEWS
from support import error_of, invoke, records, rejects, small_maps, widest

SUBOPTIMALITY, PLANNING = MEASURES["suboptimality"], MEASURES["expanded_per_move"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("views") / "run"
    agents = ["lrta(d={1,3})", "rtaa(k={10,100})", "pra(k=4)", "astar"]
    return pm.run("embedded", agents, maps=small_maps(), limit=24, out=folder, progress=False)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("views") / "learned"
    agents = ["rtaa(k={30,300})"]
    return pm.run("embedded", agents, maps=small_maps()[:1], limit=6, out=folder, trials="converge", progress=False)


def test_averages_are_those_of_the_tradeoff(run: pm.Run) -> None:
    averages = Table(run.records).averages([SUBOPTIMALITY, PLANNING, MEASURES["expanded_max"]]).sort("agent")
    expected = tradeoff(run.records).sort("agent")
    for name in ("suboptimality", "suboptimality_se", "expanded_per_move", "expanded_per_move_se", "expanded_max"):
        assert averages[name].to_list() == pytest.approx(expected[name].to_list())
    for row in averages.iter_rows(named=True):
        for name in ("suboptimality", "expanded_per_move"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        assert row["expanded_max_low"] is None


def test_means_are_over_solved_problems_and_empty_over_the_cutoff() -> None:
    unsolved = {"cost": None, "suboptimality": None}
    frame = records(
        {"agent": "a", "suboptimality": 2.0},
        {"agent": "a", "problem": 1, "status": "stuck", **unsolved, "expanded_max": 9},
        {"agent": "b", "problem": 1},
        {"agent": "c", "status": "cutoff", **unsolved},
        {"agent": "c", "problem": 1},
    )
    found = {row["agent"]: row for row in pareto(frame, MEASURES["expanded_max"], SUBOPTIMALITY).to_dicts()}
    assert found["a"]["suboptimality"] == 2.0
    assert found["a"]["expanded_max"] == 9
    assert (found["a"]["unsolved"], found["a"]["missing"]) == ("1 stuck", 0)
    assert (found["b"]["missing"], found["b"]["problems"]) == (1, 2)
    assert found["c"]["suboptimality"] is None
    # No agent solved every problem, so none is compared.
    assert [row["dominated"] for row in found.values()] == [None] * 3


points = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=8)


@settings(max_examples=40)
@given(points)
def test_front_has_all_agents_that_are_not_dominated(chosen: list[tuple[int, int]]) -> None:
    frame = records(
        *(
            {"agent": f"a{at}", "label": f"A{at}", "problem": problem, "suboptimality": float(y), "expanded": 10 * x}
            for at, (x, y) in enumerate(chosen)
            for problem in range(2)
        )
    )
    found = {row["agent"]: row for row in pareto(frame, PLANNING, SUBOPTIMALITY).to_dicts()}
    for at, (x, y) in enumerate(chosen):
        beaten = any(other != (x, y) and other[0] <= x and other[1] <= y for other in chosen)
        row = found[f"a{at}"]
        assert row["dominated"] == beaten
        assert (row["dominated_by"] is not None) == beaten
        # Agents are the same on both problems, so resamples do not differ.
        assert row["front"] == (0 if beaten else 1)


def test_dominance_ratios_have_intervals_around_them() -> None:
    generator = np.random.default_rng(0)
    better = generator.random(200) < 0.7
    frame = records(
        *(
            {"agent": agent, "problem": at, "suboptimality": 1.0 + (wins != better[at]), "expanded_max": 1}
            for agent, wins in (("one", True), ("other", False))
            for at in range(200)
        )
    )
    pairs = pl.DataFrame({"one": ["one"], "other": ["other"]})
    row = ratios(frame, pairs, "expanded_max", "suboptimality").row(0, named=True)
    assert row["ratio"] == pytest.approx(better.sum() / (~better).sum())
    assert row["ratio_low"] < row["ratio"] < row["ratio_high"] < math.inf


def test_scaling_has_every_problem_in_one_range_and_the_means_of_each(run: pm.Run) -> None:
    frame = scaling(run.records, SUBOPTIMALITY)
    assert frame.filter(pl.col("agent") == frame["agent"][0])["problems"].sum() == 24
    ranges = frame.select("min_bucket", "max_bucket").unique().sort("min_bucket").rows()
    assert all(high < low for (_, high), (low, _) in pairwise(ranges))
    for row in frame.iter_rows(named=True):
        own = run.records.filter(
            (pl.col("agent") == row["agent"]) & pl.col("bucket").is_between(row["min_bucket"], row["max_bucket"])
        )
        assert row["suboptimality"] == pytest.approx(own["suboptimality"].mean())
        assert row["optimal"] == pytest.approx(own["optimal"].mean())


def test_build_is_recouped_against_the_closest_agent_without_one() -> None:
    times = {"own": 100, "near": 1100, "far": 5000}
    quality = {"own": 1.1, "near": 1.2, "far": 9.0}
    frame = records(
        *(
            {"agent": agent, "problem": problem, "map": f"m{problem % 2}", "suboptimality": quality[agent]}
            | {"time_ns": time * 10, "build_ns": (problem % 2 + 1) * 1_000_000 if agent == "own" else None}
            for (agent, time), problem in product(times.items(), range(6))
        )
    )
    (row,) = recouped(frame).to_dicts()
    assert (row["agent"], row["other"]) == ("own", "near")
    assert row["build_ns"] == 1_500_000
    assert row["moves"] == row["moves_low"] == row["moves_high"] == pytest.approx(1500)
    with rejects("no agent with precomputation"):
        recouped(frame.filter(pl.col("agent") != "own"))
    with rejects("no agent without precomputation"):
        recouped(frame.filter(pl.col("agent") == "own"))


def trials(*rows: dict[str, Any]) -> pl.DataFrame:
    plain = dict.fromkeys(TRIALS, 0) | {"agent": "a", "label": "A", "set": "made", "map": "up", "status": "solved"}
    return pl.DataFrame([plain | {"optimal": 10.0} | row for row in rows], schema=TRIALS)


def test_curve_stays_at_the_final_trial_of_converged_problems() -> None:
    frame = trials(
        *({"problem": 0, "trial": at, "travel": value} for at, value in ((1, 40.0), (2, 10.0))),
        *({"problem": 1, "trial": at, "travel": 80.0 - 10 * at} for at in range(1, 8)),
    )
    found = convergence_curves(frame)
    assert found["trial"].to_list() == [1, 2, 5, 7]
    assert found["value"].to_list() == pytest.approx([(4 + 7) / 2, (1 + 6) / 2, (1 + 3) / 2, (1 + 1) / 2])
    assert found["going"].to_list() == [2, 1, 1, 0]
    with rejects("--trials converge"):
        convergence_curves(frame.head(0))
    with rejects("no measure 'cost'"):
        convergence_curves(frame, "cost")


def test_curves_end_at_the_means_of_convergence(learned: pm.Run) -> None:
    found = convergence_curves(learned.trials)
    ends = dict(found.filter(pl.col("trial") == pl.col("trial").max()).select("agent", "value").iter_rows())
    assert ends == pytest.approx(dict(learned.convergence().select("agent", "suboptimality").iter_rows()))


@pytest.mark.parametrize("score", SCORES)
def test_curves_and_amortization_take_every_score(run: pm.Run, learned: pm.Run, score: str) -> None:
    found = learned.view("convergence", score=score).frame
    ends = dict(found.filter(pl.col("trial") == pl.col("trial").max()).select("agent", "value").iter_rows())
    expected = learned.convergence(score=score)
    assert ends == pytest.approx(dict(expected.select("agent", "suboptimality").iter_rows()))
    assert (found["low"] <= found["value"]).all()
    assert (found["value"] <= found["high"]).all()
    assert (found["se"] >= 0).all()
    built = run.view("amortization", score=score).frame.row(0, named=True)
    assert built["suboptimality"] == run.tradeoff(score=score).filter(agent=built["agent"])["suboptimality"].item()


def test_curves_are_over_the_problems_that_count_for_the_table(tmp_path: Path) -> None:
    agents, map_name = ["rtaa(k={30,300})"], small_maps()[0]
    run = pm.run("embedded", agents, maps=[map_name], limit=6, out=tmp_path / "run", trials="converge", max_trials=40)
    counted = run.convergence()["counted"].unique().to_list()
    assert 0 < counted[0] < 6
    assert run.view("convergence").frame["problems"].unique().to_list() == counted
    assert "ranked agents solved (--unsolved exclude)" in " ".join(
        invoke(f"report {run.folder} --view convergence").stdout.split()
    )


@pytest.mark.parametrize("view", sorted(VIEWS.keys() - {"convergence", "best-so-far", "interplay"}))
def test_every_view_fits_eighty_columns_and_writes_every_format(run: pm.Run, view: str) -> None:
    line = f"report {run.folder} --view {view}"
    result = invoke(line)
    assert result.stderr == ""
    assert "\x1b" not in result.stdout
    assert widest(result.stdout) <= 80
    assert ("LRTA*" in result.stdout) == (view not in ("amortization", "histogram"))
    for kind in ("json", "csv", "md", "html"):
        invoke(line, "--format", kind, "-o", kind)
    assert len(json.loads(Path("json").read_text(), parse_constant=pytest.fail)) > 0
    assert "<table" in Path("html").read_text()


def test_convergence_view_has_a_column_for_the_first_and_the_last_trial(learned: pm.Run) -> None:
    seen = learned.view("convergence")
    last = learned.trials["trial"].to_numpy().max()
    headers = next(block.headers for block in seen.document.blocks if hasattr(block, "headers"))
    assert (headers[1], headers[-1]) == ("1", f"{last:,}")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--view trade", "unknown view 'trade'"),
        ("--view tradeoff --x suboptimal", "unknown measure 'suboptimal'"),
        ("--x suboptimality", "add one, for example --view tradeoff"),
        ("--view convergence", "--trials converge"),
        ("--view dominance --x trials --y trials", "choose other measures"),
    ],
)
def test_impossible_view_prints_one_line(run: pm.Run, options: str, words: str) -> None:
    assert words in error_of(f"report {run.folder} {options}")


def test_one_problem_gives_no_interval() -> None:
    run = pm.run("embedded", ["astar", "rtaa"], maps=small_maps()[:1], limit=1, out="one", progress=False)
    assert "only one problem" in " ".join(invoke("report one --view tradeoff").stdout.split())
    assert run.view("tradeoff").frame["suboptimality_low"].to_list() == [None, None]


def test_measures_are_found_by_name() -> None:
    assert find("memory").column == "memory"
    with rejects("did you mean memory"):
        find("memry")
