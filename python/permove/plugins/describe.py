"""Descriptions of plug-ins, made in a child process, so that a plug-in may hang, crash or exit while it is loaded.

The child loads the plug-in and sends its description as JSON. Its size and the time are limited, and its values are
checked, since code of the plug-in could have written them.
"""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from permove.common.errors import InputError, input_error
from permove.common.processes import cause, kill_marked, mark, require_fork
from permove.common.text import printable
from permove.common.typed_json import typed
from permove.plugins import sources
from permove.plugins.parameters import Parameter, Value
from permove.plugins.plugin import Plugin

LOAD_SECONDS = 30.0
"""The maximum time to load a plug-in."""

MAX_BYTES = 2**20
"""The maximum size of a description."""

MAX_TEXT = 1000
"""The maximum length of a text in a description; the rest is cut off."""

MEMORY_BYTES = 4 * 10**9
"""The maximum memory of the child process."""

END = b"\n"
"""The end of a description: processes that the plug-in has started may keep the pipe open."""

START = "import sys; from permove.plugins import describe; describe.main(*sys.argv[1:])"

_KINDS: dict[str, tuple[Any, Any]] = {
    "bool": (bool, bool),
    "int": (int, int | float),
    "float": (float, int | float),
    "str": (str, str),
}
"""The types of parameters, and those of their defaults in JSON."""

_NAME = re.compile(r"[^\s(){}=,:#]+")


@dataclass(frozen=True)
class _Parameter:
    """A parameter in JSON."""

    name: str
    about: str
    kind: str
    fallback: bool | int | float | str
    minimum: float
    maximum: float
    words: list[str] = field(default_factory=list)
    is_open: bool = False

    def read(self) -> Parameter:
        kind, default = _KINDS.get(self.kind, (None, ()))
        if kind is None or not isinstance(self.fallback, default):
            raise ValueError("a parameter has an unknown type")
        if not _NAME.fullmatch(self.name) or self.name != _short(self.name):
            raise ValueError("a parameter has an invalid name")
        fallback: Value = _short(self.fallback) if isinstance(self.fallback, str) else self.fallback
        words = tuple(map(_short, self.words))
        bounds = (self.minimum, self.maximum)
        return Parameter(self.name, _short(self.about), kind, fallback, *bounds, words, self.is_open)


@dataclass(frozen=True)
class _Description:
    """A plug-in in JSON."""

    identity: str
    title: str
    about: str
    own: list[_Parameter]
    paper: str
    complete: bool
    learns: bool

    def read(self, name: str, hash: str | None) -> Plugin:
        """Return the plug-in with a name; `hash` is that of its file, or `None` if only the plug-in knows its file."""
        name, known = sources.split(name)
        identity = sources.joined(name, hash or sources.split(self.identity)[1] or known or "")
        if self.identity != identity:
            raise ValueError("it has another identity")
        own = tuple(parameter.read() for parameter in self.own)
        if len({parameter.name for parameter in own}) < len(own):
            raise ValueError("two parameters have the same name")
        title, about, paper = map(_short, (self.title, self.about, self.paper))
        return Plugin(name, identity, title, about, own, paper=paper, complete=self.complete, learns=self.learns)


@dataclass(frozen=True)
class _Failure:
    """The error of a plug-in that cannot be loaded, in JSON."""

    sentence: str
    agent: str | None
    param: str | None
    file: str | None
    line: int | None


def find(name: str) -> Plugin:
    """Return the agent with a name, which may include the hash of a canonical spec, or raise an `InputError`."""
    return _described(name, sources.hash_of(name) if sources.is_in_file(name) else None)


@cache
def _described(name: str, hash: str | None) -> Plugin:
    """Return the agent with a name; `hash` is that of its file, so that a changed file is loaded again."""
    content = _answer(name)
    try:
        if isinstance(content, dict) and "sentence" in content:
            failure = asdict(typed(_Failure, content))
            raise input_error(_short(failure.pop("sentence")), **failure)
        return typed(_Description, content).read(name, hash)
    except InputError:
        raise
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: the plug-in has an invalid description ({error}); fix it") from error


def _short(text: str) -> str:
    return printable(text)[:MAX_TEXT]


def _answer(name: str) -> object:
    """Return what the child process sends."""
    require_fork()
    (reader, writer), marked = os.pipe(), mark()
    with os.fdopen(reader, "rb", buffering=0) as answer:
        with os.fdopen(writer, "wb"):
            process = subprocess.Popen(
                [sys.executable, "-c", START, str(writer), json.dumps(sys.path), name],
                pass_fds=[writer],
                # The plug-in must not read from the terminal, or print among results.
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, **marked},
            )
        try:
            content = _read(answer.fileno())
        finally:
            process.kill()
            code = process.wait()
            kill_marked(marked)
    if content is None:
        raise InputError(f"{name}: the plug-in was not loaded within {LOAD_SECONDS:g} s; fix it")
    if len(content) > MAX_BYTES:
        raise InputError(f"{name}: the description of the plug-in is larger than {MAX_BYTES:,} bytes; shorten it")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        ended = f"the process {cause(code)}" if code != -signal.SIGKILL else "it sent no description"
        raise InputError(f"{name}: the plug-in cannot be loaded ({ended}); fix it") from None


def _read(descriptor: int) -> bytes | None:
    """Return a line, or what can be read until the end or the maximum size, or `None` if it takes too long."""
    content, end = b"", time.monotonic() + LOAD_SECONDS
    while len(content) <= MAX_BYTES and not content.endswith(END):
        ready, _, _ = select.select([descriptor], [], [], max(end - time.monotonic(), 0))
        if not ready:
            return None
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            break
        content += piece
    return content


def main(descriptor: str, path: str, name: str) -> None:
    """Describe a plug-in in this process, and end it."""
    import resource

    sys.path[:] = json.loads(path)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        plugin = sources.find_here(name)
        content: dict[str, Any] = {key: getattr(plugin, key) for key in _Description.__annotations__}
        content["own"] = [asdict(parameter) | {"kind": parameter.kind.__name__} for parameter in plugin.own]
    except InputError as error:
        content = {key: getattr(error, key, None) for key in _Failure.__annotations__} | {"sentence": str(error)}
    with os.fdopen(int(descriptor), "wb") as answer:
        answer.write(json.dumps(content).encode() + END)
    # Threads of the plug-in may still run.
    os._exit(0)
