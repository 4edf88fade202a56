"""The package works on systems without the services of POSIX: Windows has none of those that are removed here."""

import subprocess
import sys
from pathlib import Path

import pytest

from permove.common import extras
from permove.common.errors import InputError

WITHOUT_POSIX = """
import os, pkgutil, signal, sys
# The interpreter and other packages have versions for other systems, so they may use what this one has.
import asyncio, importlib.metadata, json, multiprocessing.connection, random, socket, subprocess, tempfile, zipfile
import distributed, numpy, platformdirs, polars, rich.console, sklearn.tree, typer.main, altair, vl_convert
for module in ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "readline", "curses"):
    sys.modules[module] = None
removed = {
    os: "fork forkpty sysconf sched_getaffinity sched_setaffinity getloadavg killpg setsid getsid setpgid getpgid "
        "pread "
        "pwrite fchmod fchown chown getuid geteuid getgid mkfifo uname wait3 wait4 waitid pidfd_open memfd_create "
        "O_CLOEXEC O_NONBLOCK O_DIRECTORY O_NOFOLLOW WNOHANG",
    signal: "SIGKILL SIGHUP SIGALRM SIGCHLD SIGUSR1 SIGQUIT SIGPIPE SIGSTOP alarm setitimer pthread_sigmask sigwait",
    socket: "AF_UNIX send_fds recv_fds",
}
for module, names in removed.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
import permove
modules = [found.name for found in pkgutil.walk_packages(permove.__path__, "permove.")]
modules = [name for name in modules if ".templates" not in name and not name.endswith("__main__")]
for name in modules:
    __import__(name)
print(len(modules))
"""

WORKS = """
run = permove.run("embedded", ["lrta(d=1)", "w-lrta"], limit=4, cutoff=100, out="run", progress=False)
again = permove.run("embedded", ["lrta(d=1)", "rtaa(k=10)"], limit=4, cutoff=100, out="run", progress=False)
assert again.records.height == 12 and run.guide().frame.height
open("mine.py", "w").write("class Mine:\\n    def plan(self, world): ...")
try:
    permove.run("embedded", "mine.py:Mine", limit=1, out="plugin", progress=False)
except permove.InputError as error:
    assert "forked" in str(error)
else:
    raise AssertionError("plug-ins need fork")
from permove.common import machine
assert machine.machine()["cores"] > 0 and machine.machine()["memory_bytes"] == 0
"""


def executed(program: str) -> str:
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_every_module_is_imported_and_a_run_resumes_without_posix() -> None:
    files = [
        path
        for path in (Path(__file__).parent.parent / "python" / "permove").rglob("*.py")
        if "templates" not in path.parts and path.name not in ("__init__.py", "__main__.py")
    ]
    assert int(executed(WITHOUT_POSIX + WORKS)) >= len(files)


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda module: None if module in ("altair", "vl_convert") else module)
    extras.require("training", "training a tree")
    with pytest.raises(InputError, match=r"drawing a plot needs altair and vl_convert, .* 'permove\[plots\]'"):
        extras.require("plots", "drawing a plot")
