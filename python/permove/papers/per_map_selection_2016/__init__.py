"""Bulitko: Per-Map Algorithm Selection in Real-Time Heuristic Search, AIIDE 2016.

All problems of four MovingAI sets. Diagonal moves are always legal, since only this rule gives the published number of
problems. `practical` goes beyond the paper: it implements what Section 7 proposes.
"""

from collections.abc import Callable
from functools import partial

from permove.papers.item import Item, Option
from permove.papers.outcome import Shown
from permove.papers.per_map_selection_2016 import practical, selecting, space, whole_set
from permove.papers.per_map_selection_2016.selecting import FILE, PER_MAP, PER_PROBLEM, Table
from permove.select.selection import Selected
from permove.select.tables import selected_data

LITERAL = Option("literal", 20_000, 2, 493_298, "number of problems for the literal Algorithm 1")
SEED = Option("seed", 0, 0, 2**53, "seed of all random draws")
SELECTING = (*selecting.MATRIX, selecting.TRIALS, SEED)
PRACTICAL = (*selecting.MATRIX, practical.TRIALS, SEED)


def _selection(name: str, table: Table, show: Callable[[Selected], Shown]) -> Item:
    claims = selecting.MAP_CLAIMS if table == PER_MAP else selecting.PROBLEM_CLAIMS
    return FILE.item(name, partial(selecting.measure, table), show, SELECTING, claims=claims)


ITEMS = (
    FILE.item("whole-set", whole_set.measure, whole_set.show, (LITERAL, SEED), claims=whole_set.CLAIMS),
    FILE.item("figure-2", space.measure, space.show, (*space.OPTIONS, SEED), claims=space.CLAIMS),
    _selection("table-1", PER_MAP, partial(selecting.show_table, PER_MAP)),
    _selection("table-2", PER_PROBLEM, partial(selecting.show_table, PER_PROBLEM)),
    _selection("figure-3", PER_MAP, lambda selected: Shown(data=selected_data(selected))),
    _selection("figure-4", PER_PROBLEM, lambda selected: Shown(data=selected_data(selected))),
    FILE.item("practical", practical.measure, practical.show, PRACTICAL, claims=practical.CLAIMS),
)
PAPER = FILE.paper(ITEMS)
