"""Sections 6, 7.3 and 7.4: intermediate goals, alone, with dynamic depth, and with path refinement."""

from statistics import mean

from permove.papers.claim import Claim, Finding, NotMeasuredError, Unchecked
from permove.papers.dynamic_control.algorithms import (
    CENTROIDS,
    F_G,
    F_PDB,
    PDB_G,
    PDB_PDB,
    PR_F_G,
    PR_F_PDB,
    PR_PDB_G,
    PR_PDB_G_2,
    PR_PDB_PDB,
)
from permove.papers.dynamic_control.figures import WIDER, pooled
from permove.papers.dynamic_control.study import Evidence, Point, best, front, planning_at
from permove.papers.dynamic_control.words import NEARLY_OPTIMAL, excess, few_decide, listed, told
from permove.papers.dynamic_control_2008.algorithms import LEVELS
from permove.papers.dynamic_control_2008.figures import REFINING

FIVE = 3.0
"""What “five times better” has to be at least."""

THREE_ORDERS = 300.0
"""“Three orders of magnitude”, rounded down at half an order."""

TWO = (1.3, 4.0)
"""“Two times”: more than little, and well below five."""

SINGLE = 1.1
"""States per move up to this are a single one at virtually all times."""

MARGINAL = 0.02
"""By how much suboptimality improves at most where the improvement is marginal."""

DYNAMIC_REFINING = (PR_PDB_G, PR_PDB_G_2, PR_F_PDB, PR_PDB_PDB)


def _entry_states(evidence: Evidence) -> Finding:
    study = evidence.upscaled
    pairs = [(study[PDB_PDB(level, 20)], study[CENTROIDS(level, 20)]) for level in LEVELS]
    shorter = sum(entry.suboptimality < centroid.suboptimality for entry, centroid in pairs)
    less = sum(entry.planning < centroid.planning for entry, centroid in pairs)
    words = "; ".join(
        f"ℓ = {level}: {entry.suboptimality:.3f} at {entry.planning:.2f} against {centroid.suboptimality:.3f} at "
        f"{centroid.planning:.2f}"
        for level, (entry, centroid) in zip(LEVELS, pairs, strict=True)
    )
    return 2 * shorter > len(pairs) and 2 * less > len(pairs), f"Entry states against centroids, {words}."


def _cheapest_near(points: list[Point]) -> Point:
    """Of those that are near-optimal, the one that plans least."""
    near = [point for point in points if point.suboptimality <= NEARLY_OPTIMAL]
    return min(near or points, key=lambda point: (point.planning, point.suboptimality))


def _five_times(evidence: Evidence) -> Finding:
    fixed = best(evidence.upscaled.some(F_G, cutoff=WIDER))
    goals = _cheapest_near(evidence.upscaled.some(F_PDB, cutoff=WIDER))
    better, faster = fixed.suboptimality / goals.suboptimality, fixed.planning / goals.planning
    return better >= FIVE and faster >= THREE_ORDERS, (
        f"{told(goals)}, {better:.1f} times better and {faster:,.0f} times faster than the best with a global "
        f"goal, {told(fixed)}."
    )


def _two_times(evidence: Evidence) -> Finding:
    depth = best(evidence.upscaled.some(PDB_G, cutoff=WIDER))
    goals = _cheapest_near(evidence.upscaled.some(PDB_PDB, cutoff=WIDER))
    better, faster = depth.suboptimality / goals.suboptimality, depth.planning / goals.planning
    return TWO[0] <= better <= TWO[1] and faster >= THREE_ORDERS, (
        f"{told(goals)}, {better:.2f} times better and {faster:,.0f} times faster than the best with a "
        f"global goal, {told(depth)}. {few_decide(evidence.upscaled, depth)}"
    )


def _much_stronger(evidence: Evidence) -> Finding:
    depth, goals = evidence.upscaled.some(PDB_G, cutoff=WIDER), evidence.upscaled.some(F_PDB, cutoff=WIDER)
    free = [point for point in depth if not any(other.dominates(point) for other in goals)]
    return (
        not free,
        f"Of {len(depth)} LRTA* (PDB, G), not dominated by any LRTA* (F, PDB): {listed(each.name for each in free)}.",
    )


