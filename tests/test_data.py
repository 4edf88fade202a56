"""Suites and the import of MovingAI's collections, on small examples."""

import errno
import os
import zipfile
from pathlib import Path

import polars as pl
import pytest

from data_files import ROOM, ROOM_SCEN, demo_zips, map_text, scen_text, write_files, write_zip
from permove import _core, data
from permove.data import archive, catalogue, movingai, problems
from permove.data.problems import CELLS, SCHEMA
from permove.data.suite import DIAGONAL_RULES
from support import contents, invoke, json_of, rejects

# Import


def test_imported_set_is_a_suite_with_recomputed_optima(tmp_path: Path, data_home: Path) -> None:
    (index,) = data.import_sets([demo_zips(tmp_path / "zips")])
    assert (index.name, index.rules["strict"].problems, index.disagreements) == ("demo", 3, 1)
    suite = data.load("movingai/demo")
    assert suite.problems.schema == SCHEMA
    assert suite.problems["cardinal"].to_list() == [4, 5, 1]
    assert suite.problems["diagonal"].to_list() == [0, 1, 1]
    assert suite.problems["stored"].to_list() == [4, 7, 2.41421]
    assert suite.problems["optimal"].to_list() == pytest.approx([4, 5 + 2**0.5, 1 + 2**0.5])
    assert list(suite.maps) == ["demo/room"]
    assert suite.grid("demo/room").free_cells == sum(row.count(".") for row in ROOM)
    assert {"room.map", "room.map.scen", "index.json"} < set(contents(data_home / "movingai" / "demo"))


@pytest.mark.parametrize(
    "files",
    [
        {"demo/room.map": map_text(), "demo/room.map.scen": ROOM_SCEN},
        {"maps/demo/room.map": map_text(), "scenarios/demo/room.map.scen": ROOM_SCEN},
        {"demo/maps/room.map": map_text(), "demo/scen/room.map.scen": ROOM_SCEN},
        {"demo-map/room.map": map_text(), "demo-scen/deep/demo/room.map.scen": ROOM_SCEN},
    ],
    ids=["one folder", "separate folders", "nested folders", "unpacked zips"],
)
def test_folders_are_imported_flat_or_nested(tmp_path: Path, data_home: Path, files: dict[str, bytes]) -> None:
    (index,) = data.import_sets([write_files(tmp_path / "all", files)])
    assert (index.name, index.rules["strict"].problems) == ("demo", 3)
    assert (data_home / "movingai/demo/room.map").read_bytes() == map_text()


@pytest.mark.usefixtures("data_home")
def test_zips_are_imported_flat_or_nested(tmp_path: Path) -> None:
    maps = write_zip(tmp_path / "demo-map.zip", {"maps/other/room.map": map_text(), "__MACOSX/._room.map": b"junk"})
    scen = write_zip(tmp_path / "demo-scen.zip", {"room.map.scen": ROOM_SCEN, "readme.txt": b"hello"})
    (index,) = data.import_sets([maps, scen])
    assert (index.name, index.rules["strict"].problems) == ("demo", 3)
    both = write_zip(tmp_path / "benchmarks.zip", {"one/room.map": map_text(), "two/hall.map": map_text()})
    assert [index.name for index in data.import_sets([both])] == ["one", "two"]


@pytest.mark.usefixtures("data_home")
def test_scenarios_may_be_imported_after_their_maps(tmp_path: Path) -> None:
    zips = demo_zips(tmp_path / "zips")
    (maps_only,) = data.import_sets([zips / "demo-map.zip"])
    assert (len(maps_only.maps), maps_only.has_problems) == (1, False)
    with rejects("has only maps"):
        data.load("movingai/demo")
    (complete,) = data.import_sets([zips / "demo-scen.zip"])
    assert complete.rules["strict"].problems == 3


