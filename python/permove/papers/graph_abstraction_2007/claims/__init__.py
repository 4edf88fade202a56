"""The claims of the text, in its order: quote, section, predicate, and the check that gives the result.

A claim is judged with every table and figure that it belongs to; the item `claims` judges all of them.
"""

from permove.papers.graph_abstraction_2007.claims import (
    effects,
    individual,
    interplay,
    parameters,
    scaling,
    tradeoffs,
)
from permove.papers.graph_abstraction_2007.claims.claim import Claim, Unchecked

SETUP = (
    Unchecked(
        "Through experimentation, we found that keeping LRTS at the top, A* at the bottom level and leaving "
        "intermediate levels pass-through yielded the best results in our testbed.",
        "5",
        "The study has no other assignments of algorithms to levels.",
    ),
    Unchecked(
        "Experiments with the visibility radius of 1000 yielded similar results.",
        "5",
        "A run has one radius; `--radius 1000` judges all other claims with that one.",
    ),
    Unchecked(
        "run on a cluster, with an aggregate of 1.7 years of Intel Xeon 3.0GHz CPU",
        "5",
        "It is about their machines.",
    ),
)

CLAIMS: tuple[Claim | Unchecked, ...] = (
    *parameters.CLAIMS,
    *SETUP,
    *tradeoffs.SINGLE_MEASURES,
    *tradeoffs.PAIRS,
    *effects.CLAIMS,
    *scaling.CLAIMS,
    *tradeoffs.THEOREMS,
    *tradeoffs.CONCLUSIONS,
    *tradeoffs.WORST_CASE,
    *tradeoffs.INDIVIDUAL,
    *individual.CLAIMS,
    *interplay.CLAIMS,
)
