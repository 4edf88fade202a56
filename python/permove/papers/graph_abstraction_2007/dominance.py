"""Sections 5.1, 6, 7 and 9 and Appendices B and E: the best algorithms, trade-offs, and all runs together."""

import math
from dataclasses import dataclass

from permove.analysis.chance import ERRORS, above, not_below
from permove.analysis.statistics import correlation
from permove.papers import claims as c
from permove.papers.graph_abstraction_2007 import printed
from permove.papers.graph_abstraction_2007.algorithms import ASTAR, GROUND, LEVELS, lrts, names, summary
from permove.papers.graph_abstraction_2007.printed import RATIOS, TABLE_2, TABLE_4, TABLE_5, Comparison, Tradeoff
from permove.papers.graph_abstraction_2007.study import MEASURES, Measure, Pair, Study, grows

TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING = MEASURES
BOUND = 300
"""The suboptimality in percent that Theorem B.1 allows at level 1 with two children per state and edges of cost 1."""

NEARLY_ALL = 0.9
POINTS = 10
"""Percentage points by which a share of the problems may differ: three of the six maps are stand-ins."""

LAG_SHARE = 90
"""Percent of the problems on which LRTS₃(1, 1.0, ∞) has to have the lower lag."""

PAIRS_WITH_LAG = ((LAG, TRAVEL), (LAG, MEMORY), (LAG, PLANNING))


def _is_best(study: Study, measure: Measure) -> c.Finding:
    winners = study.best(measure)
    # Some winner has to be named in the paper, and none may use abstraction.
    so = bool(printed.BEST[measure].intersection(winners)) and not any(winner.abstract for winner in winners)
    found = names(winners) if len(winners) <= 4 else summary(winners)
    return so, f"Minimum {measure.name}: {found}, {c.number(study.mean(measure, winners[0]))}."


@c.predicate("A* minimizes travel, memory and suboptimality, and LRTA* the first-move lag; neither uses abstraction")
def _single_measures(study: Study) -> c.Finding:
    return c.both(*(_is_best(study, measure) for measure in (TRAVEL, LAG, MEMORY, SUBOPTIMALITY)))


@c.predicate(
    "an algorithm with abstraction minimizes convergence planning",
    f"the best of those in Table 1 is not worse by more than {ERRORS:g} standard errors",
)
def _min_planning(study: Study) -> c.Finding:
    winner = study.best(PLANNING)[0]
    named = min(printed.BEST[PLANNING], key=lambda algorithm: study.mean(PLANNING, algorithm))
    so = winner.abstract and not_below(study.values(PLANNING, winner), study.values(PLANNING, named))
    own, other = (f"{each.name}, {c.number(study.mean(PLANNING, each))}" for each in (winner, named))
    return so, f"Minimum planning: {own}; among those in Table 1: {other}."


rank = c.Number[Study](
    "the rank correlation of convergence travel and first-move lag over all algorithms",
    lambda study: correlation(*(study.means[measure.column].rank().to_numpy() for measure in (TRAVEL, LAG))),
    ".2g",
)


@c.predicate("A* alone minimizes travel and needs no memory, and LRTA* is among those with the smallest first-move lag")
def _extremes(study: Study) -> c.Finding:
    lag, travel, memory = study.best(LAG), study.best(TRAVEL), study.mean(MEMORY, ASTAR)
    return travel == [ASTAR] and memory == 0 and any(each.is_lrta for each in lag), (
        f"Minimum travel: {names(travel)}, {c.number(study.mean(TRAVEL, travel[0]))}; memory of A*: "
        f"{c.number(memory)}; minimum lag: {summary(lag)}, {c.number(study.mean(LAG, lag[0]))}."
    )


def _row_between(study: Study, row: Tradeoff) -> c.Finding:
    """No algorithm without abstraction lies between two with it; abstraction is used exactly if the paper names it."""
    found = study.non_dominated(row.pair)
    ground = [each for each in found if not each.abstract]
    abstract = [place for place, each in enumerate(found) if each.abstract]
    within = found[abstract[0] : abstract[-1]] if abstract else []
    wrong = [each for each in ground if each in within or not (each == ASTAR or (each.depth == 1 and each.weight < 1))]
    so = not wrong and bool(abstract) == any(each.abstract for each in row.named)
    listed = f"{row.title}: {names(ground)} and {len(abstract)} with abstraction"
    return so, f"{listed}.{c.exceptions(each.name for each in wrong)}"


