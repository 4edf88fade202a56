"""Pages of the documentation that are generated: from tested READMEs, docstrings, `--help`, reports and notebooks."""

import base64
import html
import inspect
import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient

import permove as pm
from permove import _core
from permove.cli import COMMANDS
from permove.report.formats import markdown_table

ROOT = Path(__file__).parent.parent
PACKAGE = "python/permove"

PAGES = {
    "how-to/maps.md": f"{PACKAGE}/data/README.md",
    "how-to/own-agent.md": f"{PACKAGE}/plugins/README.md",
    "how-to/clusters.md": f"{PACKAGE}/engines/README.md",
    "how-to/reading.md": f"{PACKAGE}/report/README.md",
    "how-to/unknown-terrain.md": f"{PACKAGE}/README.md#Unknown terrain, and learning to convergence",
    "how-to/abstraction.md": f"{PACKAGE}/README.md#Abstraction",
    "how-to/pattern-databases.md": f"{PACKAGE}/README.md#Pattern databases",
    "how-to/lookahead-depth.md": f"{PACKAGE}/README.md#Lookahead depth chosen for each move",
    "how-to/ties.md": f"{PACKAGE}/README.md#Tie orders and seeds",
    "how-to/space.md": f"{PACKAGE}/README.md#The space of algorithms",
    "explanation/counting.md": f"{PACKAGE}/README.md#What is counted",
    "explanation/architecture.md": "ARCHITECTURE.md",
    "papers/index.md": f"{PACKAGE}/papers/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
"""Pages that are files of the repository, or sections of them."""


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    places = {source.partition("#")[0]: page for page, source in reversed(PAGES.items())}
    places |= {"README.md": "index.md", "reports/README.md": "papers/reports/README.md"}
    places |= {f"docs/{file.src_uri}": file.src_uri for file in files}
    for page, source in PAGES.items():
        path, _, heading = source.partition("#")
        files.append(File.generated(config, page, content=relinked(section(path, heading), path, page, places)))
    for path in sorted((ROOT / "reports").rglob("*")):
        if path.suffix in (".md", ".svg", ".html", ".json"):
            source = path.relative_to(ROOT).as_posix()
            page = f"papers/{source}"
            places.setdefault(source, page)
            content = path.read_text(encoding="utf-8")
            files.append(File.generated(config, page, content=content))
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        for name, content in executed(path):
            files.append(File.generated(config, f"notebooks/{name}", content=content))
    for page, content in (("agents", agents()), ("commands", commands()), ("python", python()), ("core", core())):
        files.append(File.generated(config, f"reference/{page}.md", content=content))
    return files


def section(path: str, heading: str) -> str:
    """Return a file, or the section below a heading as a page."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if not heading:
        return text
    _, found, rest = text.partition(f"\n## {heading}\n")
    if not found:
        raise ValueError(f"{path} has no section '{heading}'; correct PAGES in docs/hooks.py")
    body = rest.partition("\n## ")[0]
    return f"# {heading}\n{body}"


def relinked(text: str, source: str, page: str, places: dict[str, str]) -> str:
    """Return the text of a file with its links to other pages; other links become text."""

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if re.match(r"[a-z]+:|#", target) or not target:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path.startswith("reports/"):
            places.setdefault(path, f"papers/{path}")
        if path not in places:
            return words
        # Sections of one file are several pages, so their anchors are not those of the file.
        kept = "" if path == f"{PACKAGE}/README.md" or path == "README.md" else anchor
        return f"[{words}]({posixpath.relpath(places[path], posixpath.dirname(page) or '.')}{kept})"

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#\s]*)(#[^)]*)?\)", link, text)


def agents() -> str:
    """Return the reference of all agents, from the catalogue."""
    parts = ["# Agents", "The agents of the core. `permove agents NAME` prints the same."]
    for info in _core.catalogue():
        title = info.title.replace("*", r"\*").replace("_", r"\_")
        parts += [f"## {title}: `{info.name}`", info.about, f"**Paper:** {info.paper}. **Counted:** {info.counts}."]
        promises = "reaches the goal of every solvable problem" if info.complete else "may never reach the goal"
        parts.append(f"**Promises:** {promises}{', by a shortest path if it knows the map' if info.optimal else ''}.")
        if info.params:
            cells = ((f"`{each.name}`", f"`{each.default}`", each.range, each.about) for each in info.params)
            rows = markdown_table(
                ("parameter", "default", "range", "meaning"),
                [False] * 4,
                ([text.replace("*", r"\*") for text in row] for row in cells),
            )
            parts.append(rows)
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    """Return the reference of all commands, from their help."""
    parts = ["# Commands", "The output of `permove --help`, and of `--help` of each command."]
    groups = {"data", "maps", "pdb", "select"}
    for name in ("", *COMMANDS):
        parts += [f"## permove {name}".rstrip(), f"```text\n{help_of(*name.split())}\n```"]
        if name in groups:
            for inner in re.findall(r"^│ ([a-z-]+) ", help_of(name).partition("Commands")[2], flags=re.MULTILINE):
                parts += [f"### permove {name} {inner}", f"```text\n{help_of(name, inner)}\n```"]
    return "\n\n".join(parts) + "\n"


def help_of(*words: str) -> str:
    """Return the help of a command as plain text."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-m", "permove", *words, "--help"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in result.stdout.strip("\n").splitlines())


