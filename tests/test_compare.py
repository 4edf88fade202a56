"""Comparisons of agents: real differences are found, chance is not, and intervals cover the truth."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import permove as pm
from permove.analysis.comparison import BETTER, MIXED, NONE, SAME, WORSE, comparison, places
from permove.analysis.measures import find
from permove.analysis.statistics import Resamples
from support import error_of, invoke, json_of, records, rejects, widest

MEASURES = {"measure": find("suboptimality"), "against": find("expanded_per_move")}
MAPS = ["rooms-128", "caves-128", "outdoor-woods-192"]


def two(one: np.ndarray, other: np.ndarray, *names: str) -> pl.DataFrame:
    """Return records of two agents with these suboptimalities."""
    first, second = names or ("one", "other")
    return records(
        *(
            {"agent": agent, "label": agent.upper(), "problem": problem, "suboptimality": float(value)}
            for agent, values in ((first, one), (second, other))
            for problem, value in enumerate(values)
        )
    )


def pair(frame: pl.DataFrame, *, seed: int = 0) -> dict[str, float | str]:
    return comparison(frame, "one", ["other"], **MEASURES, seed=seed).row(0, named=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    agents = ["rtaa(k={10,100}, ties=random)", "lrta(d=1)", "lrts(d=1)"]
    return pm.run("embedded", agents, maps=MAPS, limit=120, out=tmp_path_factory.mktemp("compare") / "run")


@pytest.fixture(scope="module")
def other_seed(tmp_path_factory: pytest.TempPathFactory, run: pm.Run) -> pm.Run:
    """The same problems, with other random ties."""
    out = tmp_path_factory.mktemp("compare") / "seed"
    same = run.records.filter(pl.col("agent").str.contains("k=10,")).select("set", "map", "problem")
    other = pm.run("embedded", ["rtaa(k=10, ties=random)"], maps=MAPS, seed=1, out=out)
    assert other.records.join(same, on=["set", "map", "problem"], how="semi").height == 120
    return other


def test_copies_of_one_agent_under_different_names_are_the_same(run: pm.Run) -> None:
    found = pm.compare(run, "lrta(d=1)", "lrts(d=1)")
    assert found.pairs["finding"].item() == SAME
    assert found.pairs.select("difference", "low", "high", "p").row(0) == (0, 0, 0, 1)


def test_two_seeds_of_an_agent_with_random_ties_do_not_differ(run: pm.Run, other_seed: pm.Run) -> None:
    found = pm.compare(run, "rtaa(k=10, ties=random)", "rtaa(k=10, ties=random)", with_run=other_seed)
    one = found.pairs.row(0, named=True)
    assert one["finding"] == NONE
    assert one["problems"] == 120
    assert one["low"] < 0 < one["high"]
    assert one["ties"] < 120


def test_difference_is_found_and_located(run: pm.Run) -> None:
    found = pm.compare(run, "rtaa(k=100, ties=random)", "rtaa(k=10, ties=random)")
    one = found.pairs.row(0, named=True)
    assert one["finding"] == BETTER
    assert one["high"] < 0
    assert one["one_against"] > one["other_against"]
    by_map = found.places["map"]
    assert set(by_map["place"]) == {f"embedded/{name}" for name in MAPS}
    assert by_map["problems"].sum() == 120
    assert (by_map["difference"] < 0).all()
    assert found.places["bucket"].height <= 8
    back = pm.compare(run, "rtaa(k=10, ties=random)", "rtaa(k=100, ties=random)").pairs.row(0, named=True)
    assert back["finding"] == WORSE
    assert back["difference"] == -one["difference"]
    assert (back["wins"], back["losses"]) == (one["losses"], one["wins"])


@pytest.fixture
def _cached_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the resamples of each seed once, since drawing takes most of the time of a comparison."""
    monkeypatch.setattr("permove.analysis.comparison.Resamples", cache(Resamples))


@pytest.mark.usefixtures("_cached_resamples")
def test_intervals_cover_the_truth_at_their_nominal_rate() -> None:
    """Draw skewed suboptimalities, of which one is a fifth less than the other on average, so the truth is known."""
    generator = np.random.default_rng(7)
    runs, covered, found = 400, 0, 0
    truth = (0.8 - 1) * np.exp(0.5**2 / 2) * np.exp(0.1**2 / 2)
    for number in range(runs):
        shared = generator.lognormal(0, 0.5, 200)
        one, other = (shared * factor * generator.lognormal(0, 0.1, 200) for factor in (0.8, 1))
        row = pair(two(one, other), seed=number % 8)
        covered += row["low"] <= truth <= row["high"]
        found += row["finding"] == BETTER
    # The expected number is 380 of 400, with a standard error of 4.4 and a small bias by the skew.
    assert 0.91 <= covered / runs <= 0.98
    assert found == runs


@pytest.mark.usefixtures("_cached_resamples")
def test_false_findings_are_no_more_frequent_than_chance() -> None:
    generator = np.random.default_rng(11)
    wrong = 0
    for number in range(300):
        shared = generator.lognormal(0, 0.5, 100)
        one, other = (shared * generator.lognormal(0, 0.2, 100) for _ in range(2))
        wrong += pair(two(one, other), seed=number % 8)["finding"] in (BETTER, WORSE)
    assert wrong / 300 <= 0.05


