"""What reproductions have come to, from the JSON files that `permove reproduce --save` wrote: one row for each."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from permove.common.errors import InputError
from permove.papers.item import Paper

SUMMARY = pl.Schema(
    {
        "paper": pl.String(),
        "title": pl.String(),
        "item": pl.String(),
        "about": pl.String(),
        "path": pl.String(),
        "picture": pl.Boolean(),
        "passed": pl.Boolean(),
        "near": pl.Int64(),
        "judged": pl.Int64(),
        "entries_agree": pl.Int64(),
        "entries": pl.Int64(),
        "hold": pl.Int64(),
        "statements": pl.Int64(),
        "timed_hold": pl.Int64(),
        "timed": pl.Int64(),
        "unchecked": pl.Int64(),
        "machine": pl.String(),
        "revision": pl.String(),
        "date": pl.String(),
    }
)
"""The columns of `summary`."""


def summary(folder: Path, papers: Iterable[Paper]) -> pl.DataFrame:
    """One row for each report in a folder, paper by paper as they are listed, their items along their numbers.

    | column | meaning |
    | --- | --- |
    | paper, title, item, about | which paper, and what of it |
    | path, picture | where the report is in the folder, without its suffix, and whether it has a picture |
    | passed | whether nothing that is judged disagrees; nothing where nothing is judged |
    | near, judged | how many figures are within tolerance, of those that have to be |
    | entries_agree, entries | how many printed entries agree, of those that can be told |
    | hold, statements, timed_hold, timed | how many statements hold, of those that were checked; those on time apart |
    | unchecked | how many were not checked |
    | machine, revision, date | what made it; nothing where the report does not say |
    """
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}; `permove reproduce ITEM --save {folder}` makes one")
    titles = {paper.key: paper.title for paper in papers}
    rows = [_row(folder, path, titles) for path in sorted(folder.glob("*/**/*.json"))]
    if not rows:
        raise InputError(f"{folder} has no reports; `permove reproduce ITEM --save {folder}` writes one")
    order = list(titles)
    rows.sort(key=lambda row: (_place(order, row["paper"]), row["paper"], _natural(row["item"])))
    return pl.DataFrame(rows, schema=SUMMARY)


def _row(folder: Path, path: Path, titles: dict[str, str]) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
        tolerance = content["tolerance"]
        judged = [figure for figure in content["figures"] if figure["judged"]]
        near = [
            each for each in judged if each["difference"] is not None and abs(each["difference"]) <= tolerance["near"]
        ]
        told = [entry["agrees"] for entry in content.get("entries", ()) if entry["agrees"] is not None]
        checked = [each for each in content["statements"] if each["holds"] is not None]
        untimed = [each["holds"] for each in checked if not each["timed"]]
        timed = [each["holds"] for each in checked if each["timed"]]
        facts, title, passed = content["facts"], content["title"], content["passed"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a report or is damaged; save it anew, or move it away") from error
    name = path.relative_to(folder).with_suffix("")
    paper = name.parts[0]
    revision = re.search(r"revision (\S+?)(?:,|$)", facts.get("permove", ""))
    machine = "; ".join(filter(None, [facts.get("processor"), facts.get("system")]))
    return {
        "paper": paper,
        "title": titles.get(paper, paper),
        "item": "/".join(name.parts[1:]),
        "about": _about(title, titles.get(paper, "")),
        "path": name.as_posix(),
        "picture": path.with_suffix(".svg").is_file(),
        "passed": passed if judged or untimed else None,
        "near": len(near),
        "judged": len(judged),
        "entries_agree": sum(told),
        "entries": len(told),
        "hold": sum(untimed),
        "statements": len(untimed),
        "timed_hold": sum(timed),
        "timed": len(timed),
        "unchecked": len(content["statements"]) - len(checked),
        "machine": machine or None,
        "revision": revision[1] if revision else None,
        "date": facts.get("date"),
    }


def _about(title: str, paper: str) -> str:
    """The title of a report without that of the paper, which stands above it."""
    first, _, rest = title.partition(", ")
    return rest if rest and first in paper else title


def _place(order: list[str], paper: str) -> int:
    """Papers that nobody lists any more come last."""
    return order.index(paper) if paper in order else len(order)


def _natural(name: str) -> tuple[tuple[int, str, int], ...]:
    """An order in which table-9 comes before table-10, and what is in a folder of its own comes last."""
    words = re.findall(r"\d+|\D+", name)
    return ((name.count("/"), "", 0), *((0, word, 0) if not word.isdecimal() else (0, "", int(word)) for word in words))
