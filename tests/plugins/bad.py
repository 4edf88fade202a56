"""An agent that makes three moves like LRTA* and then misbehaves."""

import ctypes
import os
from typing import Literal

from permove.plugins import World


class Bad:
    """Misbehaves at its fourth move, or at the first wall after it."""

    def __init__(
        self, what: Literal["wall", "jump", "raise", "crash", "exit", "hang", "overplan"] = "raise", after: int = 3
    ) -> None:
        self.what, self.left = what, after

    def plan(self, world: World) -> int:
        """Make a move of LRTA*, or misbehave."""
        at = world.at
        successors = world.expand(at)
        self.left -= 1
        if self.left < 0:
            free = {state for state, _, _ in successors}
            walls = [state for state in (at - 1, at + 1, at - world.width, at + world.width) if state not in free]
            match self.what:
                case "wall" if walls:
                    return walls[0]
                case "jump":
                    return world.goal
                case "raise":
                    raise ValueError("no idea")
                case "crash":
                    ctypes.string_at(0)
                case "exit":
                    os._exit(3)
                case "hang":
                    while True:
                        pass
                case "overplan":
                    while True:
                        world.expand(at)
        f, best = min((cost + h, state) for state, cost, h in successors)
        world.learn(at, f)
        return best
