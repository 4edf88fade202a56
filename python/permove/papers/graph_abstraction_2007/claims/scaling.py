"""Section 5.3: how the measures grow with the optimal cost, for LRTS with d = 1 (Figure 16) and d = 9 (Figure 17)."""

import math
from collections.abc import Sequence

from permove.papers.checks import BY_CHANCE, CHANCE, above
from permove.papers.claim import Claim, Finding, Unchecked, both
from permove.papers.graph_abstraction_2007.algorithms import LEVELS, Algorithm
from permove.papers.graph_abstraction_2007.claims.claim import (
    BEYOND_CHANCE,
    NO_STEP_BACK,
    VIRTUALLY,
    all_rise_throughout,
    excepted,
    means,
)
from permove.papers.graph_abstraction_2007.figures import SCALED
from permove.papers.graph_abstraction_2007.problems import BUCKETS
from permove.papers.graph_abstraction_2007.study import LAG, MEMORY, PLANNING, SUBOPTIMALITY, TRAVEL, Measure, Study
from permove.papers.graph_abstraction_2007.words import figure, figures, setting

SHALLOW, DEEP = SCALED
FIRST, *_, BEFORE_LAST, LAST = BUCKETS.values()

Chosen = tuple[int, float, float]


def _buckets(study: Study, measure: Measure, level: int, chosen: Chosen) -> dict[int, tuple[float, float]]:
    return study.by_bucket(measure, Algorithm(level, *chosen))


def _change(buckets: dict[int, tuple[float, float]], first: int, last: int) -> tuple[float, float]:
    """By how much a later bucket is above an earlier one, and the standard error: they have different problems."""
    (before, before_error), (after, after_error) = buckets[first], buckets[last]
    return after - before, math.hypot(before_error, after_error)


def _dampened(study: Study, chosen: Chosen) -> Finding:
    wrong, told = [], []
    for measure in (TRAVEL, PLANNING, MEMORY):
        changes = [_change(_buckets(study, measure, level, chosen), FIRST, LAST) for level in LEVELS]
        told.append(f"{measure.name}: {figures(change for change, _ in changes)}")
        (ground, error), *rest = changes
        wrong += [
            f"{measure.name} at level {level}"
            for level, (change, own) in zip(LEVELS[1:], rest, strict=True)
            if not ground - change > CHANCE * math.hypot(error, own)
        ]
    return not wrong, (
        f"{setting(*chosen)}, increase from bucket {FIRST} to {LAST} at levels 0 to 4: {'; '.join(told)}."
        f"{excepted(wrong)}"
    )


def _price(study: Study, chosen: Chosen) -> Finding:
    wrong, told = [], []
    for measure in (SUBOPTIMALITY, LAG):
        ground, *rest = study.over_levels(measure, *chosen)
        told.append(f"{measure.name}: {means([ground, *rest])}")
        wrong += [
            f"{measure.name} at level {level}"
            for level, values in zip(LEVELS[1:], rest, strict=True)
            if not above(values, ground)
        ]
    return not wrong, f"{setting(*chosen)}, levels 0 to 4: {'; '.join(told)}.{excepted(wrong)}"


def _clearly(study: Study) -> Finding:
    series = study.over_levels(SUBOPTIMALITY, *SHALLOW)
    return all_rise_throughout({f"{setting(*SHALLOW)}, levels 0 to 4": series}, LEVELS)


def _independent(study: Study, measure: Measure, chosen: Chosen, levels: Sequence[int]) -> Finding:
    wrong, told = [], []
    for level in levels:
        buckets = list(_buckets(study, measure, level, chosen).values())
        told.append(f"level {level}: {figures(mean for mean, _ in buckets)}")
        (least, error), (most, other) = min(buckets), max(buckets)
        apart = most - least - CHANCE * math.hypot(error, other)
        wrong += [f"level {level}"] if apart > VIRTUALLY * sum(mean for mean, _ in buckets) / len(buckets) else []
    return not wrong, f"{setting(*chosen)}, {measure.name} by bucket: {'; '.join(told)}.{excepted(wrong)}"


def _suboptimality(study: Study) -> Finding:
    """At level 0 solutions are optimal with γ = 1, and there is nothing that could depend on buckets."""
    return _independent(study, SUBOPTIMALITY, SHALLOW, LEVELS[1:])


def _together(study: Study) -> Finding:
    spans = {}
    for chosen in (SHALLOW, DEEP):
        levels = [float(values.mean()) for values in study.over_levels(SUBOPTIMALITY, *chosen)]
        spans[chosen] = max(levels) - min(levels)
    told = "; ".join(f"{setting(*chosen)}: {figure(span)}" for chosen, span in spans.items())
    return spans[DEEP] < spans[SHALLOW], f"Points between the least and the most suboptimal level: {told}."


def _lag_shallow(study: Study) -> Finding:
    return _independent(study, LAG, SHALLOW, LEVELS)


def _lag_deep(study: Study) -> Finding:
    return _independent(study, LAG, DEEP, LEVELS[:3])


def _capped(study: Study) -> Finding:
    findings = []
    for level in (3, 4):
        buckets = _buckets(study, LAG, level, DEEP)
        change, error = _change(buckets, FIRST, LAST)
        told = f"Level {level}: {figures(mean for mean, _ in buckets.values())}."
        findings.append((change > CHANCE * error, told))
    return both(*findings)


