"""Abstract, Sections 1, 7.5, 7.6, 8 and 10: against the state of the art, and under a limit."""

import math
from collections.abc import Sequence

from permove.papers.claim import Claim, Finding, NotMeasuredError, Unchecked
from permove.papers.dynamic_control.algorithms import (
    ASTAR,
    F_G,
    F_PDB,
    PDB_PDB,
    PR_F_G,
    PRA,
    WEIGHTED,
    WEIGHTED_REOPENING,
    Algorithm,
)
from permove.papers.dynamic_control.figures import CUTOFF
from permove.papers.dynamic_control.study import Evidence, Point
from permove.papers.dynamic_control.words import excess, listed, states, told
from permove.papers.dynamic_control_2008.printed import TABLE_3
from permove.papers.dynamic_control_2008.tables import guide

CHAMPION = PDB_PDB(3, 3000)
BEFORE = PR_F_G(4, 5, 1.0)
"""The state of the art before, as Table 3 has it."""

WITHIN = 1.07
A_SINGLE = 1.5
"""Roughly a single state is at most this many."""

THREE_FOLD = (2.0, 4.0)
FIFTEEN_FOLD = (10.0, 25.0)
ONE_TO_TWO_ORDERS = (10**0.75, 10**2.25)
ONE_ORDER = (10**0.5, 10**1.5)
TWO_ORDERS = (10**1.5, 10**2.5)
UNREACHABLE = (
    "The published A* expands more than an A* can that expands no state twice: 88,138 states do not fit into what has "
    "f up to the optimal cost; re-expansion by rounding errors may explain a part."
)
REOPENING = (
    "The paper does not say whether weighted A* opens closed states again, which changes its states severalfold; here "
    "it does not."
)
REFINEMENT = (
    "PR LRTA* plans less here than in Table 3, which has 15.06 states per move: with each reading of where a refined "
    "move ends (`child`) it comes to between 5.5 and 6.1. What else the paper counts it does not say."
)
NEARLY = 1.01
"""PRA* is nearly optimal up to this."""


def _barely_over_one(evidence: Evidence) -> Finding:
    point = evidence.upscaled[CHAMPION]
    return point.suboptimality <= WITHIN and point.planning <= A_SINGLE, f"{told(point)}."


def _improvement(evidence: Evidence) -> Finding:
    one, other = evidence.upscaled[CHAMPION], evidence.upscaled[BEFORE]
    shorter, less = excess(other) / excess(one), other.planning / one.planning
    holds = THREE_FOLD[0] <= shorter <= THREE_FOLD[1] and FIFTEEN_FOLD[0] <= less <= FIFTEEN_FOLD[1]
    return holds, (
        f"{told(one)}; {told(other)}: {shorter:.1f} times as much above the optimum, {less:.1f} times as much planning."
    )


def _ratio(evidence: Evidence, one: Algorithm, other: Algorithm) -> float:
    return evidence.upscaled[other].planning / evidence.upscaled[one].planning


def _orders(evidence: Evidence, wanted: Sequence[tuple[Algorithm, tuple[float, float]]]) -> Finding:
    ratios = {other.name: (_ratio(evidence, CHAMPION, other), bounds) for other, bounds in wanted}
    holds = all(low <= ratio <= high for ratio, (low, high) in ratios.values())
    words = "; ".join(f"{name}: {ratio:.1f}" for name, (ratio, _) in ratios.items())
    return holds, f"Their states per move over those of {CHAMPION.name}: {words}."


def _faster(evidence: Evidence) -> Finding:
    holds, found = _orders(evidence, [(other, ONE_TO_TWO_ORDERS) for other in (ASTAR, WEIGHTED, PRA)])
    again = _ratio(evidence, CHAMPION, WEIGHTED_REOPENING)
    return holds, f"{found} Weighted A* that opens closed states again: {again:.1f}."


def _two_and_one(evidence: Evidence) -> Finding:
    return _orders(evidence, [(ASTAR, TWO_ORDERS), (PRA, ONE_ORDER)])


def _shorter_paths(evidence: Evidence) -> Finding:
    one, *others = (evidence.upscaled[algorithm] for algorithm in (CHAMPION, BEFORE, WEIGHTED))
    return all(one.suboptimality < other.suboptimality for other in others), f"{'; '.join(map(told, (one, *others)))}."


