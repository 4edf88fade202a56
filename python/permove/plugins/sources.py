"""Sources of plug-ins: Python files, shared libraries, and entry points of installed packages."""

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
"""The entry-point group for agents of installed packages."""

HASH_DIGITS = 8
LIBRARIES = (".so", ".dylib", ".dll")
_HASHED = re.compile(rf"(?P<name>.*)#(?P<hash>[0-9a-f]{{{HASH_DIGITS}}})")


def is_in_file(name: str) -> bool:
    """Return whether the name of an agent refers to a file."""
    file = name.partition("#")[0]
    return ":" in file or "/" in file or file.endswith((".py", *LIBRARIES))


def offered() -> list[str]:
    """Return the names of the agents of installed packages."""
    return sorted({point.name for point in importlib.metadata.entry_points(group=GROUP)})


def split(name: str) -> tuple[str, str | None]:
    """Return the name of an agent without the hash of a canonical spec, and the hash."""
    path, colon, agent = _parts(name)
    match = _HASHED.fullmatch(path)
    return (f"{match['name']}{colon}{agent}", match["hash"]) if match else (name, None)


def joined(name: str, hash: str) -> str:
    """Return the name of an agent in canonical specs."""
    path, colon, agent = _parts(name)
    return f"{path}#{hash}{colon}{agent}"


def _parts(name: str) -> tuple[str, str, str]:
    """Return the path of an agent's file or the name of its entry point, the separator, and its name in the file."""
    return name.rpartition(":") if ":" in name else (name, "", "")


def hash_of(name: str) -> str:
    """Return the hash of the file of an agent, or raise an error if its name contains another one."""
    name, expected = split(name)
    return _checked_hash(Path(_parts(name)[0]), expected)


def find_here(name: str) -> Plugin:
    """Return the agent with a name, which may include the hash of a canonical spec, or raise an `InputError`.

    This loads the plug-in in this process; `permove.plugins.describe` describes it in another one.
    """
    if not is_in_file(name):
        return _from_entry_point(name)
    name, wanted = split(name)
    path, _, agent = _parts(name)
    file = Path(path)
    found = _checked_hash(file, wanted)
    if not agent:
        names = ", ".join(f"{path}:{known}" for known in _names(path, found))
        raise InputError(f"{path} does not name an agent; use {names or f'{path}:CLASS with a method plan'}")
    describe = _from_library if file.suffix in LIBRARIES else _from_file
    return describe(path, found, agent)


def load(spec: str) -> tuple[_core.Plugin, int]:
    """Return the agent of a canonical spec for the core, and the index of the direction of its first successor.

    Raise an `InputError` if the file has changed.
    """
    name, _, inside = spec.partition("(")
    pairs = (pair.partition("=") for pair in inside.removesuffix(")").split(", ") if pair)
    return find_here(name).made({key: value for key, _, value in pairs})


def check_unchanged(spec: str) -> None:
    """Raise an `InputError` if the file of a canonical spec has changed, without loading the plug-in."""
    name = spec.partition("(")[0]
    if is_in_file(name):
        hash_of(name)


def _checked_hash(file: Path, expected: str | None) -> str:
    """Return the hash of a file, or raise an error if it is not the expected one."""
    try:
        found = hashlib.sha256(file.read_bytes()).hexdigest()[:HASH_DIGITS]
    except FileNotFoundError:
        raise InputError(f"the file {file} does not exist; check the path of the plug-in") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read ({reason(error)}); check the path and its permissions") from error
    if expected not in (None, found):
        raise InputError(
            f"{file} has changed: its hash is {found}, expected {expected}; start a new run, or restore the old version"
        )
    return found


def _names(path: str, hash: str) -> list[str]:
    """Return the names of the agents in a file."""
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
    name, wanted = split(name)
    points = {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}
    if name not in points:
        raise InputError(f"unknown agent '{name}'")
    with _load_errors(f"the entry point {name} = {points[name].value}"):
        cls = points[name].load()
    file = inspect.getsourcefile(cls) if inspect.isclass(cls) else None
    if file is None or not hasattr(cls, "plan"):
        raise InputError(f"the entry point {name} = {points[name].value} is not a class with a method plan; fix it")
    return _of_class(cls, name, f"{name}#{_checked_hash(Path(file), wanted)}")


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
    """Import a file as a module with a unique name."""
    file = Path(path).resolve()
    name = f"permove_plugin_{file.stem}_{hash}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file; the suffix must be .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # A plug-in can import other files in its folder, like a script.
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    with _load_errors(path):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _load_errors(source: str) -> Iterator[None]:
    """Convert any exception during the import of a plug-in to an `InputError`."""
    try:
        yield
    except (Exception, SystemExit) as error:
        # The frames of the import system do not help to find the error.
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if "importlib" not in frame.filename and frame.filename != __file__
        ]
        line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else None
        where = f", line {line}" if line else ""
        text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
        raise InputError(
            f"{source}{where}: cannot load the plug-in ({type(error).__name__}: {text}); fix it"
        ) from error