@c.predicates(
    "for the pairs of {kind} in Table 2, every non-dominated algorithm between A* and weighted LRTA* uses abstraction",
    "non-dominated algorithms use abstraction, or they are A* or have d = 1, γ < 1 and lie beyond all with "
    "abstraction; abstraction occurs exactly where the paper names it",
)
def _between(study: Study, kind: str) -> c.Finding:
    return c.both(*(_row_between(study, row) for row in TABLE_2 if row.timed == (kind == "times")))


def _more_efficient(study: Study, row: Tradeoff) -> c.Finding:
    """Whether the algorithms that were non-dominated without abstraction are dominated by some with it."""
    by = study.dominated_by(row.pair)
    without = [each for each in by if not each.abstract and all(other.abstract for other in by[each])]
    between = [each for each in without if each != ASTAR and each.depth > 1]
    remaining = [each.name for each in between if not by[each]]
    best = sum(each.abstract and not by[each] for each in by)
    return not remaining and best > 0, (
        f"{row.title}: {len(between)} of {len(without)} are between, {len(between) - len(remaining)} of them "
        f"dominated; {best} with abstraction are not.{c.exceptions(remaining)}"
    )


@c.predicate(
    "abstraction trades one measure for another more efficiently",
    "for each pair of counts in Table 2 with abstraction: the algorithms that were non-dominated without abstraction, "
    "apart from A* and those with d = 1, are dominated by one with abstraction, and some with abstraction are not "
    "dominated",
)
def _efficient(study: Study) -> c.Finding:
    rows = [row for row in TABLE_2 if not row.timed and any(each.abstract for each in row.named)]
    return c.both(*(_more_efficient(study, row) for row in rows))


@c.predicate(
    "for planning and lag, PR LRTS forms the frontier, except for a weighted LRTA* at its end",
    "the non-dominated algorithm with the most planning is LRTA* with γ < 1, and all others use abstraction",
)
def _frontier(study: Study) -> c.Finding:
    *others, last = found = study.non_dominated((PLANNING, LAG))
    so = last.is_lrta and last.weight < 1 and bool(others) and all(each.abstract for each in others)
    return so, f"From little to much planning: {names(found)}."


@dataclass(frozen=True)
class Ratios:
    """Dominance ratios of all pairs that are like those of Tables 4 and 5.

    One algorithm of a pair uses abstraction and is not dominated on average. The other one does not use it and is
    dominated by the first one. The paper's minimum cannot be that of all pairs, since many differ in little but T.
    """

    pairs: int
    above_one: int
    minimum: float
    infinite: int
    mean: float
    """The mean of the finite ratios."""
    error: float


def ratios(study: Study, pair: Pair) -> Ratios:
    """Compute the dominance ratios of all such pairs."""
    best = [each for each in study.non_dominated(pair) if each.abstract]
    by = study.dominated_by(pair)
    found = study.contests([(one, other) for one in best for other in GROUND if one in by[other]], pair)["ratio"]
    found = found.fill_nan(None).drop_nulls()
    finite = found.filter(found.is_finite())
    mean, deviation = finite.mean(), finite.std()
    error = deviation / math.sqrt(finite.len()) if isinstance(deviation, float) else math.nan
    low, average = min(found, default=math.nan), mean if isinstance(mean, float) else math.nan
    return Ratios(found.len(), int((found > 1).sum()), low, int(found.is_infinite().sum()), average, error)


@c.predicate(
    "dominance on average mostly means dominance on individual problems",
    "most pairs of a non-dominated algorithm with abstraction and one without that it dominates on average have a "
    "dominance ratio above 1, for travel and lag and for planning and suboptimality",
)
def _individually(study: Study) -> c.Finding:
    def part(pair: Pair) -> c.Finding:
        found = ratios(study, pair)
        return 2 * found.above_one > found.pairs, f"{_both(pair)}: {found.above_one} of {found.pairs}."

    return c.both(*map(part, RATIOS))


