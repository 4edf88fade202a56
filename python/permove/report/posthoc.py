"""Search traces for the Posthoc visualiser, https://posthoc.pathfinding.ai, in its format 1.4.0.

The file is JSON, which is also valid YAML, so it may have either suffix. Events form a tree: the parent of a move is
the previous move, and the parent of an expansion, update or discovery is the agent's current move. Cells have their map
coordinates, x to the right and y down, so that the `.map` file can be shown as a layer below.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from permove.records.traces import Trace

VERSION = "1.4.0"
SUFFIXES = (".trace.yaml", ".trace.json")

_AT = {"x": "${{ $.x }}", "y": "${{ $.y }}", "width": 1, "height": 1}
_MIDDLE = {"x": "${{ $.x + 0.5 }}", "y": "${{ $.y + 0.5 }}"}


def _cell(type: str, fill: str, *, alpha: float | str = 1, clear: bool = False) -> dict[str, Any]:
    """Return the drawing of an event's cell; with `clear`, only while the event is the latest."""
    return {"$": "rect", **_AT, "fill": fill, "alpha": alpha, "clear": clear, "$if": f"${{{{ $.type == '{type}' }}}}"}


def _disc(type: str, fill: str, radius: float, *, clear: bool = False) -> dict[str, Any]:
    condition = f"${{{{ $.type == '{type}' }}}}"
    return {"$": "circle", **_MIDDLE, "radius": radius, "fill": fill, "clear": clear, "$if": condition}


VIEWS = {
    "main": [
        _cell("discover", "#2c2c34"),
        _cell("expand", "#7ab29c", alpha=0.5),
        _cell("learn", "#e0362c", alpha="${{ $.share }}"),
        _cell("remove", "#7d1567"),
        _cell("move", "#2b57f0", alpha=0.6),
        _cell("expand", "#19d3f3", clear=True),
        _disc("move", "#1b2cc1", 0.9, clear=True),
        _disc("source", "#14a03c", 0.8),
        _disc("destination", "#dc148c", 0.8),
    ]
}


def search_trace(trace: Trace) -> str:
    """Return a trace as a Posthoc search trace, one event per line."""
    head = {"version": VERSION, "views": VIEWS, "pivot": {**_MIDDLE, "scale": 1}}
    events = ",\n".join(json.dumps(event, separators=(",", ":")) for event in _events(trace))
    return f'{json.dumps(head, indent=1)[:-2]},\n "events": [\n{events}\n]}}\n'


def _events(trace: Trace) -> Iterator[dict[str, Any]]:
    facts, (height, width) = trace.facts, trace.letters.shape
    rows, columns = np.divmod(np.arange(height * width), width)
    across, down = np.abs(columns - facts.goal[0]), np.abs(rows - facts.goal[1])
    more = 1.0 if facts.diagonal == "none" else math.sqrt(2) - 1
    initial = np.maximum(across, down) + more * np.minimum(across, down)
    h: list[float] = initial.tolist()
    finite = trace.risen[np.isfinite(trace.risen)]
    highest = max(float(finite.max(initial=0)), 1e-9)

    def at(cell: int) -> dict[str, int]:
        y, x = divmod(cell, width)
        return {"x": x, "y": y}

    path: list[int] = trace.cells.tolist()
    yield {"type": "source", "id": "m0", "pId": None, **at(path[0]), "g": 0, "h": _round(h[path[0]])}
    yield {"type": "destination", "id": "goal", "pId": None, "x": facts.goal[0], "y": facts.goal[1]}
    ends: list[list[int]] = trace.ends.tolist()
    expansions, rises, risen = trace.expansions.tolist(), trace.rises.tolist(), trace.risen.tolist()
    discovered = trace.discovered.tolist()
    g, before = 0.0, [0, 0, 0]
    for move, end in enumerate(ends):
        parent = f"m{max(min(move, len(path)) - 1, 0)}"
        for n in range(before[0], end[0]):
            cell = expansions[n]
            yield {"type": "expand", "id": f"e{n}", "pId": parent, **at(cell), "h": _round(h[cell]), "move": move}
        for n in range(before[1], end[1]):
            cell = rises[n]
            event: dict[str, Any] = {"id": f"h{n}", "pId": parent, **at(cell)}
            if math.isinf(risen[n]):
                yield {"type": "remove", **event}
            else:
                h[cell] = float(initial[cell]) + risen[n]
                share = _round(0.15 + 0.85 * math.sqrt(risen[n] / highest))
                yield {"type": "learn", **event, "h": _round(h[cell]), "share": share}
        current = parent
        if 0 < move < len(path):
            cell, current = path[move], f"m{move}"
            g += 1.0 if abs(cell - path[move - 1]) in (1, width) else math.sqrt(2)
            values = {"f": _round(g + h[cell]), "g": _round(g), "h": _round(h[cell])}
            yield {"type": "move", "id": current, "pId": parent, **at(cell), **values}
        for n in range(before[2], end[2]):
            yield {"type": "discover", "id": f"d{n}", "pId": current, **at(discovered[n])}
        before = end


def _round(value: float) -> float:
    return round(value, 4)
