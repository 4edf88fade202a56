"""RTAA* (Koenig and Likhachev 2006): an example with a search and plans of several moves.

Test it with `python -m unittest -v test_rtaa`, and run it with `permove run -a 'rtaa.py:Rtaa(k={10,100})' astar`.
"""

import heapq
import math
import sys
from itertools import count
from typing import Annotated

from permove.plugins import Range, World


class Rtaa:
    """Expands k states like A*, raises their heuristics, moves towards the state that A* would expand next."""

    def __init__(
        self,
        k: Annotated[int, Range(1), "the lookahead: number of states to expand"] = 10,
        moves: Annotated[float, Range(1), "the maximum number of moves per plan"] = math.inf,
    ) -> None:
        self.lookahead, self.max_moves = k, moves

    def plan(self, world: World) -> list[int]:
        """Return the moves to the state that A* would expand next."""
        start, goal = world.at, world.goal
        # g, h and parent of the states generated so far.
        found = {start: (0, world.heuristic(start), start)}
        # Smallest f first, then largest g, then the oldest entry.
        serial = count()
        open_list = [(found[start][1], 0, next(serial), start)]
        closed: list[int] = []
        while open_list:
            _, minus_g, _, state = heapq.heappop(open_list)
            g = found[state][0]
            if -minus_g != g:
                continue  # a cheaper path was found later
            if state == goal or len(closed) == self.lookahead:
                # Report the bytes of the tables in use: the containers and their tuples.
                tuples = sys.getsizeof(found[start]) * (len(found) + len(open_list))
                world.memory(tuples + sum(map(sys.getsizeof, (found, open_list, closed))))
                return self.learn_and_go(world, found, closed, state)
            closed.append(state)
            for successor, cost, h in world.expand(state):
                known = found.get(successor)
                if known is None or g + cost < known[0]:
                    found[successor] = (g + cost, h, state)
                    heapq.heappush(open_list, (g + cost + h, -g - cost, next(serial), successor))
        return []  # no path

    def learn_and_go(
        self, world: World, found: dict[int, tuple[int, int, int]], closed: list[int], end: int
    ) -> list[int]:
        """Set the heuristic of each expanded state to f(end) - g, and return the path to `end`."""
        g, h, _ = found[end]
        for state in closed:
            world.learn(state, g + h - found[state][0])
        path = []
        while end != world.at:
            path.append(end)
            end = found[end][2]
        path.reverse()
        return path[: int(min(self.max_moves, len(path)))]
