"""Bulitko, Björnsson, Luštrek, Schaeffer, Sigmundarson: Dynamic Control in Path-Planning, AIIDE 2007.

The conference version of dynamic-control-2008: four features instead of eleven, centroids of regions as intermediate
goals, and three goal policies: global (G), intermediate if the global goal requires too deep a search (G+I), and always
intermediate (I). Maps and problems are those of the later paper. Planning per move is a mean of ratios, and no
cutoff stops a run; Figure 8 excludes algorithms that expand more than 1000 states for any single move.
"""

from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control.algorithms import DT_G, F_G, INTERMEDIATE, PDB_G
from permove.papers.dynamic_control.experiment import MOVES, Plan, Training
from permove.papers.dynamic_control.figures import CUTOFF, DatabaseTable, Plane
from permove.papers.dynamic_control_2007.claims import CLAIMS, FILE, NOTES
from permove.papers.item import ALL_CLAIMS

TABLE_2 = DatabaseTable.of(FILE["databases"]["table-2"], INTERMEDIATE, notes=[NOTES["detector"]])

MARGINS = (F_G, DT_G, alg.ORACLE_G, PDB_G)
GOALS = (F_G, PDB_G, alg.MIXED, INTERMEDIATE)
CONTROL = (F_G, DT_G, PDB_G, INTERMEDIATE)
STATE_OF_THE_ART = (F_G, DT_G, INTERMEDIATE, alg.K_LRTA, alg.PR_LRTS, alg.P_LRTA)
FIGURES = {
    5: Plane(MARGINS, size="original", log=False, lines=MARGINS, compared=(DT_G, PDB_G), accuracy={5: 0.72, 20: 0.44}),
    6: Plane(GOALS, size="original", lines=GOALS, notes=[NOTES["detector"]]),
    7: Plane(CONTROL, lines=CONTROL, notes=[NOTES["detector"]]),
    8: Plane(STATE_OF_THE_ART, CUTOFF, notes=[NOTES["koenig"], NOTES["detector"]]),
}
TRAINING = {"original": Training("2007", leaf=200), "upscaled": Training("2007", leaf=200, moves=MOVES)}
item = Plan(FILE, TRAINING).item

ITEMS = (
    item("figure-5", FIGURES[5], original="original"),
    item("figure-6", FIGURES[6], original="original"),
    item("figure-7", FIGURES[7], "upscaled", "original"),
    item("figure-8", FIGURES[8], "upscaled others"),
    item("table-2", TABLE_2, further=TABLE_2.algorithms),
    item(ALL_CLAIMS, upscaled="upscaled others", original="original"),
)
PAPER = FILE.paper(ITEMS, CLAIMS)
