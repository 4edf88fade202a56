"""Sizes in memory as people write them, `512kB` or `64MiB`, and as tables print them."""

import math
import re

from permove.errors import InputError

_UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*")


def parse_size(size: str | int) -> int:
    """A size in bytes, from text with its unit or from a number of bytes."""
    if isinstance(size, int):
        return size
    match = _SIZE.fullmatch(size)
    units = {unit.lower(): bytes_each for unit, bytes_each in _UNITS.items()}
    size_in_bytes = float(match[1]) * units.get(match[2].lower(), math.nan) if match else math.nan
    if not size_in_bytes < 2**63:
        raise InputError(f"'{size}' is not a size; write a number and its unit, as in 512kB, 10MB or 1GiB")
    return int(size_in_bytes)


def format_size(size: float | None) -> str:
    """A size to three digits, in the unit that fits it."""
    if size is None:
        return "–"
    for unit in ("GB", "MB", "kB"):
        if size >= _UNITS[unit]:
            return f"{size / _UNITS[unit]:.3g} {unit}"
    return f"{size:.0f} B"