def python() -> str:
    """Return the reference of the public names, from their signatures and docstrings."""
    parts = ["# Python", "All names of `import permove as pm`. Frames are polars frames."]
    for name in sorted(set(pm.__all__) - {"__version__"}, key=str.lower):
        found = getattr(pm, name)
        if inspect.isclass(found):
            parts += [f"## pm.{name}", documented(found)]
            for member, value in vars(found).items():
                inner = getattr(value, "func", getattr(value, "fget", value))
                if not member.startswith("_") and inspect.isfunction(inner):
                    signature = f"({_signature(inner)})" if inspect.isfunction(value) else ""
                    parts += [f"### {name}.{member}", f"```text\n{name}.{member}{signature}\n```", documented(inner)]
        else:
            function = found if inspect.isfunction(found) else None
            parts.append(f"## pm.{name}")
            if function is not None:
                parts.append(f"```text\npm.{name}({_signature(function)})\n```")
            parts.append(documented(found))
    return "\n\n".join(parts) + "\n"


def _signature(function: Any) -> str:
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    words, starred = [], False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        default = "" if each.default is each.empty else f"={each.default!r}"
        words.append(f"{'**' if each.kind is each.VAR_KEYWORD else ''}{each.name}{default}")
    joined = ", ".join(words)
    return joined if len(joined) < 90 else "\n    " + ",\n    ".join(words) + ",\n"


def documented(value: Any) -> str:
    """Return a docstring as Markdown: names in it that look like tags are text."""
    return html.escape(inspect.getdoc(value) or "", quote=False).replace("&gt;", ">")


def core() -> str:
    """Return the page about the core's documentation, which `make docs` builds next to this site."""
    return (
        "# Core\nThe core is the Rust crate `permove-core`, which does not depend on Python. Its documentation is "
        '<a href="../rust/permove_core/index.html">built by rustdoc</a>. It is not published as a crate, and its '
        "interface may change with every release; plug-ins use a [stable one](../how-to/own-agent.md).\n"
    )


def executed(path: Path) -> Iterator[tuple[str, str | bytes]]:
    """Execute a notebook, and yield it as a page with its pictures."""
    notebook = nbformat.read(path, as_version=4)
    folder = ROOT / "target" / "notebooks" / path.stem
    folder.mkdir(parents=True, exist_ok=True)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    parts = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            data = output.get("data", {})
            if output.output_type == "error":
                raise ValueError(f"{path.name}, cell {number}: {output.evalue}")
            if "image/svg+xml" in data:
                name = f"{path.stem}-{number}.svg"
                yield name, data["image/svg+xml"]
                parts.append(f"![Output of the cell above]({name})")
            elif "image/png" in data:
                name = f"{path.stem}-{number}.png"
                yield name, base64.b64decode(data["image/png"])
                parts.append(f"![Output of the cell above]({name})")
            elif "text/html" in data:
                parts.append(f'<div class="output">{data["text/html"]}</div>'.replace("\n\n", "\n"))
            elif "text/plain" in data or output.output_type == "stream":
                parts.append(f"```text\n{data.get('text/plain', output.get('text', ''))}\n```")
    yield f"{path.stem}.md", "\n\n".join(parts) + "\n"
