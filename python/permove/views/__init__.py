"""Views of a run: other tables than the default report, one file each. A new view is a file and an entry in `VIEWS`."""

from permove.common.errors import InputError
from permove.views import (
    amortization,
    best_so_far,
    convergence,
    dominance,
    histogram,
    interplay,
    profiles,
    scaling,
    tradeoff,
)
from permove.views.view import Axes, View, ViewResult

__all__ = ["VIEWS", "Axes", "View", "ViewResult", "find"]

VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        tradeoff.VIEW,
        profiles.VIEW,
        dominance.VIEW,
        scaling.VIEW,
        histogram.VIEW,
        interplay.VIEW,
        amortization.VIEW,
        convergence.VIEW,
        best_so_far.VIEW,
    )
}


def find(name: str) -> View:
    """Return the view of a name."""
    if name not in VIEWS:
        raise InputError(f"unknown view '{name}'; choose one of {', '.join(VIEWS)}")
    return VIEWS[name]
