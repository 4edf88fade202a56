"""`permove guide`: the best agent under each limit, checked against the records, and the reasons against the others."""

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import permove as pm
from permove import _core
from permove.analysis.guide import Terms, candidates, explained, guide
from permove.analysis.scores import SCORES, Score
from permove.analysis.statistics import Resamples, interval, paired
from permove.analysis.unsolved import Unsolved
from permove.common.units import format_duration, format_size
from permove.report.document import Document, Heading, Link, Rows, markdown, page, terminal
from permove.views.guide import Guide, explained_document, guide_document
from support import error_of, invoke, json_of, printed, records, rejects, small_maps, widest

REAL_TIME = ("lrta(d={1,2,3,5})", "rtaa(k={10,100})", "klrta(k={10,100})", "lrta(d={1,pdb}, goal=pdb, l=3)")
PANEL = (*REAL_TIME, "pra(k={4,inf})", "wastar(gamma=0.5)", "astar")
"""The families of agents in Table 4 of dynamic-control-2008."""


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("panel") / "run"
    return pm.run("embedded", PANEL, maps=small_maps(), limit=24, timed=True, out=folder, progress=False)


def naive(rows: list[dict[str, Any]], limit: int, column: str = "expanded_max") -> tuple[str, float] | None:
    """Find the best agent under a limit, record by record."""
    problems = {(row["set"], row["map"], row["problem"]) for row in rows}
    best: tuple[str, float] | None = None
    for agent in sorted({row["agent"] for row in rows}):
        own = [row for row in rows if row["agent"] == agent]
        if {(row["set"], row["map"], row["problem"]) for row in own} != problems:
            continue
        if any(row["status"] != "solved" or row[column] > limit for row in own):
            continue
        mean = math.fsum(row["suboptimality"] for row in own) / len(own)
        if best is None or mean < best[1]:
            best = agent, mean
    return best


def contiguous(frame: pl.DataFrame) -> bool:
    low, high = frame["min_limit"].to_list(), frame["max_limit"].to_list()
    return low[0] == 1 and low[1:] == [end + 1 for end in high[:-1]] and high[-1] is None


def choice(frame: pl.DataFrame, limit: int) -> dict[str, Any]:
    within = (pl.col("min_limit") <= limit) & (pl.col("max_limit").is_null() | (pl.col("max_limit") >= limit))
    return frame.filter(within).row(0, named=True)


@pytest.mark.parametrize("by", ["states", "time"])
def test_every_choice_of_a_panel_agrees_with_the_records(panel: pm.Run, by: str) -> None:
    column = "expanded_max" if by == "states" else "time_max_ns"
    frame = panel.guide(by=by).frame
    assert contiguous(frame)
    rows = panel.records.to_dicts()
    worst = panel.records.group_by("agent").agg(pl.col(column).max())[column].to_list()
    for limit in sorted({1, *worst, *(max(end - 1, 1) for end in worst), *(end + 1 for end in worst), 10**12}):
        found, expected = choice(frame, limit), naive(rows, limit, column)
        assert found["agent"] == (expected and expected[0]), limit
        if expected:
            assert found["suboptimality"] == pytest.approx(expected[1])


def test_guide_by_states_of_a_panel_has_several_choices(panel: pm.Run) -> None:
    chosen = panel.guide().frame
    assert chosen["agent"][-1] == "astar(ties=n)"
    assert chosen.height >= 3
    unknown = panel.guide(known_map=False)
    assert not unknown.frame["agent"].str.contains("pdb|pra").any()
    excluded = unknown.candidates.filter(pl.col("out") == "map")["agent"]
    assert excluded.len() == 4
    assert excluded.str.contains("goal=pdb|pra").all()


Agent = tuple[list[int], list[int]]
"""The qualities and the worst moves of an agent on four problems."""

values = st.integers(1, 40)
four = st.lists(values, min_size=4, max_size=4)
runs = st.lists(st.tuples(four, four), min_size=1, max_size=6)


