"""Points in words, and the measures that several claims take."""

from collections.abc import Iterable

from permove.papers.dynamic_control.study import Point

NEARLY_OPTIMAL = 1.15
"""A suboptimality up to this is near-optimal: that of LRTA* (F, PDB) d = 1, ℓ = 3 in Table 4 is 1.10."""

ACCEPTABLE = 1.5
"""Section 7.1: 50% suboptimal is of acceptable quality."""

ALIKE = 2.0
"""Within this factor two amounts of planning are on par."""


def told(point: Point) -> str:
    """A point with its figures."""
    return f"{point.name}: {point.suboptimality:.3f} at {states(point.planning)}"


def states(planning: float) -> str:
    """Planning per move."""
    return f"{planning:,.0f} states" if planning >= 100 else f"{planning:.2f} states"


def listed(names: Iterable[str]) -> str:
    """What there is, or that there is nothing."""
    return ", ".join(names) or "none"


def excess(point: Point) -> float:
    """By how much paths are longer than optimal ones."""
    return point.suboptimality - 1
