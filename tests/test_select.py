"""Selection of algorithms: the space, the matrix of records, and results that are known by hand."""

import math
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove import _core
from permove.agents.specs import AgentSpec, parse
from permove.data import Choice, Suite
from permove.data.random_suites import drawn_suite
from permove.records.settings import Settings
from permove.runs import store
from permove.runs.execute import execute
from permove.runs.execution_options import Execution
from permove.runs.manifest import Manifest, Start, SuiteFacts
from permove.select import Matrix, per_map, per_problem, space
from permove.select.explore import Exploration, Optimizer, explore
from permove.select.factorization import Basis
from permove.select.selection import REMOVED, RUN, by_map
from permove.select.space import Lop, Point
from support import records, rejects

ONE, OTHER = (space.sample(2, 0)[at].spec for at in (0, 1))


# --- the space -------------------------------------------------------------------------------------------------------


def test_algorithms_are_reproducible_and_smaller_samples_come_first() -> None:
    assert space.sample(1, 0)[0].label == "7.216·max_0.134(8.065·c+h)+da+E"
    assert space.sample(50, 3)[:20] == space.sample(20, 3)
    assert space.sample(50, 3)[20:] == space.sample(30, 3, first=20)
    assert not set(space.sample(50, 3)) & set(space.sample(50, 4))
    for agent in space.sample(20, 1):
        assert parse(agent.spec) == parse(agent.label) == agent


def test_parameters_are_drawn_from_their_complete_ranges() -> None:
    points = [space.random_point(number, 5) for number in range(2000)]
    for name, low, high in (("w", 1, 10), ("wc", 1, 10), ("b", 0, 1)):
        values = [getattr(point, name) for point in points]
        assert low <= min(values) <= low + 0.01 * (high - low)
        assert high - 0.01 * (high - low) <= max(values) <= high
        assert np.mean(values) == pytest.approx((low + high) / 2, rel=0.05)
        assert all(round(value, 3) == value for value in values)
    assert np.mean([point.da for point in points]) == pytest.approx(0.5, abs=0.05)
    assert np.mean([point.expendable for point in points]) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("lop", "shares"), [(Lop.ROUNDED, [1 / 6, 1 / 3, 1 / 3, 1 / 6]), (Lop.UNIFORM, [1 / 4] * 4)])
def test_operator_is_drawn_with_the_requested_shares(lop: Lop, shares: list[float]) -> None:
    counts = Counter(space.random_point(number, 2, lop).lop for number in range(3000))
    assert [counts[name] / 3000 for name in space.OPERATORS] == pytest.approx(shares, abs=0.03)


def test_mutants_are_near_their_parent_and_inside_the_space() -> None:
    parent = Point(1.0, 9.9, 0.5, "median", da=True, expendable=False)
    mutants = [space.mutated(parent, f"child {number}", 1) for number in range(500)]
    assert all(1 <= each.w <= 10 and 1 <= each.wc <= 10 and 0 <= each.b <= 1 for each in mutants)
    assert np.std([each.b for each in mutants]) == pytest.approx(0.1, rel=0.15)
    assert 0.8 < np.mean([each.lop == "median" for each in mutants]) < 1
    assert 0.8 < np.mean([each.da for each in mutants]) < 1
    assert len({each.agent for each in mutants}) == 500


# --- the matrix of records -------------------------------------------------------------------------------------------


def made(folder: Path, *rows: dict[str, Any], fingerprint: str = "f1", **settings: Any) -> pm.Run:
    """Write a run with these records."""
    start = Start.now(["permove"], [ONE], Choice(), jobs=1)
    suite = SuiteFacts("made", fingerprint, {})
    manifest = Manifest(pm.__version__, suite, replace(Settings(alpha=100.0), **settings), [start])
    with store.Writer(folder, manifest) as writer:
        for row in rows:
            writer.write(records({"agent": ONE, "label": "one", **row}))
    return pm.Run(folder)


