"""Section 5.2: what a higher level of abstraction does to each measure, for the three settings of Figure 14."""

import math

import numpy as np
import polars as pl

from permove.analysis.statistics import Values, correlation
from permove.papers.checks import above, falls, rises
from permove.papers.graph_abstraction_2007.algorithms import LEVELS, SETTINGS, WEIGHTS, lrts
from permove.papers.graph_abstraction_2007.claims.claim import (
    BEYOND_CHANCE,
    Claim,
    Finding,
    Unchecked,
    all_fall,
    all_rise,
    excepted,
    means,
)
from permove.papers.graph_abstraction_2007.claims.tradeoffs import DOUBLED
from permove.papers.graph_abstraction_2007.figures import SINGLE
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


def _levels(study: Study, measure: Measure) -> dict[str, list[Values]]:
    return {setting(*chosen): study.over_levels(measure, *chosen) for chosen in SETTINGS}


def _planning(study: Study) -> Finding:
    return all_fall(_levels(study, PLANNING), LEVELS)


def _lag(study: Study) -> Finding:
    return all_rise(_levels(study, LAG), LEVELS)


def _memory(study: Study) -> Finding:
    return all_fall(_levels(study, MEMORY), LEVELS)


def _suboptimality(study: Study) -> Finding:
    return all_rise(_levels(study, SUBOPTIMALITY), LEVELS)


def _travel(study: Study) -> Finding:
    return all_fall(_levels(study, TRAVEL), LEVELS)


def _overcompensated(study: Study) -> Finding:
    """Moves are not all equally long: planning per unit of travel stands for planning per move."""
    wrong, told = [], []
    for chosen in SETTINGS:
        planning, travel = (study.over_levels(measure, *chosen) for measure in (PLANNING, TRAVEL))
        per_move = [one / other for one, other in zip(planning, travel, strict=True)]
        told.append(f"{setting(*chosen)}: {means(per_move)}")
        if not (rises(per_move, LEVELS) and falls(travel, LEVELS) and falls(planning, LEVELS)):
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


def _non_monotonic(study: Study) -> Finding:
    ground = SINGLE[1]
    trials = study.trials(ground).sort("set", "map", "problem", "trial")
    longer = pl.col("travel") > pl.col("travel").shift(1).over("set", "map", "problem") + 1e-6
    back = trials.with_columns(longer=longer.fill_null(False)).group_by("map", "problem").agg(pl.col("longer").any())
    share = int(back["longer"].sum()) / back.height
    return share > 0.5, f"{ground.name}: on {share:.0%} of the problems."


def _abstract_lower(study: Study) -> list[bool]:
    """For each problem, whether both abstract algorithms find solutions as short after as little travel, throughout."""
    trials = study.trials(*SINGLE[1:]).sort("set", "map", "problem", "trial")
    curves = trials.group_by("map", "problem", "algorithm", maintain_order=True).agg(
        cumulative=pl.col("travel").cum_sum(), shortest=pl.col("travel").cum_min()
    )
    lower = []
    for part in curves.partition_by("map", "problem"):
        rows = {row["algorithm"]: row for row in part.iter_rows(named=True)}
        ground = rows[SINGLE[1].name]
        lower.append(all(_below(rows[each.name], ground) for each in SINGLE[2:]))
    return lower


def _below(one: dict[str, list[float]], other: dict[str, list[float]]) -> bool:
    """Whether a curve is nowhere above another one, which starts when its first solution is found."""
    at = np.searchsorted(one["cumulative"], np.asarray(other["cumulative"]) + 1e-6, side="right") - 1
    shortest = np.where(at >= 0, np.asarray(one["shortest"])[np.maximum(at, 0)], math.inf)
    return bool((shortest <= np.asarray(other["shortest"]) + 1e-6).all())


def _preferred(study: Study) -> Finding:
    lower = _abstract_lower(study)
    share = sum(lower) / len(lower)
    return 0 < share < 1, (
        f"The curves of {SINGLE[2].name} and {SINGLE[3].name} are nowhere above that of {SINGLE[1].name} on "
        f"{share:.0%} of the problems."
    )


FIGURE_14 = ("table-3", "figure-14")

CLAIMS = (
    Claim("Convergence planning decreases with abstraction level.", "5.2", TREND.format("falls"), _planning, FIGURE_14),
    Claim(
        "This is because the increase of planning per move at higher abstraction levels is overcompensated for by the "
        "decrease in convergence travel.",
        "5.2",
        "For each of the three settings, along levels 0 to 4 planning per unit of travel rises, while travel and "
        f"planning fall, {BEYOND_CHANCE}.",
        _overcompensated,
        FIGURE_14,
    ),
    Claim("First-move lag increases with the abstraction level.", "5.2", TREND.format("rises"), _lag, FIGURE_14),
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
        TREND.format("falls"),
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
    Claim("Suboptimality increases with abstraction.", "5.2", TREND.format("rises"), _suboptimality, FIGURE_14),
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
        TREND.format("falls"),
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
        "There are problems on which the shortest solution so far of both abstract algorithms is after every amount "
        "of travel as short as that of the non-abstract one, and there are others.",
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
