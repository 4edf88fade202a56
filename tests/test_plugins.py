"""Plug-ins: the same moves and counts as built-in agents, and misbehaviour that harms no other agent."""

import pickle
import shlex
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import polars as pl
import pytest

import permove as pm
from permove import data
from permove.agents.specs import expand, parse
from permove.plugins.example import TEMPLATES, Algorithm, Language, write_example
from permove.records.columns import CLOCK
from support import build, error_of, interrupt, invoke, permove, rejects, small_maps, start, wait_for

SOURCES = Path(__file__).parent / "plugins"
KINDS = ("wall", "jump", "raise", "crash", "exit", "hang", "overplan")
DIFFERENT = ("agent", "label", "memory_bytes", "unexpanded_moves", *CLOCK)
"""Columns in which a plug-in and the built-in agent differ."""

Examples = dict[tuple[Language, Algorithm], str]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    """The specs of the examples of `permove new-agent`, built with the commands that it prints."""
    specs = {}
    for language in Language:
        for algorithm in Algorithm:
            folder = tmp_path_factory.mktemp(f"{language}-{algorithm}")
            written = write_example("mine", language, algorithm, folder)
            if written.build is not None:
                build(folder, *shlex.split(written.build))
            specs[language, algorithm] = written.spec
    return specs


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> dict[Language, str]:
    """The specs of a misbehaving agent in each language."""
    folder = tmp_path_factory.mktemp("bad")
    for name in ("c/permove.h", "rust/permove.rs"):
        shutil.copy(TEMPLATES / name, folder)
    for path in SOURCES.iterdir():
        shutil.copy(path, folder)
    build(folder, "cc", "-O2", "-fPIC", "-shared", "-o", "libbad.so", "bad.c")
    build(folder, "rustc", "--edition=2021", "--crate-type=cdylib", "-Copt-level=2", "-olibrust.so", "bad.rs")
    return {
        Language.PYTHON: f"{folder}/bad.py:Bad",
        Language.C: f"{folder}/libbad.so:bad",
        Language.RUST: f"{folder}/librust.so:bad",
    }


def records_of(run: pm.Run, spec: str) -> pl.DataFrame:
    return run.records.filter(pl.col("agent") == parse(spec).spec).drop(DIFFERENT)


def trials_of(run: pm.Run, spec: str) -> pl.DataFrame:
    return run.trials.filter(pl.col("agent") == parse(spec).spec).drop(DIFFERENT, strict=False)


def test_examples_in_every_language_solve_200_problems_like_built_in_agents(examples: Examples) -> None:
    pairs = [
        *((examples[language, Algorithm.LRTA], "lrta(d=1)") for language in Language),
        *((examples[language, Algorithm.RTAA] + "(k=10)", "rtaa(k=10)") for language in Language),
    ]
    agents = list(dict.fromkeys(spec for pair in pairs for spec in pair))
    run = pm.run("embedded", agents, maps=small_maps(), limit=200)
    for plugin, built_in in pairs:
        assert records_of(run, built_in).height == 200
        assert records_of(run, plugin).equals(records_of(run, built_in)), plugin
    memory = {spec: run.records.filter(pl.col("agent") == parse(spec).spec)["memory_bytes"] for spec in agents}
    for language in Language:
        assert memory[examples[language, Algorithm.LRTA]].equals(memory["lrta(d=1)"])
    compiled = [memory[examples[language, Algorithm.RTAA] + "(k=10)"] for language in (Language.RUST, Language.C)]
    assert compiled[0].equals(compiled[1])
    # The example counts every entry that was ever on the open list.
    assert (memory["rtaa(k=10)"] < compiled[0]).all()
    assert (compiled[0] < 2 * memory["rtaa(k=10)"] + 4096).all()


@pytest.mark.parametrize(
    ("algorithm", "parameters", "built_in"),
    [
        (Algorithm.LRTA, "(gamma=0.5, ties=se)", "lrta(d=1, gamma=0.5, ties=se)"),
        (Algorithm.RTAA, "(k=30, moves=2)", "rtaa(k=30, moves=2)"),
    ],
)
def test_examples_match_built_in_agents_with_sensors_trials_and_parameters(
    examples: Examples, algorithm: Algorithm, parameters: str, built_in: str
) -> None:
    plugins = [examples[language, algorithm] + parameters for language in Language]
    settings = {"sensor": "square(5)", "trials": "converge", "max_trials": 5}
    run = pm.run("embedded", [*plugins, built_in], maps=["rooms-128"], limit=6, **settings)
    assert trials_of(run, built_in).height > 6
    for plugin in plugins:
        assert records_of(run, plugin).equals(records_of(run, built_in)), plugin
        assert trials_of(run, plugin).equals(trials_of(run, built_in)), plugin


