"""Bulitko: Per-Map Algorithm Selection in Real-Time Heuristic Search, AIIDE 2016.

All problems of four MovingAI sets. Diagonal moves are always legal, since only this rule gives the published number of
problems. `practical` goes beyond the paper: it implements what Section 7 proposes.
"""

from permove.papers.item import Item, Option, Paper
from permove.papers.per_map_selection_2016 import practical, selecting, space, whole_set

SEED = Option("seed", 0, 0, 2**53, "seed of all random draws")
TRIALS = Option("trials", 100, 2, 100_000, "number of random splits into old and new maps or problems")
MATRIX = (
    Option("algorithms", 500, 15, 100_000, "number of random algorithms; the paper used 1500"),
    Option("problems", 4500, 3, 500_000, "number of problems, as in the paper"),
)
SELECTION = (*MATRIX, TRIALS, SEED)

MAP_ITEMS = (selecting.measure_per_map, selecting.MAP_CLAIMS)
PROBLEM_ITEMS = (selecting.measure_per_problem, selecting.PROBLEM_CLAIMS)

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
            (
                Option("algorithms", 200, 2, 100_000, "number of random algorithms; the paper used 55,700"),
                Option("problems", 5000, 2, 493_298, "number of problems in each sample"),
                Option("batch", 100, 1, 100_000, "number of algorithms that share a sample"),
                SEED,
            ),
            claims=space.CLAIMS,
            setup="permove ran {algorithms}.",
        ),
        *(
            Item(name, about, measure, show, SELECTION, claims=own)
            for name, about, show, (measure, own) in (
                ("table-1", "algorithm selection per map", selecting.show_table_1, MAP_ITEMS),
                ("table-2", "algorithm selection per problem", selecting.show_table_2, PROBLEM_ITEMS),
                ("figure-3", "selection per map by available test data", selecting.show_figure, MAP_ITEMS),
                ("figure-4", "selection per problem by available test data", selecting.show_figure, PROBLEM_ITEMS),
            )
        ),
        Item(
            "practical",
            "a choice per problem without running any algorithm, on unseen maps",
            practical.measure,
            practical.show,
            (*MATRIX, Option("trials", 20, 2, 1000, "number of random splits into old and new maps"), SEED),
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
