"""Pattern databases: `permove pdb`, and runs that build the databases of their agents."""

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

import permove as pm
from permove import _core
from permove.pdb import files
from permove.pdb.files import Key
from permove.records.columns import CLOCK
from permove.report import depths as shades
from permove.report import picture
from support import (
    TIMEOUT,
    assert_same_records,
    contents,
    error_of,
    interrupt,
    invoke,
    json_of,
    rejects,
    shown_on_terminal,
    start,
    wait_for,
)

CAVES = _core.generate_map("caves", 48, 40, 3, {})
OTHER = _core.generate_map("caves", 48, 40, 4, {})
GRID = CAVES.grid("land", "strict")
GOAL = tuple(int(place[0]) for place in np.nonzero(GRID.free().T))

HEADER = 88
"""Bytes of the header, which contains the time of the build and its number of threads."""

PDB = "lrta(d=pdb, goal=pdb, l=1)"
MAP = "rooms-128"
BUILD = "pdb build caves.map -l 1"


@pytest.fixture(autouse=True)
def two_maps(data_home: Path) -> None:
    """Two maps in the working folder, and no data folder."""
    Path("caves.map").write_bytes(CAVES.text())
    Path("other.map").write_bytes(OTHER.text())
    assert not data_home.exists()


def built(level: int = 1, kind: str = "subgoals", base: int = 0) -> Path:
    """Path of a database of the caves in the cache."""
    return files.path_of(GRID.fingerprint, Key(kind, base, level))


def run(out: str, **further: object) -> pm.Run:
    return pm.run("embedded", PDB, limit=6, maps=[MAP], out=out, **further)  # type: ignore[arg-type]


def damage(path: Path, change: Callable[[bytearray], None]) -> None:
    content = bytearray(path.read_bytes())
    change(content)
    path.unlink()
    path.write_bytes(content)


def flip(place: float) -> Callable[[bytearray], None]:
    """Flip a bit of a byte, whose place is an index or a share of the length."""

    def change(content: bytearray) -> None:
        content[int(place * len(content)) if isinstance(place, float) else place] ^= 0x10

    return change


def shorten(to: int) -> Callable[[bytearray], None]:
    return lambda content: content.__delitem__(slice(to, None))


