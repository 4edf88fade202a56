"""permove measures agents that may plan only a little before every move.

    import permove as pm
    run = pm.run("embedded", ["lrta(d=1..10)", "rtaa(k=33)"], cutoff=1000)
    run.report()
    run.records

The same verbs as on the command line; frames are polars.
"""

from importlib.metadata import version

from permove import select
from permove.compare import Comparison, compare
from permove.control import Trained, train
from permove.errors import InputError
from permove.merging import merge
from permove.papers import reproduce
from permove.papers.outcome import Outcome
from permove.run import Interrupted, Run, run
from permove.solve import Solution, solve

__version__ = version("permove")

__all__ = [
    "Comparison",
    "InputError",
    "Interrupted",
    "Outcome",
    "Run",
    "Solution",
    "Trained",
    "__version__",
    "compare",
    "merge",
    "reproduce",
    "run",
    "select",
    "solve",
    "train",
]
