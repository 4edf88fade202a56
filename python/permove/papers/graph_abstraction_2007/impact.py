"""The impact of abstraction: how far two levels are apart in a measure, as Appendix F looks at it, with T = ∞."""

import math
from collections.abc import Sequence

from permove.analysis.statistics import Values
from permove.papers.checks import falls, rises, trend
from permove.papers.graph_abstraction_2007.algorithms import DEPTHS, WEIGHTS, Algorithm
from permove.papers.graph_abstraction_2007.study import LAG, SUBOPTIMALITY, Measure, Study

NO_EFFECT = 0.25
"""An impact that changes by less than this part of its mean over the whole range is not affected."""


def impact(study: Study, measure: Measure, low: int, high: int, depth: int, weight: float) -> Values:
    """By how much the higher level is better, problem by problem, or for measures that it makes worse, worse."""
    one, other = (study.values(measure, Algorithm(level, depth, weight, math.inf)) for level in (low, high))
    return other - one if measure in (LAG, SUBOPTIMALITY) else one - other


def along_depth(study: Study, measure: Measure, low: int, high: int) -> list[Values]:
    """The impact for each depth, over all weights."""
    return [_mean([impact(study, measure, low, high, depth, weight) for weight in WEIGHTS]) for depth in DEPTHS]


def along_weight(study: Study, measure: Measure, low: int, high: int) -> list[Values]:
    """The impact for each weight, over all depths."""
    return [_mean([impact(study, measure, low, high, depth, weight) for depth in DEPTHS]) for weight in WEIGHTS]


def letter(impacts: Sequence[Values], places: Sequence[float]) -> str:
    """A where a growing parameter amplifies the impact, D where it diminishes it, - where it hardly matters.

    The paper does not say what makes an effect a minor one; here there are capital letters only.
    """
    slope, _ = trend(impacts, places)
    mean = sum(float(values.mean()) for values in impacts) / len(impacts)
    if abs(slope) * (places[-1] - places[0]) < NO_EFFECT * abs(mean):
        return "-"
    return "A" if rises(impacts, places) else "D" if falls(impacts, places) else "-"


def _mean(several: Sequence[Values]) -> Values:
    total: Values = sum(several[1:], several[0])
    return total / len(several)
