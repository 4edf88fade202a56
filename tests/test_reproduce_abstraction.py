"""`permove reproduce graph-abstraction-2007/...`: dominance, problems, and claims that can fail."""

import io
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from data_files import map_text, write_files
from permove import _core, papers
from permove.analysis.dominance import contests, dominance
from permove.data import import_sets
from permove.data.collection import File, MapSource
from permove.data.generate import make_map
from permove.data.random_suites import bucket_suite, resized
from permove.papers import graph_abstraction_2007
from permove.papers.claims import sentence
from permove.papers.graph_abstraction_2007 import CLAIMS, ITEMS, NAME, PAPER, suite
from permove.papers.graph_abstraction_2007.algorithms import ALL, ASTAR, SINGLE, Algorithm, lrts, summary
from permove.papers.graph_abstraction_2007.printed import TABLE_2, TABLE_4, TABLE_5
from permove.papers.graph_abstraction_2007.study import COSTS, LAG, MEMORY, PLANNING, SUBOPTIMALITY, TRAVEL, Study
from permove.papers.outcome import Outcome
from permove.papers.outcome_document import outcome_text
from permove.report.formats import Format
from permove.runs.run import Run
from support import error_of, invoke, printed, records, widest

INF = math.inf
Values = NDArray[np.float64]


# Dominance.


def test_dominating_agent_is_better_in_one_measure_and_worse_in_none() -> None:
    means = pl.DataFrame(
        {
            "agent": ["left", "tie", "twin", "above", "right", "nothing", "far"],
            "x": [1.0, 2.0, 2.0, 1.0, 3.0, None, 4.0],
            "y": [9.0, 5.0, 5.0, 10.0, 1.0, 0.0, 1.0],
        }
    )
    found = dominance(means, "x", "y")
    assert found["agent"].to_list() == ["left", "above", "tie", "twin", "right", "far"]
    assert found.filter(~pl.col("dominated"))["agent"].to_list() == ["left", "tie", "twin", "right"]


def test_contests_count_problems_and_give_the_dominance_ratio() -> None:
    x = {"a": [1, 1, 2, 5, 3, 4], "b": [2, 2, 2, 1, 3, 9]}
    y = {"a": [1, 3, 2, 5, 3, 4], "b": [2, 2, 3, 1, 3, 9]}
    # A problem that one of the agents did not solve is ignored.
    rows = [
        {"agent": name, "problem": problem, "travel": float(x[name][problem]), "memory": y[name][problem]}
        | {"status": "trial-cap" if (name, problem) == ("b", 5) else "solved"}
        for name in "ab"
        for problem in range(6)
    ]
    frame = records(*rows)
    pairs = pl.DataFrame({"one": ["a", "b", "a"], "other": ["b", "a", "a"]})
    found = contests(frame, pairs, "travel", "memory").rows(named=True)
    counts = {"problems": 5, "one_x": 2, "other_x": 1, "one_y": 2, "other_y": 2}
    assert found[0] == counts | {"one": "a", "other": "b", "one_dominates": 2, "other_dominates": 1, "ratio": 2.0}
    assert found[1]["ratio"] == 0.5
    assert math.isnan(found[2]["ratio"])
    only_a = contests(frame.filter(pl.col("problem") < 1), pairs.head(1), "travel", "memory")
    assert only_a["ratio"].to_list() == [INF]


# Printed values.


def test_there_are_161_algorithms_named_as_in_the_paper() -> None:
    assert len(set(ALL)) == 161
    assert len({algorithm.name for algorithm in ALL}) == 161
    assert ASTAR.name == "A*"
    assert Algorithm(3, 1, 1.0, INF).name == "LRTS₃(1, 1.0, ∞)"
    assert Algorithm(0, 5, 0.8, 100).name == "LRTS(5, 0.8, 100)"


@pytest.mark.parametrize("row", TABLE_2, ids=lambda row: row.title)
def test_algorithms_named_in_plots_are_those_of_table_2(row: graph_abstraction_2007.printed.Tradeoff) -> None:
    assert summary(row.named) == row.printed


