"""Expressions over points in the plane of suboptimality and planning, and the checks that both papers share."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from permove.papers.claims import Finding, Number, Predicate, listed, needed
from permove.papers.dynamic_control.algorithms import F_G, Algorithm, Family
from permove.papers.dynamic_control.study import Average, Evidence, Point, Size, Study, best, planning_at, states_text
from permove.papers.item import PaperFile

NEARLY_OPTIMAL = 1.15
"""Maximum suboptimality of a near-optimal algorithm: LRTA* (F, PDB) d = 1, ℓ = 3 in Table 4 has 1.10."""

ACCEPTABLE = 1.5
"""Maximum suboptimality of acceptable quality (Section 7.1)."""

ON_PAR = 2.0
"""Amounts of planning within this factor are on par."""

MAX_NAMED = 6
"""Longer lists of algorithms are shortened."""

WORST_SHARE = 0.05
"""The share of the problems whose weight in a mean is reported."""


FILE = PaperFile(__package__)
NOTES: dict[str, str] = FILE["notes"]
"""Why values and claims of both papers differ here."""


@dataclass(frozen=True)
class Pick:
    """A point that is picked from the evidence."""

    name: str
    point: Callable[[Evidence], Point]

    @property
    def suboptimality(self) -> Number[Evidence]:
        """Its suboptimality."""
        return self._number("the suboptimality", "suboptimality", ".5g")

    @property
    def excess(self) -> Number[Evidence]:
        """Its suboptimality minus 1."""
        return self._number("the excess cost", "excess", ".2g")

    @property
    def planning(self) -> Number[Evidence]:
        """Its states expanded per move."""
        return self._number("the number of states per move", "planning", ".4g")

    @property
    def worst(self) -> Number[Evidence]:
        """The states expanded for its worst move."""
        return self._number("the number of states for the worst move", "worst", ",.0f", ", worst move {0.worst:,.0f}")

    def dominates(self, other: "Pick") -> Predicate[Evidence]:
        """It is better in suboptimality or planning and not worse in the other."""

        def check(evidence: Evidence) -> Finding:
            one, two = self.point(evidence), other.point(evidence)
            return one.dominates(two), f"{one.text}; {two.text}."

        return Predicate(f"{self.name} dominates {other.name}", check)

    def _number(self, what: str, attribute: str, form: str, more: str = "") -> Number[Evidence]:
        def details(evidence: Evidence) -> str:
            point = self.point(evidence)
            return f"{point.text}{more.format(point)}."

        def value(evidence: Evidence) -> float:
            return float(getattr(self.point(evidence), attribute))

        return Number(f"{what} of {self.name}", value, form, details, self.name)


def the(algorithm: Algorithm, size: Size = "upscaled") -> Pick:
    """Pick an algorithm."""
    return Pick(algorithm.name, lambda evidence: evidence.of(size)[algorithm])


def best_of(*families: Family, cutoff: float = math.inf, name: str = "") -> Pick:
    """Pick the algorithm with the best suboptimality on upscaled maps that never exceeds a cutoff."""
    text = f"the best {_names(families, cutoff, name)}"
    return Pick(text, lambda evidence: best(evidence.upscaled.some(*families, cutoff=cutoff)))


def quickest(*families: Family, cutoff: float = math.inf, name: str = "") -> Pick:
    """Pick the near-optimal algorithm with the least planning on upscaled maps, or any if none is near-optimal."""

    def point(evidence: Evidence) -> Point:
        points = evidence.upscaled.some(*families, cutoff=cutoff)
        near = [point for point in points if point.suboptimality <= NEARLY_OPTIMAL]
        return min(near or points, key=lambda point: (point.planning, point.suboptimality))

    return Pick(f"the quickest near-optimal {_names(families, cutoff, name)}", point)


def similar(one: Pick, other: Pick, low: float, high: float) -> Predicate[Evidence]:
    """One is on par with the other in planning, and their suboptimalities have a ratio within bounds."""
    planning = (one.planning / other.planning).between(1 / ON_PAR, ON_PAR)
    return (one.suboptimality / other.suboptimality).between(low, high) & planning


def _names(families: Sequence[Family], cutoff: float, name: str) -> str:
    limit = "" if math.isinf(cutoff) else f" within {cutoff:,.0f} states"
    return (name or " or ".join(family.name for family in families)) + limit


def without_worst(pick: Pick) -> Callable[[Evidence], str]:
    """Return a note on how much the few problems on which an agent loops weigh in its mean on upscaled maps."""

    def note(evidence: Evidence) -> str:
        point = pick.point(evidence)
        worse, planning = evidence.upscaled.without_the_worst(point.algorithm, WORST_SHARE)
        return (
            f"A few problems dominate its mean: without the {WORST_SHARE:.0%} with the longest paths {point.name} is "
            f"at {worse:.3f}, {states_text(planning)}."
        )

    return note


def factor(study: Study, point: Point, curve: Family = F_G, average: Average = "planning") -> float | None:
    """How many times as many states a family expands for the same suboptimality, or `None` if it does not reach it."""
    at = planning_at(study.points(curve), point.suboptimality, average)
    return None if at is None else at / float(getattr(point, average))


def factors(study: Study, family: Family, average: Average = "planning") -> dict[str, float]:
    """For each algorithm of a family, how many times more states LRTA* (F, G) expands for the same suboptimality."""
    found = {point.algorithm.setting: factor(study, point, F_G, average) for point in study.points(family)}
    return {setting: ratio for setting, ratio in found.items() if ratio is not None}


def saving(
    family: Family, size: Size, which: Callable[[Iterable[float]], float], *averages: Average
) -> Number[Evidence]:
    """The smallest or the largest factor of a family, over some averages of planning."""
    name = f"the number of times as many states that LRTA* (F, G) expands as {family.name}"

    def value(evidence: Evidence) -> float:
        found = [factors(evidence.of(size), family, average) for average in averages]
        needed(found[0], f"No {family.name} has a suboptimality that LRTA* (F, G) reaches.")
        return which(ratio for some in found for ratio in some.values())

    return Number(name, value, ".2f", lambda evidence: f"Factors, {factors_text(evidence.of(size), family)}.")


def factors_text(study: Study, family: Family) -> str:
    """Return the largest factors of a family in both averages, for a report."""
    found = [factors(study, family, average) for average in ("planning", "pooled")]
    largest = [sorted(some.items(), key=lambda item: -item[1])[:MAX_NAMED] for some in found]
    own, pooled = (listed(f"{name}: {ratio:.2f}" for name, ratio in some) for some in largest)
    return f"by means of the problems' own ratios: {own}; pooled: {pooled}"
