"""LRTA* with a lookahead of one move (Korf 1990): an example to start from.

Test it with `python -m unittest -v test_lrta`, and run it with
`permove run -a 'lrta.py:Lrta(gamma={0.5,1})' astar`.
"""

from typing import Annotated

from permove.plugins import CARDINAL, DIAGONAL, Range, World


class Lrta:
    """Looks one move ahead, raises the heuristic of where it stands, makes one move to the best."""

    # The parameters of the constructor are those of the agent, and can be swept in specs. Each has a type and a
    # default; a range and a word on what it does are optional. There is a fresh instance for every problem.
    def __init__(self, gamma: Annotated[float, Range(0.001, 1), "the weight of the cost of a move"] = 1.0) -> None:
        self.weighed = {cost: int(gamma * cost + 0.5) for cost in (CARDINAL, DIAGONAL)}

    def plan(self, world: World) -> int | None:
        """One move, or several as a list; none means that there is no way."""
        weighed, best, least = self.weighed, None, None
        # Look at all neighbours: this counts as one state expanded. The best is the first with the least cost of going
        # there plus heuristic.
        for state, cost, h in world.expand(world.at):
            f = weighed[cost] + h
            if least is None or f < least:
                best, least = state, f
        if least is not None:
            # The heuristic of where it stands rises to that, and never falls.
            world.learn(world.at, max(least, world.heuristic(world.at)))
        return best
