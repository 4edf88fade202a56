"""Replays: traces as a page that plays them, one alone or several side by side.

Long lists of numbers are stored as differences between neighbours, in a variable number of 7-bit groups, deflated: a
trace of a hundred thousand moves takes one or two megabytes. The script stores the changes of each move, so it can play
them forward and backward.
"""

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from permove.records.traces import Trace
from permove.report.page import page

PARTS = 10
"""Resolution of heuristic values: parts per unit of cost."""

REMOVED = 1_000_000_000
"""Rise of the heuristic of a removed state, in those parts."""


def replay_page(traces: Sequence[Trace]) -> str:
    """Return the page of one trace, or of several on the same problem that play in step."""
    first = traces[0]
    facts, (height, width) = first.facts, first.letters.shape
    problem = f"problem {facts.problem} of {facts.set}/{facts.map}" if facts.set else facts.map
    title = f"{' and '.join(trace.facts.label for trace in traces)} on {problem}"
    content = {
        "width": width,
        "height": height,
        "letters": _deflated(first.letters.tobytes()),
        "problem": problem,
        "goal": facts.goal[1] * width + facts.goal[0],
        "optimal": facts.optimal,
        "sensor": facts.sensor,
        "diagonal": facts.diagonal,
        "parts": PARTS,
        "removed": REMOVED,
        "traces": [_packed_trace(trace) for trace in traces],
    }
    return page("replay", title, content, kind="replay")


def _packed_trace(trace: Trace) -> dict[str, Any]:
    facts = trace.facts
    ends = trace.ends.astype(np.int64)
    return {
        "agent": facts.agent,
        "label": facts.label,
        "status": facts.status,
        "reason": facts.reason,
        "cells": packed(_steps(trace.cells)),
        "expanded": packed(trace.expanded),
        "expansions": packed(_steps(trace.expansions)),
        "rises": packed(_steps(trace.rises)),
        "risenBy": packed(_growth(trace)),
        "discovered": packed(_steps(trace.discovered)),
        **{
            f"{name}Counts": packed(_steps(ends[:, column]))
            for column, name in enumerate(("expansions", "rises", "discovered"))
        },
    }


def _growth(trace: Trace) -> NDArray[np.int64]:
    """Return by how much each rise changes the value of its cell, so that it can be undone."""
    heights = np.where(np.isinf(trace.risen), REMOVED, np.rint(np.minimum(trace.risen, REMOVED // 20) * PARTS))
    heights = heights.astype(np.int64)
    by_cell = np.argsort(trace.rises, kind="stable")
    is_first = np.diff(trace.rises[by_cell].astype(np.int64), prepend=-1) != 0
    growth = np.empty_like(heights)
    growth[by_cell] = np.where(is_first, heights[by_cell], np.diff(heights[by_cell], prepend=0))
    return growth


def _steps(numbers: ArrayLike) -> NDArray[np.int64]:
    """Return the first number, then the differences between neighbours."""
    steps = np.array(numbers, np.int64)
    steps[1:] -= steps[:-1].copy()
    return steps


def packed(numbers: ArrayLike) -> str:
    """Return integers as text; numbers close to 0 take fewer bytes."""
    signed = np.asarray(numbers, np.int64)
    remaining = ((signed << 1) ^ (signed >> 63)).astype(np.uint64)  # 0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ...
    septets = []
    while True:
        more = remaining >= 0x80
        septets.append(((remaining & 0x7F) | (more * np.uint64(0x80))).astype(np.uint8))
        if not more.any():
            break
        remaining = remaining >> np.uint64(7)
    # A number ends at its first septet below 0x80; later columns belong to longer numbers.
    table = np.stack(septets, axis=1)
    is_part = np.ones(table.shape, bool)
    is_part[:, 1:] = np.logical_and.accumulate(table[:, :-1] >= 0x80, axis=1)
    return _deflated(table[is_part].tobytes())


def _deflated(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()