def test_comparison_with_many_baselines_is_corrected() -> None:
    generator = np.random.default_rng(3)
    base = generator.lognormal(0, 0.5, 60)
    frames = [two(base, base, "one", "one-again").filter(pl.col("agent") == "one")]
    names = [f"other {number}" for number in range(20)]
    for name in names:
        noisy = base * generator.lognormal(0, 0.2, 60)
        frames.append(two(base, noisy, "one", name).filter(pl.col("agent") == name))
    found = comparison(pl.concat(frames), "one", names, **MEASURES)
    ordered = found.sort("p")
    expected = np.minimum(np.maximum.accumulate(ordered["p"].to_numpy() * np.arange(20, 0, -1)), 1)
    assert ordered["p_holm"].to_numpy() == pytest.approx(expected)
    assert (found["p_holm"] >= found["p"]).all()


def test_contradicting_means_and_wins_are_called_mixed() -> None:
    other = np.full(100, 2.0)
    one = other - 0.1
    one[:12] = 30.0  # rarely far worse, mostly a little better
    row = pair(two(one, other))
    assert row["difference"] > 0
    assert row["improvement"] == 0.88
    assert row["finding"] == MIXED


def test_only_problems_that_both_solved_are_compared_and_the_rest_is_counted() -> None:
    frame = two(np.array([2.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    lost = (pl.col("agent") == "one") & (pl.col("problem") == 2)
    frame = frame.with_columns(
        status=pl.when(lost).then(pl.lit("cutoff")).otherwise("status"),
        suboptimality=pl.when(~lost).then("suboptimality"),
    )
    row = pair(frame)
    assert (row["both_run"], row["one_solved"], row["other_solved"], row["problems"]) == (3, 2, 3, 2)
    assert row["difference"] == 1.0


def test_one_problem_gives_no_interval_and_no_finding() -> None:
    row = pair(two(np.array([1.0]), np.array([2.0])))
    assert row["low"] is None
    assert row["finding"] == NONE


def test_dominance_and_its_ratio_are_those_of_single_problems() -> None:
    frame = two(np.array([1.0, 1.0, 3.0]), np.array([2.0, 2.0, 2.0]))
    row = pair(frame)
    assert (row["one_dominates"], row["other_dominates"], row["ratio"]) == (2, 1, 2.0)


def test_buckets_are_merged_in_order_and_none_is_lost() -> None:
    frame = two(np.linspace(1, 2, 100), np.full(100, 1.5)).with_columns(bucket=pl.col("problem") // 2)
    found = places(frame, "one", "other", measure=find("suboptimality"), by="bucket")
    assert found["problems"].sum() == 100
    assert found["place"][0] == "buckets 0 to 6"
    assert found["difference"].is_sorted()
    with rejects("by 'moon'; choose one of bucket, set, map"):
        places(frame, "one", "other", measure=find("suboptimality"), by="moon")


def test_agents_are_named_by_any_spec_or_by_label(run: pm.Run) -> None:
    label = run.records["label"][0]
    assert pm.compare(run, label, "lrts").one == run.records["agent"][0]
    assert pm.compare(run, "lrts( d = 1 )", "lrta").pairs["finding"].item() == SAME
    for one, other, words in [
        ("rtaa(k=11)", "lrts", "has no records of 'rtaa(k=11)'; did you mean 'rtaa"),
        ("lrta(d={1,2})", "lrts", "stands for 2 agents"),
        ("lrta", "lrta(d=1)", "compared with itself"),
    ]:
        with rejects(words):
            pm.compare(run, one, other)
    with rejects("unknown measure 'beauty'"):
        pm.compare(run, "lrta", "lrts", measure="beauty")


def test_runs_that_differ_in_more_than_their_seed_are_not_comparable(run: pm.Run) -> None:
    other = pm.run("embedded", ["lrta"], maps=MAPS, limit=3, cutoff=1000)
    with rejects("cannot be compared: the first was made with cutoff none, not 1000"):
        pm.compare(run, "lrta", "lrta", with_run=other)


def test_compare_command_prints_a_verdict_in_one_sentence(run: pm.Run) -> None:
    line = f"compare {run.folder} 'rtaa(k=100, ties=random)'"
    shown = invoke(line, "rtaa(k=10, ties=random)").stdout
    verdict = "RTAA* (k=100), ties random is better than RTAA* (k=10), ties random: its mean suboptimality is"
    assert verdict in " ".join(shown.split())
    assert widest(shown) <= 80
    field = invoke(line, "--against", "all", "--plot", "field.svg").stdout
    assert "is better than all 3 other ranked agents." in " ".join(field.split())
    assert widest(field) <= 80
    assert {">k=10<", ">k=100<", ">RTAA*, ties random<"} <= set(re.findall(">[^<]+<", Path("field.svg").read_text()))
    others = {row["other"] for row in json_of(line, "--against", "all")}
    assert others == set(run.records["agent"]) - {"rtaa(k=100, moves=inf, ties=random)"}
    assert invoke(line, "lrta", "--format", "html").stdout.startswith("<!doctype html>")
    assert "either an agent B or --against all" in error_of(line)
