"""The command line: its options, output and errors."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import permove as pm
from data_files import map_text
from permove.cli.multi_value_options import repeat_options
from permove.cli.options import OPTIONS
from permove.common.option_fields import defaults
from permove.data.problem_choice import Choice
from permove.records.columns import SCHEMA
from permove.records.settings import Settings
from permove.runs.execution_options import Execution
from support import TIMEOUT, interrupt, invoke, json_of, permove, shown_on_terminal, small_maps, start, wait_for, widest


@pytest.mark.parametrize(
    ("given", "repeated"),
    [
        ("run embedded -a x y --cutoff 9", "run embedded -a x -a y --cutoff 9"),
        ("run embedded --agent=x y -a z", "run embedded --agent=x --agent y -a z"),
        ("run s --map m n --limit 3 -a x", "run s --map m --map n --limit 3 -a x"),
        ("run -a x y -- s", "run -a x -a y -- s"),
        ("run --limit 3 s -a x", "run --limit 3 s -a x"),
        ("solve m 1,2 3,4 -a x", "solve m 1,2 3,4 -a x"),
        ("", ""),
    ],
)
def test_repeatable_option_takes_all_words_up_to_the_next_option(given: str, repeated: str) -> None:
    assert repeat_options(given.split()) == repeated.split()


MAPS = " ".join(small_maps())


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("r") / "run"
    return pm.run("embedded", ["lrta(d=1..3)", "astar"], limit=40, cutoff=100, out=folder).folder


def test_run_prints_the_table_and_the_folder_of_the_records() -> None:
    result = permove(f"run embedded --map {MAPS} --limit 20 -a 'lrta(d=1..2)' astar --cutoff 50")
    assert result.returncode == 0, result.stderr
    assert "Disqualified" in result.stdout
    assert "Records: runs/embedded-" in result.stderr
    assert "\x1b" not in result.stdout
    assert widest(result.stdout) <= 80


def test_repeated_run_prints_the_same_table() -> None:
    line = f"run --map {MAPS} --limit 20 -a lrta rtaa --out run"
    assert invoke(line).stdout == invoke(line).stdout


def test_report_shows_an_existing_run(run_folder: Path) -> None:
    rows = json_of("report", run_folder)
    assert len(rows) == 4
    assert [row["qualified"] for row in rows] == [True, True, True, False]
    invoke("report --format csv -o out.csv", run_folder)
    assert pl.read_csv("out.csv")["agent"].to_list() == [row["agent"] for row in rows]


def test_python_and_the_command_line_print_the_same_report(
    run_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pm.Run(run_folder).report()
    assert capsys.readouterr().out == invoke("report", run_folder).stdout


def test_agents_lists_the_catalogue_and_describes_each_agent() -> None:
    listed = {row["agent"] for row in json_of("agents")}
    assert {"astar", "lrta", "rtaa", "lrts", "dstar-lite"} < listed
    for agent in listed:
        page = invoke("agents", agent).stdout
        assert agent in page
        assert "Counted" in page


def test_solve_shows_path_cost_and_picture() -> None:
    Path("small.map").write_bytes(map_text(["....", ".@@.", "...."]))
    shown = invoke("solve small.map 0,0 3,2 -a astar --png path.png").stdout
    assert "solved" in shown
    assert "5, the optimum is 5" in shown
    assert Path("path.png").read_bytes().startswith(b"\x89PNG")
    solution = pm.solve("small.map", (0, 0), (3, 2), "lrta")
    assert solution.record.schema == SCHEMA
    assert solution.trace.cells[[0, -1]].tolist() == [[0, 0], [3, 2]]
    assert int(solution.trace.expanded.sum()) == solution.record["expanded"].item() == len(solution.trace.expansions)


def test_timed_run_prints_the_cost_of_reading_the_clock() -> None:
    result = invoke(f"run --map {MAPS} --limit 5 -a rtaa --time-limit 1s")
    assert "Timed on one thread; reading the clock adds about" in result.stderr


def test_option_is_one_field_one_keyword_and_one_line_of_the_command_line() -> None:
    fields = defaults(Settings) | defaults(Choice) | defaults(Execution)
    del fields["cap_each_trial"]  # follows from the other options
    keywords = {name: each.default for name, each in inspect.signature(pm.run).parameters.items()}
    assert keywords == {"suite": "embedded", "agents": (), "panel": (), **fields}
    assert OPTIONS.keys() == fields.keys() - {"sample", "common", "progress", "command"}


def test_version_is_that_of_the_package() -> None:
    assert invoke("--version").stdout == f"permove {pm.__version__}\n"


def test_closed_pipe_is_no_error(run_folder: Path) -> None:
    command = [sys.executable, "-m", "permove", "report", str(run_folder), "--format", "json"]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.close()
    _, errors = writer.communicate(timeout=TIMEOUT)
    assert errors == b""
    assert writer.returncode == 0


def test_ctrl_c_prints_the_number_of_kept_records_and_how_to_resume() -> None:
    process = start("run -a 'lrta(d=1..40)' --out run")
    wait_for(lambda: list(Path().glob("run/records/0*.parquet")), process)
    errors = interrupt(process)
    kept = pm.Run("run").records.height
    assert re.fullmatch(
        rf"permove: interrupted: {kept:,} of [\d,]+ records are kept in run; run the same command again to resume\n",
        errors,
    )


def test_terminal_shows_progress_rate_and_remaining_time() -> None:
    shown = shown_on_terminal(f"run -a 'lrta(d=1..3)' --limit 100 --map {MAPS}")
    assert "300/300" in shown
    assert re.search(r"[\d,]+/s", shown)
    assert re.search(r"\d:\d\d:\d\d", shown)