def test_second_import_changes_nothing(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zips = demo_zips(tmp_path / "zips")
    data.import_sets([zips])
    before = contents(data_home)
    monkeypatch.delattr(movingai, "solve")
    data.import_sets([zips])
    assert contents(data_home) == before


@pytest.mark.usefixtures("data_home")
def test_impossible_problems_are_skipped_and_counted(tmp_path: Path) -> None:
    rows = ["..@.", "@@@.", "...."]
    scen = scen_text(
        "0 room.map 4 3 2 0 3 0 1",  # start in a wall
        "0 room.map 4 3 0 0 0 1 1",  # goal in a wall
        "0 room.map 4 3 0 0 0 0 0",  # start is goal
        "0 room.map 4 3 0 0 3 0 9",  # no way
        "0 room.map 4 3 0 0 1 0 1",
    )
    folder = write_files(tmp_path / "odd", {"room.map": map_text(rows), "room.map.scen": scen})
    (index,) = data.import_sets([folder])
    reasons = ("start in a wall", "goal in a wall", "start is goal", "no way")
    assert index.rules["strict"].left_out == dict.fromkeys(reasons, 1)
    assert data.load("movingai/odd").problems["problem"].to_list() == [4]


@pytest.mark.usefixtures("data_home")
def test_map_is_scaled_to_the_size_in_its_scenarios(tmp_path: Path) -> None:
    scen = scen_text("0 room.map 10 8 0 0 9 0 9", "0 room.map 5 4 0 0 4 0 4")
    data.import_sets([write_files(tmp_path / "big", {"room.map": map_text(), "room.map.scen": scen})])
    suite = data.load("movingai/big")
    assert sorted(suite.maps) == ["big/room", "big/room@10x8"]
    assert (suite.grid("big/room@10x8").width, suite.grid("big/room").width) == (10, 5)
    assert suite.problems.sort("map")["cardinal"].to_list() == [4, 9]


def test_map_is_found_by_its_path_before_its_name(tmp_path: Path) -> None:
    wide, narrow = map_text(["..."]), map_text(["..@"])
    files = {"a/x.map": wide, "b/x.map": narrow, "x.scen": scen_text("0 maps/b/x.map 3 1 0 0 1 0 1")}
    suite = data.load(str(write_files(tmp_path / "own", files)))
    assert list(suite.maps) == ["own/b/x"]
    assert suite.grid("own/b/x").free_cells == 2


def test_other_diagonal_rules_are_counted_at_import_and_solved_on_first_use(tmp_path: Path, data_home: Path) -> None:
    squeeze = map_text([".@", "@."])
    files = {"s.map": squeeze, "s.map.scen": scen_text("0 s.map 2 2 0 0 1 1 1.41421")}
    data.import_sets([write_files(tmp_path / "tight", files)])
    counts = {info.name: info.problems for info in data.suites() if info.name.startswith("movingai/")}
    assert counts == {"movingai/tight@free": 1} | counts
    assert not (data_home / "movingai/tight/problems-free.parquet").exists()
    free = data.load("movingai/tight@free")
    assert free.problems.select("cardinal", "diagonal").rows() == [(0, 1)]
    assert (data_home / "movingai/tight/problems-free.parquet").exists()
    assert data.load("movingai/tight@free").fingerprint == free.fingerprint


def test_map_changed_after_its_import_is_rejected(tmp_path: Path, data_home: Path) -> None:
    data.import_sets([demo_zips(tmp_path / "zips")])
    (data_home / "movingai/demo/room.map").write_bytes(map_text(["....."] * 4))
    with rejects("room.map was changed after its import; import its collection again"):
        data.load("movingai/demo").select()


# Bad input


@pytest.fixture
def imported(tmp_path: Path, data_home: Path) -> Path:
    """A data folder with a set."""
    data.import_sets([demo_zips(tmp_path / "first")])
    return data_home


def rejects_import(path: Path, data_home: Path, *words: object) -> None:
    """Expect that an import fails with these words and leaves the data folder unchanged, except for kept optima."""
    before = contents(data_home)
    with rejects(*words):
        data.import_sets([path])
    assert {name: content for name, content in contents(data_home).items() if ".optima/" not in name} == before


def test_missing_or_empty_path_is_rejected(tmp_path: Path, imported: Path) -> None:
    (tmp_path / "bare").mkdir()
    write_files(tmp_path, {"a.txt": b""})
    rejects_import(tmp_path / "nowhere.zip", imported, "nowhere.zip does not exist")
    rejects_import(tmp_path / "a.txt", imported, "neither a zip file nor a folder")
    rejects_import(tmp_path / "bare", imported, "has no .map or .scen files")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("demo-map.zip/room.map", b"", ["demo-map.zip/room.map, line 1", "empty"]),
        ("demo-map.zip/room.map", b"type octile\nheight 9\nwidth 1\nmap\n.\n", ["room.map, line 5", "declares 9"]),
        ("demo-map.zip/room.map", map_text(["?"]), ["room.map, line 5", "`?` in column 1"]),
        ("demo-map.zip/room.map", b"type octile-corner\n", ["room.map, line 1", "`height` and `width`"]),
        ("demo-map.zip/room.map", b"voxel 1 1 1\n", ["room.map, line 1", "voxel"]),
        ("demo-scen.zip/room.map.scen", b"", ["room.map.scen, line 1", "empty"]),
        (
            "demo-scen.zip/room.map.scen",
            scen_text("0 hall.map 5 4 0 0 1 0 1"),
            ["room.map.scen, line 2", "hall.map is not in demo", "import its archive"],
        ),
        ("new-scen.zip/room.map.scen", ROOM_SCEN, ["room.map.scen", "the set new has no maps", "new-map.zip"]),
    ],
)
def test_bad_file_in_a_zip_leaves_the_set_unchanged(
    tmp_path: Path, imported: Path, name: str, content: bytes, words: list[str]
) -> None:
    zipped, _, inner = name.partition("/")
    rejects_import(write_zip(tmp_path / "bad" / zipped, {inner: content}), imported, *words)


