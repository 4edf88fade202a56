"""Agents by spec: parsing and sweeps, the notation of per-map-selection-2016, and panels.

`permove.agents()` lists all agents: this package is callable, since `import permove.agents` would otherwise hide a
function of this name.

    pm.agents().select("agent", "title", "paper")
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


class _Package(ModuleType):
    def __call__(self) -> "pl.DataFrame":
        from permove.agents.listing import agents

        return agents()


sys.modules[__name__].__class__ = _Package
