"""Appendix F: how lookahead and weight change what abstraction does, without backtracking."""

import math
from functools import partial

import numpy as np

from permove.analysis.statistics import Values, correlation
from permove.papers.checks import above, falls, rises, rising
from permove.papers.claim import Claim, Finding, Unchecked, both
from permove.papers.graph_abstraction_2007.algorithms import DEPTHS, WEIGHTS, Algorithm, lrts
from permove.papers.graph_abstraction_2007.claims.claim import (
    BEYOND_CHANCE,
    NO_STEP_BACK,
    VIRTUALLY,
    all_fall,
    all_fall_throughout,
    all_rise,
    all_rise_throughout,
    excepted,
    means,
    spread,
)
from permove.papers.graph_abstraction_2007.claims.effects import TIGHTLY
from permove.papers.graph_abstraction_2007.impact import along_depth, along_weight, impact
from permove.papers.graph_abstraction_2007.study import LAG, MEMORY, PLANNING, SUBOPTIMALITY, TRAVEL, Measure, Study
from permove.papers.graph_abstraction_2007.words import figures

QUOTA = (math.inf,)

SHOWN = (0, 2, 4)
"""The levels of Figures 32 to 36."""

SMALL = 0.25
"""A small difference is less than this part of the one it is compared with."""


def _by_level(study: Study, measure: Measure) -> list[Values]:
    return study.over(measure, [lrts((level,), quotas=QUOTA) for level in SHOWN])


def _over_depths(study: Study, measure: Measure, levels: tuple[int, ...] = SHOWN) -> list[Values]:
    return study.over(measure, [lrts(levels, (depth,), quotas=QUOTA) for depth in DEPTHS])


def _over_weights(study: Study, measure: Measure, levels: tuple[int, ...] = SHOWN) -> list[Values]:
    return study.over(measure, [lrts(levels, weights=(weight,), quotas=QUOTA) for weight in WEIGHTS])


def _level_falls(study: Study, measure: Measure) -> Finding:
    fall = all_fall if measure == PLANNING else all_fall_throughout
    return fall({f"{measure.name} at levels 0, 2, 4": _by_level(study, measure)}, SHOWN)


def _level_rises(study: Study, measure: Measure) -> Finding:
    return all_rise_throughout({f"{measure.name} at levels 0, 2, 4": _by_level(study, measure)}, SHOWN)


def _depth_falls(study: Study, measure: Measure) -> Finding:
    return all_fall({f"{measure.name}, d = 1, 3, 5, 9": _over_depths(study, measure)}, DEPTHS)


def _weight_rises(study: Study, measure: Measure) -> Finding:
    return all_rise({f"{measure.name}, γ = 0.2, 0.4, 0.8, 1.0": _over_weights(study, measure)}, WEIGHTS)


def _impact(study: Study, measure: Measure, *, of_depth: bool, amplified: bool) -> Finding:
    """Whether the impact of two levels of abstraction changes with a parameter as Table 6 has it."""
    places = DEPTHS if of_depth else WEIGHTS
    series = (along_depth if of_depth else along_weight)(study, measure, 0, 2)
    along = "d = 1, 3, 5, 9" if of_depth else "γ = 0.2, 0.4, 0.8, 1.0"
    so = (rises if amplified else falls)(series, places)
    return so, f"Between levels 0 and 2, {measure.name} differs along {along} by {means(series)}."


def _more_to_gain(study: Study) -> Finding:
    gains = {level: along_weight(study, TRAVEL, 0, level) for level in SHOWN[1:]}
    told = "; ".join(f"level {level}: {means(series)}" for level, series in gains.items())
    so = {level: rises(series, WEIGHTS) and rising(series) for level, series in gains.items()}
    return all(so.values()), (
        f"Less travel than at level 0, along γ = 0.2, 0.4, 0.8, 1.0: {told}."
        f"{excepted(f'level {level}' for level, holds in so.items() if not holds)}"
    )


def _small_gap(study: Study) -> Finding:
    wide, narrow = along_depth(study, TRAVEL, 0, 2), along_depth(study, TRAVEL, 2, 4)
    so = narrow[-1].mean() < SMALL * narrow[0].mean() and above(wide[-1], np.zeros_like(wide[-1]))
    return bool(so), (
        f"Along d = 1, 3, 5, 9, levels 0 and 2 differ by {means(wide)}, levels 2 and 4 by {means(narrow)}."
    )


