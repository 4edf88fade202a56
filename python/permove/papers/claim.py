"""What a claim is: words of a paper, where they stand, what they mean in figures, and the check."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from permove.papers.outcome import Statement

Finding = tuple[bool, str]
"""Whether it is so, and what was found."""


class Subject(Protocol):
    """What claims look at."""

    @property
    def timed(self) -> bool:
        """Whether the time of single moves was measured."""


Looked = TypeVar("Looked", bound=Subject)


class NotMeasuredError(LookupError):
    """A check asked for something that was not measured; the message says what, and how it would be."""


@dataclass(frozen=True)
class Claim(Generic[Looked]):
    """A claim that records can decide."""

    text: str
    section: str
    predicate: str
    check: Callable[[Looked], Finding]
    items: tuple[str, ...] = ()
    """The tables and figures that it belongs to, whose algorithms are all that it needs."""
    timed: bool = False
    reason: str = ""
    """Why it is not so here, where that is known: told where it fails."""

    def judge(self, subject: Looked) -> Statement:
        """The claim with what was measured of it."""
        if self.timed and not subject.timed:
            reason = "The run has no time of single moves; --timed 1 measures them, with one thread."
            return Statement(self.text, self.section, None, reason, True, self.predicate)
        try:
            holds, found = self.check(subject)
        except NotMeasuredError as missing:
            return Statement(self.text, self.section, None, str(missing), self.timed, self.predicate)
        if not holds and self.reason:
            found = f"{found} {self.reason}"
        return Statement(self.text, self.section, holds, found, self.timed, self.predicate)


@dataclass(frozen=True)
class Unchecked:
    """A claim that records cannot decide, and why."""

    text: str
    section: str
    reason: str
    items: tuple[str, ...] = ()

    def judge(self, _: object) -> Statement:
        """The claim with the reason."""
        return Statement(self.text, self.section, None, self.reason)


def both(*findings: Finding) -> Finding:
    """Several findings as one."""
    return all(holds for holds, _ in findings), " ".join(found for _, found in findings)
