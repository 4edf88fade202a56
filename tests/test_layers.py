"""Imports point to lower layers, as the tables in ARCHITECTURE.md state for both languages."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE, CORE = ROOT / "python" / "permove", ROOT / "rust" / "core" / "src"
TEXT = (ROOT / "ARCHITECTURE.md").read_text()

HEAVY = ("permove.papers", "sklearn", "scipy", "altair", "vl_convert", "distributed")
"""Modules that start-up must not load."""


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the table below a heading of ARCHITECTURE.md."""
    section = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def words(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


PYTHON = {words(package)[0]: words(imports) for package, _, imports in rows("Layers of the Python package")}
RUST = [words(modules) for _, modules in rows("Layers of the core")]


def python_files() -> Iterator[Path]:
    for path in [*PACKAGE.rglob("*.py"), PACKAGE / "_core.pyi"]:
        if ("templates" not in path.parts and path.parent != PACKAGE) or path.name == "_core.pyi":
            yield path


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def python_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the modules of permove that a file imports anywhere, with their lines."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the import in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.partition(".")[0] == "permove")


def test_every_package_and_module_has_its_layer() -> None:
    packages = {path.relative_to(PACKAGE).parts[0].partition(".")[0] for path in python_files()}
    assert packages == PYTHON.keys()
    modules = re.findall(r"^pub mod (\w+);", (CORE / "lib.rs").read_text(), flags=re.MULTILINE)
    assert sorted(modules) == sorted(module for layer in RUST for module in layer)


def test_layers_of_python_are_stated_from_bottom_to_top() -> None:
    order = [*PYTHON]
    for package, imports in PYTHON.items():
        above = [name for name in imports if order.index(name) >= order.index(package)]
        assert not above, f"ARCHITECTURE.md lets {package} import {above}, which is not below it"


@pytest.mark.parametrize("package", PYTHON)
def test_python_imports_point_down(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}, but {package} may import only {', '.join(PYTHON[package])}"
        for path in python_files()
        if path.relative_to(PACKAGE).parts[0].partition(".")[0] == package
        for line, name in python_imports(path)
        if name.partition("permove.")[2].partition(".")[0] not in (package, *PYTHON[package])
    ]
    assert not wrong, "\n".join(wrong)


def test_python_files_have_no_import_cycle() -> None:
    files = {module_of(path): path for path in python_files()}
    graph = {}
    for module, path in files.items():
        names = [name for _, name in python_imports(path)]
        graph[module] = {name if name in files else name.rpartition(".")[0] for name in names} - {module}
    assert [*TopologicalSorter(graph).static_order()]


def without_tests(source: str) -> str:
    """Remove comments and code for tests from Rust; lines keep their numbers."""
    source = re.sub(r"//[^\n]*", "", source)
    for match in reversed([*re.finditer(r"#\[cfg\(test\)\]", source)]):
        depth, end = 0, match.end()
        for end in range(match.end(), len(source)):
            depth += {"{": 1, "}": -1}.get(source[end], 0)
            if depth == 0 and source[end] in ";}":
                break
        blank = "\n" * source.count("\n", match.start(), end + 1)
        source = source[: match.start()] + blank + source[end + 1 :]
    return source


def rust_files() -> Iterator[Path]:
    """Yield the files of the core, except modules for tests."""
    tests = set()
    for path in CORE.rglob("*.rs"):
        folder = path.parent if path.stem in ("mod", "lib") else path.with_suffix("")
        for name in re.findall(r"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod (\w+);", path.read_text()):
            tests |= {folder / f"{name}.rs", folder / name}
    for path in sorted(CORE.rglob("*.rs")):
        if path.name != "lib.rs" and not tests & {path, *path.parents}:
            yield path


def rust_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the top-level modules that a file uses by `crate::` or by enough `super::`, with their lines."""
    parts = path.relative_to(CORE).parts
    depth = len(parts) - (path.name == "mod.rs")
    for number, line in enumerate(without_tests(path.read_text()).splitlines(), 1):
        yield from ((number, name) for name in re.findall(r"\bcrate::(\w+)", line))
        for supers, name in re.findall(r"\b((?:super::)+)(\w+)", line):
            # In a module within a file, `super` is that file.
            if supers.count("super") >= depth and any(name in layer for layer in RUST):
                yield number, name
        assert "crate::{" not in line, f"{path}:{number}: one `use` for each module, so that this test can read it"


def test_rust_modules_use_only_lower_layers() -> None:
    rank = {module: number for number, layer in enumerate(RUST) for module in layer}
    wrong = []
    for path in rust_files():
        module = path.relative_to(CORE).parts[0].removesuffix(".rs")
        for line, name in rust_imports(path):
            if name != module and rank[name] >= rank[module]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} uses {name}, which is not below {module}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("arguments", [["-c", "import permove"], ["-m", "permove", "--help"]])
def test_start_up_loads_no_heavy_library(arguments: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", *arguments]
    times = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    loaded = {line.rpartition("|")[2].strip() for line in times.splitlines() if line.startswith("import time:")}
    assert "permove" in loaded
    assert not loaded & {*HEAVY}
