"""Sections 5.1 and 9, Appendix B.2 and Theorems 6.2 and 6.3: single measures, pairs of them, and all walks together."""

import math

from permove.analysis.statistics import correlation
from permove.papers.checks import CHANCE, above, not_below
from permove.papers.claim import Claim, Finding, Unchecked, both
from permove.papers.graph_abstraction_2007.algorithms import ASTAR, LEVELS, lrts
from permove.papers.graph_abstraction_2007.claims.claim import BEYOND_CHANCE, excepted
from permove.papers.graph_abstraction_2007.printed import BEST_PLANNING, TABLE_2, Tradeoff
from permove.papers.graph_abstraction_2007.study import (
    LAG,
    MEMORY,
    PLANNING,
    SUBOPTIMALITY,
    TRAVEL,
    Measure,
    Study,
)
from permove.papers.graph_abstraction_2007.tables import BEST, best
from permove.papers.graph_abstraction_2007.words import figure, figures, names, summary

BOUND = 300
"""The suboptimality in percent that Theorem B.1 allows at level 1 with two children to a state and edges of cost 1."""

NEARLY_ALL = 0.9
"""What share of some is virtually all of them."""


def _single(study: Study) -> Finding:
    return both(*(_is_best(study, measure) for measure in (TRAVEL, LAG, MEMORY, SUBOPTIMALITY)))


def _is_best(study: Study, measure: Measure) -> Finding:
    winners = best(study, measure)
    told = names(winners) if len(winners) <= 4 else summary(winners)
    # Some of them have to be the paper's, and none may use abstraction.
    so = bool(BEST[measure].intersection(winners)) and not any(winner.abstract for winner in winners)
    return so, f"Least {measure.name}: {told}, {figure(study.mean(measure, winners[0]))}."


def _planning(study: Study) -> Finding:
    winner = best(study, PLANNING)[0]
    theirs = min(BEST_PLANNING, key=lambda algorithm: study.mean(PLANNING, algorithm))
    so = winner.abstract and not_below(study.values(PLANNING, winner), study.values(PLANNING, theirs))
    return so, (
        f"Least planning: {winner.name}, {figure(study.mean(PLANNING, winner))}; of those in Table 1: {theirs.name}, "
        f"{figure(study.mean(PLANNING, theirs))}."
    )


def _antagonistic(study: Study) -> Finding:
    found = correlation(*(study.means[measure.column].rank().to_numpy() for measure in (TRAVEL, LAG)))
    return found < 0, f"Rank correlation over the {len(study.algorithms)} algorithms: {found:.2f}."


def _extremes(study: Study) -> Finding:
    lag = best(study, LAG)
    travel = best(study, TRAVEL)
    memory = study.mean(MEMORY, ASTAR)
    # Weights and quotas do not matter for the lag: LRTA* is among those that have the least.
    return travel == [ASTAR] and memory == 0 and any(each.is_lrta for each in lag), (
        f"Least travel: {names(travel)}, {figure(study.mean(TRAVEL, travel[0]))}; memory of A*: {figure(memory)}; "
        f"least lag: {summary(lag)}, {figure(study.mean(LAG, lag[0]))}."
    )


def _between(study: Study, *, timed: bool) -> Finding:
    return both(*(_row_between(study, row) for row in TABLE_2 if row.timed == timed))


def _row_between(study: Study, row: Tradeoff) -> Finding:
    """Along the trade-off, no algorithm without abstraction stands between two that use it.

    Some have to use it where the paper names such, and none where it does not.
    """
    found = study.non_dominated(row.pair)
    ground = [each for each in found if not each.abstract]
    abstract = [place for place, each in enumerate(found) if each.abstract]
    within = found[abstract[0] : abstract[-1]] if abstract else []
    wrong = [each for each in ground if each in within or not (each == ASTAR or (each.depth == 1 and each.weight < 1))]
    so = not wrong and bool(abstract) == any(each.abstract for each in row.named)
    told = f"{row.title}: {names(ground)} and {len(abstract)} with abstraction"
    return so, f"{told}.{excepted(each.name for each in wrong)}"


def _efficient(study: Study) -> Finding:
    rows = [row for row in TABLE_2 if not row.timed and any(each.abstract for each in row.named)]
    return both(*(_more_efficient(study, row) for row in rows))


def _more_efficient(study: Study, row: Tradeoff) -> Finding:
    """Who would not be dominated if there were no abstraction, and what becomes of them."""
    by = study.dominated_by(row.pair)
    without = [each for each in by if not each.abstract and all(other.abstract for other in by[each])]
    between = [each for each in without if each != ASTAR and each.depth > 1]
    left = [each for each in between if not by[each]]
    best_abstract = [each for each in by if each.abstract and not by[each]]
    told = (
        f"{row.title}: {len(between)} of {len(without)} are between, {len(between) - len(left)} of them dominated; "
        f"{len(best_abstract)} with abstraction are not."
    )
    return not left and bool(best_abstract), told + excepted(each.name for each in left)