def _both(pair: Pair) -> str:
    return f"{pair[0].name} and {pair[1].name}"


@c.predicate("every run converges within 10,000 trials")
def _converged(study: Study) -> c.Finding:
    return study.converged == study.runs, f"{study.converged:,} of {study.runs:,} runs converged."


@c.predicate("every LRTS without abstraction travels further than A* before it converges", c.BEYOND_CHANCE)
def _slower(study: Study) -> c.Finding:
    slow = sum(above(study.values(TRAVEL, each), study.values(TRAVEL, ASTAR)) for each in GROUND)
    best = min(study.mean(TRAVEL, each) for each in GROUND)
    return slow == len(GROUND), (
        f"{slow} of {len(GROUND)}; A* travels {c.number(study.mean(TRAVEL, ASTAR))}, the best of them {c.number(best)}."
    )


def _not_dominated(study: Study, pair: Pair) -> list[str]:
    by = study.dominated_by(pair)
    return [each.name for each in GROUND if not any(other.abstract for other in by[each])]


@c.predicate(
    "PR LRTS dominates nearly all algorithms without abstraction, for three pairs of measures",
    f"on average, at least {NEARLY_ALL:.0%} of the 32 configurations at level 0, including those with the smallest lag",
)
def _dominates_nearly_all(study: Study) -> c.Finding:
    total = len(GROUND)
    dominated = {pair: total - len(_not_dominated(study, pair)) for pair in PAIRS_WITH_LAG}
    found = (f"{_both(pair)}: {count} of {total}." for pair, count in dominated.items())
    return all(count >= NEARLY_ALL * total for count in dominated.values()), " ".join(found)


@c.predicate(
    "solutions are never as bad as the worst case of Theorem B.1",
    "no final solution costs four times the optimum, which is the bound at level 1 with two children per state",
)
def _worst_case(study: Study) -> c.Finding:
    levels = {level: [study.values(SUBOPTIMALITY, each) for each in lrts((level,))] for level in LEVELS[1:]}
    worst = {level: max(float(values.max()) for values in some) for level, some in levels.items()}
    found = "; ".join(f"level {level}: {c.number(each)}%" for level, each in worst.items())
    return max(worst.values()) < BOUND, f"The worst solutions: {found}."


@c.predicate(
    "abstraction dominates all algorithms without it, except for those with the smallest first-move lag",
    "on average, for three pairs of measures",
)
def _dominates_all_but_extremes(study: Study) -> c.Finding:
    left = {pair: _not_dominated(study, pair) for pair in PAIRS_WITH_LAG}
    smallest = min(study.mean(LAG, each) for each in study.agents)
    extreme = {each.name for each in GROUND if study.mean(LAG, each) <= smallest * 1.01}
    found = "; ".join(f"{_both(pair)}: {c.listed(some)}" for pair, some in left.items())
    return all(extreme.issuperset(some) for some in left.values()), f"Not dominated by any with abstraction: {found}."


def _share(table: Comparison, key: str, words: str) -> c.Number[Study]:
    """The percentage of the problems on which the algorithms of a table compare in some way."""
    about = f"the percentage of problems on which {table.one.name} {words} {table.other.name}"
    return c.Number(about, lambda study: study.contest(table.one, table.other, table.pair)[key], ".1f")


def _near(share: c.Number[Study], published: float) -> c.Predicate[Study]:
    return share.between(max(published - POINTS, 0), published + POINTS, f"{published:g}")


def _better(table: Comparison, at: int) -> c.Number[Study]:
    return _share(table, ("one_x", "one_y")[at], f"has less {table.pair[at].plain} than")


def _dominates(table: Comparison, minimum: float) -> c.Predicate[Study]:
    dominates = _share(table, "one_dominates", "dominates")
    dominated = _share(table, "other_dominates", "is dominated by")
    ratio = c.Number[Study]("their dominance ratio", lambda study: study.contest(*table.both, table.pair)["ratio"])
    shares = _near(dominates, table.percent[0][2]) & _near(dominated, table.percent[1][2])
    return shares & ratio.at_least(minimum, f"{table.ratio}")


