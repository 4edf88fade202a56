"""Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, 2008.

Some 400 algorithms on 300 problems, in two sizes of the same maps. Every item lets those algorithms walk that it needs,
in one run folder for each size. Nothing is stopped by a cutoff: who passes one even once is left out afterwards, by the
worst move on record.

The maps are not known, so that no figure is judged by its standard error; what the paper says of its figures is judged
as claims.
"""

from functools import partial

from permove.papers.dynamic_control.algorithms import CENTROIDS, PDB_PDB
from permove.papers.dynamic_control.exhibit import EVERY_CLAIM, Exhibit, Publication, nothing
from permove.papers.dynamic_control.trees import MOVES, School
from permove.papers.dynamic_control_2008 import figures, tables
from permove.papers.dynamic_control_2008.algorithms import (
    FIXED,
    FIXED_SUBGOALS,
    GLOBAL,
    GLOBAL_DEPTHS,
    INTERMEDIATE,
    LEVELS,
    NOT_REAL_TIME,
    ORIGINAL,
    REFINED_FIXED,
    SUBGOALS,
)
from permove.papers.dynamic_control_2008.claims import CLAIMS
from permove.papers.dynamic_control_2008.depths import PICTURES
from permove.papers.dynamic_control_2008.printed import DATABASES, TABLE_3
from permove.papers.dynamic_control_2008.rotations import ROTATIONS

EVERYTHING = tuple(
    dict.fromkeys((*GLOBAL, *GLOBAL_DEPTHS, *INTERMEDIATE, *NOT_REAL_TIME, *CENTROIDS.sweep(LEVELS, (20,))))
)

EXHIBITS = (
    Exhibit("figure-10", "global-goal algorithms on maps of the original size", figures.figure_10, (), ORIGINAL),
    Exhibit("figure-11", "intermediate goals with fixed depths", figures.figure_11, (*FIXED, *FIXED_SUBGOALS)),
    Exhibit("figure-12", "intermediate goals with dynamic depths", figures.figure_12, (*GLOBAL_DEPTHS, *SUBGOALS)),
    Exhibit(
        "figure-13",
        "dynamic depths against dynamic goals",
        figures.figure_13,
        (*FIXED, *GLOBAL_DEPTHS, *FIXED_SUBGOALS),
    ),
    Exhibit("figure-14", "path refinement", figures.figure_14, INTERMEDIATE),
    Exhibit("figure-15", "global-goal algorithms on upscaled maps", figures.figure_15, GLOBAL),
    Exhibit("table-3", "high-performance algorithms", tables.table_3, (*TABLE_3, *NOT_REAL_TIME)),
    Exhibit("table-4", "the selection guide", tables.table_4, EVERYTHING),
    *(
        Exhibit(
            name,
            f"pattern databases and {table.family.name}, c = {table.cap}",
            partial(tables.databases, name),
            (
                *table.family.sweep(LEVELS, (table.cap,)),
                *(PDB_PDB.sweep((3,), (20, 30, 40, 50, 80)) if table.family == PDB_PDB else ()),
                *(CENTROIDS.sweep(LEVELS, (20,)) if name == "table-5" else ()),
            ),
        )
        for name, table in DATABASES.items()
    ),
    Exhibit("table-6", "amortization of databases", tables.table_6, (*SUBGOALS, *REFINED_FIXED), timed=True),
    Exhibit(EVERY_CLAIM, "every claim of the text: quote, section, predicate, result", nothing, EVERYTHING, ORIGINAL),
)

SCHOOLS = {"original": School("2008", leaf=100), "upscaled": School("2008", leaf=25, moves=MOVES)}

PUBLICATION = Publication(
    "dynamic-control-2008",
    "Dynamic Control in Real-Time Heuristic Search",
    "Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson: Dynamic Control in Real-Time Heuristic Search, JAIR 32, "
    "2008",
    CLAIMS,
    SCHOOLS,
    tables.clocked,
)

PAPER = PUBLICATION.paper(EXHIBITS, (ROTATIONS, *PICTURES))
