"""References of agents as BibTeX, found by the `paper` of their entry in the catalogue.

A reference in the catalogue is the key of a paper, as in `rtaa-2006, Figure 1`, or names and a year, as in `Korf 1990`,
whose key is the first name and the year: `korf-1990`. `citations.bib` has an entry for each key.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from permove import _core

BENCHMARKS = "sturtevant-2012"
"""The reference for MovingAI's maps and problems."""

_NAMES_AND_YEAR = re.compile(r"(?P<name>[^\W\d]+).*? (?P<year>\d{4})")


@cache
def entries() -> dict[str, str]:
    """Return all entries of `citations.bib` by their keys."""
    text = Path(__file__).with_suffix(".bib").read_text(encoding="utf-8")
    return {re.findall(r"\{(\S+),", entry)[0]: entry.strip() for entry in text.split("\n\n")}


def keys_of(paper: str) -> list[str]:
    """Return the keys of the references in the `paper` of a catalogue entry; some may have no entry."""
    parts = [part.strip() for part in paper.split(";")]
    return [_key(part) for part in parts]


def _key(reference: str) -> str:
    key = reference.partition(",")[0]
    match = _NAMES_AND_YEAR.match(reference)
    if key in entries() or match is None:
        return key
    name = unicodedata.normalize("NFD", match["name"]).encode("ascii", "ignore").decode()
    return f"{name.lower()}-{match['year']}"


def bibtex(agents: Iterable[str], *, benchmarks: bool = False) -> str:
    """Return the references of some agents, given by their specs, and of permove itself.

    With `benchmarks`, the reference for MovingAI's maps is included. Agents that are not in the catalogue are named in
    a comment.
    """
    catalogue = {info.name: info for info in _core.catalogue()}
    names = {spec.partition("(")[0]: spec for spec in agents}
    wanted = {key for name in names if name in catalogue for key in keys_of(catalogue[name].paper)}
    wanted |= {BENCHMARKS} if benchmarks else set()
    others = [
        f"% {spec} is not in permove's catalogue: cite its authors."
        for name, spec in names.items()
        if name not in catalogue
    ]
    own = f"""\
@software{{permove,
  author = {{{{permove contributors}}}},
  title = {{permove: a benchmark harness for real-time heuristic search}},
  version = {{{version("permove")}}}
}}"""
    return "\n\n".join([own, *(entry for key, entry in entries().items() if key in wanted), *others]) + "\n"
