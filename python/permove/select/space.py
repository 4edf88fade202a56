"""The space of algorithms w · lop_b(wc · c + h) + da + E, and random points in it (per-map-selection-2016, Section 5).

A hash of the seed and the number of an algorithm determines the algorithm, on every machine. A smaller sample is a
prefix of a larger one, and machines can share the work by numbers.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from permove import _core
from permove.agents.specs import AgentSpec
from permove.common.random_numbers import draw, share

NAME = "param"
"""The agent's name in the catalogue."""

MIN_WEIGHT, MAX_WEIGHT = 1.0, 10.0
OPERATORS = ("min", "avg", "median", "max")

DIGITS = 3
"""The decimals that the paper prints. Parameters are rounded to them, so that labels are exact."""

STEP = 0.1
"""The standard deviation of a mutation's step, as a share of the parameter's range."""

FLIP = 0.1
"""The probability that a mutation changes each of lop, da and E."""


class Lop(StrEnum):
    """Distributions of the learning operator."""

    ROUNDED = "rounded"
    """A uniform draw from [1, 4], rounded: min and max are half as likely. The paper probably did this."""
    UNIFORM = "uniform"
    """All four operators are equally likely."""


@dataclass(frozen=True)
class Point:
    """An algorithm of the space."""

    w: float
    wc: float
    b: float
    lop: str
    da: bool
    expendable: bool

    @property
    def agent(self) -> AgentSpec:
        """The canonical spec and the label."""
        return AgentSpec(
            *_core.canonical(
                NAME,
                {
                    "w": f"{self.w:g}",
                    "wc": f"{self.wc:g}",
                    "b": f"{self.b:g}",
                    "lop": self.lop,
                    "da": _word(self.da),
                    "E": _word(self.expendable),
                },
            )
        )


def random_point(number: int, seed: int, lop: Lop = Lop.ROUNDED) -> Point:
    """Return the algorithm with a number, drawn from the complete space."""

    def drawn(what: str) -> float:
        return share(seed, f"algorithm {number} {what}")

    return Point(
        w=_between(MIN_WEIGHT, MAX_WEIGHT, drawn("w")),
        wc=_between(MIN_WEIGHT, MAX_WEIGHT, drawn("wc")),
        b=_between(0, 1, drawn("b")),
        lop=_operator(drawn("lop"), lop),
        da=drawn("da") < 0.5,
        expendable=drawn("E") < 0.5,
    )


def mutated(parent: Point, name: str, seed: int, lop: Lop = Lop.ROUNDED) -> Point:
    """Return a point near another one: w, wc and b change by random steps, and lop, da and E sometimes change.

    `name` distinguishes the draws. A step beyond the end of a range is reflected.
    """

    def drawn(what: str) -> float:
        return share(seed, f"{name} {what}")

    def stepped(what: str, value: float, low: float, high: float) -> float:
        # The sum of twelve uniform draws is approximately normal and the same on every machine.
        normal = sum(drawn(f"{what} {part}") for part in range(12)) - 6
        moved = value + STEP * (high - low) * normal
        moved = 2 * low - moved if moved < low else moved
        moved = 2 * high - moved if moved > high else moved
        return round(min(max(moved, low), high), DIGITS)

    return replace(
        parent,
        w=stepped("w", parent.w, MIN_WEIGHT, MAX_WEIGHT),
        wc=stepped("wc", parent.wc, MIN_WEIGHT, MAX_WEIGHT),
        b=stepped("b", parent.b, 0, 1),
        lop=_operator(drawn("lop"), lop) if drawn("lop flip") < FLIP else parent.lop,
        da=parent.da != (drawn("da") < FLIP),
        expendable=parent.expendable != (drawn("E") < FLIP),
    )


def chosen(options: int, name: str, seed: int) -> int:
    """Return a random number below `options`."""
    return draw(seed, name) % options


def sample(count: int, seed: int, *, first: int = 0, lop: Lop = Lop.ROUNDED) -> list[AgentSpec]:
    """Return the algorithms with the numbers `first` to `first + count - 1`."""
    return [random_point(number, seed, lop).agent for number in range(first, first + count)]


def _operator(drawn: float, lop: Lop) -> str:
    if lop is Lop.UNIFORM:
        return OPERATORS[int(4 * drawn)]
    return OPERATORS[int(3 * drawn + 0.5)]


def _between(low: float, high: float, drawn: float) -> float:
    return round(low + (high - low) * drawn, DIGITS)


def _word(value: bool) -> str:
    return "yes" if value else "no"