def made(agents: list[Agent]) -> pl.DataFrame:
    return records(
        *(
            {"agent": f"a{at}", "problem": problem, "suboptimality": 1 + quality / 8, "expanded_max": worst}
            for at, (qualities, worsts) in enumerate(agents)
            for problem, (quality, worst) in enumerate(zip(qualities, worsts, strict=True))
        )
    )


@settings(max_examples=40)
@given(runs)
def test_intervals_are_contiguous_and_choices_are_the_best(agents: list[Agent]) -> None:
    frame = made(agents)
    found, rows = guide(frame), frame.to_dicts()
    assert contiguous(found)
    for limit in range(1, 42):
        row, expected = choice(found, limit), naive(rows, limit)
        assert (row["agent"] is None) == (expected is None)
        if expected:
            # Any of several agents with the same mean is the best.
            assert row["suboptimality"] == pytest.approx(expected[1])
            assert row["worst"] <= limit


@settings(max_examples=40)
@given(runs, values)
def test_agent_that_is_never_best_changes_nothing(agents: list[Agent], more: int) -> None:
    before = guide(made(agents))
    qualities, worsts = agents[0]
    # On every problem, the new agent is clearly worse than the first one and has larger moves.
    added = [*agents, ([quality + 100 + more for quality in qualities], [worst + more for worst in worsts])]
    assert guide(made(added)).equals(before)


def test_no_agent_qualifies_below_the_smallest_worst_move() -> None:
    frame = guide(records({"expanded_max": 9}))
    assert frame.select("min_limit", "max_limit", "agent").rows() == [(1, 8, None), (9, None, "lrta(d=1)")]
    assert guide(records({"expanded_max": 0}))["min_limit"].to_list() == [1]


def failing(**row: Any) -> dict[str, Any]:
    return {"status": "travel-cap", "cost": None, "suboptimality": None, **row}


def test_agents_with_unsolved_problems_are_listed_with_counts() -> None:
    two = [{"agent": "b", "label": "B", "problem": at, "suboptimality": 2.0, "expanded_max": 5} for at in range(3)]
    frame = records(
        *two,
        {"agent": "a", "label": "A"},
        failing(agent="a", label="A", problem=1),
        failing(agent="a", label="A", problem=2, status="hung"),
        {"agent": "c", "label": "C", "suboptimality": 1.5},
    )
    assert guide(frame)["agent"].to_list() == [None, "b"]
    rows = {row["agent"]: row for row in candidates(frame).to_dicts()}
    assert (rows["a"]["out"], rows["a"]["missing"]) == ("unsolved", 0)
    assert sorted(rows["a"]["unsolved"].split(", ")) == ["1 hung", "1 travel-cap"]
    assert (rows["c"]["out"], rows["c"]["missing"], rows["c"]["solved"]) == ("unsolved", 2, 1)
    text = shown(frame)
    assert all(words in text for words in ("1 hung", "1 travel-cap", "2 missing", "1 of 3"))


def test_unsolved_trials_count_as_the_cap_and_failures_never_do() -> None:
    two = [
        {"agent": agent, "label": agent.upper(), "problem": at, "suboptimality": 9.0}
        for agent in ("a", "b", "c")
        for at in range(2)
    ]
    frame = records(
        *two,
        failing(agent="a", label="A", problem=2),
        {"agent": "b", "problem": 2, "suboptimality": 90.0, "expanded_max": 500},
        failing(agent="c", problem=2, status="error"),
    )
    capped = Terms(unsolved=Unsolved(60.0))
    rows = {row["agent"]: row for row in candidates(frame, capped).to_dicts()}
    assert {agent: (row["solved"], row["capped"], row["out"]) for agent, row in rows.items()} == {
        "a": (2, 1, None),
        "b": (3, 0, None),
        "c": (2, 0, "unsolved"),
    }
    found = guide(frame, capped).drop_nulls("agent").row(0, named=True)
    assert (found["agent"], found["suboptimality"], found["solved"], found["problems"]) == ("a", 26.0, 2, 3)
    assert "count as 60 times the optimum (--unsolved cap): 1 of A." in " ".join(shown(frame, capped).split())
    assert explained(frame, 500, capped).select("agent", "verdict").rows() == [
        ("a", "best"),
        ("b", "tied"),
        ("c", "out"),
    ]
    assert guide(frame, Terms()).drop_nulls("agent")["agent"].to_list() == ["b"]


