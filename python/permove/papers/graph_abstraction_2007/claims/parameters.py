"""Section 2.2: what the parameters do to LRTS without abstraction."""

from collections.abc import Sequence
from functools import partial

from permove.analysis.statistics import Values
from permove.papers.claim import Claim, Finding, both
from permove.papers.graph_abstraction_2007.algorithms import DEPTHS, QUOTAS, WEIGHTS, Algorithm, lrts
from permove.papers.graph_abstraction_2007.claims.claim import BEYOND_CHANCE, all_fall, all_rise, excepted
from permove.papers.graph_abstraction_2007.study import LAG, MEMORY, SUBOPTIMALITY, TRAVEL, Measure, Study
from permove.papers.graph_abstraction_2007.words import figures

SAME_LAG = 0.01
"""First-move lags that differ by no more than this part are the same."""


def _over_depths(study: Study, measure: Measure) -> list[Values]:
    return study.over(measure, [lrts((0,), (depth,)) for depth in DEPTHS])


def _over_weights(study: Study, measure: Measure) -> list[Values]:
    return study.over(measure, [lrts((0,), weights=(weight,)) for weight in WEIGHTS])


def _depth(study: Study) -> Finding:
    return all_fall({measure.name: _over_depths(study, measure) for measure in (TRAVEL, MEMORY, SUBOPTIMALITY)}, DEPTHS)


def _depth_lag(study: Study) -> Finding:
    return all_rise({LAG.name: _over_depths(study, LAG)}, DEPTHS)


def _weight(study: Study) -> Finding:
    return both(
        all_fall({SUBOPTIMALITY.name: _over_weights(study, SUBOPTIMALITY)}, WEIGHTS),
        all_rise({measure.name: _over_weights(study, measure) for measure in (TRAVEL, MEMORY)}, WEIGHTS),
    )


def _same_lag(study: Study, groups: Sequence[tuple[str, Sequence[Algorithm]]]) -> Finding:
    lags = {name: [study.mean(LAG, each) for each in group] for name, group in groups}
    wrong = [name for name, values in lags.items() if max(values) > (1 + SAME_LAG) * min(values)]
    told = "; ".join(f"{name}: {figures(sorted(set(values)))}" for name, values in lags.items())
    return not wrong, f"Mean lags: {told}.{excepted(wrong)}"


def _weight_lag(study: Study) -> Finding:
    return _same_lag(study, [(f"d = {depth}", lrts((0,), (depth,), quotas=QUOTAS[1:])) for depth in DEPTHS])


def _quota(study: Study, measure: Measure) -> Finding:
    less = [
        study.mean(measure, Algorithm(0, depth, weight, QUOTAS[0]))
        < study.mean(measure, Algorithm(0, depth, weight, QUOTAS[1]))
        for depth in DEPTHS
        for weight in WEIGHTS
    ]
    return 2 * sum(less) > len(less), f"{measure.name}: less with T = 100 for {sum(less)} of {len(less)}."


def _quota_lag(study: Study) -> Finding:
    return _same_lag(study, [(f"d = {depth}", lrts((0,), (depth,), (1.0,))) for depth in DEPTHS])


CLAIMS = (
    Claim(
        "Higher lookahead d reduces convergence travel, convergence memory, and suboptimality.",
        "2.2",
        f"At level 0, means over all γ and T fall along d, {BEYOND_CHANCE}.",
        _depth,
    ),
    Claim(
        "However, it increases the first-move lag.",
        "2.2",
        f"At level 0, the mean lag rises along d, {BEYOND_CHANCE}.",
        _depth_lag,
    ),
    Claim(
        "A lower heuristic weight γ leads to less optimal solutions and, generally speaking, reduces convergence "
        "travel and convergence memory.",
        "2.2",
        f"At level 0, along γ mean suboptimality falls, mean travel and memory rise, {BEYOND_CHANCE}.",
        _weight,
    ),
    Claim(
        "First-move lag is not influenced by γ.",
        "2.2",
        f"At level 0 with T = ∞, mean lags of the same d are within {SAME_LAG:.0%}.",
        _weight_lag,
    ),
    *(
        Claim(
            "A lower learning quota T causes more backtracking and tends to reduce convergence travel and convergence "
            "memory",
            "2.2",
            f"At level 0, mean {measure.name} is less with T = 100 than with T = ∞ for most of the 16 pairs of d and "
            "γ.",
            partial(_quota, measure=measure),
        )
        for measure in (TRAVEL, MEMORY)
    ),
    Claim(
        "T does not affect the first-move lag.",
        "2.2",
        f"At level 0 with γ = 1.0, mean lags of the same d are within {SAME_LAG:.0%}.",
        _quota_lag,
    ),
)
