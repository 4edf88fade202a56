"""Choices for each map: held-out scores, recommendations, the guide for each map, and choices for a new map."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import permove as pm
from permove.analysis.guide import Terms
from permove.analysis.held_out import FOLDS, MIN_PROBLEMS, Folded
from permove.analysis.per_map import per_map
from permove.analysis.unsolved import Unsolved
from permove.select import Matrix
from permove.select.choices import map_choices, others_mean
from permove.select.choose import choose
from support import error_of, invoke, json_of, records, rejects, small_maps, widest

AGENTS = ["rtaa(k={3,30})", "lrta(d={1,4})", "astar"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("per-map") / "run"
    return pm.run("embedded", AGENTS, limit=112, out=folder, progress=False)


@pytest.fixture(scope="module")
def one_map(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("per-map") / "one"
    return pm.run("embedded", AGENTS[:1], maps=small_maps()[:1], limit=8, out=folder, progress=False)


# --- held-out scores --------------------------------------------------------------------------------------------------


def simulated(seed: int, *, differ: bool) -> Matrix:
    """Values of six algorithms on ten maps, whose quality depends on the map or is the same everywhere."""
    random = np.random.default_rng(seed)
    maps = np.repeat(np.arange(10), 24)
    quality = random.uniform(1, 6, (6, 10)) if differ else np.repeat(random.uniform(1, 1.5, (6, 1)), 10, axis=1)
    values = 1 + quality[:, maps] * random.exponential(2, len(maps)) * random.lognormal(0, 0.5, (6, len(maps)))
    names = [f"a{at}" for at in range(6)]
    problems = pl.DataFrame({"set": "s", "map": [f"m{at}" for at in maps], "problem": range(len(maps))})
    return Matrix(values, names, names, problems, 1000.0)


def test_own_choices_are_recommended_if_maps_differ_and_the_common_one_if_they_do_not() -> None:
    wrong = 0
    for seed in range(100):
        differing, same = (map_choices(simulated(seed, differ=differ)) for differ in (True, False))
        own = [choices.frame.filter(pl.col("agent") != pl.col("common")).height for choices in (differing, same)]
        assert ("does not beat" in same.sentence) == (not same.pays)
        wrong += not (differing.pays and own[0] >= 5 and own[1] == 0 and not same.pays)
    assert wrong <= 5


def test_held_out_choices_do_not_use_the_problems_that_score_them() -> None:
    # Without any difference between agents, the best in-sample is better by luck only.
    random = np.random.default_rng(3)
    values = random.exponential(1, (30, 400)) + 1
    maps = np.repeat(np.arange(10), 40)
    found = Folded(values, maps, [str(at) for at in range(10)]).compare(np.ones(30, bool), np.ones((10, 30), bool))
    assert found.total["own_in_sample"] < found.total["common_in_sample"] - 0.2
    assert found.total["own_held_out"] == pytest.approx(2, abs=0.2)
    assert not found.pays
    assert (found.maps["chosen"] == found.maps["common"]).all()


def test_maps_with_few_problems_have_no_own_choice() -> None:
    values = np.array([[1.0, 1, 1, 9, 9, 9, 9, 9, 9, 9], [9.0, 9, 9, 1, 1, 1, 1, 1, 1, 1]])
    maps = np.repeat([0, 1], [MIN_PROBLEMS - 1, 7])
    found = Folded(values, maps, ["few", "many"]).compare(np.ones(2, bool), np.ones((2, 2), bool))
    assert found.maps.select("map", "own", "common", "chosen").rows() == [("few", 0, 1, 1), ("many", 1, 1, 1)]
    assert found.maps["loss"][0] is None


def test_mean_of_the_other_problems_excludes_the_problem_itself() -> None:
    values = np.array([[1.0, 2, 6, 4], [1, np.nan, 5, 7]])
    found = others_mean(values, np.array([0, 0, 0, 1]))
    np.testing.assert_array_equal(found, [[4, 3.5, 1.5, np.nan], [5, 3, 1, np.nan]])


# --- the guide for each map -------------------------------------------------------------------------------------------


def naive(frame: pl.DataFrame, fold_of: dict[tuple[str, int], int], limit: int) -> dict[str, dict[str, Any]]:
    """The scores of own and common choices, recomputed from the records with plain loops."""
    rows = frame.with_columns(
        key=pl.concat_str("set", "map", separator="/"),
        value=pl.when(pl.col("status") == "solved").then("suboptimality").otherwise(1000.0),
    ).to_dicts()
    agents = sorted({row["agent"] for row in rows})
    value = {(row["agent"], row["key"], row["problem"]): row["value"] for row in rows}
    worst: dict[tuple[str, str], int] = {}
    for row in rows:
        place = row["agent"], row["key"]
        worst[place] = max(worst.get(place, 0), row["expanded_max"])
    maps = sorted({row["key"] for row in rows})
    places = sorted({(row["key"], row["problem"]) for row in rows})
    everywhere = [agent for agent in agents if all(worst[agent, key] <= limit for key in maps)]

    def best(among: list[str], some: list[tuple[str, int]]) -> str:
        return min(among, key=lambda agent: sum(value[agent, *place] for place in some))

    def mean(pairs: list[tuple[str, tuple[str, int]]]) -> float:
        return sum(value[agent, *place] for agent, place in pairs) / len(pairs)

    found = {}
    for key in maps:
        own = [place for place in places if place[0] == key]
        available = [agent for agent in agents if worst[agent, key] <= limit]
        outside: dict[str, list[tuple[str, tuple[str, int]]]] = {"own": [], "common": []}
        for place in own:
            outside["own"].append((best(available, [each for each in own if fold_of[each] != fold_of[place]]), place))
            rest = [each for each in places if fold_of[each] != fold_of[place]]
            outside["common"].append((best(everywhere, rest), place))
        chosen = {"own": best(available, own), "common": best(everywhere, places)}
        found[key] = dict(chosen)
        for name, agent in chosen.items():
            found[key] |= {f"{name}_in_sample": mean([(agent, place) for place in own])}
            found[key] |= {f"{name}_held_out": mean(outside[name])}
    return found


def test_guide_for_each_map_equals_a_naive_recomputation_from_the_records(run: pm.Run) -> None:
    guide = run.per_map()
    frame = guide.frame
    problems = run.records.select("set", "map", "problem").unique().sort("set", "map", "problem")
    keys = problems.select(pl.concat_str("set", "map", separator="/")).to_series().to_list()
    names = sorted(set(keys))
    folded = Folded(np.zeros((1, len(keys))), np.array([names.index(key) for key in keys]), names)
    fold_of = dict(zip(zip(keys, problems["problem"], strict=True), folded.fold_of.tolist(), strict=True))
    assert max(fold_of.values()) <= FOLDS - 1
    limits = frame["min_limit"].unique().to_list()
    assert len(limits) > 1
    for limit in limits:
        expected = naive(run.records, fold_of, limit)
        for row in frame.filter(pl.col("min_limit") == limit).iter_rows(named=True):
            for name, value in expected[row["map"]].items():
                assert row[name] == (pytest.approx(value) if isinstance(value, float) else value), (limit, row["map"])
            assert row["loss"] == pytest.approx(row["common_held_out"] - row["own_held_out"])
            assert row["chosen"] in (row["own"], row["common"])
            assert row["suboptimality_low"] <= row["suboptimality"] <= row["suboptimality_high"]


def test_common_choices_are_those_of_the_guide(run: pm.Run) -> None:
    (part,) = run.per_map().parts
    chosen = run.guide().frame.filter(pl.col("agent").is_not_null())
    assert part.limits.select("min_limit", "max_limit", agent="common").equals(
        chosen.select("min_limit", "max_limit", "agent")
    )
    assert part.maps.height == chosen.height * run.records["map"].n_unique()


def test_agent_qualifies_on_a_map_if_it_keeps_the_limit_there() -> None:
    frame = records(
        *(
            {
                "agent": agent,
                "label": agent,
                "map": place,
                "problem": problem,
                "suboptimality": value,
                "expanded_max": worst,
            }
            for problem in range(6)
            for agent, place, value, worst in (
                ("cheap", "easy", 3.0, 10),
                ("cheap", "hard", 3.0, 10),
                ("deep", "easy", 1.0, 50),
                ("deep", "hard", 1.0, 900),
            )
        )
    )
    (part,) = per_map(frame, Terms(unsolved=Unsolved()), 100)
    rows = {row["map"]: row for row in part.maps.to_dicts()}
    assert (rows["made/easy"]["own"], rows["made/hard"]["own"]) == ("deep", "cheap")
    assert rows["made/easy"]["common"] == "cheap"
    assert rows["made/easy"]["chosen"] == "deep"
    assert rows["made/easy"]["loss"] == 2
    assert part.limits["own_maps"].to_list() == [1]


def test_guide_for_each_map_is_shown_in_every_format(run: pm.Run) -> None:
    line = f"guide {run.folder} --per-map"
    shown = invoke(line).stdout
    assert widest(shown) <= 80
    words = " ".join(shown.split())
    assert "beat the common one on held-out problems" in words.replace("beats", "beat")
    found = json_of(line)
    assert set(found) == {"title", "notes", "limits", "maps"}
    assert {row["map"] for row in found["maps"]} == {f"embedded/{name}" for name in run.records["map"].unique()}
    one = json_of(line, "--explain", 40)
    assert [row["min_limit"] for row in one["limits"]] == [40]
    assert invoke(line, "--format", "csv").stdout.startswith("cpu,min_limit,max_limit,map,problems,chosen")
    assert "| caves-128 |" in invoke(line, "--format", "md").stdout
    invoke(line, "--format", "html", "-o", "page.html")
    assert "common choice" in Path("page.html").read_text()


def test_per_map_choices_need_several_maps_and_problems(run: pm.Run, one_map: pm.Run) -> None:
    assert "the run has one map, embedded/" in error_of(f"guide {one_map.folder} --per-map")
    assert "exclude each other" in error_of(f"guide {run.folder} --per-map --per-set")
    few = run.records.filter(pl.col("problem") == pl.col("problem").min().over("map"))
    with rejects("each map of the run has fewer than 4 problems"):
        per_map(few, Terms(unsolved=Unsolved(1000.0)))


# --- choices of a matrix and for a new map ----------------------------------------------------------------------------


def test_selection_writes_a_choice_for_each_map_and_problem() -> None:
    invoke("select explore embedded@free -n 5 -p 90 --batch 5 --alpha 20 --out matrix")
    shown = invoke("select per-map matrix --trials 3 --choices maps.csv").stdout
    assert "Held out" in shown
    assert "the common one" in shown
    maps = pl.read_csv("maps.csv")
    assert {"map", "agent", "label", "own", "common", "own_in_sample", "own_held_out", "loss"} <= set(maps.columns)
    assert maps.height == pm.Run("matrix").records["map"].n_unique()
    invoke("select per-problem matrix --trials 2 --factored 0 --choices problems.json")
    problems = json.loads(Path("problems.json").read_text())
    assert len(problems) == 90
    assert {"set", "map", "problem", "agent", "own", "common"} <= set(problems[0])
    rows = json_of("select per-map matrix --trials 3 --factored 0")
    assert all(row["held_out"] >= row["mean"] for row in rows if row["method"] == "exhaustive")
    assert "neither CSV nor JSON" in error_of("select per-map matrix --choices x.txt")
    assert "the folder nowhere does not exist" in error_of("select per-map matrix --choices nowhere/x.csv")


def test_choice_for_a_new_map_runs_a_sample_and_predicts_the_others(run: pm.Run) -> None:
    found = choose("rooms-128", [run], trials=10, algorithms=3, progress=False)
    ran = found.frame.filter(pl.col("suboptimality").is_not_null())
    assert found.frame.height == 5
    assert ran.height >= 3
    # Every algorithm either ran or was predicted.
    assert (found.frame["suboptimality"].is_null() == found.frame["predicted"].is_not_null()).all()
    own = found.run.records.filter(pl.col("agent").is_in(ran["agent"].to_list()))
    means = own.group_by("agent").agg(pl.col("suboptimality").mean())
    joined = ran.join(means, on="agent", suffix="_naive")
    assert joined["suboptimality"].to_list() == pytest.approx(joined["suboptimality_naive"].to_list())
    assert found.facts["runs"] == own.height == 10 * ran.height
    assert found.facts["expanded"] == own["expanded"].sum()
    # The common choice is the best on the other maps.
    old = run.records.filter(pl.col("map") != "rooms-128").with_columns(pl.col("suboptimality").fill_null(1000.0))
    best = old.group_by("agent").agg(pl.col("suboptimality").mean()).sort("suboptimality")["agent"][0]
    assert found.facts["common"]["agent"] == best
    assert found.agent in (found.facts["own"]["agent"], best)
    again = choose("rooms-128", [run], trials=10, algorithms=3, progress=False)
    assert again.frame.equals(found.frame)


def test_choice_for_a_map_file_needs_no_matrix(run: pm.Run) -> None:
    path = Path(pm.data.load("embedded").maps["embedded/rooms-128"].file.label)
    shown = invoke(f"select choose {path} --trials 6 -n 3").stdout
    assert "Recommended: " in shown
    assert "Cost: 30 runs of 5 algorithms" in shown
    # What the matrix knows about the same map is not used.
    shown = invoke(f"select choose {path} --from {run.folder} --trials 4 -n 2").stdout
    assert "predicted from 15 maps" in " ".join(shown.split())


def test_unusable_matrices_and_maps_are_rejected(run: pm.Run, one_map: pm.Run) -> None:
    line = "select choose"
    assert "there is no file nowhere.map; use a .map file" in error_of(f"{line} nowhere.map")
    assert "has other maps: neither is nowhere a map of its suite" in error_of(f"{line} nowhere --from {run.folder}")
    problems = error_of(f"{line} rooms-128 --from {run.folder} --trials 5000")
    assert "expected at least 5,000; use --trials" in problems
    assert "the matrix has 0 maps other than" in error_of(
        f"{line} {one_map.records['map'][0]} --from {one_map.folder} --trials 4"
    )
    assert "trials 3 is out of range" in error_of(f"{line} rooms-128 --from {run.folder} --trials 3")
    Path("tiny.map").write_text("type octile\nheight 1\nwidth 2\nmap\n..\n")
    assert "tiny.map has too few problems: " in error_of(f"{line} tiny.map --trials 30")


def test_interval_of_the_loss_is_wider_than_that_of_independent_problems() -> None:
    values = np.random.default_rng(0).exponential(1, (2, 50)) + 1
    folded = Folded(values, np.zeros(50, int), ["one"])
    found = folded.loss(values)
    difference = values[0] - values[1]
    error = difference.std(ddof=1) / math.sqrt(50) * math.sqrt(1 + 10 / 9)
    assert found["loss"] == pytest.approx(difference.mean())
    low, high = found["loss_low"], found["loss_high"]
    assert low is not None
    assert high is not None
    assert (high - low) / 2 == pytest.approx(2.0096 * error, rel=1e-3)
