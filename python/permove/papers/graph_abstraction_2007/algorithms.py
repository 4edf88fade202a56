"""The algorithms of the study: 160 configurations of PR LRTS, and A*."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from permove.agents.specs import parse

LEVELS = (0, 1, 2, 3, 4)
DEPTHS = (1, 3, 5, 9)
WEIGHTS = (0.2, 0.4, 0.8, 1.0)
QUOTAS = (100.0, math.inf)

SUBSCRIPTS = str.maketrans("01234", "₀₁₂₃₄")


@dataclass(frozen=True, order=True)
class Algorithm:
    """LRTS with its three parameters at a level of abstraction, or A*, which has none of them."""

    level: int = 0
    depth: int = 0
    weight: float = 0.0
    quota: float = 0.0

    @property
    def name(self) -> str:
        """How the paper writes it; at level 0 there is no abstraction, and no index."""
        if self == ASTAR:
            return "A*"
        index = str(self.level).translate(SUBSCRIPTS) if self.level else ""
        return f"LRTS{index}({self.depth}, {self.weight:.1f}, {number(self.quota)})"

    @property
    def abstract(self) -> bool:
        """Whether it uses abstraction."""
        return self.level > 0

    @property
    def is_lrta(self) -> bool:
        """Whether it is LRTA*, weighted or not: LRTS at the ground that looks one move ahead and never walks back."""
        return (self.level, self.depth, self.quota) == (0, 1, math.inf)


ASTAR = Algorithm()


def lrts(
    levels: Iterable[int] = LEVELS,
    depths: Iterable[int] = DEPTHS,
    weights: Iterable[float] = WEIGHTS,
    quotas: Iterable[float] = QUOTAS,
) -> tuple[Algorithm, ...]:
    """The configurations with some values of their parameters."""
    return tuple(Algorithm(*values) for values in product(levels, depths, weights, quotas))


def at_levels(depth: int, weight: float, quota: float) -> tuple[Algorithm, ...]:
    """The configurations with the same parameters, from the ground to the highest level."""
    return lrts(LEVELS, (depth,), (weight,), (quota,))


ALL = (ASTAR, *lrts())

SETTINGS = ((1, 1.0, math.inf), (3, 0.2, 100.0), (9, 0.4, math.inf))
"""The parameters d, γ and T that Section 5.2 chooses arbitrarily."""


@dataclass(frozen=True)
class Reading:
    """How two places of the paper are read that leave something open."""

    direct: bool = False
    """Footnote 3: the ground state that stands for the end of an abstract path is the one nearest to the average of
    all ground states below it, rather than found by descending level by level."""
    next: bool = False
    """Section 4.1: a ground path is given up when its next move is blocked, rather than as soon as a wall is seen on
    it."""

    @property
    def parameters(self) -> str:
        """The parameters that this comes to."""
        return f"child={'direct' if self.direct else 'descend'}, replan={'next' if self.next else 'ahead'}"

    @property
    def words(self) -> str:
        """The same for a reader."""
        end = "nearest to all ground states below" if self.direct else "found by descending level by level"
        when = "by PR LRTS when its next move is blocked, by A* when" if self.next else "when"
        return (
            f"the ground state at the end of an abstract path is {end}; a ground path is given up {when} a wall is "
            "seen on it"
        )


def agent(algorithm: Algorithm, reading: Reading) -> str:
    """The canonical spec of an algorithm; at the ground, nothing is left open."""
    if algorithm == ASTAR:
        return parse("lra").spec
    level, depth, weight, quota = algorithm.level, algorithm.depth, algorithm.weight, algorithm.quota
    further = f", {reading.parameters}" if algorithm.abstract else ""
    return parse(f"pr-lrts(l={level}, d={depth}, gamma={weight:g}, T={quota:g}{further})").spec


def number(value: float) -> str:
    """A parameter as the paper prints it."""
    return "∞" if math.isinf(value) else f"{value:g}"