def test_truncated_zip_is_rejected(tmp_path: Path, imported: Path) -> None:
    path = demo_zips(tmp_path / "zips") / "demo-map.zip"
    path.write_bytes(path.read_bytes()[:-30])
    rejects_import(path, imported, f"{path} is not a valid zip file", "download it again")
    path.write_bytes(b"")
    rejects_import(path, imported, "is not a valid zip file")


def test_damaged_zip_is_rejected(tmp_path: Path, imported: Path) -> None:
    path = tmp_path / "demo-map.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as stored:
        stored.writestr("room.map", map_text())
    path.write_bytes(path.read_bytes().replace(b".@@@.", b".@.@."))
    rejects_import(path, imported, "is not a valid zip file")


@pytest.mark.parametrize("name", ["../room.map", "a/../../room.map", "/etc/room.map", "C:\\room.map", "..\\room.map"])
def test_zip_with_unsafe_paths_is_rejected(tmp_path: Path, imported: Path, name: str) -> None:
    path = write_zip(tmp_path / "zips" / "demo-map.zip", {"fine.map": map_text(), name: map_text()})
    before = contents(tmp_path)
    rejects_import(path, imported.parent, "unsafe path", path)
    assert contents(tmp_path) == before


def test_zip_bomb_is_rejected(tmp_path: Path, imported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILE_BYTES", 1000)
    path = write_zip(tmp_path / "demo-map.zip", {"room.map": b"." * 1001})
    rejects_import(path, imported, "has 1,001 bytes, the maximum is 1,000 bytes")
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 1500)
    path = write_zip(tmp_path / "demo-map.zip", {"a.map": b"." * 1000, "b.map": b"." * 1000})
    rejects_import(path, imported, "have 2,000 bytes")