def test_unsolved_problems_count_as_in_the_paper(tmp_path: Path) -> None:
    run = made(
        tmp_path / "run",
        {"problem": 2, "status": "stuck", "cost": None, "travel": 33.0, "optimal": 4.0},
        {"problem": 0, "cost": 25.0, "travel": 25.0},
        {"problem": 1, "status": "travel-cap", "cost": None, "travel": 1001.0},
        {"problem": 0, "agent": "rta(d=1, ties=nw)", "label": "RTA*", "cost": 30.0},
        {"problem": 1, "agent": OTHER, "label": "other", "cost": 10.0},
    )
    matrix = Matrix.of([run])
    first, second = (0, 1) if ONE < OTHER else (1, 0)
    assert [matrix.agents[first], matrix.agents[second]] == [ONE, OTHER]
    assert [matrix.labels[first], matrix.labels[second]] == ["one", "other"]
    assert matrix.values[first].tolist() == [2.5, 100.1, 100.25]
    np.testing.assert_array_equal(matrix.values[second], [np.nan, 1.0, np.nan])
    assert matrix.problems.rows() == [("made", "up", 0, 10.0), ("made", "up", 1, 10.0), ("made", "up", 2, 4.0)]
    assert matrix.alpha == 100


def test_several_runs_are_one_matrix_and_shared_records_count_once(tmp_path: Path) -> None:
    one = made(tmp_path / "one", {"problem": 3, "cost": 20.0}, {"problem": 4, "map": "in", "cost": 30.0})
    two = made(tmp_path / "two", {"problem": 3, "cost": 20.0}, {"agent": OTHER, "problem": 3, "cost": 40.0}, seed=5)
    matrix = Matrix.of([one, two])
    assert matrix.problems["map"].to_list() == ["in", "up"]
    by_agent = dict(zip(matrix.agents, matrix.values.tolist(), strict=True))
    assert by_agent[ONE] == [3.0, 2.0]
    assert math.isnan(by_agent[OTHER][0])
    np.testing.assert_array_equal(Matrix.of([two, one]).values, matrix.values)


@pytest.mark.parametrize(
    ("rows", "settings", "words"),
    [
        ([{"status": "cutoff", "cost": None, "reason": "late"}], {}, "has status cutoff on made/up, problem 0"),
        ([{"status": "illegal", "cost": None}], {}, "has status illegal"),
        ([{}], {"alpha": None}, "no limit on travel.*--alpha 1000"),
        ([{"agent": "rta(d=1, ties=nw)"}], {}, "has no records of these agents.*permove select explore"),
    ],
)
def test_runs_without_suboptimality_are_rejected(
    tmp_path: Path, rows: list[dict[str, Any]], settings: dict[str, Any], words: str
) -> None:
    run = made(tmp_path / "run", *rows, **settings)
    with pytest.raises(pm.InputError, match=words):
        Matrix.of([run])


def test_incompatible_runs_are_rejected(tmp_path: Path) -> None:
    one = made(tmp_path / "one", {})
    with rejects("alpha is 100.0 and 7.0; use runs with the same settings"):
        Matrix.of([one, made(tmp_path / "two", {}, alpha=7.0)])
    with rejects("made and made, have different problems"):
        Matrix.of([one, made(tmp_path / "three", {}, fingerprint="f2")])
    with rejects("specify the folder of at least one"):
        Matrix.of([])


def test_matrix_that_would_be_mostly_empty_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made(tmp_path / "run", {"problem": 0}, {"problem": 1, "agent": OTHER})
    monkeypatch.setattr("permove.select.matrix.MAX_CELLS", 3)
    with rejects("2 algorithms and 2 problems are too many for one matrix", "--batch"):
        Matrix.of([run])


# --- selecting -------------------------------------------------------------------------------------------------------


