"""Creation of an example plug-in from the templates of the package."""

import keyword
import re
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from permove.common.errors import InputError
from permove.common.files import write_atomic

TEMPLATES = Path(__file__).parent / "templates"


class Language(StrEnum):
    """Languages of the examples."""

    PYTHON = "python"
    RUST = "rust"
    C = "c"


class Algorithm(StrEnum):
    """Algorithms of the examples."""

    LRTA = "lrta"
    RTAA = "rtaa"


BASELINES = {Algorithm.LRTA: "lrta(d=1)", Algorithm.RTAA: "rtaa(k=10)"}
"""The built-in agents with the same behaviour as the examples."""


class Written(NamedTuple):
    """An example: its files, the command that builds it, if any, and the spec of its agent."""

    files: list[Path]
    build: str | None
    spec: str


def write_example(name: str, language: Language, algorithm: Algorithm, folder: Path) -> Written:
    """Write an example with the given name. Existing files are not overwritten."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"invalid agent name '{name}'; use lowercase letters, digits and _, for example mine")
    library, cls = f"lib{name}.so", "".join(part.capitalize() for part in name.split("_"))
    match language:
        case Language.PYTHON:
            home, files = folder, {f"{name}.py": f"python/{algorithm}.py"}
            file, agent, build = f"{name}.py", cls, None
        case Language.C:
            home = folder / name
            files = {f"{name}.c": f"c/{algorithm}.c", "permove.h": "c/permove.h", "Makefile": "c/Makefile"}
            file, agent, build = library, name, f"make -C {home}"
        case Language.RUST:
            home = folder / name
            files = {
                "src/lib.rs": f"rust/{algorithm}.rs",
                "src/permove.rs": "rust/permove.rs",
                "Cargo.toml": "rust/Cargo.toml",
            }
            file, agent = f"target/release/{library}", name
            build = f"cargo build --release --manifest-path {home / 'Cargo.toml'}"
    words = {
        algorithm.value: name,
        algorithm.value.capitalize(): cls,
        "EXAMPLE": name,
        "FILE": file,
        "AGENT": agent,
        "BASELINE": BASELINES[algorithm],
    }
    written = {home / path: _filled(source, words) for path, source in files.items()}
    written[home / f"test_{name}.py"] = _filled("test_example.py", words)
    for path in written:
        if path.exists():
            raise InputError(f"{path} already exists; choose another name, or move the file")
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text.encode())
    return Written(list(written), build, f"{_shown(home / file)}:{agent}")


def _filled(source: str, words: dict[str, str]) -> str:
    text = (TEMPLATES / source).read_text(encoding="utf-8")
    if source.endswith(("permove.h", "permove.rs")):
        return text
    alternatives = "|".join(map(re.escape, words))
    return re.sub(rf"(?<![A-Za-z])(lib)?({alternatives})(?![a-z])", lambda m: (m[1] or "") + words[m[2]], text)


def _shown(path: Path) -> str:
    """Return a path in the form that specs need: a plain file name of a library starts with `./`."""
    return str(path) if path.suffix == ".py" or path.is_absolute() else f"./{path}"
