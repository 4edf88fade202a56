"""The claims of the conference paper, whose sections have names instead of numbers."""

from collections.abc import Iterable

from permove.papers import claims as c
from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control import claims as shared
from permove.papers.dynamic_control.algorithms import DMAX, DT_G, F_G, INTERMEDIATE, MIXED, PDB_G, Algorithm, Family
from permove.papers.dynamic_control.claims import factor, factors_text, saving, the, without_worst
from permove.papers.dynamic_control.figures import CUTOFF
from permove.papers.dynamic_control.study import Evidence, Point, Size, best, not_dominated, suboptimality_at
from permove.papers.item import PaperFile

FILE = PaperFile(__package__)
NOTES: dict[str, str] = shared.NOTES | FILE["notes"]
CAP, UPSCALED_CAP = 20, 30
MIN_NINEFOLD, MIN_FOURFOLD = 5.0, 2.5
"""Published factors of nine and four have to be at least this."""

MIN_ORDER = 10**0.75
"""An order of magnitude has to be at least this."""

SIMILAR = 1.25
"""Suboptimalities within this factor are similar."""


@c.predicates("{_words}", "each lies below the curve of {curve.name} in suboptimality and states per move")
def _outperforms(
    evidence: Evidence, _words: str, algorithms: Iterable[Algorithm], size: Size = "original", curve: Family = F_G
) -> c.Finding:
    """Algorithms need fewer states than a family for the same suboptimality, or are better than all of it."""
    study, parts, worse = evidence.of(size), [], []
    limit = best(study.some(curve)).suboptimality
    for point in map(study.__getitem__, algorithms):
        ratio = factor(study, point, curve)
        parts.append(point.text + ("" if ratio is None else f", a factor of {ratio:.2f}"))
        is_below = point.suboptimality < limit if ratio is None else ratio > 1
        worse += [] if is_below else [point.algorithm.setting]
    return not worse, f"{'; '.join(parts)}. Not below the curve of {curve.name}: {c.listed(worse)}."


@c.predicate(
    "on upscaled maps, intermediate goals need fewer states than LRTA* (F, G) for the same quality (in the paper, "
    "nine times) and have a better quality for the same planning (in the paper, four times)",
    f"at least {MIN_NINEFOLD:g} and {MIN_FOURFOLD:g} times; if no LRTA* (F, G) is as good, the best of them counts",
)
def _nine_and_four(evidence: Evidence) -> c.Finding:
    study = evidence.upscaled
    points, curve = study.some(INTERMEDIATE), study.some(F_G)
    fewer = max((ratio for point in points if (ratio := factor(study, point)) is not None), default=0.0)
    better = [(suboptimality_at(curve, point.planning), point) for point in points]
    gains = [other / point.suboptimality for other, point in better if other is not None]
    # If no fixed depth is as good, the best of them bounds both: one that is as good plans more.
    good, fixed = best(points), best(curve)
    bound, quality = 0.0, 0.0
    if good.suboptimality < fixed.suboptimality:
        bound, quality = fixed.planning / good.planning, fixed.suboptimality / good.suboptimality
    reached = max(fewer, bound) >= MIN_NINEFOLD and max([*gains, quality]) >= MIN_FOURFOLD
    return reached, (
        f"For the same quality up to {fewer:.1f} times fewer states; for the same planning up to "
        f"{max(gains, default=0.0):.1f} times better. {good.text}; the best LRTA* (F, G) is {fixed.text}: if that is "
        f"worse, it takes {bound:.1f} times as much planning for {quality:.1f} times the suboptimality."
    )


fixed_twice = saving(DT_G, "original", max, "planning").at_least(1.5)
fixed_twice = fixed_twice.stating(
    "for the same quality, LRTA* (F, G) expands up to twice as many states as a classifier",
    "at least 1.5 times as many for some classifier",
)


@c.predicate(
    "classifiers are close to their oracles for small depths, and the gap widens with the depth",
    f"for dmax = 5, both measures are at most {SIMILAR:g} times the oracle's; for dmax = 20, one of them is further "
    "away",
)
def _gap(evidence: Evidence) -> c.Finding:
    gaps, parts = [], []
    for dmax in DMAX:
        tree, oracle = evidence.original[DT_G(dmax)], evidence.original[alg.ORACLE_G(dmax)]
        gaps.append(max(tree.suboptimality / oracle.suboptimality, tree.planning / oracle.planning))
        parts.append(f"{tree.text}, {oracle.text}, a gap of {gaps[-1]:.2f}")
    return gaps[0] <= SIMILAR and gaps[-1] > gaps[0], f"{'; '.join(parts)}."


