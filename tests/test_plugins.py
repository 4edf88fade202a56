"""Agents from elsewhere: the same moves and counts as built-in ones, and nothing that they do wrong harms others."""

import os
import pickle
import shlex
import shutil
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import polars as pl
import pytest

import permove as pm
from permove import data
from permove.agents.specs import expand, parse
from permove.common.errors import InputError
from permove.plugins.example import TEMPLATES, Algorithm, Language, write_example
from permove.records.columns import CLOCK
from support import PATIENCE, called, permove, small_maps, start, wait_for

HERE = Path(__file__).parent / "plugins"
WHAT = ("wall", "jump", "raise", "crash", "exit", "hang", "overplan")
NOT_TOLD = ("agent", "label", *CLOCK)


def build(command: list[str], folder: Path) -> None:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "warning" not in result.stderr


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[Language, Algorithm], str]:
    """The examples of `permove new-agent`, built as it says: how specs name them."""
    specs = {}
    for language in Language:
        for algorithm in Algorithm:
            folder = tmp_path_factory.mktemp(f"{language}-{algorithm}")
            written = write_example("mine", language, algorithm, folder)
            if written.build is not None:
                build(shlex.split(written.build), folder)
            specs[language, algorithm] = written.spec
    return specs


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> dict[Language, str]:
    """An agent in each language that does what it must not."""
    folder = tmp_path_factory.mktemp("bad")
    for name in ("c/permove.h", "rust/permove.rs"):
        shutil.copy(TEMPLATES / name, folder)
    for path in HERE.iterdir():
        shutil.copy(path, folder)
    build(["cc", "-O2", "-fPIC", "-shared", "-o", "libbad.so", "bad.c"], folder)
    build(["rustc", "--edition=2021", "--crate-type=cdylib", "-Copt-level=2", "-olibrust.so", "bad.rs"], folder)
    return {
        Language.PYTHON: f"{folder}/bad.py:Bad",
        Language.C: f"{folder}/libbad.so:bad",
        Language.RUST: f"{folder}/librust.so:bad",
    }


def of(run: pm.Run, spec: str) -> pl.DataFrame:
    (agent,) = expand(spec)
    return run.records.filter(pl.col("agent") == agent.spec).drop(NOT_TOLD)


def test_examples_in_every_language_solve_200_problems_like_built_in_agents(
    examples: dict[tuple[Language, Algorithm], str], tmp_path: Path
) -> None:
    pairs = [
        *((examples[language, Algorithm.LRTA], "lrta(d=1)") for language in Language),
        *((examples[language, Algorithm.RTAA] + "(k=10)", "rtaa(k=10)") for language in Language),
    ]
    agents = list(dict.fromkeys(spec for pair in pairs for spec in pair))
    run = pm.run("embedded", agents, maps=small_maps(), limit=200, out=tmp_path)
    for ours, theirs in pairs:
        assert of(run, theirs).height == 200
        assert of(run, ours).equals(of(run, theirs)), ours


def test_examples_match_built_in_agents_with_sensors_trials_and_parameters(
    examples: dict[tuple[Language, Algorithm], str], tmp_path: Path
) -> None:
    for number, (algorithm, ours, theirs) in enumerate(
        [
            (Algorithm.LRTA, "(gamma=0.5, ties=se)", "lrta(d=1, gamma=0.5, ties=se)"),
            (Algorithm.RTAA, "(k=30, moves=2)", "rtaa(k=30, moves=2)"),
        ]
    ):
        plugins = [examples[language, algorithm] + ours for language in Language]
        settings = {"sensor": "square(5)", "trials": "converge", "max_trials": 5}
        folder = tmp_path / str(number)
        run = pm.run("embedded", [*plugins, theirs], maps=["rooms-128"], limit=6, out=folder, **settings)
        for plugin in plugins:
            assert of(run, plugin).equals(of(run, theirs)), plugin
        trials = run.trials.drop(NOT_TOLD, strict=False)
        (baseline,) = expand(theirs)
        expected = trials.filter(run.trials["agent"] == baseline.spec)
        assert expected.height > 6
        for plugin in plugins:
            assert trials.filter(run.trials["agent"] == expand(plugin)[0].spec).equals(expected)