def test_two_files_of_one_name_are_rejected_unless_they_are_equal(tmp_path: Path, data_home: Path) -> None:
    other = map_text(["..."])
    path = write_zip(tmp_path / "demo-map.zip", {"a/room.map": map_text(), "b/room.map": other})
    rejects_import(path, data_home, "have the same name in the set demo")
    assert not data_home.exists()
    write_zip(path, {"a/room.map": other, "b/room.map": other})
    assert len(data.import_sets([path])) == 1


def test_unwritable_data_folder_is_named(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_home.write_text("a file instead of the folder")
    rejects_import(demo_zips(tmp_path / "zips"), data_home.parent, data_home, "PERMOVE_DATA")
    if os.geteuid() != 0:  # root may write everywhere
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o555)
        monkeypatch.setenv("PERMOVE_DATA", str(locked))
        rejects_import(tmp_path / "zips", locked, "Permission denied")


@pytest.mark.parametrize("step", ["write_bytes", "write_text", "rename"])
def test_full_disk_leaves_the_imported_set_unchanged(
    tmp_path: Path, imported: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    newer = {"room.map": map_text(["....."] * 4), "room.map.scen": ROOM_SCEN}
    folder = write_files(tmp_path / "demo", newer)
    real, calls = getattr(Path, step), []

    def full(self: Path, *arguments: object) -> object:
        if imported in self.parents:
            calls.append(self)
            # The old folder is moved away first, and has to come back if the new one cannot be moved.
            if step != "rename" or len(calls) == 2:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return real(self, *arguments)

    monkeypatch.setattr(Path, step, full)
    rejects_import(folder, imported, "No space left on device", "free disk space")
    assert calls


def test_interrupted_import_keeps_the_optima_of_finished_maps(
    tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_files(tmp_path / "many", {f"{n}.map": map_text() for n in range(9)})
    write_files(folder, {f"{n}.map.scen": scen_text(f"0 {n}.map 5 4 0 0 4 {n % 4} 4") for n in range(9)})
    real, solved = problems._with_moves, []

    def counted(part: pl.DataFrame, *rest: object) -> pl.DataFrame:
        if stops and len(solved) >= stops[0]:
            raise KeyboardInterrupt
        solved.append(part["map"][0])
        return real(part, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(problems, "_with_moves", counted)
    stops = [3, 6]
    while stops:
        result = invoke("data import", folder, code=130)
        assert "interrupted: finished maps are kept; run the same command again to resume" in result.stderr
        assert not (data_home / "movingai/many").exists()
        del stops[0]
    invoke("data import", folder)
    assert sorted(solved) == [str(n) for n in range(9)]
    assert data.load("movingai/many").problems.height == 9
    assert [path.name for path in (data_home / "movingai").iterdir()] == ["many"]


def test_import_killed_between_two_renames_is_repaired(tmp_path: Path, imported: Path) -> None:
    before = contents(imported)
    demo = imported / "movingai" / "demo"
    demo.rename(demo.with_name(".demo.before"))
    data.import_sets([tmp_path / "first"])
    assert contents(imported) == before


# Suites


FILES = {"maps/room.map": map_text(), "scenarios/room.map.scen": ROOM_SCEN}


def test_folder_or_scenario_file_of_a_user_is_a_suite(tmp_path: Path, data_home: Path) -> None:
    folder = write_files(tmp_path / "own", FILES)
    suite, part = data.load(str(folder)), data.load(str(folder / "scenarios/room.map.scen"))
    assert suite.problems.drop("set", "map").equals(part.problems.drop("set", "map"))
    assert (suite.problems["set"][0], part.problems["set"][0]) == ("own", "room")
    assert data.load(f"{folder}@none").problems["cardinal"].to_list() == [4, 7, 3]
    assert not data_home.exists()


def test_embedded_suite_is_found_in_the_package_and_in_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, repository = tmp_path / "site" / "permove", tmp_path / "repository"
    for place in (installed / "embedded", repository):
        write_files(place, FILES)
    write_files(repository, {"other/other.map": b"invalid", "other/other.scen": b"invalid"})
    for package in (installed, repository / "python" / "permove"):
        monkeypatch.setattr(catalogue, "PACKAGE", package)
        suite = data.load("embedded")
        assert (suite.name, suite.problems.height, list(suite.maps)) == ("embedded", 3, ["embedded/room"])
    monkeypatch.setattr(catalogue, "PACKAGE", tmp_path / "broken" / "python" / "permove")
    with rejects("embedded suite is missing"):
        data.load("embedded")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0 room.map 5 4 1 1 0 0 1", ["line 2", "the start (1, 1) is inside a wall of", "correct the line"]),
        ("0 room.map 5 4 0 0 3 2 1", ["line 2", "the goal (3, 2) is inside a wall of"]),
        ("0 hall.map 5 4 0 0 3 3 1", ["line 2", "the map hall.map is not in"]),
        ("0 room.map 5 4 0 0 3 9 1", ["line 2", "the goal (3, 9) is outside"]),
    ],
)
def test_error_in_scenarios_of_a_user_names_the_line(tmp_path: Path, line: str, words: list[str]) -> None:
    folder = write_files(tmp_path, {"room.map": map_text(), "mine.scen": scen_text(line)})
    with rejects(folder / "mine.scen", *words):
        _ = data.load(str(folder / "mine.scen")).problems


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("embeded", ["embeded", "did you mean embedded?", "permove suites"]),
        ("movingai/doa", ["doa", "did you mean dao?", "permove data import"]),
        ("movingai/dao", ["dao is not imported", "permove data import", "permove data fetch dao"]),
        ("movingai/all", ["sc1 is not imported", "permove data fetch sc1"]),
        ("embedded@fre", ["unknown diagonal rule fre", "did you mean free?"]),
        ("no/such/file.scen", ["no/such/file.scen", "does not exist"]),
    ],
)
def test_unknown_suite_is_rejected_with_the_nearest_name_and_a_remedy(
    data_home: Path, name: str, words: list[str]
) -> None:
    with rejects(*words):
        data.load(name)
    assert not data_home.exists()


