"""Durations as people write them, `1ms` or `500us`, and as tables print them."""

import math
import re

from permove.errors import InputError

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_DURATION = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s)\s*")


def parse_duration(duration: str | float) -> int:
    """A duration in nanoseconds, from text with its unit or from a number of seconds."""
    if isinstance(duration, str):
        match = _DURATION.fullmatch(duration)
        nanoseconds = float(match[1]) * _UNITS[match[2]] if match else math.nan
    else:
        nanoseconds = duration * _UNITS["s"]
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
