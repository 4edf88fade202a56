"""Views of a run: fronts and dominance, scaling, amortization and convergence curves, and what they say of failures."""

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
from permove.analysis.tradeoff import tradeoff
from permove.cli import main
from permove.records.columns import TRIALS
from permove.views import VIEWS
from support import called, records, small_maps

SUBOPTIMALITY, PLANNING = MEASURES["suboptimality"], MEASURES["expanded_per_move"]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("views") / "run"
    agents = ["lrta(d={1,3})", "rtaa(k={10,100})", "pra(k=4)", "astar"]
    return pm.run("embedded", agents, maps=small_maps(), limit=24, out=folder, progress=False)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("views") / "learned"
    agents = ["rtaa(k={30,300})"]
    return pm.run("embedded", agents, maps=small_maps()[:1], limit=6, out=folder, trials="converge", progress=False)


def test_averages_are_those_of_the_trade_off(walked: pm.Run) -> None:
    ours = Table(walked.records).averages([SUBOPTIMALITY, PLANNING, MEASURES["expanded_max"]]).sort("agent")
    theirs = tradeoff(walked.records).sort("agent")
    for name in ("suboptimality", "suboptimality_se", "expanded_per_move", "expanded_per_move_se", "expanded_max"):
        assert ours[name].to_list() == pytest.approx(theirs[name].to_list())
    for row in ours.iter_rows(named=True):
        for name in ("suboptimality", "expanded_per_move"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        assert row["expanded_max_low"] is None


def test_means_are_over_solved_problems_and_who_was_over_the_cutoff_has_none() -> None:
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
    # None of them solved every problem, and so nobody is compared with anybody.
    assert [row["dominated"] for row in found.values()] == [None] * 3


points = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=8)


@settings(deadline=None, max_examples=40)
@given(points)
def test_the_front_is_whom_nobody_dominates(chosen: list[tuple[int, int]]) -> None:
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
        # The same on every problem: in every resample the same.
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


def test_scaling_has_every_problem_in_one_range_and_the_means_of_each(walked: pm.Run) -> None:
    frame = scaling(walked.records, SUBOPTIMALITY)
    assert frame.filter(pl.col("agent") == frame["agent"][0])["problems"].sum() == 24
    ranges = frame.select("min_bucket", "max_bucket").unique().sort("min_bucket").rows()
    assert all(high < low for (_, high), (low, _) in pairwise(ranges))
    for row in frame.iter_rows(named=True):
        own = walked.records.filter(
            (pl.col("agent") == row["agent"]) & pl.col("bucket").is_between(row["min_bucket"], row["max_bucket"])
        )
        assert row["suboptimality"] == pytest.approx(own["suboptimality"].mean())
        assert row["optimal"] == pytest.approx(own["optimal"].mean())


def test_a_build_is_recouped_against_the_closest_agent_without_one() -> None:
    times = {"own": 100, "near": 1100, "far": 5000}
    frame = records(
        *(
            {
                "agent": agent,
                "label": agent,
                "problem": problem,
                "map": f"m{problem % 2}",
                "suboptimality": {"own": 1.1, "near": 1.2, "far": 9.0}[agent],
                "time_ns": time * 10,
            }
            for (agent, time), problem in product(times.items(), range(6))
        )
    ).with_columns(build_ns=pl.when(agent="own").then(pl.col("problem") % 2 * 1_000_000 + 1_000_000).cast(pl.UInt64))
    (row,) = recouped(frame).to_dicts()
    assert (row["agent"], row["other"]) == ("own", "near")
    assert row["build_ns"] == 1_500_000
    assert row["moves"] == row["moves_low"] == row["moves_high"] == pytest.approx(1500)
    with pytest.raises(pm.InputError, match="no agent with precomputation"):
        recouped(frame.filter(pl.col("agent") != "own"))
    with pytest.raises(pm.InputError, match="no agent without precomputation"):
        recouped(frame.filter(pl.col("agent") == "own"))