def test_diagonal_rules_are_those_of_the_core() -> None:
    room = _core.Map.parse(map_text(), "room.map")
    assert [room.grid("land", rule).diagonal for rule in DIAGONAL_RULES] == list(DIAGONAL_RULES)


def test_fingerprint_depends_on_cells_problems_and_rule_but_not_on_the_path(tmp_path: Path) -> None:
    def fingerprint(name: str, scen: bytes = ROOM_SCEN, rows: tuple[str, ...] = ROOM, rule: str = "") -> str:
        files = {"own/room.map": map_text(rows), "own/room.map.scen": scen}
        return data.load(str(write_files(tmp_path / name, files) / "own") + rule).fingerprint

    first = fingerprint("a")
    assert fingerprint("b") == first
    others = [
        fingerprint("c", rule="@free"),
        fingerprint("d", rows=(*ROOM[:3], "..@..")),
        fingerprint("e", scen=ROOM_SCEN + b"0\troom.map\t5\t4\t0\t0\t1\t0\t1\n"),
    ]
    assert len({first, *others}) == 4


@pytest.fixture
def many(tmp_path: Path) -> data.Suite:
    """Five maps with 40 problems each in four buckets of 25, 10, 4 and 1."""
    buckets = [0] * 25 + [1] * 10 + [2] * 4 + [3]
    files = {}
    for i in range(5):
        lines = [f"{bucket} m{i}.map 50 1 0 0 {x + 1} 0 {x + 1}" for x, bucket in enumerate(buckets)]
        files |= {f"m{i}.map": map_text(["." * 50]), f"m{i}.map.scen": scen_text(*lines)}
    return data.load(str(write_files(tmp_path / "many", files)))


