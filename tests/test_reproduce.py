"""`permove reproduce`: items pass if they agree with the paper, and times have no influence."""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import permove as pm
from permove import _core, papers
from permove.data.random_suites import drawn_suite
from permove.papers import rtaa_2006
from permove.papers.claims import Predicate, claims
from permove.papers.item import Experiment, Item, Measured, Option, Paper, PaperFile, rows
from permove.papers.outcome import Column, Figure, Outcome, Shown, Tolerance
from permove.papers.outcome_document import outcome_text
from permove.papers.rtaa_2006.claims import at_limit
from permove.papers.rtaa_2006.table import LOOKAHEADS, LRTA, RTAA, Row, Sample, Samples, published
from permove.report.formats import Format
from support import error_of, invoke, json_of, printed, rejects, widest

ITEM = "rtaa-2006/table-1"


# Table 1, with samples that have exactly the published means.


def as_published() -> Samples:
    spread = np.tile([0.99, 1.01], 50)

    def sample(figures: dict[str, tuple[float, float | None]]) -> Sample:
        b, c, d, f = (figures[column][0] * spread for column in "bcdf")
        updates = np.full(len(spread), 1000.0)
        return Sample(b, c, d, f, figures.get("i", (0.0, None))[0] * updates, updates)

    return Samples({row: sample(figures) for row, figures in published().items()})


def outcome_of(samples: Samples) -> Outcome:
    (item,) = rtaa_2006.PAPER.items
    return rtaa_2006.PAPER.judge(item, samples, {"mazes": "100 mazes, made by hand"})


def changed(samples: Samples, row: Row, column: str, by: Callable[[float], float]) -> Samples:
    """Scale the values of one row and column to another mean."""
    fields = {"b": "expansions", "c": "episodes", "d": "cost", "f": "time_us", "i": "learned"}
    values = samples[row].learned if column == "i" else samples[row].values(column)
    mean = float(values.mean())
    return Samples(samples | {row: replace(samples[row], **{fields[column]: values * (by(mean) / mean)})})


def away(samples: Samples, row: Row, column: str, errors: float) -> Samples:
    """Move one value this many combined standard errors above the published one."""
    figure, error = published()[row][column]
    own = samples[row].figure(column)[1]
    assert error is not None
    # The measured error grows with the mean, but by less than the margins of these tests.
    return changed(samples, row, column, lambda _: figure + errors * math.hypot(error, own))


def test_printed_table_agrees_with_itself() -> None:
    table = published()
    assert len(table) == 29
    assert [row.lookahead for row in table if row.method == RTAA] == list(LOOKAHEADS)
    for figures in table.values():
        b, c, d, e, f, g, h = (figures[column][0] for column in "bcdefgh")
        assert d / c == pytest.approx(e, abs=0.006)
        assert f / c == pytest.approx(g, abs=0.006)
        assert f / d == pytest.approx(h, abs=0.006)
        assert b > 0
    assert sum("i" in figures for figures in table.values()) == 26


def test_published_values_pass_with_every_statement() -> None:
    outcome = outcome_of(as_published())
    assert len(outcome.judged) == 58
    assert {figure.column for figure in outcome.judged} == {"b", "d"}
    assert max(abs(figure.difference or 0) for figure in outcome.judged) < 1e-6
    assert [statement.text for statement in outcome.statements if not statement.holds] == []
    assert outcome.passed
    assert "58 of 58 judged values are within 2 combined" in outcome.agreement


def test_time_limits_of_the_paper_give_nearly_its_lookaheads_and_costs() -> None:
    samples = as_published()
    for method, column, limit, lookahead, cost in (
        (RTAA, "g", 20.00, 67, 13657.31),
        (LRTA, "g", 20.00, 43, 16814.49),
        (RTAA, "h", 4.00, 79, 12699.99),
        (LRTA, "h", 4.00, 53, 14427.80),
    ):
        fit = at_limit([samples[Row(method, each)] for each in LOOKAHEADS], column, limit)
        assert fit is not None
        assert abs(int(fit[0]) - lookahead) <= 1
        assert fit[1] == pytest.approx(cost, rel=0.03)
    rtaa = [samples[Row(RTAA, each)] for each in LOOKAHEADS]
    assert at_limit(rtaa, "g", 0.1) is None
    assert at_limit(rtaa, "g", 1e6) == ("∞", pytest.approx(5731.20))
    over = at_limit(rtaa, "g", 60.0)
    assert over is not None
    assert over[0] == "over 89"
    assert 5731.20 < over[1] < 12078.40