@pytest.mark.parametrize("score", SCORES.values(), ids=lambda score: score.name)
def test_guide_chooses_by_any_score(score: Score) -> None:
    # In order: the best mean, the best median, and a bad agent with the smallest moves.
    values = {"even": [2.0] * 20, "typical": [1.0] * 18 + [40.0] * 2, "bad": [50.0] * 20}
    frame = records(
        *(
            {"agent": agent, "label": agent, "map": f"m{at // 2}", "problem": at, "suboptimality": value}
            | {"expanded_max": 1 if agent == "bad" else 5}
            for agent, own in values.items()
            for at, value in enumerate(own)
        )
    )
    terms = Terms(score=score)
    lowest = min(values, key=lambda agent: score.of(np.array(values[agent])))
    found = guide(frame, terms).drop_nulls("agent")
    assert found["agent"].to_list() == ["bad", lowest]
    assert found["suboptimality"].to_list() == pytest.approx([50.0, score.of(np.array(values[lowest]))])
    row = found.row(1, named=True)
    maps = np.array(values[lowest]).reshape(10, 2), np.array(values["even" if lowest == "typical" else "typical"])
    best = sum(score.of(own) <= score.of(other) for own, other in zip(maps[0], maps[1].reshape(10, 2), strict=True))
    assert (row["maps"], row["best_maps"]) == (10, best)
    text = " ".join(shown(frame, terms).split())
    if score.name in ("mean", "p95"):
        (typical,) = row["by_median"]
        assert (typical["agent"], typical["median"], typical["better_maps"]) == ("typical", 1.0, 9)
        assert (typical["hardest_maps"], typical["on_them"], typical["without_them"]) == (["m9"], 40.0, 1.0)
        assert (
            f"typical has a lower {score.words} than even on 9 of 10 maps, but 40 on m9; without this map, its "
            f"{score.words} would be 1."
        ) in text
    else:
        assert row["by_median"] == []


def test_several_maps_explain_a_choice_if_one_is_not_enough() -> None:
    frame = records(
        *(
            {"agent": agent, "map": f"m{at}", "suboptimality": value}
            for at in range(10)
            for agent, value in (("steady", 4.0), ("typical", 40.0 if at > 7 else 1.0))
        )
    )
    (row,) = guide(frame).drop_nulls("agent").to_dicts()
    (typical,) = row["by_median"]
    assert (row["agent"], typical["agent"]) == ("steady", "typical")
    assert (sorted(typical["hardest_maps"]), typical["on_them"], typical["without_them"]) == (["m8", "m9"], 40.0, 1.0)
    text = " ".join(shown(frame).split())
    assert "on 8 of 10 maps, but 40 on m8 and m9; without these maps, its mean would be 1." in text


def test_guide_names_the_best_mean_and_the_best_median_and_explains_the_difference() -> None:
    agents = ("klrta(k=100)", "lrta(d=1, goal=pdb, l=3)")
    # One map with random obstacles decides the mean.
    maps = ("caves-128", "rooms-128", "outdoor-woods-192", "random-38-192")
    run = pm.run("embedded", agents, maps=maps, limit=120, out="both", progress=False)
    invoke("guide both --format csv -o x.csv")
    text = " ".join(invoke("guide both").stdout.split())
    first, last = run.guide().frame.iter_rows(named=True)
    typical = first["label"]
    assert (typical, last["label"]) == ("LRTA* (F, PDB) d=1, ℓ=3", "K LRTA* (k=100)")
    assert [each["label"] for each in last["by_median"]] == [typical]
    assert f"{typical} has a lower mean than K LRTA* (k=100) on 3 of 4 maps, but" in text
    assert "on random-38-192; without this map, its mean would be 1.3" in text
    assert pl.read_csv("x.csv")["by_median"].to_list() == ["", first["agent"]]


