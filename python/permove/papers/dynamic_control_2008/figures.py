"""Figures 10 to 15: suboptimality against states expanded per move, a point for each choice of parameters."""

from typing import Any

from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control.algorithms import DT_G, F_G, F_PDB, ORACLE_G, PDB_G, PDB_PDB
from permove.papers.dynamic_control.figures import CUTOFF, KOENIG, WIDER, Plane

GLOBAL_GOAL = (F_G, DT_G, ORACLE_G, PDB_G, alg.K_LRTA, alg.K_LRTA_CURRENT, alg.P_LRTA)
REFINING = (alg.PR_F_G, alg.PR_PDB_G, alg.PR_PDB_G_2, alg.PR_F_PDB, alg.PR_PDB_PDB)
GLOBAL: dict[str, Any] = {"families": GLOBAL_GOAL, "cutoff": CUTOFF, "notes": [KOENIG], "compared": (DT_G,)}
FIGURES = {
    10: Plane(size="original", lines=(F_G, DT_G, ORACLE_G), **GLOBAL),
    11: Plane((F_G, F_PDB), WIDER),
    12: Plane((PDB_G, PDB_PDB), WIDER, lines=()),
    13: Plane((F_G, PDB_G, F_PDB), WIDER),
    14: Plane((F_PDB, PDB_PDB, *REFINING), WIDER, log=False, lines=(), within=(25.0, 1.5)),
    15: Plane(lines=(F_G, DT_G), **GLOBAL),
}
