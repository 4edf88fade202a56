"""The notation of per-map-selection-2016 as a second form of specs: `2.654·median_0.153(2.486·c+h)+da+E`.

Also its names for known algorithms of that space, as in `daLRTA*+E` and `7-daLRTA*`, whose weight is that of the cost
of a move.
"""

import re

_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_TIMES = r"\s*[·*×]\s*"
_FORMULA = re.compile(
    rf"\s*(?:(?P<w>{_NUMBER}){_TIMES})?(?P<lop>[a-z]+)(?:_(?P<b>{_NUMBER}))?"
    rf"\s*\(\s*(?:(?P<wc>{_NUMBER}){_TIMES})?c\s*\+\s*h\s*\)"
    r"(?P<da>\s*\+\s*da)?(?P<E>\s*\+\s*E)?\s*"
)
_NAME = re.compile(rf"\s*(?:(?P<weight>{_NUMBER})-)?(?P<da>da-?)?LRTA\*?(?P<E>\s*\+\s*E)?\s*", re.IGNORECASE)


def spec_of(text: str) -> str | None:
    """The spec that a text in the paper's notation stands for; none where it is not in that notation."""
    if match := _FORMULA.fullmatch(text):
        values = {name: match[name] for name in ("w", "wc", "b", "lop") if match[name]}
        return _spec("param", values | _flags(match, "da", "E"))
    match = _NAME.fullmatch(text)
    # What is left is a name like any other.
    if match is None or not (match["weight"] or match["E"] or match["da"]):
        return None
    if match["da"]:
        weight = {"wc": match["weight"]} if match["weight"] else {}
        return _spec("da-lrta", weight | _flags(match, "E"))
    return _spec("w-lrta", {"w": match["weight"] or "1"} | _flags(match, "E"))


def _flags(match: re.Match[str], *names: str) -> dict[str, str]:
    return {name: "yes" for name in names if match[name]}


def _spec(name: str, values: dict[str, str]) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in values.items())})"
