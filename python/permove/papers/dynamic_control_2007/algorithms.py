"""The algorithms of the conference paper: three goal policies, centroids as intermediate goals, and classifiers."""

from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control.algorithms import DMAX, DT_G, F_G, ORACLE_G, PDB_G, WITH_CENTROIDS, Family

MIXED = Family("LRTA* (PDB, G+I)", ("ℓ", "c"), "lrta(d=pdb, goal=mixed, l={0}, c={1}, entry=centroid)")
"""An intermediate goal if the global goal requires too deep a search."""

INTERMEDIATE = Family("LRTA* (PDB, I)", ("ℓ", "c"), WITH_CENTROIDS)
"""Always an intermediate goal, except in the region of the goal."""

PR_LRTS = Family("PR LRTS", ("ℓ", "d", "γ"), "pr-lrts(l={0}, d={1}, gamma={2})")

CAP, UPSCALED_CAP = 20, 30
LEVELS, UPSCALED_LEVELS = range(6), range(4, 8)
TABLE_LEVELS = range(3, 8)

FIXED = F_G.sweep(range(4, 15))
CLASSIFIERS = DT_G.sweep(DMAX)
ORACLES = ORACLE_G.sweep(DMAX)
STATE_OF_THE_ART = (
    *alg.K_LRTA.sweep((10, 20, 30, 40, 100, 250, 500, 1000)),
    *PR_LRTS.sweep(range(2, 6), (1, 3, 5), (0.4, 1.0)),
    *alg.P_LRTA.sweep((10, 20, 30, 40, 100, 250)),
)
"""Figure 8 does not give its parameters; these are those of the later paper, and PR LRTS around the best."""

ORIGINAL = (
    *FIXED,
    *CLASSIFIERS,
    *ORACLES,
    *PDB_G.sweep(LEVELS, (CAP,)),
    *MIXED.sweep(LEVELS, (CAP,)),
    *INTERMEDIATE.sweep(LEVELS, (CAP,)),
)
UPSCALED = (
    *F_G.sweep(range(4, 21)),
    *CLASSIFIERS,
    *PDB_G.sweep(UPSCALED_LEVELS, (UPSCALED_CAP,)),
    *INTERMEDIATE.sweep(TABLE_LEVELS, (UPSCALED_CAP,)),
)