def _frontier(study: Study) -> Finding:
    found = study.non_dominated((PLANNING, LAG))
    *others, rightmost = found
    so = rightmost.is_lrta and rightmost.weight < 1 and bool(others) and all(each.abstract for each in others)
    return so, f"From little to much planning: {names(found)}."


def _dominated_ground(study: Study) -> Finding:
    ground = lrts((0,))
    findings = []
    for pair in ((LAG, TRAVEL), (LAG, MEMORY), (LAG, PLANNING)):
        by = study.dominated_by(pair)
        dominated = [each for each in ground if any(other.abstract for other in by[each])]
        told = f"{pair[0].name} and {pair[1].name}: {len(dominated)} of {len(ground)}."
        findings.append((len(dominated) >= NEARLY_ALL * len(ground), told))
    return both(*findings)


def _all_but_extremes(study: Study) -> Finding:
    left = {}
    for pair in ((LAG, TRAVEL), (LAG, MEMORY), (LAG, PLANNING)):
        by = study.dominated_by(pair)
        left[pair] = [each for each in lrts((0,)) if not any(other.abstract for other in by[each])]
    told = "; ".join(f"{one.name} and {other.name}: {names(some)}" for (one, other), some in left.items())
    least = min(study.mean(LAG, each) for each in study.algorithms)
    extreme = all(study.mean(LAG, each) <= least * 1.01 for some in left.values() for each in some)
    return extreme, f"Not dominated by any with abstraction: {told}."


def _not_real_time(study: Study) -> Finding:
    lags = study.by_bucket(LAG, ASTAR)
    (least, error), (most, other) = lags[min(lags)], lags[max(lags)]
    return most - least > CHANCE * math.hypot(error, other), (
        f"First-move lag of A* by bucket: {figures(mean for mean, _ in lags.values())}."
    )


def _slower(study: Study) -> Finding:
    ground = lrts((0,))
    slower = [each for each in ground if above(study.values(TRAVEL, each), study.values(TRAVEL, ASTAR))]
    return len(slower) == len(ground), (
        f"{len(slower)} of {len(ground)}; A* travels {figure(study.mean(TRAVEL, ASTAR))}, the best of them "
        f"{figure(min(study.mean(TRAVEL, each) for each in ground))}."
    )


def _arrived(study: Study) -> Finding:
    return study.converged == study.walks, f"{study.converged:,} of {study.walks:,} walks converged."


def _worst_case(study: Study) -> Finding:
    worst = {
        level: max(float(study.values(SUBOPTIMALITY, each).max()) for each in lrts((level,))) for level in LEVELS[1:]
    }
    told = "; ".join(f"level {level}: {figure(each)}%" for level, each in worst.items())
    return max(worst.values()) < BOUND, f"The worst of all: {told}."


def _doubled(study: Study) -> Finding:
    """Sums of many diagonal steps may be off by their rounding."""
    walks = {each: study.values(TRAVEL, each) / study.optimal for each in study.algorithms if each != ASTAR}
    least = min(walks, key=lambda each: float(walks[each].min()))
    below = sum(int((ratios < 2 - 1e-9).sum()) for ratios in walks.values())
    total = sum(len(ratios) for ratios in walks.values())
    return below == 0, (
        f"Least travel in optimal costs: {walks[least].min():.3f}, {least.name}; {below:,} of {total:,} walks are "
        "below 2."
    )


EVERY_TABLE = ("table-1", "table-2", "table-3", "table-4", "table-5", "table-6")