@c.predicate("the cross-validated accuracy of classifiers falls with dmax (in the paper, from 72% to 44%)")
def _accuracy(evidence: Evidence) -> c.Finding:
    found = [c.needed(evidence.trees, "No trees were trained.")[dmax].accuracy for dmax in DMAX]
    parts = "; ".join(f"dmax = {dmax}: {accuracy:.1%}" for dmax, accuracy in zip(DMAX, found, strict=True))
    return found == sorted(found, reverse=True), f"{parts}."


def _times(evidence: Evidence) -> float:
    ratio = factor(evidence.original, GLOBAL_2.point(evidence))
    if ratio is None:
        raise c.NotMeasuredError("No LRTA* (F, G) has its suboptimality.")
    return ratio


GLOBAL_2 = the(PDB_G(2, CAP), "original")
two_levels = c.Number(f"the number of times as many states that LRTA* (F, G) expands as {GLOBAL_2.name}", _times, ".2f")
four_times = two_levels.at_least(2.5, "four").where("for the same quality")


def _as_global(evidence: Evidence) -> str:
    """Where the planning of the mixed policy comes from."""
    text = GLOBAL_2.point(evidence).text
    return f"If the depth stored for the global goal is within the cap, G+I searches as G does: {text}."


similar = shared.similar(the(INTERMEDIATE(5, CAP), "original"), the(MIXED(2, CAP), "original"), 1 / SIMILAR, SIMILAR)
five_like_two = similar.stating(
    "intermediate goals at level 5 perform similarly to mixed goals at level 2",
    f"suboptimality within a factor of {SIMILAR:g}, planning per move within {shared.ON_PAR:g}",
)


@c.predicates(
    "for the same quality, LRTA* (F, G) expands an order of magnitude more states than {_names}, {size} maps",
    f"at least {MIN_ORDER:.1f} times as many",
)
def _an_order_fewer(evidence: Evidence, size: Size, _names: str, *algorithms: Algorithm) -> c.Finding:
    study, parts, ratios = evidence.of(size), [], []
    fixed, beyond = best(study.some(F_G)), False
    for point in map(study.__getitem__, algorithms):
        ratio = factor(study, point)
        # An algorithm that is better than every fixed depth is compared with the best of them.
        ratios.append(fixed.planning / point.planning if ratio is None else ratio)
        parts.append(f"{point.text}, {ratios[-1]:.1f} times{' or more' if ratio is None else ''}")
        beyond |= ratio is None
    rest = f" If it is more, no fixed depth is as good: {fixed.text}." if beyond else ""
    return min(ratios) >= MIN_ORDER, f"{'; '.join(parts)}.{rest}"


@c.predicate(
    "with the same depth, LRTA* (F, G) has a higher suboptimality on upscaled maps", "for every d from 4 to 14"
)
def _less_optimal(evidence: Evidence) -> c.Finding:
    depths = range(4, 15)
    pairs = [[study[F_G(depth)].suboptimality for study in (evidence.original, evidence.upscaled)] for depth in depths]
    parts = (f"d = {depth}: {small:.2f}, {large:.2f}" for depth, (small, large) in zip(depths, pairs, strict=True))
    return all(large > small for small, large in pairs), f"{'; '.join(parts)}."


@c.predicate(
    "scaling up the maps affects intermediate goals less than global goals and fixed depths",
    "by the best suboptimality",
)
def _less_affected(evidence: Evidence) -> c.Finding:
    def growth(family: Family, upscaled: Iterable[Point]) -> float:
        return best(upscaled).suboptimality / best(evidence.original.some(family)).suboptimality

    large = evidence.upscaled
    goals, depths = (
        growth(family, [large[family(level, UPSCALED_CAP)] for level in range(4, 8)])
        for family in (INTERMEDIATE, PDB_G)
    )
    fixed = growth(F_G, large.some(F_G))
    return goals < min(depths, fixed), (
        f"The best suboptimality grows by a factor of {goals:.2f} with intermediate goals, {depths:.2f} with global "
        f"ones, {fixed:.2f} with fixed depths."
    )


