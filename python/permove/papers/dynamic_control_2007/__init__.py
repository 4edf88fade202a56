"""Bulitko, Björnsson, Luštrek, Schaeffer, Sigmundarson: Dynamic Control in Path-Planning, AIIDE 2007.

The conference version of dynamic-control-2008: four features instead of eleven, centroids of regions as intermediate
goals, and three goal policies: global (G), intermediate where the global goal asks for too deep a search (G+I), and
always intermediate (I). Maps and problems are those of the later paper. Planning per move is pooled, and no cutoff
stops anyone; Figure 8 leaves out who expands more than 1000 states for any one move.
"""

from permove.papers.dynamic_control.exhibit import EVERY_CLAIM, Exhibit, Publication, nothing
from permove.papers.dynamic_control.trees import MOVES, School
from permove.papers.dynamic_control_2007 import shows
from permove.papers.dynamic_control_2007.algorithms import (
    INTERMEDIATE,
    ORIGINAL,
    STATE_OF_THE_ART,
    TABLE_LEVELS,
    UPSCALED,
    UPSCALED_CAP,
)
from permove.papers.dynamic_control_2007.claims import CLAIMS

EXHIBITS = (
    Exhibit("figure-5", "margins for improvement over fixed depths", shows.figure_5, (), ORIGINAL),
    Exhibit("figure-6", "three goal policies", shows.figure_6, (), ORIGINAL),
    Exhibit("figure-7", "dynamic control on upscaled maps", shows.figure_7, UPSCALED, ORIGINAL),
    Exhibit("figure-8", "against the state of the art", shows.figure_8, (*UPSCALED, *STATE_OF_THE_ART)),
    Exhibit("table-2", "pattern databases", shows.table_2, INTERMEDIATE.sweep(TABLE_LEVELS, (UPSCALED_CAP,))),
    Exhibit(
        EVERY_CLAIM,
        "every claim of the text: quote, section, predicate, result",
        nothing,
        (*UPSCALED, *STATE_OF_THE_ART),
        ORIGINAL,
    ),
)

PUBLICATION = Publication(
    "dynamic-control-2007",
    "Dynamic Control in Path-Planning with Real-Time Heuristic Search",
    "Bulitko, Björnsson, Luštrek, Schaeffer, Sigmundarson: Dynamic Control in Path-Planning with Real-Time Heuristic "
    "Search, AIIDE 2007",
    CLAIMS,
    {"original": School("2007", leaf=200), "upscaled": School("2007", leaf=200, moves=MOVES)},
    lambda _: {},
)

PAPER = PUBLICATION.paper(EXHIBITS)
