"""Figures 10 to 15: suboptimality against states expanded per move, a point for each choice of parameters."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control.algorithms import DT_G, F_G, F_PDB, ORACLE_G, PDB_G, PDB_PDB
from permove.papers.dynamic_control.claims import Size, study_of
from permove.papers.dynamic_control.figures import CUTOFF, KOENIG, WIDER, plane
from permove.papers.dynamic_control.study import Evidence
from permove.papers.outcome import Shown

GLOBAL_GOAL = (F_G, DT_G, ORACLE_G, PDB_G, alg.K_LRTA, alg.K_LRTA_CURRENT, alg.P_LRTA)
REFINING = (alg.PR_F_G, alg.PR_PDB_G, alg.PR_PDB_G_2, alg.PR_F_PDB, alg.PR_PDB_PDB)
MAX_PLANNING, MAX_SUBOPTIMALITY = 25.0, 1.5
"""The ranges of Figure 14."""


def _show(evidence: Evidence, *, size: Size = "upscaled", **how: Any) -> Shown:
    return plane(study_of(evidence, size), **how)


def _figure_14(evidence: Evidence) -> Shown:
    families = (F_PDB, PDB_PDB, *REFINING)
    found = plane(evidence.upscaled, families, WIDER, log=False, lines=())
    assert found.data is not None
    near = (pl.col("planning") <= MAX_PLANNING) & (pl.col("suboptimality") <= MAX_SUBOPTIMALITY)
    about = f"Up to {MAX_PLANNING:g} states per move and a suboptimality of {MAX_SUBOPTIMALITY:g}"
    return replace(found, data=replace(found.data, about=about, frame=found.data.frame.filter(near)))


GLOBAL: dict[str, Any] = {
    "families": GLOBAL_GOAL,
    "cutoff": CUTOFF,
    "log": True,
    "notes": [KOENIG],
    "compared": (DT_G,),
}
FIGURES: dict[int, Callable[[Evidence], Shown]] = {
    10: partial(_show, size="original", lines=(F_G, DT_G, ORACLE_G), **GLOBAL),
    11: partial(_show, families=(F_G, F_PDB), cutoff=WIDER, log=True),
    12: partial(_show, families=(PDB_G, PDB_PDB), cutoff=WIDER, log=True, lines=()),
    13: partial(_show, families=(F_G, PDB_G, F_PDB), cutoff=WIDER, log=True),
    14: _figure_14,
    15: partial(_show, lines=(F_G, DT_G), **GLOBAL),
}
