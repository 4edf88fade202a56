"""The rule for unsolved problems, violation rates, and performance profiles."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import permove as pm
from permove.analysis import violations as rates
from permove.analysis.measures import MEASURES
from permove.analysis.pareto import pareto
from permove.analysis.profiles import BEST, FACTORS, OPTIMUM, profiles
from permove.analysis.scaling import scaling
from permove.analysis.tradeoff import tradeoff
from permove.analysis.unsolved import CAP, EXCLUDE, Unsolved, coverage
from permove.analysis.violations import over_episodes, violations
from permove.records.settings import CONVERGE, Settings
from permove.report.table import tradeoff_table
from permove.views.unsolved import unsolved_note
from support import error_of, invoke, json_of, printed, records, rejects, small_maps, widest

CAPPED = Unsolved(50.0)
SUBOPTIMALITY, PLANNING = MEASURES["suboptimality"], MEASURES["expanded_per_move"]


def agent(name: str, *outcomes: float | str | None) -> list[dict[str, Any]]:
    """Records of an agent: a suboptimality, a status of an unsolved problem, or None for a problem without a record."""
    return [
        {"agent": name, "label": name.upper(), "problem": problem}
        | (
            {"status": outcome, "suboptimality": None, "cost": None, "expanded": 1000}
            if isinstance(outcome, str)
            else {"suboptimality": outcome, "cost": 10 * outcome}
        )
        for problem, outcome in enumerate(outcomes)
        if outcome is not None
    ]


FRAME = records(
    *agent("all", 1.0, 2.0, 3.0, 4.0),
    *agent("some", 2.0, "travel-cap", 2.0, "stuck"),
    *agent("over", 1.0, 1.0, "cutoff", 1.0),
)


def means(frame: pl.DataFrame, rule: Unsolved | None) -> dict[str, float | None]:
    return dict(tradeoff(frame, rule=rule).select("agent", "suboptimality").iter_rows())


def test_without_a_rule_each_agent_has_its_own_problems() -> None:
    assert means(FRAME, None) == {"all": 2.5, "some": 2.0, "over": None}


def test_exclude_leaves_the_problems_that_all_ranked_agents_solved() -> None:
    assert means(FRAME, Unsolved()) == {"all": 2.0, "some": 2.0, "over": None}
    found = tradeoff(FRAME, rule=Unsolved()).select("agent", "solved", "counted")
    # The problem on which a disqualified agent exceeds the limit counts for the others.
    assert dict(found.select("agent", "solved").iter_rows()) == {"all": 4, "some": 2, "over": 3}
    assert dict(found.select("agent", "counted").iter_rows()) == {"all": 2, "some": 2, "over": 1}
    note = unsolved_note(Unsolved(), coverage(FRAME, Unsolved()))
    assert note == "Values are over the 2 of 4 problems that all 2 ranked agents solved (--unsolved exclude)."


def test_cap_counts_unsolved_trials_as_multiples_of_the_optimum() -> None:
    assert means(FRAME, CAPPED) == {"all": 2.5, "some": 26.0, "over": None}
    row = tradeoff(FRAME, rule=CAPPED).filter(pl.col("agent") == "some").row(0, named=True)
    # The planning is that of the trials until they ended.
    assert row["expanded_per_move"] == pytest.approx((10 + 1000 + 10 + 1000) / 40)
    costs = CAPPED.counted(FRAME).filter(pl.col("agent") == "some")["cost"].to_list()
    assert costs == [20.0, 500.0, 20.0, 500.0]
    note = unsolved_note(CAPPED, coverage(FRAME, CAPPED))
    assert note == "Values are over 4 problems; 2 unsolved trials count as 50 times the optimum (--unsolved cap)."


def test_agents_that_were_not_run_on_a_problem_exclude_it_under_both_rules() -> None:
    frame = records(*agent("a", 1.0, 3.0, 5.0), *agent("b", 2.0, None, 2.0))
    for rule in (Unsolved(), CAPPED):
        assert means(frame, rule) == {"a": 3.0, "b": 2.0}
    note = unsolved_note(CAPPED, coverage(frame, CAPPED))
    assert note == "Values are over the 2 of 3 problems that all 2 ranked agents were run on."


def test_an_agent_that_solved_nothing_is_not_ranked_and_excludes_nothing() -> None:
    frame = records(*agent("a", 1.0, 3.0), *agent("broken", "error", "error"))
    assert means(frame, Unsolved()) == {"a": 2.0, "broken": None}
    note = unsolved_note(Unsolved(), coverage(frame, Unsolved()))
    assert note == (
        "Values are over 2 problems, solved by the only ranked agent. 1 agent that solved no problem is not ranked."
    )


def test_no_common_problem_gives_no_values_and_says_so() -> None:
    frame = records(*agent("a", 1.0, "stuck"), *agent("b", "stuck", 1.0))
    assert means(frame, Unsolved()) == {"a": None, "b": None}
    assert "there is no problem that all 2 ranked agents solved" in unsolved_note(
        Unsolved(), coverage(frame, Unsolved())
    )
    assert pareto(frame, PLANNING, SUBOPTIMALITY, rule=Unsolved())["dominated"].to_list() == [None, None]
    for function in (scaling, profiles):
        with rejects("ranked agents"):
            function(frame, SUBOPTIMALITY, rule=Unsolved())


def test_the_default_rule_is_cap_if_single_trials_have_a_cap() -> None:
    assert Unsolved.of(None, Settings()).name == EXCLUDE
    assert Unsolved.of(None, Settings(alpha=7)) == Unsolved(7)
    assert Unsolved.of(EXCLUDE, Settings(alpha=7)) == Unsolved()
    converging = Settings(alpha=7, trials=CONVERGE, max_trials=9)
    assert Unsolved.of(None, converging) == Unsolved()
    for name, given_settings, sentence in [
        ("drop", Settings(), "unknown rule 'drop'"),
        (CAP, Settings(), "no cap on travel"),
        (CAP, converging, "run to convergence"),
    ]:
        with rejects(sentence):
            Unsolved.of(name, given_settings)


outcome = st.sampled_from([1.0, 1.5, 4.0, "stuck", "travel-cap", "cutoff", None])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(outcome, min_size=4, max_size=4), min_size=1, max_size=4), st.sampled_from([None, 50.0]))
def test_ranked_agents_always_have_the_same_problems(table: list[list[Any]], cap: float | None) -> None:
    table = [[1.0, *own] for own in table]
    frame = records(*(row for at, own in enumerate(table) for row in agent(f"a{at}", *own)))
    rule = Unsolved(cap)
    rows = rule.counted(frame)
    qualified = {f"a{at}" for at, own in enumerate(table) if "cutoff" not in own}
    sets = {name: set(rows.filter(pl.col("agent") == name)["problem"]) for name in qualified}
    assert len({frozenset(own) for own in sets.values()}) <= 1
    assert set(rule.ranked(frame)) == qualified
    for name, own in zip(sorted(f"a{at}" for at in range(len(table))), table, strict=True):
        for problem in sets.get(name, ()):
            assert not isinstance(own[problem], str) or cap is not None


def histogram(*pairs: tuple[int, int]) -> list[dict[str, int]]:
    return [{"bucket": bucket, "count": count} for bucket, count in pairs]


@pytest.fixture
def tens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets of ten values each: 0 to 9, 10 to 19, ..."""
    ends = pl.DataFrame({"bucket": range(20)}, schema={"bucket": pl.UInt16}).with_columns(
        low=pl.col("bucket").cast(pl.UInt64) * 10, high=pl.col("bucket").cast(pl.UInt64) * 10 + 9
    )
    monkeypatch.setattr(rates, "bucket_ends", lambda: ends)


