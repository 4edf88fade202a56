"""Where plug-ins come from: files in Python, shared libraries, and entry points of installed packages."""

import hashlib
import importlib.metadata
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from permove import _core
from permove.common.errors import InputError, reason
from permove.plugins import parameters
from permove.plugins.parameters import Value
from permove.plugins.plugin import Plugin

GROUP = "permove.agents"
"""The entry-point group in which installed packages offer agents."""

HASH_DIGITS = 8
LIBRARIES = (".so", ".dylib")
_HASHED = re.compile(rf"(?P<name>.*)#(?P<hash>[0-9a-f]{{{HASH_DIGITS}}})")


def is_in_file(name: str) -> bool:
    """Whether the name of an agent is that of a file, or of something in one."""
    file = name.partition("#")[0]
    return ":" in file or "/" in file or file.endswith((".py", *LIBRARIES))


def offered() -> list[str]:
    """The names of the agents that installed packages offer."""
    return sorted({point.name for point in importlib.metadata.entry_points(group=GROUP)})


def find(name: str) -> Plugin:
    """The agent of that name, which may have the hash of a canonical spec; an `InputError` says why there is none."""
    if not is_in_file(name):
        return _from_entry_point(name)
    path, _, agent = name.rpartition(":") if ":" in name else (name, "", "")
    match = _HASHED.fullmatch(path)
    path, wanted = (match["name"], match["hash"]) if match else (path, None)
    file = Path(path)
    found = _hash(file)
    if wanted is not None and wanted != found:
        raise InputError(
            f"{path} has changed: its hash is {found}, not {wanted}; begin anew, or bring the old one back"
        )
    if not agent:
        names = ", ".join(f"{path}:{known}" for known in _names(path, found))
        raise InputError(f"{path} is a file, and the agent in it has to be named; use {names or 'one that has a plan'}")
    describe = _from_library if file.suffix in LIBRARIES else _from_file
    return describe(path, found, agent)


def load(spec: str) -> tuple[_core.Plugin, int]:
    """What the core takes for a canonical spec, and the direction from which the agent's successors come.

    An `InputError` where the file is not that one any more.
    """
    name, _, inside = spec.partition("(")
    pairs = (pair.partition("=") for pair in inside.removesuffix(")").split(", ") if pair)
    return find(name).made({key: value for key, _, value in pairs})


def _hash(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:HASH_DIGITS]
    except FileNotFoundError:
        raise InputError(f"there is no file {file}; check the path of the plug-in") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read ({reason(error)}); check the path and its permissions") from error


def _names(path: str, hash: str) -> list[str]:
    """The agents in a file."""
    if path.endswith(LIBRARIES):
        return [name for name, _, _ in _core.library_agents(path)]
    return [name for name, value in vars(_module(path, hash)).items() if _is_agent(value, _module(path, hash))]


def _is_agent(value: object, module: ModuleType) -> bool:
    return inspect.isclass(value) and hasattr(value, "plan") and value.__module__ == module.__name__


@cache
def _from_library(path: str, hash: str, name: str) -> Plugin:
    agents = {known: (about, params) for known, about, params in _core.library_agents(path)}
    if name not in agents:
        raise InputError(f"{path} has no agent '{name}'; it has {', '.join(agents)}")
    about, params = agents[name]
    own = tuple(map(parameters.of_library, params))

    def build(values: dict[str, Value]) -> _core.Plugin:
        return _core.Plugin.library(path, name, parameters.to_library(own, values))

    return Plugin(f"{path}:{name}", f"{path}#{hash}:{name}", name, about, own, build)


@cache
def _from_file(path: str, hash: str, name: str) -> Plugin:
    if not path.endswith(".py"):
        raise InputError(f"{path} is neither a Python file (.py) nor a shared library ({', '.join(LIBRARIES)})")
    cls = getattr(_module(path, hash), name, None)
    if cls is None or not hasattr(cls, "plan"):
        names = ", ".join(_names(path, hash))
        raise InputError(
            f"{path} has no class {name} with a method plan; " + (f"it has {names}" if names else "write one")
        )
    return _of_class(cls, f"{path}:{name}", f"{path}#{hash}:{name}")


@cache
def _from_entry_point(name: str) -> Plugin:
    match = _HASHED.fullmatch(name)
    name, wanted = (match["name"], match["hash"]) if match else (name, None)
    points = {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}
    if name not in points:
        raise InputError(f"there is no agent '{name}'")
    with _told(f"the entry point {name} = {points[name].value}"):
        cls = points[name].load()
    file = inspect.getsourcefile(cls) if inspect.isclass(cls) else None
    if file is None or not hasattr(cls, "plan"):
        raise InputError(
            f"the entry point {name} = {points[name].value}: it is no class with a method plan; correct it"
        )
    found = _hash(Path(file))
    if wanted is not None and wanted != found:
        raise InputError(
            f"{file} has changed: its hash is {found}, not {wanted}; begin anew, or bring the old one back"
        )
    return _of_class(cls, name, f"{name}#{found}")


def _of_class(cls: Callable[..., Any], name: str, identity: str) -> Plugin:
    def build(values: dict[str, Value]) -> _core.Plugin:
        return _core.Plugin.python(partial(cls, **values))

    return Plugin(
        name=name,
        identity=identity,
        title=str(getattr(cls, "title", getattr(cls, "__name__", name))),
        about=" ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split()),
        own=tuple(parameters.of_class(cls, name)),
        build=build,
        paper=str(getattr(cls, "paper", "")),
        complete=bool(getattr(cls, "complete", True)),
        learns=bool(getattr(cls, "learns", True)),
    )


@cache
def _module(path: str, hash: str) -> ModuleType:
    """The module in a file, under a name that no other has."""
    file = Path(path).resolve()
    name = f"permove_plugin_{file.stem}_{hash}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is no Python file; plug-ins in Python end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # What lies beside it is there for it, as it is for a script.
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    with _told(path):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Whatever goes wrong while a plug-in's module runs, in a sentence."""
    try:
        yield
    except (Exception, SystemExit) as error:
        # Python's own way to a module says nothing of what is wrong in it.
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if "importlib" not in frame.filename and frame.filename != __file__
        ]
        line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else None
        where = f", line {line}" if line else ""
        text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
        raise InputError(f"{what}{where}: it cannot be loaded ({type(error).__name__}: {text}); correct it") from error
