"""Bulitko: Per-Map Algorithm Selection in Real-Time Heuristic Search, AIIDE 2016.

All problems of four MovingAI sets, where diagonal moves are always legal, since only that gives the paper's number of
problems. `practical` goes beyond the paper: what it asks for in Section 7.
"""

from permove.papers.item import Option, Paper, legacy_item
from permove.papers.per_map_selection_2016 import practical, selecting, space, whole_set

_SEED = Option("seed", 0, 0, 2**53, "the seed of what is drawn")
_TRIALS = Option("trials", 100, 2, 100_000, "how many random splits into old and new maps or problems")
_MATRIX = (
    Option("algorithms", 500, 15, 100_000, "how many random algorithms; the paper has 1500"),
    Option("problems", 4500, 3, 500_000, "how many problems, as the paper has"),
)

PAPER = Paper(
    "per-map-selection-2016",
    "Bulitko: Per-Map Algorithm Selection in Real-Time Heuristic Search, AIIDE 2016",
    (
        legacy_item(
            "whole-set",
            "four algorithms on all 493,298 problems",
            whole_set.reproduce,
            (Option("literal", 20_000, 2, 493_298, "on how many of them Algorithm 1 to the letter"), _SEED),
        ),
        legacy_item(
            "figure-2",
            "the space of algorithms, sampled at random",
            space.figure_2,
            (
                Option("algorithms", 200, 2, 100_000, "how many random algorithms; the paper has 55,700"),
                Option("problems", 5000, 2, 493_298, "how many problems each sample has"),
                Option("batch", 100, 1, 100_000, "how many algorithms share a sample"),
                _SEED,
            ),
        ),
        legacy_item("table-1", "algorithm selection per map", selecting.table_1, (*_MATRIX, _TRIALS, _SEED)),
        legacy_item("table-2", "algorithm selection per problem", selecting.table_2, (*_MATRIX, _TRIALS, _SEED)),
        legacy_item(
            "figure-3", "selection per map against test data present", selecting.figure_3, (*_MATRIX, _TRIALS, _SEED)
        ),
        legacy_item(
            "figure-4",
            "selection per problem against test data present",
            selecting.figure_4,
            (*_MATRIX, _TRIALS, _SEED),
        ),
        legacy_item(
            "practical",
            "a choice per problem without running anything, on maps never seen",
            practical.reproduce,
            (*_MATRIX, Option("trials", 20, 2, 1000, "how many random splits into old and new maps"), _SEED),
        ),
    ),
)
