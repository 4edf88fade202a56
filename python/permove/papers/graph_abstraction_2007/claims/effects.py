"""Section 5.2: what a higher level of abstraction does to each measure, for the three settings of Figure 14."""

import math

import numpy as np
import polars as pl

from permove.analysis.statistics import Values, correlation
from permove.papers.checks import above, falling, falls, rises
from permove.papers.claim import Claim, Finding, Unchecked
from permove.papers.graph_abstraction_2007.algorithms import LEVELS, QUOTAS, SETTINGS, WEIGHTS, Algorithm, lrts
from permove.papers.graph_abstraction_2007.claims.claim import (
    BEYOND_CHANCE,
    NO_STEP_BACK,
    all_fall,
    all_fall_throughout,
    all_rise_throughout,
    excepted,
    means,
)
from permove.papers.graph_abstraction_2007.claims.tradeoffs import DOUBLED
from permove.papers.graph_abstraction_2007.figures import SINGLE, typical
from permove.papers.graph_abstraction_2007.printed import CORRELATED
from permove.papers.graph_abstraction_2007.study import (
    LAG,
    MEMORY,
    PLANNING,
    SUBOPTIMALITY,
    TRAVEL,
    Measure,
    Study,
)
from permove.papers.graph_abstraction_2007.words import figures, setting

TIGHTLY = 0.9
"""The least correlation that is a tight one."""

TREND = f"For each of the three settings, a line through the means of levels 0 to 4 {{}}, {BEYOND_CHANCE}."
STEADY = f"{TREND[:-1]}, {NO_STEP_BACK}."


def _levels(study: Study, measure: Measure) -> dict[str, list[Values]]:
    return {setting(*chosen): study.over_levels(measure, *chosen) for chosen in SETTINGS}


def _planning(study: Study) -> Finding:
    return all_fall(_levels(study, PLANNING), LEVELS)


def _lag(study: Study) -> Finding:
    return all_rise_throughout(_levels(study, LAG), LEVELS)


def _memory(study: Study) -> Finding:
    return all_fall_throughout(_levels(study, MEMORY), LEVELS)


def _suboptimality(study: Study) -> Finding:
    return all_rise_throughout(_levels(study, SUBOPTIMALITY), LEVELS)


def _travel(study: Study) -> Finding:
    return all_fall_throughout(_levels(study, TRAVEL), LEVELS)


def _overcompensated(study: Study) -> Finding:
    """Moves are not all equally long: planning per unit of travel stands for planning per move."""
    wrong, told = [], []
    for chosen in SETTINGS:
        planning, travel = (study.over_levels(measure, *chosen) for measure in (PLANNING, TRAVEL))
        per_move = [one / other for one, other in zip(planning, travel, strict=True)]
        told.append(f"{setting(*chosen)}: {means(per_move)}")
        less_travel = falls(travel, LEVELS) and falling(travel)
        if not (rises(per_move, LEVELS) and less_travel and falls(planning, LEVELS)):
            wrong.append(setting(*chosen))
    return not wrong, f"Planning per unit of travel: {'; '.join(told)}.{excepted(wrong)}"


def memory_and_travel(study: Study) -> float:
    """How convergence memory and convergence travel go together, problem by problem."""
    return correlation(study.values(MEMORY, CORRELATED), study.values(TRAVEL, CORRELATED))


def _correlation(study: Study) -> Finding:
    found = memory_and_travel(study)
    return found >= TIGHTLY, f"{CORRELATED.name}: {found:.4f} over {study.problems:,} problems."


def _gains(study: Study, measure: Measure) -> dict[int, Values]:
    """By how much level 4 is above level 0, by depth."""
    return {
        depth: series[-1] - series[0]
        for (depth, *_), series in zip(SETTINGS, _levels(study, measure).values(), strict=True)
    }


def _faster(study: Study) -> Finding:
    rise = _gains(study, SUBOPTIMALITY)
    return above(rise[1], rise[3]) and above(rise[3], rise[9]), (
        f"From level 0 to 4, for d = 1, 3, 9: {figures(float(values.mean()) for values in rise.values())} points."
    )


