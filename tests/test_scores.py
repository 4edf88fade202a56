"""Scores of agents: their definitions, their bootstrap, the mark of means that few problems decide, and the tables."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gmean, trim_mean

import permove as pm
from permove.analysis.measures import MEASURES, Table
from permove.analysis.scores import SCORES, concentrated, find_score
from permove.analysis.statistics import Resamples, Values
from permove.analysis.tradeoff import tradeoff
from permove.analysis.unsolved import Unsolved
from permove.report.table import MARK, MARK_NOTE, tradeoff_table
from support import error_of, invoke, printed, records, rejects, seconds, small_maps, widest

REFERENCES = {
    "mean": np.mean,
    "median": np.median,
    "gmean": gmean,
    "iqm": lambda values: trim_mean(values, 0.25),
    "p95": lambda values: np.quantile(values, 0.95),
}

values = st.lists(st.floats(1, 1e6), min_size=1, max_size=40)


def resampled_one_by_one(name: str, resamples: Resamples, own: Values) -> list[float]:
    """The score of each resample, from a list of its values."""
    counts = np.concatenate(list(resamples.counts())).astype(int)
    known = [np.repeat(own, row)[~np.isnan(np.repeat(own, row))] for row in counts]
    return [float(REFERENCES[name](drawn)) if len(drawn) else np.nan for drawn in known]


def made(*agents: list[float]) -> pl.DataFrame:
    """Records of agents named a, b, ... that have these suboptimalities."""
    return records(
        *(
            {"agent": name, "label": name.upper(), "problem": problem, "suboptimality": float(value)}
            for name, own in zip("abcdefgh", agents, strict=False)
            for problem, value in enumerate(own)
        )
    )


def shown(frame: pl.DataFrame, note: str = "", scrubbing: bool = False) -> str:
    return printed(tradeoff_table(frame, "made by hand", note=note, scrubbing=scrubbing))


def test_the_references_cover_all_scores() -> None:
    assert SCORES.keys() == REFERENCES.keys()
    with rejects("unknown score 'mode'; choose one of mean, median, gmean, iqm, p95"):
        find_score("mode")


@pytest.mark.parametrize("name", SCORES)
@settings(deadline=None, max_examples=50)
@given(drawn=values)
def test_a_score_is_that_of_numpy_and_scipy(name: str, drawn: list[float]) -> None:
    found = SCORES[name].of(np.array([*drawn, np.nan]))
    assert found == pytest.approx(float(REFERENCES[name](np.array(drawn))), rel=1e-9)


@pytest.mark.parametrize("name", SCORES)
@settings(deadline=None, max_examples=20)
@given(drawn=values, gaps=st.integers(0, 3))
def test_resampled_scores_are_those_of_each_resample(name: str, drawn: list[float], gaps: int) -> None:
    own = np.array(drawn)
    holed = own.copy()
    holed[:gaps] = np.nan
    table = np.stack([own, holed])
    resamples = Resamples(len(own), seed=3, count=20)
    found = SCORES[name].resampled(resamples, table)
    expected = np.array([resampled_one_by_one(name, resamples, row) for row in table]).T
    assert found == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_a_zero_makes_only_the_resamples_that_have_it_zero() -> None:
    own = np.array([0.0, 2.0, 8.0])
    resamples = Resamples(3, count=50)
    found = SCORES["gmean"].resampled(resamples, own[None, :])[:, 0]
    assert found.tolist() == pytest.approx(resampled_one_by_one("gmean", resamples, own))
    assert 0 < (found == 0).sum() < 50


@pytest.mark.parametrize("name", SCORES)
def test_a_thousand_resamples_of_twenty_agents_take_seconds(name: str) -> None:
    table = np.random.default_rng(0).lognormal(1, 1, (20, 2000))
    resamples = Resamples(2000)
    resamples.means(table)  # Draws the resamples, which all scores share.
    assert seconds(lambda: SCORES[name].resampled(resamples, table)) < 5


@pytest.mark.parametrize("name", SCORES)
def test_the_trade_off_has_the_score_with_its_error(name: str) -> None:
    own = np.random.default_rng(1).lognormal(1, 0.5, 60) + 1
    frame = tradeoff(made(own.tolist(), (2 * own).tolist()), score=SCORES[name])
    row = frame.row(0, named=True)
    assert row["score"] == name
    assert row["suboptimality"] == pytest.approx(float(REFERENCES[name](own)))
    assert row["suboptimality_mean"] == pytest.approx(own.mean())
    assert row["suboptimality_median"] == pytest.approx(float(np.median(own)))
    if name == "mean":
        assert row["suboptimality_se"] == pytest.approx(own.std(ddof=1) / np.sqrt(60))
    else:
        resampled = Table(made(own.tolist()), score=SCORES[name]).resampled(MEASURES["suboptimality"])
        assert row["suboptimality_se"] == pytest.approx(resampled.std(ddof=1))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(8, 400), min_size=1, max_size=45))
def test_means_are_marked_if_a_tenth_of_the_problems_has_most_of_the_excess(eighths: list[int]) -> None:
    own = [value / 8 for value in eighths]
    excess = sorted((value - 1 for value in own), reverse=True)
    expected = sum(excess[: len(own) // 10]) > sum(excess) / 2
    assert pl.DataFrame({"x": own}).select(concentrated("x")).item() == expected


def test_the_table_shows_mean_and_median_and_explains_its_marks() -> None:
    even, skewed = [2.0] * 20, [1.1] * 18 + [300.0, 400.0]
    text = shown(tradeoff(made(even, skewed)), note="A note.")
    assert text.count(MARK) == 2  # The mean of the second agent, and the explanation.
    assert " ".join(text.split()).count(f"{MARK} {MARK_NOTE}") == 1
    assert "A note." in text
    assert MARK not in shown(tradeoff(made(even)))
    median = shown(tradeoff(made(even, skewed), score=SCORES["median"]))
    assert MARK not in median
    assert median.index("median") < median.index("mean")
    assert widest(text) <= 80


def test_scrubbing_is_shown_on_request_and_may_be_unknown() -> None:
    frame = made([2.0, 3.0])
    assert "Scrubbing" not in shown(tradeoff(frame))
    assert tradeoff(frame)["visits_per_state"].to_list() == [None]
    assert "Scrubbing" in shown(tradeoff(frame), scrubbing=True)
    visited = frame.with_columns(visits_per_state=pl.Series([1.5, 2.5]), visits_max=pl.Series([4, 90], dtype=pl.UInt64))
    row = tradeoff(visited).row(0, named=True)
    assert (row["visits_per_state"], row["visits_max"]) == (2.0, 90)
    text = shown(tradeoff(visited), scrubbing=True)
    assert "2.00 ± 0.50" in text
    assert "90" in text
    assert Table(visited).aggregate(MEASURES["visits_max"]).tolist() == [90.0]
    assert np.isnan(Table(frame).aggregate(MEASURES["visits_max"])).all()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("scores") / "run"
    agents = ["lrta(d={1,3})", "rtaa(k={10,100})"]
    return pm.run("embedded", agents, maps=small_maps(), limit=12, alpha=30, out=folder, progress=False)


@pytest.mark.parametrize("name", SCORES)
def test_every_command_takes_every_score(run: pm.Run, name: str) -> None:
    frame = run.tradeoff(score=name)
    values = Table(run.records, rule=Unsolved(30), score=SCORES[name])
    expected = dict(zip(values.agents, values.aggregate(MEASURES["suboptimality"]), strict=True))
    assert dict(frame.select("agent", "suboptimality").iter_rows()) == pytest.approx(expected)
    assert f"{name} " in invoke(f"report {run.folder} --score {name}").stdout
    compared = invoke(f"compare {run.folder} 'rtaa(k=10)' --against all --score {name}").stdout
    assert f"In {SCORES[name].words} suboptimality" in compared
    for view in ("tradeoff", "scaling"):
        text = " ".join(invoke(f"report {run.folder} --view {view} --score {name}").stdout.lower().split())
        assert (f"{SCORES[name].words} suboptimality" in text) == (name != "mean")


def test_run_shows_the_requested_score(run: pm.Run) -> None:
    line = "run embedded -a 'rtaa(k=10)' --map rooms-128 --limit 2 --score iqm --out other"
    assert "iqm" in invoke(line).stdout
    assert "unknown score 'best'" in error_of(f"report {run.folder} --score best")