def with_histograms(frame: pl.DataFrame, *own: list[dict[str, int]] | None) -> pl.DataFrame:
    kind = pl.List(pl.Struct({"bucket": pl.UInt16, "count": pl.UInt64}))
    return frame.with_columns(pl.Series("expanded_histogram", list(own), kind))


@pytest.mark.usefixtures("tens")
def test_violation_rates_are_shares_of_problems_and_of_episodes() -> None:
    frame = records(
        {"agent": "a", "expanded_max": 55},
        {"agent": "a", "problem": 1, "expanded_max": 12},
        {"agent": "b", "expanded_max": 15},
    )
    frame = with_histograms(frame, histogram((0, 90), (1, 5), (5, 5)), histogram((1, 100)), histogram((0, 7), (1, 3)))
    found = {row["agent"]: row for row in violations(frame, {"expanded_max": 15}).to_dicts()}
    # The bucket from 10 to 19 contains the limit, so it counts only for the problem that exceeds the limit.
    assert (found["a"]["over_problems"], found["a"]["over_episodes"]) == (0.5, 10 / 200)
    assert (found["b"]["over_problems"], found["b"]["over_episodes"]) == (0.0, 0.0)
    assert over_episodes(frame, "expanded_max", 9).sort("agent")["share"].to_list() == [110 / 200, 3 / 10]


