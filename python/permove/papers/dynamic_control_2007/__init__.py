"""Bulitko, Björnsson, Luštrek, Schaeffer, Sigmundarson: Dynamic Control in Path-Planning, AIIDE 2007.

The conference version of dynamic-control-2008: four features instead of eleven, centroids of regions as intermediate
goals, and three goal policies: global (G), intermediate if the global goal requires too deep a search (G+I), and always
intermediate (I). Maps and problems are those of the later paper. Planning per move is pooled, and no cutoff stops a
run; Figure 8 excludes algorithms that expand more than 1000 states for any single move.
"""

from permove.papers.dynamic_control.experiment import Plan
from permove.papers.dynamic_control.offline import MOVES, Training
from permove.papers.dynamic_control_2007 import algorithms as alg
from permove.papers.dynamic_control_2007 import figures
from permove.papers.dynamic_control_2007.claims import CLAIMS
from permove.papers.item import ALL_CLAIMS, Paper

TRAINING = {"original": Training("2007", leaf=200), "upscaled": Training("2007", leaf=200, moves=MOVES)}
item = Plan(TRAINING).item

LARGE = (*alg.UPSCALED, *alg.STATE_OF_THE_ART)
TABLE_2 = alg.INTERMEDIATE.sweep(alg.TABLE_LEVELS, (alg.UPSCALED_CAP,))
ITEMS = (
    item("figure-5", "margins for improvement over fixed depths", figures.FIGURES[5], original=alg.ORIGINAL),
    item("figure-6", "planning and suboptimality of three goal policies", figures.FIGURES[6], original=alg.ORIGINAL),
    item("figure-7", "dynamic control on upscaled maps", figures.FIGURES[7], alg.UPSCALED, alg.ORIGINAL),
    item("figure-8", "dynamic control against the state of the art", figures.FIGURES[8], LARGE),
    item("table-2", "pattern databases, and LRTA* (PDB, I) that uses them", figures.table_2, TABLE_2),
    item(ALL_CLAIMS, "every claim of the text that records can decide", upscaled=LARGE, original=alg.ORIGINAL),
)

PAPER = Paper(
    "dynamic-control-2007",
    "Bulitko, Björnsson, Luštrek, Schaeffer, Sigmundarson: Dynamic Control in Path-Planning with Real-Time Heuristic "
    "Search, AIIDE 2007",
    ITEMS,
    CLAIMS,
    reproduced="The main results: for the same quality, dynamic depths need fewer states than fixed depths on small "
    "maps, intermediate goals need fewer still, and only they scale to large maps.",
    differences="Some factors are smaller than published, because the maps are unknown and a few looping problems "
    "dominate means. The paper does not mention what keeps agents with intermediate goals from moving in circles; "
    "with the detector of the later paper, single moves exceed the published cutoff. Classifiers depend on an "
    "unstated rule for ties.",
)
