"""The analyses of papers as views of any run: interplay, histograms, best solutions so far, amortization."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import permove as pm
from permove.analysis.amortization import recouped
from permove.analysis.best_so_far import best_so_far, so_far
from permove.analysis.histogram import histogram
from permove.analysis.interplay import effect, interplay, parameters
from permove.analysis.measures import MEASURES
from permove.papers.graph_abstraction_2007.figures import PLOTS
from permove.report.plot import Data, Plot, svg
from support import error_of, invoke, json_of, records, rejects, small_maps, widest


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("analyses") / "learned"
    agents = ["lrts(d={1,3}, gamma={0.4,1})", "pra(k=4)"]
    return pm.run("embedded", agents, maps=small_maps()[:1], limit=8, out=folder, trials="converge", progress=False)


# --- interplay --------------------------------------------------------------------------------------------------------


def test_effect_is_amplified_diminished_or_unchanged() -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, 50)
    assert effect([noise + value for value in (1, 2, 3)], [1, 2, 3])[0] == "A"
    assert effect([noise + value for value in (3, 2, 1)], [1, 2, 3])[0] == "D"
    assert effect([noise + value for value in (3, 3.1, 3)], [1, 2, 3])[0] == "-"


def test_interplay_is_over_combinations_that_exist_for_all_values() -> None:
    def value(d: int, gamma: float, quota: str) -> float:
        return 10.0 * d * gamma + (1 if quota == "inf" else 0)

    frame = records(
        *(
            {"agent": f"lrts(d={d}, gamma={gamma:g}, T={quota})", "label": f"{d} {gamma} {quota}", "problem": problem}
            | {"travel": value(d, gamma, quota) + problem, "memory": 5}
            for d, gamma, quota, problem in product((1, 3), (0.5, 1.0), ("100", "inf"), range(4))
            if (d, gamma, quota) != (3, 1.0, "100")
        ),
        *({"agent": "astar", "label": "A*", "problem": problem} for problem in range(4)),
    )
    (found,) = interplay(frame, "d", "gamma", [MEASURES["travel"], MEASURES["memory"]])
    assert (found.name, found.one, found.other, found.over) == ("lrts", ["1", "3"], ["0.5", "1"], 1)
    means = {(row["d"], row["gamma"]): row["mean"] for row in found.frame.filter(measure="travel").to_dicts()}
    expected = {(f"{d}", f"{gamma:g}"): value(d, gamma, "inf") + 1.5 for d, gamma in product((1, 3), (0.5, 1.0))}
    assert means == pytest.approx(expected)
    assert found.effects["travel"] == ("A", pytest.approx([10, 20]))
    assert found.effects["memory"][0] == "-"
    with rejects("no agent has several values of both d and k", "this run has d, gamma, T"):
        interplay(frame, "d", "k", [MEASURES["travel"]])
    assert parameters("lrta(d=1, goal=pdb)") == {"d": "1", "goal": "pdb"}


def test_interplay_view_has_a_table_and_a_panel_for_each_measure(learned: pm.Run) -> None:
    line = f"report {learned.folder} --view interplay --parameters d,gamma"
    shown = invoke(line, "--plot", "interplay.svg").stdout
    assert widest(shown) <= 80
    assert "lrts, travel over all trials: gamma " in shown
    drawn = Path("interplay.svg").read_text()
    assert all(title in drawn for title in ("travel over all trials", "heuristic values stored", "d = 3"))
    rows = json_of(line, "--y", "travel")
    mean = learned.records.filter(pl.col("agent").str.contains(r"d=3, gamma=0.4"))["travel"].mean()
    assert [row["mean"] for row in rows if (row["d"], row["gamma"]) == ("3", "0.4")] == [pytest.approx(mean)]
    assert "needs two parameters" in error_of(f"report {learned.folder} --view interplay")
    assert "the view tradeoff has no --parameters" in error_of(
        f"report {learned.folder} --view tradeoff --parameters d,l"
    )
    assert "--problem requires a view; add --view best-so-far" in error_of(f"report {learned.folder} --problem a:1")


# --- histograms -------------------------------------------------------------------------------------------------------


def test_histogram_has_every_value_once(learned: pm.Run) -> None:
    found = histogram(np.array([0.0, 0.1, 1.0, 1.9, 2.0]), np.array([0.0, 1.0, 2.0]))
    assert found.rows() == [(0, 1, 2, 40), (1, 2, 3, 60)]
    frame = learned.view("histogram").frame
    counts = frame.group_by("agent").agg(pl.col("count").sum()).sort("count")["count"].to_list()
    assert counts == [8] * 5 + [40]
    shares = frame.group_by("agent").agg(pl.col("percentage").sum())["percentage"]
    assert shares.to_list() == pytest.approx([100] * 6)
    values = learned.records["suboptimality"].to_numpy()
    every = frame.filter(pl.col("agent").is_null())
    for low, high, count in every.select("from", "to", "count").iter_rows():
        last = high == every["to"].max()
        assert count == ((values >= low) & ((values < high) | last)).sum()
    assert "<svg" in learned.view("histogram", y="travel").plot()


# --- best solutions so far --------------------------------------------------------------------------------------------


def test_best_so_far_is_the_shortest_trial_within_the_travel(learned: pm.Run) -> None:
    trials = so_far(learned.trials)
    frame = best_so_far(learned.trials)
    agent = frame["agent"][0]
    for row in frame.filter(agent=agent).gather_every(7).iter_rows(named=True):
        best = []
        for own in trials.filter(agent=agent).partition_by("map", "problem"):
            within = own.filter(pl.col("cumulative_travel") <= row["travel"] * pl.col("optimal") + 1e-6)
            best.append(float(within["travel"].to_numpy().min()) / own["optimal"][0] if within.height else math.inf)
        assert row["solved"] == pytest.approx(np.isfinite(best).mean())
        median = float(np.median(best))
        assert row["median"] == (None if math.isinf(median) else pytest.approx(median))
    last = frame.filter(pl.col("travel") == pl.col("travel").max())
    assert (last["solved"] == 1).all()


def test_best_so_far_of_one_problem_has_its_trials(learned: pm.Run) -> None:
    place, problem = learned.trials.select("map", "problem").row(0)
    line = f"report {learned.folder} --view best-so-far"
    rows = json_of(line, "--problem", f"{place}:{problem}")
    own = learned.trials.filter(map=place, problem=problem).sort("agent", "trial")
    assert [row["travel"] for row in rows] == pytest.approx(own["travel"].to_list())
    for row in rows:
        before = [each["travel"] for each in rows if each["agent"] == row["agent"] and each["trial"] <= row["trial"]]
        assert row["cumulative_travel"] == pytest.approx(sum(before))
        assert row["shortest_so_far"] == pytest.approx(min(before))
    assert widest(invoke(line, "--plot", "best.svg").stdout) <= 80
    assert Path("best.svg").read_text().startswith("<svg")
    assert "is not a problem; use MAP:N" in error_of(f"{line} --problem 5")
    assert "has no trials of problem 999" in error_of(f"{line} --problem {place}:999")


# --- amortization -----------------------------------------------------------------------------------------------------


def timed(**further: int | None) -> pl.DataFrame:
    """An agent with a large build, one with a small one, and one without, which are slower in this order."""
    agents = {"large": (100, 1.1, 2_000_000), "small": (1100, 1.2, 100_000), "none": (3100, 2.0, None)}
    return records(
        *(
            {"agent": agent, "label": agent, "problem": problem, "suboptimality": value, "time_ns": time * 10}
            | {"build_ns": further.get(agent, build)}
            for (agent, (time, value, build)), problem in product(agents.items(), range(5))
        )
    )


def test_build_is_recouped_against_agents_with_small_structures() -> None:
    rows = {row["agent"]: row for row in recouped(timed()).to_dicts()}
    assert (rows["large"]["other"], rows["small"]["other"]) == ("small", "none")
    # Only the additional build has to be recouped, at 1000 ns per move.
    assert rows["large"]["moves"] == pytest.approx(1900)
    assert rows["large"]["run_ns"] == pytest.approx(1900 * 100)
    assert rows["small"]["moves"] == pytest.approx(50)
    # A structure of more than a tenth is not small.
    assert recouped(timed(small=300_000)).filter(agent="large")["other"].to_list() == ["none"]


def test_build_is_recouped_against_a_given_agent() -> None:
    found = recouped(timed(), against="none")
    assert found.select("agent", "other").rows() == [("large", "none"), ("small", "none")]
    assert found["moves"].to_list() == pytest.approx([2000 / 3, 50])
    with rejects("no agent builds longer than large"):
        recouped(timed(), against="large")
    with rejects("missing did not solve the compared problems"):
        recouped(timed(), against="missing")


def test_amortization_view_compares_with_any_agent(tmp_path: Path) -> None:
    run = pm.run(
        "embedded", ["pra(k=4)", "lrta(d=1)", "rtaa(k=10)"], maps=small_maps()[:1], limit=4, out=tmp_path / "run"
    )
    line = f"report {run.folder} --view amortization"
    (row,) = json_of(line, "--against", "lrta(d=1)")
    assert row["other"].startswith("lrta(d=1")
    shown = invoke(line, "--against", run.records.filter(pl.col("agent").str.starts_with("rtaa"))["label"][0]).stdout
    assert "running time" in shown
    assert "the run has no agent astar" in error_of(line, "--against", "astar")
    assert "<svg" in run.view("amortization").plot()


# --- plots of reports -------------------------------------------------------------------------------------------------


def test_panels_and_series_of_a_plot_are_drawn() -> None:
    frame = pl.DataFrame({"x": [1, 2, 1, 2], "panel": [1, 1, 2, 2], "one": [1.0, 2, 3, 4], "two": [2.0, 3, 4, 5]})
    drawn = svg(Data("about", frame, Plot("x", "y", "x", "y", "which", ["one"], panel="panel", series=["one", "two"])))
    assert all(word in drawn for word in ("panel = 1", "panel = 2", "one", "two"))


def test_saved_figures_are_drawn_from_their_data() -> None:
    folder = Path(__file__).parents[1] / "reports" / "graph-abstraction-2007"
    figures = sorted(path.stem for path in folder.glob("figure-*.json"))
    assert figures == sorted(PLOTS)
    for name in figures:
        assert (folder / f"{name}.svg").read_text().startswith("<svg")
        assert f"]({name}.svg)" in (folder / f"{name}.md").read_text()
