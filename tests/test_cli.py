"""The command line: what it takes, what it prints, and to where."""

import inspect
import io
import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import permove as pm
from permove.cli import COMMANDS, load, main
from permove.cli.multi_value_options import repeat_options
from permove.cli.options import OPTIONS
from permove.common.option_fields import defaults
from permove.data.problem_choice import Choice
from permove.records.columns import SCHEMA
from permove.records.settings import Settings
from permove.runs.execution_options import Execution
from support import PATIENCE, called, permove, shown_on_terminal, small_maps, start, wait_for


@pytest.mark.parametrize(
    ("given", "dealt"),
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
def test_repeatable_option_takes_all_words_up_to_the_next_option(given: str, dealt: str) -> None:
    assert repeat_options(given.split()) == dealt.split()


MAPS = small_maps()


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pm.run(
        "embedded", ["lrta(d=1..3)", "astar"], limit=40, cutoff=100, out=tmp_path_factory.mktemp("r") / "run"
    ).folder


def test_run_prints_the_table_and_the_folder_of_the_records(tmp_path: Path) -> None:
    result = permove(
        "run",
        "embedded",
        "--map",
        *MAPS,
        "--limit",
        "20",
        "-a",
        "lrta(d=1..2)",
        "astar",
        "--cutoff",
        "50",
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert "Disqualified" in result.stdout
    assert "Records: runs/embedded-" in result.stderr
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_repeated_run_prints_the_same_table(tmp_path: Path) -> None:
    command = ("run", "--map", *MAPS, "--limit", "20", "-a", "lrta", "rtaa", "--out", "here")
    assert called(*command, cwd=tmp_path).stdout == called(*command, cwd=tmp_path).stdout


def test_report_shows_an_existing_run(run_folder: Path, tmp_path: Path) -> None:
    result = called("report", str(run_folder), "--format", "json", cwd=tmp_path)
    rows = json.loads(result.stdout)
    assert len(rows) == 4
    assert [row["qualified"] for row in rows] == [True, True, True, False]
    called("report", str(run_folder), "--format", "csv", "-o", "out.csv", cwd=tmp_path)
    assert pl.read_csv(tmp_path / "out.csv")["agent"].to_list() == [row["agent"] for row in rows]


def test_python_and_the_command_line_print_the_same_report(
    run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pm.Run(run_folder).report()
    assert capsys.readouterr().out == permove("report", str(run_folder), cwd=tmp_path).stdout


def test_agents_lists_the_catalogue_and_describes_each_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"astar", "lrta", "rtaa", "lrts", "dstar-lite"} < {row["agent"] for row in listed}
    for row in listed:
        assert main(["agents", row["agent"]]) == 0
        page = capsys.readouterr().out
        assert row["agent"] in page
        assert "Counted" in page


def test_solve_shows_path_cost_and_picture(tmp_path: Path) -> None:
    (tmp_path / "small.map").write_text("type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n")
    result = called("solve", "small.map", "0,0", "3,2", "-a", "astar", "--png", "path.png", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "solved" in result.stdout
    assert "5, the optimum is 5" in result.stdout
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")
    solution = pm.solve(tmp_path / "small.map", (0, 0), (3, 2), "lrta")
    assert solution.record.schema == SCHEMA
    assert solution.trace.cells[[0, -1]].tolist() == [[0, 0], [3, 2]]
    assert int(solution.trace.expanded.sum()) == solution.record["expanded"].item() == len(solution.trace.expansions)


def test_timed_run_prints_the_cost_of_reading_the_clock(tmp_path: Path) -> None:
    result = called("run", "--map", *MAPS, "--limit", "5", "-a", "rtaa", "--time-limit", "1s", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "Timed on one thread; reading the clock adds about" in result.stderr


@pytest.mark.parametrize("command", [[], ["--help"], *([command, "--help"] for command in COMMANDS)])
def test_help_is_available_for_every_command(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 0
    assert "Usage: permove" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_in_help_start_with_existing_commands(name: str) -> None:
    group = load(name)
    subcommands = getattr(group, "commands", {"": group})
    for subcommand, command in subcommands.items():
        # Two words are enough to tell the command: an example of `run` may be one that follows it.
        for example in re.findall(r"^- `(permove .*)`$", command.epilog or "", re.M):
            assert shlex.split(example)[1] in COMMANDS
            if subcommand:
                assert shlex.split(example)[1:3] == [name, subcommand]
        assert subcommand or command.epilog


def test_option_is_one_field_one_keyword_and_one_line_of_the_command_line() -> None:
    fields = defaults(Settings) | defaults(Choice) | defaults(Execution)
    keywords = {name: each.default for name, each in inspect.signature(pm.run).parameters.items()}
    assert keywords == {"suite": "embedded", "agents": (), "panel": (), **fields}
    assert OPTIONS.keys() == fields.keys() - {"sample", "common", "progress", "command"}


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"permove {pm.__version__}\n"


def test_closed_pipe_is_no_error(run_folder: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-m", "permove", "report", str(run_folder), "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert isinstance(writer.stdout, io.BufferedReader)
    writer.stdout.close()
    _, errors = writer.communicate(timeout=PATIENCE)
    assert errors == b""
    assert writer.returncode == 0


def test_ctrl_c_prints_the_number_of_kept_records_and_how_to_resume(tmp_path: Path) -> None:
    process = start("run", "-a", "lrta(d=1..40)", "--out", "run")
    wait_for(lambda: list(tmp_path.glob("run/records/0*.parquet")), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    kept = pm.Run(tmp_path / "run").records.height
    assert process.returncode == 130
    assert re.fullmatch(
        rf"permove: interrupted: {kept:,} of [\d,]+ records are kept in run; run the same command again to resume\n",
        errors,
    )


def test_terminal_shows_progress_rate_and_remaining_time(tmp_path: Path) -> None:
    text = shown_on_terminal("run", "-a", "lrta(d=1..3)", "--limit", "100", "--map", *MAPS, cwd=tmp_path)
    assert "300/300" in text
    assert re.search(r"[\d,]+/s", text)
    assert re.search(r"\d:\d\d:\d\d", text)