def shown(frame: pl.DataFrame, terms: Terms | None = None, explain: int | None = None, width: int = 80) -> str:
    """Return a guide as printed on a terminal."""
    terms = terms or Terms()
    document = (
        guide_document("made", guide(frame, terms), candidates(frame, terms), terms)
        if explain is None
        else explained_document("made", explain, explained(frame, explain, terms), terms)
    )
    return printed(terminal(document), width)


def test_guide_ends_at_the_cutoff_and_names_the_moves_beyond_it() -> None:
    reason = "move 7 expanded 1234 states, over 1000"
    over = failing(agent="b", label="B", status="cutoff", expanded_max=1234, expanded_max_move=7, reason=reason)
    frame = records({"agent": "a", "label": "A", "expanded_max": 10}, over)
    terms = Terms(cutoff=1000)
    assert guide(frame, terms).select("min_limit", "max_limit", "agent").rows() == [(1, 9, None), (10, 1000, "a")]
    text = " ".join(shown(frame, terms).split())
    assert "ends at the run's own cutoff, 1,000 states" in text
    assert "made/up, problem 0, move 7: 1,234 states" in text
    assert explained(frame, 500, terms).select("agent", "verdict").rows() == [("a", "best"), ("b", "over")]
    # An agent that was stopped by another limit did not solve the problem, which is unrelated to this limit.
    assert candidates(frame, Terms(cutoff=2000))["out"].to_list() == [None, "unsolved"]
    assert guide(frame, Terms(cutoff=2000))["max_limit"].to_list() == [9, None]
    # Beyond the cutoff there are no values.
    assert explained(frame, 5000, terms).select("agent", "verdict").rows() == [("a", "best"), ("b", "out")]


def test_run_without_qualifying_agents_has_an_empty_guide() -> None:
    frame = records(failing(), failing(problem=1))
    assert guide(frame).select("min_limit", "max_limit", "agent").rows() == [(1, None, None)]
    text = shown(frame)
    assert all(words in text for words in ("no agent qualifies", "No agent qualifies under any limit", "2 travel-cap"))


def test_one_problem_has_no_standard_error() -> None:
    frame = records({"agent": "a", "suboptimality": 1.5}, {"agent": "b", "suboptimality": 1.5, "expanded_max": 2})
    row = guide(frame).row(0, named=True)
    assert [row[f"suboptimality_{what}"] for what in ("se", "low", "high")] == [None, None, None]
    assert row["runners_up"] == []
    assert "no standard error" in shown(frame)
    assert "no standard error" in shown(frame, explain=2)


def test_memory_build_and_knowledge_of_the_map_are_further_terms() -> None:
    frame = records(
        {"agent": "light", "suboptimality": 2.0, "memory_bytes": 8, "build_ns": 0, "build_bytes": 0},
        {"agent": "built", "memory_bytes": 1, "build_ns": 5_000, "build_bytes": 99},
        {"agent": "learned", "memory_bytes": 8000, "build_ns": 0, "build_bytes": 0},
    )

    def out(terms: Terms) -> dict[str, str | None]:
        return dict(candidates(frame, terms).select("agent", "out").iter_rows())

    assert out(Terms()) == {"light": None, "built": None, "learned": None}
    assert out(Terms(max_memory=100)) == {"light": None, "built": None, "learned": "memory"}
    assert out(Terms(max_memory=99)) == {"light": None, "built": "memory", "learned": "memory"}
    assert out(Terms(max_build_ns=5_000)) == {"light": None, "built": None, "learned": None}
    assert out(Terms(max_build_ns=4_999)) == {"light": None, "built": "build", "learned": None}
    assert out(Terms(known_map=False)) == {"light": None, "built": "map", "learned": None}
    # A build during the discovery of the map does not require knowledge of the map.
    frame = frame.with_columns(sensor=pl.lit("square(10)"))
    assert out(Terms(known_map=False)) == {"light": None, "built": None, "learned": None}