def test_sample_is_spread_over_maps_and_buckets(many: data.Suite) -> None:
    for count in (5, 20, 40, 57):
        sample = many.limit(count, seed=1).problems
        assert sample.height == count
        by_map = sample.group_by("map").len()["len"]
        assert by_map.max() - by_map.min() <= (0 if count % 5 == 0 else 1)
    assert many.limit(20, seed=1).problems.group_by("map", "bucket").len()["len"].to_list() == [1] * 20


def test_sample_depends_on_the_seed_and_grows_with_its_size(many: data.Suite) -> None:
    rows = {count: set(many.limit(count, seed=7).problems.rows()) for count in (10, 30, 150)}
    assert rows[10] < rows[30] < rows[150]
    assert set(many.limit(30, seed=8).problems.rows()) != rows[30]
    assert many.limit(30, seed=7).fingerprint == many.limit(30, seed=7).fingerprint
    assert many.limit(1000, seed=7) is many
    # Samples must not change with the version of a library.
    assert many.limit(5, seed=7).problems["problem"].to_list() == [35, 6, 35, 28, 16]
    with rejects("at least 1"):
        many.limit(0, seed=1)


def test_maps_are_chosen_by_name(many: data.Suite) -> None:
    chosen = many.only_maps(["m3", "many/m1.map"])
    assert list(chosen.maps) == ["many/m1", "many/m3"]
    assert chosen.problems["map"].unique(maintain_order=True).to_list() == ["m1", "m3"]
    with rejects("has no map m9 ", "did you mean m"):
        many.only_maps(["m9"])


def test_selection_has_rows_for_the_batch(many: data.Suite) -> None:
    selection = many.select(data.Choice(["m0", "m4"], 12), seed=1)
    assert [grid.width for grid in selection.grids] == [50, 50]
    columns = ("grid", *CELLS, "cardinal", "diagonal", "problem")
    assert [tuple(row) for row in selection.rows.tolist()] == selection.problems.select(columns).rows()
    assert set(selection.problems["grid"]) == {0, 1}


# The command line


@pytest.mark.usefixtures("data_home")
def test_data_commands_show_imported_sets(tmp_path: Path) -> None:
    first = json_of("data import", demo_zips(tmp_path / "zips"))
    assert json_of("data list") == first
    assert [first[0][key] for key in ("set", "maps", "problems", "left_out", "disagreements")] == ["demo", 1, 3, 0, 1]
    assert "demo" in invoke("data list").stdout
    wrong = json_of("data list --disagreements")
    assert [(row["set"], row["map"], row["problem"], row["stored"]) for row in wrong] == [("demo", "room", 1, 7)]
    assert wrong[0]["recomputed"] == pytest.approx(5 + 2**0.5)


@pytest.mark.usefixtures("data_home")
def test_suites_are_listed_in_every_format_and_into_a_file(tmp_path: Path) -> None:
    invoke("data import", demo_zips(tmp_path / "zips"))
    invoke("data import", write_files(tmp_path / "bare", {"hall.map": map_text()}))
    listed = {row["name"]: row for row in json_of("suites")}
    assert (listed["movingai/demo"]["maps"], listed["movingai/demo"]["problems"]) == (1, 3)
    assert (listed["movingai/bare"]["maps"], listed["movingai/bare"]["problems"]) == (1, None)
    assert listed["movingai/demo@none"]["diagonal"] == "none"
    assert "movingai/demo@free" in invoke("suites --format md").stdout
    assert invoke("suites --format csv -o suites.csv").stdout == ""
    assert pl.read_csv("suites.csv")["name"].to_list() == list(listed)


def test_list_without_imports_is_empty(data_home: Path) -> None:
    assert json_of("data list") == []
    assert json_of("data list --disagreements") == []
    assert not data_home.exists()
