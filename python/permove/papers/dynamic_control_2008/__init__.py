"""Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, 2008.

Some 400 algorithms run on 300 problems in two sizes of the same maps. Every item runs the algorithms that it needs, in
one run folder per size. No cutoff stops a run: an algorithm that exceeds a cutoff even once is excluded afterwards, by
its worst move on record.

The maps are not known, so that no value is judged by its standard error; claims are judged instead.
"""

from functools import partial

from permove.papers.dynamic_control.algorithms import CENTROIDS, PDB_PDB, Algorithm
from permove.papers.dynamic_control.experiment import Plan
from permove.papers.dynamic_control.offline import MOVES, Training
from permove.papers.dynamic_control_2008 import algorithms as alg
from permove.papers.dynamic_control_2008 import tables
from permove.papers.dynamic_control_2008.claims import CLAIMS
from permove.papers.dynamic_control_2008.depths import PICTURES
from permove.papers.dynamic_control_2008.figures import FIGURES
from permove.papers.dynamic_control_2008.printed import DATABASES, TABLE_3
from permove.papers.dynamic_control_2008.rotations import ROTATIONS
from permove.papers.item import ALL_CLAIMS, Paper

CENTROID_LEVELS = CENTROIDS.sweep(alg.LEVELS, (20,))
REAL_TIME = (*alg.GLOBAL, *alg.GLOBAL_DEPTHS, *alg.INTERMEDIATE)
EVERYTHING = tuple(dict.fromkeys((*REAL_TIME, *alg.NOT_REAL_TIME, *CENTROID_LEVELS)))

TRAINING = {"original": Training("2008", leaf=100), "upscaled": Training("2008", leaf=25, moves=MOVES)}
item = Plan(TRAINING, tables.clocked).item


def _of_table(name: str) -> tuple[Algorithm, ...]:
    """The algorithms of a table about databases."""
    table = DATABASES[name]
    caps = PDB_PDB.sweep((3,), (20, 30, 40, 50, 80)) if table.family == PDB_PDB else ()
    return (*table.family.sweep(alg.LEVELS, (table.cap,)), *caps, *(CENTROID_LEVELS if name == "table-5" else ()))


BY_DEPTH_OR_GOAL = (*alg.FIXED, *alg.GLOBAL_DEPTHS, *alg.FIXED_SUBGOALS)
ITEMS = (
    item("figure-10", "global-goal algorithms on maps of the original size", FIGURES[10], original=alg.ORIGINAL),
    item("figure-11", "intermediate goals with fixed depths", FIGURES[11], (*alg.FIXED, *alg.FIXED_SUBGOALS)),
    item("figure-12", "intermediate goals with dynamic depths", FIGURES[12], (*alg.GLOBAL_DEPTHS, *alg.SUBGOALS)),
    item("figure-13", "dynamic depths against dynamic goals", FIGURES[13], BY_DEPTH_OR_GOAL),
    item("figure-14", "algorithms with path refinement against those on the ground", FIGURES[14], alg.INTERMEDIATE),
    item("figure-15", "global-goal algorithms on upscaled maps", FIGURES[15], alg.GLOBAL),
    item(
        "table-3",
        "planning and suboptimality of the best algorithms of several kinds",
        tables.table_3,
        (*TABLE_3, *alg.NOT_REAL_TIME),
    ),
    item("table-4", "the best algorithm for each limit on planning per move", tables.table_4, EVERYTHING),
    *(
        item(
            name,
            f"pattern databases, and {table.family.name} with c = {table.cap} that uses them",
            partial(tables.databases, name),
            _of_table(name),
        )
        for name, table in DATABASES.items()
    ),
    item(
        "table-6",
        "after how many moves a database has saved the time of its build",
        tables.table_6,
        (*alg.SUBGOALS, *alg.REFINED_FIXED),
        timed=True,
    ),
    item(ALL_CLAIMS, "every claim of the text that records can decide", upscaled=EVERYTHING, original=alg.ORIGINAL),
)

PAPER = Paper(
    "dynamic-control-2008",
    "Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, "
    "2008",
    (*ITEMS, ROTATIONS, *PICTURES),
    CLAIMS,
    reproduced="The main results: intermediate goals from pattern databases give nearly optimal paths at about one "
    "state per move, dominate dynamic depths and the previous state of the art, and are the best choice under strict "
    "limits. Databases have about the published sizes and are built in seconds instead of hours.",
    differences="The maps are unknown, so that values differ by map. The published A* expands more states than a "
    "clean A* can, and PR LRTA* plans less here, so that some published factors are out of reach. K LRTA* and P LRTA* "
    "perform far better than published, which fails every claim that compares with them. Decision trees depend on an "
    "unstated rule for ties.",
)
