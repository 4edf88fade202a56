"""Table of pattern databases, with the build times that dynamic-control-2008 reports for comparable ones."""

from typing import Final

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from permove.common.units import format_duration
from permove.report.formats import number
from permove.report.table import facts_table, headed_table

_PUBLISHED: Final = {
    "subgoals": (
        "est. 2 years",
        "est. 1.5 months",
        "est. 4 days",
        "13 hours",
        "3 hours",
        "1 hour",
        "24 minutes",
        "10 minutes",
    ),
    "depths": (
        "est. 350 years",
        "est. 25 years",
        "est. 2 years",
        "73 days",
        "10.3 days",
        "1.7 days",
        "9.8 hours",
        "2.5 hours",
    ),
}
"""Build times in dynamic-control-2008 by level: Table 5 for intermediate goals, Table 13 for global goals."""

PUBLISHED_SIZE: Final = (512, 512)
"""Size of the average map in those tables."""


def published(kind: str, base: int, level: int, size: tuple[int, int] | None) -> str | None:
    """Return the build time that the paper reports for a map of this size, if any."""
    times = _PUBLISHED[kind]
    return times[level] if size == PUBLISHED_SIZE and base == 0 and level < len(times) else None


def databases_table(frame: pl.DataFrame, title: str) -> RenderableType:
    """Return a terminal table of databases: details of one or two, or a row for each of many."""
    heading = Text(title, style="bold")
    if frame.is_empty():
        return Group(heading, Text("None; `permove pdb build MAP -l 3` builds one."))
    if frame.height <= 2:
        parts: list[RenderableType] = []
        for row in frame.iter_rows(named=True):
            parts += [Text(), facts_table(_facts(row))]
        return Group(heading, *parts)
    table = headed_table("map", "kind", "base", "level", "abstraction", "path", "regions", "size", "time", "published")
    for row in frame.iter_rows(named=True):
        table.add_row(
            row["map"],
            row["kind"],
            number(row["base"]),
            number(row["level"]),
            row["abstraction"],
            row["path"] if row["kind"] == "subgoals" else "–",
            number(row["regions"]),
            format_bytes(row["bytes"]),
            format_duration(row["build_ns"]),
            row["published"] or "–",
        )
    total = f"{frame.height} databases, {format_bytes(int(frame['bytes'].sum()))}"
    return Group(heading, table, Text(total))


def format_bytes(count: int) -> str:
    """Format a number of bytes to three digits, in a suitable unit."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"


def _facts(row: dict[str, object]) -> dict[str, str]:
    pairs, searched, size = (_integer(row[name]) for name in ("pairs", "searched", "bytes"))
    threads = "one thread" if row["threads"] == 1 else f"{row['threads']} threads"
    time = f"{format_duration(_integer(row['build_ns']))} on {threads}"
    return {
        "map": str(row["map"]),
        "kind": str(row["kind"]),
        "level": f"{row['level']}" + (f", for agents on level {row['base']}" if row["base"] else ""),
        "abstraction": str(row["abstraction"]) + (f", {row['path']} moves first" if row["kind"] == "subgoals" else ""),
        "regions": number(_integer(row["regions"])),
        "pairs": number(pairs),
        "searched": f"{number(searched)} depths, {number(100 * searched / max(1, pairs))}% of the pairs",
        "largest depth": number(_integer(row["max_depth"])),
        "size": f"{format_bytes(size)}, {number(size / max(1, pairs))} bytes per pair",
        "build time": time + (f"; published: {row['published']}" if row["published"] else ""),
        "file": str(row["file"]),
    }


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value