@pytest.mark.parametrize("language", list(Language))
def test_misbehaviour_is_recorded_and_other_agents_are_complete(bad: dict[Language, str], language: Language) -> None:
    spec = bad[language]
    agents = [f"{spec}(what={{{','.join(KINDS)}}})", "lrta(d=1)"]
    settings = {"maps": ["rooms-128"], "limit": 2, "cutoff": 100}
    run = pm.run("embedded", agents, out="with", hang_limit=2, **settings)
    alone = pm.run("embedded", ["lrta(d=1)"], out="without", **settings)
    assert records_of(run, "lrta(d=1)").equals(records_of(alone, "lrta(d=1)"))
    assert set(records_of(run, "lrta(d=1)")["status"]) == {"solved"}
    found = {kind: records_of(run, f"{spec}(what={kind})") for kind in KINDS}
    assert all(frame.height == 2 for frame in found.values())
    outcomes = {kind: set(frame.select("status", "reason").fill_null("").rows()) for kind, frame in found.items()}
    for kind, status in zip(KINDS, ("illegal", "illegal", "error", "error", "error", "hung", "cutoff"), strict=True):
        assert {outcome[0] for outcome in outcomes[kind]} == {status}
    reasons = {kind: [reason for _, reason in sorted(outcome)] for kind, outcome in outcomes.items()}
    assert all("which is a wall" in reason for reason in reasons["wall"])
    assert all("move 4 from" in reason and "which is not a neighbour" in reason for reason in reasons["jump"])
    assert all(reason.startswith("move 4: ") and "no idea" in reason for reason in reasons["raise"])
    assert reasons["crash"] == ["move 4: the process crashed with SIGSEGV (segmentation fault)"]
    assert reasons["exit"] == ["move 4: the process exited with code 3"]
    assert reasons["hang"] == ["move 4 was not planned within 2 s"]
    # A plug-in may expand ten times the cutoff before it gets no more states.
    assert reasons["overplan"] == ["move 4 expanded 1000 states, over 100"]
    assert set(found["hang"]["moves"]) == {3}
    if language is Language.PYTHON:
        assert reasons["raise"] == ["move 4: ValueError: no idea (bad.py, line 32)"]


def test_table_lists_crashed_agents(bad: dict[Language, str]) -> None:
    plugin = f"{bad[Language.PYTHON]}(what={{raise,crash}})"
    shown = invoke("run embedded --map rooms-128 --limit 2 --out run -a lrta", plugin).stdout
    assert "Crashed, hung or made an illegal move" in shown
    assert "2 of 2" in shown
    assert "ValueError: no idea" in " ".join(shown.split())
    assert "SIGSEGV" in shown


def test_records_do_not_depend_on_the_number_of_workers_and_runs_resume(examples: Examples) -> None:
    def run(limit: int, jobs: int) -> pl.DataFrame:
        spec = examples[Language.PYTHON, Algorithm.LRTA]
        return pm.run("embedded", [spec], maps=["rooms-128"], limit=limit, jobs=jobs, out=f"{jobs}").records

    first, one, three = run(5, 1), run(15, 1), run(15, 3)
    assert one.drop(CLOCK).equals(three.drop(CLOCK))
    # The first records, with their times, are kept.
    assert first.join(one, on=first.columns, how="semi", nulls_equal=True).height == 5


def test_interrupted_workers_end_and_finished_records_are_kept(bad: dict[Language, str]) -> None:
    agents = [f"{bad[Language.C]}(what=hang)", f"{bad[Language.C]}(what=raise)"]
    with start("run embedded --map rooms-128 --limit 4 --out run --hang-limit 1000s -j 2 -a", *agents) as process:
        try:
            # Only workers have children; other children end before.
            families = wait_for(
                lambda: [(worker, fork) for worker in children(process.pid) for fork in children(worker)]
            )
            errors = interrupt(process)
        finally:
            process.kill()
    assert "are kept in run" in errors
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
    with pytest.raises(pm.InputError, match=r"mine.py has changed: its hash is .*, expected "):
        parse(before.spec)