def matrix(values: Any, maps: list[str] | str, **columns: list[int]) -> Matrix:
    table = np.array(values, dtype=np.float64)
    names = [f"a{row}" for row in range(len(table))]
    problems = pl.DataFrame(
        {"set": ["s"] * len(maps), "map": list(maps), "problem": range(len(maps)), "optimal": [1.0] * len(maps)}
        | columns
    )
    return Matrix(table, names, names, problems, 100.0)


def mean(frame: pl.DataFrame, method: str, present: float = 100) -> float:
    return float(frame.filter(pl.col("method") == method, pl.col("present") == present)["mean"].item())


def random_matrix(rows: int, problems: int, maps: int, seed: int = 0) -> Matrix:
    random = np.random.default_rng(seed)
    names = [f"m{at % maps:03}" for at in range(problems)]
    cells = {name: random.integers(0, 99, problems).tolist() for name in ("start_x", "start_y", "goal_x", "goal_y")}
    quality = random.exponential(2, (rows, 1)) + 1
    return matrix(quality * random.exponential(5, (rows, problems)) + 1, names, **cells)


def test_map_means_are_weighted_by_the_number_of_problems_as_in_the_paper() -> None:
    values, weights, names = by_map(matrix([[10, 30, 20]], ["map 1", "map 2", "map 1"]))
    assert names == ["s/map 1", "s/map 2"]
    assert values.tolist() == [[15, 30]]
    assert values[0] @ weights / weights.sum() == 20


def test_means_on_test_maps_are_weighted() -> None:
    # One of three maps is new in each trial, and its mean is the result of the only algorithm.
    frame = per_map(matrix([[10, 20, 30, 60]], "aabc"), trials=40, factored=0, progress=False).frame
    assert set(frame["method"]) == {"exhaustive", "prior", "sample"}
    found = {
        mean(per_map(matrix([[10, 20, 30, 60]], "aabc"), 1, seed, factored=0).frame, "prior") for seed in range(30)
    }
    assert found == {15, 30, 60}
    # Two of four maps are new, and the map with two problems has twice the weight.
    found = {
        round(mean(per_map(matrix([[10, 20, 30, 60, 100]], "aabcd"), 1, seed, factored=0).frame, "prior"), 6)
        for seed in range(60)
    }
    assert found == {20, 30, round(130 / 3, 6), 45, 65, 80}


def test_prior_takes_the_best_on_old_maps_and_exhaustive_the_best_on_each_new_one() -> None:
    # The first algorithm is the best on every map except one, no matter which maps are old.
    values = [[2, 2, 2, 2, 2, 5], [4, 4, 4, 4, 4, 1]]
    for seed in range(20):
        frame = per_map(matrix(values, "abcdef"), 1, seed, factored=0).frame
        has_last = mean(frame, "prior") > 2
        assert mean(frame, "prior") == (3.5 if has_last else 2)
        assert mean(frame, "exhaustive") == (1.5 if has_last else 2)
        assert mean(frame, "sample") == mean(frame, "exhaustive")


def test_sample_takes_the_best_of_what_is_present_and_every_map_has_something() -> None:
    selected = per_map(random_matrix(200, 300, 60), trials=30, progress=False)
    frame = selected.frame
    present = [round(100 - removed, 6) for removed in REMOVED]
    assert set(present) <= set(frame["present"])
    assert set(RUN) <= set(frame["algorithms"])
    assert selected.methods == ["exhaustive", "prior", "sample", "factorization"]
    sample = frame.filter(pl.col("method") == "sample").sort("present")
    assert (sample["mean"].diff().drop_nulls() < 0).all()
    assert mean(frame, "sample") == mean(frame, "exhaustive") == pytest.approx(mean(frame, "factorization"))
    assert mean(frame, "exhaustive") < mean(frame, "prior")
    assert (frame["trials"] == 30).all()
    assert (frame["se"] > 0).all()


