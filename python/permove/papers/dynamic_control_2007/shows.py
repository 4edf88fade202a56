"""Figures 5 to 8 and Table 2: what is printed beside what came out here."""

import math

from permove.papers.dynamic_control.algorithms import DT_G, F_G, K_LRTA, ORACLE_G, P_LRTA, PDB_G
from permove.papers.dynamic_control.figures import CUTOFF, KOENIG, factors_note, figure, shown
from permove.papers.dynamic_control.study import Built, Evidence
from permove.papers.dynamic_control_2007.algorithms import INTERMEDIATE, MIXED, PR_LRTS, UPSCALED_CAP
from permove.papers.dynamic_control_2007.printed import ACCURACY, TABLE_2, TABLE_2_SECONDS, TABLE_2_SIZES
from permove.papers.outcome import Column, Entry
from permove.papers.shown import Shown

DETECTOR = (
    "The conference paper says nothing of a state re-entrance detector; without one intermediate goals lead some "
    "agents round in circles, so that here they have that of the later paper: from a re-visited state the agent makes "
    "a move for the global goal, as deep as the cap."
)


def figure_5(evidence: Evidence) -> Shown:
    """Margins for improvement over fixed depths."""
    found = shown(
        evidence.original, (F_G, DT_G, ORACLE_G, PDB_G), math.inf, log=False, lines=(F_G, DT_G, ORACLE_G, PDB_G)
    )
    entries = [
        Entry("accuracy", f"dmax = {dmax}", f"{printed:.0%}", f"{evidence.trees[dmax].accuracy:.0%}", None)
        for dmax, printed in ACCURACY.items()
        if dmax in evidence.trees
    ]
    notes = [note for note in (factors_note(evidence.original, family) for family in (DT_G, PDB_G)) if note]
    return Shown(entries=entries, data=found.data, notes=[*found.notes, *notes])


def figure_6(evidence: Evidence) -> Shown:
    """Effects of dynamic goal selection."""
    families = (F_G, PDB_G, MIXED, INTERMEDIATE)
    return shown(evidence.original, families, math.inf, log=True, lines=families, notes=[DETECTOR])


def figure_7(evidence: Evidence) -> Shown:
    """Fixed depths against dynamic control on upscaled maps."""
    families = (F_G, DT_G, PDB_G, INTERMEDIATE)
    return shown(evidence.upscaled, families, math.inf, log=True, lines=families, notes=[DETECTOR])


def figure_8(evidence: Evidence) -> Shown:
    """Dynamic control against the state of the art, worst moves of at most 1000 states."""
    families = (F_G, DT_G, INTERMEDIATE, K_LRTA, PR_LRTS, P_LRTA)
    return shown(evidence.upscaled, families, CUTOFF, log=True, lines=(F_G,), notes=[KOENIG, DETECTOR])


def table_2(evidence: Evidence) -> Shown:
    """Pattern databases for a 512×512 map."""
    shelf = evidence.shelf()
    figures = []
    for level, (size, seconds) in enumerate(zip(TABLE_2_SIZES, TABLE_2_SECONDS, strict=True)):
        built = shelf.get(("subgoals", 0, level), Built(math.nan))
        took = None if built.build_ns is None else built.build_ns / 1e9
        figures += [
            figure(f"ℓ = {level}", "pairs", size, built.pairs),
            figure(f"ℓ = {level}", "seconds", seconds, took, timed=True),
        ]
    for level, (suboptimality, planning) in TABLE_2.items():
        point = evidence.upscaled.find(INTERMEDIATE(level, UPSCALED_CAP))
        row = f"ℓ = {level}"
        figures += [
            figure(row, "suboptimality", suboptimality, point.suboptimality, None, point.suboptimality_se),
            figure(row, "planning", planning, point.planning, None, point.planning_se),
        ]
    columns = (
        Column("pairs", "entries, the mean of the three maps"),
        Column("seconds", "seconds to build; at levels 0 to 2 the paper has estimates", timed=True),
        Column("suboptimality", "suboptimality (times)", digits=3),
        Column("planning", "states expanded per move, pooled; standard errors are those of a ratio of totals"),
    )
    return Shown(columns, (("pairs", "seconds"), ("suboptimality",), ("planning",)), figures, notes=[DETECTOR])