@pytest.mark.usefixtures("tens")
def test_unknown_violation_rates_are_null() -> None:
    frame = records({"expanded_max": 55})
    assert violations(frame, {}).rows() == [("lrta(d=1)", None, None)]
    assert violations(frame, {"expanded_max": 50}).rows() == [("lrta(d=1)", 1.0, None)]
    assert violations(with_histograms(frame, None), {"expanded_max": 50}).rows() == [("lrta(d=1)", 1.0, None)]


@pytest.mark.usefixtures("tens")
def test_disqualified_agents_are_listed_with_their_rates() -> None:
    frame = with_histograms(
        records(
            {"status": "cutoff", "suboptimality": None, "cost": None, "expanded_max": 55, "reason": "much"},
            {"agent": "b"},
        ),
        histogram((0, 995), (5, 5)),
        histogram((0, 9)),
    )
    found = tradeoff(frame, rule=Unsolved(), limits={"expanded_max": 50})
    text = printed(tradeoff_table(found, "made"))
    assert "episodes" in text
    assert "0.5%" in text


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 12).flatmap(
        lambda problems: st.lists(
            st.lists(st.integers(8, 200), min_size=problems, max_size=problems), min_size=1, max_size=4
        )
    ),
    st.sampled_from([OPTIMUM, BEST]),
)
def test_profiles_are_shares_of_problems_within_factors(table: list[list[int]], relative_to: str) -> None:
    table_values = [[value / 8 for value in own] for own in table]
    frame = records(*(row for at, own in enumerate(table_values) for row in agent(f"a{at}", *own)))
    found = {
        (row["agent"], row["factor"]): row for row in profiles(frame, SUBOPTIMALITY, relative_to=relative_to).to_dicts()
    }
    assert len(found) == len(table) * len(FACTORS)
    for at, own in enumerate(table_values):
        for factor in FACTORS:
            best = [min(column) for column in zip(*table_values, strict=True)]
            goals = [1.0] * len(own) if relative_to == OPTIMUM else best
            within = [value <= factor * goal * (1 + 1e-12) for value, goal in zip(own, goals, strict=True)]
            row = found[f"a{at}", factor]
            assert row["share"] == pytest.approx(sum(within) / len(own))
            assert len(own) == 1 or row["low"] <= row["share"] <= row["high"]