def _both_increase_lag(study: Study) -> Finding:
    return both(_level_rises(study, LAG), all_rise({"lag, d = 1, 3, 5, 9": _over_depths(study, LAG)}, DEPTHS))


def _diminishing(study: Study) -> Finding:
    lags = [float(values.mean()) for values in _over_depths(study, LAG, (4,))]
    steps = [
        (late - soon) / (wide - narrow)
        for soon, late, narrow, wide in zip(lags, lags[1:], DEPTHS, DEPTHS[1:], strict=False)
    ]
    return bool(steps[-1] < steps[0]), (
        f"Lags at level 4 along d = 1, 3, 5, 9: {figures(lags)}; a further move of lookahead adds {figures(steps)}."
    )


def _inconsequential(study: Study) -> Finding:
    lags = [float(values.mean()) for values in _over_weights(study, LAG)]
    impacts = [float(values.mean()) for values in along_weight(study, LAG, 0, 2)]
    return spread(lags) <= VIRTUALLY and spread(impacts) <= VIRTUALLY, (
        f"Along γ = 0.2, 0.4, 0.8, 1.0, lags: {figures(lags)}; levels 0 and 2 differ by {figures(impacts)}."
    )


def _per_travel(study: Study, levels: tuple[int, ...], depths: tuple[int, ...], weights: tuple[float, ...]) -> Values:
    """Planning per unit of travel, over some configurations."""
    some = lrts(levels, depths, weights, QUOTA)
    return study.values(PLANNING, *some) / study.values(TRAVEL, *some)


def _two_trends(study: Study) -> Finding:
    series = [_per_travel(study, SHOWN, (depth,), WEIGHTS) for depth in DEPTHS]
    return both(
        all_rise({"planning per unit of travel, d = 1, 3, 5, 9": series}, DEPTHS),
        _depth_falls(study, TRAVEL),
        _depth_falls(study, PLANNING),
    )


def _not_substantially(study: Study) -> Finding:
    ratios = [
        float(_per_travel(study, (4,), DEPTHS, (weight,)).mean() / _per_travel(study, (0,), DEPTHS, (weight,)).mean())
        for weight in WEIGHTS
    ]
    return max(ratios) <= 2 * min(ratios), (
        f"Planning per unit of travel at level 4 over that at level 0, along γ = 0.2, 0.4, 0.8, 1.0: {figures(ratios)}."
    )


def _similar(study: Study) -> Finding:
    found = []
    for low, high in ((0, 2), (2, 4)):
        travel, memory = (
            [impact(study, measure, low, high, depth, weight).mean() for depth in DEPTHS for weight in WEIGHTS]
            for measure in (TRAVEL, MEMORY)
        )
        found.append(correlation(np.array(travel), np.array(memory)))
    return min(found) >= TIGHTLY, (
        f"Over d and γ, the differences in travel and in memory have a correlation of {found[0]:.3f} between levels 0 "
        f"and 2, and of {found[1]:.3f} between levels 2 and 4."
    )


def _plain(study: Study) -> Finding:
    wrong, told = [], []
    for weight in WEIGHTS[:-1]:
        values = [study.mean(SUBOPTIMALITY, Algorithm(0, depth, weight, math.inf)) for depth in DEPTHS]
        told.append(f"γ = {weight}: {figures(values)}")
        wrong += [f"γ = {weight}"] if spread(values) > VIRTUALLY else []
    return not wrong, f"Along d = 1, 3, 5, 9, {'; '.join(told)}.{excepted(wrong)}"


def _less_difference(study: Study) -> Finding:
    gaps = {}
    for level in SHOWN:
        series = _over_weights(study, SUBOPTIMALITY, (level,))
        gaps[level] = series[0] - series[-1]
    return above(gaps[0], gaps[2]) and above(gaps[0], gaps[4]), (
        f"Suboptimality with γ = 0.2 minus that with γ = 1.0, at levels 0, 2, 4: {means(list(gaps.values()))} points."
    )


def _weight_falls(study: Study) -> Finding:
    return all_fall(
        {"suboptimality at level 0, γ = 0.2, 0.4, 0.8, 1.0": _over_weights(study, SUBOPTIMALITY, (0,))}, WEIGHTS
    )


FALLS = f"With T = ∞, a line through the means at levels 0, 2 and 4 falls, {BEYOND_CHANCE}."
STEADILY_FALLS = f"{FALLS[:-1]}, {NO_STEP_BACK}."
STEADILY_RISES = STEADILY_FALLS.replace("falls", "rises")
IMPACT = f"With T = ∞, the difference between levels 0 and 2 {{}} along {{}}, {BEYOND_CHANCE}."


