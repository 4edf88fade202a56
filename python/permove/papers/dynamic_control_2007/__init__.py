"""Bulitko, Björnsson, Luštrek, Schaeffer, Sigmundarson: Dynamic Control in Path-Planning, AIIDE 2007.

The conference version of dynamic-control-2008: four features instead of eleven, centroids of regions as intermediate
goals, and three goal policies: global (G), intermediate if the global goal requires too deep a search (G+I), and always
intermediate (I). Maps and problems are those of the later paper. Planning per move is pooled, and no cutoff stops a
run; Figure 8 excludes algorithms that expand more than 1000 states for any single move.
"""

from permove.papers.dynamic_control import figures as shared
from permove.papers.dynamic_control.algorithms import DT_G, F_G, K_LRTA, ORACLE_G, P_LRTA, PDB_G
from permove.papers.dynamic_control.experiment import Plan
from permove.papers.dynamic_control.figures import CUTOFF, Plane, planning_figure, suboptimality_figure
from permove.papers.dynamic_control.offline import MOVES, Training
from permove.papers.dynamic_control.study import Evidence
from permove.papers.dynamic_control_2007 import algorithms as alg
from permove.papers.dynamic_control_2007.algorithms import INTERMEDIATE, MIXED, PR_LRTS, UPSCALED_CAP
from permove.papers.dynamic_control_2007.claims import CLAIMS, FILE
from permove.papers.item import ALL_CLAIMS
from permove.papers.outcome import Shown

VALUES, NOTES = FILE["table-2"], FILE["notes"]
TABLE_2 = dict(enumerate(VALUES["results"], 3))
"""By level, suboptimality and states per move."""

ACCURACY = {5: 0.72, 20: 0.44}
"""Accuracy of classifiers by d_max."""

MARGINS = (F_G, DT_G, ORACLE_G, PDB_G)
GOALS = (F_G, PDB_G, MIXED, INTERMEDIATE)
CONTROL = (F_G, DT_G, PDB_G, INTERMEDIATE)
STATE_OF_THE_ART = (F_G, DT_G, INTERMEDIATE, K_LRTA, PR_LRTS, P_LRTA)
FIGURES = {
    5: Plane(MARGINS, size="original", log=False, lines=MARGINS, compared=(DT_G, PDB_G), accuracy=ACCURACY),
    6: Plane(GOALS, size="original", lines=GOALS, notes=[NOTES["detector"]]),
    7: Plane(CONTROL, lines=CONTROL, notes=[NOTES["detector"]]),
    8: Plane(STATE_OF_THE_ART, CUTOFF, notes=[shared.NOTES["koenig"], NOTES["detector"]]),
}


def table_2(evidence: Evidence) -> Shown:
    """Pattern databases for a 512×512 map."""
    figures = shared.database_figures(
        evidence, "subgoals", VALUES["sizes"], map(shared.seconds, VALUES["times"].split())
    )
    for level, (suboptimality, planning) in TABLE_2.items():
        point, row = evidence.upscaled.find(INTERMEDIATE(level, UPSCALED_CAP)), f"ℓ = {level}"
        figures += [suboptimality_figure(point, row, suboptimality), planning_figure(point, row, planning)]
    columns = (shared.PAIRS, shared.SECONDS, shared.SUBOPTIMALITY, shared.PLANNING)
    return Shown(columns, (("pairs", "seconds"), ("suboptimality",), ("planning",)), figures, notes=[NOTES["detector"]])


TRAINING = {"original": Training("2007", leaf=200), "upscaled": Training("2007", leaf=200, moves=MOVES)}
item = Plan(FILE, TRAINING).item

LARGE = (*alg.UPSCALED, *alg.STATE_OF_THE_ART)
ITEMS = (
    item("figure-5", FIGURES[5], original=alg.ORIGINAL),
    item("figure-6", FIGURES[6], original=alg.ORIGINAL),
    item("figure-7", FIGURES[7], alg.UPSCALED, alg.ORIGINAL),
    item("figure-8", FIGURES[8], LARGE),
    item("table-2", table_2, INTERMEDIATE.sweep(alg.TABLE_LEVELS, (UPSCALED_CAP,))),
    item(ALL_CLAIMS, upscaled=LARGE, original=alg.ORIGINAL),
)
PAPER = FILE.paper(ITEMS, CLAIMS)
