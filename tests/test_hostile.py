"""Hostile plug-ins: each gets its verdict, no process of it remains, and the records of other agents are unchanged."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import permove as pm
from permove import plugins
from permove.agents.specs import find, parse
from permove.common.text import printable
from permove.engines import workers
from permove.plugins import describe
from permove.plugins.example import TEMPLATES
from permove.records.columns import CLOCK
from support import build, error_of, invoke, rejects, wait_for

SOURCES = Path(__file__).parent / "plugins"
BAD, READ = "error", "it sent a message that cannot be read: "
IMPOSSIBLE = "it sent an impossible record"

VERDICTS: dict[str, dict[str, tuple[str | None, str]]] = {
    "py": {
        "garbage": (BAD, f"{READ}its header is invalid"),
        "long": (BAD, f"{READ}its header is invalid"),
        "pickle": (BAD, f"{READ}"),
        "overlong": (BAD, f"{READ}it is shorter than its content"),
        "forge": (BAD, IMPOSSIBLE),
        "elsewhere": (BAD, "it sent records of problems that it was not solving"),
        "failure": (BAD, " ]0;title  [2Jcleared"),
        "escape": (BAD, "ValueError:  [31mred   back"),
        "heartbeat": (BAD, "move 1: the process exited with code 9"),
        "parent": (BAD, "the process crashed with SIGKILL"),
        "close": (BAD, ""),
        "memory": (BAD, "MemoryError"),
        "recursion": (BAD, "RecursionError"),
        "thread": (BAD, "the process exited with code 7"),
        "stop": ("hung", "move 4 was not planned within 5 s"),
        "frames": (BAD, "maps: none"),
        "nothing": (BAD, "SIGSEGV"),
        "child": ("solved", ""),
        "print": ("solved", ""),
        "file": ("solved", ""),
        "twice": (None, "records of problems that it was not solving"),
        "truncated": (BAD, "the process exited with code 8"),
        "cheaper": (BAD, IMPOSSIBLE),
        "job": (BAD, "attempts: RuntimeError RuntimeError"),
        "escaped": (BAD, "the process crashed with SIGKILL"),
        "suspend": ("solved", ""),
        "suspended": ("hung", "move 4 was not planned within 5 s"),
        "idle": ("hung", "it neither planned nor sent records for"),
    },
    "c": {
        "abort": (BAD, "SIGABRT"),
        "stack": (BAD, "SIGSEGV"),
        "heap": (BAD, "crashed with SIG"),
        "memory": (BAD, "SIGABRT"),
        "outside": ("illegal", "which is outside the map"),
        "unknown": (BAD, "it requested the successors of 4294967294"),
        "endless": ("hung", "move 4 was not planned within 5 s"),
        "socket": (BAD, f"{READ}its header is invalid"),
        "world": (BAD, "SIGSEGV"),
        "notext": (BAD, " [31m"),
    },
    "rs": {
        "abort": (BAD, "SIGABRT"),
        "deep": (BAD, "SIG"),
        "thread": (BAD, "the process exited with code 5"),
        "panic": (BAD, " [31mred"),
        "memory": (BAD, "SIGABRT"),
    },
}
"""The verdict on each attack: the status, if it does not depend on the moment, and a part of the reason."""


@pytest.fixture(scope="module")
def attackers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The spec of the attacker in each language."""
    folder = tmp_path_factory.mktemp("hostile")
    for path in (*SOURCES.glob("hostile.*"), TEMPLATES / "c/permove.h", TEMPLATES / "rust/permove.rs"):
        shutil.copy(path, folder)
    build(folder, "cc", "-O1", "-fPIC", "-shared", "-w", "-o", "libhostile.so", "hostile.c")
    build(folder, "rustc", "--edition=2021", "--crate-type=cdylib", "-Copt-level=1", "-olibrust.so", "hostile.rs")
    return {
        "py": f"{folder}/hostile.py:Hostile",
        "c": f"{folder}/libhostile.so:hostile",
        "rs": f"{folder}/librust.so:hostile",
    }


def test_there_are_at_least_25_attacks_in_three_languages() -> None:
    assert len(VERDICTS) == 3
    assert sum(map(len, VERDICTS.values())) >= 25


@pytest.mark.parametrize("language", list(VERDICTS))
def test_every_attack_gets_its_verdict_and_other_agents_are_unchanged(
    attackers: dict[str, str], language: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "END_SECONDS", 1.0)
    monkeypatch.setattr(plugins, "LOAD_SECONDS", 5.0)
    spec, verdicts = attackers[language], VERDICTS[language]
    agents = [f"{spec}(what={{{','.join(verdicts)}}})", "lrta(d=1)"]
    settings = {"maps": ["rooms-128"], "limit": 2}
    run = pm.run("embedded", agents, out="with", hang_limit=5, memory_limit="1.5GB", **settings)
    alone = pm.run("embedded", ["lrta(d=1)"], out="without", **settings)
    assert without_times(run, "lrta(d=1)").equals(without_times(alone, "lrta(d=1)"))
    for what, (status, words) in verdicts.items():
        found = run.records.filter(pl.col("agent") == parse(f"{spec}(what={what})").spec)
        assert found.height == 2, what
        assert status is None or set(found["status"]) == {status}, (
            what,
            found["status"].to_list(),
            found["reason"].to_list(),
        )
        for reason in found["reason"].drop_nulls():
            assert words in reason, (what, reason)
            assert reason.isprintable()
    assert not Path("executed").exists()
    assert_no_process_remains()
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    assert [line for line in printed.err.splitlines() if line != printable(line)] == []
    if language == "py":
        cheat = run.records.filter(pl.col("agent") == parse(f"{spec}(what=file)").spec)
        assert (cheat["unexpanded_moves"] == cheat["moves"] - 3).all()
        honest = run.records.filter(pl.col("agent") == parse(f"{spec}(what=print)").spec)
        assert set(honest["unexpanded_moves"]) == {0}
        assert printed.err.count("x") >= 2 * 10**6
        assert printed.err.count("without an end") == 2