DAMAGE = {
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


def test_each_abstraction_and_path_has_its_own_database() -> None:
    invoke(f"{BUILD} --abstraction free")
    invoke(BUILD)
    invoke(f"{BUILD} --path cardinal")
    names = [f"subgoals-0-1{suffix}.pdb" for suffix in ("", "-aligned", "-aligned-cardinal")]
    assert sorted(path.name for path in built().parent.glob("*.pdb")) == sorted(names)
    rows = json_of("pdb info caves.map")
    stated = {(row["abstraction"], row["path"]) for row in rows}
    assert stated == {("free", "diagonal"), ("aligned", "diagonal"), ("aligned", "cardinal")}
    assert "aligned" in invoke("pdb info").stdout
    invoke(BUILD, "-o", "mine.pdb")
    words = "mine.pdb contains subgoals of level 1, not subgoals of level 1 (free)"
    assert words in error_of(f"{BUILD} --abstraction free", "-o", "mine.pdb")
    assert "there is no abstraction 'square'; use free or aligned" in error_of(f"{BUILD} --abstraction square")
    assert "there is no path rule 'round'; use diagonal or cardinal" in error_of(f"{BUILD} --path round")


def test_databases_of_depths_have_no_paths() -> None:
    assert Key("depths", 0, 1, "aligned", "cardinal") == Key("depths", 0, 1, "aligned")


def test_build_stores_a_database_by_the_cells_of_its_map_and_reports_its_size() -> None:
    out = invoke(BUILD).stdout
    regions = _core.Hierarchy(GRID).states(1)
    for words in ("caves.map", "subgoals", f"{regions:,}", f"{regions**2:,}", "depths", "thread"):
        assert words in out
    assert invoke("pdb info caves.map").stderr == ""
    (row,) = json_of("pdb info caves.map")
    assert row["map"] == "caves.map"
    assert (row["kind"], row["base"], row["level"]) == ("subgoals", 0, 1)
    assert (row["regions"], row["pairs"]) == (regions, regions**2)
    assert 0 < row["searched"] < row["pairs"]
    assert row["bytes"] == built().stat().st_size > row["pairs"]
    assert row["build_ns"] > 0
    assert row["threads"] >= 1
    assert row["published"] is None
    assert row["file"] == str(built())


def test_existing_database_is_rebuilt_only_on_request() -> None:
    invoke(BUILD)
    before = built().stat()
    shutil.copy("caves.map", "copy.map")
    errors = invoke("pdb build copy.map -l 1").stderr
    assert "copy.map: subgoals of level 1 already exists; --again rebuilds it." in errors
    assert built().stat().st_ino == before.st_ino
    invoke(BUILD, "--again")
    assert built().stat().st_ino != before.st_ino


def test_rules_levels_kinds_and_bases_have_separate_databases() -> None:
    rows = json_of("pdb build caves.map -l 2 --kind both")
    assert [row["kind"] for row in rows] == ["subgoals", "depths"]
    invoke("pdb build caves.map -l 2 --base 1")
    invoke("pdb build caves.map -l 2 --diagonal none")
    paths = [built(2), built(2, "depths"), built(2, base=1)]
    assert sorted(paths) == sorted(files.kept(GRID.fingerprint))
    assert len(files.kept()) == 4
    rows = json_of("pdb info")
    assert {(row["kind"], row["base"]) for row in rows} == {("subgoals", 0), ("depths", 0), ("subgoals", 1)}
    assert len(rows) == 4
    assert "4 databases" in invoke("pdb info").stdout


def test_tables_do_not_depend_on_the_number_of_threads() -> None:
    for jobs in (1, 3):
        invoke(BUILD, "--jobs", jobs, "-o", f"{jobs}.pdb")
        assert _core.Database.look(f"{jobs}.pdb").jobs == jobs
    assert Path("1.pdb").read_bytes()[HEADER:] == Path("3.pdb").read_bytes()[HEADER:]


def test_map_of_the_size_in_the_paper_shows_the_published_time() -> None:
    rows = json_of("pdb build outdoor-lakes-512 -l 7 --kind both")
    assert [row["published"] for row in rows] == ["10 minutes", "2.5 hours"]
    assert {row["published"] for row in json_of("pdb info")} == {"10 minutes", "2.5 hours"}


def test_empty_list_names_the_build_command(data_home: Path) -> None:
    assert "permove pdb build" in invoke("pdb info").stdout
    assert "caves.map has no pattern database" in error_of("pdb info caves.map")
    assert not data_home.exists()


@pytest.mark.parametrize("kind", ["depths", "subgoals"])
def test_show_shades_every_cell_by_its_depth(kind: str) -> None:
    x, y = GOAL
    show = f"pdb show caves.map {x},{y} -l 1 --kind {kind}"
    invoke(BUILD, "--kind", kind)
    lines = invoke(show, "-o", "depths.png").stdout.splitlines()
    depths = _core.Database.open(str(built(1, kind)), GRID).depths(x, y)
    components = GRID.components()
    depths[components != components[y, x]] = -1
    letters = shades.shaded(depths, GRID.free())
    drawn = np.array([list(line.encode()) for line in lines[: GRID.height]], np.uint8)
    assert drawn[y, x] == ord("B")
    drawn[y, x] = letters[y, x]
    assert np.array_equal(drawn, letters)
    assert Path("depths.png").read_bytes() == picture.png(picture.image(letters, scale=21, goal=(x, y)))
    legend = json_of(show)
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


@pytest.mark.parametrize("deepest", [1, 2, 8, 9, 10, 11, 12, 15, 20, 33, 100, 3000, 65534])
def test_shades_cover_every_depth_from_white_to_dark(deepest: int) -> None:
    depths = np.arange(1, deepest + 1, dtype=np.int32)[None, :]
    free = np.ones_like(depths, np.bool_)
    letters = shades.shaded(depths, free)[0]
    assert letters[0] == ord("1")
    assert np.all(np.diff(letters.astype(int)) >= 0)
    legend = shades.legend(depths, free)
    assert legend.height == len(np.unique(letters)) == min(deepest, 9)
    assert legend["max_depth"].to_list()[-1] == deepest
    spans = legend["max_depth"] - legend["min_depth"] + 1
    assert spans.to_list() == legend["cells"].to_list()


def test_run_builds_its_databases_once(data_home: Path) -> None:
    first = run("first")
    assert (first.records["status"] == "solved").all()
    (path,) = files.kept()
    before = contents(data_home)
    assert_same_records(run("second"), first)
    assert contents(data_home) == before
    path.unlink()
    assert_same_records(run("rebuilt", jobs=1), first)
    assert_same_records(run("parallel", jobs=4), first)


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("lrta(d=2, goal=pdb, l=2)", ["subgoals-0-2-aligned.pdb"]),
        ("lrta(d=pdb, l=4)", ["depths-0-4-aligned.pdb"]),
        ("lrta(d=pdb, goal=mixed, l=4)", ["depths-0-4-aligned.pdb", "subgoals-0-4-aligned.pdb"]),
        ("lrta(d=pdb, goal=pdb, l=4, reentry=pdb)", ["depths-0-4-aligned.pdb", "subgoals-0-4-aligned.pdb"]),
        ("pr-lrta(l=1, goal=pdb, l2=3)", ["subgoals-1-3-aligned.pdb"]),
        ("pr-lrta(l=2, d=pdb, l2=3)", ["depths-2-3-aligned.pdb"]),
    ],
)
def test_each_control_builds_only_its_databases(spec: str, names: list[str]) -> None:
    run = pm.run("embedded", spec, limit=2, maps=[MAP], out="run")
    assert (run.records["status"] == "solved").all()
    assert [path.name for path in files.kept()] == names


