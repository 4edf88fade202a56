"""`permove maps` on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from data_files import map_text
from permove import _core
from permove.report import picture
from support import error_of, invoke, json_of, widest


def generate(line: str) -> _core.Map:
    invoke(f"maps generate {line} -o made.map")
    return _core.Map.parse(Path("made.map").read_bytes(), "made.map")


def made_problems() -> _core.Scenarios:
    return _core.Scenarios.parse(Path("made.map.scen").read_bytes(), "made.map.scen")


def test_generated_map_loads_and_is_reproducible() -> None:
    made = generate("caves --size 64x48 --seed 7")
    assert (made.width, made.height) == (64, 48)
    assert made.text() == _core.generate_map("caves", 64, 48, 7, {}).text()
    assert not Path("made.map.scen").exists()


def test_one_number_is_a_square_and_options_are_respected() -> None:
    made = generate("rooms --size 40 -O room=9 --option door=2")
    assert made.text() == _core.generate_map("rooms", 40, 40, 0, {"room": 9, "door": 2}).text()


def test_problems_in_a_range_of_costs_are_written_next_to_the_map() -> None:
    made = generate("maze --size 51 -n 20 --least 90 --most 100")
    problems = made_problems()
    assert len(problems) == 20
    assert set(problems.map) == {"made.map"}
    assert np.all((problems.length >= 90) & (problems.length < 100))
    moves = made.grid("land", "strict").optimal(problems.cells, 1)
    assert np.allclose(moves @ np.array([1, np.sqrt(2)]), problems.length, rtol=0, atol=1e-8)


def test_problems_are_drawn_from_every_kth_bucket() -> None:
    generate("random --size 64 -n 2 --buckets --every 3")
    buckets, counts = np.unique(made_problems().bucket, return_counts=True)
    assert np.array_equal(buckets, np.arange(len(buckets)) * 3)
    assert np.all(counts[:-1] == 2)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mase -o made.map", "unknown kind of map 'mase' (did you mean 'maze'?)"),
        ("maze -O corridr=2 -o made.map", "unknown option 'corridr' of maze (did you mean 'corridor'?)"),
        ("maze -O corridor=99 -o made.map", "must be an integer from 1 to 32, not 99"),
        ("maze -O corridor=wide -o made.map", "invalid option 'corridor=wide'"),
        ("maze --size 2000 -o made.map", "maps must have from 8 × 8 to 1024 × 1024 cells, not 2000 × 2000"),
        ("maze --size wide -o made.map", "invalid size 'wide'"),
        ("maze --seed -1 -o made.map", "seed -1 is out of range"),
        ("maze -o made.txt", "use a name that ends in .map"),
        ("maze -o nowhere/made.map", "the folder nowhere does not exist"),
        ("maze --least 4 -o made.map", "no number of problems is given"),
        ("maze -n 3 --least 4 --buckets -o made.map", "--buckets cannot be combined with --least"),
        ("maze -n 3 --every 4 -o made.map", "add --buckets"),
        ("maze -n 3 --least 90000 -o made.map", "found 0 of 3 problems"),
        ("maze -n 3 --least 9 --most 4 -o made.map", "no cost is at least 9 and below 4"),
    ],
)
def test_bad_input_prints_one_line_and_writes_no_file(line: str, words: str) -> None:
    assert words in error_of(f"maps generate {line}")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("name", ["made.map", "made.map.scen"])
def test_existing_files_are_kept_unless_forced(name: str) -> None:
    Path(name).write_text("mine")
    line = "maps generate maze --size 21 -n 3 -o made.map"
    assert f"{name} already exists" in error_of(line)
    invoke(line, "--force")
    assert Path(name).read_text() != "mine"


def test_show_draws_a_file_and_its_facts() -> None:
    text = map_text(["....@", ".TT@.", "W...@"])
    Path("small.map").write_bytes(text)
    shown = invoke("maps show small.map --png small.png").stdout
    assert shown.startswith("....@\n.TT@.\nW...@\n")
    assert "5 × 3" in shown
    assert "9 (60%)" in shown
    assert "3, the largest of 5 cells" in shown
    assert _core.Map.parse(text, "small.map").grid("land", "strict").fingerprint in shown
    assert Path("small.png").read_bytes().startswith(b"\x89PNG")


def test_show_finds_embedded_maps_by_name() -> None:
    shown = invoke("maps show caves-128").stdout
    assert "128 × 128" in shown
    assert widest(shown) <= 80
    error = error_of("maps show cave")
    assert "the file cave does not exist" in error
    assert "caves-128" in error


ABSTRACTED = map_text(["..@.", "..T@", "...."])


@pytest.fixture
def _small_map() -> None:
    Path("small.map").write_bytes(ABSTRACTED)


@pytest.mark.usefixtures("_small_map")
def test_show_draws_the_regions_of_a_level_and_describes_all_levels() -> None:
    shown = invoke("maps show small.map --abstraction 1 --png regions.png").stdout
    lines = shown.splitlines()
    assert lines[:3] == ["aa@d", "aaT@", "ccbb"]
    assert [line.split() for line in lines if line[:6].strip().isdigit()] == [
        ["0", "9", "13", "2.889", "–"],
        ["1", "4", "2", "1", "4"],
        ["2", "2", "0", "0", "3"],
    ]
    assert "per free cell" in shown
    assert "properties 1 to 8 hold" in shown
    letters = np.array([list(line.encode()) for line in lines[:3]], np.uint8)
    assert Path("regions.png").read_bytes() == picture.png(picture.image(letters, scale=256))


@pytest.mark.usefixtures("_small_map")
@pytest.mark.parametrize(
    ("level", "rule", "drawing"),
    [("0", "strict", "..@.\n..T@\n....\n"), ("1", "none", "ee@d\nccT@\nbbaa\n")],
)
def test_show_respects_the_level_and_the_diagonal_rule(level: str, rule: str, drawing: str) -> None:
    shown = invoke(f"maps show small.map --abstraction {level} --diagonal {rule}").stdout
    assert shown.startswith(drawing)
    assert "properties 1 to 8 hold" in shown
    assert _core.Map.parse(ABSTRACTED, "small.map").grid("land", rule).fingerprint in shown


@pytest.mark.usefixtures("_small_map")
def test_show_writes_json() -> None:
    (row,) = json_of("maps show small.map")
    assert (row["width"], row["height"], row["free_cells"], row["parts"], row["largest_part"]) == (4, 3, 9, 2, 8)
    assert invoke("maps show small.map --abstraction 2 --format json -o levels.json").stdout == ""
    levels = json.loads(Path("levels.json").read_text())
    assert [level["level"] for level in levels] == [0, 1, 2]
    assert [level["states"] for level in levels] == [9, 4, 2]
    assert [level["most_children"] for level in levels] == [None, 4, 3]
    for level in levels:
        assert level.items() >= row.items()
        assert level["broken"] is None
        assert level["bytes"] > 0
        assert level["build_ns"] > 0


@pytest.mark.parametrize(
    ("rows", "states"), [(["@@@"], "0"), ([".@.", "@@@", ".@."], "4")], ids=["no cell", "isolated cells"]
)
def test_show_abstracts_maps_without_edges(rows: list[str], states: str) -> None:
    Path("bare.map").write_bytes(map_text(rows))
    shown = invoke("maps show bare.map --abstraction 0").stdout
    assert ["0", states, "0"] in [line.split()[:3] for line in shown.splitlines()]
    assert "properties 1 to 8 hold" in shown
    error = error_of("maps show bare.map --abstraction 1")
    assert "invalid level 1 for bare.map; use a level from 0 to 0" in error


@pytest.mark.usefixtures("_small_map")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--abstraction 3", "invalid level 3 for small.map; use a level from 0 to 2"),
        (f"--abstraction {10**30}", "use a level from 0 to 2"),
        ("--abstraction -1", "--abstraction"),
        ("--abstraction high", "--abstraction"),
        ("--abstraction 1 --diagonal some", "there is no diagonal rule `some`; use strict, free, none"),
    ],
)
def test_impossible_levels_print_one_line(line: str, words: str) -> None:
    assert words in error_of(f"maps show small.map {line} --png small.png")


@pytest.mark.usefixtures("_small_map")
def test_broken_property_is_printed_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, grid: _core.Grid, variant: str, real: type[_core.Hierarchy] = _core.Hierarchy) -> None:
            self.hierarchy = real(grid, variant)

        def __getattr__(self, name: str) -> object:
            return getattr(self.hierarchy, name)

        def check(self) -> str:
            return "property 5 does not hold for state 1 of level 1: an edge below has none here"

    monkeypatch.setattr(_core, "Hierarchy", Broken)
    shown = invoke("maps show small.map --abstraction 1", code=1).stdout
    assert "property 5 does not hold" in shown
    assert "properties 1 to 8 hold" not in shown


def test_help_lists_kinds_options_and_examples() -> None:
    shown = invoke("maps generate --help").stdout
    for kind, _, options in _core.generators():
        assert kind in shown
        for name, *_ in options:
            assert name in shown
    assert "permove maps generate caves" in shown


def test_embedded_suite_is_written_and_checked() -> None:
    invoke("maps embedded")
    Path("maps/caves-128.map").write_text("changed")
    Path("scenarios/maze-151.map.scen").unlink()
    error = error_of("maps embedded --check")
    assert "maps/caves-128.map, scenarios/maze-151.map.scen in . do not match their seeds" in error