def _table_6(number: int) -> tuple[str, str]:
    return "table-6", f"figure-{number}"


CLAIMS = (
    Claim(
        "increasing the abstraction level generally decreases convergence travel as LRTS learns on smaller abstract "
        "maps.",
        "F",
        STEADILY_FALLS,
        partial(_level_falls, measure=TRAVEL),
        _table_6(32),
    ),
    Claim(
        "Independently, increasing the lookahead depth in LRTS has a similar effect (Bulitko & Lee, 2006).",
        "F",
        f"With T = ∞, mean travel over levels 0, 2 and 4 falls along d, {BEYOND_CHANCE}.",
        partial(_depth_falls, measure=TRAVEL),
        _table_6(32),
    ),
    Claim(
        "This effect can be seen in Figure 32 where there is a noticeable gap in convergence travel between "
        "abstractions levels 0 and 2. But with a lookahead of 9, there is only a small difference between using "
        "abstraction levels 2 and 4.",
        "F",
        "With T = ∞ and d = 9, level 2 travels less than level 0, and the difference between levels 2 and 4 is less "
        f"than {SMALL:.0%} of what it is with d = 1.",
        _small_gap,
        _table_6(32),
    ),
    Claim(
        "Thus, increasing the lookahead slightly diminishes the effect of abstraction (hence the d in the table).",
        "F",
        IMPACT.format("falls", "d"),
        partial(_impact, measure=TRAVEL, of_depth=True, amplified=False),
        _table_6(32),
    ),
    Claim(
        "Increasing γ increases the convergence travel.",
        "F",
        f"With T = ∞, mean travel over levels 0, 2 and 4 rises along γ, {BEYOND_CHANCE}.",
        partial(_weight_rises, measure=TRAVEL),
        _table_6(32),
    ),
    Claim(
        "The higher the value of γ, the more there is to be gained from using abstraction.",
        "F",
        "With T = ∞, lines through the differences in travel between levels 0 and 2, and between levels 0 and 4, rise "
        f"along γ, {BEYOND_CHANCE}, {NO_STEP_BACK}.",
        _more_to_gain,
        _table_6(32),
    ),
    Claim(
        "An increase in γ amplifies the advantage of abstraction.",
        "F",
        IMPACT.format("rises", "γ"),
        partial(_impact, measure=TRAVEL, of_depth=False, amplified=True),
        _table_6(32),
    ),
    Claim(
        "First-move lag generally increases with both the abstraction level and with lookahead depth.",
        "F",
        f"{STEADILY_RISES} Along d a line through the means rises as well.",
        _both_increase_lag,
        _table_6(33),
    ),
    Claim(
        "Thus, increasing d amplifies the first-move lag due to abstraction, because PR LRTS must plan once within the "
        "lookahead space (within LRTS) and once inside the corridor (within A*) (Figure 33).",
        "F",
        IMPACT.format("rises", "d"),
        partial(_impact, measure=LAG, of_depth=True, amplified=True),
        _table_6(33),
    ),
    Unchecked(
        "The increase is a linear function of lookahead depth d.",
        "F",
        "It belongs to an analysis of maps without obstacles; the study has none.",
    ),
    Claim(
        "This explains why at abstraction level 4 deepening lookahead has diminishing returns as seen in Figure 33.",
        "F",
        "With T = ∞ at level 4, a further move of lookahead adds less to the mean lag from d = 5 to 9 than from 1 to "
        "3.",
        _diminishing,
        _table_6(33),
    ),
    Unchecked(
        "Optimality weight does not affect the number of states touched by LRTS at the abstract level.",
        "F",
        "Records count the states touched at all levels together; the next claim is about that count.",
    ),
    Claim(
        "Overall, however, the effect of γ on the first-move lag and the impact of abstraction is inconsequential "
        "(Figure 33).",
        "F",
        f"With T = ∞, along γ both the mean lag and the difference between levels 0 and 2 stay within {VIRTUALLY:.0%}.",
        _inconsequential,
        _table_6(33),
    ),
    Claim(
        "As the abstraction level increases, convergence planning generally decreases.",
        "F",
        FALLS,
        partial(_level_falls, measure=PLANNING),
        _table_6(34),
    ),
    Claim(
        "The effect of d is more complex, because deeper lookahead increases the cost of each individual planning "
        "step, but overall decreases planning costs as convergence is faster.",
        "F",
        f"With T = ∞, along d planning per unit of travel rises, and travel and planning fall, {BEYOND_CHANCE}.",
        _two_trends,
        _table_6(34),
    ),
    Claim(
        "The interplay of these two trends moderates the overall influence as seen in Figure 34.",
        "F",
        f"{IMPACT.format('rises', 'd')} That is the a in Table 6.",
        partial(_impact, measure=PLANNING, of_depth=True, amplified=True),
        _table_6(34),
    ),
    Claim(
        "In general, lower values of γ reduce the convergence planning cost.",
        "F",
        f"With T = ∞, mean planning over levels 0, 2 and 4 rises along γ, {BEYOND_CHANCE}.",
        partial(_weight_rises, measure=PLANNING),
        _table_6(34),
    ),
    Claim(
        "At the same time, it does not substantially affect increase in planning per move as the abstraction goes up.",
        "F",
        "With T = ∞, from level 0 to level 4 planning per unit of travel is multiplied by factors that differ less "
        "than twofold along γ.",
        _not_substantially,
        _table_6(34),
    ),
    Claim(
        "Combining these two influences, we conclude that optimality weight will amplify effects of abstraction on "
        "convergence planning. This is confirmed empirically in Figure 34.",
        "F",
        IMPACT.format("rises", "γ"),
        partial(_impact, measure=PLANNING, of_depth=False, amplified=True),
        _table_6(34),
    ),
    Claim(
        "Abstraction decreases the amount of memory used at convergence because there are fewer states over which to "
        "learn.",
        "F",
        STEADILY_FALLS,
        partial(_level_falls, measure=MEMORY),
        _table_6(35),
    ),
    Claim(
        "The effects of d and γ are the same as for convergence travel described above.",
        "F",
        f"{IMPACT.format('falls', 'd')} That is the D in Table 6.",
        partial(_impact, measure=MEMORY, of_depth=True, amplified=False),
        _table_6(35),
    ),
    Claim(
        "The effects of d and γ are the same as for convergence travel described above.",
        "F",
        f"{IMPACT.format('rises', 'γ')} That is the A in Table 6.",
        partial(_impact, measure=MEMORY, of_depth=False, amplified=True),
        _table_6(35),
    ),
    Claim(
        "Visually Figures 32 and 35 display very similar trends.",
        "F",
        "Over the 16 pairs of d and γ, the differences between levels in travel and in memory have a correlation of "
        f"at least {TIGHTLY}.",
        _similar,
        _table_6(35),
    ),
    Claim(
        "Increasing the abstraction level increases suboptimality.",
        "F",
        STEADILY_RISES,
        partial(_level_rises, measure=SUBOPTIMALITY),
        _table_6(36),
    ),
    Claim(
        "For plain LRTS, lookahead depth has no effect on suboptimality of the final solution.",
        "F",
        f"At level 0 with T = ∞, mean suboptimality along d stays within {VIRTUALLY:.0%} for each γ < 1.",
        _plain,
        _table_6(36),
    ),
    Claim(
        "However, when we combine deeper lookahead with abstraction the suboptimality arising from abstraction "
        "decreases.",
        "F",
        f"{IMPACT.format('falls', 'd')} That is the D in Table 6.",
        partial(_impact, measure=SUBOPTIMALITY, of_depth=True, amplified=False),
        _table_6(36),
    ),
    Unchecked(
        "With deeper lookahead the abstract goal state is seen earlier making PR LRTS a corridor-constrained A*.",
        "F",
        "Records do not tell what a lookahead has seen.",
    ),
    Claim(
        "Increasing γ decreases the amount of suboptimality when no abstraction is used.",
        "F",
        f"At level 0 with T = ∞, mean suboptimality falls along γ, {BEYOND_CHANCE}.",
        _weight_falls,
        _table_6(36),
    ),
    Claim(
        "When combined with abstraction increasing γ has a minor amplification effect on the difference abstraction "
        "makes (Figure 36) for two reasons.",
        "F",
        IMPACT.format("rises", "γ"),
        partial(_impact, measure=SUBOPTIMALITY, of_depth=False, amplified=True),
        _table_6(36),
    ),
    Claim(
        "First, at abstract levels the graphs are fairly small and γ makes less difference there.",
        "F",
        "With T = ∞, from γ = 1.0 down to 0.2 suboptimality rises by less at levels 2 and 4 than at level 0, "
        f"{BEYOND_CHANCE}.",
        _less_difference,
        _table_6(36),
    ),
)
