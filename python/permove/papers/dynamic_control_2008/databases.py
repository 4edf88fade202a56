"""How large the pattern databases of the upscaled maps are, and how long it took to build those that are kept."""

from statistics import mean

from permove import _core
from permove.data import Suite
from permove.papers.dynamic_control_2008.study import Built, Shelf

LEVELS = range(8)


def states(suite: Suite) -> list[list[int]]:
    """Map by map, how many states there are on each level from the ground to the top."""
    found = [_core.Hierarchy(suite.grid(key)) for key in suite.maps]
    return [[hierarchy.states(level) for level in range(hierarchy.top + 1)] for hierarchy in found]


def shelf(suite: Suite) -> Shelf:
    """The databases of the ground by kind, base and level, as means over the maps; what is not kept has no time."""
    sizes = states(suite)
    return {
        (kind, 0, level): Built(mean(levels[level] ** 2 for levels in sizes))
        for kind in ("subgoals", "depths")
        for level in LEVELS
    }
