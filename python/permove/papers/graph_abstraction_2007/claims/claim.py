"""What a claim is: words of the paper, where they stand, what they mean in figures, and the check."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from permove.analysis.statistics import Values
from permove.papers.checks import falling, falls, rises, rising
from permove.papers.graph_abstraction_2007.study import Study
from permove.papers.graph_abstraction_2007.words import figures
from permove.papers.outcome import Statement

Finding = tuple[bool, str]
"""Whether it is so, and what was found."""

BEYOND_CHANCE = "by more than two standard errors"
NO_STEP_BACK = "and no step goes back by as much"
"""To be said after the former."""

VIRTUALLY = 0.25
"""What stays within this part of its mean is virtually the same."""


@dataclass(frozen=True)
class Claim:
    """A claim that records can decide."""

    quote: str
    section: str
    predicate: str
    check: Callable[[Study], Finding]
    items: tuple[str, ...] = ()
    """The tables and figures that it belongs to, whose algorithms are all that it needs."""
    timed: bool = False

    def judge(self, study: Study) -> Statement:
        """The claim with what the study says of it."""
        if self.timed and not study.timed:
            reason = "The run has no time of single moves; --timed 1 measures them, with one thread."
            return Statement(self.quote, self.section, None, reason, True, self.predicate)
        holds, found = self.check(study)
        return Statement(self.quote, self.section, holds, found, self.timed, self.predicate)


@dataclass(frozen=True)
class Unchecked:
    """A claim that the study cannot decide, and why."""

    quote: str
    section: str
    reason: str
    items: tuple[str, ...] = ()

    def judge(self, _: Study) -> Statement:
        """The claim with the reason."""
        return Statement(self.quote, self.section, None, self.reason)


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


def both(*findings: Finding) -> Finding:
    """Several findings as one."""
    return all(holds for holds, _ in findings), " ".join(found for _, found in findings)


def excepted(names: Iterable[str]) -> str:
    """What to add where something is not so for some."""
    listed = ", ".join(names)
    return f" Not so: {listed}." if listed else ""


def spread(values: Sequence[float]) -> float:
    """How far values are apart, in parts of their mean."""
    mean = sum(values) / len(values)
    return (max(values) - min(values)) / mean if mean else 0.0