def test_unknown_memory_never_passes_a_limit() -> None:
    frame = records(
        {"agent": "known", "label": "K", "memory_bytes": 700, "suboptimality": 2.0},
        {"agent": "unknown", "label": "U", "memory_bytes": 10},
        {"agent": "known", "label": "K", "memory_bytes": 300, "suboptimality": 2.0, "problem": 1},
        {"agent": "unknown", "label": "U", "memory_bytes": None, "problem": 1},
    )
    assert dict(candidates(frame).select("agent", "memory_bytes").iter_rows()) == {"known": 700, "unknown": None}
    assert guide(frame)["agent"].to_list() == ["unknown"]
    terms = Terms(max_memory=2**40)
    assert guide(frame, terms)["agent"].to_list() == ["known"]
    assert "memory unknown" in shown(frame, terms)


def test_memory_of_searches_is_limited() -> None:
    invoke("run embedded --map rooms-128 --limit 3 -a astar dstar-lite 'lrta(d=1)' --out run")
    peaks = dict(pm.Run(Path("run")).records.group_by("agent").agg(pl.col("memory_bytes").max()).iter_rows())
    found = json_of("guide run --max-memory 1kB")
    out = {row["agent"]: (row["out"], row["memory_bytes"]) for row in found["agents"]}
    for agent in ("astar(ties=n)", "dstar-lite(prefer=larger-g, ties=n)"):
        assert out[agent] == ("memory", peaks[agent])
        assert peaks[agent] > 10_000
    text = " ".join(invoke("guide run --max-memory 1kB").stdout.split())
    assert f"A* 3 uses {format_size(peaks['astar(ties=n)'])} of memory" in text


def test_guide_by_time_separates_and_names_machines() -> None:
    def timed(agent: str, cpu: str, *times: int, **row: Any) -> dict[str, Any]:
        names = ("time_max_ns", "time_p999_ns", "time_p99_ns")
        suboptimality = {"a": 1.0, "b": 2.0}[agent]
        row |= {"label": agent.upper(), "suboptimality": suboptimality}
        return {"agent": agent, "cpu": cpu, **row, **dict(zip(names, times, strict=True))}

    frame = records(
        timed("a", "slow", 500, 450, 400, host="one"),
        timed("b", "slow", 700, 650, 100, host="two"),
        timed("a", "quick", 90, 85, 80, problem=1),
        timed("b", "quick", 50, 45, 40, problem=1),
    )
    found = guide(frame, Terms(by="time"))
    columns = ("cpu", "hosts", "min_limit", "agent")
    assert found.select(columns).rows() == [
        ("quick", "here", 1, None),
        ("quick", "here", 50, "b"),
        ("quick", "here", 90, "a"),
        ("slow", "one, two", 1, None),
        ("slow", "one, two", 500, "a"),
    ]
    ninety_nine = guide(frame, Terms(by="time", quantile="99")).filter(cpu="slow")
    assert ninety_nine.select("min_limit", "agent").rows() == [(1, None), (100, "b"), (400, "a")]
    text = " ".join(shown(frame, Terms(by="time", quantile="99.9")).split())
    named = ("slow (one, two)", "quick (here)", "99.9% of the planned moves on every problem")
    assert all(words in text for words in named)


def test_ends_of_time_intervals_are_distinguishable() -> None:
    frame = records(
        *(
            {"agent": f"a{at}", "problem": problem, "suboptimality": 9.0 - at, "time_max_ns": time}
            for at, worst in enumerate((8_060_000, 8_060_007, 9_000_000))
            for problem, time in enumerate((worst, worst))
        )
    )
    text = shown(frame, Terms(by="time"))
    for words in ("below 8.06 ms", "8.06 ms to 8.06001 ms", "8.06001 ms to 9 ms", "9 ms and up"):
        assert words in text


