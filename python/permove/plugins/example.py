"""Writing an example of a plug-in into files, from the templates that come with the package."""

import keyword
import re
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from permove.common.errors import InputError
from permove.common.files import write_whole

TEMPLATES = Path(__file__).parent / "templates"


class Language(StrEnum):
    """What plug-ins are written in here."""

    PYTHON = "python"
    RUST = "rust"
    C = "c"


class Algorithm(StrEnum):
    """What the example does."""

    LRTA = "lrta"
    RTAA = "rtaa"


BASELINES = {Algorithm.LRTA: "lrta(d=1)", Algorithm.RTAA: "rtaa(k=10)"}
"""The built-in agents that the examples walk as."""


class Written(NamedTuple):
    """An example: its files, the command that builds it, if any, and how specs name its agent."""

    files: list[Path]
    build: str | None
    spec: str


def write_example(name: str, language: Language, algorithm: Algorithm, folder: Path) -> Written:
    """Write an example under a name of its own; nothing that is there is overwritten."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"'{name}' is no name for an agent; use small letters, digits and _, as in mine")
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
            raise InputError(f"{path} is there already; choose another name, or move it away")
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
    return Written(list(written), build, f"{_shown(home / file)}:{agent}")


def _filled(source: str, words: dict[str, str]) -> str:
    text = (TEMPLATES / source).read_text()
    if source.endswith(("permove.h", "permove.rs")):
        return text
    alternatives = "|".join(map(re.escape, words))
    return re.sub(rf"(?<![A-Za-z])(lib)?({alternatives})(?![a-z])", lambda m: (m[1] or "") + words[m[2]], text)


def _shown(path: Path) -> str:
    """A path that is one even where it is but a name."""
    return str(path) if path.suffix == ".py" or path.is_absolute() else f"./{path}"
