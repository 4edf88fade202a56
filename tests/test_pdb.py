"""Pattern databases as users meet them: `permove pdb`, and runs that build what their agents need."""

import json
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import permove as pm
from permove import _core
from permove.cli import main
from permove.pdb import files
from permove.pdb.files import Key
from permove.records.columns import CLOCK, IDENTITY
from permove.report import depths as shades
from permove.report import picture
from support import PATIENCE, contents, shown_on_terminal, start, wait_for

CAVES = _core.generate_map("caves", 48, 40, 3, {})
OTHER = _core.generate_map("caves", 48, 40, 4, {})
GRID = CAVES.grid("land", "strict")
GOAL = tuple(int(place[0]) for place in np.nonzero(GRID.free().T))

HEADER = 88
"""So long is a database's header, which has the time that it took and the threads that built it."""

PDB = "lrta(d=pdb, goal=pdb, l=1)"
MAP = "rooms-128"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two maps, and an empty data folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "caves.map").write_bytes(CAVES.text())
    (folder / "other.map").write_bytes(OTHER.text())
    assert not data_home.exists()
    return folder


def done(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """What a command prints that does what it should, and what it says on the side."""
    code = main(list(arguments))
    output = capsys.readouterr()
    assert code == 0, output.err
    return output.out, output.err


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence that a command is refused with, when it left everything as it was."""
    before = contents(Path())
    assert main(list(arguments)) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1
    assert contents(Path()) == before
    return output.err


def built(level: int = 1, kind: str = "subgoals", base: int = 0) -> Path:
    """Where the database of the caves is kept."""
    return files.path_of(GRID.fingerprint, Key(kind, base, level))


def records(run: pm.Run) -> pl.DataFrame:
    return run.records.drop(CLOCK).sort(IDENTITY)


def walk(out: str, **further: object) -> pl.DataFrame:
    return records(pm.run("embedded", PDB, limit=6, maps=[MAP], out=out, **further))  # type: ignore[arg-type]


def changed(path: Path, change: Callable[[bytearray], None]) -> bytes:
    """Change a file, and say what it holds then."""
    content = bytearray(path.read_bytes())
    change(content)
    path.unlink()
    path.write_bytes(content)
    return bytes(content)


def flip(place: float) -> Callable[[bytearray], None]:
    """Flip a bit of a byte: at a place, or at a share of the length."""

    def change(content: bytearray) -> None:
        content[int(place * len(content)) if isinstance(place, float) else place] ^= 0x10

    return change


def shorten(to: int) -> Callable[[bytearray], None]:
    def change(content: bytearray) -> None:
        del content[to:]

    return change


HARM = {
    "magic": flip(0),
    "version": flip(8),
    "kind": flip(12),
    "level": flip(14),
    "fingerprint": flip(20),
    "regions": flip(36),
    "abstraction": flip(48),
    "time": flip(65),
    "checksum": flip(HEADER - 8),
    "first byte after the header": flip(HEADER),
    "first half": flip(0.3),
    "table": flip(0.7),
    "last byte": flip(-1),
    "shorter by one": shorten(-1),
    "header alone": shorten(HEADER),
    "half a header": shorten(40),
    "nothing": shorten(0),
    "longer": lambda content: content.append(0),
}


def test_build_stores_a_database_by_the_cells_of_its_map_and_reports_its_size(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, _ = done(capsys, "pdb", "build", "caves.map", "-l", "1")
    assert built().is_file()
    regions = _core.Hierarchy(GRID).states(1)
    for words in ("caves.map", "subgoals", f"{regions:,}", f"{regions**2:,}", "depths", "thread"):
        assert words in out
    out, err = done(capsys, "pdb", "info", "caves.map", "--format", "json")
    (row,) = json.loads(out)
    assert row["map"] == "caves.map"
    assert (row["kind"], row["base"], row["level"]) == ("subgoals", 0, 1)
    assert (row["regions"], row["pairs"]) == (regions, regions**2)
    assert 0 < row["searched"] < row["pairs"]
    assert row["bytes"] == built().stat().st_size > row["pairs"]
    assert row["build_ns"] > 0
    assert row["threads"] >= 1
    assert row["published"] is None
    assert row["file"] == str(built())
    assert err == ""


def test_existing_database_is_rebuilt_only_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    done(capsys, "pdb", "build", "caves.map", "-l", "1")
    before = built().stat()
    shutil.copy("caves.map", "copy.map")
    _, err = done(capsys, "pdb", "build", "copy.map", "-l", "1")
    assert "copy.map: subgoals of level 1 already exists; --again rebuilds it." in err
    assert built().stat().st_ino == before.st_ino
    done(capsys, "pdb", "build", "caves.map", "-l", "1", "--again")
    assert built().stat().st_ino != before.st_ino


def test_rules_levels_kinds_and_bases_have_separate_databases(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = done(capsys, "pdb", "build", "caves.map", "-l", "2", "--kind", "both", "--format", "json")
    assert [row["kind"] for row in json.loads(out)] == ["subgoals", "depths"]
    done(capsys, "pdb", "build", "caves.map", "-l", "2", "--base", "1")
    done(capsys, "pdb", "build", "caves.map", "-l", "2", "--diagonal", "none")
    paths = [built(2), built(2, "depths"), built(2, base=1)]
    assert sorted(paths) == sorted(files.kept(GRID.fingerprint))
    assert len(files.kept()) == 4
    out, _ = done(capsys, "pdb", "info", "--format", "json")
    assert {(row["kind"], row["base"]) for row in json.loads(out)} == {("subgoals", 0), ("depths", 0), ("subgoals", 1)}
    assert len(json.loads(out)) == 4
    out, _ = done(capsys, "pdb", "info")
    assert "4 databases" in out


def test_tables_do_not_depend_on_the_number_of_threads(capsys: pytest.CaptureFixture[str]) -> None:
    for jobs in ("1", "3"):
        done(capsys, "pdb", "build", "caves.map", "-l", "1", "--jobs", jobs, "-o", f"{jobs}.pdb")
        assert _core.Database.look(f"{jobs}.pdb").jobs == int(jobs)
    assert Path("1.pdb").read_bytes()[HEADER:] == Path("3.pdb").read_bytes()[HEADER:]


def test_map_of_the_size_in_the_paper_shows_the_published_time(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = done(capsys, "pdb", "build", "outdoor-lakes-512", "-l", "7", "--kind", "both", "--format", "json")
    assert [row["published"] for row in json.loads(out)] == ["10 minutes", "2.5 hours"]
    out, _ = done(capsys, "pdb", "info", "--format", "json")
    assert {row["published"] for row in json.loads(out)} == {"10 minutes", "2.5 hours"}


def test_empty_list_names_the_build_command(capsys: pytest.CaptureFixture[str], data_home: Path) -> None:
    out, _ = done(capsys, "pdb", "info")
    assert "permove pdb build" in out
    assert "caves.map has no pattern database" in refusal(capsys, "pdb", "info", "caves.map")
    assert not data_home.exists()


@pytest.mark.parametrize("kind", ["depths", "subgoals"])
def test_show_shades_every_cell_by_its_depth(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    x, y = GOAL
    words = ("pdb", "show", "caves.map", f"{x},{y}", "-l", "1", "--kind", kind)
    done(capsys, "pdb", "build", "caves.map", "-l", "1", "--kind", kind)
    out, _ = done(capsys, *words, "-o", "depths.png")
    depths = _core.Database.open(str(built(1, kind)), GRID).depths(x, y)
    parts = GRID.components()
    depths[parts != parts[y, x]] = -1
    letters = shades.shaded(depths, GRID.free())
    drawn = np.array([list(line.encode()) for line in out.splitlines()[: GRID.height]], np.uint8)
    assert drawn[y, x] == ord("B")
    drawn[y, x] = letters[y, x]
    assert np.array_equal(drawn, letters)
    assert Path("depths.png").read_bytes() == picture.png(picture.image(letters, scale=21, goal=(x, y)))
    out, _ = done(capsys, *words, "--format", "json")
    legend = json.loads(out)
    assert sum(row["cells"] for row in legend) == GRID.free_cells
    assert legend[0]["min_depth"] == 1
    assert legend[0]["cells"] == int((depths == 1).sum())


def test_each_depth_has_a_shade_and_unreachable_cells_their_own() -> None:
    depths = np.array([[1, 2, 3], [-1, -1, 100]], np.int32)
    free = np.array([[True, True, True], [False, True, True]])
    assert shades.shaded(depths, free).tobytes() == b"123#x9"
    legend = shades.legend(depths, free)
    assert legend["cells"].sum() == 5
    assert legend.filter(pl.col("cells") > 0)["shade"].to_list() == ["1", "2", "3", "9", "x"]


@pytest.mark.parametrize("most", [1, 2, 8, 9, 10, 11, 12, 15, 20, 33, 100, 3000, 65534])
def test_shades_cover_every_depth_from_white_to_dark(most: int) -> None:
    depths = np.arange(1, most + 1, dtype=np.int32)[None, :]
    free = np.ones_like(depths, np.bool_)
    letters = shades.shaded(depths, free)[0]
    assert letters[0] == ord("1")
    assert np.all(np.diff(letters.astype(int)) >= 0)
    legend = shades.legend(depths, free)
    assert legend.height == len(np.unique(letters)) == min(most, 9)
    assert legend["max_depth"].to_list()[-1] == most
    spans = legend["max_depth"] - legend["min_depth"] + 1
    assert spans.to_list() == legend["cells"].to_list()


def test_run_builds_its_databases_once(data_home: Path) -> None:
    fresh = walk("fresh")
    assert (fresh["status"] == "solved").all()
    (path,) = files.kept()
    before = contents(data_home)
    again = walk("again")
    assert contents(data_home) == before
    assert_frame_equal(again, fresh)
    path.unlink()
    assert_frame_equal(walk("anew", jobs=1), fresh)
    assert_frame_equal(walk("more", jobs=4), fresh)


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("lrta(d=2, goal=pdb, l=2)", ["subgoals-0-2.pdb"]),
        ("lrta(d=pdb, l=4)", ["depths-0-4.pdb"]),
        ("lrta(d=pdb, goal=mixed, l=4)", ["depths-0-4.pdb", "subgoals-0-4.pdb"]),
        ("lrta(d=pdb, goal=pdb, l=4, reentry=pdb)", ["depths-0-4.pdb", "subgoals-0-4.pdb"]),
        ("pr-lrta(l=1, goal=pdb, l2=3)", ["subgoals-1-3.pdb"]),
        ("pr-lrta(l=2, d=pdb, l2=3)", ["depths-2-3.pdb"]),
    ],
)
def test_each_control_builds_only_its_databases(spec: str, names: list[str]) -> None:
    run = pm.run("embedded", spec, limit=2, maps=[MAP], out="run")
    assert (run.records["status"] == "solved").all()
    assert [path.name for path in files.kept()] == names


def test_finished_run_needs_no_databases(data_home: Path) -> None:
    whole = walk("run")
    shutil.rmtree(data_home)
    assert_frame_equal(walk("run"), whole)
    assert not data_home.exists()


def test_agents_without_databases_build_none(data_home: Path) -> None:
    pm.run("embedded", "lrta(d=2)", limit=2, maps=[MAP], out="plain")
    assert not data_home.exists()


def test_solve_builds_the_database_of_its_agent(capsys: pytest.CaptureFixture[str]) -> None:
    parts = GRID.components()
    ys, xs = np.nonzero(parts == np.bincount(parts[parts >= 0]).argmax())
    words = ("solve", "caves.map", f"{xs[0]},{ys[0]}", f"{xs[-1]},{ys[-1]}", "-a", PDB, "--format", "json")
    first, _ = done(capsys, *words)
    assert built(1).is_file()
    second, _ = done(capsys, *words)
    rows = [{name: value for name, value in json.loads(out)[0].items() if name not in CLOCK} for out in (first, second)]
    assert rows[0] == rows[1]
    assert rows[0]["status"] == "solved"


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_damaged_database_in_the_cache_is_rebuilt_with_a_message(
    harm: Callable[[bytearray], None], capsys: pytest.CaptureFixture[str]
) -> None:
    done(capsys, "pdb", "build", "caves.map", "-l", "1")
    whole = built().read_bytes()
    changed(built(), harm)
    _, err = done(capsys, "pdb", "build", "caves.map", "-l", "1")
    assert err.startswith(f"permove: {built()}")
    assert err.endswith("; rebuilding it\n")
    assert len(err.splitlines()) == 1
    assert built().read_bytes()[HEADER:] == whole[HEADER:]


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_damaged_database_of_the_user_is_rejected_and_unchanged(
    harm: Callable[[bytearray], None], capsys: pytest.CaptureFixture[str]
) -> None:
    done(capsys, "pdb", "build", "caves.map", "-l", "1", "-o", "mine.pdb")
    changed(Path("mine.pdb"), harm)
    assert "mine.pdb" in refusal(capsys, "pdb", "info", "mine.pdb")
    assert "mine.pdb" in refusal(capsys, "pdb", "build", "caves.map", "-l", "1", "-o", "mine.pdb")


def test_run_with_a_damaged_database_has_the_same_records(capsys: pytest.CaptureFixture[str]) -> None:
    whole = walk("whole")
    (path,) = files.kept()
    changed(path, flip(0.5))
    capsys.readouterr()
    assert_frame_equal(walk("harmed"), whole)
    assert "level and version of permove; rebuilding it" in capsys.readouterr().err


def test_database_of_another_map_or_level_is_not_used(capsys: pytest.CaptureFixture[str]) -> None:
    done(capsys, "pdb", "build", "other.map", "-l", "1", "-o", "other.pdb")
    done(capsys, "pdb", "build", "caves.map", "-l", "2", "-o", "two.pdb")
    assert "belongs to another map" in refusal(capsys, "pdb", "build", "caves.map", "-l", "1", "-o", "other.pdb")
    refused = refusal(capsys, "pdb", "build", "caves.map", "-l", "1", "-o", "two.pdb")
    assert "two.pdb contains subgoals of level 2, not subgoals of level 1" in refused
    for wrong, words in (("other.pdb", "not the database of this map"), ("two.pdb", "not the database of this map")):
        built().parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(wrong, built())
        _, err = done(capsys, "pdb", "build", "caves.map", "-l", "1")
        assert words in err
        _core.Database.open(str(built()), GRID)


def test_list_skips_an_unreadable_database_with_a_message(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done(capsys, "pdb", "build", "caves.map", "-l", "1", "--kind", "both")
    changed(built(1, "depths"), shorten(10))
    out, err = done(capsys, "pdb", "info", "--format", "json")
    assert [row["kind"] for row in json.loads(out)] == ["subgoals"]
    assert str(built(1, "depths")) in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("pdb build caves.map", "-l"),
        ("pdb build caves.map -l 99", "invalid level 99 for caves.map; use a level from 0 to"),
        ("pdb build caves.map -l -1", "-l"),
        ("pdb build caves.map -l 1 --base 2", "--base 2 is higher than --level 1; use a lower base"),
        ("pdb build caves.map -l 1 --kind all", "--kind"),
        ("pdb build caves.map -l 1 --jobs 0", "jobs 0 is out of range"),
        ("pdb build caves.map -l 1 --kind both -o two.pdb", "two.pdb cannot hold two databases"),
        ("pdb build caves.map -l 1 -o nowhere/one.pdb", "the folder nowhere does not exist"),
        ("pdb build caves.map -l 1 -o caves.map", "caves.map"),
        (
            "pdb build caves.map -l 1 -o caves.map --again",
            "caves.map is not a pattern database; specify",
        ),
        ("pdb build cave.map -l 1", "the file cave.map does not exist"),
        ("pdb build caves.map -l 1 --diagonal some", "there is no diagonal rule `some`"),
        ("pdb info nothing.pdb", "nothing.pdb"),
        ("pdb info cave.map", "the file cave.map does not exist"),
        ("pdb show caves.map 999,1 -l 1", "the goal 999,1 is outside the map"),
        ("pdb show caves.map 0,0 -l 1", "the goal 0,0 is an obstacle"),
        ("pdb show caves.map here -l 1", "invalid cell 'here'"),
        ("run -a lrta(d=pdb,c=0)", "c=0 is out of range"),
        ("run -a lrta(d=pdb,l=16)", "l=16 is out of range"),
        (f"run -a lrta(goal=pdb,l=15) --map {MAP}", f"{MAP}: lrta(d=1"),
        ("run -a lrta(goal=pdb,l=1) --sensor square(10)", "use the sensor all instead of square(10)"),
        ("solve caves.map 1,1 2,2 -a lrta(goal=pdb) --sensor cross", "use the sensor all instead of cross"),
    ],
)
def test_bad_input_prints_one_line_and_writes_no_file(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str], data_home: Path
) -> None:
    assert sentence in refusal(capsys, *words.split())
    assert not data_home.exists()


def test_missing_level_is_reported_before_anything_is_built(data_home: Path) -> None:
    with pytest.raises(pm.InputError, match=r"lrta\(.* needs level 15.*use a lower level, or choose other maps"):
        pm.run("embedded", ["lrta(goal=pdb, l={1,15})"], limit=8, out="run")
    assert not Path("run").exists()
    assert not data_home.exists()


def limited() -> None:
    """A disk that is full after a few bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))