@c.predicate(
    "LRTA* (PDB, I) and PR LRTS dominate the other algorithms within the cutoff",
    f"every LRTA* (F, G), LRTA* (DT, G), K LRTA* and P LRTA* with at most {CUTOFF:,} states for any move",
)
def _two_dominate(evidence: Evidence) -> c.Finding:
    study = evidence.upscaled
    leaders = [*study.points(INTERMEDIATE), *study.points(alg.PR_LRTS, cutoff=CUTOFF)]
    others = study.some(F_G, DT_G, alg.K_LRTA, alg.P_LRTA, cutoff=CUTOFF)
    free = not_dominated(others, leaders)
    return not free, f"Of {len(others)} others, not dominated: {c.listed(point.text for point in free)}."


def _pairs(evidence: Evidence) -> float:
    built = evidence.databases()["subgoals", 0, 6]
    if built.build_ns is None:
        raise c.NotMeasuredError("The database of level 6 was not built.")
    return built.pairs


level_6 = c.Number("the number of pairs in the database of level 6", _pairs, ",.0f").between(15_500, 124_000, "31,000")
level_0 = the(PDB_G(0, CAP), "original").suboptimality
still_suboptimal = (level_0.above(1) & level_0.at_most(1.3)).stating(
    "with the cap of 20, paths stay somewhat suboptimal even at level 0", "above 1 and at most 1.3 times the optimum"
)
goals_4, refined_4 = the(INTERMEDIATE(4, UPSCALED_CAP)), the(alg.PR_LRTS(4, 5, 1.0))
worst_move = goals_4.worst.at_most(CUTOFF).noting(
    lambda _: f"A search to the cap may take {(2 * UPSCALED_CAP - 1) ** 2:,} states."
)
trees = _outperforms("classifiers outperform fixed depths except for dmax = 20", DT_G.sweep(DMAX[:-1]))
trees_upscaled = _outperforms(
    "classifiers with dmax = 5 and 10 outperform fixed depths on upscaled maps", DT_G.sweep((5, 10)), "upscaled"
).noting(lambda evidence: f"Factors, {factors_text(evidence.upscaled, DT_G)}.")
all_levels = _outperforms(
    "LRTA* (PDB, G) with c = 20 outperforms fixed depths at all levels", PDB_G.sweep(range(6), (CAP,))
)
global_4 = PDB_G(4, UPSCALED_CAP)
classifiers = _outperforms(
    "LRTA* (PDB, G) with c = 20 outperforms the classifiers at levels 0 to 3", PDB_G.sweep(range(4), (CAP,)), curve=DT_G
)
level_4 = _outperforms(
    "LRTA* (PDB, G) with ℓ = 4 and c = 30 outperforms fixed depths on upscaled maps", [global_4], "upscaled"
).noting(without_worst(the(global_4)))
both = (INTERMEDIATE(5, CAP), MIXED(2, CAP))
both_policies = _an_order_fewer("original", f"{both[0].name} and {both[1].name}", *both)
goals_6 = INTERMEDIATE(6, UPSCALED_CAP)
faster_but_longer = refined_4.planning.below(goals_4.planning) & goals_4.suboptimality.below(refined_4.suboptimality)

STATE_OF_THE_ART = "Comparison to State-of-the-Art Algorithms"
CLAIMS = (
    *c.claims("Abstract and Conclusions", "figure-7", _nine_and_four),
    *c.claims("Margins for Improvement", "figure-5", trees, fixed_twice, _gap.because(NOTES["ties"])),
    *c.claims("Margins for Improvement", "figure-5", _accuracy.because(NOTES["ties"]), all_levels),
    *c.claims("Margins for Improvement", "figure-5", classifiers, four_times, still_suboptimal),
    *c.claims("Effects of Intermediate Goals", "figure-6", five_like_two.noting(_as_global)),
    *c.claims("Effects of Intermediate Goals", "figure-6", both_policies.noting(_as_global)),
    *c.claims(
        "Scaling Up", "figure-7", _less_optimal, trees_upscaled.because(NOTES["averages"]), level_4, _less_affected
    ),
    *c.claims("Scaling Up", "figure-7", _an_order_fewer("upscaled", goals_6.name, goals_6)),
    *c.claims(STATE_OF_THE_ART, "figure-8", _two_dominate, worst_move.because(NOTES["circles"]), faster_but_longer),
    *c.claims("Conclusions and Future Work", "table-2", level_6),
)
