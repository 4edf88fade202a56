"""Sections 2.2, 5.2 and 5.3 and Appendix F: how the measures change with the parameters and the problem size."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from permove.analysis.statistics import Values, correlation
from permove.papers.claims import (
    BEYOND_CHANCE,
    ERRORS,
    Finding,
    Number,
    Predicate,
    above,
    both,
    claims,
    exceptions,
    means,
    number,
    numbers,
    predicate,
    rises,
    rising,
)
from permove.papers.graph_abstraction_2007.algorithms import (
    ASTAR,
    DEPTHS,
    LEVELS,
    QUOTAS,
    SCALED,
    SINGLE,
    WEIGHTS,
    Algorithm,
    Setting,
    lrts,
    setting_text,
)
from permove.papers.graph_abstraction_2007.figures import typical
from permove.papers.graph_abstraction_2007.printed import CORRELATED, CORRELATION
from permove.papers.graph_abstraction_2007.problems import BUCKETS
from permove.papers.graph_abstraction_2007.study import (
    DEPTH,
    EACH_SETTING,
    LAG,
    LEVEL,
    MEMORY,
    PLANNING,
    SHOWN_LEVEL,
    SUBOPTIMALITY,
    TRAVEL,
    WEIGHT,
    Axis,
    Impact,
    Measure,
    PlanningPerTravel,
    Study,
    Where,
    change,
    increases,
    trend,
)

SAME_LAG = 0.01
"""First-move lags within this share of each other are the same."""

TIGHT_CORRELATION = 0.9
SMALL_CHANGE = 0.25
"""A change by less than this share is negligible."""

SHALLOW, DEEP = SCALED
FIRST, *_, BEFORE_LAST, LAST = BUCKETS.values()
NO_ABSTRACTION: Where = {"levels": (0,)}
NO_QUOTA: Where = {"quotas": (math.inf,)}
PLAIN_LRTS: Where = {**NO_ABSTRACTION, **NO_QUOTA}
EACH_DEPTH = {f"d = {depth}": {"depths": (depth,)} for depth in DEPTHS}
PER_TRAVEL = PlanningPerTravel()


def _same_lag(over: Axis, where: Where) -> Predicate[Study]:
    """The lag is the same for all values of a parameter, depth by depth."""

    def check(study: Study) -> Finding:
        lags = {name: means(some) for name, some in trend(LAG, over, where, each=EACH_DEPTH).series(study).items()}
        wrong = [name for name, values in lags.items() if max(values) > (1 + SAME_LAG) * min(values)]
        found = "; ".join(f"{name}: {numbers(sorted(set(values)))}" for name, values in lags.items())
        return not wrong, f"Mean lags: {found}.{exceptions(wrong)}"

    how = f"for each d, mean lags are within {SAME_LAG:.0%}"
    return Predicate(f"without abstraction, {over.name} does not change the first-move lag", check, how)


def _smaller_quota(measure: Measure) -> Predicate[Study]:
    def check(study: Study) -> Finding:
        pairs = [
            (Algorithm(0, d, weight, QUOTAS[0]), Algorithm(0, d, weight, QUOTAS[1]))
            for d in DEPTHS
            for weight in WEIGHTS
        ]
        less = sum(study.mean(measure, low) < study.mean(measure, high) for low, high in pairs)
        return 2 * less > len(pairs), f"{measure.name}: less with T = 100 for {less} of {len(pairs)}."

    text = f"without abstraction, a smaller T reduces {measure.name} in most cases"
    return Predicate(
        text, check, "the mean is smaller with T = 100 than with T = ∞ for most of the 16 pairs of d and γ"
    )


def parameters() -> tuple[Predicate[Study], ...]:
    """Section 2.2: LRTS without abstraction."""
    quota = Axis("T", "quotas", QUOTAS)
    return (
        trend((TRAVEL, MEMORY, SUBOPTIMALITY), DEPTH, NO_ABSTRACTION).falls().where("without abstraction"),
        trend(LAG, DEPTH, NO_ABSTRACTION).rises().where("without abstraction"),
        (
            trend(SUBOPTIMALITY, WEIGHT, NO_ABSTRACTION).falls()
            & trend((TRAVEL, MEMORY), WEIGHT, NO_ABSTRACTION).rises()
        ).where("without abstraction"),
        _same_lag(WEIGHT, PLAIN_LRTS),
        _smaller_quota(TRAVEL),
        _smaller_quota(MEMORY),
        _same_lag(quota, {**NO_ABSTRACTION, "weights": (1.0,)}),
    )


@predicate(
    "planning per move rises with the level, but less than travel falls",
    "for each of the three settings, planning per unit of travel rises along the levels, planning falls, and travel "
    f"falls steadily, {BEYOND_CHANCE}",
)
def _overcompensated(study: Study) -> Finding:
    wrong = []
    per_move = trend(PER_TRAVEL, LEVEL, each=EACH_SETTING).series(study)
    for name, where in EACH_SETTING.items():
        parts = (
            trend(PER_TRAVEL, LEVEL, where).rises(),
            trend(TRAVEL, LEVEL, where).falls(steadily=True),
            trend(PLANNING, LEVEL, where).falls(),
        )
        wrong += [] if all(part.check(study)[0] for part in parts) else [name]
    found = "; ".join(f"{name}: {numbers(means(series))}" for name, series in per_move.items())
    return not wrong, f"Planning per unit of travel: {found}.{exceptions(wrong)}"


def memory_and_travel(study: Study) -> float:
    """Correlation of convergence memory and convergence travel over the problems."""
    return correlation(study.values(MEMORY, CORRELATED), study.values(TRAVEL, CORRELATED))


def _gains(study: Study, measure: Measure) -> list[Values]:
    """By how much level 4 is above level 0, for d = 1, 3 and 9."""
    return [series[-1] - series[0] for series in trend(measure, LEVEL, each=EACH_SETTING).series(study).values()]


@predicate("abstraction raises suboptimality most for d = 1 and least for d = 9", f"from level 0 to 4, {BEYOND_CHANCE}")
def _faster_if_shallow(study: Study) -> Finding:
    rise = _gains(study, SUBOPTIMALITY)
    so = above(rise[0], rise[1]) and above(rise[1], rise[2])
    return so, f"From level 0 to 4, for d = 1, 3, 9: {numbers(means(rise))} points."


@predicate("abstraction saves more travel for d = 1 and d = 3 than for d = 9", f"from level 0 to 4, {BEYOND_CHANCE}")
def _most_noticeable(study: Study) -> Finding:
    saved = [-values for values in _gains(study, TRAVEL)]
    so = above(saved[0], saved[2]) and above(saved[1], saved[2])
    return so, f"From level 0 to 4, for d = 1, 3, 9: less by {numbers(means(saved))}."


@predicate("without abstraction, d = 9 travels less than d = 1 and d = 3", f"for each γ and T, {BEYOND_CHANCE}")
def _low_if_deep(study: Study) -> Finding:
    deep = lrts((0,), (9,))
    wrong = [
        each.name
        for each in deep
        if not all(
            above(study.values(TRAVEL, Algorithm(0, depth, each.weight, each.quota)), study.values(TRAVEL, each))
            for depth in (1, 3)
        )
    ]
    averages = [study.mean(TRAVEL, *lrts((0,), (depth,))) for depth in (1, 3, 9)]
    return not wrong, f"Means over all γ and T, for d = 1, 3, 9: {numbers(averages)}.{exceptions(wrong)}"


@predicate("no run of PR LRTS travels less than twice the optimal cost before it converges")
def _doubled(study: Study) -> Finding:
    runs = {each: study.values(TRAVEL, each) / study.optimal for each in study.agents if each != ASTAR}
    shortest = min(runs, key=lambda each: float(runs[each].min()))
    below = sum(int((ratios < 2 - 1e-9).sum()) for ratios in runs.values())
    total = sum(len(ratios) for ratios in runs.values())
    return below == 0, (
        f"Minimum travel in optimal costs: {runs[shortest].min():.3f}, {shortest.name}; {below:,} of {total:,} runs "
        "are below 2."
    )


@predicate("LRTS does not improve from trial to trial: on most problems, some trial is longer than the one before it")
def _non_monotonic(study: Study) -> Finding:
    ground = SINGLE[1]
    trials = study.trials([ground]).sort("set", "map", "problem", "trial")
    longer = pl.col("travel") > pl.col("travel").shift(1).over("set", "map", "problem") + 1e-6
    back = trials.with_columns(longer=longer.fill_null(False)).group_by("map", "problem").agg(pl.col("longer").any())
    share = int(back["longer"].sum()) / back.height
    return share > 0.5, f"{ground.name}: on {share:.0%} of the problems."


def _never_behind(study: Study) -> dict[tuple[str, int], bool]:
    """For each problem, whether both abstract algorithms have a solution as short at every amount of travel."""
    trials = study.trials(SINGLE[1:]).sort("set", "map", "problem", "trial")
    curves = trials.group_by("map", "problem", "algorithm", maintain_order=True).agg(
        cumulative=pl.col("travel").cum_sum(), shortest=pl.col("travel").cum_min()
    )
    found = {}
    for place, part in curves.partition_by("map", "problem", as_dict=True).items():
        rows = {row["algorithm"]: row for row in part.iter_rows(named=True)}
        found[place[0], place[1]] = all(_below(rows[each.name], rows[SINGLE[1].name]) for each in SINGLE[2:])
    return found


def _below(one: Mapping[str, Sequence[float]], other: Mapping[str, Sequence[float]]) -> bool:
    """Whether a curve is nowhere above another one, which starts at its first solution."""
    at = np.searchsorted(one["cumulative"], np.asarray(other["cumulative"]) + 1e-6, side="right") - 1
    shortest = np.where(at >= 0, np.asarray(one["shortest"])[np.maximum(at, 0)], math.inf)
    return bool((shortest <= np.asarray(other["shortest"]) + 1e-6).all())


@predicate(
    "whenever learning is stopped, abstraction has the better solution on the problem of Figure 15, but not on all "
    "problems",
    "at every amount of travel, the best solutions of both abstract algorithms so far are as short as that of LRTS "
    "without abstraction; the paper does not name its problem",
)
def _always_preferred(study: Study) -> Finding:
    lower = _never_behind(study)
    place, problem = typical(study)
    so, count = lower[place, problem], sum(lower.values())
    return so and count < len(lower), (
        f"On problem {problem} of {place}, the curves of {SINGLE[2].name} and {SINGLE[3].name} are "
        f"{'nowhere' if so else 'somewhere'} above that of {SINGLE[1].name}; they are nowhere above it on "
        f"{count / len(lower):.0%} of the problems."
    )


EACH_LEVEL = {f"level {level}": {"levels": (level,)} for level in LEVELS}


def effects() -> tuple[Predicate[Study], ...]:
    """Section 5.2: the effects of abstraction that Table 3 and Figure 14 show."""
    return (
        trend(PLANNING, LEVEL, each=EACH_SETTING).falls(),
        _overcompensated,
        trend(LAG, LEVEL, each=EACH_SETTING).rises(steadily=True),
        trend(MEMORY, LEVEL, each=EACH_SETTING).falls(steadily=True),
    )


def correlated() -> Predicate[Study]:
    """Section 5.2: memory and travel."""
    name = f"the correlation of convergence memory and convergence travel for {CORRELATED.name}"
    return Number(name, memory_and_travel, ".4g").at_least(TIGHT_CORRELATION, f"{CORRELATION}")


def _dampened(setting: Setting) -> Predicate[Study]:
    """Section 5.3: costs grow less with the problems if there is abstraction."""

    def check(study: Study) -> Finding:
        wrong, found = [], []
        for measure in (TRAVEL, PLANNING, MEMORY):
            grown = [change(study.by_bucket(measure, Algorithm(level, *setting)), FIRST, LAST) for level in LEVELS]
            found.append(f"{measure.name}: {numbers(increase for increase, _ in grown)}")
            (ground, error), *rest = grown
            wrong += [
                f"{measure.name} at level {level}"
                for level, (increase, own) in zip(LEVELS[1:], rest, strict=True)
                if not ground - increase > ERRORS * math.hypot(error, own)
            ]
        return not wrong, (
            f"{setting_text(setting)}, increase from bucket {FIRST} to {LAST} at levels 0 to 4: "
            f"{'; '.join(found)}.{exceptions(wrong)}"
        )

    text = f"with d = {setting[0]}, travel, planning and memory grow less with the problem size if abstraction is used"
    how = f"from bucket {FIRST} to {LAST}, each grows less at every level above 0 than at level 0, {BEYOND_CHANCE}"
    return Predicate(text, check, how)


def _price(setting: Setting) -> Predicate[Study]:
    """Section 5.3: the price of abstraction."""

    def check(study: Study) -> Finding:
        wrong, found = [], []
        for measure in (SUBOPTIMALITY, LAG):
            ground, *rest = study.over_levels(measure, setting)
            found.append(f"{measure.name}: {numbers(means([ground, *rest]))}")
            wrong += [
                f"{measure.name} at level {level}" for level, values in enumerate(rest, 1) if not above(values, ground)
            ]
        return not wrong, f"{setting_text(setting)}, levels 0 to 4: {'; '.join(found)}.{exceptions(wrong)}"

    text = f"with d = {setting[0]}, abstraction raises suboptimality and first-move lag"
    return Predicate(text, check, f"both are larger at every level above 0 than at level 0, {BEYOND_CHANCE}")


def _independent(measure: Measure, setting: Setting, levels: Sequence[int]) -> Predicate[Study]:
    """Section 5.3: something does not depend on the size of the problems."""

    def check(study: Study) -> Finding:
        wrong, found = [], []
        for level in levels:
            buckets = list(study.by_bucket(measure, Algorithm(level, *setting)).values())
            found.append(f"level {level}: {numbers(mean for mean, _ in buckets)}")
            (lowest, error), (highest, other) = min(buckets), max(buckets)
            beyond = highest - lowest - ERRORS * math.hypot(error, other)
            wrong += (
                [f"level {level}"] if beyond > SMALL_CHANGE * sum(mean for mean, _ in buckets) / len(buckets) else []
            )
        return not wrong, f"{setting_text(setting)}, {measure.name} by bucket: {'; '.join(found)}.{exceptions(wrong)}"

    text = (
        f"with d = {setting[0]} at levels {levels[0]} to {levels[-1]}, {measure.plain} does not depend on the problem "
        "size"
    )
    return Predicate(text, check, f"the means of the five buckets are within {SMALL_CHANGE:.0%}, apart from chance")


@predicate("suboptimality differs less between the levels with d = 9 than with d = 1")
def _drawn_together(study: Study) -> Finding:
    spans = {}
    for setting in SCALED:
        levels = means(study.over_levels(SUBOPTIMALITY, setting))
        spans[setting] = max(levels) - min(levels)
    found = "; ".join(f"{setting_text(setting)}: {number(span)}" for setting, span in spans.items())
    return spans[DEEP] < spans[SHALLOW], f"Points between the lowest and the highest level: {found}."


@predicate(
    "with d = 9 at levels 3 and 4, the first-move lag grows with the problem size", f"from bucket {FIRST} to {LAST}"
)
def _capped(study: Study) -> Finding:
    findings = []
    for level in (3, 4):
        buckets = study.by_bucket(LAG, Algorithm(level, *DEEP))
        found = f"Level {level}: {numbers(mean for mean, _ in buckets.values())}."
        findings.append((increases(buckets, FIRST, LAST), found))
    return both(*findings)


@predicate(f"with d = 9, the lag stops growing at bucket {BEFORE_LAST} at level 3, but not at level 4", BEYOND_CHANCE)
def _until_the_goal_is_far(study: Study) -> Finding:
    three, four = (study.by_bucket(LAG, Algorithm(level, *DEEP)) for level in (3, 4))
    late_three, late_four = (change(buckets, BEFORE_LAST, LAST) for buckets in (three, four))
    so = not increases(three, BEFORE_LAST, LAST) and increases(four, BEFORE_LAST, LAST)
    return so, (
        f"From bucket {BEFORE_LAST} to {LAST}: {late_three[0]:+,.0f} ± {late_three[1]:,.0f} at level 3, "
        f"{late_four[0]:+,.0f} ± {late_four[1]:,.0f} at level 4."
    )


@predicate(
    "without abstraction, the first-move lag falls slightly with the problem size",
    f"from bucket {FIRST} to {LAST}, by less than {SMALL_CHANGE:.0%}",
)
def _slightly_lower(study: Study) -> Finding:
    findings = []
    for setting in SCALED:
        buckets = study.by_bucket(LAG, Algorithm(0, *setting))
        ratio = change(buckets, FIRST, LAST)[0] / buckets[FIRST][0]
        found = f"{setting_text(setting)} at level 0, from bucket {FIRST} to {LAST}: {100 * ratio:+.1f}%."
        findings.append((-SMALL_CHANGE < ratio < 0, found))
    return both(*findings)


# Appendix F looks at LRTS without backtracking, at levels 0, 2 and 4.
SHOWN: Where = {**NO_QUOTA, "levels": SHOWN_LEVEL.values}


def _grows(measure: Measure, over: Axis) -> Predicate[Study]:
    return trend(Impact(measure), over, NO_QUOTA).rises()


def _shrinks(measure: Measure, over: Axis) -> Predicate[Study]:
    return trend(Impact(measure), over, NO_QUOTA).falls()


@predicate(
    "with d = 9, level 2 travels less than level 0, and level 4 hardly less than level 2",
    f"the difference between levels 2 and 4 is less than {SMALL_CHANGE:.0%} of that with d = 1",
)
def _small_gap(study: Study) -> Finding:
    wide, narrow = (
        next(iter(trend(Impact(TRAVEL, *levels), DEPTH, NO_QUOTA).series(study).values()))
        for levels in ((0, 2), (2, 4))
    )
    so = narrow[-1].mean() < SMALL_CHANGE * narrow[0].mean() and above(wide[-1], np.zeros_like(wide[-1]))
    return bool(so), (
        f"For d = 1, 3, 5, 9, levels 0 and 2 differ by {numbers(means(wide))}, levels 2 and 4 by "
        f"{numbers(means(narrow))}."
    )


@predicate(
    "abstraction saves more travel for larger γ",
    f"lines through the savings of levels 2 and 4 rise along γ, {BEYOND_CHANCE}, and no step goes back by as much",
)
def _more_to_gain(study: Study) -> Finding:
    gains = {
        f"level {level}": next(iter(trend(Impact(TRAVEL, 0, level), WEIGHT, NO_QUOTA).series(study).values()))
        for level in (2, 4)
    }
    wrong = [name for name, series in gains.items() if not (rises(series, WEIGHTS) and rising(series))]
    found = "; ".join(f"{name}: {numbers(means(series))}" for name, series in gains.items())
    return not wrong, f"Less travel than at level 0, for γ = 0.2, 0.4, 0.8, 1.0: {found}.{exceptions(wrong)}"


@predicate(
    "at level 4, each further move of lookahead adds less to the first-move lag",
    "from d = 5 to 9 less than from 1 to 3",
)
def _diminishing(study: Study) -> Finding:
    lags = means(LAG.sample(study, {**NO_QUOTA, "levels": (4,), "depths": (depth,)}) for depth in DEPTHS)
    steps = [
        (late - early) / (high - low)
        for (early, late), (low, high) in zip(pairwise(lags), pairwise(DEPTHS), strict=True)
    ]
    return steps[-1] < steps[0], (
        f"Lags at level 4 for d = 1, 3, 5, 9: {numbers(lags)}; each further move adds {numbers(steps)}."
    )


@predicate(
    "the factor by which abstraction raises planning per move hardly depends on γ",
    "from level 0 to 4, the factors for planning per unit of travel differ at most twofold",
)
def _not_by_weight(study: Study) -> Finding:
    factors = []
    for weight in WEIGHTS:
        low, high = (
            PER_TRAVEL.sample(study, {**NO_QUOTA, "levels": (level,), "weights": (weight,)}).mean() for level in (0, 4)
        )
        factors.append(float(high / low))
    return max(factors) <= 2 * min(factors), (
        f"Planning per unit of travel at level 4 over level 0, for γ = 0.2, 0.4, 0.8, 1.0: {numbers(factors)}."
    )


@predicate(
    "abstraction changes travel and memory in the same way",
    f"over d and γ, the differences between levels have a correlation of at least {TIGHT_CORRELATION}",
)
def _similar(study: Study) -> Finding:
    found = []
    for levels in ((0, 2), (2, 4)):
        travel, memory = (
            [
                Impact(measure, *levels).sample(study, {**NO_QUOTA, "depths": (depth,), "weights": (weight,)}).mean()
                for depth in DEPTHS
                for weight in WEIGHTS
            ]
            for measure in (TRAVEL, MEMORY)
        )
        found.append(correlation(np.array(travel), np.array(memory)))
    return min(found) >= TIGHT_CORRELATION, (
        f"Over d and γ, the differences in travel and in memory have a correlation of {found[0]:.3f} between levels 0 "
        f"and 2, and of {found[1]:.3f} between levels 2 and 4."
    )


@predicate("γ changes suboptimality less with abstraction than without", f"from γ = 1.0 to 0.2, {BEYOND_CHANCE}")
def _less_difference(study: Study) -> Finding:
    gaps = []
    for level in SHOWN_LEVEL.values:
        low, high = (
            SUBOPTIMALITY.sample(study, {**NO_QUOTA, "levels": (level,), "weights": (weight,)}) for weight in (0.2, 1.0)
        )
        gaps.append(low - high)
    return above(gaps[0], gaps[1]) and above(gaps[0], gaps[2]), (
        f"Suboptimality with γ = 0.2 minus that with γ = 1.0, at levels 0, 2, 4: {numbers(means(gaps))} points."
    )


EACH_WEIGHT = {f"γ = {weight}": {"weights": (weight,)} for weight in WEIGHTS[:-1]}


def _inconsequential() -> Predicate[Study]:
    return trend((LAG, Impact(LAG)), WEIGHT, SHOWN).stays_within(SMALL_CHANGE)


PARAMETERS = claims("2.2", "", *parameters())

FIGURE_14 = "table-3 figure-14"
EFFECTS = (
    *claims("5.2", FIGURE_14, *effects()),
    *claims("5.2", "", correlated()),
    *claims("5.2", FIGURE_14, trend(SUBOPTIMALITY, LEVEL, each=EACH_SETTING).rises(steadily=True), _faster_if_shallow),
    *claims("5.2", "", trend(SUBOPTIMALITY, WEIGHT, each=EACH_LEVEL).falls()),
    *claims("5.2", FIGURE_14, trend(TRAVEL, LEVEL, each=EACH_SETTING).falls(steadily=True), _most_noticeable),
    *claims("5.2", "", _low_if_deep),
    *claims("5.2", FIGURE_14, _doubled),
    *claims("5.2", "figure-15", _non_monotonic, _always_preferred),
)

SCALING = (
    *claims("5.3", "figure-16", _dampened(SHALLOW)),
    *claims("5.3", "figure-17", _dampened(DEEP)),
    *claims("5.3", "figure-16", _price(SHALLOW)),
    *claims("5.3", "figure-17", _price(DEEP)),
    *claims(
        "5.3",
        "figure-16",
        trend(SUBOPTIMALITY, LEVEL, EACH_SETTING[setting_text(SHALLOW)]).rises(steadily=True).where("with d = 1"),
        # At level 0 solutions are optimal with γ = 1.
        _independent(SUBOPTIMALITY, SHALLOW, LEVELS[1:]),
    ),
    *claims("5.3", "", _drawn_together),
    *claims("5.3", "figure-16", _independent(LAG, SHALLOW, LEVELS)),
    *claims("5.3", "figure-17", _independent(LAG, DEEP, LEVELS[:3]), _capped, _until_the_goal_is_far),
    *claims("5.3", "", _slightly_lower),
)

INTERPLAY = (
    *claims(
        "F",
        "table-6 figure-32",
        trend(TRAVEL, SHOWN_LEVEL, NO_QUOTA).falls(steadily=True),
        trend(TRAVEL, DEPTH, SHOWN).falls(),
        _small_gap,
        _shrinks(TRAVEL, DEPTH),
        trend(TRAVEL, WEIGHT, SHOWN).rises(),
        _more_to_gain,
        _grows(TRAVEL, WEIGHT),
    ),
    *claims(
        "F",
        "table-6 figure-33",
        trend(LAG, SHOWN_LEVEL, NO_QUOTA).rises(steadily=True) & trend(LAG, DEPTH, SHOWN).rises(),
        _grows(LAG, DEPTH),
        _diminishing,
        _inconsequential(),
    ),
    *claims(
        "F",
        "table-6 figure-34",
        trend(PLANNING, SHOWN_LEVEL, NO_QUOTA).falls(),
        trend(PER_TRAVEL, DEPTH, SHOWN).rises() & trend((TRAVEL, PLANNING), DEPTH, SHOWN).falls(),
        _grows(PLANNING, DEPTH),
        trend(PLANNING, WEIGHT, SHOWN).rises(),
        _not_by_weight,
        _grows(PLANNING, WEIGHT),
    ),
    *claims(
        "F",
        "table-6 figure-35",
        trend(MEMORY, SHOWN_LEVEL, NO_QUOTA).falls(steadily=True),
        _shrinks(MEMORY, DEPTH),
        _grows(MEMORY, WEIGHT),
        _similar,
    ),
    *claims(
        "F",
        "table-6 figure-36",
        trend(SUBOPTIMALITY, SHOWN_LEVEL, NO_QUOTA).rises(steadily=True),
        trend(SUBOPTIMALITY, DEPTH, PLAIN_LRTS, each=EACH_WEIGHT)
        .stays_within(SMALL_CHANGE)
        .where("without abstraction"),
        _shrinks(SUBOPTIMALITY, DEPTH),
        trend(SUBOPTIMALITY, WEIGHT, PLAIN_LRTS).falls().where("without abstraction"),
        _grows(SUBOPTIMALITY, WEIGHT),
        _less_difference,
    ),
)
