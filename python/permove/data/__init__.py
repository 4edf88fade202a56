"""Suites of problems: what there is, by name, and how MovingAI's collections get in."""

from permove.data.catalogue import SuiteInfo, suite, suites
from permove.data.fetch import fetch
from permove.data.folder import data_folder
from permove.data.movingai import import_sets
from permove.data.suite import Sample, Selection, Shard, Suite

load = suite
"""The name under which a run looks up its suite."""

__all__ = [
    "Sample",
    "Selection",
    "Shard",
    "Suite",
    "SuiteInfo",
    "data_folder",
    "fetch",
    "import_sets",
    "load",
    "suite",
    "suites",
]
