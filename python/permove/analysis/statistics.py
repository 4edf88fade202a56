"""Errors of means, of ratios and of differences between agents that walked the same problems, and correlation."""

import math

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def standard_error(values: Values) -> float:
    """The standard deviation of a mean; nan for fewer than two values."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def ratio_error(over: Values, under: Values) -> float:
    """The standard error of a ratio of totals: that of the mean residual, relative to the mean below the line."""
    return standard_error(over - over.sum() / under.sum() * under) / float(under.mean())


def paired(one: Values, other: Values) -> tuple[float, float]:
    """The mean difference between two agents on the same problems, and its standard error."""
    difference = one - other
    return float(difference.mean()), standard_error(difference)


def correlation(one: Values, other: Values) -> float:
    """Pearson's coefficient of correlation; nan where one of them does not vary."""
    one, other = one - one.mean(), other - other.mean()
    scale = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / scale if scale > 0 else math.nan
