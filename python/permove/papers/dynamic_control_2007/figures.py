"""Figures 5 to 8 and Table 2: published next to measured."""

import math

from permove.papers.dynamic_control.algorithms import DT_G, F_G, K_LRTA, ORACLE_G, P_LRTA, PDB_G
from permove.papers.dynamic_control.figures import (
    CUTOFF,
    KOENIG,
    PAIRS,
    PLANNING,
    SECONDS,
    SUBOPTIMALITY,
    database_figures,
    plane,
    planning_figure,
    suboptimality_figure,
)
from permove.papers.dynamic_control.study import Evidence
from permove.papers.dynamic_control_2007.algorithms import INTERMEDIATE, MIXED, PR_LRTS, UPSCALED_CAP
from permove.papers.dynamic_control_2007.printed import ACCURACY, TABLE_2, TABLE_2_SECONDS, TABLE_2_SIZES
from permove.papers.outcome import Entry, Shown

DETECTOR = (
    "The conference paper does not mention a state re-entrance detector. Without one, intermediate goals lead some "
    "agents in circles, so that the detector of the later paper is used: from a re-visited state the agent makes a "
    "move for the global goal, as deep as the cap."
)


def figure_5(evidence: Evidence) -> Shown:
    """Margins for improvement over fixed depths."""
    families = (F_G, DT_G, ORACLE_G, PDB_G)
    found = plane(evidence.original, families, math.inf, log=False, lines=families, compared=(DT_G, PDB_G))
    entries = [
        Entry("accuracy", f"dmax = {dmax}", f"{printed:.0%}", f"{evidence.trees[dmax].accuracy:.0%}", None)
        for dmax, printed in ACCURACY.items()
        if dmax in evidence.trees
    ]
    return Shown(entries=entries, data=found.data, notes=found.notes)


def figure_6(evidence: Evidence) -> Shown:
    """Effects of dynamic goal selection."""
    families = (F_G, PDB_G, MIXED, INTERMEDIATE)
    return plane(evidence.original, families, math.inf, log=True, lines=families, notes=[DETECTOR])


def figure_7(evidence: Evidence) -> Shown:
    """Fixed depths against dynamic control on upscaled maps."""
    families = (F_G, DT_G, PDB_G, INTERMEDIATE)
    return plane(evidence.upscaled, families, math.inf, log=True, lines=families, notes=[DETECTOR])


def figure_8(evidence: Evidence) -> Shown:
    """Dynamic control against the state of the art, worst moves of at most 1000 states."""
    families = (F_G, DT_G, INTERMEDIATE, K_LRTA, PR_LRTS, P_LRTA)
    return plane(evidence.upscaled, families, CUTOFF, log=True, lines=(F_G,), notes=[KOENIG, DETECTOR])


def table_2(evidence: Evidence) -> Shown:
    """Pattern databases for a 512×512 map."""
    figures = database_figures(evidence, "subgoals", TABLE_2_SIZES, TABLE_2_SECONDS)
    for level, (suboptimality, planning) in TABLE_2.items():
        point = evidence.upscaled.find(INTERMEDIATE(level, UPSCALED_CAP))
        figures += [
            suboptimality_figure(point, f"ℓ = {level}", suboptimality),
            planning_figure(point, f"ℓ = {level}", planning),
        ]
    columns = (PAIRS, SECONDS, SUBOPTIMALITY, PLANNING)
    return Shown(columns, (("pairs", "seconds"), ("suboptimality",), ("planning",)), figures, notes=[DETECTOR])
