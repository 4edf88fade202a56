"""Expressions over points in the plane of suboptimality and planning, and the checks that both papers share."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from permove.papers.claims import Finding, NotMeasuredError, Number, Predicate, listed
from permove.papers.dynamic_control.algorithms import F_G, Algorithm, Family
from permove.papers.dynamic_control.study import Evidence, Point, Size, Study, best, planning_at, states_text
from permove.papers.paper_file import PaperFile

NEARLY_OPTIMAL = 1.15
"""Maximum suboptimality of a near-optimal algorithm: LRTA* (F, PDB) d = 1, ℓ = 3 in Table 4 has 1.10."""

ACCEPTABLE = 1.5
"""Maximum suboptimality of acceptable quality (Section 7.1)."""

ON_PAR = 2.0
"""Amounts of planning within this factor are on par."""

WORST_SHARE = 0.05
"""The share of the problems whose weight in a mean is reported."""


NOTES: dict[str, str] = PaperFile(__package__)["notes"]
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
        """Its states expanded per move, pooled."""
        return self._number("the number of states per move", "planning", ".4g")

    @property
    def worst(self) -> Number[Evidence]:
        """The states expanded for its worst move."""
        return self._number("the number of states for the worst move", "worst", ",.0f", ", worst move {0.worst:,.0f}")

    def dominates(self, other: "Pick") -> Predicate[Evidence]:
        """It is better in suboptimality or planning and not worse in the other."""

        def check(evidence: Evidence) -> Finding:
            one, two = self.point(evidence), other.point(evidence)
            return one.dominates(two), f"{texts([one, two])}."

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


def _names(families: Sequence[Family], cutoff: float, name: str) -> str:
    limit = "" if math.isinf(cutoff) else f" within {cutoff:,.0f} states"
    return (name or " or ".join(family.name for family in families)) + limit


def map_by_map(evidence: Evidence, point: Point) -> str:
    """Return what an algorithm does on each of the maps in the original size, which replace those of the papers."""
    found = evidence.original.on_each_map(point.algorithm)
    parts = "; ".join(f"{name}: {worse:.3f} at {states_text(planning)}" for name, (worse, planning) in found.items())
    return f"The maps are not those of the paper, and differ: {parts}."


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


def pooled(point: Point) -> float:
    """Planning per move: all states over all moves."""
    return point.planning


def mean_of_means(point: Point) -> float:
    """Planning per move: the mean of the problems' own ratios."""
    return point.planning_mean


def factor(study: Study, point: Point, family: Family = F_G) -> float | None:
    """How many times as many states a family expands for the same suboptimality, or `None` if it does not reach it."""
    at = planning_at(study.some(family), point.suboptimality, pooled)
    return None if at is None else at / point.planning


def is_below(study: Study, point: Point, family: Family = F_G) -> bool:
    """Whether a point lies below the curve of a family, or is better than all of it."""
    ratio = factor(study, point, family)
    return point.suboptimality < best(study.some(family)).suboptimality if ratio is None else ratio > 1


def factors(study: Study, family: Family, planning: Callable[[Point], float] = pooled) -> dict[str, float]:
    """For each algorithm of a family, how many times more states LRTA* (F, G) expands for the same suboptimality."""
    points, curve = study.points(family), study.points(F_G)
    found = {point: planning_at(curve, point.suboptimality, planning) for point in points}
    return {point.algorithm.setting: at / planning(point) for point, at in found.items() if at is not None}


def both_factors(study: Study, family: Family) -> tuple[dict[str, float], dict[str, float]]:
    """Return the factors for both averages of planning; there has to be one."""
    found = factors(study, family), factors(study, family, mean_of_means)
    if not found[0]:
        raise NotMeasuredError(f"No {family.name} has a suboptimality that LRTA* (F, G) reaches.")
    return found


def factors_text(found: Mapping[str, float]) -> str:
    """Return some factors for a report."""
    return listed(f"{name}: {factor:.2f}" for name, factor in found.items())


def texts(points: Iterable[Point]) -> str:
    """Return some points for a report."""
    return "; ".join(point.text for point in points)
