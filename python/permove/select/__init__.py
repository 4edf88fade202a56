"""Searching the space of real-time search algorithms, and selecting from it per map and per problem.

After per-map-selection-2016: `explore` lets random algorithms walk random problems, and `per_map` and `per_problem`
tell what it is worth to choose among them for each map or each problem.
"""

from permove.select.explore import Exploration, explore
from permove.select.matrix import Matrix
from permove.select.selection import Selected, per_map, per_problem

__all__ = ["Exploration", "Matrix", "Selected", "explore", "per_map", "per_problem"]
