"""Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, 2008.

Some 400 algorithms run on 300 problems in two sizes of the same maps. Every item runs the algorithms that it needs, in
one run folder per size. No cutoff stops a run: an algorithm that exceeds a cutoff even once is excluded afterwards, by
its worst move on record.

The problems are not known, so that no value is judged by its standard error; claims are judged instead.
"""

from typing import Any

from permove.papers.dynamic_control import algorithms as alg
from permove.papers.dynamic_control.algorithms import DT_G, F_G, F_PDB, ORACLE_G, PDB_G, PDB_PDB
from permove.papers.dynamic_control.experiment import MOVES, Plan, Training
from permove.papers.dynamic_control.figures import CUTOFF, WIDER, Plane
from permove.papers.dynamic_control_2008 import tables
from permove.papers.dynamic_control_2008.claims import CLAIMS
from permove.papers.dynamic_control_2008.depths import PICTURES
from permove.papers.dynamic_control_2008.rotations import ROTATIONS
from permove.papers.dynamic_control_2008.tables import DATABASES, FILE, NOTES, TABLE_3
from permove.papers.item import ALL_CLAIMS

REAL_TIME = "global global-depths fixed-subgoals subgoals refined-fixed refined-dynamic"
TRAINING = {"original": Training("2008", leaf=100), "upscaled": Training("2008", leaf=25, moves=MOVES)}
item = Plan(FILE, TRAINING, tables.clocked).item
GLOBAL: dict[str, Any] = {"cutoff": CUTOFF, "notes": [NOTES["koenig"]], "compared": (DT_G,)}
GLOBAL["families"] = (F_G, DT_G, ORACLE_G, PDB_G, alg.K_LRTA, alg.K_LRTA_CURRENT, alg.P_LRTA)
FIGURES = {
    10: Plane(size="original", lines=(F_G, DT_G, ORACLE_G), **GLOBAL),
    11: Plane((F_G, F_PDB), WIDER),
    12: Plane((PDB_G, PDB_PDB), WIDER, lines=()),
    13: Plane((F_G, PDB_G, F_PDB), WIDER),
    14: Plane((F_PDB, PDB_PDB, *alg.REFINING), WIDER, log=False, lines=(), within=(25.0, 1.5)),
    15: Plane(lines=(F_G, DT_G), **GLOBAL),
}

ITEMS = (
    item("figure-10", FIGURES[10], original="original"),
    item("figure-11", FIGURES[11], "fixed fixed-subgoals"),
    item("figure-12", FIGURES[12], "global-depths subgoals"),
    item("figure-13", FIGURES[13], "fixed global-depths fixed-subgoals"),
    item("figure-14", FIGURES[14], "fixed-subgoals subgoals refined-fixed refined-dynamic"),
    item("figure-15", FIGURES[15], "global"),
    item("table-3", tables.table_3, "not-real-time", further=TABLE_3),
    item("table-4", tables.table_4, f"{REAL_TIME} not-real-time centroids"),
    *(item(name, table, table.others, further=table.algorithms) for name, table in DATABASES.items()),
    item("table-6", tables.table_6, "subgoals refined-fixed", timed=True),
    item(ALL_CLAIMS, upscaled=f"{REAL_TIME} not-real-time centroids", original="original"),
)
PAPER = FILE.paper((*ITEMS, ROTATIONS, *PICTURES), CLAIMS)
