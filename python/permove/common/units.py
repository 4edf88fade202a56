"""Durations (`1ms`, `500us`) and sizes in memory (`512kB`, `64MiB`): parsed from text and formatted for tables."""

import math
import re

from permove.common.errors import InputError

_TIMES = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_DURATION = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s)\s*")
_SIZES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*")


def parse_duration(duration: str | float) -> int:
    """A duration in nanoseconds, from text with its unit or from a number of seconds."""
    if isinstance(duration, str):
        match = _DURATION.fullmatch(duration)
        nanoseconds = float(match[1]) * _TIMES[match[2]] if match else math.nan
    else:
        nanoseconds = duration * _TIMES["s"]
    if not 1 <= nanoseconds < 2**63:
        raise InputError(f"'{duration}' is not a duration; write a number and its unit, as in 500us, 1ms or 2s")
    return round(nanoseconds)


def format_duration(nanoseconds: float | None, digits: int = 3) -> str:
    """A duration to three digits or more, in the unit that fits it."""
    if nanoseconds is None:
        return "–"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.{digits}g} {unit}"
    return f"{nanoseconds:.0f} ns"


def parse_size(size: str | int) -> int:
    """A size in bytes, from text with its unit or from a number of bytes."""
    if isinstance(size, int):
        return size
    match = _SIZE.fullmatch(size)
    units = {unit.lower(): bytes_each for unit, bytes_each in _SIZES.items()}
    size_in_bytes = float(match[1]) * units.get(match[2].lower(), math.nan) if match else math.nan
    if not size_in_bytes < 2**63:
        raise InputError(f"'{size}' is not a size; write a number and its unit, as in 512kB, 10MB or 1GiB")
    return int(size_in_bytes)


def format_size(size: float | None) -> str:
    """A size to three digits, in the unit that fits it."""
    if size is None:
        return "–"
    for unit in ("GB", "MB", "kB"):
        if size >= _SIZES[unit]:
            return f"{size / _SIZES[unit]:.3g} {unit}"
    return f"{size:.0f} B"