@pytest.mark.parametrize("language", list(Language))
def test_misbehaviour_is_recorded_and_other_agents_are_complete(
    bad: dict[Language, str], language: Language, tmp_path: Path
) -> None:
    spec = bad[language]
    agents = [f"{spec}(what={{{','.join(WHAT)}}})", "lrta(d=1)"]
    settings = {"maps": ["rooms-128"], "limit": 2, "cutoff": 100}
    run = pm.run("embedded", agents, out=tmp_path / "with", hang_limit=2, **settings)
    alone = pm.run("embedded", ["lrta(d=1)"], out=tmp_path / "without", **settings)
    assert of(run, "lrta(d=1)").equals(of(alone, "lrta(d=1)"))
    assert set(of(run, "lrta(d=1)")["status"]) == {"solved"}
    endings = {what: of(run, f"{spec}(what={what})") for what in WHAT}
    assert all(frame.height == 2 for frame in endings.values())
    told = {what: dict(frame.select("status", "reason").unique().iter_rows()) for what, frame in endings.items()}
    told = {what: {status: reason or "" for status, reason in pairs.items()} for what, pairs in told.items()}
    at = "move 4"
    assert "which is a wall" in told["wall"]["illegal"]
    assert f"{at} from" in told["jump"]["illegal"]
    assert "which is not a neighbour" in told["jump"]["illegal"]
    assert told["raise"]["error"].startswith(f"{at}: ")
    assert "no idea" in told["raise"]["error"]
    assert told["crash"]["error"] == f"{at}: the process crashed with SIGSEGV (segmentation fault)"
    assert told["exit"]["error"] == f"{at}: the process exited with code 3"
    assert told["hang"]["hung"] == f"{at} was not planned within 2 s"
    # One before, and then as many as there are before there is no more data.
    assert told["overplan"]["cutoff"] == f"{at} expanded 1000 states, over 100"
    assert all(len(pairs) == 1 for pairs in told.values()), told
    assert set(endings["hang"]["moves"]) == {3}
    if language is Language.PYTHON:
        assert told["raise"]["error"] == f"{at}: ValueError: no idea (bad.py, line 32)"