def test_published_ratios_are_those_of_published_counts() -> None:
    for table in (TABLE_4, TABLE_5):
        one, other = (round(30 * percent[2]) for percent in table.percent)
        assert one / other == pytest.approx(table.ratio, abs=0.01)


# A study made from formulas, with which every claim holds.

PER_BUCKET = 20
OPTIMAL = np.concatenate([np.linspace(low, low + 9.9, PER_BUCKET) for low in range(50, 100, 10)])
BUCKET = OPTIMAL // 10
NUMBER = np.arange(len(OPTIMAL))
NOISE = 1 + 0.02 * np.sin(NUMBER)
FADING = 1 - 0.01 * (BUCKET - 5)

Sample = dict[str, Values]
Samples = dict[Algorithm, Sample]


def made(algorithm: Algorithm) -> Sample:
    """Make the sample of an algorithm."""
    level, d, weight, quota = algorithm.level, algorithm.depth, algorithm.weight, algorithm.quota
    if algorithm == ASTAR:
        travel, lag = 2.1 * OPTIMAL, 1000 * (BUCKET - 4) * NOISE
        nothing = 0 * OPTIMAL
        return {"travel": travel, "lag": lag, "memory": nothing, "suboptimality": nothing, "planning": 400 * travel}
    backtracking = 1.0 if quota == INF else 0.9 if level == 0 and d > 1 else 1.1
    learned = 40_000 * weight**0.5 * backtracking / d**1.5 / 4**level * (BUCKET - 4) * NOISE
    travel = 2.2 * OPTIMAL + learned
    looked = 8 * (2 * (min(d, 3) if level == 4 else d) - 1) ** 2
    corridor = {0: 0, 1: 24, 2: 48, 3: 96, 4: 900}[level] * d**0.6 * (1.001 if quota < INF else 1)
    seen = {3: [0.8, 0.9, 0.95, 1, 1], 4: [0.5, 0.6, 0.7, 0.8, 0.9]}.get(level if d == 9 else 0)
    lag = (looked + corridor) * (FADING if seen is None else np.array(seen)[(BUCKET - 5).astype(int)]) * NOISE
    plain = 10 * (1 - weight) * (1 - 0.01 * d)
    lost = plain if level == 0 else plain / 2 + 10 * level / d**0.5 * (1 + 0.1 * weight)
    # Deeper lookahead costs more per step but less in total; without abstraction hardly less.
    planning = travel * {0: 7, 1: 11, 2: 15, 3: 19, 4: 60}[level] * d ** {1: 0.8, 2: 0.8, 4: 0.6}.get(level, 1.47)
    return {"travel": travel, "lag": lag, "memory": learned / 10, "suboptimality": lost * NOISE, "planning": planning}


def as_claimed() -> Samples:
    samples = {algorithm: made(algorithm) for algorithm in ALL}
    # Among the algorithms with the smallest lag, all but one are dominated by one with abstraction.
    smallest = Algorithm(0, 1, 0.4, INF)
    samples[replace(smallest, level=1)]["lag"] = 1.002 * samples[smallest]["lag"]
    for each in set(lrts((0,), (1,))) - {smallest}:
        samples[each]["lag"] = 1.004 * samples[each]["lag"]
    # The two contests, in which no algorithm is better on all problems.
    one, other = samples[TABLE_4.one], samples[TABLE_4.other]
    one["travel"] = np.where(NUMBER % 4 == 0, other["travel"] + 1, one["travel"])
    one, other = samples[TABLE_5.one], samples[TABLE_5.other]
    one["planning"] = np.where(NUMBER % 5 == 0, 1.01, 0.01) * other["planning"]
    one["suboptimality"] = np.where(NUMBER % 9 < 5, 0.5, 1.5) * other["suboptimality"]
    return samples


LENGTHS = {SINGLE[0]: [120, 100], SINGLE[1]: [300, 200, 250, 150], SINGLE[2]: [200, 150], SINGLE[3]: [220, 150]}
"""The lengths of trials in Figure 15, with which abstraction is better."""

Lengths = Callable[[Algorithm], list[float]]


