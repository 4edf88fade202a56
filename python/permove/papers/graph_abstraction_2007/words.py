"""Numbers and sets of algorithms in the words of the paper."""

import math
from collections.abc import Iterable

from permove.papers.graph_abstraction_2007.algorithms import ASTAR, Algorithm, number


def figure(value: float) -> str:
    """A number to three digits, or all of them before the point."""
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def figures(values: Iterable[float]) -> str:
    """Several numbers."""
    return ", ".join(map(figure, values))


def setting(depth: int, weight: float, quota: float) -> str:
    """The parameters of LRTS."""
    return f"({depth}, {weight:.1f}, {number(quota)})"


def names(algorithms: Iterable[Algorithm]) -> str:
    """Algorithms one by one."""
    return ", ".join(algorithm.name for algorithm in algorithms) or "none"


def summary(algorithms: Iterable[Algorithm]) -> str:
    """Algorithms as Table 2 has them: those with abstraction together, by the values that their parameters have."""
    some = sorted(algorithms)
    lrta = [each for each in some if each.is_lrta]
    ground = [each for each in some if not each.abstract and not each.is_lrta and each != ASTAR]
    parts = ["A*"] if ASTAR in some else []
    parts += [f"LRTA*({_values('γ', (f'{each.weight:.1f}' for each in lrta))})"] if lrta else []
    parts += [_together(ground)] if ground else []
    abstract = [each for each in some if each.abstract]
    return ", ".join([*parts, _together(abstract)] if abstract else parts)


def _together(some: list[Algorithm]) -> str:
    low, high = some[0].level, some[-1].level
    span = "" if high == 0 else f"{low}...{high}" if low != high else f"{low}"
    depth = _values("d", (str(each.depth) for each in some))
    weight = _values("γ", (f"{each.weight:.1f}" for each in some))
    quota = _values("T", (number(each.quota) for each in some))
    return f"LRTS{span} ({depth}, {weight}, {quota})"


def _values(name: str, values: Iterable[str]) -> str:
    """A parameter and the values that it has, each once."""
    found = sorted(set(values), key=lambda value: math.inf if value == "∞" else float(value))
    return f"{name} = {found[0]}" if len(found) == 1 else f"{name} ∈ {{{', '.join(found)}}}"
