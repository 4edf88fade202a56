"""Claims: what a paper finds, as expressions that are both the statement and its check.

An expression such as `Trend(...).falls() & Number(...).between(2, 4)` is a `Predicate`. It renders its statement and
decides it on evidence, so that the words and the check cannot drift apart. Agents run on the same problems, therefore
differences are paired. A difference counts if it exceeds two standard errors.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import reduce
from inspect import signature
from operator import and_, eq, ge, gt, le, lt, sub, truediv
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from permove.analysis.chance import ERRORS, falling, falls, means, rises, rising, spread
from permove.analysis.statistics import Values
from permove.papers.outcome import Statement

BEYOND_CHANCE = f"by more than {ERRORS:g} standard errors"

Finding = tuple[bool, str]
"""Whether a predicate holds, and the measured values."""

Evidence = TypeVar("Evidence")
Collection = TypeVar("Collection", bound=Sized)
P = ParamSpec("P")

Check = Callable[[Evidence], Finding]
"""A function that decides a predicate on evidence."""


class NotMeasuredError(LookupError):
    """A check needs something that was not measured. The message is a sentence that says what and how to measure it."""


@dataclass(frozen=True)
class Predicate(Generic[Evidence]):
    """A statement with the check that decides it."""

    text: str
    """The statement, without a full stop."""
    check: Check[Evidence]
    how: str = ""
    """The exact condition, if the text leaves it open; without a full stop."""
    timed: bool = False
    reason: str = ""
    """Why it does not hold here, if that is known."""

    def __and__(self, other: "Predicate[Evidence]") -> "Predicate[Evidence]":
        """Both predicates as one."""
        how = self.how if other.how == self.how else "; ".join(filter(None, [self.how, other.how]))
        text, check = f"{self.text}, and {other.text}", lambda some: both(self.check(some), other.check(some))
        return replace(self, text=text, check=check, how=how)

    def where(self, condition: str) -> "Predicate[Evidence]":
        """The same statement after a condition: "At level 0, ..."."""
        return replace(self, text=f"{condition}, {self.text}")

    def stating(self, text: str, how: str = "") -> "Predicate[Evidence]":
        """The same check in other words, with the exact condition."""
        return replace(self, text=text, how=how)

    def noting(self, note: Callable[[Evidence], str]) -> "Predicate[Evidence]":
        """The same predicate with a note after the measured values."""
        return replace(self, check=lambda evidence: both(self.check(evidence), (True, note(evidence))))

    def because(self, reason: str) -> "Predicate[Evidence]":
        """The same predicate with the known reason why it fails."""
        return replace(self, reason=reason)

    def on_the_clock(self) -> "Predicate[Evidence]":
        """The same predicate, marked as dependent on the speed of the machine."""
        return replace(self, timed=True)


@dataclass(frozen=True)
class Claim(Generic[Evidence]):
    """A predicate and its place in the paper."""

    predicate: Predicate[Evidence]
    section: str
    items: tuple[str, ...] = ()
    """The tables and figures that it belongs to. Their algorithms are all that it needs."""

    def judge(self, evidence: Evidence) -> Statement:
        """Decide the claim on evidence, or raise `NotMeasuredError`."""
        own = self.predicate
        if own.timed and not getattr(evidence, "timed", True):
            raise NotMeasuredError("Moves were not timed. Use --timed 1 to time them on one thread.")
        holds, found = own.check(evidence)
        found = f"{found} {own.reason}" if own.reason and not holds else found
        return Statement(sentence(own.text), self.section, bool(holds), found, own.timed, sentence(own.how))


def claims(section: str, items: str, *predicates: Predicate[Any]) -> tuple[Claim[Any], ...]:
    """Claims of one section that belong to the same items, whose names are separated by spaces."""
    return tuple(Claim(predicate, section, tuple(items.split())) for predicate in predicates)


def predicate(text: str, how: str = "") -> Callable[[Check[Evidence]], Predicate[Evidence]]:
    """Turn a check into a predicate, for statements that no expression covers."""
    return lambda check: Predicate(text, check, how)


def together(text: str, predicates: Iterable[Predicate[Evidence]], how: str = "") -> Predicate[Evidence]:
    """Several predicates as one, in other words, with the exact condition."""
    return reduce(and_, predicates).stating(text, how)


def predicates(
    text: str, how: str = ""
) -> Callable[[Callable[Concatenate[Evidence, P], Finding]], Callable[P, Predicate[Evidence]]]:
    """Turn a check with parameters into a function from parameters to a predicate.

    The texts contain the parameters in braces. Parameters of the texts alone start with an underscore.
    """

    def of(check: Callable[Concatenate[Evidence, P], Finding]) -> Callable[P, Predicate[Evidence]]:
        def made(*args: P.args, **kwargs: P.kwargs) -> Predicate[Evidence]:
            named = signature(check).bind(None, *args, **kwargs)
            named.apply_defaults()
            words, condition = (each.format(**named.arguments) for each in (text, how))
            return Predicate(words, lambda evidence: check(evidence, *args, **kwargs), condition)

        return made

    return of


def needed(found: Collection, missing: str) -> Collection:
    """Return what a check needs, or report that it was not measured."""
    if not found:
        raise NotMeasuredError(missing)
    return found


@dataclass(frozen=True)
class Trend(Generic[Evidence]):
    """Series of paired samples along a parameter."""

    subject: str
    along: str
    """The parameter, for example "the level"."""
    places: Sequence[float]
    series: Callable[[Evidence], Mapping[str, Sequence[Values]]]
    """Series by name; a predicate has to hold for each of them."""
    scope: str = ""
    """The start of the exact condition, for example "for each map: "."""

    def rises(self, *, steadily: bool = False) -> Predicate[Evidence]:
        """A line through the means rises by more than chance; `steadily`: and no step falls by more than chance."""
        return self._goes("rises", lambda some: rises(some, self.places) and (not steadily or rising(some)), steadily)

    def falls(self, *, steadily: bool = False) -> Predicate[Evidence]:
        """A line through the means falls by more than chance; `steadily`: and no step rises by more than chance."""
        return self._goes("falls", lambda some: falls(some, self.places) and (not steadily or falling(some)), steadily)

    def stays_within(self, share: float) -> Predicate[Evidence]:
        """The means differ by at most a share of their mean."""
        within = lambda some: spread(means(some)) <= share  # noqa: E731
        return self._predicate("stays", f"within {share:.0%} along", within, self.scope.removesuffix(": "))

    def _goes(self, verb: str, so: Callable[[Sequence[Values]], bool], steadily: bool) -> Predicate[Evidence]:
        steps = ", and no step goes back by as much" if steadily else ""
        return self._predicate(verb, "with", so, f"{self.scope}a line through the means {verb} {BEYOND_CHANCE}{steps}")

    def _predicate(
        self, verb: str, words: str, so: Callable[[Sequence[Values]], bool], how: str
    ) -> Predicate[Evidence]:
        def check(evidence: Evidence) -> Finding:
            return every({name: (so(some), numbers(means(some))) for name, some in self.series(evidence).items()})

        plural = " and " in self.subject and not self.subject.startswith("the difference")
        return Predicate(
            f"{self.subject} {verb.removesuffix('s') if plural else verb} {words} {self.along}", check, how
        )


@dataclass(frozen=True)
class Number(Generic[Evidence]):
    """A number that is computed from evidence."""

    name: str
    value: Callable[[Evidence], float]
    form: str = ".3g"
    details: Callable[[Evidence], str] | None = None
    """The measured values behind the number, as a sentence; by default the number itself."""
    owner: str = ""
    """The thing that has the number, to which another one can be related."""

    def __truediv__(self, other: "Number[Evidence]") -> "Number[Evidence]":
        """The ratio of two numbers."""
        return self._with(other, "relative to", "Ratio", truediv)

    def __sub__(self, other: "Number[Evidence]") -> "Number[Evidence]":
        """The difference between two numbers."""
        return self._with(other, "minus that of", "Difference", sub)

    def _with(
        self, other: "Number[Evidence]", words: str, result: str, combined: Callable[[float, float], float]
    ) -> "Number[Evidence]":
        def value(evidence: Evidence) -> float:
            return combined(self.value(evidence), other.value(evidence))

        def details(evidence: Evidence) -> str:
            return f"{join([self.found(evidence), other.found(evidence)])} {result}: {number(value(evidence))}."

        return Number(f"{self.name} {words} {other.owner or other.name}", value, self.form, details)

    def between(self, low: float, high: float, paper: str = "") -> Predicate[Evidence]:
        """The number lies in a closed interval; `paper` is the published value."""
        return self._is(f"between {low:{self.form}} and", high, lambda value, _: low <= value <= high, paper)

    def at_least(self, bound: "Bound[Evidence]", paper: str = "") -> Predicate[Evidence]:
        """The number is not below a bound."""
        return self._is("at least", bound, ge, paper)

    def at_most(self, bound: "Bound[Evidence]", paper: str = "") -> Predicate[Evidence]:
        """The number is not above a bound."""
        return self._is("at most", bound, le, paper)

    def equals(self, expected: "Bound[Evidence]", paper: str = "") -> Predicate[Evidence]:
        """The number is exactly as expected."""
        return self._is("", expected, eq, paper)

    def above(self, bound: "Bound[Evidence]", paper: str = "") -> Predicate[Evidence]:
        """The number is above a bound."""
        return self._is("above", bound, gt, paper)

    def below(self, bound: "Bound[Evidence]", paper: str = "") -> Predicate[Evidence]:
        """The number is below a bound."""
        return self._is("below", bound, lt, paper)

    def found(self, evidence: Evidence) -> str:
        """The measured value as a sentence."""
        if self.details is not None:
            return self.details(evidence)
        return f"{capitalized(self.name)}: {self.value(evidence):{self.form}}."

    def _is(
        self, words: str, bound: "Bound[Evidence]", so: Callable[[float, float], bool], paper: str
    ) -> Predicate[Evidence]:
        def check(evidence: Evidence) -> Finding:
            if isinstance(bound, Number):
                found = join([self.found(evidence), bound.found(evidence)])
                return bool(so(self.value(evidence), bound.value(evidence))), found
            return bool(so(self.value(evidence), bound)), self.found(evidence)

        limit = bound.name if isinstance(bound, Number) else f"{bound:{self.form}}"
        published = f" (in the paper, {paper})" if paper else ""
        return Predicate(" ".join(filter(None, [self.name, "is", words, limit])) + published, check)


Bound = float | Number[Evidence]
"""A fixed number, or one that is computed from the same evidence."""


def join(sentences: Iterable[str]) -> str:
    """Sentences one after the other, each once."""
    return " ".join(dict.fromkeys(filter(None, sentences)))


def both(*findings: Finding) -> Finding:
    """Several findings as one."""
    return all(holds for holds, _ in findings), join(found for _, found in findings)


def every(found: Mapping[str, Finding], about: str = "") -> Finding:
    """Named findings as one, after what they are about; the ones that do not hold are listed as exceptions."""
    parts = "; ".join(f"{name}: {text}" for name, (_, text) in found.items())
    wrong = exceptions(name for name, (holds, _) in found.items() if not holds)
    return all(holds for holds, _ in found.values()), f"{about}{parts}.{wrong}"


def number(value: float) -> str:
    """A number with three significant digits, or all digits before the decimal point."""
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def numbers(values: Iterable[float]) -> str:
    """Several numbers."""
    return ", ".join(map(number, values))


def exceptions(names: Iterable[str]) -> str:
    """A sentence that lists exceptions, if there are any."""
    listed = ", ".join(names)
    return f" Exceptions: {listed}." if listed else ""


def listed(names: Iterable[str]) -> str:
    """Some names, or "none"."""
    return ", ".join(names) or "none"


def capitalized(text: str) -> str:
    """Text with a capital letter at its start, unless it starts with a symbol of the paper."""
    word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if word == "a" or (word.isascii() and len(word) > 1) else text


def sentence(text: str) -> str:
    """Text with a capital letter and a full stop, unless it is empty."""
    return f"{capitalized(text)}." if text else ""
