"""Figures 10 to 15: suboptimality against states expanded per move, a point for each choice of parameters."""

from collections.abc import Callable, Sequence
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
    Family,
)
from permove.papers.dynamic_control.study import Evidence, Point, Study, planning_at
from permove.papers.outcome import Data, Plot
from permove.papers.shown import Shown

CUTOFF = 1000
WIDER = 10_000
"""The real-time cutoffs of Section 7 and of Section 7.3."""

GLOBAL_GOAL = (F_G, DT_G, ORACLE_G, PDB_G, K_LRTA, K_LRTA_CURRENT, P_LRTA)
REFINING = (PR_F_G, PR_PDB_G, PR_PDB_G_2, PR_F_PDB, PR_PDB_PDB)
CLOSE_PLANNING, CLOSE_SUBOPTIMALITY = 25.0, 1.5
"""Figure 14 shows no more than this."""

KOENIG = (
    "K LRTA* with the full update of Koenig (2004) comes out far better than published; an A*-shaped search that "
    "updates the current state alone (“one update”) is nearest to the published curve."
)
X, Y = "Mean number of states expanded per move", "Suboptimality (times)"


def plane(study: Study, families: Sequence[Family], cutoff: float) -> pl.DataFrame:
    """The points of some families within a cutoff."""
    rows = [point.row() for family in families for point in study.points(family, cutoff=cutoff)]
    return pl.DataFrame(rows, schema_overrides={"planning": pl.Float64}, infer_schema_length=None)


def shown(
    study: Study,
    families: Sequence[Family],
    cutoff: float,
    *,
    log: bool,
    lines: Sequence[Family] = (F_G,),
    notes: Sequence[str] = (),
) -> Shown:
    """A plot of some families, and who did not make the cutoff."""
    frame = plane(study, families, cutoff)
    plot = Plot(
        "planning",
        "suboptimality",
        X,
        Y,
        lines=[family.name for family in lines],
        errors="suboptimality_se",
        log_x=log,
        log_y=log,
    )
    return Shown(
        data=Data(f"Suboptimality against planning per move, real-time cutoff {cutoff:,.0f}", frame, plot),
        notes=[*notes, *_left_out(study, families, cutoff)],
    )


def _left_out(study: Study, families: Sequence[Family], cutoff: float) -> list[str]:
    over = [point for point in study.points(*families) if point.worst > cutoff]
    notes = []
    if over:
        notes.append(f"Over the cutoff of {cutoff:,.0f} on some move: {names(over)}.")
    for reason in dict.fromkeys(study.why.values()):
        missing = [each for each, why in study.why.items() if why == reason and each.family in families]
        if missing:
            notes.append(f"Did not walk, since {reason}: {', '.join(each.name for each in missing)}.")
    return notes


def names(points: Sequence[Point]) -> str:
    """Points by family, with their parameters in brackets."""
    families = dict.fromkeys(point.algorithm.family for point in points)
    parts = []
    for family in families:
        settings = [point.algorithm.setting for point in points if point.algorithm.family == family]
        parts.append(f"{family.name} ({'; '.join(settings)})")
    return ", ".join(parts)


def figure_10(evidence: Evidence) -> Shown:
    """Global-goal algorithms on original-size maps."""
    found = shown(evidence.original, GLOBAL_GOAL, CUTOFF, log=True, lines=(F_G, DT_G, ORACLE_G), notes=[KOENIG])
    note = factors_note(evidence.original, DT_G)
    return Shown(data=found.data, notes=[*found.notes, *([note] if note else [])])


def factors(study: Study, family: Family, planning: Callable[[Point], float]) -> dict[str, float]:
    """How many times more states LRTA* (F, G) expands for the same suboptimality, for each algorithm of a family."""
    curve = study.points(F_G)
    found = {
        point.algorithm.setting: (planning_at(curve, point.suboptimality, planning), point)
        for point in study.points(family)
    }
    return {setting: at / planning(point) for setting, (at, point) in found.items() if at is not None}


def pooled(point: Point) -> float:
    """Planning per move, all states over all moves."""
    return point.planning


def mean_of_means(point: Point) -> float:
    """Planning per move, the mean of the problems' own."""
    return point.planning_mean


def factors_note(study: Study, family: Family) -> str:
    """The factors of a family in both averages."""
    both = factors(study, family, pooled), factors(study, family, mean_of_means)
    if not both[0]:
        return ""
    parts = [", ".join(f"{setting}: {factor:.2f}" for setting, factor in some.items()) for some in both]
    return (
        f"States that LRTA* (F, G) expands per move for the same suboptimality, over those of {family.name}: "
        f"{parts[0]} (pooled); {parts[1]} (means of the problems' own ratios)."
    )


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
