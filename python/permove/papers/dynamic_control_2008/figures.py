"""Figures 10 to 15: suboptimality against states expanded per move, a point for each choice of parameters."""

from dataclasses import replace

import polars as pl

from permove.papers.dynamic_control.algorithms import (
    DT_G,
    F_G,
    F_PDB,
    K_LRTA,
    K_LRTA_CURRENT,
    ORACLE_G,
    P_LRTA,
    PDB_G,
    PDB_PDB,
    PR_F_G,
    PR_F_PDB,
    PR_PDB_G,
    PR_PDB_G_2,
    PR_PDB_PDB,
)
from permove.papers.dynamic_control.figures import CUTOFF, KOENIG, WIDER, factors_note, shown
from permove.papers.dynamic_control.study import Evidence
from permove.papers.shown import Shown

GLOBAL_GOAL = (F_G, DT_G, ORACLE_G, PDB_G, K_LRTA, K_LRTA_CURRENT, P_LRTA)
REFINING = (PR_F_G, PR_PDB_G, PR_PDB_G_2, PR_F_PDB, PR_PDB_PDB)
CLOSE_PLANNING, CLOSE_SUBOPTIMALITY = 25.0, 1.5
"""Figure 14 shows no more than this."""


def figure_10(evidence: Evidence) -> Shown:
    """Global-goal algorithms on original-size maps."""
    found = shown(evidence.original, GLOBAL_GOAL, CUTOFF, log=True, lines=(F_G, DT_G, ORACLE_G), notes=[KOENIG])
    note = factors_note(evidence.original, DT_G)
    return Shown(data=found.data, notes=[*found.notes, *([note] if note else [])])


def figure_11(evidence: Evidence) -> Shown:
    """Effects of intermediate goals with fixed depths."""
    return shown(evidence.upscaled, (F_G, F_PDB), WIDER, log=True)


def figure_12(evidence: Evidence) -> Shown:
    """Effects of intermediate goals with dynamic depths."""
    return shown(evidence.upscaled, (PDB_G, PDB_PDB), WIDER, log=True, lines=())


def figure_13(evidence: Evidence) -> Shown:
    """Dynamic search depth against dynamic goals."""
    return shown(evidence.upscaled, (F_G, PDB_G, F_PDB), WIDER, log=True)


def figure_14(evidence: Evidence) -> Shown:
    """Effects of path refinement, in the area of high performance."""
    found = shown(evidence.upscaled, (F_PDB, PDB_PDB, *REFINING), WIDER, log=False, lines=())
    assert found.data is not None
    near = (pl.col("planning") <= CLOSE_PLANNING) & (pl.col("suboptimality") <= CLOSE_SUBOPTIMALITY)
    about = f"Up to {CLOSE_PLANNING:g} states per move and a suboptimality of {CLOSE_SUBOPTIMALITY:g}"
    return Shown(data=replace(found.data, about=about, frame=found.data.frame.filter(near)), notes=found.notes)


def figure_15(evidence: Evidence) -> Shown:
    """Global-goal algorithms on upscaled maps."""
    found = shown(evidence.upscaled, GLOBAL_GOAL, CUTOFF, log=True, lines=(F_G, DT_G), notes=[KOENIG])
    note = factors_note(evidence.upscaled, DT_G)
    return Shown(data=found.data, notes=[*found.notes, *([note] if note else [])])
