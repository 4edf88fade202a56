"""The claims of the text, in its order: quote, section, predicate, and the check that gives the result.

A claim is judged with every table and figure that it belongs to; the item `claims` judges all of them.
"""

from permove.papers.claim import Claim, Unchecked
from permove.papers.graph_abstraction_2007.claims import (
    effects,
    individual,
    interplay,
    parameters,
    scaling,
    tradeoffs,
)
from permove.papers.graph_abstraction_2007.study import Study

INTRODUCTION = (
    Unchecked(
        "As the second contribution, we demonstrate that PR LRTS outperforms a number of other algorithms with respect "
        "to two antagonistic measures (e.g., learning speed and amount of planning per action).",
        "1",
        "It sums up Section 5.1, whose claims are checked one by one.",
    ),
)
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

DISCUSSION = (
    Unchecked(
        "As a demonstration, Bulitko et al. (2005) tuned LRTS for ten maps from the computer game Baldur's Gate "
        "(BioWare Corp., 1998) and achieved a convergence speed that is two orders of magnitude faster than LRTA*, "
        "while finding paths within 3% of optimal.",
        "7.2",
        "It is about another paper's study.",
    ),
    Unchecked(
        "At the same time, LRTS was about five times faster on the first move than incremental A*.",
        "7.2",
        "It is about the same other study.",
    ),
    Unchecked(
        "In particular, the branching factor stays roughly constant at higher levels of abstraction.",
        "8",
        "Records do not tell of the hierarchy; its own tests do.",
    ),
    Unchecked(
        "On an empty map, for instance, the number of nodes at each level of abstraction will be reduced by a factor "
        "of four by the clique abstraction, but the branching factor of every state will stay the same. (Corner states "
        "will have 3 neighbors, edge states will have 5 neighbors, and middle states will have 8 neighbors.)",
        "8",
        "The study has no empty map; a test of the core builds the hierarchy of one.",
    ),
)

CLAIMS: tuple[Claim[Study] | Unchecked, ...] = (
    *INTRODUCTION,
    *parameters.CLAIMS,
    *SETUP,
    *tradeoffs.SINGLE_MEASURES,
    *tradeoffs.PAIRS,
    *individual.SIMILAR,
    *effects.CLAIMS,
    *scaling.CLAIMS,
    *tradeoffs.THEOREMS,
    *tradeoffs.FULL_SEARCH,
    *DISCUSSION,
    *tradeoffs.CONCLUSIONS,
    *tradeoffs.WORST_CASE,
    *tradeoffs.INDIVIDUAL,
    *individual.CLAIMS,
    *interplay.CLAIMS,
)
