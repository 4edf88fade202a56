"""`permove maps`, as users call it."""

import json
from pathlib import Path

import numpy as np
import pytest

from permove import _core
from permove.cli import main
from permove.report import picture
from support import called


def generate(folder: Path, *arguments: str) -> _core.Map:
    done = called("maps", "generate", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return _core.Map.parse((folder / "made.map").read_bytes(), "made.map")


def test_generated_map_loads_and_is_reproducible(tmp_path: Path) -> None:
    made = generate(tmp_path, "caves", "--size", "64x48", "--seed", "7", "-o", "made.map")
    assert (made.width, made.height) == (64, 48)
    assert made.text() == _core.generate_map("caves", 64, 48, 7, {}).text()
    assert not (tmp_path / "made.map.scen").exists()


def test_one_number_is_a_square_and_options_are_respected(tmp_path: Path) -> None:
    made = generate(tmp_path, "rooms", "--size", "40", "-O", "room=9", "--option", "door=2", "-o", "made.map")
    assert made.text() == _core.generate_map("rooms", 40, 40, 0, {"room": 9, "door": 2}).text()


def test_problems_in_a_range_of_costs_are_written_next_to_the_map(tmp_path: Path) -> None:
    made = generate(tmp_path, "maze", "--size", "51", "-n", "20", "--least", "90", "--most", "100", "-o", "made.map")
    problems = _core.Scenarios.parse((tmp_path / "made.map.scen").read_bytes(), "made.map.scen")
    assert len(problems) == 20
    assert set(problems.map) == {"made.map"}
    assert np.all((problems.length >= 90) & (problems.length < 100))
    moves = made.grid("land", "strict").optimal(problems.cells, 1)
    assert np.allclose(moves @ np.array([1, np.sqrt(2)]), problems.length, rtol=0, atol=1e-8)


def test_problems_are_drawn_from_every_kth_bucket(tmp_path: Path) -> None:
    generate(tmp_path, "random", "--size", "64", "-n", "2", "--buckets", "--every", "3", "-o", "made.map")
    problems = _core.Scenarios.parse((tmp_path / "made.map.scen").read_bytes(), "made.map.scen")
    buckets, counts = np.unique(problems.bucket, return_counts=True)
    assert np.array_equal(buckets, np.arange(len(buckets)) * 3)
    assert np.all(counts[:-1] == 2)


@pytest.mark.parametrize(
    ("words", "sentence"),
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
def test_bad_input_prints_one_line_and_writes_no_file(tmp_path: Path, words: str, sentence: str) -> None:
    done = called("maps", "generate", *words.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["made.map", "made.map.scen"])
def test_existing_files_are_kept_unless_forced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    words = ("maps", "generate", "maze", "--size", "21", "-n", "3", "-o", "made.map")
    refused = called(*words, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"{name} already exists" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"
    assert called(*words, "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / name).read_text() != "mine"


def test_show_draws_a_file_and_its_facts(tmp_path: Path) -> None:
    text = "type octile\nheight 3\nwidth 5\nmap\n....@\n.TT@.\nW...@\n"
    (tmp_path / "small.map").write_text(text)
    done = called("maps", "show", "small.map", "--png", "small.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert shown.startswith("....@\n.TT@.\nW...@\n")
    assert "5 × 3" in shown
    assert "9 (60%)" in shown
    assert "3, the largest of 5 cells" in shown
    grid = _core.Map.parse(text.encode(), "small.map").grid("land", "strict")
    assert grid.fingerprint in shown
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")


def test_show_finds_embedded_maps_by_name(tmp_path: Path) -> None:
    done = called("maps", "show", "caves-128", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "128 × 128" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_show_lists_embedded_maps_if_a_map_is_missing(tmp_path: Path) -> None:
    done = called("maps", "show", "cave", cwd=tmp_path)
    assert done.returncode == 2
    assert "the file cave does not exist" in done.stderr
    assert "caves-128" in done.stderr


ABSTRACTED = "type octile\nheight 3\nwidth 4\nmap\n..@.\n..T@\n....\n"


@pytest.fixture
def abstracted(tmp_path: Path) -> Path:
    (tmp_path / "small.map").write_text(ABSTRACTED)
    return tmp_path


def test_show_draws_the_regions_of_a_level_and_describes_all_levels(abstracted: Path) -> None:
    done = called("maps", "show", "small.map", "--abstraction", "1", "--png", "regions.png", cwd=abstracted)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["aa@d", "aaT@", "bbcc"]
    assert [line.split() for line in lines if line[:6].strip().isdigit()] == [
        ["0", "9", "13", "2.889", "–"],
        ["1", "4", "2", "1", "4"],
        ["2", "2", "0", "0", "3"],
    ]
    assert "per free cell" in done.stdout
    assert "properties 1 to 8 hold" in done.stdout
    letters = np.array([list(line.encode()) for line in lines[:3]], np.uint8)
    assert (abstracted / "regions.png").read_bytes() == picture.png(picture.image(letters, scale=256))


def test_level_0_is_the_map(abstracted: Path) -> None:
    done = called("maps", "show", "small.map", "--abstraction", "0", cwd=abstracted)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("..@.\n..T@\n....\n")
    assert "properties 1 to 8 hold" in done.stdout


def test_show_respects_the_diagonal_rule(abstracted: Path) -> None:
    done = called("maps", "show", "small.map", "--abstraction", "1", "--diagonal", "none", cwd=abstracted)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("aa@e\nbbT@\nccdd\n")
    grid = _core.Map.parse(ABSTRACTED.encode(), "small.map").grid("land", "none")
    assert grid.fingerprint in done.stdout


def test_show_writes_json(abstracted: Path) -> None:
    done = called("maps", "show", "small.map", "--format", "json", "-o", "map.json", cwd=abstracted)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    (row,) = json.loads((abstracted / "map.json").read_text())
    assert (row["width"], row["height"], row["free_cells"], row["parts"], row["largest_part"]) == (4, 3, 9, 2, 8)
    done = called("maps", "show", "small.map", "--abstraction", "2", "--format", "json", cwd=abstracted)
    levels = json.loads(done.stdout)
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
def test_show_abstracts_maps_without_edges(tmp_path: Path, rows: list[str], states: str) -> None:
    text = "\n".join(["type octile", f"height {len(rows)}", "width 3", "map", *rows, ""])
    (tmp_path / "bare.map").write_text(text)
    done = called("maps", "show", "bare.map", "--abstraction", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ["0", states, "0"] in [line.split()[:3] for line in done.stdout.splitlines()]
    assert "properties 1 to 8 hold" in done.stdout
    done = called("maps", "show", "bare.map", "--abstraction", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert "invalid level 1 for bare.map; use a level from 0 to 0" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "--abstraction 3",
            "invalid level 3 for small.map; use a level from 0 to 2",
        ),
        (f"--abstraction {10**30}", "use a level from 0 to 2"),
        ("--abstraction -1", "--abstraction"),
        ("--abstraction high", "--abstraction"),
        ("--abstraction 1 --diagonal some", "there is no diagonal rule `some`; use strict, free, none"),
    ],
)
def test_impossible_levels_print_one_line(abstracted: Path, words: str, sentence: str) -> None:
    done = called("maps", "show", "small.map", *words.split(), "--png", "small.png", cwd=abstracted)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (abstracted / "small.png").exists()


def test_broken_property_is_printed_and_fails(
    abstracted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = "property 5 does not hold for state 1 of level 1: an edge below has none here"
    real = _core.Hierarchy

    class Broken:
        def __init__(self, grid: _core.Grid) -> None:
            self.hierarchy = real(grid)

        def __getattr__(self, name: str) -> object:
            return getattr(self.hierarchy, name)

        def check(self) -> str:
            return sentence

    monkeypatch.setattr(_core, "Hierarchy", Broken)
    assert main(["maps", "show", str(abstracted / "small.map"), "--abstraction", "1"]) == 1
    printed = capsys.readouterr().out
    assert "property 5 does not hold" in printed
    assert "properties 1 to 8 hold" not in printed


def test_help_lists_kinds_options_and_examples(tmp_path: Path) -> None:
    done = called("maps", "generate", "--help", cwd=tmp_path)
    assert done.returncode == 0
    for kind, _, options in _core.generators():
        assert kind in done.stdout
        for name, *_ in options:
            assert name in done.stdout
    assert "permove maps generate caves" in done.stdout


def test_embedded_suite_is_written_and_checked(tmp_path: Path) -> None:
    assert called("maps", "embedded", cwd=tmp_path).returncode == 0
    (tmp_path / "maps" / "caves-128.map").write_text("changed")
    (tmp_path / "scenarios" / "maze-151.map.scen").unlink()
    done = called("maps", "embedded", "--check", cwd=tmp_path)
    assert done.returncode == 2
    assert "maps/caves-128.map, scenarios/maze-151.map.scen in . do not match their seeds" in done.stderr
    assert (tmp_path / "maps" / "caves-128.map").read_text() == "changed"
