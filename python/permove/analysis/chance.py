"""Whether paired samples differ, rise or fall by more than chance.

A sample has one value per problem. Samples of the same problems are paired, so their differences are tested.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from permove.analysis.statistics import Values, paired, standard_error

ERRORS = 2.0
"""Standard errors within which a difference counts as chance."""

ABOUT_EQUAL = 0.1
"""Means that differ by less than this share are about equal, even if the difference is significant."""


def not_below(one: Values, other: Values) -> bool:
    """Whether one sample is not smaller than another, up to chance."""
    difference, error = paired(one, other)
    return difference >= -ERRORS * error


def above(one: Values, other: Values) -> bool:
    """Whether one sample is larger than another by more than chance."""
    difference, error = paired(one, other)
    return difference > ERRORS * error


def about_equal(one: Values, other: Values) -> bool:
    """Whether two means are about equal, or could be by chance."""
    difference, error = paired(one, other)
    return abs(difference) <= max(ABOUT_EQUAL * min(float(one.mean()), float(other.mean())), ERRORS * error)


def rising(series: Sequence[Values]) -> bool:
    """Whether the last mean is above the first, and no step falls by more than chance."""
    steps = all(not_below(late, early) for early, late in pairwise(series))
    return bool(series[-1].mean() > series[0].mean()) and steps


def falling(series: Sequence[Values]) -> bool:
    """Whether the last mean is below the first, and no step rises by more than chance."""
    return rising(series[::-1])


def slope(series: Sequence[Values], places: Sequence[float]) -> tuple[float, float]:
    """Mean slope of a line through each problem's values, and its standard error."""
    place = np.asarray(places, float) - np.mean(places)
    slopes = np.tensordot(place, np.stack(series), 1) / (place @ place)
    return float(slopes.mean()), standard_error(slopes)


def rises(series: Sequence[Values], places: Sequence[float]) -> bool:
    """Whether a line through a series rises by more than chance."""
    mean, error = slope(series, places)
    return mean > ERRORS * error


def falls(series: Sequence[Values], places: Sequence[float]) -> bool:
    """Whether a line through a series falls by more than chance."""
    return rises(series, [-place for place in places])


def means(series: Iterable[Values]) -> list[float]:
    """The mean of each sample."""
    return [float(values.mean()) for values in series]


def spread(values: Sequence[float]) -> float:
    """Range of some values as a share of their mean."""
    mean = sum(values) / len(values)
    return (max(values) - min(values)) / mean if mean else 0.0