def difference(study: Study) -> float:
    """Percentage points between the mean suboptimalities of the two algorithms of Table 5."""
    return study.mean(SUBOPTIMALITY, TABLE_5.other) - study.mean(SUBOPTIMALITY, TABLE_5.one)


dominating_4, dominating_5 = (_share(table, "one_dominates", "dominates") for table in (TABLE_4, TABLE_5))
better_4, better_5 = (_near(_better(table, 0), table.percent[0][0]) for table in (TABLE_4, TABLE_5))
more_suboptimality = _share(TABLE_5, "other_y", f"has more {TABLE_5.pair[1].plain} than")
less_suboptimality = _near(_better(TABLE_5, 1), TABLE_5.percent[0][1])
less_suboptimality &= _better(TABLE_5, 1).above(more_suboptimality)
gap = c.Number("the difference between the mean suboptimalities of Table 5 in percentage points", difference, ".1f")
little = gap.between(-POINTS, POINTS, f"{printed.SUBOPTIMALITY_DIFFERENCE}")


@c.predicate(f"{TABLE_4.one.name} dominates {TABLE_4.other.name} on average")
def _on_average(study: Study) -> c.Finding:
    means = [study.mean(measure, each) for each in TABLE_4.both for measure in TABLE_4.pair]
    return TABLE_4.one in study.dominated_by(TABLE_4.pair)[TABLE_4.other], f"Means of both: {c.numbers(means)}."


@c.predicates(
    "the dominance ratios of those pairs, for {pair[0].plain} and {pair[1].plain}, average more than 1",
    "all exceed {minimum:g} (published for unnamed pairs: minimum {_printed[0]}, finite mean {_printed[1]} ± "
    "{_printed[2]})",
)
def _ratios(study: Study, pair: Pair, minimum: float, _printed: tuple[float, ...]) -> c.Finding:
    found = ratios(study, pair)
    # If all are infinite, there is no mean. If there are no pairs, there is no minimum, and nothing holds.
    return found.minimum > minimum and not found.mean <= 1, (
        f"Of {found.pairs:,} such pairs, {found.infinite:,} have an infinite ratio; the minimum is "
        f"{c.number(found.minimum)}, the finite ones average {c.number(found.mean)} ± {c.number(found.error)}."
    )


less_lag = _better(TABLE_4, 1).above(LAG_SHARE, "97")
supported, not_overwhelming = _on_average & dominating_4.above(50), little & dominating_5.below(LAG_SHARE)
complete = _converged.stating("PR LRTS is complete: every run reaches the goal on every trial")
AVERAGES = (
    *c.claims("5.1", "table-1", _single_measures, _min_planning),
    *c.claims("5.1", "table-2", rank.below(0)),
    *c.claims("5.1", "table-1 table-2", _extremes),
    *c.claims("5.1", "table-2 figure-13 figure-28 figure-29", _between("counts")),
    *c.claims("5.1", "table-2 figure-28 figure-29", _between("times").on_the_clock()),
    *c.claims("5.1", "table-2", _efficient),
    *c.claims("5.1", "figure-13", _frontier),
    *c.claims("5.1", "", _individually),
)
RUNS = (
    *c.claims("6, Theorem 6.2", "table-1 table-2 table-3 table-4 table-5 table-6", complete),
    *c.claims("6, Theorem 6.3", "", _converged),
    *c.claims("7.1", "", grows(LAG, ASTAR)),
    *c.claims("7.2", "", _slower),
    *c.claims("9", "table-2", _dominates_nearly_all),
    *c.claims("B.2", "figure-26", _worst_case),
    *c.claims("E", "table-2", _dominates_all_but_extremes),
    *c.claims("E", "table-4 figure-30", better_4, less_lag, _dominates(TABLE_4, 20), supported),
    *c.claims("E", "table-5 figure-31", better_5, less_suboptimality, _dominates(TABLE_5, 2), not_overwhelming),
    *c.claims("E", "", *(_ratios(pair, minimum, RATIOS[pair]) for pair, minimum in zip(RATIOS, (1, 0), strict=True))),
)
