"""Panels: named sets of baselines, so that one command compares a new agent with all of them.

A panel is a list of specs. To add a panel, add an entry to `PANELS`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from permove import _core
from permove.common.errors import InputError
from permove.common.names import closest


@dataclass(frozen=True)
class Panel:
    """Agents that are compared with each other."""

    name: str
    about: str
    specs: tuple[str, ...]
    """Specs, which may be sweeps."""


PANELS = {
    panel.name: panel
    for panel in (
        Panel(
            "real-time",
            "Agents that plan a bounded amount before every move, do not need the map beforehand, and reach every "
            "goal.",
            (
                "rta(d={1,3})",
                "lrta(d={1,2,3,5,8})",
                "w-lrta(w=5)",
                "plrta(q={5,20,100})",
                "klrta(k={10,33,100,330})",
                "rtaa(k={10,33,100,330})",
                "lrts(d=3, gamma={0.4,1})",
                "gamma-trap",
                "sla",
            ),
        ),
        Panel(
            "dynamic-control-2008",
            "The agents of dynamic-control-2008: depth and goal from pattern databases, fixed depths, refinement and "
            "full searches. Decision trees must be trained first, so they are not included: add "
            "`lrta(d=dt, tree=FILE)`.",
            (
                "lrta(d={4,6,10,14})",
                "klrta(k={10,40,250})",
                "plrta(q={10,40,250})",
                "lrta(d={1,2,3,4,6,14}, goal=pdb, l=3)",
                "lrta(d=14, goal=pdb, l=4)",
                "lrta(d=pdb, goal=pdb, l={3,4}, c={20,80})",
                "pr-lrta(l=4, d={5,15}, gamma={0.6,1})",
                "pr-lrta(d=pdb, c={15,20,1000}, l=3)",
                "wastar(gamma=1/15)",
                "pra",
                "astar",
            ),
        ),
        Panel(
            "all",
            "Every agent of the catalogue with default parameters. Some may never reach the goal, so a run needs its "
            "limit on travel.",
            tuple(info.name for info in _core.catalogue()),
        ),
    )
}
"""All panels by name."""


def specs_of(names: Iterable[str]) -> list[str]:
    """Return the specs of several panels."""
    return [spec for name in names for spec in _find(name).specs]


def _find(name: str) -> Panel:
    if name not in PANELS:
        match = closest(name, PANELS)
        hint = f"did you mean '{match}'?" if match else f"choose one of {', '.join(PANELS)}"
        raise InputError(f"unknown panel '{name}'; {hint}")
    return PANELS[name]