def made_trials(specs: Sequence[str], lengths: Lengths) -> pl.DataFrame:
    """Make trials; on every other problem, the first trial with abstraction is long."""
    rows = [
        (int(number), algorithm.name, trial, length + 500 * (trial == 1 and algorithm.abstract and number % 2))
        for algorithm in SINGLE
        if algorithm.name in specs
        for number in NUMBER
        for trial, length in enumerate(lengths(algorithm), 1)
    ]
    frame = pl.DataFrame(rows, schema=["problem", "agent", "trial", "travel"], orient="row")
    return frame.with_columns(set=pl.lit("g"), map=pl.lit("m"), optimal=80.0)


COLUMNS = {
    "travel": TRAVEL.column,
    "lag": LAG.column,
    "memory": MEMORY.column,
    "suboptimality": SUBOPTIMALITY.column,
    "planning": PLANNING.column,
}


def study_of(samples: Samples, status: str, lengths: Lengths) -> Study:
    frames = [
        pl.DataFrame(
            {
                "agent": algorithm.name,
                "set": "g",
                "map": "m",
                "problem": NUMBER,
                "bucket": BUCKET.astype(np.uint32),
                "optimal": OPTIMAL,
                "status": ["solved"] * (len(NUMBER) - 1) + [status],
                **{
                    COLUMNS[name]: 1 + values / 100 if name == "suboptimality" else values
                    for name, values in sample.items()
                },
            }
        )
        for algorithm, sample in samples.items()
    ]
    agents = {algorithm: algorithm.name for algorithm in samples}
    return Study(pl.concat(frames), lambda specs: made_trials(specs, lengths), agents, timed=False)


def outcome_of(name: str, samples: Samples, status: str = "solved", lengths: Lengths = LENGTHS.__getitem__) -> Outcome:
    item = next(item for item in ITEMS if item.name == name)
    assert item.needs is not None
    chosen = {algorithm: samples[algorithm] for algorithm in item.needs[NAME]}
    return PAPER.judge(item, study_of(chosen, status, lengths), {"problems": "100: made by hand"})


@pytest.fixture(scope="module")
def claimed() -> Samples:
    return as_claimed()


def test_every_claim_holds_if_the_study_is_as_claimed(claimed: Samples) -> None:
    outcome = outcome_of("claims", claimed)
    assert [(each.text, each.predicate, each.found) for each in outcome.failed] == []
    assert outcome.passed


# Studies that contradict claims.


def relabelled(samples: Samples, swap: Callable[[Algorithm], Algorithm]) -> Samples:
    """Exchange the samples of algorithms, except for A*."""
    return {each: samples[each if each == ASTAR else swap(each)] for each in samples}


def changed(samples: Samples, measure: str, factor: Callable[[Algorithm], float | Values]) -> Samples:
    """Scale one measure of all algorithms except A*."""
    return {
        each: sample | {measure: sample[measure] * (1.0 if each == ASTAR else factor(each))}
        for each, sample in samples.items()
    }


def one_hard_problem(each: Algorithm) -> Values:
    """Scale one problem of some algorithms, so that it outweighs all others."""
    return np.where(each.depth == NUMBER, 1e4 / each.weight, 1.0)


def slow_astar(samples: Samples) -> Samples:
    return samples | {ASTAR: samples[ASTAR] | {"travel": 1e6 + 0 * OPTIMAL, "lag": 4000 + 0 * OPTIMAL}}


def lag_like_travel(samples: Samples) -> Samples:
    return {each: sample | {"lag": sample["travel"]} for each, sample in samples.items()}


