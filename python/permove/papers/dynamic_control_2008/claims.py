"""The claims of the paper: against the state of the art, offline computation, intermediate goals, global goals."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import mean, median

from permove.analysis.chance import not_below
from permove.papers import claims as c
from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control import claims as shared
from permove.papers.dynamic_control import study as st
from permove.papers.dynamic_control.algorithms import DT_G, F_G, F_PDB, PDB_G, PDB_PDB, PRA, REFINING, Algorithm, Family
from permove.papers.dynamic_control.claims import NEARLY_OPTIMAL, ON_PAR, best_of, quickest, saving, the
from permove.papers.dynamic_control.figures import CUTOFF, HOUR, WIDER
from permove.papers.dynamic_control.study import Evidence, Point, Size, best, not_dominated
from permove.papers.dynamic_control_2008.tables import NOTES, TABLE_6, guide, pairs, recouped

# Published orders of magnitude are rounded at half an order.
ONE_TO_TWO_ORDERS, ONE_ORDER, TWO_ORDERS = (10**0.75, 10**2.25), (10**0.5, 10**1.5), (10**1.5, 10**2.5)

CLOSE = 0.15
"""Suboptimalities within this share are close."""
PUBLISHED_RANGE = (2.0, 36.0)
"""300 to 1700% suboptimal, with a factor of two on both sides."""
SINGLE_STATE = 1.1
"""Maximum states per move of an algorithm that nearly always expands one state."""

PROPOSED, PREVIOUS, C_20 = the(PDB_PDB(3, 3000)), the(alg.PR_F_G(4, 5, 1.0)), the(PDB_PDB(3, 20))
OFFLINE_SEARCH = (PRA, alg.WEIGHTED, alg.ASTAR)
DYNAMIC_REFINING = (alg.PR_PDB_G, alg.PR_PDB_G_2, alg.PR_F_PDB, alg.PR_PDB_PDB)
ON_GROUND = (F_PDB, PDB_PDB)
GLOBAL = (F_G, DT_G, alg.K_LRTA, alg.P_LRTA)


def _times_as_many(others: Mapping[Algorithm, tuple[float, float]]) -> c.Predicate[Evidence]:
    """Others expand some times as many states per move as the proposed algorithm."""
    ratios = ((the(each).planning / PROPOSED.planning).between(*bounds) for each, bounds in others.items())
    parts = ", and ".join(f"{other.name} {low:.2g} to {high:.3g} times" for other, (low, high) in others.items())
    return c.together(f"per move, the others expand more states than {PROPOSED.name}: {parts} as many", ratios)


@c.predicate("no move of LRTA* with depth or cap d expands more than (2d - 1)² states")
def _bounded(evidence: Evidence) -> c.Finding:
    points = [each for each in evidence.upscaled.points(F_PDB, F_G, PDB_PDB) if not each.algorithm.uncapped]
    c.needed(points, "None of them ran.")
    depths = [int(each.algorithm["c" if each.algorithm.family == PDB_PDB else "d"]) for each in points]
    over = [each.name for each, depth in zip(points, depths, strict=True) if each.worst > (2 * depth - 1) ** 2]
    return not over, f"Of {len(points)} algorithms, over the bound: {c.listed(over)}."


def _choices(evidence: Evidence) -> list[tuple[int, Point]]:
    """The best choices with the smallest limits for which they are best."""
    by_name = {algorithm.name: algorithm for algorithm in evidence.upscaled.agents}
    own = guide(evidence.upscaled)
    return [(row["min_limit"], evidence.upscaled[by_name[row["label"]]]) for row in own.iter_rows(named=True)]


@c.predicate("for limits of exactly one to eight states per move, the best choice is LRTA* (F, PDB) d = 1, ℓ = 3")
def _first_choice(evidence: Evidence) -> c.Finding:
    (limit, first), *rest = _choices(evidence)
    following = rest[0][0] if rest else math.inf
    holds = first.algorithm == F_PDB(1, 3) and limit == 1 and following == 9
    return holds, f"From {limit} to {following - 1:g} states: {first.text}."


@c.predicate(
    "the best choices are dynamically controlled up to the limit at which PRA* takes over (in the paper, 3,454 states)",
    "for the largest limits, the best choice is A*, or PRA* if it is optimal itself",
)
def _dynamic_until(evidence: Evidence) -> c.Finding:
    choices = _choices(evidence)
    at = next((limit for limit, point in choices if point.algorithm == PRA), None)
    if at is None:
        return False, f"PRA* is never the best choice: {c.listed(point.name for _, point in choices)}."
    before = [point for limit, point in choices if limit < at]
    static = [point.name for point in before if not point.algorithm.family.dynamic]
    last = choices[-1][1]
    return not static and last.algorithm in (alg.ASTAR, PRA), (
        f"PRA* takes over at {at:,} states. Before that, of {len(before)} choices not dynamically controlled: "
        f"{c.listed(static)}. At the end: {last.name}."
    )


@c.predicate("every best choice for a limit below 500 states per move is an LRTA* (F, PDB)")
def _small_limits(evidence: Evidence) -> c.Finding:
    small = [(limit, point) for limit, point in _choices(evidence) if limit < 500]
    found = "; ".join(f"from {limit:,}: {point.name}" for limit, point in small)
    return bool(small) and all(point.algorithm.family == F_PDB for _, point in small), f"{found}."


@c.predicate(
    "at ℓ = 3, a larger cap costs planning without improving paths",
    "from c = 20 to 80, suboptimality stays within 0.005",
)
def _caps(evidence: Evidence) -> c.Finding:
    points = [evidence.upscaled[each] for each in PDB_PDB.sweep((3,), (20, 30, 40, 50, 80))]
    costs, planning = ([getattr(each, name) for each in points] for name in ("suboptimality", "planning"))
    holds = max(costs) - min(costs) <= 0.005 and planning == sorted(planning) and planning[-1] > planning[0]
    parts = (
        f"c = {each.algorithm['c']}: {each.suboptimality:.4f} at {st.states_text(each.planning)}" for each in points
    )
    return holds, f"{'; '.join(parts)}."


worst_moves = c.together(
    "the worst moves of PRA*, weighted A* and A* take 3,454, 40,734 and 88,138 states",
    (the(each).worst.between(at / 2, 2 * at) for each, at in zip(OFFLINE_SEARCH, (3454, 40734, 88138), strict=True)),
    "within a factor of two",
)
not_real_time = c.together(
    f"PRA*, weighted A* and A* exceed {CUTOFF:,} states on their worst moves",
    (the(each).worst.above(CUTOFF) for each in OFFLINE_SEARCH),
)
IN_TABLE_4 = (*F_PDB.sweep((1, 2, 3, 4, 6), (3,)), F_PDB(14, 4))
squares = c.together(
    "the worst moves of the six LRTA* (F, PDB) in Table 4 take 1, 9, 25, 49, 121 and 729 states",
    (the(each).worst.equals(states) for each, states in zip(IN_TABLE_4, (1, 9, 25, 49, 121, 729), strict=True)),
)
opened_again = the(alg.WEIGHTED_REOPENING).planning / PROPOSED.planning
improvement = (PREVIOUS.excess / PROPOSED.excess).between(2, 4, "two to three")
improvement &= (PREVIOUS.planning / PROPOSED.planning).between(10, 25, "15")
one_state = PROPOSED.suboptimality.at_most(1.07) & PROPOSED.planning.at_most(1.5, "1.03")
faster = _times_as_many(dict.fromkeys(OFFLINE_SEARCH[::-1], ONE_TO_TWO_ORDERS)).noting(opened_again.found)
two_and_one = _times_as_many({alg.ASTAR: TWO_ORDERS, PRA: ONE_ORDER}).because(NOTES["unreachable"])
shorter = PROPOSED.suboptimality.below(PREVIOUS.suboptimality)
shorter &= PROPOSED.suboptimality.below(the(alg.WEIGHTED).suboptimality)
small_cap = C_20.suboptimality.between(1.05, 1.07, "1.058") & C_20.planning.below(2.5, "1.536")

STATE_OF_THE_ART = (
    *c.claims("Abstract and 8", "table-3 table-13", one_state.because(NOTES["loops"])),
    *c.claims("Abstract and 1", "table-3", improvement.because(NOTES["refinement"])),
    *c.claims("1", "table-4", _bounded),
    *c.claims("7.5", "table-3", worst_moves.because(f"{NOTES['unreachable']} {NOTES['reopening']}"), not_real_time),
    *c.claims("1 and 7.5", "table-3", faster.because(NOTES["reopening"])),
    *c.claims("7.5", "table-3", shorter),
    *c.claims("7.5", "table-3", the(alg.ASTAR).excess.below(1e-9) & the(PRA).suboptimality.at_most(1.01)),
    *c.claims("7.6", "table-4", _first_choice.because(NOTES["shallow-suffices"]), squares, _dynamic_until),
    *c.claims("7.7", "table-5 table-6", small_cap.because(NOTES["loops"])),
    *c.claims("8", "table-4", _small_limits),
    *c.claims("10", "table-3", PROPOSED.dominates(PREVIOUS).because(NOTES["loops"]), two_and_one),
    *c.claims("D", "table-5 table-9 table-10 table-11 table-12", _caps.because(NOTES["loops"])),
)


def _states(evidence: Evidence, size: str) -> Sequence[Sequence[int]]:
    return c.needed(evidence.states().get(size, ()), "The hierarchies were not built.")


@c.predicate(
    "each level of clique abstraction has two to four times fewer states",
    "on average over the first five levels of our maps, and for nine of ten levels",
)
def _two_to_four(evidence: Evidence) -> c.Finding:
    maps = [*_states(evidence, "original"), *_states(evidence, "upscaled")]
    found = [low / high for levels in maps for low, high in pairwise(levels[:6])]
    inside = sum(2 <= factor <= 4 for factor in found) / len(found)
    return 2 <= mean(found) <= 4 and inside >= 0.9, (
        f"On six maps, from the ground to level 5: {min(found):.2f} to {max(found):.2f}, {mean(found):.2f} on "
        f"average, {inside:.0%} from 2 to 4."
    )


def _region(size: Size) -> c.Number[Evidence]:
    name = f"the mean number of ground states per region of level 5, {size} maps,"
    return c.Number(name, lambda evidence: mean(levels[0] / levels[5] for levels in _states(evidence, size)), ".0f")


def _competitor(evidence: Evidence) -> Point:
    study, own = evidence.upscaled, C_20.point(evidence)
    other = pairs(study).filter(agent=study.agents[own.algorithm])["other"][0]
    return next(study[algorithm] for algorithm, spec in study.agents.items() if spec == other)


@c.predicate(
    "LRTA* (PDB, PDB) c = 20, ℓ = 3 recoups the build after at most 4.7 × 10⁸ moves and four hours", "hours are rounded"
)
def _four_hours(evidence: Evidence) -> c.Finding:
    row = recouped(evidence).filter(label=C_20.name).row(0, named=True)
    if row["moves"] is None:
        return False, "It saves no time on a move here."
    return row["moves"] <= TABLE_6[PDB_PDB(3, 20)].moves and row["run_ns"] / 1e9 < 4.5 * HOUR, (
        f"{row['moves']:.3g} moves, {row['run_ns'] / 1e9:.2g} seconds; building took {row['build_ns'] / 1e9:.2f} "
        f"seconds, and a move saves {row['other_time_per_move_ns'] - row['time_per_move_ns']:,.0f} ns."
    )


@c.predicate("LRTA* (PDB, PDB) recoups the build within 27 hours of pathfinding, if a move saves time")
def _within_hours(evidence: Evidence) -> c.Finding:
    frame = recouped(evidence)
    moves, seconds = frame["moves"].drop_nulls().to_list(), (frame["run_ns"].drop_nulls() / 1e9).to_list()
    if not seconds:
        return False, "None of them saves time on a move here."
    return max(seconds) <= 27 * HOUR, (
        f"{len(seconds)} of {frame.height} recoup it, in {min(seconds):.2g} to {max(seconds):.2g} seconds of "
        f"pathfinding, after {min(moves):.2g} to {max(moves):.2g} moves."
    )


competitor = shared.Pick("the PR LRTA* (F, G) with the closest suboptimality", _competitor)
closest = (competitor.suboptimality - C_20.suboptimality).between(-0.01, 0.01)
closest &= (competitor.planning / C_20.planning).at_least(5, "18.6")
saved = c.Number[Evidence](
    "the number of pairs that level 5 saves on upscaled maps, in orders of magnitude,",
    lambda evidence: math.log10(mean((levels[0] / levels[5]) ** 2 for levels in _states(evidence, "upscaled"))),
    ".2g",
)
# Table 5 itself gives 270 states per region.
regions = _region("original").between(50, 300, "about 100") & _region("upscaled").between(50, 300)
OFFLINE = (
    *c.claims("5.2", "table-5", _two_to_four, regions, saved.between(3.5, 5, "four")),
    *c.claims("7.7", "table-6", closest, _four_hours.on_the_clock(), _within_hours.on_the_clock()),
)


@c.predicate(
    "entry states are better intermediate goals than centroids",
    "for LRTA* (PDB, PDB) with c = 20, paths are shorter at most of the levels 3 to 7, and planning is less at most "
    "of them",
)
def _entry_states(evidence: Evidence) -> c.Finding:
    both = [[evidence.upscaled[family(level, 20)] for family in (PDB_PDB, alg.CENTROIDS)] for level in range(3, 8)]
    shorter = sum(entry.suboptimality < centroid.suboptimality for entry, centroid in both)
    less = sum(entry.planning < centroid.planning for entry, centroid in both)
    texts = [[f"{each.suboptimality:.3f} at {each.planning:.2f}" for each in pair] for pair in both]
    found = "; ".join(f"ℓ = {level}: {' against '.join(pair)}" for level, pair in enumerate(texts, 3))
    return 2 * shorter > len(both) and 2 * less > len(both), f"Entry states against centroids, {found}."


def _sides(evidence: Evidence) -> tuple[list[Point], list[Point]]:
    """The LRTA* (PDB, G) above the curve of LRTA* (F, G), and below it."""
    curve = evidence.upscaled.some(F_G, cutoff=WIDER)
    highest = max(each.suboptimality for each in curve)
    sides: tuple[list[Point], list[Point]] = ([], [])
    for point in evidence.upscaled.some(PDB_G, cutoff=WIDER):
        at = st.planning_at(curve, point.suboptimality)
        # Beyond the ends of the curve, a point is worse than all of it, or better.
        is_above = point.suboptimality > highest if at is None else point.planning > at
        sides[not is_above].append(point)
    return sides


@c.predicate(
    "dynamic depth is sometimes worse than fixed depth: some LRTA* (PDB, G) lies above the curve of LRTA* (F, G)"
)
def _sometimes_worse(evidence: Evidence) -> c.Finding:
    above, below = _sides(evidence)
    return bool(above), f"{len(above)} of {len(above) + len(below)} points are above the curve."


@c.predicate("the LRTA* (PDB, G) above that curve have higher levels and smaller caps on average than those below it")
def _high_levels(evidence: Evidence) -> c.Finding:
    sides = above, below = _sides(evidence)
    c.needed(above and below, "All points are on the same side of the curve.")
    levels, caps = ([mean(float(point.algorithm[name]) for point in side) for side in sides] for name in "ℓc")
    return levels[0] > levels[1] and caps[0] < caps[1], (
        f"Above the curve: {c.listed(point.algorithm.setting for point in above)}. Mean level {levels[0]:.1f} against "
        f"{levels[1]:.1f} below, mean cap {caps[0]:.0f} against {caps[1]:.0f}."
    )


@c.predicate(
    "dynamic goals help more than dynamic depth: an LRTA* (F, PDB) dominates every LRTA* (PDB, G) within the cutoff"
)
def _much_stronger(evidence: Evidence) -> c.Finding:
    depth, goals = (evidence.upscaled.some(family, cutoff=WIDER) for family in (PDB_G, F_PDB))
    free = [point.name for point in not_dominated(depth, goals)]
    return not free, f"Of {len(depth)} LRTA* (PDB, G), not dominated by any LRTA* (F, PDB): {c.listed(free)}."


def _beaten(name: str, *families: Family, cutoff: float = math.inf) -> c.Number[Evidence]:
    def found(evidence: Evidence) -> tuple[int, int]:
        static = evidence.upscaled.some(alg.PR_F_G)
        front = not_dominated(static, static)
        return len(front) - len(not_dominated(front, evidence.upscaled.some(*families, cutoff=cutoff))), len(front)

    return c.Number(
        f"the number of non-dominated PR LRTA* (F, G) dominated by {name}",
        lambda evidence: found(evidence)[0],
        "",
        lambda evidence: (
            f"{' of '.join(map(str, found(evidence)))} non-dominated PR LRTA* (F, G) are dominated by {name}."
        ),
    )


def _over(one: shared.Pick, other: shared.Pick, factor: c.Predicate[Evidence]) -> c.Predicate[Evidence]:
    """Besides a factor, one expands three orders of magnitude more states than the other."""
    return factor & (one.planning / other.planning).at_least(300, "three orders of magnitude")


near_optimal = quickest(*ON_GROUND, cutoff=WIDER)
single_state = near_optimal.suboptimality.at_most(NEARLY_OPTIMAL) & near_optimal.planning.at_most(SINGLE_STATE)
single_state = single_state.stating(
    "some LRTA* with intermediate goals is near-optimal and expands nearly always one state",
    f"suboptimality is at most {NEARLY_OPTIMAL:g} and planning at most {SINGLE_STATE:g} states per move",
)
moderate = _beaten("dynamically controlled ones", *DYNAMIC_REFINING).above(0)
moderate &= (best_of(alg.PR_F_G).excess / best_of(*DYNAMIC_REFINING).excess).between(1, 3)
moderate = moderate.stating(
    "dynamic control improves PR LRTA* moderately",
    "it dominates some non-dominated PR LRTA* (F, G), and reduces the best excess cost, but not below a third",
)
comparable = _beaten("an LRTA* (F, PDB)", F_PDB, cutoff=WIDER).above(0)
comparable = comparable.stating(
    "intermediate goals make LRTA* comparable to PR LRTA*: some dominate a non-dominated PR LRTA* (F, G)"
)
fixed_depth, goals = best_of(F_G, cutoff=WIDER), quickest(F_PDB, cutoff=WIDER)
dynamic_depth, dynamic_goals = best_of(PDB_G, cutoff=WIDER), quickest(PDB_PDB, cutoff=WIDER)
marginal = (best_of(F_PDB, cutoff=WIDER).suboptimality - best_of(PDB_PDB, cutoff=WIDER).suboptimality).between(
    -0.02, 0.02
)
five_times = (fixed_depth.suboptimality / goals.suboptimality).at_least(3, "five")
two_times = (dynamic_depth.suboptimality / dynamic_goals.suboptimality).between(1.3, 4, "two")
two_times_and_more = _over(dynamic_depth, dynamic_goals, two_times).noting(shared.without_worst(dynamic_depth))
more_planning = quickest(*REFINING, name="PR LRTA*").planning / quickest(*ON_GROUND, name="LRTA*").planning
overhead = best_of(*REFINING, name="PR LRTA*").suboptimality.at_most(NEARLY_OPTIMAL)
overhead &= more_planning.at_least(5, "at least five")

SUBGOALS = (
    *c.claims("6", "table-5", _entry_states),
    *c.claims("7.3", "figure-11", _over(fixed_depth, goals, five_times)),
    *c.claims("7.3", "figure-12", two_times_and_more),
    *c.claims("7.3", "figure-13", _much_stronger, _sometimes_worse, _high_levels),
    *c.claims("7.3", "figure-14", marginal),
    *c.claims("7.3", "figure-11 figure-13 figure-14 table-4", the(F_PDB(1, 3)).worst.equals(1)),
    *c.claims("7.4", "figure-14", single_state, overhead.because(NOTES["overhead"]), moderate),
    *c.claims("8", "figure-14", comparable),
)


fewer_states = saving(DT_G, "original", min, "planning").at_least(1.3)
fewer_states = fewer_states.stating(
    "LRTA* (DT, G) expands at least 1.3 times fewer states than LRTA* (F, G) for the same suboptimality, original size",
    "for every dmax whose suboptimality LRTA* (F, G) reaches",
)
fewer_upscaled = saving(DT_G, "upscaled", min, "planning").above(1)
each_needs = "on upscaled maps, every LRTA* (DT, G) needs fewer states than LRTA* (F, G) for the same suboptimality"
fewer_upscaled = fewer_upscaled.stating(each_needs)


def _twice_as_many(family: Family) -> c.Predicate[Evidence]:
    return (
        saving(family, "original", max, "planning", "pooled")
        .at_least(2)
        .stating(
            f"for the same suboptimality, LRTA* (F, G) expands at least twice as many states as some {family.name}, "
            "original size (in the paper, two to three)",
            "in one of the two averages of planning",
        )
    )


def _on_par(size: Size, families: Sequence[Family], other: Family, least: float = 0.0) -> c.Predicate[Evidence]:
    """At the same suboptimality, states per move are on par in the median, or fewer."""

    def ratios(evidence: Evidence, average: st.Average) -> list[float]:
        points = [each for each in evidence.of(size).some(*families, cutoff=CUTOFF) if each.planning >= least]
        found = [shared.factor(evidence.of(size), point, other, average) for point in points]
        return [ratio for ratio in found if ratio is not None]

    def value(evidence: Evidence) -> float:
        return median(c.needed(ratios(evidence, "planning"), f"{other.name} reaches none of their suboptimalities."))

    def details(evidence: Evidence) -> str:
        own, pooled = (ratios(evidence, average) for average in ("planning", "pooled"))
        return (
            f"States of {other.name} over theirs at the same suboptimality: {median(own):.2f} in the median of "
            f"{len(own)}, from {min(own):.2f} to {max(own):.2f}; pooled {median(pooled) if pooled else math.nan:.2f} "
            f"in the median of {len(pooled)}."
        )

    names = " and ".join(family.name for family in families) + (f" above {least:g} states per move" if least else "")
    maps = {"original": "original size", "upscaled": "on upscaled maps"}[size]
    number = c.Number(
        f"the median ratio of the states of {other.name} to those of {names}, {maps},", value, ".2g", details
    )
    return number.at_least(1 / ON_PAR).where("at the same suboptimality")


def _one_update(evidence: Evidence) -> str:
    holds, found = _on_par("original", (DT_G, PDB_G), alg.K_LRTA_CURRENT).check(evidence)
    return f"With one update, which resembles the published curve, {'on par' if holds else 'not on par'}: {found}"


def _at_100(evidence: Evidence) -> Point:
    cheap = [point for point in evidence.original.some(DT_G, PDB_G, cutoff=CUTOFF) if point.planning <= 100]
    return best(c.needed(cheap, "None of them expands 100 states or fewer."))


with_koenig = _on_par("original", (DT_G, PDB_G), alg.K_LRTA).noting(_one_update).because(NOTES["koenig"])
at_100 = shared.Pick("the best LRTA* (DT, G) or (PDB, G) at up to 100 states per move, original size,", _at_100)
acceptable = at_100.suboptimality.at_most(shared.ACCEPTABLE)


@c.predicate(
    "no tree beats its oracle: LRTA* (ORACLE, G) has no higher suboptimality than LRTA* (DT, G)",
    "for dmax = 10, 15 and 20, apart from chance",
)
def _oracle_bound(evidence: Evidence) -> c.Finding:
    depths = (10, 15, 20)
    found = [evidence.original.values("suboptimality", DT_G(dmax), alg.ORACLE_G(dmax)) for dmax in depths]
    means = [f"{oracle.mean():.3f} against {tree.mean():.3f}" for tree, oracle in found]
    parts = "; ".join(f"dmax = {dmax}: {text}" for dmax, text in zip(depths, means, strict=True))
    return all(not_below(*pair) for pair in found), f"Suboptimality of the oracle against the tree's: {parts}."


trees_and_oracles = [[the(family(dmax), "original") for family in (DT_G, alg.ORACLE_G)] for dmax in alg.DMAX]
close_to_the_oracle = c.together(
    "trees perform close to their oracles",
    (shared.similar(tree, oracle, 1 - CLOSE, 1 + CLOSE) for tree, oracle in trees_and_oracles),
    f"for each dmax, suboptimalities are within {CLOSE:.0%} and states per move within a factor of {ON_PAR:g}",
)


smallest = shared.Pick(
    "the LRTA* (PDB, G) with the smallest worst move",
    lambda evidence: min(evidence.upscaled.some(PDB_G), key=lambda point: point.worst),
)
worst_global = shared.Pick(
    "the worst of them",
    lambda evidence: max(evidence.upscaled.some(*GLOBAL, PDB_G, cutoff=CUTOFF), key=lambda point: point.suboptimality),
)
no_cutoff = smallest.worst.above(CUTOFF).stating(
    f"on upscaled maps, every LRTA* (PDB, G) exceeds {CUTOFF:,} states on its worst move"
)
capped_80 = the(PDB_G(3, 80))
as_in_appendix = capped_80.suboptimality.between((1 - CLOSE) * 1.36, (1 + CLOSE) * 1.36)
as_in_appendix &= capped_80.planning.between(1214 / 2, 1214 * 2)
as_in_appendix = as_in_appendix.stating(
    "LRTA* (PDB, G) ℓ = 3, c = 80 has a suboptimality of 1.36 at 1,214 states per move",
    f"within {CLOSE:.0%} and a factor of two",
)
best_global, other_global = best_of(*GLOBAL, cutoff=CUTOFF), best_of(F_G, DT_G, alg.P_LRTA, cutoff=CUTOFF)
four_times = best_global.suboptimality.between(2.5, 6).stating(
    "the best algorithm with global goals on upscaled maps is 2.5 to 6 times the optimum (in the paper, four)"
)
four_times = four_times.noting(lambda evidence: f"Except for K LRTA*, {other_global.point(evidence).text}.")
without_koenig = best_of(F_G, DT_G, alg.P_LRTA, PDB_G, cutoff=CUTOFF)
not_acceptable = best_of(*GLOBAL, PDB_G, cutoff=CUTOFF).suboptimality.at_least(PUBLISHED_RANGE[0])
not_acceptable &= worst_global.suboptimality.at_most(PUBLISHED_RANGE[1])
not_acceptable = not_acceptable.stating(
    "no algorithm with global goals is acceptable on upscaled maps within the cutoff",
    f"all have a suboptimality of {PUBLISHED_RANGE[0]:g} to {PUBLISHED_RANGE[1]:g} (in the paper, 300 to 1700%)",
)
not_acceptable = not_acceptable.noting(
    lambda evidence: f"Without K LRTA* the best is {without_koenig.point(evidence).text}."
)
with_p_lrta = _on_par("upscaled", (DT_G,), alg.P_LRTA).because(NOTES["queue"])
with_k_lrta = _on_par("upscaled", (DT_G,), alg.K_LRTA, 200).because(NOTES["koenig"])
GLOBAL_GOALS = (
    *c.claims("7.1", "figure-10", fewer_states, _twice_as_many(DT_G), _twice_as_many(PDB_G)),
    *c.claims("7.1", "figure-10", with_koenig),
    *c.claims("7.1", "figure-10", acceptable, _oracle_bound, close_to_the_oracle.because(NOTES["ties"])),
    *c.claims("7.1", "figure-15", not_acceptable.because(NOTES["koenig"])),
    *c.claims("B", "figure-15", fewer_upscaled.because(NOTES["averages"])),
    *c.claims("B", "figure-15", with_p_lrta, with_k_lrta),
    *c.claims("B", "figure-12 figure-13", no_cutoff, as_in_appendix.noting(shared.without_worst(capped_80))),
    *c.claims("B", "figure-15", four_times.because(NOTES["koenig"])),
)

CLAIMS = (*STATE_OF_THE_ART, *OFFLINE, *SUBGOALS, *GLOBAL_GOALS)
