"""Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, 2008.

Some 400 algorithms run on 300 problems in two sizes of the same maps. Every item runs the algorithms that it needs, in
one run folder per size. No cutoff stops a run: an algorithm that exceeds a cutoff even once is excluded afterwards, by
its worst move on record.

The maps are not known, so that no value is judged by its standard error; claims are judged instead.
"""

from typing import Any

from permove.papers.dynamic_control.algorithms import CENTROIDS, DT_G, F_G, F_PDB, ORACLE_G, PDB_G, PDB_PDB, Algorithm
from permove.papers.dynamic_control.experiment import MOVES, Plan, Training
from permove.papers.dynamic_control.figures import CUTOFF, WIDER, Plane
from permove.papers.dynamic_control_2008 import algorithms as alg
from permove.papers.dynamic_control_2008 import tables
from permove.papers.dynamic_control_2008.claims import CLAIMS
from permove.papers.dynamic_control_2008.depths import PICTURES
from permove.papers.dynamic_control_2008.rotations import ROTATIONS
from permove.papers.dynamic_control_2008.tables import DATABASES, FILE, NOTES, TABLE_3
from permove.papers.item import ALL_CLAIMS

CENTROID_LEVELS = CENTROIDS.sweep(alg.LEVELS, (20,))
REAL_TIME = (*alg.GLOBAL, *alg.GLOBAL_DEPTHS, *alg.INTERMEDIATE)
EVERYTHING = tuple(dict.fromkeys((*REAL_TIME, *alg.NOT_REAL_TIME, *CENTROID_LEVELS)))

TRAINING = {"original": Training("2008", leaf=100), "upscaled": Training("2008", leaf=25, moves=MOVES)}
item = Plan(FILE, TRAINING, tables.clocked).item


def _of_table(name: str) -> tuple[Algorithm, ...]:
    """The algorithms of a table about databases."""
    table = DATABASES[name]
    caps = PDB_PDB.sweep((3,), (20, 30, 40, 50, 80)) if table.family == PDB_PDB else ()
    return (*table.algorithms, *caps, *(CENTROID_LEVELS if name == "table-5" else ()))


GLOBAL: dict[str, Any] = {
    "families": alg.GLOBAL_GOAL,
    "cutoff": CUTOFF,
    "notes": [NOTES["koenig"]],
    "compared": (DT_G,),
}
FIGURES = {
    10: Plane(size="original", lines=(F_G, DT_G, ORACLE_G), **GLOBAL),
    11: Plane((F_G, F_PDB), WIDER),
    12: Plane((PDB_G, PDB_PDB), WIDER, lines=()),
    13: Plane((F_G, PDB_G, F_PDB), WIDER),
    14: Plane((F_PDB, PDB_PDB, *alg.REFINING), WIDER, log=False, lines=(), within=(25.0, 1.5)),
    15: Plane(lines=(F_G, DT_G), **GLOBAL),
}
"""Figures 10 to 15: suboptimality against states expanded per move, a point for each choice of parameters."""

ITEMS = (
    item("figure-10", FIGURES[10], original=alg.ORIGINAL),
    item("figure-11", FIGURES[11], (*alg.FIXED, *alg.FIXED_SUBGOALS)),
    item("figure-12", FIGURES[12], (*alg.GLOBAL_DEPTHS, *alg.SUBGOALS)),
    item("figure-13", FIGURES[13], (*alg.FIXED, *alg.GLOBAL_DEPTHS, *alg.FIXED_SUBGOALS)),
    item("figure-14", FIGURES[14], alg.INTERMEDIATE),
    item("figure-15", FIGURES[15], alg.GLOBAL),
    item("table-3", tables.table_3, (*TABLE_3, *alg.NOT_REAL_TIME)),
    item("table-4", tables.table_4, EVERYTHING),
    *(item(name, table, _of_table(name)) for name, table in DATABASES.items()),
    item("table-6", tables.table_6, (*alg.SUBGOALS, *alg.REFINED_FIXED), timed=True),
    item(ALL_CLAIMS, upscaled=EVERYTHING, original=alg.ORIGINAL),
)
PAPER = FILE.paper((*ITEMS, ROTATIONS, *PICTURES), CLAIMS)