def _until_85(study: Study) -> Finding:
    three, four = (_buckets(study, LAG, level, DEEP) for level in (3, 4))
    late_three, late_four = (_change(buckets, BEFORE_LAST, LAST) for buckets in (three, four))
    so = not late_three[0] > CHANCE * late_three[1] and late_four[0] > CHANCE * late_four[1]
    return so, (
        f"From bucket {BEFORE_LAST} to {LAST}: {late_three[0]:+,.0f} ± {late_three[1]:,.0f} at level 3, "
        f"{late_four[0]:+,.0f} ± {late_four[1]:,.0f} at level 4."
    )


def _minute(study: Study) -> Finding:
    findings = []
    for chosen in SCALED:
        buckets = _buckets(study, LAG, 0, chosen)
        change, _ = _change(buckets, FIRST, LAST)
        ratio = change / buckets[FIRST][0]
        told = f"{setting(*chosen)} at level 0, from bucket {FIRST} to {LAST}: {100 * ratio:+.1f}%."
        findings.append((-VIRTUALLY < ratio < 0, told))
    return both(*findings)


CLAIMS: tuple[Claim[Study] | Unchecked, ...] = (
    Claim(
        "Overall, the results demonstrate that abstraction enables PR LRTS to be applied to larger problems by "
        "significantly dampening the increase in convergence travel, convergence planning, and convergence memory.",
        "5.3",
        f"With d = 1, from bucket {FIRST} to {LAST} each of them increases by less at each level above 0 than at "
        f"level 0, {BEYOND_CHANCE}.",
        lambda study: _dampened(study, SHALLOW),
        ("figure-16",),
    ),
    Claim(
        "Overall, the results demonstrate that abstraction enables PR LRTS to be applied to larger problems by "
        "significantly dampening the increase in convergence travel, convergence planning, and convergence memory.",
        "5.3",
        "The same with d = 9.",
        lambda study: _dampened(study, DEEP),
        ("figure-17",),
    ),
    Claim(
        "These advantages come at the price of suboptimality and first-move lag.",
        "5.3",
        f"With d = 1, both are larger at each level above 0 than at level 0, {BEYOND_CHANCE}.",
        lambda study: _price(study, SHALLOW),
        ("figure-16",),
    ),
    Claim(
        "These advantages come at the price of suboptimality and first-move lag.",
        "5.3",
        "The same with d = 9.",
        lambda study: _price(study, DEEP),
        ("figure-17",),
    ),
    Claim(
        "The former clearly increases with abstraction when lookahead is small (Figure 16)",
        "5.3",
        f"With d = 1, a line through the mean suboptimality of levels 0 to 4 rises, {BEYOND_CHANCE}, {NO_STEP_BACK}.",
        _clearly,
        ("figure-16",),
    ),
    Claim(
        "and is virtually bucket-independent.",
        "5.3",
        f"With d = 1, the means of the five buckets are within {VIRTUALLY:.0%} at each level above 0; {BY_CHANCE}.",
        _suboptimality,
        ("figure-16",),
    ),
    Claim(
        "The lookahead of d = 9 (Figure 17) draws the curves together as deeper lookahead diminishes effects of "
        "abstraction on suboptimality (cf. Figure 36).",
        "5.3",
        "The mean suboptimality of the five levels lies closer together with d = 9 than with d = 1.",
        _together,
    ),
    Claim(
        "First-move lag is virtually bucket-independent except in the case of d = 9 and abstraction levels of 3 and 4 "
        "(Figure 17).",
        "5.3",
        f"With d = 1, the means of the five buckets are within {VIRTUALLY:.0%} at each level; {BY_CHANCE}.",
        _lag_shallow,
        ("figure-16",),
    ),
    Claim(
        "First-move lag is virtually bucket-independent except in the case of d = 9 and abstraction levels of 3 and 4 "
        "(Figure 17).",
        "5.3",
        "The same with d = 9 at levels 0 to 2.",
        _lag_deep,
        ("figure-17",),
    ),
    Claim(
        "There, first-move lag is capped for problems in lower buckets as the goal is seen from the start state at "
        "these higher levels of abstraction.",
        "5.3",
        f"With d = 9 at levels 3 and 4, the lag in bucket {LAST} is above that in bucket {FIRST}, {BEYOND_CHANCE}.",
        _capped,
        ("figure-17",),
    ),
    Claim(
        "For abstraction level 3 this phenomenon takes place up to bucket 85 where seeing the goal state from the "
        "start state is not frequent enough to make an impact. This does not happens with abstraction level 4 as "
        "proximity of the abstract goal continues to cut the search short even for the largest problems.",
        "5.3",
        f"With d = 9, from bucket {BEFORE_LAST} to {LAST} the lag no longer rises at level 3 and still rises at level "
        f"4, {BEYOND_CHANCE}.",
        _until_85,
        ("figure-17",),
    ),
    Claim(
        "Finally, we observe a minute decrease in first-move lag for larger problems.",
        "5.3",
        f"At level 0, the lag in bucket {LAST} is below that in bucket {FIRST}, by less than {VIRTUALLY:.0%}.",
        _minute,
    ),
    Unchecked(
        "This appears to be due to the fact that problems in the higher buckets tend to have their start state located "
        "in a cluttered region of the map (so that the optimal solution cost is necessarily higher).",
        "5.3",
        "Records do not tell of the surroundings of a start.",
    ),
)