GROWING = (BUCKET - 4) ** 2
WRONG: dict[str, Callable[[Samples], Samples]] = {
    "levels upside down": lambda samples: relabelled(
        samples, lambda each: Algorithm(4 - each.level, each.depth, each.weight, each.quota)
    ),
    "lookaheads upside down": lambda samples: relabelled(
        samples, lambda each: Algorithm(each.level, {1: 9, 3: 5, 5: 3, 9: 1}[each.depth], each.weight, each.quota)
    ),
    "weights upside down": lambda samples: relabelled(
        samples,
        lambda each: Algorithm(
            each.level, each.depth, {0.2: 1.0, 0.4: 0.8, 0.8: 0.4, 1.0: 0.2}[each.weight], each.quota
        ),
    ),
    "quotas upside down": lambda samples: relabelled(
        samples, lambda each: Algorithm(each.level, each.depth, each.weight, {INF: 100.0, 100.0: INF}[each.quota])
    ),
    "lags that grow with the problems": lambda samples: changed(samples, "lag", lambda _: GROWING),
    "suboptimality that grows with the problems": lambda samples: changed(samples, "suboptimality", lambda _: GROWING),
    "lags by weight and quota": lambda samples: changed(
        samples, "lag", lambda each: each.weight * (1 + (each.quota == INF))
    ),
    "lags like travel": lag_like_travel,
    "another A*": slow_astar,
    "abstraction that costs much": lambda samples: changed(
        changed(samples, "lag", lambda each: 1000.0 if each.abstract else 1.0),
        "planning",
        lambda each: 1000.0 if each.abstract else 1.0,
    ),
    "travel too short": lambda samples: changed(samples, "travel", lambda _: 0.5),
    "one hard problem": lambda samples: changed(
        changed(samples, "travel", one_hard_problem), "suboptimality", one_hard_problem
    ),
    "much memory for little weight": lambda samples: changed(samples, "memory", lambda each: each.weight**-4),
    "much planning for little weight": lambda samples: changed(
        samples, "planning", lambda each: each.weight ** -(each.level / 4)
    ),
}


def test_every_claim_can_fail(claimed: Samples) -> None:
    never = {
        (sentence(each.predicate.text), sentence(each.predicate.how)) for each in CLAIMS if not each.predicate.timed
    }
    outcomes = [outcome_of("claims", wrong(claimed)) for wrong in WRONG.values()]
    outcomes.append(outcome_of("claims", claimed, status="trial-cap"))
    outcomes.append(outcome_of("figure-15", claimed, lengths=lambda each: [100.0 + each.level]))
    for outcome in outcomes:
        assert not outcome.passed
        never -= {(each.text, each.predicate) for each in outcome.failed}
    assert never == set()


def back_at_the_top(samples: Samples) -> Samples:
    """Increase travel and memory at level 4 above those of level 3, but not above lower levels."""
    return {
        each: sample
        | {name: 1.5 * samples[replace(each, level=3)][name] for name in ("travel", "memory") if each.level == 4}
        for each, sample in samples.items()
    }


def half_a_contest(samples: Samples) -> Samples:
    """Make one algorithm better on every other problem and dominated on none."""
    one, other = samples[TABLE_4.one], samples[TABLE_4.other]
    return samples | {TABLE_4.one: one | {"travel": other["travel"] + np.where(NUMBER % 2, -1, 1)}}


def one_bad_solution(samples: Samples) -> Samples:
    """Add a solution of four times the optimum at the highest level."""
    worst = Algorithm(4, 1, 1.0, INF)
    values = np.where(NUMBER == 0, 301.0, samples[worst]["suboptimality"])
    return samples | {worst: samples[worst] | {"suboptimality": values}}


@pytest.mark.parametrize(
    ("wrong", "texts"),
    [
        (
            lambda samples: changed(samples, "planning", lambda each: float(each.depth)),
            ["Planning per unit of travel rises with d, and convergence travel and convergence planning fall with d."],
        ),
        (back_at_the_top, ["Convergence travel falls with the level.", "Convergence memory falls with the level."]),
        (
            half_a_contest,
            ["The percentage of problems on which LRTS₃(1, 1.0, ∞) dominates LRTS(5, 0.8, ∞) is between 61.0"],
        ),
        (one_bad_solution, ["Solutions are never as bad as the worst case of Theorem B.1."]),
        (
            lambda samples: changed(samples, "lag", lambda each: 1.1 if each.abstract else 1.0),
            ["PR LRTS dominates nearly all algorithms without abstraction"],
        ),
        (
            lambda samples: samples | {ASTAR: samples[ASTAR] | {"planning": 0 * OPTIMAL}},
            ["For the pairs of counts in Table 2", "Abstraction trades one measure for another more efficiently."],
        ),
    ],
    ids=["planning along d", "a step back", "shares of a contest", "worst case", "by abstraction", "with abstraction"],
)
def test_claim_checks_all_parts_of_its_statement(
    wrong: Callable[[Samples], Samples], texts: list[str], claimed: Samples
) -> None:
    failed = [each.text for each in outcome_of("claims", wrong(claimed)).failed]
    for text in texts:
        assert any(each.startswith(text) for each in failed), failed


