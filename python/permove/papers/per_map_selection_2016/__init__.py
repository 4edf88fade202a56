"""Bulitko: Per-Map Algorithm Selection in Real-Time Heuristic Search, AIIDE 2016.

All problems of four MovingAI sets. Diagonal moves are always legal, since only this rule gives the published number of
problems. `practical` goes beyond the paper: it implements what Section 7 proposes.
"""

from permove.papers.item import Item, Option, Paper
from permove.papers.per_map_selection_2016 import practical, selecting, space, whole_set

SEED = Option("seed", 0, 0, 2**53, "seed of all random draws")
PAPER = Paper(
    "per-map-selection-2016",
    "Bulitko: Per-Map Algorithm Selection in Real-Time Heuristic Search, AIIDE 2016",
    (
        Item(
            "whole-set",
            "four algorithms on all 493,298 problems",
            whole_set.measure,
            whole_set.show,
            (Option("literal", 20_000, 2, 493_298, "number of problems for the literal Algorithm 1"), SEED),
            claims=whole_set.CLAIMS,
            published="The paper gives the mean suboptimality of four algorithms on all problems of four MovingAI "
            "sets.",
            setup="permove ran the same algorithms on all problems ({problems}).",
        ),
        Item(
            "figure-2",
            "a random sample of the space of algorithms",
            space.measure,
            space.show,
            (*space.OPTIONS, SEED),
            claims=space.CLAIMS,
            setup="permove ran {algorithms} instead of 55,700.",
        ),
        *selecting.items(SEED),
        Item(
            "practical",
            "a choice per problem without running any algorithm, on unseen maps",
            practical.measure,
            practical.show,
            (*selecting.MATRIX, practical.TRIALS, SEED),
            claims=practical.CLAIMS,
            published="The paper asks for a selection per problem that runs no algorithm beforehand, but does not "
            "give one.",
            setup="permove trained a forest on features of maps and problems, with {matrix}.",
        ),
    ),
    setup="permove selected from {matrix}; the paper used 1,500 algorithms.",
    reproduced="The means of four algorithms on all 493,298 problems within 2%, the distribution of random "
    "algorithms, and the gains of selection per map and per problem.",
    differences="The matrix has 500 random algorithms instead of 1,500, so that its rows compare equal numbers of "
    "algorithms. Matrix factorization outperforms the prior choice here, contrary to the paper. A practical selection "
    "from features, which the paper only proposes, gains little: most of the published gain comes from choosing "
    "single runs by their own outcome.",
)