def test_table_lists_crashed_agents(bad: dict[Language, str], tmp_path: Path) -> None:
    plugin = f"{bad[Language.PYTHON]}(what={{raise,crash}})"
    result = called(
        *("run", "embedded", "--map", "rooms-128", "--limit", "2", "-a", plugin, "lrta", "--out", "run"), cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert "Crashed, hung or made an illegal move" in result.stdout
    assert "2 of 2" in result.stdout
    assert "ValueError: no idea" in " ".join(result.stdout.split())
    assert "SIGSEGV" in result.stdout


def test_records_do_not_depend_on_the_number_of_workers_and_runs_resume(
    examples: dict[tuple[Language, Algorithm], str], tmp_path: Path
) -> None:
    spec = examples[Language.PYTHON, Algorithm.LRTA]
    few = pm.run("embedded", [spec], maps=["rooms-128"], limit=5, jobs=1, out=tmp_path / "one")
    first = few.records
    one = pm.run("embedded", [spec], maps=["rooms-128"], limit=15, jobs=1, out=tmp_path / "one").records
    three = pm.run("embedded", [spec], maps=["rooms-128"], limit=15, jobs=3, out=tmp_path / "three").records
    assert one.drop(CLOCK).equals(three.drop(CLOCK))
    # What was there was not walked again.
    assert first.join(one, on=first.columns, how="semi", nulls_equal=True).height == 5


def test_interrupted_workers_end_and_finished_records_are_kept(bad: dict[Language, str]) -> None:
    agents = [f"{bad[Language.C]}(what=hang)", f"{bad[Language.C]}(what=raise)"]
    command = ["run", "embedded", "--map", "rooms-128", "--limit", "4", "-a", *agents]
    with start(*command, "--out", "run", "--hang-limit", "1000s", "-j", "2") as process:
        try:
            # Children come and go before there are workers: only those that have children of their own are such.
            families = wait_for(
                lambda: [(worker, walker) for worker in children(process.pid) for walker in children(worker)]
            )
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 130, told
    assert "are kept in run" in told
    wait_for(lambda: not any(Path(f"/proc/{number}").exists() for number in chain(*families)))


def children(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(number) for number in listed.stdout.split()]


def test_changed_plugin_is_another_agent() -> None:
    write_example("mine", Language.PYTHON, Algorithm.LRTA, Path())
    before = parse("mine.py:Mine")
    assert before.is_plugin
    assert before.label == "Mine (gamma=1)"
    assert parse(before.spec) == before
    assert [agent.label for agent in expand("mine.py:Mine(gamma={1/4,1}, ties=e)")] == [
        "Mine (gamma=0.25), ties e",
        "Mine (gamma=1), ties e",
    ]
    Path("mine.py").write_text(Path("mine.py").read_text() + "\n# another\n")
    assert parse("mine.py:Mine").spec != before.spec
    with pytest.raises(InputError, match=r"mine.py has changed: its hash is .*, expected "):
        parse(before.spec)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("nowhere.py:Mine", "the file nowhere.py does not exist"),
        ("mine.py", "mine.py does not name an agent; use mine.py:Mine"),
        ("mine.py:Yours", "mine.py has no class Yours with a method plan; it has Mine"),
        ("mine.py:Mine(d=1)", "mine.py:Mine has no parameter 'd'"),
        ("mine.py:Mine(gamma=2)", "gamma=2 is out of range; gamma is 0.001 to 1"),
        ("mine.py:Mine(gamma=x)", "gamma=x is out of range"),
        ("broken.py:Mine", r"broken.py, line 3: cannot load the plug-in \(ZeroDivisionError: division by zero\)"),
        ("syntax.py:Mine", r"syntax.py, line 2: cannot load the plug-in \(SyntaxError: "),
        ("untyped.py:Mine", "the parameter k has no default; add one"),
        ("typed.py:Mine", "the parameter k has the unsupported type .*; use int, float, bool, str or Literal"),
        ("text.so:mine", "text.so cannot be loaded"),
        ("text.txt:mine", "text.txt is neither a Python file"),
    ],
)
def test_faulty_plugin_is_rejected(spec: str, sentence: str) -> None:
    write_example("mine", Language.PYTHON, Algorithm.LRTA, Path())
    method = "    def plan(self, world): ...\n"
    files = {
        "broken.py": "import math\n\nmath.floor(1 / 0)\n",
        "syntax.py": "x = 1\ndef\n",
        "untyped.py": f"class Mine:\n    def __init__(self, k): ...\n{method}",
        "typed.py": f"class Mine:\n    def __init__(self, k: list[int] = []): ...\n{method}",
        "text.so": "no library",
        "text.txt": "no plug-in",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    with pytest.raises(InputError, match=sentence):
        expand(spec)


def test_library_of_another_version_or_without_agents_is_rejected(tmp_path: Path) -> None:
    shutil.copy(TEMPLATES / "c" / "permove.h", tmp_path)
    agents = "const permove_agent *permove_agents(uint32_t *count) { *count = 0; return NULL; }\n"
    sources = {
        "old": f"uint32_t permove_abi(void) {{ return 99; }}\n{agents}",
        "none": f"uint32_t permove_abi(void) {{ return PERMOVE_ABI; }}\n{agents}",
        "other": "int nothing;\n",
    }
    for name, text in sources.items():
        (tmp_path / f"{name}.c").write_text(f'#include "permove.h"\n{text}')
        build(["cc", "-fPIC", "-shared", "-o", f"{name}.so", f"{name}.c"], tmp_path)
    for name, sentence in {"old": "version 99", "none": "no agents", "other": "no function permove_abi"}.items():
        with pytest.raises(InputError, match=sentence):
            expand(f"{tmp_path}/{name}.so:mine")


def test_dataclasses_and_all_types_of_parameters_are_read(tmp_path: Path) -> None:
    path = tmp_path / "typed.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "from typing import Literal\n"
        "@dataclass\n"
        "class Mine:\n"
        "    '''Does nothing.'''\n"
        "    k: int = 3\n"
        "    w: float = 0.5\n"
        "    deep: bool = False\n"
        "    how: Literal['a', 'b'] = 'b'\n"
        "    def plan(self, world): return None\n"
    )
    agents = expand(f"{path}:Mine(k=1..2, deep={{yes,no}}, how=a)")
    assert [agent.label for agent in agents] == [
        f"Mine (k={k}, w=0.5, deep={deep}, how=a)" for k in (1, 2) for deep in ("yes", "no")
    ]


def install(folder: Path, points: dict[str, str]) -> None:
    info = folder / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[permove.agents]", *lines, ""]))


