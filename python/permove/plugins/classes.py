"""Classes as plug-ins: the spec of a class that is defined in a file, or in a cell of a notebook."""

import hashlib
import inspect
import linecache
from pathlib import Path
from typing import Any

from permove.common.errors import InputError
from permove.common.files import write_atomic

FOLDER = Path("runs") / "agents"
"""The folder of the files with classes from notebooks, next to the runs that use them."""

HASH_DIGITS = 8


def spec_of(agent: str | type[Any]) -> str:
    """Return the spec of an agent: specs as they are, and `FILE:CLASS` for a class with a method `plan`.

    Worker processes import the class from its file. The cell of a notebook that defines a class is written to a file,
    named by its content, so it must contain everything that the class needs.
    """
    if isinstance(agent, str):
        return agent
    if not inspect.isclass(agent) or not inspect.isfunction(getattr(agent, "plan", None)):
        raise InputError(f"{agent!r} is not an agent; pass a spec such as 'rtaa(k=10)', or a class with a method plan")
    plan: Any = agent.plan  # type: ignore[attr-defined]
    name, source = agent.__qualname__, Path(plan.__code__.co_filename)
    if "<locals>" in name or "." in name:
        raise InputError(
            f"the class {name} is defined inside a function or class; define it at the top of a file or cell"
        )
    if source.is_file() and source.suffix == ".py":
        return f"{_relative(source)}:{name}"
    lines = linecache.getlines(str(source))
    if not lines:
        raise InputError(f"the source of the class {name} is unknown; write it to a file and use FILE.py:{name}")
    content = "".join(line for line in lines if not line.startswith(("%", "!"))).encode()
    digest = hashlib.sha256(content).hexdigest()[:HASH_DIGITS]
    path = FOLDER / f"{name}_{digest}.py"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    return f"{path.as_posix()}:{name}"


def _relative(path: Path) -> str:
    """Return a path relative to the current folder if it is below it, as a user would write it."""
    absolute = path.resolve()
    below = absolute.is_relative_to(Path.cwd())
    return (absolute.relative_to(Path.cwd()) if below else absolute).as_posix()