def test_finished_run_needs_no_databases(data_home: Path) -> None:
    finished = run("run")
    assert finished.records.height == 6
    shutil.rmtree(data_home)
    assert_same_records(run("run"), finished)
    assert not data_home.exists()


def test_agents_without_databases_build_none(data_home: Path) -> None:
    pm.run("embedded", "lrta(d=2)", limit=2, maps=[MAP], out="plain")
    assert not data_home.exists()


def test_solve_builds_the_database_of_its_agent() -> None:
    components = GRID.components()
    ys, xs = np.nonzero(components == np.bincount(components[components >= 0]).argmax())
    solve = ("solve caves.map", f"{xs[0]},{ys[0]}", f"{xs[-1]},{ys[-1]}", "-a", PDB)
    (first,) = json_of(*solve)
    assert built(1).is_file()
    (second,) = json_of(*solve)
    assert {name for name in first if first[name] != second[name]} <= set(CLOCK)
    assert first["status"] == "solved"


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_damaged_database_is_rebuilt_in_the_cache_and_rejected_in_a_file_of_the_user(
    change: Callable[[bytearray], None],
) -> None:
    invoke(BUILD)
    content = built().read_bytes()
    Path("mine.pdb").write_bytes(content)
    damage(built(), change)
    errors = invoke(BUILD).stderr
    assert errors.startswith(f"permove: {built()}")
    assert errors.endswith("; rebuilding it\n")
    assert len(errors.splitlines()) == 1
    assert built().read_bytes()[HEADER:] == content[HEADER:]
    damage(Path("mine.pdb"), change)
    assert "mine.pdb" in error_of("pdb info mine.pdb")
    assert "mine.pdb" in error_of(BUILD, "-o", "mine.pdb")


def test_run_with_a_damaged_database_has_the_same_records(capsys: pytest.CaptureFixture[str]) -> None:
    first = run("first")
    (path,) = files.kept()
    damage(path, flip(0.5))
    capsys.readouterr()
    assert_same_records(run("second"), first)
    assert "level and version of permove; rebuilding it" in capsys.readouterr().err


def test_database_of_another_map_or_level_is_not_used() -> None:
    invoke("pdb build other.map -l 1 -o other.pdb")
    invoke("pdb build caves.map -l 2 -o two.pdb")
    assert "belongs to another map" in error_of(BUILD, "-o", "other.pdb")
    assert "two.pdb contains subgoals of level 2, not subgoals of level 1" in error_of(BUILD, "-o", "two.pdb")
    for wrong, words in (("other.pdb", "not the database of this map"), ("two.pdb", "not the database of this map")):
        built().parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(wrong, built())
        assert words in invoke(BUILD).stderr
        _core.Database.open(str(built()), GRID)


def test_list_skips_an_unreadable_database_with_a_message() -> None:
    invoke(BUILD, "--kind", "both")
    damage(built(1, "depths"), shorten(10))
    assert [row["kind"] for row in json_of("pdb info")] == ["subgoals"]
    assert str(built(1, "depths")) in invoke("pdb info").stderr