def test_number_of_kept_values_is_as_requested() -> None:
    # One algorithm in ten has 1 everywhere, the others 2, so the probability that the best of k has 1 is known.
    values = np.full((1000, 90), 2.0)
    values[::10] = 1
    frame = per_problem(matrix(values, ["a"] * 90), trials=60, factored=0, progress=False).frame
    for count in (15, 30):
        (row,) = frame.filter(pl.col("method") == "sample", pl.col("algorithms") == count).to_dicts()
        assert row["present"] == count / 10
        assert row["mean"] - 1 == pytest.approx(0.9**count, abs=5 * row["se"])


def test_standard_errors_are_over_the_trials() -> None:
    table = matrix([[10, 20, 30, 60]], "abcd")
    frame = per_problem(table, trials=25, seed=3, factored=0).frame
    assert frame["trials"].to_list() == [25] * len(frame)
    # A single algorithm leaves no choice, and the mean of a trial is that of two new problems.
    assert (frame["mean"] - frame["mean"][0]).abs().max() == 0
    assert 0.5 < float(frame["se"][0]) < 5
    assert per_problem(table, trials=1, factored=0).frame["se"].null_count() == len(frame)


def test_selection_depends_only_on_the_seed() -> None:
    table = random_matrix(40, 120, 20)
    for select in (per_map, per_problem):
        frame = select(table, 6, 2, progress=False).frame
        assert_frame_equal(select(table, 6, 2, progress=False).frame, frame)
        assert not select(table, 6, 3, progress=False).frame.equals(frame)


def test_missing_values_are_ignored() -> None:
    table = random_matrix(30, 90, 15)
    holes = np.random.default_rng(1).random(table.values.shape) < 0.6
    holes[0] = True  # an algorithm without values
    holes[1] = False
    full = replace(table, values=np.where(holes, np.nan, table.values))
    for select in (per_map, per_problem):
        frame = select(full, 5, progress=False).frame
        assert frame["mean"].is_finite().all()
        same = pytest.approx(mean(frame, "exhaustive"), rel=1e-12)
        assert mean(frame, "sample") == same
        assert mean(frame, "factorization") == same


def test_prior_uses_the_next_best_if_the_best_has_no_value() -> None:
    nan = np.nan
    values = [[1, 1, 1, 1, 1, nan], [2, 2, 2, 2, 2, 4], [3, 3, 3, 3, 3, 3]]
    found = {mean(per_map(matrix(values, "abcdef"), 1, seed, factored=0).frame, "prior") for seed in range(30)}
    assert found == {1, 2.5}


@pytest.mark.parametrize(
    ("select", "table", "words"),
    [
        (per_map, matrix([[1, 2, 3, 4]], "aaaa"), "have 1 map, .* at least 3; explore with more --problems"),
        (per_map, matrix([[1, 2, 3, 4]], "aabb"), "have 2 maps"),
        (per_problem, matrix([[1, 2]], "ab"), "have 2 problems"),
        (per_map, matrix([[1, 2, np.nan, 4]], "aabc"), "no algorithm has a value on s/b; "),
        (per_problem, matrix([[1, 2, np.nan, 4]], "aabc"), "no algorithm has a value on s/b, problem 2; "),
        (per_map, matrix(np.zeros((0, 4)), "abcd"), "the matrix has no algorithms"),
    ],
)
def test_too_little_to_select_from_is_rejected(select: Any, table: Matrix, words: str) -> None:
    with pytest.raises(pm.InputError, match=words):
        select(table)
    with rejects("trials 0 is out of range"):
        select(random_matrix(3, 9, 9), trials=0)


def test_factorization_completes_mixtures_of_few_maps() -> None:
    random = np.random.default_rng(2)
    kinds, shares = random.exponential(5, (60, 2)), random.random((2, 80)) + 0.1
    exact = kinds @ shares
    known = random.random((60, 20)) < 0.3
    old, new = exact[:, :60], exact[:, 60:]
    guess = Basis.of(old).predicted(np.where(known, new, np.nan), known)
    # The mean of each algorithm has ten times the error.
    assert 10 * np.abs(guess - new).mean() < np.abs(old.mean(axis=1, keepdims=True) - new).mean()