def test_installed_package_provides_agents(tmp_path: Path) -> None:
    write_example("mine", Language.PYTHON, Algorithm.LRTA, tmp_path)
    install(tmp_path, {"mine": "mine:Mine"})
    environment = {"PYTHONPATH": str(tmp_path)}
    page = permove("agents", "mine", cwd=tmp_path, **environment)
    assert page.returncode == 0, page.stderr
    assert "Looks one move ahead" in page.stdout
    run = ("run", "--map", "rooms-128", "--limit", "2", "-a", "mine(gamma={0.5,1})", "--format", "csv")
    result = permove(*run, cwd=tmp_path, **environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("mine#") == 2
    unknown = permove("agents", "mime", cwd=tmp_path, **environment)
    assert "did you mean 'mine'?" in unknown.stderr


def test_broken_entry_point_prints_one_line_and_hides_no_other(tmp_path: Path) -> None:
    write_example("mine", Language.PYTHON, Algorithm.LRTA, tmp_path)
    (tmp_path / "torn.py").write_text("import math\n\nraise ValueError('first\\nsecond [line]')\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(3)\n")
    points = {"a": "torn:Mine", "b": "nowhere:Mine", "c": "mine:Yours", "d": "math:pi", "e": "leaving:Mine"}
    install(tmp_path, points | {"mine": "mine:Mine"})
    result = permove("agents", "--format", "csv", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert result.returncode == 0, result.stderr
    names = [line.partition(",")[0] for line in result.stdout.splitlines()]
    assert "astar" in names
    assert "mine" in names
    assert not set(points) & set(names)
    assert result.stderr.splitlines() == [
        "Skipped: the entry point a = torn:Mine, line 3: cannot load the plug-in (ValueError: first second [line]); "
        "fix it",
        "Skipped: the entry point b = nowhere:Mine: cannot load the plug-in (ModuleNotFoundError: No module named "
        "'nowhere'); fix it",
        "Skipped: the entry point c = mine:Yours: cannot load the plug-in (AttributeError: module 'mine' has no "
        "attribute 'Yours'); fix it",
        "Skipped: the entry point d = math:pi is not a class with a method plan; fix it",
        "Skipped: the entry point e = leaving:Mine, line 1: cannot load the plug-in (SystemExit: 3); fix it",
    ]


def test_plugin_is_solved_and_shown(examples: dict[tuple[Language, Algorithm], str], tmp_path: Path) -> None:
    maps = Path(data.__file__).parents[1] / "embedded" / "maps"
    spec = examples[Language.C, Algorithm.RTAA]
    ours, theirs = (
        pm.solve(maps / "caves-128.map", (3, 4), (100, 90), agent) for agent in (spec, "rtaa(k=10, moves=inf)")
    )
    assert (ours.trace.cells == theirs.trace.cells).all()
    assert (ours.trace.expansions == theirs.trace.expansions).all()
    assert (ours.trace.touched == theirs.trace.touched).all()
    page = called("agents", spec, "--format", "csv", cwd=tmp_path)
    assert "number of states to expand" in page.stdout


def test_grid_survives_pickling() -> None:
    for name in ("embedded", "embedded@free", "embedded@none"):
        grid = data.load(name).select(data.Choice(limit=1)).grids[0]
        assert pickle.loads(pickle.dumps(grid)).fingerprint == grid.fingerprint


@pytest.mark.parametrize("language", list(Language))
def test_tests_of_an_example_pass(examples: dict[tuple[Language, Algorithm], str], language: Language) -> None:
    spec = examples[language, Algorithm.LRTA]
    folder = Path(spec.rpartition(":")[0]).parent
    folder = folder.parents[1] if language is Language.RUST else folder
    command = [sys.executable, "-m", "unittest", "test_mine"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert result.returncode == 0, result.stderr


def test_new_agent_writes_an_example_and_overwrites_no_file(tmp_path: Path) -> None:
    first = called("new-agent", "mine", "--lang", "rust", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert (tmp_path / "mine" / "src" / "lib.rs").is_file()
    assert "cargo build --release" in first.stdout
    again = called("new-agent", "mine", "--lang", "rust", cwd=tmp_path)
    assert again.returncode == 2
    assert "already exists" in again.stderr
    for name in ("Mine", "class", "a-b", "1"):
        with pytest.raises(InputError, match="invalid agent name"):
            write_example(name, Language.PYTHON, Algorithm.LRTA, tmp_path)
