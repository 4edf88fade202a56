"""Untrusted text and files: no control characters on terminals, no formulas in CSV, one sentence for each bad file."""

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import permove as pm
from data_files import map_text
from permove import _core
from permove.common.text import printable, without_formula
from permove.data import import_sets
from permove.report.formats import Format, show
from permove.runs import store
from support import TIMEOUT, edit_manifest, error_of, invoke, permove, rejects, replace_chunk, small_maps

EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202ered"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose suite has a name with control characters."""
    run = pm.run("embedded", ["astar", "lrta(d=1)"], maps=small_maps()[:1], limit=2, out=tmp_path / "run")
    edit_manifest(run.folder / "manifest.json", lambda it: it | {"suite": it["suite"] | {"name": EVIL}})
    return run.folder


@pytest.mark.parametrize("command", ["report", "guide", "report --view tradeoff", "compare", "select"])
@pytest.mark.parametrize("format", ["table", "md", "csv", "json"])
def test_no_command_prints_control_characters(run: Path, command: str, format: str) -> None:
    if command == "select":
        shown = error_of("report", f"nowhere{EVIL}")
    else:
        agents = ["astar", "--against", "all"] if command == "compare" else []
        shown = invoke(command, run, *agents, "--format", format).stdout
    assert shown
    assert [line for line in shown.splitlines() if line != printable(line)] == []


def test_controls_are_removed_and_other_text_is_unchanged() -> None:
    assert printable("A* (γ=½) – “été” 日本") == "A* (γ=½) – “été” 日本"
    assert printable(EVIL).isprintable()
    assert printable("a\nb\tc\x7f\x85\u2028\u2066d\udc80") == "a b c    d "


def test_csv_has_no_formulas() -> None:
    frame = pl.DataFrame({"agent": ["=1+1", "+1", "-x", "@x", "a=1"], "value": [-1.0, 2, 3, 4, 5]})
    show(frame, "title", Format.CSV, Path("out.csv"))
    rows = pl.read_csv("out.csv")
    assert rows["agent"].to_list() == ["'=1+1", "'+1", "'-x", "'@x", "a=1"]
    assert rows["value"].to_list() == [-1.0, 2, 3, 4, 5]
    assert without_formula("") == ""


POLICY = """http-equiv="Content-Security-Policy" content="default-src 'none'"""


@pytest.mark.parametrize("command", ["report", "guide", "compare", "report --view tradeoff"])
def test_every_page_has_a_content_security_policy(run: Path, command: str) -> None:
    agents = ["astar", "--against", "all"] if command == "compare" else []
    invoke(command, run, *agents, "--format", "html", "-o", "page.html")
    assert POLICY in Path("page.html").read_text()


def test_replay_has_a_content_security_policy() -> None:
    Path("room.map").write_bytes(map_text())
    pm.solve("room.map", (0, 0), (4, 3), "astar").save_trace("trace.npz")
    invoke("replay trace.npz -o page.html")
    assert POLICY in Path("page.html").read_text()


@pytest.mark.parametrize("command", ["report", "guide", "compare"])
def test_no_command_writes_formulas_to_csv(run: Path, command: str) -> None:
    frame = store.read_records(run).with_columns(label=pl.lit("=HYPERLINK(1)"))
    (chunk,) = (run / "records").glob("*.parquet")
    replace_chunk(chunk, frame)
    agents = ["astar", "--against", "all"] if command == "compare" else []
    shown = invoke(command, run, *agents, "--format", "csv").stdout
    assert "=HYPERLINK(1)" in shown
    assert [line for line in shown.splitlines() if line.startswith("=") or ",=" in line or '"=' in line] == []


DATABASE = """
import os, sys
from permove import _core
grid = _core.generate_map("caves", 64, 64, 1, {}).grid("land", "strict")
path = sys.argv[1]
build = _core.DatabaseBuild(grid, path, ("subgoals", 0, 1, "free", "diagonal"), 1)
while not build.wait(1.0):
    pass
database = _core.Database.open(path, grid)
assert database.facts.bytes > 65536
os.truncate(path, 4096)
y, x = grid.free().nonzero()
database.depths(int(x[0]), int(y[0]))
print("read")
"""