def test_one_value_too_far_away_fails() -> None:
    near = away(as_published(), Row(RTAA, 25), "b", 3.3)
    assert outcome_of(near).figures_agree
    far = away(as_published(), Row(RTAA, 25), "b", 3.7)
    outcome = outcome_of(far)
    assert (outcome.near, outcome.far) == (57, 1)
    assert not outcome.figures_agree
    assert not outcome.passed
    assert "1 beyond 3.5" in outcome.agreement


@pytest.mark.parametrize(("count", "agrees"), [(4, True), (5, False)])
def test_at_least_54_values_have_to_be_near(count: int, agrees: bool) -> None:
    samples = as_published()
    for lookahead in LOOKAHEADS[2 : 2 + count]:
        samples = away(samples, Row(LRTA, lookahead), "d", 2.3)
    outcome = outcome_of(samples)
    assert outcome.near == 58 - count
    assert outcome.figures_agree is agrees


def test_judged_value_without_an_error_fails() -> None:
    figure = Figure("RTAA*", "b", 1.0, 0.1, 1.0, None, judged=True, timed=False)
    assert figure.difference is None
    outcome = replace(outcome_of(as_published()), figures=[figure], tolerance=Tolerance(least=1))
    assert (outcome.near, outcome.far) == (0, 1)
    assert not outcome.passed


def test_times_are_not_judged() -> None:
    outcome = outcome_of(as_published())
    assert {figure.column for figure in outcome.figures if figure.timed} == {"f", "g", "h"}
    assert all(figure.difference is None for figure in outcome.figures if figure.timed)


def quick_lrta(samples: Samples) -> Samples:
    for lookahead in LOOKAHEADS:
        samples = changed(samples, Row(LRTA, lookahead), "f", lambda mean: mean / 10)
    return samples


def test_statements_about_time_are_reported_and_fail_nothing() -> None:
    outcome = outcome_of(quick_lrta(as_published()))
    wrong = [statement for statement in outcome.statements if not statement.holds]
    for words in ("needs less time than LRTA*", "than D* Lite needs", "RTAA* with the best lookahead"):
        assert any(words in statement.text for statement in wrong)
    assert all(statement.timed for statement in wrong)
    assert outcome.passed


