"""Agents of your own: classes in Python files, functions in shared libraries, and what the installed packages offer.

`path/to/mine.py:Mine(k=10)` names a class in a file, `./libmine.so:mine(k=10)` an agent in a library, and a plain name
one of the entry-point group `permove.agents`. The canonical spec has a hash of the file in it, `mine.py#1a2b3c4d:Mine`,
so that records of one version of a plug-in never stand for another's.

Plug-ins plan behind the same meter as everybody. This module and its neighbours only read what they say of themselves;
`permove.engines.workers` lets them walk, in processes that may crash.
"""

from permove._core import CARDINAL, DIAGONAL, INFINITY, PastCutoff, World
from permove.plugins.parameters import Range
from permove.plugins.plugin import Plugin, is_plugin
from permove.plugins.sources import find, is_in_file, load, offered

__all__ = [
    "CARDINAL",
    "DIAGONAL",
    "INFINITY",
    "PastCutoff",
    "Plugin",
    "Range",
    "World",
    "find",
    "is_in_file",
    "is_plugin",
    "load",
    "offered",
]