def trials(*rows: dict[str, Any]) -> pl.DataFrame:
    plain = dict.fromkeys(TRIALS, 0) | {"agent": "a", "label": "A", "set": "made", "map": "up", "status": "solved"}
    return pl.DataFrame([plain | {"optimal": 10.0} | row for row in rows], schema=TRIALS)


def test_a_curve_stays_at_the_final_trial_of_problems_that_have_converged() -> None:
    frame = trials(
        *({"problem": 0, "trial": at, "travel": value} for at, value in ((1, 40.0), (2, 10.0))),
        *({"problem": 1, "trial": at, "travel": 80.0 - 10 * at} for at in range(1, 8)),
    )
    found = convergence_curves(frame)
    assert found["trial"].to_list() == [1, 2, 5, 7]
    assert found["mean"].to_list() == pytest.approx([(4 + 7) / 2, (1 + 6) / 2, (1 + 3) / 2, (1 + 1) / 2])
    assert found["going"].to_list() == [2, 1, 1, 0]
    with pytest.raises(pm.InputError, match="--trials converge"):
        convergence_curves(frame.head(0))
    with pytest.raises(pm.InputError, match="no measure 'cost'"):
        convergence_curves(frame, "cost")


def test_curves_end_at_the_means_of_convergence(learned: pm.Run) -> None:
    found = convergence_curves(learned.trials)
    ends = dict(found.filter(pl.col("trial") == pl.col("trial").max()).select("agent", "mean").iter_rows())
    assert ends == pytest.approx(dict(learned.convergence().select("agent", "suboptimality").iter_rows()))


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "convergence"])
def test_every_view_fits_eighty_columns_and_writes_every_format(walked: pm.Run, view: str, tmp_path: Path) -> None:
    told = called("report", str(walked.folder), "--view", view, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert told.stderr == ""
    assert "\x1b" not in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80
    assert ("LRTA*" in told.stdout) == (view != "amortization")
    for kind in ("json", "csv", "md", "html"):
        assert main(["report", str(walked.folder), "--view", view, "--format", kind, "-o", str(tmp_path / kind)]) == 0
    assert len(json.loads((tmp_path / "json").read_text(), parse_constant=pytest.fail)) > 0
    assert "<table>" in (tmp_path / "html").read_text()


def test_the_convergence_view_has_a_column_for_the_first_and_the_last_trial(learned: pm.Run) -> None:
    seen = learned.view("convergence")
    most = learned.trials["trial"].to_numpy().max()
    headers = next(block.headers for block in seen.document.blocks if hasattr(block, "headers"))
    assert (headers[1], headers[-1]) == ("1", f"{most:,}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--view", "trade"], "unknown view 'trade'"),
        (["--view", "tradeoff", "--x", "suboptimal"], "unknown measure 'suboptimal'"),
        (["--x", "suboptimality"], "add one, for example --view tradeoff"),
        (["--view", "convergence"], "--trials converge"),
        (["--view", "dominance", "--x", "build_ns", "--y", "build_ns"], "choose other measures"),
    ],
)
def test_what_a_view_cannot_show_is_one_sentence(
    walked: pm.Run, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    folder = str(walked.folder)
    if "dominance" in arguments:
        arguments = [word.replace("build_ns", "trials") for word in arguments]
    assert main(["report", folder, *arguments]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


def test_one_problem_gives_no_interval_and_views_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = pm.run("embedded", ["astar", "rtaa"], maps=small_maps()[:1], limit=1, out=tmp_path / "one", progress=False)
    assert main(["report", str(run.folder), "--view", "tradeoff"]) == 0
    assert "only one problem" in " ".join(capsys.readouterr().out.split())
    assert run.view("tradeoff").frame["suboptimality_low"].to_list() == [None, None]


def test_measures_are_found_by_name() -> None:
    assert find("memory").column == "memory"
    with pytest.raises(pm.InputError, match="did you mean memory"):
        find("memry")
