"""Suites of problems by name, and the import of MovingAI's collections."""

from typing import TYPE_CHECKING

from permove.common.lazy import lazy

if TYPE_CHECKING:
    from permove.data.catalogue import SuiteInfo as SuiteInfo
    from permove.data.catalogue import load as load
    from permove.data.catalogue import open_suite as open_suite
    from permove.data.catalogue import suites as suites
    from permove.data.fetch import fetch_sets as fetch_sets
    from permove.data.folder import data_folder as data_folder
    from permove.data.movingai import import_sets as import_sets
    from permove.data.problem_choice import Choice as Choice
    from permove.data.problem_choice import Sample as Sample
    from permove.data.problem_choice import Shard as Shard
    from permove.data.suite import Selection as Selection
    from permove.data.suite import Suite as Suite

_MODULES = {
    "Choice": "problem_choice",
    "Sample": "problem_choice",
    "Selection": "suite",
    "Shard": "problem_choice",
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
