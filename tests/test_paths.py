"""An independent validator of trials: it reads maps and applies movement rules and sensors with its own code.

It checks every move, expansion and discovery of a trial, and the counts in its record, for all samples of all agents.
`PERMOVE_VALIDATED_MOVES` sets the number of moves of the long trials.
"""

import heapq
import json
import os
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from data_files import write_files
from permove import _core, pdb
from permove.agents.specs import parse
from permove.pdb.build import NoSuchLevelError
from permove.records.settings import Settings
from test_golden import NODES, TREE, samples

MOVES = int(os.environ.get("PERMOVE_VALIDATED_MOVES", 10_000_000))
ROOT = 2**0.5
FREE = frozenset(b".GS")
SENSORS = ("all", "square(2)", "cross")
ALPHA = 30.0

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Room:
    """A map as its file states it."""

    text: bytes
    rule: str

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        rows = self.text.split(b"map\n", 1)[1].split()
        return np.array([[letter in FREE for letter in row] for row in rows])

    @property
    def width(self) -> int:
        return int(self.free.shape[1])

    @cached_property
    def _padded(self) -> NDArray[np.bool_]:
        return np.pad(self.free, 1).ravel()

    def is_free(self, x: Cells, y: Cells) -> NDArray[np.bool_]:
        """Return which cells on the map or next to it are free."""
        return self._padded[(y + 1) * (self.width + 2) + x + 1]

    def is_legal(self, start: Cells, end: Cells) -> NDArray[np.bool_]:
        """Return which moves between rows of x and y are legal."""
        (x, y), (to_x, to_y) = start.T, end.T
        near = np.maximum(abs(to_x - x), abs(to_y - y)) == 1
        diagonal = (x != to_x) & (y != to_y)
        around = self.is_free(to_x, y) & self.is_free(x, to_y)
        allowed = {"strict": ~diagonal | around, "free": True, "none": ~diagonal}[self.rule]
        return near & self.is_free(x, y) & self.is_free(to_x, to_y) & allowed

    @cache  # noqa: B019 - there are few maps
    def distances(self, start: tuple[int, int]) -> dict[tuple[int, int], float]:
        """Return the distance of each reachable cell, by Dijkstra's algorithm."""
        found: dict[tuple[int, int], float] = {}
        queue = [(0.0, start)]
        steps = np.array([(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy])
        while queue:
            cost, at = heapq.heappop(queue)
            if at in found:
                continue
            found[at] = cost
            ends = np.array(at) + steps
            for x, y in ends[self.is_legal(np.tile(at, (8, 1)), ends)].tolist():
                if (x, y) not in found:
                    heapq.heappush(queue, (cost + (ROOT if x != at[0] and y != at[1] else 1.0), (x, y)))
        return found


@dataclass
class Trial:
    """A trial with its record, to be checked move by move."""

    room: Room
    start: tuple[int, int]
    goal: tuple[int, int]
    optimum: float
    sensor: str
    trace: _core.Trace
    settings: Settings
    faults: list[str] = field(default_factory=list)

    def check(self) -> int:
        """Raise an error that names all violations, and return the number of moves."""
        cells, record = self.trace.cells.astype(np.int64), pl.DataFrame(self.trace.record).row(0, named=True)
        moved = np.abs(np.diff(cells, axis=0)).sum(axis=1)
        self._expect("starts at the start", tuple(cells[0]) == self.start)
        self._expect("moves legally", self.room.is_legal(cells[:-1], cells[1:]).all())
        arrived = (cells == np.array(self.goal)).all(axis=1)
        solved = record["status"] == "solved"
        self._expect("ends when it arrives", not arrived[:-1].any() and bool(arrived[-1]) == solved)
        travel = (moved == 1).sum() + ROOT * (moved == 2).sum()
        self._expect("has the travel of its path", abs(travel - record["travel"]) <= 1e-9 * travel)
        self._expect("has the number of its moves", record["moves"] == len(moved))
        if solved:
            self._expect("has the cost of its path", record["cost"] == record["travel"])
            self._expect("is not better than the optimum", travel >= self.optimum * (1 - 1e-9))
            ratio = travel / self.optimum
            self._expect("has the ratio to the optimum", abs(record["suboptimality"] - ratio) <= 1e-9 * ratio)
        visits = np.bincount(cells[:, 1] * self.room.width + cells[:, 0])
        visits = visits[visits > 0]
        self._expect("has the most visits to a state", record["visits_max"] == visits.max())
        self._expect("has the mean visits", abs(record["visits_per_state"] - visits.mean()) <= 1e-9 * visits.mean())
        self._check_effort(record)
        self._check_knowledge(cells)
        assert not self.faults, f"does not hold: {'; '.join(self.faults)}"
        return len(moved)

    def _check_effort(self, record: dict[str, float]) -> None:
        for name in ("expanded", "touched"):
            effort = getattr(self.trace, name)
            self._expect(f"{name} as much as all moves", record[name] == effort.sum())
            self._expect(f"{name} as much as its worst move", record[f"{name}_max"] == effort.max(initial=0))
            self._expect(f"{name} as much as its first move", record[f"first_move_{name}"] == effort[:1].sum())
        expanded = self.trace.expanded
        if expanded.any():
            self._expect("names the worst move", record["expanded_max_move"] == expanded.argmax() + 1)
        self._expect("expands no more than it counts", len(self.trace.expansions) <= expanded.sum())
        if self.settings.cutoff is not None:
            self._expect("meets the cutoff", (expanded[:-1] <= self.settings.cutoff).all())

    def _check_knowledge(self, cells: Cells) -> None:
        """Check that the agent discovers what it sees."""
        found, expansions = self.trace.discovered.astype(np.int64), self.trace.expansions.astype(np.int64)
        ends = self.trace.ends.astype(np.int64)
        if self.sensor == "all":
            self._expect("discovers nothing", not len(found))
            self._expect("expands free cells", self.room.is_free(*expansions.T).all())
            return
        at_discovery = np.searchsorted(ends[:, 2], np.arange(len(found)), side="right")
        self._expect("discovers each cell once", len(np.unique(found, axis=0)) == len(found))
        self._expect("discovers blocked cells", not self.room.is_free(*found.T).any())
        seen = self._sees(np.abs(cells[np.minimum(at_discovery, len(cells) - 1)] - found))
        # A diagonal move to a cell that a cross does not show fails, and the agent then plans again from the same cell.
        before = cells[np.clip(at_discovery - 1, 0, len(cells) - 1)]
        may_fail = self.sensor == "cross" and self.room.rule == "free"
        failed = may_fail & (np.abs(before - found).max(axis=1) == 1)
        self._expect("discovers what it sees", (seen | failed).all())
        blocked, visited = np.argwhere(~self.room.free)[:, ::-1], np.unique(cells, axis=0)
        visible = np.array([self._sees(np.abs(visited - cell)).any() for cell in blocked], bool)
        expected = {tuple(cell) for cell in blocked[visible].tolist()}
        self._expect("discovers everything that it sees", {tuple(cell) for cell in found.tolist()} >= expected)

    def _sees(self, away: Cells) -> NDArray[np.bool_]:
        """Return which distances along x and y are within the sensor's view."""
        seen: NDArray[np.bool_] = away.sum(axis=1) <= 1 if self.sensor == "cross" else away.max(axis=1) <= 2
        return seen

    def _expect(self, fact: str, holds: object) -> None:
        if not holds:
            self.faults.append(fact)


def run(room: Room, agent: str, sensor: str, ends: tuple[tuple[int, int], tuple[int, int]], **options: object) -> int:
    """Run a trial, check it, and return the number of its moves."""
    start, goal = ends
    grid = _core.Map.parse(room.text, "room.map").grid("land", room.rule)
    optimum = room.distances(goal)[start]  # moves are symmetric
    problem = np.zeros(1, [(name, "<i8") for name in _core.PROBLEM_COLUMNS])
    problem["start_x"], problem["start_y"], problem["goal_x"], problem["goal_y"] = (*start, *goal)
    problem["cardinal"], problem["diagonal"] = grid.optimal(np.array([[*start, *goal]], np.uint32), 1)[0]
    assert problem["cardinal"][0] + ROOT * problem["diagonal"][0] == pytest.approx(optimum)
    settings = Settings(sensor=sensor, **{"alpha": ALPHA, **options})  # type: ignore[arg-type]
    opened = pdb.gather([pdb.Place("room", grid, [agent])], jobs=1, shown=False)
    trace = _core.solve(grid, problem[0], agent, settings, databases=opened)
    try:
        return Trial(room, start, goal, optimum, sensor, trace, settings).check()
    except AssertionError as error:
        error.add_note(f"{agent} on {room.text.decode()} with {room.rule}, {sensor}, {ends}, {options}")
        raise


def room_of(kind: str, side: int, seed: int, rule: str) -> tuple[Room, tuple[tuple[int, int], tuple[int, int]]]:
    """Return a map, and two distant cells of it."""
    room = Room(_core.generate_map(kind, side, side, seed, {}).text(), rule)
    y, x = np.argwhere(room.free)[0].tolist()
    reached = room.distances((x, y))
    return room, (max(reached, key=lambda cell: (reached[cell], cell)), (x, y))


@pytest.mark.usefixtures("data_home")
def test_all_agents_move_legally_with_the_counts_in_their_records() -> None:
    write_files(Path(), {"golden.tree": json.dumps(TREE | {"nodes": NODES}).encode()})
    plain, with_databases = samples()
    rooms = [room_of("caves", 20, 3, "strict"), room_of("rooms", 24, 5, "free"), room_of("maze", 16, 7, "none")]
    moves: dict[str, int] = {}
    for number, spec in enumerate([*plain, *with_databases, "lrta(d=dt, tree=golden.tree)"]):
        for (room, ends), sensor in product(rooms, SENSORS[: 1 if spec in with_databases else None]):
            try:
                made = run(room, parse(spec).spec, sensor, ends, cutoff=200 if number % 4 == 0 else None)
            except (_core.IncompatibleAgentError, NoSuchLevelError):
                continue  # the map has too few levels of abstraction
            moves[spec] = moves.get(spec, 0) + made
    assert moves.keys() >= {*plain, *with_databases}
    assert sum(moves.values()) > 20_000


def test_long_trials_move_legally() -> None:
    moves, (room, (_, goal)) = 0, room_of("caves", 150, 0, "strict")
    starts = sorted(room.distances(goal), key=lambda cell: room.distances(goal)[cell])
    agents = [parse(agent).spec for agent in ("lrta(d=1)", "rta(d=1)")]
    while moves < MOVES:
        start = starts.pop()
        for agent in agents:
            moves += run(room, agent, "all", (start, goal), alpha=1e5)
    print(f"{moves:,} moves without a fault")
