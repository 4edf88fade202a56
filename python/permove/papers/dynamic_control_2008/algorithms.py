"""The algorithms of the paper with their parameters."""

from collections.abc import Iterable

from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control.algorithms import DMAX, DT_G, F_G, Algorithm, Family, Number

FIXED = F_G.sweep(range(4, 21))
KOENIG = alg.K_LRTA.sweep((10, 20, 30, 40, 100, 250, 500, 1000))
KOENIG_CURRENT = alg.K_LRTA_CURRENT.sweep((10, 20, 30, 40, 100, 250, 500, 1000))

ORIGINAL = (
    *FIXED,
    *DT_G.sweep(DMAX),
    *alg.ORACLE_G.sweep(DMAX),
    *alg.PDB_G.sweep(range(6), (10, 20, 30, 40, 50, 1000)),
    *KOENIG,
    *KOENIG_CURRENT,
    *alg.P_LRTA.sweep((10, 20, 30, 40, 100, 250, 500, 1000)),
)
"""Section 7.1 on maps of the original size."""

LEVELS = tuple(range(3, 8))
CAPS = (20, 30, 40, 50, 80, 3000)
REFINED_CAPS = (5, 10, 15, 20, 1000)
DEPTHS = (*range(1, 11), *range(12, 31, 2))
REFINED_DEPTHS = (1, 3, 5, 10, 15)
WEIGHTS = (0.2, 0.4, 0.6, 1.0)
PAIRS = ((1, 3), (2, 4), (3, 5), (4, 6), (5, 7), (1, 4), (2, 6), (3, 7), (4, 8), (5, 9))
"""The levels ℓ and ℓ₂ of Table 2."""


def over_pairs(family: Family, values: Iterable[Number]) -> tuple[Algorithm, ...]:
    """Return algorithms with two levels of abstraction."""
    return tuple(family(value, *pair) for value in values for pair in PAIRS)


GLOBAL = (*FIXED, *DT_G.sweep(DMAX), *KOENIG, *KOENIG_CURRENT, *alg.P_LRTA.sweep((10, 20, 30, 40, 100, 250)))
"""Section 7.1 on upscaled maps, without the database of depths."""

GLOBAL_DEPTHS = alg.PDB_G.sweep(LEVELS, CAPS)
FIXED_SUBGOALS = alg.F_PDB.sweep(DEPTHS, LEVELS)
SUBGOALS = alg.PDB_PDB.sweep(LEVELS, CAPS)
REFINED_FIXED = alg.PR_F_G.sweep(LEVELS, REFINED_DEPTHS, WEIGHTS)
REFINED = (
    *REFINED_FIXED,
    *alg.PR_PDB_G.sweep(REFINED_CAPS, (1.0,), LEVELS),
    *over_pairs(alg.PR_PDB_G_2, REFINED_CAPS),
    *over_pairs(alg.PR_F_PDB, REFINED_DEPTHS),
    *over_pairs(alg.PR_PDB_PDB, REFINED_CAPS),
)
GLOBAL_GOAL = (F_G, DT_G, alg.ORACLE_G, alg.PDB_G, alg.K_LRTA, alg.K_LRTA_CURRENT, alg.P_LRTA)
REFINING = (alg.PR_F_G, alg.PR_PDB_G, alg.PR_PDB_G_2, alg.PR_F_PDB, alg.PR_PDB_PDB)
"""Families with global goals, and families that refine abstract paths."""

NOT_REAL_TIME = (alg.ASTAR, alg.WEIGHTED, alg.WEIGHTED_REOPENING, alg.PRA)
INTERMEDIATE = (*FIXED_SUBGOALS, *SUBGOALS, *REFINED)
"""Section 7.2."""
