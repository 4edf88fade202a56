"""The page of a run: in a browser without a network, it agrees with the records under every limit."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Page
from polars.testing import assert_frame_equal

import permove as pm
from browser import Open
from permove.analysis.guide import TIMES, Terms, guide
from permove.analysis.scores import MEAN
from permove.analysis.slices import MAX_SIZES, tradeoff_measures, views
from permove.analysis.tradeoff import tradeoff
from permove.report.table import plus_minus
from permove.views.run_page import run_page
from support import error_of, invoke, records, rejects, small_maps
from synthetic import large_run

AGENTS = ["lrta(d=1..4)", "rtaa(k={3,10,30,100,1000})", "wastar(gamma={0.2,0.5})", "astar", "pr-lrts(l=1..2, d=3)"]

MAX_BYTES = 6_000_000
MAX_SECONDS = 1.0
"""Limits of the page of 200 agents on 3000 problems: its size, and its processor time until it has answered once."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("page") / "run"
    maps = [name.partition("/")[2] for name in small_maps()]
    return pm.run("embedded", AGENTS, maps=maps, limit=24, timed=True, out=folder)


@pytest.fixture(scope="module")
def file(run: pm.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    run.report(format="html", output=path)
    return path


def page_of(run: pm.Run, frame: pl.DataFrame, path: Path, *, alpha: float | None = None, **suite: Any) -> Path:
    """Write the page of a run with other records and another cap on travel."""
    other = pm.Run(run.folder)
    settings = replace(run.manifest.settings, alpha=alpha)
    other.manifest = replace(run.manifest, settings=settings, suite=replace(run.manifest.suite, **suite))
    other.records = frame
    path.write_text(run_page(other, asdict(other.manifest), tradeoff(frame)))
    return path


def limit_of(page: Page) -> float:
    text = page.locator("#limit").input_value()
    if text == "no limit":
        return float("inf")
    value, _, unit = text.replace(",", "").partition(" ")
    return float(value) * {"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]


def set_limit(page: Page, text: object) -> None:
    page.locator("#limit").fill(str(text))
    page.locator("#limit").press("Enter")


Answer = tuple[str | None, set[str], set[str]]
"""The best agent, the agents that exceed the limit and are greyed out, and the others."""


def shown(page: Page) -> Answer:
    best = page.locator("#answer strong")
    points = {
        kind: set(page.locator(f"#scatter .point{kind}").evaluate_all("all => all.map(p => p.ariaLabel)"))
        for kind in (".out", ":not(.out)")
    }
    return (best.inner_text() if best.count() else None), points[".out"], points[":not(.out)"]


def expected(frame: pl.DataFrame, limit: float, column: str = "expanded_max") -> Answer:
    """Compute the answer from the records, row by row; on ties, the agent with the smaller worst move is better."""
    values: dict[tuple[str, str], list[float]] = {}
    worst: dict[tuple[str, str], int] = {}
    for row in frame.select("agent", "label", "suboptimality", column).iter_rows(named=True):
        agent = row["agent"], row["label"]
        values.setdefault(agent, []).append(row["suboptimality"])
        worst[agent] = max(worst.get(agent, 0), row[column])
    qualified = [agent for agent in values if worst[agent] <= limit]
    best = min(qualified, key=lambda agent: (round(fmean(values[agent]), 9), worst[agent], agent), default=None)
    inside = {label for _, label in qualified}
    return best and best[1], {label for _, label in values} - inside, inside


def test_slider_changes_the_best_and_the_greyed_out_agents(run: pm.Run, file: Path, open_page: Open) -> None:
    page = open_page(file)
    seen = []
    for position in range(0, 1001, 50):
        page.locator("#slider").fill(str(position))
        found = shown(page)
        assert found == expected(run.records, limit_of(page)), f"at {position}"
        seen.append(found)
    assert len({best for best, _, _ in seen}) >= 4
    assert len({len(out) for _, out, _ in seen}) >= 4
    assert seen[-1][1] == set()


def test_slider_moves_by_mouse_and_keyboard(run: pm.Run, file: Path, open_page: Open) -> None:
    page = open_page(file)
    slider = page.locator("#slider")
    before = shown(page)
    box = slider.bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 14, middle, steps=4)
    page.mouse.up()
    dragged = shown(page)
    assert dragged != before
    assert dragged == expected(run.records, limit_of(page))
    page.keyboard.press("End")
    assert limit_of(page) == float("inf")
    assert shown(page) == expected(run.records, float("inf"))
    page.keyboard.press("Home")
    assert limit_of(page) == 1
    assert shown(page) == expected(run.records, 1)


def test_limit_can_be_typed_and_invalid_text_changes_nothing(run: pm.Run, file: Path, open_page: Open) -> None:
    page = open_page(file)
    limit = page.locator("#limit")
    for text, value in (("99", 99), ("100", 100), ("1,000", 1000), ("none", float("inf"))):
        set_limit(page, text)
        assert shown(page) == expected(run.records, value), text
    before = shown(page)
    for invalid in ("many", "-3", "0", "5 ms", "1.2.3"):
        set_limit(page, invalid)
        assert limit.get_attribute("aria-invalid") == "true", invalid
        assert shown(page) == before
    limit.blur()
    assert limit.input_value() == "no limit"


@pytest.mark.parametrize("column", ["time_max_ns", "time_p999_ns", "time_p99_ns"])
def test_timed_run_can_be_limited_by_time(run: pm.Run, file: Path, open_page: Open, column: str) -> None:
    page = open_page(file)
    page.locator("#by").select_option(column)
    assert page.locator("#x").input_value() == "time_per_move_ns"
    worst = sorted(run.records.group_by("agent").agg(pl.col(column).max())[column])
    for text, value in [("no limit", float("inf")), *((f"{time}ns", time) for time in (worst[3], worst[3] - 1))]:
        set_limit(page, text)
        assert shown(page) == expected(run.records, value, column), text
    assert run.manifest.starts[0].machine["cpu"] in page.locator("#guide-about").inner_text()


def test_view_of_a_map_or_bucket_is_recomputed(run: pm.Run, file: Path, open_page: Open) -> None:
    page = open_page(file)
    names = page.locator("#view option").all_inner_texts()
    parts = {
        f"bucket {low}" if low == high else f"bucket {low} to {high}": run.records.filter(
            pl.col("bucket").is_between(low, high)
        )
        for name in names
        if name.startswith("bucket")
        for low, high in [(int(name.split()[1]), int(name.split()[-1]))]
    } | {name: run.records.filter(pl.col("map") == name) for name in run.records["map"].unique()}
    assert set(names) == {"all problems", *parts}
    assert sum(part.height for part in parts.values()) == 2 * run.records.height
    answers = set()
    for name, part in parts.items():
        page.locator("#view").select_option(label=name)
        for limit in (30, 1000):
            set_limit(page, limit)
            assert shown(page) == expected(part, limit), f"{name} under {limit}"
            answers.add(shown(page)[0])
        table = page.locator("#agents tbody tr.now")
        best = tradeoff(part).filter(pl.col("label") == shown(page)[0]).row(0, named=True)
        assert plus_minus(best["suboptimality"], best["suboptimality_se"]) in table.inner_text()
    assert len(answers) > 1


def test_parts_are_listed_with_their_best_agent_and_link_to_their_view(
    run: pm.Run, file: Path, open_page: Open
) -> None:
    page = open_page(file)
    set_limit(page, 100)
    rows = {row.split("\t")[0]: row for row in page.locator("#places tbody tr").all_inner_texts()}
    for name in run.records["map"].unique():
        best, _, qualified = expected(run.records.filter(pl.col("map") == name), 100)
        assert best is not None
        assert best in rows[name]
        assert f"{len(qualified)} of" in rows[name]
    name = run.records["map"][0]
    page.locator("#places").get_by_role("button", name=name).click()
    assert shown(page) == expected(run.records.filter(pl.col("map") == name), 100)


@pytest.mark.parametrize("terms", [Terms(), Terms(by="time")], ids=["states", "time"])
def test_guide_on_the_page_is_that_of_the_analysis(run: pm.Run, file: Path, open_page: Open, terms: Terms) -> None:
    page = open_page(file)
    page.locator("#by").select_option(terms.column)
    chosen = guide(run.records, terms).drop_nulls("agent")
    rows = page.locator("#guide tbody tr")
    assert rows.count() == chosen.height
    for line, row in zip(rows.all(), chosen.iter_rows(named=True), strict=True):
        text, tied = line.inner_text(), line.locator(".tied")
        assert row["label"] in text
        runners_up = [runner_up["label"] for runner_up in row["runners_up"]]
        assert (tied.get_attribute("title") if tied.count() else "") == ", ".join(runners_up)
        assert all(label in text for label in runners_up[:3])
        if terms.by == "states":
            assert re.match(rf"{row['min_limit']:,}\b", text)
    last = page.locator("#guide tbody tr").last
    last.get_by_role("button").click()
    assert shown(page)[0] == chosen["label"][-1]
    assert "now" in (last.get_attribute("class") or "")


def test_points_show_agent_and_parameters_by_mouse_and_keyboard(run: pm.Run, file: Path, open_page: Open) -> None:
    page = open_page(file)
    tip = page.locator("#tip")
    assert tip.is_hidden()
    specs = dict(run.records.select("label", "agent").unique().iter_rows())
    page.locator("#scatter .point").first.hover(force=True)
    assert any(label in tip.inner_text() and spec in tip.inner_text() for label, spec in specs.items())
    page.mouse.move(0, 0)
    assert tip.is_hidden()
    page.locator("#scatter").focus()
    visited = []
    for _ in specs:
        page.keyboard.press("ArrowRight")
        visited.append(tip.locator("code").inner_text())
    assert sorted(visited) == sorted(specs.values())
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_families_can_be_hidden_and_agents_sorted_and_filtered(run: pm.Run, file: Path, open_page: Open) -> None:
    page = open_page(file)
    page.locator("#legend button", has_text="RTAA*").click()
    assert not any("RTAA*" in label for kind in shown(page)[1:] for label in kind)
    page.locator("#legend button", has_text="RTAA*").click()
    assert sum("RTAA*" in label for kind in shown(page)[1:] for label in kind) == 5
    page.locator("#agents thead button", has_text="states, worst move").click()
    column = page.locator("#agents tbody tr td:nth-child(7)")
    values = [int(text.replace(",", "")) for text in column.all_inner_texts()]
    assert values == sorted(values)
    page.locator("#filter").fill("gamma=0.5 wastar")
    (row,) = page.locator("#agents tbody tr").all_inner_texts()
    assert row.startswith("weighted A* (γ=0.500)\t")
    assert run.manifest.suite.fingerprint in page.locator("#manifest").inner_text()


def test_agents_with_equal_labels_are_shown_by_their_specs(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    frame = records({"agent": "a(x=1)", "label": "same"}, {"agent": "a(x=2)", "label": "same", "suboptimality": 2.0})
    page = open_page(page_of(run, frame, tmp_path / "page.html"))
    assert shown(page) == ("a(x=1)", set(), {"a(x=1)", "a(x=2)"})
    assert "too few for a standard error" in page.locator("#agents-about").inner_text()


def test_missing_unsolved_and_stopped_agents_are_listed_and_never_best(
    run: pm.Run, tmp_path: Path, open_page: Open
) -> None:
    unsolved = {"cost": None, "suboptimality": None}
    reason = "move 3 expanded 99 states, over 50"
    frame = records(
        *({"agent": "a", "label": "A", "problem": at, "suboptimality": 7.0} for at in range(3)),
        {"agent": "missing", "label": "MISSING", "suboptimality": 1.0},
        *({"agent": "unsolved", "label": "UNSOLVED", "problem": at} for at in (0, 2)),
        {"agent": "unsolved", "label": "UNSOLVED", "problem": 1, "status": "stuck", **unsolved},
        *({"agent": "stopped", "label": "STOPPED", "problem": at} for at in (1, 2)),
        {"agent": "stopped", "label": "STOPPED", "status": "cutoff", "expanded_max": 99, "reason": reason, **unsolved},
    )
    page = open_page(page_of(run, frame, tmp_path / "page.html"))
    assert shown(page)[0] == "A"
    outcomes = page.locator("#outcomes").inner_text()
    assert "2 problems not run" in outcomes
    assert "not solved: 1 stuck" in outcomes
    assert "over the run's own limit on 1 problem; worst: made/up, problem 0: move 3 expanded 99 states" in outcomes


def test_unsolved_trials_count_as_the_cap_and_failures_disqualify(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    lost = {"problem": 1, "cost": None, "suboptimality": None}
    frame = records(
        *({"agent": "a", "label": "A", "problem": at, "suboptimality": 7.0} for at in range(2)),
        {"agent": "capped", "label": "CAPPED"},
        {"agent": "capped", "label": "CAPPED", "status": "travel-cap", **lost},
        {"agent": "broken", "label": "BROKEN"},
        {"agent": "broken", "label": "BROKEN", "status": "error", **lost},
    )
    page = open_page(page_of(run, frame, tmp_path / "page.html", alpha=9.0))
    assert shown(page)[0] == "CAPPED"
    assert "2 of 3 agents qualify" in page.locator("#answer").inner_text()


def test_page_without_qualifying_agents_explains_why(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    frame = records({"status": "stuck", "cost": None, "suboptimality": None}, {"problem": 1})
    page = open_page(page_of(run, frame, tmp_path / "page.html"))
    assert "No agent qualifies. No agent solved every problem." in page.locator("#answer").inner_text()
    assert "No agent solved all" in page.locator("#guide-about").inner_text()
    frame = records({"expanded_max": 40}, {"problem": 1, "expanded_max": 50})
    page = open_page(page_of(run, frame, tmp_path / "other.html"))
    set_limit(page, 49)
    assert "The lowest limit that any agent keeps is 50." in page.locator("#answer").inner_text()


def test_agents_without_a_problem_in_common_have_no_values(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    lost = {"status": "stuck", "cost": None, "suboptimality": None}
    rows = [{"agent": agent, "label": agent.upper(), "problem": at} for agent in ("a", "b", "c") for at in range(2)]
    page = open_page(page_of(run, records(*rows[:3], rows[3] | lost, rows[4] | lost, rows[5]), tmp_path / "page.html"))
    answer = page.locator("#answer").inner_text()
    assert "No agent can be recommended. There are no values, since there is no problem that all 3 ranked" in answer


MARKUP = "</script><script>window.harm = 1</script><img src=x onerror='window.harm = 1'><!-- &lt;b&gt; \u2028 \\u003c"


def test_markup_in_names_is_inert(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    names = [f"{MARKUP}{at}" for at in range(4)]
    rows = [
        {"agent": f"agent {agent}", "label": agent, "set": names[0], "map": place, "expanded_max": at + 1}
        | {"suboptimality": 4.0 - at, "bucket": at}
        for at, agent in enumerate(names)
        for place in names[:2]
    ]
    rows.append(
        {"agent": "out", "label": names[0], "set": names[0], "map": names[0], "status": "error", "reason": MARKUP}
    )
    file = page_of(run, records(*rows), tmp_path / "page.html", name=MARKUP, fingerprint=MARKUP)
    page = open_page(file)
    assert page.evaluate("window.harm") is None
    assert page.locator("img, b").count() == 0
    assert page.locator("script").count() == 2
    assert MARKUP[:40] in page.title()
    assert page.locator("#title").text_content() == MARKUP
    assert page.locator("#view option").all_text_contents()[1:3] == names[:2]
    page.locator("#scatter").focus()
    page.keyboard.press("ArrowRight")
    assert MARKUP in (page.locator("#tip").text_content() or "")


def test_run_to_convergence_has_a_page_of_its_measures(tmp_path: Path, open_page: Open) -> None:
    agents = ["rtaa(k={30,100})", "lrta(d=2)"]
    run = pm.run("embedded", agents, maps=["rooms-128"], limit=4, trials="converge")
    run.report("html", tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    travel = run.convergence().sort("travel")
    assert (shown(page)[0], limit_of(page)) == ("RTAA* (k=30)", 30)
    page.locator("#slider").fill("1000")
    assert shown(page)[0] == travel["label"][0]
    assert "lowest convergence travel" in page.locator("#answer").inner_text()


@pytest.mark.parametrize("options", [{"color_scheme": "dark"}, {"viewport": {"width": 360, "height": 740}}], ids=str)
def test_page_fits_dark_mode_and_phones(file: Path, open_page: Open, options: dict[str, Any]) -> None:
    page = open_page(file, **options)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    ground, ink = page.evaluate("(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))")
    light = [sum(map(int, re.findall(r"\d+", value)[:3])) for value in (ground, ink)]
    assert (light[0] < light[1]) == (options.get("color_scheme") == "dark")


def test_page_of_200_agents_on_3000_problems_is_small_and_quick(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    frame = large_run(200, 3000, maps=100).with_columns(pl.lit(None, pl.UInt64).alias(name) for name in TIMES.values())
    file = page_of(run, frame, tmp_path / "page.html")
    assert file.stat().st_size < MAX_BYTES
    page = open_page(file)
    # The processor time of the page does not depend on other programs.
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.reload()
    page.locator("#slider").fill("400")
    assert shown(page) == expected(frame, limit_of(page))
    seconds = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    assert 0 < seconds["TaskDuration"] < MAX_SECONDS


def test_views_agree_with_the_tradeoff_and_have_few_sizes() -> None:
    frame = large_run(5, 400, maps=7)
    measures = tradeoff_measures(MEAN)
    found = views(frame, measures)
    overall = found.filter(pl.col("kind") == "run").select("agent", *measures, "expanded_max")
    means = tradeoff(frame).select(pl.col(overall.columns)).sort("agent")
    assert_frame_equal(overall.sort("agent"), means, check_dtypes=False)
    buckets = found.filter(pl.col("kind") == "bucket")
    assert buckets["view"].n_unique() <= MAX_SIZES
    assert buckets.group_by("agent").agg(pl.col("tried").sum())["tried"].to_list() == [400] * 5
    for part in found.filter(pl.col("kind") == "map").partition_by("view"):
        means = tradeoff(frame.filter(pl.col("map") == part["view"][0]))
        joined = part.join(means, on="agent", suffix="_alone")
        assert joined["suboptimality"].to_list() == pytest.approx(joined["suboptimality_alone"].to_list())
        assert joined["expanded_max"].to_list() == joined["expanded_max_alone"].to_list()


def test_page_ranks_by_its_score_and_marks_means(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    steady, wild = [3.0] * 20, [1.5] * 18 + [90.0, 90.0]
    frame = records(
        *(
            {"agent": agent, "label": agent, "problem": at, "suboptimality": value}
            for agent, own in (("steady", steady), ("wild", wild))
            for at, value in enumerate(own)
        )
    )
    page = open_page(page_of(run, frame, tmp_path / "mean.html"))
    assert shown(page)[0] == "steady"
    assert "†" in page.locator("#agents tbody tr", has_text="wild").inner_text()
    assert "†" not in page.locator("#agents tbody tr", has_text="steady").inner_text()
    about = page.locator("#agents-about").inner_text()
    assert "Values are over 20 problems, solved by all 2 ranked agents." in about
    assert "A tenth of the problems" in about
    page.locator("#y").select_option(label="median suboptimality")
    assert shown(page)[0] == "wild"
    other = pm.Run(run.folder)
    other.records = frame
    other.report("html", tmp_path / "median.html", score="median")
    page = open_page(tmp_path / "median.html")
    assert shown(page)[0] == "wild"
    assert "†" not in page.locator("#agents").inner_text()


def test_page_counts_unsolved_trials_by_the_rule(run: pm.Run, tmp_path: Path, open_page: Open) -> None:
    lost = {"status": "travel-cap", "cost": None, "suboptimality": None}
    frame = records(
        *({"agent": agent, "label": agent, "problem": at} for agent in ("a", "b") for at in range(3)),
        {"agent": "a", "label": "a", "problem": 3, "bucket": 1, **lost},
        {"agent": "b", "label": "b", "problem": 3, "bucket": 1, "suboptimality": 5.0},
    )
    other = pm.Run(run.folder)
    other.manifest = replace(run.manifest, settings=replace(run.manifest.settings, alpha=9.0))
    other.records = frame
    for rule, text, values in (
        ("cap", "1 unsolved trial counts as 9 times the optimum", ("3.0 ± 2.0", "2.0 ± 1.0")),
        ("exclude", "the 3 of 4 problems that all 2 ranked agents solved", ("1", "1")),
    ):
        other.report("html", tmp_path / f"{rule}.html", unsolved=rule)
        page = open_page(tmp_path / f"{rule}.html")
        assert text in page.locator("#agents-about").inner_text()
        page.locator("#view").select_option(label="bucket 1")
        counted = {"cap": 1, "exclude": 0}[rule]
        assert f"Values are over {counted} of them." in page.locator("#agents-about").inner_text()
        page.locator("#view").select_option(label="all problems")
        for agent, value in zip(("a", "b"), values, strict=True):
            row = page.locator(f'#agents tbody tr[data-agent="{"ab".index(agent)}"] td')
            assert row.all_inner_texts()[1] == value


def test_page_needs_a_file(run: pm.Run) -> None:
    line = f"report {run.folder} --format html"
    assert "-o report.html" in error_of(line)
    with rejects("needs a file"):
        run.report("html")
    invoke(line, "-o", "page.html")
    content = re.search(r'id="content">(.*?)</script>', Path("page.html").read_text(), re.DOTALL)
    assert content
    assert len(json.loads(content[1])["agents"]) == run.records["agent"].n_unique()