@pytest.mark.parametrize(
    "words",
    [
        ("pdb", "build", "caves.map", "-l", "1"),
        ("pdb", "build", "caves.map", "-l", "1", "-o", "mine.pdb"),
        ("run", "-a", PDB, "--limit", "2", "--map", MAP, "--out", "run"),
    ],
    ids=["kept", "named", "run"],
)
def test_disk_that_fills_up_prints_one_line_and_leaves_no_partial_file(words: tuple[str, ...], data_home: Path) -> None:
    before = contents(Path())
    process = start(*words, preexec_fn=limited)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "cannot be written (File too large)" in errors
    assert len(errors.splitlines()) == 1
    assert contents(Path()) == before
    assert [path for path in contents(data_home) if path.endswith(("pdb", "part"))] == []


def test_build_without_enough_disk_space_does_not_start(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data_home: Path
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6 - 999, 999))  # type: ignore[attr-defined]
    assert "pairs need at least" in refusal(capsys, "pdb", "build", "caves.map", "-l", "1")
    assert "or free disk space" in refusal(capsys, "pdb", "build", "caves.map", "-l", "1", "-o", "x.pdb")
    assert [path for path in contents(data_home) if path.endswith(("pdb", "part"))] == []


def test_unwritable_folder_prints_one_line(capsys: pytest.CaptureFixture[str], data_home: Path) -> None:
    data_home.write_text("in the way")
    assert "cannot be written" in refusal(capsys, "pdb", "build", "caves.map", "-l", "1")