def _sides(evidence: Evidence) -> tuple[list[Point], list[Point]]:
    """The LRTA* (PDB, G) above the line of LRTA* (F, G), and below it."""
    curve = evidence.upscaled.some(F_G, cutoff=WIDER)
    above: list[Point] = []
    below: list[Point] = []
    for point in evidence.upscaled.some(PDB_G, cutoff=WIDER):
        at = planning_at(curve, point.suboptimality, pooled)
        worst = max(each.suboptimality for each in curve)
        if at is None:
            # Beyond the ends of the line: worse than all of it, or better.
            (above if point.suboptimality > worst else below).append(point)
        else:
            (above if point.planning > at else below).append(point)
    return above, below


def _sometimes_worse(evidence: Evidence) -> Finding:
    above, below = _sides(evidence)
    return bool(above), f"{len(above)} of {len(above) + len(below)} points are above the line."


def _high_levels(evidence: Evidence) -> Finding:
    above, below = _sides(evidence)
    if not above or not below:
        raise NotMeasuredError("All points are on the same side of the line.")
    levels = [mean(float(point.algorithm["ℓ"]) for point in some) for some in (above, below)]
    caps = [mean(float(point.algorithm["c"]) for point in some) for some in (above, below)]
    return levels[0] > levels[1] and caps[0] < caps[1], (
        f"Above the line: {listed(point.algorithm.setting for point in above)}. Mean level {levels[0]:.1f} against "
        f"{levels[1]:.1f} below, mean cap {caps[0]:.0f} against {caps[1]:.0f}."
    )


def _marginal(evidence: Evidence) -> Finding:
    fixed = best(evidence.upscaled.some(F_PDB, cutoff=WIDER))
    dynamic = best(evidence.upscaled.some(PDB_PDB, cutoff=WIDER))
    gain = fixed.suboptimality - dynamic.suboptimality
    return abs(gain) <= MARGINAL, f"The best are {told(fixed)}, and {told(dynamic)}."


def _single_state(evidence: Evidence) -> Finding:
    points = evidence.upscaled.some(F_PDB, PDB_PDB, cutoff=WIDER)
    quick = [point for point in points if point.planning <= SINGLE and point.suboptimality <= NEARLY_OPTIMAL]
    return bool(quick), (
        f"Near-optimal with at most {SINGLE:g} states per move: {listed(map(told, quick))}. The quickest near-optimal "
        f"one: {told(_cheapest_near(points))}."
    )


def _only_one(evidence: Evidence) -> Finding:
    point = evidence.upscaled[F_PDB(1, 3)]
    return point.worst == 1, f"{told(point)}, worst move {point.worst:,.0f}."


def _overhead(evidence: Evidence) -> Finding:
    refined = evidence.upscaled.some(*REFINING)
    good = best(refined)
    quick, ground = _cheapest_near(refined), _cheapest_near(evidence.upscaled.some(F_PDB, PDB_PDB))
    ratio = quick.planning / ground.planning
    return good.suboptimality <= NEARLY_OPTIMAL and ratio >= 5, (
        f"The best PR LRTA* is {told(good)}. The quickest near-optimal one, {told(quick)}, plans {ratio:.1f} times as "
        f"much as {told(ground)}."
    )


def _moderate(evidence: Evidence) -> Finding:
    static = front(evidence.upscaled.some(PR_F_G))
    dynamic = evidence.upscaled.some(*DYNAMIC_REFINING)
    beaten = [point for point in static if any(other.dominates(point) for other in dynamic)]
    one, other = best(static), best(dynamic)
    gain = excess(one) / excess(other)
    return bool(beaten) and 1 <= gain <= 3, (
        f"{len(beaten)} of {len(static)} non-dominated PR LRTA* (F, G) are dominated by dynamically controlled ones. "
        f"The best of each: {told(one)}; {told(other)}."
    )


def _on_par_with_refining(evidence: Evidence) -> Finding:
    goals, refined = evidence.upscaled.some(F_PDB, cutoff=WIDER), front(evidence.upscaled.some(PR_F_G))
    beaten = [point for point in refined if any(other.dominates(point) for other in goals)]
    return bool(
        beaten
    ), f"{len(beaten)} of {len(refined)} non-dominated PR LRTA* (F, G) are dominated by an LRTA* (F, PDB)."