@pytest.mark.parametrize("name", [item.name for item in ITEMS if item.name != "claims"])
def test_every_item_is_judged_and_written_in_every_format(name: str, claimed: Samples) -> None:
    outcome = outcome_of(name, claimed)
    assert outcome.statements
    assert outcome.passed, outcome.failed
    assert outcome.figures or outcome.entries or outcome.data
    content = json.loads(str(outcome_text(outcome, Format.JSON)))
    assert content["item"] == f"graph-abstraction-2007/{name}"
    if outcome.data is not None:
        assert len(content["data"]["rows"]) == outcome.data.frame.height
        assert content["data"]["columns"] == outcome.data.frame.columns
    csv = pl.read_csv(io.StringIO(str(outcome_text(outcome, Format.CSV))), infer_schema_length=None)
    assert csv.height == (
        len(outcome.figures or outcome.entries) if outcome.data is None else outcome.data.frame.height
    )
    table = printed(outcome_text(outcome, Format.TABLE))
    for text in (str(outcome_text(outcome, Format.MD)), table):
        assert outcome.title.partition(",")[0] in text
        assert "holds" in text
    assert widest(table) <= 80


def test_timed_claims_are_not_checked_without_times(claimed: Samples) -> None:
    outcome = outcome_of("claims", claimed)
    timed = sum(claim.predicate.timed for claim in CLAIMS)
    assert timed
    assert len(outcome.statements) == len(CLAIMS) - timed
    assert not any(each.timed for each in outcome.statements)
    assert outcome.notes[-1].startswith(f"Claims that are not checked: {timed}. Moves were not timed. Use --timed 1")


def test_table_4_has_published_and_measured_shares(claimed: Samples) -> None:
    outcome = outcome_of("table-4", claimed)
    published = {(each.row, each.column): each.published for each in outcome.figures}
    assert published[TABLE_4.one.name, "a"] == 72.83
    assert published[TABLE_4.other.name, "c"] == 0.87
    measured = {(each.row, each.column): each.measured for each in outcome.figures}
    assert measured[TABLE_4.one.name, "a"] == 75
    assert measured[TABLE_4.other.name, "a"] == 25
    assert measured[TABLE_4.one.name, "d"] == INF
    table = printed(outcome_text(outcome, Format.TABLE))
    assert re.search(r"LRTS₃\(1, 1.0, ∞\) +70.97 +75.00 +81.89 +∞", table)


def test_table_2_has_all_rows_and_timed_rows_are_not_compared(claimed: Samples) -> None:
    outcome = outcome_of("table-2", claimed)
    assert [each.published for each in outcome.entries] == [row.printed for row in TABLE_2]
    assert [each.agrees is None for each in outcome.entries] == [row.timed for row in TABLE_2]


# The problems.