def _optimal(evidence: Evidence) -> Finding:
    astar, pra = evidence.upscaled[ASTAR], evidence.upscaled[PRA]
    return excess(astar) < 1e-9 and pra.suboptimality <= NEARLY, f"{told(astar)}; {told(pra)}."


def _worst_moves(evidence: Evidence) -> Finding:
    found = {algorithm: evidence.upscaled[algorithm].worst for algorithm in (PRA, WEIGHTED, ASTAR)}
    printed = {algorithm: TABLE_3[algorithm].worst or math.nan for algorithm in found}
    words = "; ".join(f"{each.name}: {worst:,.0f} for {printed[each]:,.0f}" for each, worst in found.items())
    near = all(printed[each] / 2 <= worst <= 2 * printed[each] for each, worst in found.items())
    return near, f"{words}."


def _not_real_time(evidence: Evidence) -> Finding:
    found = {algorithm.name: evidence.upscaled[algorithm].worst for algorithm in (PRA, WEIGHTED, ASTAR)}
    words = "; ".join(f"{name}: {worst:,.0f}" for name, worst in found.items())
    return all(worst > CUTOFF for worst in found.values()), f"Worst moves: {words}."


def _dominates(evidence: Evidence) -> Finding:
    one, other = evidence.upscaled[CHAMPION], evidence.upscaled[BEFORE]
    return one.dominates(other), f"{told(one)}; {told(other)}."


def _bounded(evidence: Evidence) -> Finding:
    """No lookahead of depth d expands more than (2d - 1)² states."""
    depths = [(point, int(point.algorithm["d"])) for point in evidence.upscaled.points(F_PDB, F_G)]
    caps = [
        (point, int(point.algorithm["c"]))
        for point in evidence.upscaled.points(PDB_PDB)
        if not point.algorithm.uncapped
    ]
    bounds = [(point, (2 * depth - 1) ** 2) for point, depth in (*depths, *caps)]
    if not bounds:
        raise NotMeasuredError("None of them walked.")
    over = [point.name for point, bound in bounds if point.worst > bound]
    return not over, f"Of {len(bounds)} algorithms, over the bound: {listed(over)}."


def _choices(evidence: Evidence) -> list[tuple[int, Point]]:
    study = evidence.upscaled
    by_name = {algorithm.name: algorithm for algorithm in study.agents}
    own = guide(study)
    return [(row["least"], study[by_name[row["label"]]]) for row in own.iter_rows(named=True)]


def _first_choice(evidence: Evidence) -> Finding:
    choices = _choices(evidence)
    (least, first), following = choices[0], choices[1][0] if len(choices) > 1 else math.inf
    holds = first.algorithm == F_PDB(1, 3) and least == 1 and following == 9
    return holds, f"From {least} to {following - 1:g} states: {told(first)}."


def _small_limits(evidence: Evidence) -> Finding:
    small = [(least, point) for least, point in _choices(evidence) if least < 500]
    words = "; ".join(f"from {least:,}: {point.name}" for least, point in small)
    return bool(small) and all(point.algorithm.family == F_PDB for _, point in small), f"{words}."


def _dynamic_until(evidence: Evidence) -> Finding:
    choices = _choices(evidence)
    at = next((least for least, point in choices if point.algorithm == PRA), None)
    if at is None:
        return False, f"PRA* is never the best choice: {listed(point.name for _, point in choices)}."
    before = [point for least, point in choices if least < at]
    static = [point.name for point in before if not point.algorithm.family.dynamic]
    last = choices[-1][1]
    return not static and last.algorithm in (ASTAR, PRA), (
        f"PRA* takes over at {at:,} states. Before that, of {len(before)} choices not dynamically controlled: "
        f"{listed(static)}. At the end: {last.name}."
    )


def _squares(evidence: Evidence) -> Finding:
    wanted = {F_PDB(d, 3): (2 * d - 1) ** 2 for d in (1, 2, 3, 4, 6)} | {F_PDB(14, 4): 27**2}
    found = {algorithm: evidence.upscaled[algorithm].worst for algorithm in wanted}
    words = "; ".join(f"{algorithm.setting}: {worst:,.0f}" for algorithm, worst in found.items())
    return all(found[algorithm] == worst for algorithm, worst in wanted.items()), f"Worst moves, {words}."


