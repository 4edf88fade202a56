"""How the words of a paper are checked against samples: agents on the same problems, so differences are paired."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from permove.analysis.statistics import Values, paired, standard_error

ALIKE = 0.1
"""Means that differ by less than this are approximately equal, also where we could tell them apart."""

CHANCE = 2.0
"""How many standard errors chance may bring about, as many as for the figures; not to be raised to make one pass."""

BY_CHANCE = f"what is within {CHANCE:g} standard errors of a difference passes"


def not_below(one: Values, other: Values) -> bool:
    """Whether one is not smaller than the other, as far as the sample can tell."""
    difference, error = paired(one, other)
    return difference >= -CHANCE * error


def above(one: Values, other: Values) -> bool:
    """Whether one is significantly larger than the other."""
    difference, error = paired(one, other)
    return difference > CHANCE * error


def about_equal(one: Values, other: Values) -> bool:
    """Whether two means are alike, or could be for all that the sample can tell."""
    difference, error = paired(one, other)
    return abs(difference) <= max(ALIKE * min(float(one.mean()), float(other.mean())), CHANCE * error)


def rising(series: Sequence[Values]) -> bool:
    """Whether means rise from first to last, and no step goes back but by chance."""
    return bool(series[-1].mean() > series[0].mean()) and all(not_below(late, soon) for soon, late in pairwise(series))


def falling(series: Sequence[Values]) -> bool:
    """Whether means fall from first to last, and no step goes back but by chance."""
    return rising(series[::-1])


def trend(series: Sequence[Values], at: Sequence[float]) -> tuple[float, float]:
    """By how much a straight line through a series rises from one place to the next, and its standard error.

    There is a line for each problem: how the problems differ from each other is no part of the error.
    """
    place = np.asarray(at, float) - np.mean(at)
    slopes = np.tensordot(place, np.stack(series), 1) / (place @ place)
    return float(slopes.mean()), standard_error(slopes)


def rises(series: Sequence[Values], at: Sequence[float]) -> bool:
    """Whether a series rises on the whole, and by more than chance."""
    slope, error = trend(series, at)
    return slope > CHANCE * error


def falls(series: Sequence[Values], at: Sequence[float]) -> bool:
    """Whether a series falls on the whole, and by more than chance."""
    slope, error = trend(series, at)
    return slope < -CHANCE * error