@pytest.mark.usefixtures("movingai_home")
def test_suite_has_equal_buckets_on_each_of_six_maps() -> None:
    drawn = suite(7, 3, standins=1)
    states = {source.name: drawn.grid(key).free_cells for key, source in drawn.maps.items()}
    assert states == {
        "AR0012SR": 6176,
        "AR0013SR": 5672,
        "AR0014SR": 5852,
        "stromguarde@161x161": 7580,
        "plainsofsnow@161x161": 9643,
        "divideandconquer@193x193": 18728,
    }
    assert all(drawn.grid(key).components().max() == 0 for key in drawn.maps)
    problems = drawn.problems
    assert problems.group_by("map", "bucket").len()["len"].to_list() == [7] * 30
    assert (problems["bucket"] == problems["optimal"] // 10).all()
    assert set(problems["bucket"]) == set(range(5, 10))
    assert problems.select("map", "problem").is_unique().all()
    for key in drawn.maps:
        some = problems.filter(pl.col("map") == key.partition("/")[2])
        cells = some.select("start_x", "start_y", "goal_x", "goal_y").to_numpy()
        assert drawn.grid(key).optimal(cells, 1).tolist() == some.select("cardinal", "diagonal").to_numpy().tolist()


@pytest.mark.usefixtures("movingai_home")
def test_seed_determines_the_problems() -> None:
    assert suite(2, 1, standins=1).fingerprint == suite(2, 1, standins=1).fingerprint
    assert suite(2, 1, standins=1).fingerprint != suite(2, 2, standins=1).fingerprint


def test_missing_map_in_an_imported_set_is_named(data_home: Path) -> None:
    folder = data_home.parent / "bgmaps"
    import_sets([write_files(folder, {"other.map": make_map("rooms", 24, 24, 1, None).text()})])
    error = error_of("reproduce graph-abstraction-2007/table-4")
    assert "the map AR0012SR is not in the imported set bgmaps" in error
    assert "bgmaps-map.zip" in error


def test_resized_map_keeps_its_largest_part() -> None:
    content = map_text(["....@..", "....@..", "@@@@@@@", "..@...."])
    source = MapSource("m", File("m", lambda: content), 7, 4)
    free = resized(source, 7, 4).grid("land", "strict").free()
    assert np.flatnonzero(free).tolist() == [0, 1, 2, 3, 7, 8, 9, 10]
    small = resized(source, 14, 8)
    assert (small.name, small.grid("land", "strict").free_cells) == ("m@14x8", 32)


# From the command line, on generated maps.


@pytest.fixture
def _small_study(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [
        MapSource(kind, File(kind, make_map(kind, 80, 80, seed, None).text), 80, 80)
        for kind, seed in (("rooms", 1), ("caves", 2))
    ]
    monkeypatch.setattr(
        graph_abstraction_2007, "suite", lambda count, seed, _: bucket_suite(NAME, sources, COSTS, count, seed)
    )


def reproduce(item: str, *options: object) -> dict[str, Any]:
    line = f"reproduce graph-abstraction-2007/{item} --problems 1 --format json"
    result = invoke(line, *options, code=None)
    content: dict[str, Any] = json.loads(result.stdout)
    assert result.returncode == (0 if content["passed"] else 1)
    return content


@pytest.mark.usefixtures("_small_study")
def test_items_share_a_run_and_resume_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table_4 = reproduce("table-4")
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("graph-abstraction-2007-")
    assert Run(folder).records.height == 2 * 10
    assert Run(folder).manifest.settings.sensor == "square(10)"
    assert Run(folder).manifest.settings.trials == "converge"
    reproduce("table-5")
    assert Run(folder).records.height == 4 * 10
    figure_16 = reproduce("figure-16")
    assert figure_16["data"]["columns"] == ["measure", "level", "optimal_cost", "mean", "se"]
    figure_15 = reproduce("figure-15")
    assert {row[0] for row in figure_15["data"]["rows"]} == {algorithm.name for algorithm in SINGLE}
    # The other interpretations change only algorithms with abstraction.
    reproduce("table-4", "--direct", 1, "--next", 1)
    specs = Run(folder).records["agent"].unique()
    assert len([spec for spec in specs if "child=direct" in spec]) == 1
    assert len(list(Path("runs").iterdir())) == 1
    reproduce("table-4", "--radius", 1000)
    assert len(list(Path("runs").iterdir())) == 2
    monkeypatch.delattr(_core, "Batch")
    assert reproduce("table-4") == table_4
    assert reproduce("figure-15") == figure_15


@pytest.mark.usefixtures("_small_study")
def test_timed_run_judges_times_without_failing_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    few = (ASTAR, *lrts((0, 2), (1,), (0.2, 0.4), (INF,)))
    items = [replace(item, needs={NAME: few}) for item in ITEMS if item.name == "figure-28"]
    monkeypatch.setattr(papers, "load", lambda _: replace(PAPER, items=items))
    content = reproduce("figure-28", "--timed", 1)
    timed = [statement for statement in content["statements"] if statement["timed"]]
    assert timed
    assert all(entry["agrees"] is not None for entry in content["entries"])
    assert len({row[0] for row in content["data"]["rows"]}) == 3