def test_nearest_takes_the_best_on_nearby_problems_of_the_same_map() -> None:
    # One algorithm is good on the left of the map, the other on the right, and none on average.
    side = [0] * 12 + [90] * 12
    values = [[1.0 if x == 0 else 9.0 for x in side], [9.0 if x == 0 else 1.0 for x in side]]
    cells = {"start_x": side, "start_y": list(range(24)), "goal_x": side, "goal_y": [50] * 24}
    frame = per_problem(matrix(values, ["a"] * 24, **cells), trials=10, factored=0).frame
    assert mean(frame, "nearest") == 1
    assert mean(frame, "prior") > 3
    # If the map has no old problem, nearest is the prior.
    alone = per_problem(matrix(values, [f"m{at}" for at in range(24)], **cells), trials=10, factored=0).frame
    assert mean(alone, "nearest") == mean(alone, "prior")
    assert "nearest" not in per_problem(matrix(values, ["a"] * 24), trials=1, factored=0).methods


# --- exploring -------------------------------------------------------------------------------------------------------


SUITE = drawn_suite("small", "outdoor", 40, 32, 1, "free")


def quick(**settings: Any) -> Exploration:
    """Explore a few algorithms on small maps."""
    defaults: dict[str, Any] = {"algorithms": 7, "problems": 8, "batch": 3, "alpha": 30, "progress": False}
    return explore(SUITE, **(defaults | settings))


def test_batches_have_separate_problems_and_references_run_on_the_first() -> None:
    found = quick()
    explored = found.runs[0].records
    assert explored.height == (7 + 2) * 8
    assert found.algorithms.height == 7
    assert set(found.algorithms["agent"]) == {agent.spec for agent in space.sample(7, 0)}
    assert found.problems == 3 * 8
    samples = [
        set(part.select("map", "problem").iter_rows())
        for part in explored.partition_by("agent", maintain_order=True)
        if part["agent"][0].startswith("param")
    ]
    assert sorted(sum(one == other for other in samples) for one in samples) == [1, 3, 3, 3, 3, 3, 3]
    assert found.references["label"].to_list() == sorted(
        ["daLRTA*+E", "RTA* (d=1), ties nw"],
        key=lambda label: found.references.filter(label=label)["suboptimality"].item(),
    )


def test_summary_has_the_share_of_better_algorithms() -> None:
    found = quick(batch=7)
    values = found.algorithms["suboptimality"]
    rows = {row["what"]: row for row in found.summary.to_dicts()}
    assert rows["the algorithms"]["suboptimality"] == pytest.approx(values.mean())
    assert rows["the algorithms"]["better"] == pytest.approx(
        100 * float((values.to_numpy() < values.to_numpy().mean()).mean())
    )
    assert rows["the best algorithm"]["suboptimality"] == values.min()
    assert rows["the best algorithm"]["better"] == 0
    assert rows["the best for each problem"]["suboptimality"] <= values.min()


def test_exploration_does_not_depend_on_threads_or_parts() -> None:
    complete = quick(jobs=1, out="one")
    assert_frame_equal(quick(jobs=2, out="two").summary, complete.summary)
    first, rest = quick(algorithms=4, out="first"), quick(algorithms=3, first=4, out="rest")
    together = Exploration.of([first.runs[0], rest.runs[0]])
    assert_frame_equal(together.algorithms, complete.algorithms)
    assert together.best_per_problem == complete.best_per_problem
    pieces, one = Matrix.of([rest.runs[0], first.runs[0]]), Matrix.of(complete.runs)
    np.testing.assert_array_equal(pieces.values, one.values)
    assert pieces.agents == one.agents
    assert_frame_equal(pieces.problems, one.problems)


