"""Views of a run beyond its plain table, one file each; a new one is a file and a line in `VIEWS`."""

from permove.common.errors import InputError
from permove.views import amortization, convergence, dominance, scaling, tradeoff
from permove.views.view import Axes, Seen, View

__all__ = ["VIEWS", "Axes", "Seen", "View", "find"]

VIEWS: dict[str, View] = {
    view.name: view for view in (tradeoff.VIEW, dominance.VIEW, scaling.VIEW, amortization.VIEW, convergence.VIEW)
}


def find(name: str) -> View:
    """The view of a name."""
    if name not in VIEWS:
        raise InputError(f"there is no view '{name}'; there are {', '.join(VIEWS)}")
    return VIEWS[name]