moves = st.lists(st.integers(1, 5000), min_size=1, max_size=30)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(moves, min_size=1, max_size=6),
    st.sampled_from([0.001, 0.05, 0.3]),
    st.sampled_from([0.5, 1.0, 3.0]),
)
def test_tolerated_share_of_planned_moves_may_exceed_the_limit(
    problems: list[list[int]], share: float, speed: float
) -> None:
    _, high = _core.bucket_bounds()
    rows = []
    for problem, times in enumerate(problems):
        numbers = [next(bucket for bucket, end in enumerate(high) if end >= time) for time in times]
        histogram = [{"bucket": number, "count": numbers.count(number)} for number in sorted(set(numbers))]
        rows.append({"agent": "a", "problem": problem, "time_max_ns": max(times), "time_histogram": histogram})
    found = guide(records(*rows), Terms(by="time", tolerate=share, speed=speed))
    row = found.drop_nulls("agent").row(0, named=True)
    every = [time for times in problems for time in times]
    # The lowest limit that few enough moves exceed, as if each move took as long as the longest of its bucket.
    slowest = [min(next(end for end in high if end >= time), max(every)) for time in every]
    enough = [limit for limit in slowest if sum(each > limit for each in slowest) <= share * len(every)]
    assert row["worst"] == min(math.ceil(min(enough) / speed), math.ceil(max(every) / speed))
    assert sum(math.ceil(time / speed) > row["worst"] for time in every) <= share * len(every)
    assert row["worst_low"] <= row["worst_high"] <= math.ceil(max(every) / speed)


def test_a_rare_slow_move_is_tolerated_only_on_request() -> None:
    usual = [{"bucket": 10, "count": 999}]
    frame = records(
        {
            "agent": "steady",
            "suboptimality": 3.0,
            "expanded_max": 40,
            "expanded_histogram": [{"bucket": 40, "count": 9}],
        },
        {
            "agent": "rare",
            "suboptimality": 1.0,
            "expanded_max": 60,
            "expanded_histogram": [*usual, {"bucket": 60, "count": 1}],
        },
    )
    strict = guide(frame, Terms()).select("min_limit", "agent").rows()
    assert strict == [(1, None), (40, "steady"), (60, "rare")]
    assert guide(frame, Terms(tolerate=0.001)).select("min_limit", "agent").rows() == [(1, None), (10, "rare")]
    text = " ".join(shown(frame, Terms(tolerate=0.001)).split())
    assert "states expanded for any single move: at most 0.1% of an agent's planned moves may exceed it." in text
    over = explained(frame, 50, Terms()).filter(verdict="over").row(0, named=True)
    assert (over["agent"], over["over_problems"], over["over_episodes"]) == ("rare", 1, 0.001)
    assert "0.1%" in shown(frame, Terms(), 50)


def test_a_single_planning_move_counts_in_every_quantile(tmp_path: Path) -> None:
    agents = ["lrta(d=1)", "wastar(gamma=0.5)"]
    run = pm.run("embedded", agents, maps=small_maps()[:1], limit=3, timed=True, repeats=1, out=tmp_path / "run")
    own = run.records.filter(pl.col("agent").str.starts_with("wastar"))
    assert (own["episodes"] == 1).all()
    assert (own["moves"] > 1).all()
    for quantile, column in (("worst", "time_max_ns"), ("99.9", "time_p999_ns"), ("99", "time_p99_ns")):
        assert own[column].equals(own["first_move_ns"].alias(column))
        chosen = run.guide(by="time", quantile=quantile).frame.filter(agent=own["agent"][0])
        assert (chosen["min_limit"] >= own["first_move_ns"].max()).all()


def test_durations_are_rounded_before_their_unit_is_chosen() -> None:
    texts = {999.4: "999 ns", 999.6: "1 µs", 1_000: "1 µs", 999_600: "1 ms", 1_234_567: "1.23 ms", 61.2e9: "61.2 s"}
    assert {value: format_duration(value) for value in texts} == texts