def test_more_algorithms_resume_in_the_same_folder_and_fewer_are_summarized_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = quick(algorithms=4)
    more = quick(algorithms=7)
    assert few.folder == more.folder
    assert quick(seed=1, algorithms=1).folder != few.folder
    assert quick(lop="uniform", algorithms=1).folder != few.folder
    monkeypatch.delattr(_core, "Batch")
    assert_frame_equal(quick(algorithms=4).summary, few.summary)
    assert_frame_equal(quick(algorithms=7).summary, more.summary)


def test_full_matrix_has_every_algorithm_on_every_problem() -> None:
    found = Matrix.of(quick(batch=7, problems=20).runs).placed(SUITE)
    assert found.values.shape == (7, 20)
    assert not np.isnan(found.values).any()
    assert found.is_placed
    assert "nearest" in per_problem(found, trials=3, progress=False).methods
    with rejects("has no problem 0 on"):
        found.placed(drawn_suite("other", "outdoor", 1, 32, 1, "free"))


def test_evolution_keeps_the_best_and_is_reproducible() -> None:
    settings: dict[str, Any] = {"algorithms": 40, "problems": 10, "batch": 10, "optimizer": "evolution"}
    found = quick(**settings, out="evolved")
    first = {agent.spec for agent in space.sample(10, 0)}
    assert len(first & set(found.algorithms["agent"])) == 10
    # Two algorithms of each generation survive, so each has 8 new ones, and survivors have run on more problems.
    assert found.algorithms.height == 10 + 3 * 8
    assert set(found.algorithms["problems"]) > {10, 20}
    assert_frame_equal(quick(**settings, jobs=2, out="again").algorithms, found.algorithms)
    # The two best algorithms of the first generation have also run on the problems of the second.
    alone = quick(algorithms=10, problems=10, batch=10, out="alone").algorithms
    survivors = found.algorithms.filter(pl.col("agent").is_in(list(first)), pl.col("problems") > 10)["agent"]
    assert set(survivors) == set(alone["agent"].head(2))


def test_stopped_exploration_counts_all_batches_and_resumes(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(suite: Suite, specs: list[AgentSpec], settings: Settings, choice: Choice, rest: Execution) -> pm.Run:
        assert choice.sample is not None
        if choice.sample.first == 0:
            return execute(suite, specs, settings, choice, rest)
        assert rest.out is not None
        raise pm.Interrupted(rest.out, 5, 24)

    complete = quick(out="complete")
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["permove.select.explore"], "execute", stopped)
        # The first batch has 3 algorithms and 2 references, each on 8 problems.
        with pytest.raises(pm.Interrupted, match="45 of 72 records are kept in part; run the same command again"):
            quick(out="part")
    assert pm.Run("part").records.height == 40
    assert_frame_equal(quick(out="part").summary, complete.summary)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"algorithms": 0}, "algorithms 0 is out of range"),
        ({"problems": 0}, "problems 0 is out of range"),
        ({"batch": 0}, "batch 0 is out of range"),
        ({"first": -1}, "first -1 is out of range"),
        ({"alpha": 0.5}, "alpha 0.5 is out of range"),
        ({"lop": "often"}, "unknown lop 'often'; choose one of rounded, uniform"),
        ({"optimizer": "magic"}, "unknown optimizer 'magic'; choose one of random, evolution"),
        ({"optimizer": Optimizer.EVOLUTION, "first": 3}, "--first 3 would skip earlier generations"),
    ],
)
def test_impossible_exploration_is_rejected(settings: dict[str, Any], words: str) -> None:
    with rejects(words):
        quick(**settings)
    assert not Path("runs").exists()


def test_run_without_algorithms_of_the_space_is_rejected() -> None:
    run = pm.run(SUITE, "rta", alpha=30, limit=3)
    with rejects("no algorithm of the space param(...); use a run of `permove"):
        Exploration.of([run])