@pytest.mark.parametrize(
    ("line", "words"),
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
        ("pdb build caves.map -l 1 -o caves.map --again", "caves.map is not a pattern database; specify"),
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
def test_bad_input_prints_one_line_and_writes_no_file(line: str, words: str, data_home: Path) -> None:
    assert words in error_of("", *line.split())
    assert not data_home.exists()


def test_missing_level_is_reported_before_anything_is_built(data_home: Path) -> None:
    with rejects("lrta(", " needs level 15", "use a lower level, or choose other maps"):
        pm.run("embedded", ["lrta(goal=pdb, l={1,15})"], limit=8, out="run")
    assert not Path("run").exists()
    assert not data_home.exists()


def limited() -> None:
    """Limit the size of files, as a disk that fills up does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))


def databases(folder: Path) -> list[str]:
    """Return the databases in a folder, complete or not."""
    return [path for path in contents(folder) if path.endswith(("pdb", "part"))]


@pytest.mark.parametrize(
    "line",
    [BUILD, f"{BUILD} -o mine.pdb", f"run -a '{PDB}' --limit 2 --map {MAP} --out run"],
    ids=["cache", "file", "run"],
)
def test_disk_that_fills_up_prints_one_line_and_leaves_no_partial_file(line: str, data_home: Path) -> None:
    before = contents(Path())
    process = start(line, preexec_fn=limited)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 2
    assert "cannot be written (File too large)" in errors
    assert len(errors.splitlines()) == 1
    assert contents(Path()) == before
    assert databases(data_home) == []


def test_build_without_enough_disk_space_does_not_start(monkeypatch: pytest.MonkeyPatch, data_home: Path) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6 - 999, 999))  # type: ignore[attr-defined]
    assert "pairs need at least" in error_of(BUILD)
    assert "or free disk space" in error_of(BUILD, "-o", "x.pdb")
    assert databases(data_home) == []


def test_unwritable_folder_prints_one_line(data_home: Path) -> None:
    data_home.write_text("a file instead of the folder")
    assert "cannot be written" in error_of(BUILD)


SLOW = "pdb build outdoor-lakes-512 -l 3 --kind depths --jobs 1"
"""A build that takes longer than its interruption."""


def parts(folder: Path) -> list[Path]:
    return list(folder.rglob("*.part"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("output", ["", " -o mine.pdb"], ids=["cache", "file"])
def test_interrupted_build_leaves_no_file(number: signal.Signals, output: str, data_home: Path) -> None:
    before = contents(Path())
    process = start(SLOW + output)
    wait_for(lambda: parts(Path() if output else data_home), process)
    assert interrupt(process, number) == (
        "permove: interrupted while building outdoor-lakes-512: depths of level 3; "
        "run the same command again to restart the build\n"
    )
    assert contents(Path()) == before
    assert databases(data_home) == []


def test_run_interrupted_while_it_builds_can_be_resumed(data_home: Path) -> None:
    process = start("run -a 'lrta(d=pdb, l=3)' --map outdoor-lakes-512 --limit 2 --jobs 1 --out run")
    wait_for(lambda: parts(data_home), process)
    errors = interrupt(process)
    assert "interrupted: 0 of 2 records are kept in run; run the same command again to resume" in errors
    assert parts(data_home) == []


@pytest.mark.parametrize("output", ["", " -o mine.pdb"], ids=["cache", "file"])
def test_next_build_removes_the_rest_of_a_killed_one(output: str, data_home: Path) -> None:
    folder = Path() if output else data_home
    process = start(SLOW + output)
    wait_for(lambda: parts(folder), process)
    process.kill()
    process.communicate()
    (left,) = parts(folder)
    if not output:  # as if a quick build had been killed
        built(1).parent.mkdir(parents=True)
        left.rename(built(1).parent / f"{built(1).name}{left.name[left.name.index('.pdb') + 4 :]}")
    invoke(BUILD + output)
    assert parts(folder) == []


def test_two_processes_can_build_the_same_database(data_home: Path) -> None:
    processes = [start("pdb build outdoor-lakes-512 -l 4 --jobs 1") for _ in range(2)]
    for process in processes:
        _, errors = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, errors
    (path,) = files.kept()
    assert _core.Database.check(str(path)).level == 4
    assert parts(data_home) == []


def test_terminal_shows_the_current_build() -> None:
    assert "caves.map: subgoals of level 1" in shown_on_terminal(BUILD)


def test_clear_removes_databases_and_prints_their_number(data_home: Path) -> None:
    invoke(BUILD, "--kind", "both")
    invoke("pdb build other.map -l 1")
    assert "3 pattern databases of 2 maps" in invoke("pdb clear", code=2).stderr
    assert len(files.kept()) == 3
    assert "Removed 1 pattern database of 1 map," in invoke("pdb clear other.map --yes").stdout
    assert len(files.kept()) == 2
    assert "Removed 2 pattern databases of 1 map," in invoke("pdb clear --yes").stdout
    assert list((data_home / "databases").iterdir()) == []
    assert "no databases to remove" in invoke("pdb clear --yes").stdout


def test_clear_removes_parts_of_killed_builds_only() -> None:
    invoke(BUILD)
    ended = subprocess.Popen(["true"])
    ended.wait()
    dead, alive = (built().with_name(f"depths-0-2.pdb.{number}.part") for number in (ended.pid, os.getpid()))
    dead.write_bytes(b"partial")
    alive.write_bytes(b"partial")
    assert "Removed 1 pattern database of 1 map and 1 unfinished" in invoke("pdb clear --yes").stdout
    assert [path.name for path in built().parent.glob("*.part")] == [alive.name]