@pytest.mark.parametrize(
    ("row", "column", "factor", "words"),
    [
        (Row(RTAA, math.inf), "d", 1.5, "about the same trajectory cost"),
        (Row(LRTA, math.inf), "b", 2.0, "larger than that of LRTA* ∞"),
        (Row("Forward A*"), "b", 0.3, "larger than that of RTAA* ∞"),
        (Row("Backward A*"), "b", 0.3, "significantly smaller"),
        (Row(RTAA, 33), "d", 0.5, "trajectory cost of RTAA* grows"),
        (Row(RTAA, 49), "b", 2.0, "falls at first"),
        (Row(RTAA, 1), "b", 0.2, "rises again"),
        (Row(RTAA, 9), "c", 0.1, "search episodes of RTAA* grows"),
        (Row(RTAA, 57), "i", 2.0, "raises heuristics less"),
        (Row(LRTA, 41), "d", 1.5, "trajectory cost of RTAA* is not smaller"),
        (Row(LRTA, 1), "d", 1.5, "With lookahead 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_statement_fails_if_its_values_contradict_it(row: Row, column: str, factor: float, words: str) -> None:
    outcome = outcome_of(changed(as_published(), row, column, lambda mean: factor * mean))
    assert any(words in statement.text for statement in outcome.failed)
    assert not outcome.passed


# The files of the papers.


@pytest.mark.parametrize("key", papers.MODULES)
def test_file_of_a_paper_has_words_for_each_of_its_items_and_no_others(key: str) -> None:
    paper, file = papers.load(key), PaperFile(papers.MODULES[key])
    assert (file["key"], file["title"]) == (key, paper.title)
    assert paper.reproduced
    assert paper.differences
    assert sorted(file["items"]) == sorted(item.name for item in paper.items)
    assert [file.words(item.name)["about"] for item in paper.items] == [item.about for item in paper.items]


def test_rows_of_a_published_table_omit_missing_values() -> None:
    assert rows("\nname  a   b\none   1   -\ntwo   2  3.5\n") == [
        {"name": "one", "a": "1"},
        {"name": "two", "a": "2", "b": "3.5"},
    ]
    with pytest.raises(ValueError, match="shorter"):
        rows("name a b\none 1")


# Mazes.


def test_mazes_are_perfect_and_have_one_problem_each() -> None:
    suite = drawn_suite("m", "maze", 12, 151, 5, "none")
    assert suite.problems.height == len(suite.maps) == 12
    for row in suite.problems.iter_rows(named=True):
        grid = suite.grid(f"m/{row['map']}")
        assert grid.diagonal == "none"
        assert (grid.width, grid.height) == (151, 151)
        free = grid.free()
        moves = (free[1:] & free[:-1]).sum() + (free[:, 1:] & free[:, :-1]).sum()
        assert moves == free.sum() - 1
        assert grid.components().max() == 0
        assert (row["start_x"], row["start_y"]) != (row["goal_x"], row["goal_y"])
        distance = grid.distances(row["start_x"], row["start_y"])[row["goal_y"], row["goal_x"]]
        assert distance == row["optimal"] == row["cardinal"]


def test_seed_determines_the_mazes_and_larger_suites_start_with_smaller_ones() -> None:
    few, many, other = (drawn_suite("m", "maze", *count_and_size, "none") for count_and_size in SUITES)
    assert few.problems.equals(many.problems.head(3))
    assert [few.grid(key).fingerprint for key in few.maps] == [many.grid(key).fingerprint for key in few.maps]
    assert few.fingerprint != many.fingerprint
    assert few.fingerprint != other.fingerprint
    assert few.fingerprint == drawn_suite("m", "maze", 3, 31, 1, "none").fingerprint


SUITES = ((3, 31, 1), (5, 31, 1), (3, 31, 2))


# The command line, with an invented paper and with the real one on few mazes.


def toy(_: Item, experiment: Experiment, *, size: int) -> Measured:
    assert experiment.jobs is None
    return Measured(size, {"size": "3"})


def shown(size: int) -> Shown:
    figures = [
        Figure("first", "a", 10.0, 1.0, 10.0 + size, 1.0, judged=True),
        Figure("first", "t", 1.0, None, 2.0, 0.1, timed=True),
    ]
    columns = (Column("a", "answers", judged=True), Column("t", "time", timed=True))
    return Shown(columns, (("a",), ("a", "t")), figures)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    options = (Option("size", 0, 0, 9, "how far off"),)
    item = Item("table-1", "how many toys", toy, shown, options, tolerance=Tolerance(1))
    made = claims(
        "1",
        "table-1",
        Predicate("it holds", lambda _: (True, "Seen.")),
        Predicate("it is fast", lambda _: (False, "It is not.")).on_the_clock(),
    )
    paper = Paper("toy-1999", "Toys", (item,), made, setup="permove measured toys of size {size}.")
    monkeypatch.setitem(papers.MODULES, "toy-1999", "toys")
    monkeypatch.setitem(sys.modules, "toys", SimpleNamespace(PAPER=paper))


@pytest.mark.usefixtures("toys")
def test_all_papers_and_items_are_listed() -> None:
    listed = json_of("reproduce")
    names = [row["item"] for row in listed]
    assert names == [*papers.items()]
    assert (names[0], names[-1]) == (ITEM, "toy-1999/table-1")
    assert listed[0]["options"] == "--mazes 1000, --seed 0"
    assert [row["item"] for row in json_of("reproduce toy-1999")] == ["toy-1999/table-1"]


@pytest.mark.usefixtures("toys")
def test_list_names_each_paper_once_and_every_item_in_80_columns() -> None:
    shown = invoke("reproduce").stdout
    assert widest(shown) <= 80
    words = " ".join(shown.split())
    for paper in papers.PAPERS:
        assert words.count(paper.title) == 1
        assert shown.count(f"{paper.key}\n") == 1
    names = [line.split()[0] for line in shown.splitlines() if line.startswith(" ") and line[1] not in " -"]
    assert [name for name in names if name != "each"] == [item.name for paper in papers.PAPERS for item in paper.items]
    assert "--mazes=1000 --seed=0" in words
    assert f"permove reproduce {ITEM}" in words
    # Options that all items of a paper share are listed once.
    assert words.count("--radius=10") == 1


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(("size", "code"), [(0, 0), (2, 0), (3, 1), (9, 1)])
def test_exit_code_depends_on_agreement_with_the_paper(size: int, code: int) -> None:
    shown = invoke(f"reproduce toy-1999/table-1 --size {size}", code=code).stdout
    assert ("The results agree only in part:" in shown) is (code == 1)
    assert "timed: does not hold" in shown
    content = json.loads(invoke(f"reproduce --size={size} toy-1999/table-1 --format json", code=code).stdout)
    assert content["passed"] is (code == 0)
    assert content["figures"][0]["difference"] == pytest.approx(size / math.sqrt(2))
    assert content["figures"][1]["difference"] is None


@pytest.mark.usefixtures("toys")
def test_every_format_is_written_to_a_file_and_the_report_is_saved() -> None:
    for kind in Format:
        assert invoke(f"reproduce toy-1999/table-1 --format {kind} -o out.{kind}").stdout == ""
    assert "answers" in Path("out.table").read_text()
    assert pl.read_csv("out.csv")["row"].to_list() == ["first", "first"]
    result = invoke("reproduce toy-1999/table-1 --save reports --format json")
    assert "Saved: reports/toy-1999/table-1.md and table-1.json" in result.stderr
    assert Path("reports/toy-1999/table-1.json").read_text() == result.stdout == Path("out.json").read_text()
    assert Path("reports/toy-1999/table-1.md").read_text() == Path("out.md").read_text()
    for words in (
        "# Toys",
        "| size | 3 |",
        "| first | 10.00 ± 1.00 | 10.00 ± 1.00 | +0.00",
        "| holds | It holds. (Section 1)<br>Seen. |",
    ):
        assert words in Path("out.md").read_text()


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(("options", "repeated"), [(" --size 2", " --size 2"), (" --size 0", "")])
def test_report_starts_with_a_summary_and_the_command_that_repeats_it(options: str, repeated: str) -> None:
    lines = invoke(f"reproduce toy-1999/table-1{options} --format md").stdout.splitlines()
    summary = "Table 1 of the paper shows how many toys. permove measured toys of size 3. The results agree"
    assert lines[2].startswith(summary)
    assert f"| command | permove reproduce toy-1999/table-1{repeated} |" in lines
    content = json_of(f"reproduce toy-1999/table-1{options}")
    assert content["command"] == f"permove reproduce toy-1999/table-1{repeated}"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([f"{ITEM}0"], [f"no {ITEM}0", f"did you mean {ITEM}"]),
        (["rtaa-2005"], ["no rtaa-2005", f"did you mean {ITEM}", "`permove reproduce` lists"]),
        (["nonsense"], [f"no nonsense to reproduce (known: {ITEM},", "`permove reproduce` lists"]),
        (["rtaa-2006/table-2"], ["no rtaa-2006/table-2", f"did you mean {ITEM}"]),
        (["rtaa-2006/tabel-1"], [f"did you mean {ITEM}"]),
        ([ITEM, "--mazes", "0"], ["mazes 0 is out of range", "at least 2"]),
        ([ITEM, "--mazes", "1"], ["mazes 1 is out of range"]),
        ([ITEM, "--mazes=-3"], ["mazes -3 is out of range"]),
        ([ITEM, "--mazes", "many"], ["--mazes many is not an integer"]),
        ([ITEM, "--mazes"], ["--mazes has no value"]),
        ([ITEM, "--maze", "3"], ["no option --maze", "did you mean --mazes?"]),
        ([ITEM, "--seed", "-1"], ["seed -1 is out of range"]),
        ([ITEM, "twice"], ["'twice' is a second item"]),
        (["--mazes", "3"], ["--mazes is an option of an item", ITEM]),
        ([ITEM, "--jobs", "0"], ["jobs 0 is out of range"]),
        ([ITEM, "--mazes", "2", "--out", "a-file"], ["a-file is a file"]),
        ([ITEM, "--mazes", "2", "--save", "a-file"], ["a-file"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_bad_input_prints_one_line_and_changes_no_file(arguments: list[str], words: list[str]) -> None:
    Path("a-file").write_text("precious")
    error = error_of("reproduce", *arguments)
    assert all(word in error for word in words), error


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("graph-abstraction-2007/table-4", "bgmaps"),
        ("dynamic-control-2008/table-5", "wc3maps"),
        ("per-map-selection-2016/whole-set", "sc1"),
    ],
)
def test_missing_set_names_the_command_that_fetches_it(item: str, name: str, data_home: Path) -> None:
    error = error_of("reproduce", item)
    assert f"MovingAI's set {name} is not imported" in error
    assert f"`permove data fetch {name}`" in error
    assert not data_home.exists()


def test_python_rejects_the_same_input() -> None:
    with rejects("no option maze (did you mean mazes?)"):
        pm.reproduce(ITEM, maze=3)
    with rejects("mazes 0 is out of range"):
        pm.reproduce(ITEM, mazes=0)


def test_table_1_runs_on_few_mazes_and_resumes(monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"reproduce {ITEM} --mazes 3 --seed 4 --format json"
    result = invoke(line, code=None)
    content = json.loads(result.stdout)
    assert result.returncode == (0 if content["passed"] else 1)
    assert "Records: runs/rtaa-2006-" in result.stderr
    assert len({figure["row"] for figure in content["figures"]}) == 29
    assert sum(figure["judged"] for figure in content["figures"]) == 58
    by_name = {(figure["row"], figure["column"]): figure["measured"] for figure in content["figures"]}
    for row in ("RTAA* 1", "LRTA* 1"):
        assert by_name[row, "b"] == by_name[row, "c"] == by_name[row, "d"]
        assert by_name[row, "i"] == pytest.approx(1, abs=0.05)
    for row in ("RTAA* 9", "LRTA* 9", "RTAA* 89", "LRTA* 89"):
        assert by_name[row, "b"] / by_name[row, "c"] <= int(row.split()[1])
    assert content["statements"][0]["holds"]
    assert content["facts"]["mazes"].startswith("3 perfect mazes of 151 × 151 cells without a surrounding wall, seed 4")
    assert "revision" in content["facts"]["permove"]
    assert content["facts"]["processor"]
    monkeypatch.delattr(_core, "Batch")
    assert invoke(line, code=result.returncode).stdout == result.stdout


def test_table_fits_80_columns_and_marks_deviations() -> None:
    samples = away(away(as_published(), Row(RTAA, 25), "b", 4.0), Row(RTAA, 33), "b", 2.5)
    text = printed(outcome_text(outcome_of(samples), Format.TABLE))
    assert widest(text) <= 80
    assert "1,698,163 ± 31,051" in text
    assert "5,245,088 ± 93,697" in text
    rows = {line.split("  ")[0].strip(): line.rstrip() for line in reversed(text.splitlines())}
    assert rows["RTAA* 25"].endswith("!")
    assert rows["RTAA* 33"].endswith("*")
    assert rows["RTAA* 41"].endswith("+0.00")