def _weight(study: Study) -> Finding:
    series = {
        f"level {level}": study.over(SUBOPTIMALITY, [lrts((level,), weights=(weight,)) for weight in WEIGHTS])
        for level in LEVELS
    }
    return all_fall(series, WEIGHTS)


def _noticeable(study: Study) -> Finding:
    drop = {depth: -values for depth, values in _gains(study, TRAVEL).items()}
    return above(drop[1], drop[9]) and above(drop[3], drop[9]), (
        f"From level 0 to 4, for d = 1, 3, 9: less by {figures(float(values.mean()) for values in drop.values())}."
    )


def _low(study: Study) -> Finding:
    wrong = [
        deep.name
        for weight in WEIGHTS
        for quota in QUOTAS
        for deep in [Algorithm(0, 9, weight, quota)]
        if not all(
            above(study.values(TRAVEL, Algorithm(0, depth, weight, quota)), study.values(TRAVEL, deep))
            for depth in (1, 3)
        )
    ]
    means_of = [study.mean(TRAVEL, *lrts((0,), (depth,))) for depth in (1, 3, 9)]
    return not wrong, f"Means over all γ and T, for d = 1, 3, 9: {figures(means_of)}.{excepted(wrong)}"


def _non_monotonic(study: Study) -> Finding:
    ground = SINGLE[1]
    trials = study.trials(ground).sort("set", "map", "problem", "trial")
    longer = pl.col("travel") > pl.col("travel").shift(1).over("set", "map", "problem") + 1e-6
    back = trials.with_columns(longer=longer.fill_null(False)).group_by("map", "problem").agg(pl.col("longer").any())
    share = int(back["longer"].sum()) / back.height
    return share > 0.5, f"{ground.name}: on {share:.0%} of the problems."


def _abstract_lower(study: Study) -> dict[tuple[str, int], bool]:
    """For each problem, whether both abstract algorithms find solutions as short after as little travel, throughout."""
    trials = study.trials(*SINGLE[1:]).sort("set", "map", "problem", "trial")
    curves = trials.group_by("map", "problem", "algorithm", maintain_order=True).agg(
        cumulative=pl.col("travel").cum_sum(), shortest=pl.col("travel").cum_min()
    )
    lower = {}
    for place, part in curves.partition_by("map", "problem", as_dict=True).items():
        rows = {row["algorithm"]: row for row in part.iter_rows(named=True)}
        ground = rows[SINGLE[1].name]
        lower[place[0], place[1]] = all(_below(rows[each.name], ground) for each in SINGLE[2:])
    return lower


def _below(one: dict[str, list[float]], other: dict[str, list[float]]) -> bool:
    """Whether a curve is nowhere above another one, which starts when its first solution is found."""
    at = np.searchsorted(one["cumulative"], np.asarray(other["cumulative"]) + 1e-6, side="right") - 1
    shortest = np.where(at >= 0, np.asarray(one["shortest"])[np.maximum(at, 0)], math.inf)
    return bool((shortest <= np.asarray(other["shortest"]) + 1e-6).all())


def _preferred(study: Study) -> Finding:
    lower = _abstract_lower(study)
    place, problem = typical(study)
    so, count = lower[place, problem], sum(lower.values())
    return so and count < len(lower), (
        f"On problem {problem} of {place}, the curves of {SINGLE[2].name} and {SINGLE[3].name} are "
        f"{'nowhere' if so else 'somewhere'} above that of {SINGLE[1].name}; they are "
        f"nowhere above it on {count / len(lower):.0%} of the problems."
    )


FIGURE_14 = ("table-3", "figure-14")

