"""How large the pattern databases of a suite's maps are, and how long it took to build those that are kept."""

from collections.abc import Sequence
from statistics import mean

from permove import _core
from permove.data import Suite
from permove.papers.dynamic_control.study import Built, Shelf
from permove.pdb.files import DEPTHS, SUBGOALS, Key, path_of

LEVELS = range(8)


def states(suite: Suite) -> list[list[int]]:
    """Map by map, how many states there are on each level from the ground to the top."""
    found = [_core.Hierarchy(suite.grid(key)) for key in suite.maps]
    return [[hierarchy.states(level) for level in range(hierarchy.top + 1)] for hierarchy in found]


def shelf(suite: Suite) -> Shelf:
    """The databases of the ground by kind, base and level, as means over the maps; what is not kept has no time."""
    sizes = states(suite)
    grids = [suite.grid(key) for key in suite.maps]
    return {
        (kind, 0, level): _built(grids, Key(kind, 0, level), mean(levels[level] ** 2 for levels in sizes))
        for kind in (SUBGOALS, DEPTHS)
        for level in LEVELS
    }


def _built(grids: Sequence[_core.Grid], key: Key, pairs: float) -> Built:
    paths = [path_of(grid.fingerprint, key) for grid in grids]
    if not all(path.is_file() for path in paths):
        return Built(pairs)
    found = [_core.Database.look(str(path)) for path in paths]
    return Built(
        mean(each.pairs for each in found),
        mean(each.build_ns for each in found),
        mean(each.bytes for each in found),
        max(each.jobs for each in found),
    )