def without_times(run: pm.Run, agent: str) -> pl.DataFrame:
    return run.records.filter(pl.col("agent") == parse(agent).spec).drop(CLOCK)


def assert_no_process_remains() -> None:
    """Check that the processes that `child` has started have ended."""
    started = [int(path.name.partition("-")[2]) for path in Path().glob("child-*")]
    wait_for(lambda: not any(Path(f"/proc/{number}").exists() for number in started))


def test_a_message_that_never_ends_is_a_hang(attackers: dict[str, str]) -> None:
    run = pm.run("embedded", f"{attackers['py']}(what=half)", maps=["rooms-128"], limit=1, hang_limit=0.1)
    assert run.records["status"].to_list() == ["hung"]


def flood(content: str) -> str:
    """Return a program that writes to all its descriptors and exits."""
    attempt = (
        f"    try:\n        os.fstat(number)\n        os.write(number, {content})\n    except OSError:\n        pass\n"
    )
    return f"import os\nfor number in range(3, 256):\n{attempt}os._exit(0)"


LIE = {"identity": "astar", "title": "", "about": "", "own": [], "paper": "", "complete": True, "learns": True}

BROKEN = {
    "loop": ("while True: pass", "was not loaded within 2 s"),
    "exits": ("import os; os._exit(0)", "exited with code 0"),
    "fails": ("import os; os._exit(4)", "exited with code 4"),
    "aborts": ("import os; os.abort()", "crashed with SIGABRT"),
    "raises": ("raise ValueError('\\x1b[2J')", "ValueError:  [2J"),
    "recurses": ("def f(): f()\nf()", "RecursionError"),
    "prints": ("print('{}' * 10**6)", "has no class Mine"),
    "shouts": (flood("b'[' * 10**5 + b'\\n'"), "cannot be loaded"),
    "floods": (flood("b'x' * 2**21"), "is larger than 1,048,576 bytes"),
    "lies": (flood(f"{json.dumps(LIE).encode()!r} + b'\\n'"), "it has another identity"),
    "lists": (flood("b'[[]]\\n'"), "invalid description"),
    "forks": ("import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)", "has no class Mine"),
    "sleeps": ("import signal\nsignal.pause()", "was not loaded within 2 s"),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_plugin_that_breaks_while_it_is_loaded_is_one_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, words = BROKEN[name]
    if "within" in words:
        monkeypatch.setattr(describe, "LOAD_SECONDS", 2.0)
    Path(f"{name}.py").write_text(f"{text}\n")
    error = error_of("run -a", f"{name}.py:Mine")
    assert words in error
    assert error.rstrip().isprintable()


def test_library_that_breaks_while_it_is_loaded_is_one_error(tmp_path: Path) -> None:
    shutil.copy(TEMPLATES / "c" / "permove.h", tmp_path)
    abi = "uint32_t permove_abi(void) { return PERMOVE_ABI; }\n"
    sources = {
        "aborts": "#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }\n",
        "many": f'{abi}static const permove_parameter own[] = {{{{"k", "", 0, NULL, 0, 9, 1}}}};\n'
        "static void *make(const permove_setup *s) { return (void *)s; }\n"
        "static const char *plan(void *s, permove_world *w) { (void)s; (void)w; return NULL; }\n"
        'static const permove_agent all[] = {{"mine", "", own, UINT32_MAX, make, NULL, NULL, plan, NULL}};\n'
        "const permove_agent *permove_agents(uint32_t *count) { *count = 1; return all; }\n",
    }
    for name, text in sources.items():
        (tmp_path / f"{name}.c").write_text(f'#include "permove.h"\n{text}')
        build(tmp_path, "cc", "-w", "-fPIC", "-shared", "-o", f"{name}.so", f"{name}.c")
    with rejects("the process crashed with SIGABRT"):
        find(f"{tmp_path}/aborts.so:mine")
    with rejects(f"{tmp_path}/many.so"):
        find(f"{tmp_path}/many.so:mine")


def test_description_is_printable_and_short(tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text(
        "class Mine:\n    '''\\x1b[2J" + "x" * 5000 + "'''\n    title = '\\x1b]0;t\\x07' + 'y' * 9999\n"
        "    def plan(self, world): return None\n"
    )
    plugin = find(f"{path}:Mine")
    assert plugin.title.isprintable()
    assert plugin.about.isprintable()
    assert max(len(plugin.title), len(plugin.about)) <= describe.MAX_TEXT
    assert "\x1b" not in invoke("agents", f"{path}:Mine").stdout