def slow() -> tuple[str, ...]:
    """A build that takes a while."""
    return ("pdb", "build", "outdoor-lakes-512", "-l", "3", "--kind", "depths", "--jobs", "1")


def parts(folder: Path) -> list[Path]:
    return list(folder.rglob("*.part"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("named", [False, True], ids=["kept", "named"])
def test_interrupted_build_leaves_no_file(number: signal.Signals, named: bool, data_home: Path) -> None:
    here, before = Path(), contents(Path())
    process = start(*slow(), *(("-o", "mine.pdb") if named else ()))
    wait_for(lambda: parts(here if named else data_home), process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors == (
        "permove: interrupted while building outdoor-lakes-512: depths of level 3; "
        "run the same command again to restart the build\n"
    )
    assert contents(here) == before
    assert [path for path in contents(data_home) if path.endswith(("pdb", "part"))] == []


def test_run_interrupted_while_it_builds_names_the_way_to_resume(data_home: Path) -> None:
    words = ("-a", "lrta(d=pdb, l=3)", "--map", "outdoor-lakes-512", "--limit", "2", "--jobs", "1", "--out", "run")
    process = start("run", *words)
    wait_for(lambda: parts(data_home), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "interrupted: 0 of 2 records are kept in run; run the same command again to resume" in errors
    assert parts(data_home) == []


@pytest.mark.parametrize("named", [False, True], ids=["kept", "named"])
def test_next_build_removes_the_rest_of_a_killed_one(
    named: bool, data_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path() if named else data_home
    output = ("-o", "mine.pdb") if named else ()
    process = start(*slow(), *output)
    wait_for(lambda: parts(folder), process)
    process.kill()
    process.communicate()
    (left,) = parts(folder)
    if not named:  # a quick database in the place of the slow one
        target = left.with_name(f"{built(1).name}{left.name[left.name.index('.pdb') + 4 :]}")
        built(1).parent.mkdir(parents=True)
        left.rename(built(1).parent / target.name)
    done(capsys, "pdb", "build", "caves.map", "-l", "1", *output)
    assert parts(folder) == []


def test_two_processes_can_build_the_same_database(data_home: Path) -> None:
    words = ("pdb", "build", "outdoor-lakes-512", "-l", "4", "--jobs", "1")
    processes = [start(*words), start(*words)]
    for process in processes:
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
    (path,) = files.kept()
    assert _core.Database.check(str(path)).level == 4
    assert parts(data_home) == []


def test_terminal_shows_the_current_build() -> None:
    shown = shown_on_terminal("pdb", "build", "caves.map", "-l", "1")
    assert "caves.map: subgoals of level 1" in shown


def test_clear_removes_databases_and_prints_their_number(capsys: pytest.CaptureFixture[str], data_home: Path) -> None:
    done(capsys, "pdb", "build", "caves.map", "-l", "1", "--kind", "both")
    done(capsys, "pdb", "build", "other.map", "-l", "1")
    assert main(["pdb", "clear"]) == 2
    assert "3 pattern databases of 2 maps" in capsys.readouterr().err
    assert len(files.kept()) == 3
    out, _ = done(capsys, "pdb", "clear", "other.map", "--yes")
    assert "Removed 1 pattern database of 1 map," in out
    assert len(files.kept()) == 2
    out, _ = done(capsys, "pdb", "clear", "--yes")
    assert "Removed 2 pattern databases of 1 map," in out
    assert list((data_home / "databases").iterdir()) == []
    out, _ = done(capsys, "pdb", "clear", "--yes")
    assert "no databases to remove" in out


def test_clear_removes_parts_of_killed_builds_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done(capsys, "pdb", "build", "caves.map", "-l", "1")
    ended = subprocess.Popen(["true"])
    ended.wait()
    dead, alive = (built().with_name(f"depths-0-2.pdb.{number}.part") for number in (ended.pid, os.getpid()))
    dead.write_bytes(b"half")
    alive.write_bytes(b"half")
    out, _ = done(capsys, "pdb", "clear", "--yes")
    assert "Removed 1 pattern database of 1 map and 1 unfinished" in out
    assert [path.name for path in built().parent.glob("*.part")] == [alive.name]


@pytest.mark.parametrize("command", ["build", "info", "show", "clear"])
def test_help_has_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = done(capsys, "pdb", command, "--help")
    assert f"permove pdb {command}" in out
    assert "Examples" in out
