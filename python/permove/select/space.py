"""The space of algorithms w · lop_b(wc · c + h) + da + E, and random points in it (per-map-selection-2016, Section 5).

Hashes of the seed and of an algorithm's number decide what it is, so that any number of algorithms begins with the same
ones, on any machine, and machines can share the work by numbers.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from permove import _core
from permove.agents.specs import AgentSpec
from permove.common.draws import draw, share

NAME = "param"
"""The agent's name in the catalogue."""

LEAST_WEIGHT, MOST_WEIGHT = 1.0, 10.0
OPERATORS = ("min", "avg", "median", "max")

DIGITS = 3
"""How many the paper prints after the point; an algorithm is what is printed."""

STEP = 0.1
"""The standard deviation of a mutation's step, as a share of the parameter's range."""

FLIP = 0.1
"""How likely a mutation changes each of lop, da and E."""


class Lop(StrEnum):
    """How the learning operator is drawn."""

    ROUNDED = "rounded"
    """A uniform draw from [1, 4], rounded: min and max come half as often; probably what the paper did."""
    UNIFORM = "uniform"
    """All four alike."""


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
        """Its canonical spec and its label."""
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
    """The algorithm of a number, drawn from the whole space."""

    def drawn(what: str) -> float:
        return share(seed, f"algorithm {number} {what}")

    return Point(
        w=_between(LEAST_WEIGHT, MOST_WEIGHT, drawn("w")),
        wc=_between(LEAST_WEIGHT, MOST_WEIGHT, drawn("wc")),
        b=_between(0, 1, drawn("b")),
        lop=_operator(drawn("lop"), lop),
        da=drawn("da") < 0.5,
        expendable=drawn("E") < 0.5,
    )


def mutated(parent: Point, name: str, seed: int, lop: Lop = Lop.ROUNDED) -> Point:
    """A point near another: steps in w, wc and b, and now and then another operator, da or E; `name` tells draws apart.

    A step over an end of the range is turned back into it.
    """

    def drawn(what: str) -> float:
        return share(seed, f"{name} {what}")

    def stepped(what: str, value: float, least: float, most: float) -> float:
        # Twelve uniform draws add up to what is normal enough, in sums that are the same on every machine.
        normal = sum(drawn(f"{what} {part}") for part in range(12)) - 6
        there = value + STEP * (most - least) * normal
        there = 2 * least - there if there < least else there
        there = 2 * most - there if there > most else there
        return round(min(max(there, least), most), DIGITS)

    return replace(
        parent,
        w=stepped("w", parent.w, LEAST_WEIGHT, MOST_WEIGHT),
        wc=stepped("wc", parent.wc, LEAST_WEIGHT, MOST_WEIGHT),
        b=stepped("b", parent.b, 0, 1),
        lop=_operator(drawn("lop"), lop) if drawn("lop flip") < FLIP else parent.lop,
        da=parent.da != (drawn("da") < FLIP),
        expendable=parent.expendable != (drawn("E") < FLIP),
    )


def chosen(options: int, name: str, seed: int) -> int:
    """One of so many options."""
    return draw(seed, name) % options


def sample(count: int, seed: int, *, first: int = 0, lop: Lop = Lop.ROUNDED) -> list[AgentSpec]:
    """The algorithms of the numbers `first` to `first + count - 1`."""
    return [random_point(number, seed, lop).agent for number in range(first, first + count)]


def _operator(drawn: float, lop: Lop) -> str:
    if lop is Lop.UNIFORM:
        return OPERATORS[int(4 * drawn)]
    return OPERATORS[int(3 * drawn + 0.5)]


def _between(least: float, most: float, drawn: float) -> float:
    return round(least + (most - least) * drawn, DIGITS)


def _word(value: bool) -> str:
    return "yes" if value else "no"
