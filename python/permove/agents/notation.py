"""The notation of per-map-selection-2016 as a second form of specs: `2.654·median_0.153(2.486·c+h)+da+E`.

The paper's names for known algorithms of that space are also read, as in `daLRTA*+E` and `7-daLRTA*`. In `7-daLRTA*`,
7 is the weight of the cost of a move.
"""

import re
from typing import NamedTuple

_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_TIMES = r"\s*[·*×]\s*"
_FORMULA = re.compile(
    rf"\s*(?:(?P<w>{_NUMBER}){_TIMES})?(?P<lop>[a-z]+)(?:_(?P<b>{_NUMBER}))?"
    rf"\s*\(\s*(?:(?P<wc>{_NUMBER}){_TIMES})?c\s*\+\s*h\s*\)"
    r"(?P<da>\s*\+\s*da)?(?P<E>\s*\+\s*E)?\s*"
)
_NAME = re.compile(rf"\s*(?:(?P<weight>{_NUMBER})-)?(?P<da>da-?)?LRTA\*?(?P<E>\s*\+\s*E)?\s*", re.IGNORECASE)


class Part(NamedTuple):
    """A parameter: its name, its value, and its position in the text."""

    name: str
    value: str
    position: int


class Formula(NamedTuple):
    """An agent in the paper's notation: its name in the catalogue, and its parameters."""

    name: str
    parts: tuple[Part, ...]


def read(text: str) -> Formula | None:
    """Parse a text in the paper's notation; return `None` if it is not in that notation."""
    if match := _FORMULA.fullmatch(text):
        return Formula("param", (*_values(match, w="w", wc="wc", b="b", lop="lop"), *_flags(match, "da", "E")))
    match = _NAME.fullmatch(text)
    # Plain "LRTA*" is a name of the catalogue.
    if match is None or not (match["weight"] or match["E"] or match["da"]):
        return None
    if match["da"]:
        return Formula("da-lrta", (*_values(match, wc="weight"), *_flags(match, "E")))
    weight = _values(match, w="weight") or [Part("w", "1", match.start())]
    return Formula("w-lrta", (*weight, *_flags(match, "E")))


def _values(match: re.Match[str], **groups: str) -> list[Part]:
    """Return the parameters whose groups have matched."""
    return [Part(name, match[group], match.start(group)) for name, group in groups.items() if match[group]]


def _flags(match: re.Match[str], *names: str) -> list[Part]:
    """Return the flags that are set. Their groups include the plus sign before the name."""
    return [Part(name, "yes", match.end(name) - len(name)) for name in names if match[name]]
