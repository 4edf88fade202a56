"""Exploring the space of real-time search algorithms, and selecting from it per map and per problem.

This package follows per-map-selection-2016. `explore` runs random algorithms on random problems; `per_map` and
`per_problem` measure the benefit of selecting one of them for each map or each problem.

    explored = pm.select.explore("embedded", algorithms=100, problems=500, out="matrix")
    pm.select.per_map(pm.select.Matrix.of([pm.Run("matrix")])).frame
"""

from permove.select.explore import Exploration, explore
from permove.select.matrix import Matrix
from permove.select.selection import Selected, per_map, per_problem

__all__ = ["Exploration", "Matrix", "Selected", "explore", "per_map", "per_problem"]
