"""Plug-ins: agents in Python files, in shared libraries, and from the entry points of installed packages.

`path/to/mine.py:Mine(k=10)` names a class in a file, `./libmine.so:mine(k=10)` an agent in a library, and a plain name
an entry point of the group `permove.agents`. The canonical spec contains a hash of the file, `mine.py#1a2b3c4d:Mine`,
so that records of different versions of a plug-in are not confused.

Plug-ins use the same meter as built-in agents. This package only finds and describes them; `permove.engines.workers`
runs them in separate processes that may crash.
"""

from permove._core import CARDINAL, DIAGONAL, INFINITY, PastCutoff, World
from permove.plugins.describe import LOAD_SECONDS, find
from permove.plugins.parameters import Range
from permove.plugins.plugin import Plugin, is_plugin
from permove.plugins.sources import check_unchanged, is_in_file, load, offered

__all__ = [
    "CARDINAL",
    "DIAGONAL",
    "INFINITY",
    "LOAD_SECONDS",
    "PastCutoff",
    "Plugin",
    "Range",
    "World",
    "check_unchanged",
    "find",
    "is_in_file",
    "is_plugin",
    "load",
    "offered",
]
