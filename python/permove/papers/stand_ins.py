"""Maps of MovingAI that papers use, scaled down if they stand in for maps that are not known."""

from permove.common.errors import InputError
from permove.data.catalogue import maps
from permove.data.collection import MapSource
from permove.data.random_suites import shrunk


def imported(set: str, name: str, side: int | None = None) -> MapSource:
    """Return an imported map, scaled down to a side if one is given."""
    known = maps(set)
    if name not in known:
        raise InputError(
            f"the map {name} is not in the imported set {set}; use `permove data import PATH` with MovingAI's "
            f"{set}-map.zip"
        )
    return known[name] if side is None else shrunk(known[name], side, side)
