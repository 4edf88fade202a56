"""The algorithms of the study: 160 configurations of PR LRTS, and A*."""

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from itertools import product

from permove.agents.specs import parse

LEVELS = (0, 1, 2, 3, 4)
DEPTHS = (1, 3, 5, 9)
WEIGHTS = (0.2, 0.4, 0.8, 1.0)
QUOTAS = (100.0, math.inf)

SUBSCRIPTS = str.maketrans("01234", "₀₁₂₃₄")

Setting = tuple[int, float, float]
"""The parameters d, γ and T of LRTS."""


@dataclass(frozen=True, order=True)
class Algorithm:
    """LRTS with its three parameters at a level of abstraction, or A*, which has no parameters."""

    level: int = 0
    depth: int = 0
    weight: float = 0.0
    quota: float = 0.0

    @property
    def name(self) -> str:
        """Its name in the paper, with the level as an index if it uses abstraction."""
        if self == ASTAR:
            return "A*"
        index = str(self.level).translate(SUBSCRIPTS) if self.level else ""
        return f"LRTS{index}{setting_text((self.depth, self.weight, self.quota))}"

    @property
    def abstract(self) -> bool:
        """Whether it uses abstraction."""
        return self.level > 0

    @property
    def is_lrta(self) -> bool:
        """Whether it is LRTA*, weighted or not: LRTS without abstraction, with d = 1 and without backtracking."""
        return (self.level, self.depth, self.quota) == (0, 1, math.inf)


ASTAR = Algorithm()


def lrts(
    levels: Iterable[int] = LEVELS,
    depths: Iterable[int] = DEPTHS,
    weights: Iterable[float] = WEIGHTS,
    quotas: Iterable[float] = QUOTAS,
) -> tuple[Algorithm, ...]:
    """Return the configurations with some values of their parameters."""
    return tuple(Algorithm(*values) for values in product(levels, depths, weights, quotas))


def at_levels(setting: Setting) -> tuple[Algorithm, ...]:
    """Return the configurations with the same parameters at all levels."""
    return tuple(Algorithm(level, *setting) for level in LEVELS)


ALL = (ASTAR, *lrts())
GROUND = lrts((0,))
"""LRTS without abstraction."""

SETTINGS: tuple[Setting, ...] = ((1, 1.0, math.inf), (3, 0.2, 100.0), (9, 0.4, math.inf))
"""The parameters of Figure 14."""

SCALED: tuple[Setting, Setting] = ((1, 1.0, math.inf), (9, 0.4, math.inf))
"""The parameters of Figures 16 and 17."""

SINGLE = (ASTAR, *(Algorithm(level, 3, 0.4, math.inf) for level in (0, 2, 4)))
"""The algorithms of Figure 15."""


def agent(algorithm: Algorithm, *, direct: bool, next: bool) -> str:
    """Return the canonical spec of an algorithm in a reading of the paper, which matters only with abstraction.

    Cliques are aligned as in the authors' testbed.
    `direct` is about footnote 3: the ground state at the end of an abstract path is the one nearest to the average of
    all ground states below, instead of the result of a descent level by level. `next` is about Section 4.1: a ground
    path is discarded when its next move is blocked, instead of when a wall is seen on it.
    """
    if algorithm == ASTAR:
        return parse("lra").spec
    level, depth, weight, quota = astuple(algorithm)
    child, replan = "direct" if direct else "descend", "next" if next else "ahead"
    reading = f", child={child}, replan={replan}, abstraction=aligned" if level else ""
    return parse(f"pr-lrts(l={level}, d={depth}, gamma={weight:g}, T={quota:g}{reading})").spec


def parameter(value: float) -> str:
    """Return a parameter as the paper prints it."""
    return "∞" if math.isinf(value) else f"{value:g}"


def setting_text(setting: Setting) -> str:
    """Return the parameters of LRTS as the paper prints them."""
    depth, weight, quota = setting
    return f"({depth}, {weight:.1f}, {parameter(quota)})"


def names(algorithms: Iterable[Algorithm]) -> str:
    """Return the names of some algorithms."""
    return ", ".join(algorithm.name for algorithm in algorithms) or "none"


def summary(algorithms: Iterable[Algorithm]) -> str:
    """Return algorithms in the notation of Table 2: grouped, with the values of their parameters."""
    some = sorted(algorithms)
    parts = ["A*"] if ASTAR in some else []
    weights = [f"{each.weight:.1f}" for each in some if each.is_lrta]
    parts += [f"LRTA*({_values('γ', weights)})"] if weights else []
    others = [each for each in some if each != ASTAR and not each.is_lrta]
    for group in ([each for each in others if each.abstract is abstract] for abstract in (False, True)):
        if group:
            low, high = group[0].level, group[-1].level
            span = "" if high == 0 else f"{low}...{high}" if low != high else f"{low}"
            depth = _values("d", (str(each.depth) for each in group))
            weight = _values("γ", (f"{each.weight:.1f}" for each in group))
            parts.append(f"LRTS{span} ({depth}, {weight}, {_values('T', (parameter(each.quota) for each in group))})")
    return ", ".join(parts)


def _values(name: str, values: Iterable[str]) -> str:
    found = sorted(set(values), key=lambda value: math.inf if value == "∞" else float(value))
    return f"{name} = {found[0]}" if len(found) == 1 else f"{name} ∈ {{{', '.join(found)}}}"