CLAIMS = (
    Claim("Convergence planning decreases with abstraction level.", "5.2", TREND.format("falls"), _planning, FIGURE_14),
    Claim(
        "This is because the increase of planning per move at higher abstraction levels is overcompensated for by the "
        "decrease in convergence travel.",
        "5.2",
        "For each of the three settings, along levels 0 to 4 planning per unit of travel rises, while planning and "
        f"travel fall, {BEYOND_CHANCE}, {NO_STEP_BACK} in travel.",
        _overcompensated,
        FIGURE_14,
    ),
    Claim("First-move lag increases with the abstraction level.", "5.2", STEADY.format("rises"), _lag, FIGURE_14),
    Unchecked(
        "First, the average out-degree of abstract states varies with abstraction level.",
        "5.2",
        "Records do not tell of the hierarchy.",
    ),
    Unchecked(
        "Second, boundaries of abstract graphs can often be seen with lookahead of d = 9 at higher abstraction level.",
        "5.2",
        "Records do not tell what a lookahead has seen.",
    ),
    Claim(
        "Convergence memory decreases with abstraction level as the learning algorithm (LRTS) operates on smaller "
        "abstract maps and incurs smaller travel cost.",
        "5.2",
        STEADY.format("falls"),
        _memory,
        FIGURE_14,
    ),
    Claim(
        "In practice, the amount of learning in LRTS tends to correlate tightly with its travel. For instance, for "
        "LRTS2(3, 0.8, ∞) the correlation between convergence memory and convergence travel is empirically measured "
        "at 0.9544 with the confidence of 99%.",
        "5.2",
        f"The correlation over the problems is at least {TIGHTLY}.",
        _correlation,
    ),
    Claim("Suboptimality increases with abstraction.", "5.2", STEADY.format("rises"), _suboptimality, FIGURE_14),
    Claim(
        "A second mechanism explains why suboptimality rises faster with shallower LRTS searches.",
        "5.2",
        "Of the three settings, the rise from level 0 to level 4 is largest for d = 1 and least for d = 9, "
        f"{BEYOND_CHANCE}.",
        _faster,
        FIGURE_14,
    ),
    Claim(
        "Setting γ to lower values leads to higher suboptimality independently of abstraction (Bulitko & Lee, 2006).",
        "5.2",
        f"At every level, mean suboptimality over all d and T falls along γ, {BEYOND_CHANCE}.",
        _weight,
    ),
    Claim(
        "Convergence travel decreases with abstraction as the bottom level search is constrained within a narrow "
        "corridor induced by an abstract path.",
        "5.2",
        STEADY.format("falls"),
        _travel,
        FIGURE_14,
    ),
    Claim(
        "The decrease is most noticeable for shallow lookahead searches (d = 1 and d = 3).",
        "5.2",
        f"From level 0 to level 4, travel falls further for d = 1 and for d = 3 than for d = 9, {BEYOND_CHANCE}.",
        _noticeable,
        FIGURE_14,
    ),
    Claim(
        "Algorithms using lookahead of d = 9 have low convergence travel even without abstraction",
        "5.2",
        "At level 0, each of the eight configurations with d = 9 travels less than those with d = 1 and d = 3 that "
        f"have the same γ and T, {BEYOND_CHANCE}.",
        _low,
    ),
    DOUBLED,
    Unchecked(
        "Consequently, abstraction has diminished gains for deeper lookahead (d = 9), although this effect would "
        "disappear on larger maps.",
        "5.2",
        "The gains are those of the claim on shallow searches; there are no larger maps in the study.",
    ),
    Claim(
        "The left plot in the figure demonstrates a well-known fact that convergence of learning heuristic search "
        "algorithms is non-monotinic",
        "5.2",
        "On most problems, some trial of LRTS without abstraction is longer than the one before it.",
        _non_monotonic,
        ("figure-15",),
    ),
    Claim(
        "In other words, for this single problem, it is better to run abstract algorithms than non-abstract "
        "algorithms regardless of how early the convergence process is terminated. We observe that this is not the "
        "case for all problems and for all assignments of d, γ, T we tried.",
        "5.2",
        "On the problem that Figure 15 shows here, which is not known to be the paper's, the shortest solution so far "
        "of both abstract algorithms is after every amount of travel as short as that of LRTS without abstraction; on "
        "others it is not.",
        _preferred,
        ("figure-15",),
    ),
    Unchecked(
        "In certain cases, prematurely terminating convergence process of a non-abstract algorithm can indeed be "
        "beneficial.",
        "5.2",
        "These are the other problems of the claim before; the paper names none.",
    ),
)