def test_profiles_follow_the_rule_and_omit_disqualified_agents() -> None:
    within = {
        rule.name: {
            (row["agent"], row["factor"]): row["share"]
            for row in profiles(FRAME, SUBOPTIMALITY, factors=(1.0, 10.0, 50.0), rule=rule).to_dicts()
        }
        for rule in (Unsolved(), CAPPED)
    }
    assert within[EXCLUDE]["some", 10.0] == 1.0
    assert (within[CAP]["some", 10.0], within[CAP]["some", 50.0]) == (0.5, 1.0)
    assert {name for name, _ in within[CAP]} == {"all", "some"}
    best = profiles(FRAME, SUBOPTIMALITY, relative_to=BEST, factors=(1.0,), rule=CAPPED)
    assert dict(best.select("agent", "share").iter_rows()) == {"all": 0.75, "some": 0.25}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("unsolved") / "run"
    agents = ["lrta(d={1,3})", "rtaa(k={10,100})", "astar"]
    return pm.run("embedded", agents, maps=small_maps(), limit=12, alpha=6, cutoff=900, out=folder, progress=False)


def test_every_table_states_its_rule(run: pm.Run) -> None:
    assert (run.records["status"] == "travel-cap").any()
    views = (f"report {run.folder} --view {view}" for view in ("tradeoff", "profiles", "scaling", "dominance"))
    for line in (f"report {run.folder}", f"compare {run.folder} 'rtaa(k=10)' --against all", *views):
        for option, words in [
            ("", "times the optimum (--unsolved cap)"),
            ("--unsolved exclude", "ranked agents solved (--unsolved exclude)"),
        ]:
            text = invoke(f"{line} {option}").stdout
            assert words in " ".join(text.split()), line
            assert widest(text) <= 80


def test_values_that_are_side_by_side_are_over_the_same_problems(run: pm.Run) -> None:
    for rule in (EXCLUDE, CAP):
        frame = run.tradeoff(unsolved=rule)
        assert frame.filter("qualified")["counted"].n_unique() == 1
        for name in ("tradeoff", "scaling"):
            found = run.view(name, unsolved=rule).frame.filter(pl.col("suboptimality").is_not_null())
            keys = ["min_bucket"] if name == "scaling" else []
            assert (found.group_by(*keys, pl.lit(0)).agg(pl.col("counted").n_unique())["counted"] == 1).all()


def test_profiles_have_a_plot_a_page_and_json(run: pm.Run) -> None:
    line = f"report {run.folder} --view profiles --relative-to best"
    rows = json_of(line, "--plot", "profiles.svg")
    assert len(rows) == len(FACTORS) * len(run.tradeoff().filter("qualified"))
    assert {row["factor"] for row in rows} == set(FACTORS)
    picture = Path("profiles.svg").read_text()
    assert all(row["label"] in picture for row in rows)
    page = invoke(line, "--format", "html").stdout
    assert "<svg" in page
    assert "<table" in page


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--relative-to", "best"], "add --view profiles"),
        (["--view", "profiles", "--relative-to", "moon"], "cannot be relative to 'moon'"),
        (["--view", "profiles", "--y", "moves"], "moves has no optimum"),
        (["--view", "scaling", "--plot", "x.gif"], "use a name that ends in .svg, .pdf or .png"),
        (["--view", "scaling", "--relative-to", "best"], "the view scaling has no --relative-to"),
        (["--view", "profiles", "--score", "median"], "profiles show all problems instead of a score"),
    ],
)
def test_wrong_options_are_errors(run: pm.Run, arguments: list[str], sentence: str) -> None:
    assert sentence in error_of(f"report {run.folder}", *arguments)


def test_the_number_of_capped_trials_is_that_of_the_records(run: pm.Run) -> None:
    ranked = run.records.filter((pl.col("status") == "cutoff").any().over("agent").not_())
    lost = int((ranked["status"] != "solved").sum())
    found = coverage(run.records, Unsolved.of(None, run.settings))
    assert (found.capped, found.counted, found.ranked) == (lost, 12, ranked["agent"].n_unique())
    capped = Unsolved.of(None, run.settings).counted(ranked)
    assert np.sum(capped["suboptimality"].to_numpy() == 6) >= lost