def test_each_set_has_its_own_guide_on_request() -> None:
    frame = records(
        {"agent": "a", "set": "one"},
        {"agent": "b", "set": "one", "suboptimality": 2.0},
        {"agent": "a", "set": "two", "suboptimality": 3.0},
        {"agent": "b", "set": "two", "suboptimality": 2.0},
    )
    assert guide(frame, Terms(per_set=True)).select("set", "agent").rows() == [("one", "a"), ("two", "b")]
    assert guide(frame)["agent"].to_list() == ["a"]


def test_runners_up_are_statistically_tied_with_the_best() -> None:
    generator = np.random.default_rng(1)
    base = 2 + generator.random(200)
    noise = generator.normal(0, 0.5, 200)
    agents = {"best": base, "tied": base + noise - noise.mean() + 0.001, "worse": base + 0.2}
    frame = records(
        *(
            {"agent": agent, "label": agent, "problem": at, "suboptimality": float(value), "expanded_max": worst}
            for worst, (agent, values) in enumerate(agents.items(), 3)
            for at, value in enumerate(values)
        )
    )
    row = guide(frame).row(1, named=True)
    assert (row["agent"], row["min_limit"]) == ("best", 3)
    (other,) = row["runners_up"]
    assert (other["agent"], other["min_limit"]) == ("tied", 4)
    assert other["low"] <= 0 <= other["high"]
    assert other["difference"] == pytest.approx(0.001)
    verdicts = dict(explained(frame, 10).select("agent", "verdict").iter_rows())
    assert verdicts == {"best": "best", "tied": "tied", "worse": "worse"}
    assert "tied (from 4 states)" in shown(frame)


def test_bootstrap_is_paired_and_seeded_and_agrees_with_the_textbook() -> None:
    generator = np.random.default_rng(2)
    one = generator.exponential(size=400)
    other = one + generator.normal(0.1, 0.05, 400)
    table = np.stack([one, other])
    means = Resamples(400, seed=3).means(table)
    assert np.array_equal(means, Resamples(400, seed=3).means(table))
    assert not np.array_equal(means, Resamples(400, seed=4).means(table))
    # The other agents in the table make no difference.
    assert np.allclose(means[:, 0], Resamples(400, seed=3).means(table[:1])[:, 0])
    difference, error = paired(other, one)
    low, high = interval((means[:, 1] - means[:, 0])[:, None])
    assert low[0] == pytest.approx(difference - 1.96 * error, abs=0.3 * error)
    assert high[0] == pytest.approx(difference + 1.96 * error, abs=0.3 * error)


def test_resamples_are_the_same_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(5).random((3, 50))
    table[1, :10] = np.nan
    expected = Resamples(50).means(table)
    monkeypatch.setattr("permove.analysis.statistics.PIECE", 777)
    assert np.allclose(Resamples(50).means(table), expected)


def test_explain_names_problem_and_move(panel: pm.Run) -> None:
    limit = 100
    found = panel.guide().explain(limit)
    rows = panel.records.to_dicts()
    over = {row["agent"] for row in rows if row["expanded_max"] > limit}
    assert set(found.filter(pl.col("verdict") == "over")["agent"]) == over
    for row in found.filter(pl.col("verdict") == "over").iter_rows(named=True):
        own = [each for each in rows if each["agent"] == row["agent"]]
        assert row["over_problems"] == sum(each["expanded_max"] > limit for each in own)
        (worst,) = (each for each in own if (each["map"], each["problem"]) == (row["worst_map"], row["worst_problem"]))
        assert worst["expanded_max"] == max(each["expanded_max"] for each in own) == row["worst"]
        assert worst["expanded_max_move"] == row["worst_move"]
    expected = naive(rows, limit)
    assert expected is not None
    assert found.filter(pl.col("verdict") == "best")["agent"].item() == expected[0]


# The command line.