SINGLE_MEASURES = (
    Claim(
        "The best algorithms for a single performance measure are A* and LRTA* and do not use abstraction.",
        "5.1",
        "The least mean travel and memory are those of A*, the least lag that of LRTA*, the least suboptimality that "
        "of A* or LRTA*.",
        _single,
        ("table-1",),
    ),
    Claim(
        "The only exception is convergence planning which is an interplay between planning per move and convergence "
        "travel.",
        "5.1",
        "The least mean planning is that of an algorithm with abstraction, and the best of Table 1 is not above it by "
        f"more than {CHANCE:g} standard errors.",
        _planning,
        ("table-1",),
    ),
    Claim(
        "As these measures are negatively correlated, performance along one measure can be traded for performance "
        "along the other.",
        "5.1",
        "Over all algorithms, mean convergence travel and mean first-move lag have a negative rank correlation.",
        _antagonistic,
        ("table-2",),
    ),
)
PAIRS: tuple[Claim[Study] | Unchecked, ...] = (
    Claim(
        "A* and weighted version of Korf's LRTA* are extreme cases of the performance measures: A* minimizes "
        "convergence travel and uses no heuristic memory; LRTA* minimizes first-move lag.",
        "5.1",
        "A* alone has the least mean travel, and no memory; LRTA* is among those with the least mean lag.",
        _extremes,
        ("table-1", "table-2"),
    ),
    Claim(
        "All non-dominated algorithms between them are PR LRTS with abstraction.",
        "5.1",
        "For each pair of measures in Table 2 that no clock decides, whoever is not dominated uses abstraction, or is "
        "A* or LRTA* with γ < 1, with or without backtracking, and stands beyond all that do; some use it where the "
        "paper names such, and none where it does not.",
        lambda study: _between(study, timed=False),
        ("table-2", "figure-13", "figure-28", "figure-29"),
    ),
    Claim(
        "All non-dominated algorithms between them are PR LRTS with abstraction.",
        "5.1",
        "The same for the pairs with a measure in seconds; those of convergence planning are of whole trials, sensing "
        "and walking included.",
        lambda study: _between(study, timed=True),
        ("table-2", "figure-28", "figure-29"),
        timed=True,
    ),
    Claim(
        "In other words, abstraction and path-refinement improve efficiency of trading off antagonistic performance "
        "measures.",
        "5.1",
        "For each pair of measures in Table 2 that no clock decides and for which the paper names some with "
        "abstraction: whoever would not be dominated on average if there were no abstraction, but for A* and those "
        "with d = 1, is dominated by one with it, and some with it are not dominated.",
        _efficient,
        ("table-2",),
    ),
    Claim(
        "PR LRTS forms a frontier of non-dominated algorithms (the rightmost non-dominated point is a weighted LRTA* "
        "which has an extremely low first-move lag).",
        "5.1",
        "For convergence planning and first-move lag, the non-dominated algorithm with the most planning is LRTA* with "
        "γ < 1, and all others use abstraction.",
        _frontier,
        ("figure-13",),
    ),
)
THEOREMS = (
    Unchecked(
        "For any heuristic search problem, LRTSℓ(d, γ, T) the amount of planning per any action is constant-bounded.",
        "6, Theorem 6.1",
        "The maps of the study are all of about the same size; the bound shows on maps of several sizes.",
    ),
    Claim(
        "LRTSℓ(d, γ, T) is complete.",
        "6, Theorem 6.2",
        "Every walk reaches the goal, on every trial up to the final one.",
        _arrived,
        EVERY_TABLE,
    ),
    Claim(
        "LRTSℓ(d, γ, T) with fixed tie-breaking converges to its final solution after a finite number of trials.",
        "6, Theorem 6.3",
        "Every walk converges within the 10,000 trials that it may have.",
        _arrived,
    ),
)
FULL_SEARCH = (
    Claim(
        "Consequently, the planning time per move is not constant-bounded and increases with the problem size. Thus, "
        "agent-centered full search is not real-time.",
        "7.1",
        f"The first-move lag of A* is larger in the last bucket than in the first, {BEYOND_CHANCE}.",
        _not_real_time,
    ),
    Claim(
        "Despite the improvements, LRTS and other real-time search algorithms converge more slowly than A* and, "
        "visually, may behave unintelligently by repeatedly revisiting dead-ends and corners.",
        "7.2",
        f"Each of the 32 configurations at level 0 travels further than A* until it has converged, {BEYOND_CHANCE}.",
        _slower,
    ),
)
CONCLUSIONS = (
    Claim(
        "In a large-scale empirical study, PR LRTS was found to dominate virtually all tested algorithms that do not "
        "use abstraction with respect to several performance measure pairs.",
        "9",
        f"For three pairs of measures, at least {NEARLY_ALL:.0%} of the 32 configurations at level 0 are dominated on "
        "average by one with abstraction. The quote excepts none, not even those with the least lag, as Appendix E "
        "does.",
        _dominated_ground,
        ("table-2",),
    ),
)
WORST_CASE = (
    Claim(
        "Our experimental results demonstrate that such large suboptimality does not occur in practice.",
        "B.2",
        "At no level does any final solution cost four times the optimum, which is what Theorem B.1 allows at level 1 "
        "with two children to a state; at level ℓ it allows 2^(2ℓ) times.",
        _worst_case,
        ("figure-26",),
    ),
)
INDIVIDUAL = (
    Claim(
        "In Section 5.1 we introduced the concept of dominance and demonstrated that PR LRTS with abstraction "
        "dominates all but extreme of the search algorithms that do not use abstraction.",
        "E",
        "For three pairs of measures, only those at level 0 that have the least mean first-move lag are not dominated "
        "on average by one with abstraction.",
        _all_but_extremes,
        ("table-2",),
    ),
)
DOUBLED = Claim(
    "the convergence travel is lower bounded by double the optimal solution cost (one optimal solution for the first "
    "trial at which the map is discovered and one for the final trial with no map discovery or heuristic learning)",
    "5.2",
    "No walk of PR LRTS travels less than twice the optimal cost until it has converged.",
    _doubled,
    ("table-3", "figure-14"),
)
