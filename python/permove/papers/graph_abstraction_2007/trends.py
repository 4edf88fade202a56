"""Sections 2.2, 5.2 and 5.3 and Appendix F: how the measures change with the parameters and the problem size."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product

import numpy as np
import polars as pl

from permove.analysis.best_so_far import nowhere_above
from permove.analysis.chance import ERRORS, above, means, rises, rising
from permove.analysis.statistics import Values, correlation
from permove.papers import claims as c
from permove.papers.graph_abstraction_2007 import algorithms as alg
from permove.papers.graph_abstraction_2007 import study as st
from permove.papers.graph_abstraction_2007.algorithms import DEPTHS, LEVELS, SINGLE, WEIGHTS, Algorithm, setting_text
from permove.papers.graph_abstraction_2007.printed import CORRELATED, CORRELATION
from permove.papers.graph_abstraction_2007.study import MEASURES, Axis, Measure, Study, Where, along, impact, trend

SAME_LAG = 0.01
"""First-move lags within this share of each other are the same."""

TIGHT_CORRELATION = 0.9
SMALL_CHANGE = 0.25
"""A change by less than this share is negligible."""

LEVEL, SHOWN_LEVEL, DEPTH, WEIGHT = st.AXES
TRAVEL, LAG, MEMORY, SUBOPTIMALITY, PLANNING = MEASURES
SHALLOW, DEEP = alg.SCALED
FIRST, BEFORE_LAST, LAST = st.FIRST, st.BEFORE_LAST, st.LAST
NO_QUOTA, EACH_SETTING = st.NO_QUOTA, st.EACH_SETTING
NO_ABSTRACTION: Where = {"levels": (0,)}
PLAIN_LRTS: Where = {**NO_ABSTRACTION, **NO_QUOTA}
EACH_LEVEL = {f"level {level}": {"levels": (level,)} for level in LEVELS}
SHOWN_LEVELS = {f"level {level}": {**NO_QUOTA, "levels": (level,)} for level in st.SHOWN_LEVELS}
EACH_DEPTH = {f"d = {depth}": {"depths": (depth,)} for depth in DEPTHS}
EACH_WEIGHT = {f"γ = {weight}": {"weights": (weight,)} for weight in WEIGHTS[:-1]}


@c.predicates(
    "without abstraction, {over.name} does not change the first-move lag",
    f"for each d, mean lags are within {SAME_LAG:.0%}",
)
def _same_lag(study: Study, over: Axis, where: Where) -> c.Finding:
    lags = {name: means(some) for name, some in trend(LAG, over, where, each=EACH_DEPTH).series(study).items()}
    same = {name: max(some) <= (1 + SAME_LAG) * min(some) for name, some in lags.items()}
    return c.every({name: (same[name], c.numbers(sorted(set(some)))) for name, some in lags.items()}, "Mean lags: ")


@c.predicates(
    "without abstraction, a smaller T reduces {measure.name} in most cases",
    "the mean is smaller with T = 100 than with T = ∞ for most of the 16 pairs of d and γ",
)
def _smaller_quota(study: Study, measure: Measure) -> c.Finding:
    pairs = [[Algorithm(0, *values, quota) for quota in alg.QUOTAS] for values in product(DEPTHS, WEIGHTS)]
    less = sum(study.mean(measure, low) < study.mean(measure, high) for low, high in pairs)
    return 2 * less > len(pairs), f"{measure.name}: less with T = 100 for {less} of {len(pairs)}."


@c.predicate(
    "planning per move rises with the level, but less than travel falls",
    "for each of the three settings, planning per unit of travel rises along the levels, planning falls, and travel "
    f"falls steadily, {c.BEYOND_CHANCE}",
)
def _overcompensated(study: Study) -> c.Finding:
    def part(where: Where) -> c.Finding:
        per_move, travel, planning = (trend(each, LEVEL, where) for each in (st.PER_TRAVEL, TRAVEL, PLANNING))
        parts = per_move.rises(), travel.falls(steadily=True), planning.falls()
        found = c.numbers(means(along(study, st.PER_TRAVEL, LEVEL, where)))
        return all(each.check(study)[0] for each in parts), found

    return c.every({name: part(where) for name, where in EACH_SETTING.items()}, "Planning per unit of travel: ")


def memory_and_travel(study: Study) -> float:
    """Correlation of convergence memory and convergence travel over the problems."""
    return correlation(study.values(MEMORY, CORRELATED), study.values(TRAVEL, CORRELATED))


correlated = c.Number(
    f"the correlation of convergence memory and convergence travel for {CORRELATED.name}", memory_and_travel, ".4g"
)


def _larger(
    text: str, what: st.Quantity, groups: Mapping[str, Where], pairs: Iterable[tuple[int, int]]
) -> c.Predicate[Study]:
    """A quantity is larger for some groups of configurations than for others, which pairs of their places say."""

    def check(study: Study) -> c.Finding:
        some = [what.sample(study, where) for where in groups.values()]
        found = "; ".join(
            f"{name}: {c.number(float(values.mean()))}" for name, values in zip(groups, some, strict=True)
        )
        return all(above(some[one], some[other]) for one, other in pairs), f"{c.capitalized(what.plain)}, {found}."

    return c.Predicate(text, check, f"{what.plain}, {c.BEYOND_CHANCE}")


def _by_weight(study: Study, where: Where) -> Values:
    low, high = (SUBOPTIMALITY.sample(study, {**where, "weights": (weight,)}) for weight in (WEIGHTS[0], WEIGHTS[-1]))
    return low - high


@c.predicate("without abstraction, d = 9 travels less than d = 1 and d = 3", f"for each γ and T, {c.BEYOND_CHANCE}")
def _low_if_deep(study: Study) -> c.Finding:
    def travel(depth: int, each: Algorithm) -> Values:
        return study.values(TRAVEL, Algorithm(0, depth, each.weight, each.quota))

    deep = alg.lrts((0,), (9,))
    wrong = [each.name for each in deep if not all(above(travel(depth, each), travel(9, each)) for depth in (1, 3))]
    averages = [study.mean(TRAVEL, *alg.lrts((0,), (depth,))) for depth in (1, 3, 9)]
    return not wrong, f"Means over all γ and T, for d = 1, 3, 9: {c.numbers(averages)}.{c.exceptions(wrong)}"


@c.predicate("no run of PR LRTS travels less than twice the optimal cost before it converges")
def _doubled(study: Study) -> c.Finding:
    runs = {each: study.values(TRAVEL, each) / study.optimal for each in study.agents if each != alg.ASTAR}
    shortest = min(runs, key=lambda each: float(runs[each].min()))
    below = sum(int((ratios < 2 - 1e-9).sum()) for ratios in runs.values())
    total = sum(map(len, runs.values()))
    return below == 0, (
        f"Minimum travel in optimal costs: {runs[shortest].min():.3f}, {shortest.name}; {below:,} of {total:,} runs "
        "are below 2."
    )


@c.predicate("LRTS does not improve from trial to trial: on most problems, some trial is longer than the one before it")
def _non_monotonic(study: Study) -> c.Finding:
    trials = study.trials(SINGLE[1:2]).sort("set", "map", "problem", "trial")
    longer = pl.col("travel") > pl.col("travel").shift(1).over("set", "map", "problem") + 1e-6
    back = trials.with_columns(longer=longer.fill_null(False)).group_by("map", "problem").agg(pl.col("longer").any())
    share = int(back["longer"].sum()) / back.height
    return share > 0.5, f"{SINGLE[1].name}: on {share:.0%} of the problems."


@c.predicate(
    "whenever learning is stopped, abstraction has the better solution on the problem of Figure 15, but not on all "
    "problems",
    "at every amount of travel, the best solutions of both abstract algorithms so far are as short as that of LRTS "
    "without abstraction; the paper does not name its problem",
)
def _always_preferred(study: Study) -> c.Finding:
    lower = nowhere_above(study.trials(SINGLE[1:]), "algorithm", *(each.name for each in SINGLE[1:]))
    place, problem = study.typical(SINGLE[1], 85)
    so, count = lower[place, problem], sum(lower.values())
    return so and count < len(lower), (
        f"On problem {problem} of {place}, the curves of {SINGLE[2].name} and {SINGLE[3].name} are "
        f"{'nowhere' if so else 'somewhere'} above that of {SINGLE[1].name}; they are nowhere above it on "
        f"{count / len(lower):.0%} of the problems."
    )


def _against_level_0(
    setting: alg.Setting, found: Mapping[Measure, tuple[Sequence[float], Sequence[bool]]], about: str = ""
) -> c.Finding:
    """The values of some measures at all levels, and whether each level above 0 is as claimed."""
    parts = "; ".join(f"{measure.name}: {c.numbers(values)}" for measure, (values, _) in found.items())
    places = [
        (f"{measure.name} at level {at}", so) for measure, (_, few) in found.items() for at, so in enumerate(few, 1)
    ]
    wrong = [place for place, so in places if not so]
    return not wrong, f"{setting_text(setting)}, {about}levels 0 to 4: {parts}.{c.exceptions(wrong)}"


@c.predicates(
    "with d = {setting[0]}, travel, planning and memory grow less with the problem size if abstraction is used",
    f"from bucket {FIRST} to {LAST}, each grows less at every level above 0 than at level 0, {c.BEYOND_CHANCE}",
)
def _dampened(study: Study, setting: alg.Setting) -> c.Finding:
    def part(measure: Measure) -> tuple[list[float], list[bool]]:
        grown = [st.change(study.by_bucket(measure, Algorithm(level, *setting)), FIRST, LAST) for level in LEVELS]
        (ground, error), *rest = grown
        less = [ground - increase > ERRORS * math.hypot(error, own) for increase, own in rest]
        return [increase for increase, _ in grown], less

    found = {measure: part(measure) for measure in (TRAVEL, PLANNING, MEMORY)}
    return _against_level_0(setting, found, f"increase from bucket {FIRST} to {LAST} at ")


@c.predicates(
    "with d = {setting[0]}, abstraction raises suboptimality and first-move lag",
    f"both are larger at every level above 0 than at level 0, {c.BEYOND_CHANCE}",
)
def _price(study: Study, setting: alg.Setting) -> c.Finding:
    levels = {measure: study.over_levels(measure, setting) for measure in (SUBOPTIMALITY, LAG)}
    found = {each: (means(some), [above(at, some[0]) for at in some[1:]]) for each, some in levels.items()}
    return _against_level_0(setting, found)


@c.predicates(
    "with d = {setting[0]} at levels {first} to {last}, {measure.plain} does not depend on the problem size",
    f"the means of the five buckets are within {SMALL_CHANGE:.0%}, apart from chance",
)
def _independent(study: Study, measure: Measure, setting: alg.Setting, first: int, last: int) -> c.Finding:
    def part(level: int) -> c.Finding:
        buckets = list(study.by_bucket(measure, Algorithm(level, *setting)).values())
        average = sum(mean for mean, _ in buckets) / len(buckets)
        (lowest, error), (highest, other) = min(buckets), max(buckets)
        beyond = highest - lowest - ERRORS * math.hypot(error, other)
        return beyond <= SMALL_CHANGE * average, c.numbers(mean for mean, _ in buckets)

    about = f"{setting_text(setting)}, {measure.name} by bucket: "
    return c.every({f"level {level}": part(level) for level in range(first, last + 1)}, about)


@c.predicate("suboptimality differs less between the levels with d = 9 than with d = 1")
def _drawn_together(study: Study) -> c.Finding:
    levels = {setting: means(study.over_levels(SUBOPTIMALITY, setting)) for setting in alg.SCALED}
    spans = {setting: max(some) - min(some) for setting, some in levels.items()}
    found = "; ".join(f"{setting_text(setting)}: {c.number(span)}" for setting, span in spans.items())
    return spans[DEEP] < spans[SHALLOW], f"Points between the lowest and the highest level: {found}."


@c.predicate(
    "without abstraction, the first-move lag falls slightly with the problem size",
    f"from bucket {FIRST} to {LAST}, by less than {SMALL_CHANGE:.0%}",
)
def _slightly_lower(study: Study) -> c.Finding:
    def part(setting: alg.Setting) -> c.Finding:
        buckets = study.by_bucket(LAG, Algorithm(0, *setting))
        ratio = st.change(buckets, FIRST, LAST)[0] / buckets[FIRST][0]
        about = f"{setting_text(setting)} at level 0, from bucket {FIRST} to {LAST}"
        return -SMALL_CHANGE < ratio < 0, f"{about}: {100 * ratio:+.1f}%."

    return c.both(*map(part, alg.SCALED))


@c.predicate(
    "with d = 9, level 2 travels less than level 0, and level 4 hardly less than level 2",
    f"the difference between levels 2 and 4 is less than {SMALL_CHANGE:.0%} of that with d = 1",
)
def _small_gap(study: Study) -> c.Finding:
    wide, narrow = (along(study, impact(TRAVEL, *levels), DEPTH, NO_QUOTA) for levels in ((0, 2), (2, 4)))
    gaps = means(narrow)
    return gaps[-1] < SMALL_CHANGE * gaps[0] and above(wide[-1], np.zeros_like(wide[-1])), (
        f"For d = 1, 3, 5, 9, levels 0 and 2 differ by {c.numbers(means(wide))}, levels 2 and 4 by {c.numbers(gaps)}."
    )


@c.predicate(
    "abstraction saves more travel for larger γ",
    f"lines through the savings of levels 2 and 4 rise along γ, {c.BEYOND_CHANCE}, and no step goes back by as much",
)
def _more_to_gain(study: Study) -> c.Finding:
    gains = {f"level {level}": along(study, impact(TRAVEL, 0, level), WEIGHT, NO_QUOTA) for level in (2, 4)}
    so = {name: rises(series, WEIGHTS) and rising(series) for name, series in gains.items()}
    about = "Less travel than at level 0, for γ = 0.2, 0.4, 0.8, 1.0: "
    return c.every({name: (so[name], c.numbers(means(series))) for name, series in gains.items()}, about)


@c.predicate(
    "at level 4, each further move of lookahead adds less to the first-move lag",
    "from d = 5 to 9 less than from 1 to 3",
)
def _diminishing(study: Study) -> c.Finding:
    lags = means(along(study, LAG, DEPTH, {**NO_QUOTA, "levels": (4,)}))
    pairs = zip(pairwise(lags), pairwise(DEPTHS), strict=True)
    steps = [(late - early) / (high - low) for (early, late), (low, high) in pairs]
    return steps[-1] < steps[0], (
        f"Lags at level 4 for d = 1, 3, 5, 9: {c.numbers(lags)}; each further move adds {c.numbers(steps)}."
    )


@c.predicate(
    "the factor by which abstraction raises planning per move hardly depends on γ",
    "from level 0 to 4, the factors for planning per unit of travel differ at most twofold",
)
def _not_by_weight(study: Study) -> c.Finding:
    low, high = (means(along(study, st.PER_TRAVEL, WEIGHT, {**NO_QUOTA, "levels": (level,)})) for level in (0, 4))
    factors = [over / under for under, over in zip(low, high, strict=True)]
    return max(factors) <= 2 * min(factors), (
        f"Planning per unit of travel at level 4 over level 0, for γ = 0.2, 0.4, 0.8, 1.0: {c.numbers(factors)}."
    )


@c.predicate(
    "abstraction changes travel and memory in the same way",
    f"over d and γ, the differences between levels have a correlation of at least {TIGHT_CORRELATION}",
)
def _similar(study: Study) -> c.Finding:
    def impacts(measure: Measure, *levels: int) -> Values:
        some = [along(study, impact(measure, *levels), WEIGHT, {**NO_QUOTA, "depths": (depth,)}) for depth in DEPTHS]
        return np.array([mean for series in some for mean in means(series)])

    low, high = (correlation(impacts(TRAVEL, *levels), impacts(MEMORY, *levels)) for levels in ((0, 2), (2, 4)))
    return min(low, high) >= TIGHT_CORRELATION, (
        f"Over d and γ, the differences in travel and in memory have a correlation of {low:.3f} between levels 0 and "
        f"2, and of {high:.3f} between levels 2 and 4."
    )


# Appendix F looks at LRTS without backtracking, at levels 0, 2 and 4.
SHOWN: Where = {**NO_QUOTA, "levels": SHOWN_LEVEL.values}


def _impact(measure: Measure, over: Axis) -> c.Trend[Study]:
    return trend(impact(measure), over, NO_QUOTA)


PARAMETERS = c.claims(
    "2.2",
    "",
    trend((TRAVEL, MEMORY, SUBOPTIMALITY), DEPTH, NO_ABSTRACTION).falls().where("without abstraction"),
    trend(LAG, DEPTH, NO_ABSTRACTION).rises().where("without abstraction"),
    (
        trend(SUBOPTIMALITY, WEIGHT, NO_ABSTRACTION).falls() & trend((TRAVEL, MEMORY), WEIGHT, NO_ABSTRACTION).rises()
    ).where("without abstraction"),
    _same_lag(WEIGHT, PLAIN_LRTS),
    _smaller_quota(TRAVEL),
    _smaller_quota(MEMORY),
    _same_lag(Axis("T", "quotas", alg.QUOTAS), {**NO_ABSTRACTION, "weights": (1.0,)}),
)

faster_if_shallow = _larger(
    "abstraction raises suboptimality most for d = 1 and least for d = 9",
    impact(SUBOPTIMALITY, 0, 4),
    EACH_SETTING,
    ((0, 1), (1, 2)),
)
more_travel_saved = _larger(
    "abstraction saves more travel for d = 1 and d = 3 than for d = 9",
    impact(TRAVEL, 0, 4),
    EACH_SETTING,
    ((0, 2), (1, 2)),
)
EFFECTS = (
    *c.claims(
        "5.2",
        "table-3 figure-14",
        trend(PLANNING, LEVEL, each=EACH_SETTING).falls(),
        _overcompensated,
        trend(LAG, LEVEL, each=EACH_SETTING).rises(steadily=True),
        trend(MEMORY, LEVEL, each=EACH_SETTING).falls(steadily=True),
        trend(SUBOPTIMALITY, LEVEL, each=EACH_SETTING).rises(steadily=True),
        faster_if_shallow,
        trend(TRAVEL, LEVEL, each=EACH_SETTING).falls(steadily=True),
        more_travel_saved,
        _doubled,
    ),
    *c.claims("5.2", "", correlated.at_least(TIGHT_CORRELATION, f"{CORRELATION}"), _low_if_deep),
    *c.claims("5.2", "", trend(SUBOPTIMALITY, WEIGHT, each=EACH_LEVEL).falls()),
    *c.claims("5.2", "figure-15", _non_monotonic, _always_preferred),
)

with_d_1 = trend(SUBOPTIMALITY, LEVEL, EACH_SETTING[setting_text(SHALLOW)]).rises(steadily=True).where("with d = 1")
deep_3, deep_4 = (Algorithm(level, *DEEP) for level in (3, 4))
capped = st.grows(LAG, deep_3) & st.grows(LAG, deep_4)
until_the_goal_is_far = st.grows(LAG, deep_4, BEFORE_LAST) & st.grows(LAG, deep_3, BEFORE_LAST, so=False)
# At level 0 solutions are optimal with γ = 1.
shallow_claims = (
    _price(SHALLOW),
    with_d_1,
    _independent(SUBOPTIMALITY, SHALLOW, 1, 4),
    _independent(LAG, SHALLOW, 0, 4),
)
deep_claims = (_price(DEEP), _independent(LAG, DEEP, 0, 2), capped, until_the_goal_is_far)
SCALING = (
    *c.claims("5.3", "figure-16", _dampened(SHALLOW), *shallow_claims),
    *c.claims("5.3", "figure-17", _dampened(DEEP), *deep_claims),
    *c.claims("5.3", "", _drawn_together, _slightly_lower),
)

less_difference = _larger(
    "γ changes suboptimality less with abstraction than without",
    st.Derived("the difference between γ = 0.2 and γ = 1.0 in suboptimality", _by_weight),
    SHOWN_LEVELS,
    ((0, 1), (0, 2)),
)
INTERPLAY_BY_FIGURE = {
    32: (
        trend(TRAVEL, SHOWN_LEVEL, NO_QUOTA).falls(steadily=True),
        trend(TRAVEL, DEPTH, SHOWN).falls(),
        _small_gap,
        _impact(TRAVEL, DEPTH).falls(),
        trend(TRAVEL, WEIGHT, SHOWN).rises(),
        _more_to_gain,
        _impact(TRAVEL, WEIGHT).rises(),
    ),
    33: (
        trend(LAG, SHOWN_LEVEL, NO_QUOTA).rises(steadily=True) & trend(LAG, DEPTH, SHOWN).rises(),
        _impact(LAG, DEPTH).rises(),
        _diminishing,
        trend((LAG, impact(LAG)), WEIGHT, SHOWN).stays_within(SMALL_CHANGE),
    ),
    34: (
        trend(PLANNING, SHOWN_LEVEL, NO_QUOTA).falls(),
        trend(st.PER_TRAVEL, DEPTH, SHOWN).rises() & trend((TRAVEL, PLANNING), DEPTH, SHOWN).falls(),
        _impact(PLANNING, DEPTH).rises(),
        trend(PLANNING, WEIGHT, SHOWN).rises(),
        _not_by_weight,
        _impact(PLANNING, WEIGHT).rises(),
    ),
    35: (
        trend(MEMORY, SHOWN_LEVEL, NO_QUOTA).falls(steadily=True),
        _impact(MEMORY, DEPTH).falls(),
        _impact(MEMORY, WEIGHT).rises(),
        _similar,
    ),
    36: (
        trend(SUBOPTIMALITY, SHOWN_LEVEL, NO_QUOTA).rises(steadily=True),
        trend(SUBOPTIMALITY, DEPTH, PLAIN_LRTS, each=EACH_WEIGHT)
        .stays_within(SMALL_CHANGE)
        .where("without abstraction"),
        _impact(SUBOPTIMALITY, DEPTH).falls(),
        trend(SUBOPTIMALITY, WEIGHT, PLAIN_LRTS).falls().where("without abstraction"),
        _impact(SUBOPTIMALITY, WEIGHT).rises(),
        less_difference,
    ),
}
INTERPLAY = tuple(
    claim for at, own in INTERPLAY_BY_FIGURE.items() for claim in c.claims("F", f"table-6 figure-{at}", *own)
)