CLAIMS: tuple[Claim[Evidence] | Unchecked, ...] = (
    Claim(
        "We compared entry states to centroids of abstract states as intermediate goals (Bulitko et al., 2007) and "
        "found the former superior in terms of algorithm's performance.",
        "6",
        "For LRTA* (PDB, PDB) with c = 20, at most of the levels 3 to 7 paths are shorter, and at most of them "
        "planning is less.",
        _entry_states,
        ("table-5",),
    ),
    Claim(
        "The effects of adding intermediate goal selection are dramatic: LRTA* with intermediate goals (F, PDB) finds "
        "five times better solutions while being three orders of magnitude faster than LRTA* with global goals (F, G)",
        "7.3",
        f"The quickest near-optimal LRTA* (F, PDB), up to {NEARLY_OPTIMAL:g}, is {FIVE:g} times better and "
        f"{THREE_ORDERS:g} times faster, or more, than the best LRTA* (F, G).",
        _five_times,
        ("figure-11",),
    ),
    Claim(
        "The performance gap is now less dramatic: while the planning speed-up is still around three orders of "
        "magnitude, the suboptimality advantage went down from five to two times.",
        "7.3",
        f"The quickest near-optimal LRTA* (PDB, PDB) is {TWO[0]:g} to {TWO[1]:g} times better and at least "
        f"{THREE_ORDERS:g} times faster than the best LRTA* (PDB, G) within the cutoff of 10,000.",
        _two_times,
        ("figure-12",),
    ),
    Claim(
        "It is clear that dynamic goal selection is a much stronger addition to the baseline LRTA* than dynamic search "
        "depth selection.",
        "7.3",
        "Every LRTA* (PDB, G) within the cutoff is dominated by an LRTA* (F, PDB).",
        _much_stronger,
        ("figure-13",),
    ),
    Claim(
        "Dynamic depth selection sometimes actually performs worse than fixed depth, as evidenced by the data points "
        "above the LRTA* (F, G) line.",
        "7.3",
        "Some LRTA* (PDB, G) is above the line.",
        _sometimes_worse,
        ("figure-13",),
    ),
    Claim(
        "This happens primarily with high abstraction levels and small caps.",
        "7.3",
        "Above the line the mean level is higher, and the mean cap smaller, than below it.",
        _high_levels,
        ("figure-13",),
    ),
    Claim(
        "While not shown in the plot, running both (i.e., LRTA* (PDB, PDB)) leads to only marginal further "
        "improvements.",
        "7.3",
        f"The best LRTA* (PDB, PDB) and the best LRTA* (F, PDB) are within {MARGINAL:g} of each other.",
        _marginal,
        ("figure-14",),
    ),
    Claim(
        "This is because the best parameterizations of LRTA* (F, PDB) already expands only a single state per move "
        "virtually at all times.",
        "7.3",
        "The worst move of LRTA* (F, PDB) with d = 1, ℓ = 3 is one state.",
        _only_one,
        ("figure-11", "figure-13", "figure-14", "table-4"),
    ),
    Claim(
        "The best parameterizations of LRTA* find near-optimal solutions while expanding just one state per move at "
        "virtually all times.",
        "7.4",
        f"Some LRTA* (F, PDB) or (PDB, PDB) is at most {NEARLY_OPTIMAL:g} times the optimum and expands at most "
        f"{SINGLE:g} states per move.",
        _single_state,
        ("figure-14",),
    ),
    Claim(
        "As a result, PR LRTA* also finds nearly-optimal solutions but incurs at least five times higher planning cost "
        "per move.",
        "7.4",
        f"The best PR LRTA* is at most {NEARLY_OPTIMAL:g} times the optimum, and the quickest such one plans at least "
        "five times as much as the quickest such LRTA*.",
        _overhead,
        ("figure-14",),
        reason="A* within two abstract states expands little more than a state for each move that it finds, and an "
        "abstract move by a lookahead of depth 1 is several moves on the ground. Table 3, too, has two and a half "
        "times as much planning for PR LRTA* (F, G) as there is here, however a refined move is read to end.",
    ),
    Claim(
        "Dynamic control in PR LRTA* results in moderate performance gains.",
        "7.4",
        "Some non-dominated PR LRTA* (F, G) is dominated by one with dynamic control; and what the best of these has "
        "above the optimum is less, but no less than a third, of what the best PR LRTA* (F, G) has.",
        _moderate,
        ("figure-14",),
    ),
    Claim(
        "Adding intermediate goals brings even the classic LRTA* on par with the previous state-of-the-art real-time "
        "search algorithm PR LRTA* and is a much stronger addition than dynamic lookahead depth selection (Section "
        "7.3).",
        "8",
        "Some non-dominated PR LRTA* (F, G) is dominated by an LRTA* (F, PDB).",
        _on_par_with_refining,
        ("figure-14",),
    ),
)