def test_database_that_shrinks_while_it_is_used_is_one_error() -> None:
    command = [sys.executable, "-c", DATABASE, "shrunk.pdb"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("permove: shrunk.pdb was changed while it was in use; build it again")
    assert result.stderr.count("\n") == 1


def test_sigbus_outside_of_databases_still_ends_the_process() -> None:
    program = DATABASE.replace("os.truncate(path, 4096)", "import signal; os.kill(os.getpid(), signal.SIGBUS)")
    result = subprocess.run([sys.executable, "-c", program, "x.pdb"], capture_output=True, timeout=TIMEOUT, check=False)
    assert result.returncode in (-signal.SIGBUS, 0)


@pytest.mark.parametrize("loaded", ["permove.cli.multi_value_options", "typer", "polars", "permove.runs.run"])
def test_interrupt_while_modules_are_loaded_is_one_line(loaded: str) -> None:
    """The report of loaded modules shows the moment."""
    command = [sys.executable, "-X", "importtime", "-m", "permove", "run", "--suite", "embedded", "-a", "astar"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        while not process.stderr.readline().rstrip().endswith(f" {loaded}"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        # The interrupt may end the line of a module early.
        errors = process.stderr.read()
    assert (process.returncode, errors.count("permove: interrupted")) == (130, 1)
    assert "Traceback" not in errors


@pytest.mark.usefixtures("data_home")
def test_file_with_a_name_that_is_not_utf8_is_one_error() -> None:
    folder = Path("maps")
    folder.mkdir()
    Path(os.fsdecode(b"maps/bad\xff.map")).write_bytes(map_text())
    for command in ("data import maps", "run maps -a astar"):
        assert "the name of maps/bad .map is not valid UTF-8; rename the file" in error_of(command)


@pytest.mark.parametrize("format", ["table", "md"])
def test_output_without_unicode_has_question_marks(format: str) -> None:
    result = permove("agents --format", format, PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert result.stdout.isascii()
    assert "?" in result.stdout


def archive(name: str, method: int = zipfile.ZIP_DEFLATED, files: dict[str, str] | None = None) -> Path:
    path = Path(name)
    with zipfile.ZipFile(path, "w", method) as written:
        for file, text in (files or {"a.map": map_text()}).items():
            written.writestr(file, text)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_archive_is_one_error_with_every_method(method: int, data_home: Path) -> None:
    path = archive("bad-map.zip", method)
    intact = path.read_bytes()
    data = intact.index(b"a.map") + 5
    for place in range(data + 10, data + 20):
        path.write_bytes(intact[:place] + bytes([intact[place] ^ 0xFF]) + intact[place + 1 :])
        with rejects("bad-map.zip"):
            import_sets([path])
    assert not data_home.exists() or not list(data_home.rglob("index.json"))


@pytest.mark.usefixtures("data_home")
def test_archive_of_an_unknown_version_is_one_error() -> None:
    path = archive("new-map.zip")
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    content[directory + 6] = 99
    path.write_bytes(content)
    with rejects("new-map.zip is not a valid zip file"):
        import_sets([path])


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.usefixtures("data_home")
def test_archive_with_two_entries_of_one_name_is_rejected() -> None:
    path = archive("twice-map.zip")
    with zipfile.ZipFile(path, "a") as written:
        written.writestr("a.map", map_text(["..."]))
    with rejects("twice-map.zip: the archive contains a.map more than once"):
        import_sets([path])


@pytest.mark.parametrize("name", ["all", "maze@free", "a\x1b[2Jb"])
@pytest.mark.usefixtures("data_home")
def test_sets_that_no_suite_can_name_are_rejected(name: str) -> None:
    with rejects(f"a set cannot be named '{name}'"):
        import_sets([archive(f"{name}-map.zip")])


@pytest.mark.usefixtures("data_home")
def test_sets_with_too_many_cells_are_rejected_before_they_are_solved() -> None:
    path = archive("large-map.zip", files={f"{number}.map": map_text(["." * 50] * 50) for number in range(4)})
    with rejects("the maps of the set large have 10,000 cells, more than 9,999", "--max-cells"):
        import_sets([path], max_cells=9_999)
    assert "--max-cells" in error_of("data import", path, "--max-cells", 9_999)
    assert [index.name for index in import_sets([path], max_cells=10_000)] == ["large"]


def serpentine(side: int) -> _core.Grid:
    """Return a map whose longest path visits about half of its cells."""
    free = np.zeros((side, side), bool)
    free[::2] = True
    free[1::4, -1] = True
    free[3::4, 0] = True
    return _core.Grid.from_array(free, "none")


def test_paths_beyond_the_range_of_costs_are_rejected() -> None:
    grid = serpentine(1301)
    with rejects("is longer than 748121 cells, the maximum; use a smaller map"):
        grid.distances(0, 0)
    with rejects("the path from (0, 0) to (0, 1300) is longer than 748121 cells"):
        grid.optimal(np.array([[0, 0, 0, 1300]], np.uint32), 1)
    assert grid.optimal(np.array([[0, 0, 0, 2]], np.uint32), 1).tolist() == [[2 * 1300 + 2, 0]]


def test_json_of_a_run_has_the_flagged_label_only_for_plugins_that_skip_expansions() -> None:
    Path("skip.py").write_text(
        "class Skip:\n"
        "    def plan(self, world):\n"
        "        best = min((cost + h, state) for state, cost, h in world.expand(world.at))[1]\n"
        "        return [best, world.at, best]\n"
    )
    run = pm.run("embedded", ["skip.py:Skip", "lrta(d=1)"], maps=["rooms-128"], limit=1, alpha=2, out="run")
    counts = dict(run.records.select("label", "unexpanded_moves").rows())
    assert counts["Skip ‡"] > 0
    assert counts[next(label for label in counts if label.startswith("LRTA"))] is None
    assert "‡ Some moves leave states that the plug-in never expanded" in " ".join(invoke("report run").stdout.split())
    assert "Skip ‡" in json.loads(invoke("report run --format json").stdout)[0]["label"] + invoke("report run").stdout
