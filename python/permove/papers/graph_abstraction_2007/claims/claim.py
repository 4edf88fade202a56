"""How the claims of this paper are checked: series of samples that rise or fall."""

from collections.abc import Iterable, Mapping, Sequence

from permove.analysis.statistics import Values
from permove.papers.checks import falling, falls, rises, rising
from permove.papers.claim import Finding
from permove.papers.graph_abstraction_2007.words import figures

BEYOND_CHANCE = "by more than two standard errors"
NO_STEP_BACK = "and no step goes back by as much"
"""To be said after the former."""

VIRTUALLY = 0.25
"""What stays within this part of its mean is virtually the same."""


def means(series: Sequence[Values]) -> str:
    """The means of a series in words."""
    return figures(float(values.mean()) for values in series)


def all_rise(several: Mapping[str, Sequence[Values]], places: Sequence[float]) -> Finding:
    """Whether each of several series rises on the whole."""
    return _all(several, {name: rises(series, places) for name, series in several.items()})


def all_fall(several: Mapping[str, Sequence[Values]], places: Sequence[float]) -> Finding:
    """Whether each of several series falls on the whole."""
    return _all(several, {name: falls(series, places) for name, series in several.items()})


def all_rise_throughout(several: Mapping[str, Sequence[Values]], places: Sequence[float]) -> Finding:
    """Whether each of several series rises on the whole, and no step goes back but by chance."""
    return _all(several, {name: rises(series, places) and rising(series) for name, series in several.items()})


def all_fall_throughout(several: Mapping[str, Sequence[Values]], places: Sequence[float]) -> Finding:
    """Whether each of several series falls on the whole, and no step goes back but by chance."""
    return _all(several, {name: falls(series, places) and falling(series) for name, series in several.items()})


def _all(several: Mapping[str, Sequence[Values]], so: Mapping[str, bool]) -> Finding:
    told = "; ".join(f"{name}: {means(series)}" for name, series in several.items())
    return all(so.values()), f"{told}." + excepted(name for name, holds in so.items() if not holds)


def excepted(names: Iterable[str]) -> str:
    """What to add where something is not so for some."""
    listed = ", ".join(names)
    return f" Not so: {listed}." if listed else ""


def spread(values: Sequence[float]) -> float:
    """How far values are apart, in parts of their mean."""
    mean = sum(values) / len(values)
    return (max(values) - min(values)) / mean if mean else 0.0
