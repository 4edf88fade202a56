"""Suites of problems: the available ones by name, and how MovingAI's collections are imported."""

from typing import TYPE_CHECKING

from permove.common.lazy import lazy

if TYPE_CHECKING:
    from permove.data.catalogue import SuiteInfo as SuiteInfo
    from permove.data.catalogue import load as load
    from permove.data.catalogue import open_suite as open_suite
    from permove.data.catalogue import suites as suites
    from permove.data.choice import Choice as Choice
    from permove.data.choice import Sample as Sample
    from permove.data.choice import Shard as Shard
    from permove.data.fetch import fetch_sets as fetch_sets
    from permove.data.folder import data_folder as data_folder
    from permove.data.movingai import import_sets as import_sets
    from permove.data.suite import Selection as Selection
    from permove.data.suite import Suite as Suite

_MODULES = {
    "Choice": "choice",
    "Sample": "choice",
    "Selection": "suite",
    "Shard": "choice",
    "Suite": "suite",
    "SuiteInfo": "catalogue",
    "data_folder": "folder",
    "fetch_sets": "fetch",
    "import_sets": "movingai",
    "load": "catalogue",
    "open_suite": "catalogue",
    "suites": "catalogue",
}

__all__ = [*_MODULES]
__getattr__ = lazy(__name__, _MODULES)
