"""Results of all reproductions in a folder, from the JSON files that `permove reproduce --save` writes."""

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
        "reproduced": pl.String(),
        "differences": pl.String(),
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
    """Return one row per report in a folder, in the order of the papers and of the numbers of their items.

    | column | meaning |
    | --- | --- |
    | paper, title, item, about | the paper, and the item of it |
    | reproduced, differences | reproduced results of the paper, and the others with the reasons |
    | path, picture | path of the report in the folder, without suffix, and whether it has a picture |
    | passed | whether everything that is judged agrees; null if nothing is judged |
    | near, judged | judged values within tolerance, and all judged values |
    | entries_agree, entries | printed entries that agree, and the comparable ones |
    | hold, statements, timed_hold, timed | statements that hold, and the checked ones; timed ones separately |
    | unchecked | statements that were not checked |
    | machine, revision, date | machine, revision and date of the measurement; null if unknown |
    """
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}; `permove reproduce ITEM --save {folder}` creates it")
    known = {paper.key: paper for paper in papers}
    rows = [_row(folder, path, known) for path in sorted(folder.glob("*/**/*.json"))]
    if not rows:
        raise InputError(f"{folder} has no reports; `permove reproduce ITEM --save {folder}` writes one")
    order = {key: place for place, key in enumerate(known)}
    # Unknown papers come last.
    rows.sort(key=lambda row: (order.get(row["paper"], len(order)), row["paper"], _natural(row["item"])))
    return pl.DataFrame(rows, schema=SUMMARY)


def _row(folder: Path, path: Path, known: dict[str, Paper]) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
        tolerance = content["tolerance"]
        judged = [figure for figure in content["figures"] if figure["judged"]]
        near = [
            each for each in judged if each["difference"] is not None and abs(each["difference"]) <= tolerance["near"]
        ]
        compared = [entry["agrees"] for entry in content.get("entries", ()) if entry["agrees"] is not None]
        checked = [each for each in content["statements"] if each["holds"] is not None]
        untimed = [each["holds"] for each in checked if not each["timed"]]
        timed = [each["holds"] for each in checked if each["timed"]]
        facts, title, passed = content["facts"], content["title"], content["passed"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a report or is damaged; save it again, or remove it") from error
    name = path.relative_to(folder).with_suffix("")
    paper = known.get(name.parts[0], Paper(name.parts[0], name.parts[0], ()))
    revision = re.search(r"revision (\S+?)(?:,|$)", facts.get("permove", ""))
    machine = "; ".join(filter(None, [facts.get("processor"), facts.get("system")]))
    return {
        "paper": paper.key,
        "title": paper.title,
        "reproduced": paper.reproduced,
        "differences": paper.differences,
        "item": "/".join(name.parts[1:]),
        "about": _about(title, paper.title),
        "path": name.as_posix(),
        "picture": path.with_suffix(".svg").is_file(),
        "passed": passed if judged or untimed else None,
        "near": len(near),
        "judged": len(judged),
        "entries_agree": sum(compared),
        "entries": len(compared),
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
    """The title of a report without the title of the paper."""
    first, _, rest = title.partition(", ")
    return rest if rest and first in paper else title


def _natural(name: str) -> tuple[tuple[int, str, int], ...]:
    """A sort key that puts table-9 before table-10, and subfolders last."""
    words = re.findall(r"\d+|\D+", name)
    return ((name.count("/"), "", 0), *((0, word, 0) if not word.isdecimal() else (0, "", int(word)) for word in words))