@pytest.mark.parametrize(
    ("spec", "error"),
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
def test_faulty_plugin_is_rejected(spec: str, error: str) -> None:
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
    with pytest.raises(pm.InputError, match=error):
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
        build(tmp_path, "cc", "-fPIC", "-shared", "-o", f"{name}.so", f"{name}.c")
    for name, words in {"old": "version 99", "none": "no agents", "other": "no function permove_abi"}.items():
        with rejects(words):
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
    path = str(tmp_path)
    assert "Looks one move ahead" in permove("agents mine", PYTHONPATH=path).stdout
    run = permove("run --map rooms-128 --limit 2 -a 'mine(gamma={0.5,1})' --format csv", PYTHONPATH=path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("mine#") == 2
    assert "did you mean 'mine'?" in permove("agents mime", PYTHONPATH=path).stderr


def test_broken_entry_point_prints_one_line_and_hides_no_other(tmp_path: Path) -> None:
    write_example("mine", Language.PYTHON, Algorithm.LRTA, tmp_path)
    (tmp_path / "torn.py").write_text("import math\n\nraise ValueError('first\\nsecond [line]')\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(3)\n")
    points = {"a": "torn:Mine", "b": "nowhere:Mine", "c": "mine:Yours", "d": "math:pi", "e": "leaving:Mine"}
    install(tmp_path, points | {"mine": "mine:Mine"})
    result = permove("agents --format csv", PYTHONPATH=str(tmp_path))
    assert result.returncode == 0, result.stderr
    names = [line.partition(",")[0] for line in result.stdout.splitlines()]
    assert "astar" in names
    assert "mine" in names
    assert not set(points) & set(names)
    note, failed = "permove: note: skipped: the entry point", ": cannot load the plug-in"
    assert result.stderr.splitlines() == [
        f"{note} a = torn:Mine, line 3{failed} (ValueError: first second [line]); fix it",
        f"{note} b = nowhere:Mine{failed} (ModuleNotFoundError: No module named 'nowhere'); fix it",
        f"{note} c = mine:Yours{failed} (AttributeError: module 'mine' has no attribute 'Yours'); fix it",
        f"{note} d = math:pi is not a class with a method plan; fix it",
        f"{note} e = leaving:Mine, line 1{failed} (SystemExit: 3); fix it",
    ]


def test_plugin_is_solved_and_shown(examples: Examples) -> None:
    maps = Path(data.__file__).parents[1] / "embedded" / "maps"
    spec = examples[Language.C, Algorithm.RTAA]
    plugin, built_in = (
        pm.solve(maps / "caves-128.map", (3, 4), (100, 90), agent).trace for agent in (spec, "rtaa(k=10, moves=inf)")
    )
    assert (plugin.cells == built_in.cells).all()
    assert (plugin.expansions == built_in.expansions).all()
    assert (plugin.touched == built_in.touched).all()
    assert "number of states to expand" in invoke("agents --format csv", spec).stdout


def test_grid_survives_pickling() -> None:
    for name in ("embedded", "embedded@free", "embedded@none"):
        grid = data.load(name).select(data.Choice(limit=1)).grids[0]
        assert pickle.loads(pickle.dumps(grid)).fingerprint == grid.fingerprint


@pytest.mark.parametrize("language", list(Language))
def test_tests_of_an_example_pass(examples: Examples, language: Language) -> None:
    folder = Path(examples[language, Algorithm.LRTA].rpartition(":")[0]).parent
    folder = folder.parents[1] if language is Language.RUST else folder
    command = [sys.executable, "-m", "unittest", "test_mine"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_new_agent_writes_an_example_and_overwrites_no_file() -> None:
    assert "cargo build --release" in invoke("new-agent mine --lang rust").stdout
    assert Path("mine/src/lib.rs").is_file()
    assert "already exists" in error_of("new-agent mine --lang rust")
    for name in ("Mine", "class", "a-b", "1"):
        with rejects("invalid agent name"):
            write_example(name, Language.PYTHON, Algorithm.LRTA, Path())
