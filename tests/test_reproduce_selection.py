"""per-map-selection-2016: its items on small suites, and selections with known results."""

import re
from pathlib import Path

import polars as pl
import pytest

from permove.papers import load, per_map_selection_2016
from permove.papers.item import Experiment
from permove.papers.outcome import Outcome
from permove.papers.per_map_selection_2016 import selecting, space, whole_set
from permove.select.choices import Choices
from permove.select.selection import Selected

SMALL = {"algorithms": 15, "problems": 60, "seed": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working folder of all items, which share the matrix in it."""
    return tmp_path_factory.mktemp("experiment")


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Experiment:
    """An experiment with the embedded suite instead of MovingAI's sets."""
    for module in (selecting, space, whole_set):
        monkeypatch.setattr(module, "SUITE", "embedded@free")
    monkeypatch.chdir(folder)
    return Experiment(progress=False)


def outcome_of(experiment: Experiment, name: str, **options: int) -> Outcome:
    paper = per_map_selection_2016.PAPER
    item = next(item for item in paper.items if item.name == name)
    measured = item.measure(item, experiment, **options)
    return paper.judge(item, measured.evidence, measured.facts)


def test_paper_has_its_printed_items_and_one_more() -> None:
    assert per_map_selection_2016.PAPER is load("per-map-selection-2016")
    names = [item.name for item in per_map_selection_2016.PAPER.items]
    assert names == ["whole-set", "figure-2", "table-1", "table-2", "figure-3", "figure-4", "practical"]


def test_four_algorithms_run_on_all_problems_and_timed_on_a_sample(
    embedded: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_set, "ALPHA", 20.0)
    monkeypatch.setattr(whole_set, "CLOCKED", 50)
    outcome = outcome_of(embedded, "whole-set", literal=50, seed=0)
    assert [figure.row for figure in outcome.figures[::2]] == list(whole_set.KNOWN)
    assert all(1 <= figure.measured <= 21 for figure in outcome.figures)
    # This is another suite, so its size and means are not those of the paper.
    assert [statement.holds for statement in outcome.statements[:2]] == [False, False]
    assert not outcome.passed
    assert re.search(r"sample of 50 takes.*median\(7·c\+h\)\+E \d+\.\d, daLRTA\*\+E \d", outcome.notes[-1])


def test_space_is_sampled_and_its_shares_are_reported(embedded: Experiment) -> None:
    outcome = outcome_of(embedded, "figure-2", **SMALL, batch=15)
    figures = {figure.row: figure.measured for figure in outcome.figures}
    assert figures["the best for each problem"] <= figures["the best algorithm"] <= figures["a random algorithm"]
    assert 0 <= figures["better than RTA*"] <= 100
    assert outcome.data is not None
    assert outcome.data.frame["algorithms"].sum() == 15
    assert len(outcome.statements) == 7


@pytest.mark.parametrize("item", ["table-1", "table-2", "figure-3", "figure-4"])
def test_selections_are_tabulated_and_plotted_from_one_matrix(embedded: Experiment, item: str) -> None:
    outcome = outcome_of(embedded, item, **SMALL, trials=3)
    assert outcome.item == f"per-map-selection-2016/{item}"
    if item.startswith("table"):
        by_column = {(figure.row, figure.column): figure.measured for figure in outcome.figures}
        row = outcome.figures[-1].row
        assert by_column[row, "exhaustive"] <= by_column[row, "sample"]
        assert len(outcome.figures) == 18
    else:
        assert outcome.data is not None
        assert {"exhaustive", "prior", "sample", "factorization"} <= set(outcome.data.frame["method"])


def test_choice_without_running_is_judged(embedded: Experiment) -> None:
    outcome = outcome_of(embedded, "practical", **SMALL, trials=2)
    assert len(outcome.statements) == 1
    assert outcome.data is not None
    assert outcome.data.frame["method"].to_list() == ["exhaustive", "portfolio", "practical", "prior"]


def test_rows_are_compared_at_equal_numbers_of_algorithms() -> None:
    frame = pl.DataFrame(
        {
            "method": ["sample"] * 3,
            "present": [1.0, 3.0, 15.0],
            "algorithms": [5.0, 15.0, 75.0],
            "trials": [9, 9, 9],
            "mean": [30.0, 20.0, 10.0],
            "se": [1.0, 2.0, None],
        }
    )
    selected = Selected("", frame, 500, 10, "maps", Choices("map", frame, 1, 1, 1, 1, 0, 0))
    assert selecting.at(selected, "sample", 1.0) == (20.0, 2.0)
    assert selecting.at(selected, "sample", 5.0) == (10.0, None)