def test_guide_command_explains_and_writes_every_format(panel: pm.Run) -> None:
    line = f"guide {panel.folder}"
    shown = invoke(line).stdout
    assert "\x1b" not in shown
    assert widest(shown) <= 80
    assert re.search(r"1 to [\d,]+ +LRTA\* \(F,", shown)
    explanation = invoke(line, "--explain", 100).stdout
    assert widest(explanation) <= 80
    assert "Disqualified: over 100 states" in explanation
    assert panel.records["cpu"][0] in " ".join(invoke(line, "--by", "time", "--quantile", 99).stdout.split())
    for kind in ("json", "csv", "md", "html"):
        invoke(line, "--format", kind, "-o", f"guide.{kind}")
        invoke(line, "--explain", 10, "--format", kind, "-o", "x")
    content = json.loads(Path("guide.json").read_text())
    assert content["intervals"][0]["min_limit"] == 1
    assert len(content["agents"]) == panel.records["agent"].n_unique()
    assert "script-src 'sha256-" in Path("guide.html").read_text()
    assert pl.read_csv("guide.csv")["agent"].to_list() == panel.guide().frame["agent"].to_list()


def test_no_color_prints_plain_text_on_terminals(panel: pm.Run) -> None:
    coloured, plain = (
        invoke(f"guide {panel.folder}", FORCE_COLOR="1", NO_COLOR=value, TERM="xterm").stdout for value in ("", "1")
    )
    assert "\x1b" in coloured
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--by memory", "use states or time"),
        ("--by time --quantile 50", "worst, 99.9, 99"),
        ("--quantile 99", "limit by time"),
        ("--explain many", "use a number such as 100"),
        ("--by time --explain 100", "invalid duration"),
        ("--max-memory lots", "invalid size"),
        ("--max-build 5", "invalid duration"),
    ],
)
def test_bad_options_print_one_line(panel: pm.Run, options: str, words: str) -> None:
    assert words in error_of(f"guide {panel.folder} {options}")


def test_guide_needs_records_and_times() -> None:
    with rejects("`permove run --timed` measures them"):
        guide(records({}), Terms(by="time"))
    with rejects("no records"):
        guide(records({}).head(0))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"agent": "c", "optimal": 12.0}, "different suites: problem 0 of made/up has the optimal costs 10 and 12"),
        ({"agent": "a"}, "a has more than one record for problem 0 of made/up"),
        ({"agent": "c", "sensor": "square(10)"}, "sensor all and square(10)"),
        ({"agent": "c", "set": "else"}, "different suites: no agent was run on both else and made"),
    ],
)
def test_records_of_different_suites_or_runs_are_rejected(row: dict[str, Any], words: str) -> None:
    with rejects(words):
        guide(records({"agent": "a"}, {"agent": "b"}, row))


@pytest.mark.parametrize("command", ["report", "guide"])
def test_files_of_another_suite_in_a_run_are_rejected(command: str) -> None:
    for suite, name in (("embedded", "one"), ("embedded@free", "other")):
        pm.run(suite, "astar", maps=small_maps()[:1], limit=3, out=name, progress=False)
    (chunk,) = Path("other/records").iterdir()
    chunk.rename(f"one/records/000002{chunk.name[6:]}")
    assert re.search("different suites|more than once", error_of(command, "one"))


class Reader(HTMLParser):
    """The elements and the text of a page, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_markup_in_names_is_escaped_in_pages_markdown_and_terminals() -> None:
    name = "<img src=x onerror=alert(1)> & [bold]*A*[/bold]|"
    frame = records({"agent": name, "label": name, "map": name}, {"agent": "b", "label": "B", "suboptimality": 2.0})
    found = Guide(f"suite {name}", Terms(), frame)
    found.show("html", Path("guide.html"), explain=1)
    reader = Reader()
    reader.feed(Path("guide.html").read_text())
    assert "img" not in reader.tags
    assert name in reader.text
    assert "[bold]*A*[/bold]" in shown(frame, width=160)
    text = markdown(Document(name, [Heading(name), name, Rows(["a"], [False], [[Link(name, "to.md")], [name]])]))
    assert "<img" not in re.sub(r"\\<", "", text)
    assert r"\|" in text
    assert page(Document(name, [Rows([name], [False], [[Link(name, '">')]])])).count("<img") == 0
