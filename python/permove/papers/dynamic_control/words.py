"""Points in words, and the measures that several claims take."""

from collections.abc import Iterable

from permove.papers.dynamic_control.study import Point, Study

NEARLY_OPTIMAL = 1.15
"""A suboptimality up to this is near-optimal: that of LRTA* (F, PDB) d = 1, ℓ = 3 in Table 4 is 1.10."""

ACCEPTABLE = 1.5
"""Section 7.1: 50% suboptimal is of acceptable quality."""

ALIKE = 2.0
"""Within this factor two amounts of planning are on par."""

FEW = 0.05
"""The part of the problems whose weight in a mean is told."""

TIES = (
    "Labels, and with them trees, depend on how ties between actions are broken, which the paper does not say; its "
    "accuracies cannot be matched without that."
)
"""Why trees are not those of the papers."""

AVERAGES = (
    "For decision trees the pooled average and the mean of the problems' own ratios differ by a factor of two to "
    "three, and the paper does not say which of them its plots have."
)


def told(point: Point) -> str:
    """A point with its figures."""
    return f"{point.name}: {point.suboptimality:.3f} at {states(point.planning)}"


def states(planning: float) -> str:
    """Planning per move."""
    return f"{planning:,.0f} states" if planning >= 100 else f"{planning:.2f} states"


def map_by_map(study: Study, point: Point) -> str:
    """What an algorithm does on each of the maps, which are not those of the papers."""
    found = study.on_each_map(point.algorithm)
    words = "; ".join(f"{name}: {worse:.3f} at {states(planning)}" for name, (worse, planning) in found.items())
    return f"The maps are not those of the paper, and differ: {words}."


def few_decide(study: Study, point: Point) -> str:
    """How much of a mean is due to the few problems on which an agent goes round and round."""
    worse, planning = study.without_the_worst(point.algorithm, FEW)
    return (
        f"Few problems decide on its mean: without the {FEW:.0%} with the longest paths {point.name} is at "
        f"{worse:.3f}, {states(planning)}."
    )


def listed(names: Iterable[str]) -> str:
    """What there is, or that there is nothing."""
    return ", ".join(names) or "none"


def excess(point: Point) -> float:
    """By how much paths are longer than optimal ones."""
    return point.suboptimality - 1
