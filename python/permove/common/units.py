"""Durations (`1ms`, `500us`) and memory sizes (`512kB`, `64MiB`), parsed from text and formatted for tables."""

import math
import re

from permove.common.errors import InputError

_TIMES = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_DURATION = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s)\s*")
_SIZES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*")


def parse_duration(duration: str | float) -> int:
    """Return a duration in nanoseconds, given text with a unit or a number of seconds."""
    if isinstance(duration, str):
        match = _DURATION.fullmatch(duration)
        nanoseconds = float(match[1]) * _TIMES[match[2]] if match else math.nan
    else:
        nanoseconds = duration * _TIMES["s"]
    if not 1 <= nanoseconds < 2**63:
        raise InputError(f"invalid duration '{duration}'; use a number with a unit, such as 500us, 1ms or 2s")
    return round(nanoseconds)


def format_duration(nanoseconds: float | None, digits: int = 3) -> str:
    """Format a duration with `digits` significant digits, in a suitable unit."""
    if nanoseconds is None:
        return "–"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        rounded = float(f"{nanoseconds / size:.{digits}g}")
        if rounded >= 1:
            return f"{rounded:.{max(digits, len(str(int(rounded))))}g} {unit}"
    return f"{float(f'{nanoseconds:.{digits}g}'):.0f} ns"


def parse_size(size: str | int) -> int:
    """Return a size in bytes, given text with a unit or a number of bytes."""
    if isinstance(size, int):
        return size
    match = _SIZE.fullmatch(size)
    units = {unit.lower(): bytes_each for unit, bytes_each in _SIZES.items()}
    size_in_bytes = float(match[1]) * units.get(match[2].lower(), math.nan) if match else math.nan
    if not size_in_bytes < 2**63:
        raise InputError(f"invalid size '{size}'; use a number with a unit, such as 512kB, 10MB or 1GiB")
    return int(size_in_bytes)


def parse_share(share: str | float) -> float:
    """Return a share from 0 to 1, given as a number or as text with a percent sign."""
    if not isinstance(share, str):
        return float(share)
    number, percent, rest = share.strip().partition("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    if rest or not 0 <= value <= 1:
        raise InputError(f"invalid share '{share}'; use a percentage such as 0.1%")
    return value


def format_size(size: float | None) -> str:
    """Format a size with three significant digits, in a suitable unit."""
    if size is None:
        return "–"
    for unit in ("GB", "MB", "kB"):
        if size >= _SIZES[unit]:
            return f"{size / _SIZES[unit]:.3g} {unit}"
    return f"{size:.0f} B"
