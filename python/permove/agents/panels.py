"""Panels: named sets of baselines, so that a new agent meets the field in one command.

A panel is a list of specs; one more panel is one more entry of `PANELS`.
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
    """They may sweep."""


PANELS = {
    panel.name: panel
    for panel in (
        Panel(
            "real-time",
            "Agents that plan a bounded amount before every move, need nothing of the map beforehand, and reach every "
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
            "The field of dynamic-control-2008: depth and goal from pattern databases against fixed depths, "
            "refinement and full searches. Decision trees have to be trained, so they are not in it: add "
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
            "Every agent of the catalogue with the parameters that it has by default. Some promise no arrival, so "
            "that a run needs a bound on travel, as in `--alpha 1000`.",
            tuple(info.name for info in _core.catalogue()),
        ),
    )
}
"""Every panel by its name."""


def specs_of(names: Iterable[str]) -> list[str]:
    """The specs of some panels, one after the other."""
    return [spec for name in names for spec in _find(name).specs]


def _find(name: str) -> Panel:
    if name not in PANELS:
        match = closest(name, PANELS)
        hint = f"did you mean '{match}'?" if match else f"there is {', '.join(PANELS)}"
        raise InputError(f"there is no panel '{name}'; {hint}")
    return PANELS[name]
