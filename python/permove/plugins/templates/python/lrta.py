"""LRTA* with a lookahead of one move (Korf 1990): an example as a starting point.

Test it with `python -m unittest -v test_lrta`, and run it with
`permove run -a 'lrta.py:Lrta(gamma={0.5,1})' astar`.
"""

from typing import Annotated

from permove.plugins import CARDINAL, DIAGONAL, Range, World


class Lrta:
    """Looks one move ahead, raises the heuristic of the current state, moves to the best neighbour."""

    # The parameters of the constructor are the parameters of the agent. Specs can sweep them. Each has a type and a
    # default; a range and a description are optional. permove creates a new instance for every problem.
    def __init__(self, gamma: Annotated[float, Range(0.001, 1), "the weight of the cost of a move"] = 1.0) -> None:
        self.weighted = {cost: int(gamma * cost + 0.5) for cost in (CARDINAL, DIAGONAL)}

    def plan(self, world: World) -> int | None:
        """Return the next move, or several as a list; `None` means that there is no path."""
        weighted, best, best_f = self.weighted, None, None
        # Generate all neighbours, which counts as one expanded state. The best neighbour minimizes the weighted cost of
        # the move plus its heuristic; the first one wins ties.
        for state, cost, h in world.expand(world.at):
            f = weighted[cost] + h
            if best_f is None or f < best_f:
                best, best_f = state, f
        if best_f is not None:
            # The heuristic of the current state rises to that value and never falls.
            world.learn(world.at, max(best_f, world.heuristic(world.at)))
        # permove counts what the agent learns. It has no tables of its own, whose bytes it would report here.
        world.memory(0)
        return best
