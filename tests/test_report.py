"""The trade-off of records, and its formats."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permove.analysis.tradeoff import MEANS, tradeoff
from permove.report.formats import Format, number, plain_table, show
from permove.report.table import plus_minus, tradeoff_table
from support import contents, full_disk, printed, records, widest

UNSOLVED = {"cost": None, "suboptimality": None}


def shown(frame: pl.DataFrame, width: int = 80) -> str:
    return printed(tradeoff_table(frame, "made by hand"), width)


def test_planning_per_move_is_all_expansions_over_all_moves() -> None:
    frame = tradeoff(records({"moves": 10, "expanded": 10}, {"problem": 1, "moves": 90, "expanded": 900}))
    assert frame["expanded_per_move"].item() == pytest.approx(910 / 100)
    assert frame["expanded_per_move_mean"].item() == pytest.approx((1 + 10) / 2)


efforts = st.lists(st.tuples(st.integers(1, 500), st.integers(0, 10_000)), min_size=2, max_size=30)


@given(efforts)
def test_error_of_a_ratio_is_that_of_the_textbook(pairs: list[tuple[int, int]]) -> None:
    rows = [{"problem": at, "moves": moves, "expanded": effort} for at, (moves, effort) in enumerate(pairs)]
    frame = tradeoff(records(*rows))
    moves, effort = np.array(pairs, float).T
    ratio = effort.sum() / moves.sum()
    count = len(pairs)
    error = math.sqrt(((effort - ratio * moves) ** 2).sum() / (count * (count - 1))) / moves.mean()
    assert frame["expanded_per_move_se"].item() == pytest.approx(error, rel=1e-9, abs=1e-9)


def test_error_of_a_mean_is_that_of_the_textbook() -> None:
    frame = tradeoff(records(*({"problem": at, "suboptimality": value} for at, value in enumerate((1.0, 2.0, 6.0)))))
    assert frame["suboptimality"].item() == pytest.approx(3.0)
    assert frame["suboptimality_se"].item() == pytest.approx(math.sqrt(7) / math.sqrt(3))


def test_one_problem_has_no_error() -> None:
    frame = tradeoff(records({}))
    assert frame.select("suboptimality_se", "expanded_per_move_se").row(0) == (None, None)


def test_agent_over_the_cutoff_is_in_no_mean_and_listed_with_its_worst_move() -> None:
    astar = {"agent": "astar", "label": "A*"}
    over = {**astar, **UNSOLVED, "status": "cutoff", "moves": 2, "map": "down"}
    worst = {"problem": 7, "reason": "move 3 expanded 1234 states, over 1000", "expanded_max": 1234}
    other = {"problem": 8, "reason": "less", "expanded_max": 1200}
    frame = tradeoff(records(astar, over | worst | {"expanded_max_move": 3}, over | other, {"agent": "lrta(d=1)"}))
    assert frame["agent"].to_list() == ["lrta(d=1)", "astar"]
    row = frame.row(1, named=True)
    assert not row["qualified"]
    assert row["over"] == 2
    assert all(row[name] is None for name in MEANS)
    assert [row[f"worst_{what}"] for what in ("set", "map", "problem", "move")] == ["made", "down", 7, 3]
    text = shown(frame, width=100)
    assert text.index("LRTA*(1)") < text.index("Disqualified") < text.index("A* ", text.index("Disqualified"))
    assert "2 of 3" in text
    assert "made/down, problem 7: move 3 expanded 1234 states, over 1000" in text


def test_worst_move_under_a_time_limit_is_the_slowest() -> None:
    over = {"status": "cutoff", **UNSOLVED}
    large = {"reason": "large", "expanded_max": 9, "time_max_ns": 5}
    frame = records(over | large, over | {"problem": 1, "reason": "slow", "time_max_ns": 6})
    assert tradeoff(frame)["why"].item() == "made/up, problem 0: large"
    assert tradeoff(frame, worst_by="time_max_ns")["why"].item() == "made/up, problem 1: slow"


def test_unsolved_problems_are_shown_and_in_no_mean() -> None:
    frame = tradeoff(
        records(
            {"suboptimality": 2.0},
            {"problem": 1, "status": "travel-cap", **UNSOLVED, "expanded": 10**9},
            {"problem": 2, "status": "stuck", **UNSOLVED},
            {"problem": 3, "status": "stuck", **UNSOLVED},
        )
    )
    row = frame.row(0, named=True)
    assert (row["problems"], row["solved"], row["qualified"]) == (4, 1, True)
    assert row["suboptimality"] == 2.0
    assert row["expanded_per_move"] == 1.0
    assert row["unsolved"] == "2 stuck, 1 travel-cap"
    assert "2 stuck, 1 travel-cap" in shown(frame)
    assert "1 of 4" in shown(frame)


def test_agents_that_solved_nothing_come_last_without_values() -> None:
    failed = {"agent": "a", "label": "none", "status": "stuck", **UNSOLVED, "moves": 0}
    frame = tradeoff(records(failed, {"agent": "b"}))
    assert frame["agent"].to_list() == ["b", "a"]
    assert frame.row(1, named=True)["expanded_per_move"] is None


def test_rows_are_sorted_by_planning() -> None:
    rows = [{"agent": f"lrta(d={depth})", "expanded": 10 * depth} for depth in (3, 1, 2)]
    assert tradeoff(records(*rows))["agent"].to_list() == ["lrta(d=1)", "lrta(d=2)", "lrta(d=3)"]


def test_agents_on_different_problems_are_not_comparable() -> None:
    even = records({"agent": "a"}, {"agent": "b"})
    odd = records({"agent": "a"}, {"agent": "b"}, {"agent": "b", "problem": 1})
    assert "not comparable" not in shown(tradeoff(even))
    assert "are not comparable" in shown(tradeoff(odd), width=100)


def test_table_fits_eighty_columns() -> None:
    label = "LRTA*(lookahead 1000, all moves, random ties)"
    long = {"label": label, "expanded": 123_456_789, "expanded_max": 1_234_567}
    spread = [{**long, "problem": at, "suboptimality": 100.0 + at, "moves": 10 + at} for at in range(5)]
    reason = "move 123456 expanded 1234567 states, over 1000000"
    text = shown(tradeoff(records(*spread, {**long, "agent": "b", "status": "cutoff", **UNSOLVED, "reason": reason})))
    assert widest(text) <= 80
    assert "…" not in text


@pytest.mark.parametrize(
    ("mean", "error", "text"),
    [
        (9.4231, 0.1213, "9.42 ± 0.12"),
        (1234.5, 21.7, "1,234 ± 22"),
        (1.00001, 0.00000012, "1.0000 ± 0.0000"),
        (1.0, 0.0, "1"),
        (3.14159, None, "3.142"),
        (None, None, "–"),
    ],
)
def test_error_is_shown_with_its_significant_digits(mean: float, error: float, text: str) -> None:
    assert plus_minus(mean, error) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1234567, "1,234,567"), (12345.6, "12,346"), (0.12345, "0.1235"), (None, "–")]
)
def test_numbers_are_formatted(value: float | None, text: str) -> None:
    assert number(value) == text


FRAME = pl.DataFrame({"name": ["a|b", None], "count": [1, 20000], "share": [0.5, math.nan], "tags": [["x", "y"], []]})


def written(format: Format, folder: Path) -> str:
    show(FRAME, "A title", format, folder / "out")
    return (folder / "out").read_text()


def test_json_has_every_row_and_only_valid_numbers(tmp_path: Path) -> None:
    assert json.loads(written(Format.JSON, tmp_path), parse_constant=pytest.fail) == [
        {"name": "a|b", "count": 1, "share": 0.5, "tags": ["x", "y"]},
        {"name": None, "count": 20000, "share": None, "tags": []},
    ]


def test_infinite_and_missing_numbers_differ_in_json_and_csv(tmp_path: Path) -> None:
    frame = pl.DataFrame({"ratio": [1.5, math.inf, -math.inf, math.nan, None], "bounds": [[1.0, math.inf]] * 5})
    show(frame, "Ratios", Format.JSON, tmp_path / "out.json")
    rows = json.loads((tmp_path / "out.json").read_text(), parse_constant=pytest.fail)
    assert [row["ratio"] for row in rows] == [1.5, "inf", "-inf", None, None]
    assert rows[0]["bounds"] == [1.0, "inf"]
    assert [float(row["ratio"]) for row in rows[:3]] == [1.5, math.inf, -math.inf]
    show(frame.select("ratio").head(3), "Ratios", Format.CSV, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines() == ["ratio", "1.5", "inf", "-inf"]


def test_csv_has_a_header_and_every_row(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(written(Format.CSV, tmp_path))))
    assert [row["count"] for row in rows] == ["1", "20000"]
    assert rows[0]["tags"] == "x y"


def test_markdown_is_a_table_with_escaped_bars(tmp_path: Path) -> None:
    lines = written(Format.MD, tmp_path).splitlines()
    assert lines[:4] == ["## A title", "", "| name | count | share | tags |", "| --- | ---: | ---: | --- |"]
    assert lines[4] == r"| a\|b | 1 | 0.5 | x, y |"


def test_table_in_a_file_is_plain_text(tmp_path: Path) -> None:
    text = written(Format.TABLE, tmp_path)
    assert "20,000" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("format", Format)
def test_terminal_and_file_get_the_same_content(
    format: Format, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show(FRAME, "A title", format, None)
    assert capsys.readouterr().out.split() == written(format, tmp_path).split()


def test_file_that_cannot_be_written_keeps_its_content(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("before")
    with full_disk(), pytest.raises(OSError, match="No space left"):
        show(FRAME, "A title", Format.CSV, target)
    assert contents(tmp_path) == {"out": b"before"}


def test_wide_frame_keeps_numbers_and_words_in_a_narrow_terminal() -> None:
    frame = pl.DataFrame(
        {
            "map": ["heart2heart@161x161"],
            "planning": [124.5],
            "planning_se": [14.45],
            **{f"suboptimality_{kind}": [1.2345] for kind in ("all", "others", "ratio", "best", "worst")},
        }
    )
    text = printed(plain_table(frame, "wide"))
    assert "124.5 ± 14.45" in text
    assert text.count("1.234") == 5
    assert "map" in text
    assert "…" not in text
