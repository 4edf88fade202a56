"""`permove maps`, as users start it."""

from pathlib import Path

import numpy as np
import pytest

from permove import _core
from support import permove


def generate(folder: Path, *arguments: str) -> _core.Map:
    done = permove("maps", "generate", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return _core.Map.parse((folder / "made.map").read_bytes(), "made.map")


def test_a_map_is_written_that_loads_again_and_is_always_the_same(tmp_path: Path) -> None:
    made = generate(tmp_path, "caves", "--size", "64x48", "--seed", "7", "-o", "made.map")
    assert (made.width, made.height) == (64, 48)
    assert made.text() == _core.generate_map("caves", 64, 48, 7, {}).text()
    assert not (tmp_path / "made.map.scen").exists()


def test_one_number_is_a_square_and_options_are_heeded(tmp_path: Path) -> None:
    made = generate(tmp_path, "rooms", "--size", "40", "-O", "room=9", "--option", "door=2", "-o", "made.map")
    assert made.text() == _core.generate_map("rooms", 40, 40, 0, {"room": 9, "door": 2}).text()


def test_problems_in_a_range_of_costs_come_beside_the_map(tmp_path: Path) -> None:
    made = generate(tmp_path, "maze", "--size", "51", "-n", "20", "--least", "90", "--most", "100", "-o", "made.map")
    problems = _core.Scenarios.parse((tmp_path / "made.map.scen").read_bytes(), "made.map.scen")
    assert len(problems) == 20
    assert set(problems.map) == {"made.map"}
    assert np.all((problems.length >= 90) & (problems.length < 100))
    moves = made.grid("land", "strict").optimal(problems.cells, 1)
    assert np.allclose(moves @ np.array([1, np.sqrt(2)]), problems.length, rtol=0, atol=1e-8)


def test_problems_in_buckets_come_from_every_kth(tmp_path: Path) -> None:
    generate(tmp_path, "random", "--size", "64", "-n", "2", "--buckets", "--every", "3", "-o", "made.map")
    problems = _core.Scenarios.parse((tmp_path / "made.map.scen").read_bytes(), "made.map.scen")
    buckets, counts = np.unique(problems.bucket, return_counts=True)
    assert np.array_equal(buckets, np.arange(len(buckets)) * 3)
    assert np.all(counts[:-1] == 2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("mase -o made.map", "there is no kind of map called `mase`; did you mean `maze`?"),
        ("maze -O corridr=2 -o made.map", "there is no option of `maze` called `corridr`; did you mean `corridor`?"),
        ("maze -O corridor=99 -o made.map", "takes a whole number from 1 to 32, not 99"),
        ("maze -O corridor=wide -o made.map", "`corridor=wide` sets nothing"),
        ("maze --size 2000 -o made.map", "maps are made from 8 × 8 to 1024 × 1024 cells, not 2000 × 2000"),
        ("maze --size wide -o made.map", "`wide` is no size"),
        ("maze --seed -1 -o made.map", "--seed"),
        ("maze -o made.txt", "let it end in .map"),
        ("maze -o nowhere/made.map", "there is no folder nowhere"),
        ("maze --least 4 -o made.map", "say with -n how many"),
        ("maze -n 3 --least 4 --buckets -o made.map", "choose either --buckets or a range"),
        ("maze -n 3 --every 4 -o made.map", "add --buckets"),
        ("maze -n 3 --least 90000 -o made.map", "found 0 of 3 problems"),
        ("maze -n 3 --least 9 --most 4 -o made.map", "no cost is at least 9 and below 4"),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_nothing(tmp_path: Path, words: str, sentence: str) -> None:
    done = permove("maps", "generate", *words.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["made.map", "made.map.scen"])
def test_files_that_are_there_are_kept_unless_forced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    words = ("maps", "generate", "maze", "--size", "21", "-n", "3", "-o", "made.map")
    refused = permove(*words, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"{name} is there already" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"
    assert permove(*words, "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / name).read_text() != "mine"


def test_show_draws_a_file_and_tells_its_facts(tmp_path: Path) -> None:
    text = "type octile\nheight 3\nwidth 5\nmap\n....@\n.TT@.\nW...@\n"
    (tmp_path / "small.map").write_text(text)
    done = permove("maps", "show", "small.map", "--png", "small.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert shown.startswith("....@\n.TT@.\nW...@\n")
    assert "5 × 3" in shown
    assert "9 (60%)" in shown
    assert "3, the largest of 5 cells" in shown
    grid = _core.Map.parse(text.encode(), "small.map").grid("land", "strict")
    assert grid.fingerprint in shown
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")


def test_show_knows_the_embedded_maps_by_name(tmp_path: Path) -> None:
    done = permove("maps", "show", "caves-128", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "128 × 128" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_show_says_what_there_is_where_a_map_is_missing(tmp_path: Path) -> None:
    done = permove("maps", "show", "cave", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no file cave" in done.stderr
    assert "caves-128" in done.stderr


def test_help_teaches_kinds_options_and_examples(tmp_path: Path) -> None:
    done = permove("maps", "generate", "--help", cwd=tmp_path)
    assert done.returncode == 0
    for kind, _, options in _core.generators():
        assert kind in done.stdout
        for name, *_ in options:
            assert name in done.stdout
    assert "permove maps generate caves" in done.stdout


def test_the_embedded_suite_is_made_and_checked(tmp_path: Path) -> None:
    assert permove("maps", "embedded", cwd=tmp_path).returncode == 0
    (tmp_path / "maps" / "caves-128.map").write_text("changed")
    (tmp_path / "scenarios" / "maze-151.map.scen").unlink()
    done = permove("maps", "embedded", "--check", cwd=tmp_path)
    assert done.returncode == 2
    assert "maps/caves-128.map, scenarios/maze-151.map.scen in . differ" in done.stderr
    assert (tmp_path / "maps" / "caves-128.map").read_text() == "changed"