def _c_20(evidence: Evidence) -> Finding:
    point = evidence.upscaled[PDB_PDB(3, 20)]
    holds = 1.05 <= point.suboptimality <= WITHIN and point.planning < 2.5
    return holds, f"{told(point)} (± {point.suboptimality_se:.4f}, ± {point.planning_se:.3f})."


def _caps(evidence: Evidence) -> Finding:
    points = [evidence.upscaled[PDB_PDB(3, cap)] for cap in (20, 30, 40, 50, 80)]
    suboptimality = [point.suboptimality for point in points]
    planning = [point.planning for point in points]
    holds = max(suboptimality) - min(suboptimality) <= 0.005 and planning == sorted(planning)
    words = "; ".join(
        f"c = {point.algorithm['c']}: {point.suboptimality:.4f} at {states(point.planning)}" for point in points
    )
    return holds and planning[-1] > planning[0], f"{words}."


CLAIMS: tuple[Claim[Evidence] | Unchecked, ...] = (
    Claim(
        "On large computer game maps, they find paths within 7% of optimal while on average expanding roughly a single "
        "state per action.",
        "Abstract",
        f"{CHAMPION.name} is at most {WITHIN:g} times the optimum at {A_SINGLE:g} states per move or fewer.",
        _barely_over_one,
        ("table-3",),
    ),
    Claim(
        "This is nearly a three-fold improvement in suboptimality over the existing state-of-the-art algorithms and, "
        "at the same time, a 15-fold improvement in the amount of planning per action.",
        "Abstract",
        f"{BEFORE.name} is {THREE_FOLD[0]:g} to {THREE_FOLD[1]:g} times as far above the optimum as {CHAMPION.name}, "
        f"and expands {FIFTEEN_FOLD[0]:g} to {FIFTEEN_FOLD[1]:g} times as many states.",
        _improvement,
        ("table-3",),
        reason=REFINEMENT,
    ),
    Claim(
        "For comparison, the previous state-of-the-art, PR LRTS, is 15 times slower per action while finding paths "
        "that are between two and three times more suboptimal.",
        "1",
        "The same.",
        _improvement,
        ("table-3",),
        reason=REFINEMENT,
    ),
    Claim(
        "Furthermore, the dynamically controlled LRTA* and PR LRTS are one to two orders of magnitude faster per "
        "action than A*, weighted A* and the state-of-the-art Partial Refinement A* (PRA*) (Sturtevant & Buro, 2005).",
        "1",
        f"They expand {ONE_TO_TWO_ORDERS[0]:.1f} to {ONE_TO_TWO_ORDERS[1]:.0f} times as many states per move as "
        f"{CHAMPION.name}.",
        _faster,
        ("table-3",),
        reason=REOPENING,
    ),
    Claim(
        "Finally, unlike A* and its modern extensions used in games, the new algorithms are provably real-time and do "
        "not slow down as maps become larger.",
        "1",
        "No move of LRTA* with depth d, or with a cap of d, takes more than (2d - 1)² states.",
        _bounded,
        ("table-4",),
    ),
    Claim(
        "For instance, for the maps we used PRA* expands 3454 states on its most expensive move. Weighted A* with γ = "
        "15 expands 40734 states and the classic A* expands 88138 states on their worst moves.",
        "7.5",
        "Each is within a factor of two.",
        _worst_moves,
        ("table-3",),
        reason=f"{UNREACHABLE} {REOPENING}",
    ),
    Claim(
        "Thus, to include these two algorithms in our comparison we had to effectively remove the real-time cut-off.",
        "7.5",
        "PRA*, weighted A* and A* expand more than 1000 states on their worst moves.",
        _not_real_time,
        ("table-3",),
    ),
    Claim(
        "Dynamically controlled LRTA* is one to two orders of magnitude faster in average planning time per move.",
        "7.5",
        "As in Section 1.",
        _faster,
        ("table-3",),
        reason=REOPENING,
    ),
    Claim(
        "It produces shorter paths than the existing state-of-the-art real-time algorithm (PR LRTA*) and the fastest "
        "weighted A* we tried.",
        "7.5",
        f"{CHAMPION.name} has a lower suboptimality than {BEFORE.name} and than weighted A*.",
        _shorter_paths,
        ("table-3",),
    ),
    Claim(
        "The original A* is provably optimal in solution quality and PRA* is nearly optimal.",
        "7.5",
        f"A* is optimal, PRA* at most {NEARLY:g} times the optimum.",
        _optimal,
        ("table-3",),
    ),
    Claim(
        "LRTA* (F, PDB) d = 1, ℓ = 3 is the best choice when the time limit is between one and eight states expanded "
        "per move.",
        "7.6",
        "It is our best choice on exactly this interval.",
        _first_choice,
        ("table-4",),
        reason="Table 4 has 10.23% for d = 1 and 5.68% for d = 3, so that greater depths pay; which of the optimal "
        "paths gives the intermediate goals is not said and matters most, and with those here d = 1 is as good as "
        "d = 3 is there.",
    ),
    Claim(
        "As the limit rises, more expensive but more optimal algorithms become affordable.",
        "7.6",
        "The worst moves of the six LRTA* (F, PDB) in Table 4 are 1, 9, 25, 49, 121 and 729 states.",
        _squares,
        ("table-4",),
    ),
    Claim(
        "Note that all the best choices are dynamically controlled algorithms until the time limit rises to 3454 "
        "states. At this point, non-real-time PRA* takes over ending the domain of real-time algorithms.",
        "7.6",
        "Our best choices are dynamically controlled up to the limit where PRA* takes over; at the end is A*, or PRA* "
        "where it is optimal itself.",
        _dynamic_until,
        ("table-4",),
    ),
    Claim(
        "On average, it has solution suboptimality of 1.058 while expanding 1.536 states per move in 31.065 "
        "microseconds.",
        "7.7",
        "LRTA* (PDB, PDB) with c = 20, ℓ = 3 has a suboptimality of 1.05 to 1.07 and expands fewer than 2.5 states per "
        "move.",
        _c_20,
        ("table-5", "table-6"),
    ),
    Claim(
        "As Section 7.5 details, LRTA* equipped with both dynamic lookahead depth and subgoal selection expands barely "
        "over a state per move and has less than 7% solution suboptimality.",
        "8",
        "As in the abstract.",
        _barely_over_one,
        ("table-3", "table-13"),
    ),
    Claim(
        "To aid practitioners further, we provide an algorithm selection guide in Section 7.6 which makes it clear "
        "that LRTA* with dynamic subgoal selection are the best algorithms when the time per move is severely limited.",
        "8",
        "Every best choice under a limit of fewer than 500 states is an LRTA* (F, PDB).",
        _small_limits,
        ("table-4",),
    ),
    Claim(
        "For instance, LRTA* equipped with PDB-based control for lookahead and intermediate goal selection "
        "significantly outperforms the existing state of the art (PR LRTS) simultaneously in planning per move and "
        "solution quality.",
        "10",
        f"{CHAMPION.name} dominates {BEFORE.name}.",
        _dominates,
        ("table-3",),
    ),
    Claim(
        "Second, we are two orders of magnitude faster than A* and one order of magnitude faster than PRA* in planning "
        "time per move.",
        "10",
        f"A* expands {TWO_ORDERS[0]:.0f} to {TWO_ORDERS[1]:.0f}, PRA* {ONE_ORDER[0]:.1f} to {ONE_ORDER[1]:.0f} times "
        f"as many states per move as {CHAMPION.name}.",
        _two_and_one,
        ("table-3",),
        reason=UNREACHABLE,
    ),
    Claim(
        "Doing so saves off-line PDB computation time but sometimes causes the agent to conduct a deeper search (c "
        "plies) than really necessary.",
        "D",
        "At ℓ = 3 planning per move grows with c from 20 to 80, while suboptimality stays within 0.005 (Tables 5, 9 to "
        "12).",
        _caps,
        ("table-5", "table-9", "table-10", "table-11", "table-12"),
    ),
)
