"""permove measures agents that may plan only a bounded amount before each move.

    import permove as pm
    run = pm.run("embedded", ["lrta(d=1..10)", "rtaa(k=33)"], cutoff=1000)
    run.report()
    run.records

Python has the same verbs as the command line; frames are polars. Names are loaded when they are first used, so that
`import permove` is fast.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from permove import select
    from permove.common.errors import InputError
    from permove.control.train import Trained, train
    from permove.papers import reproduce
    from permove.papers.outcome import Outcome
    from permove.runs.compare import compare
    from permove.runs.execute import run
    from permove.runs.merge import merge
    from permove.runs.replay import replay
    from permove.runs.run import Interrupted, Run
    from permove.runs.solve import Solution, solve
    from permove.views.comparison import Comparison

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
    "replay",
    "reproduce",
    "run",
    "select",
    "solve",
    "train",
]

_MODULES = {
    "Comparison": "views.comparison",
    "InputError": "common.errors",
    "Interrupted": "runs.run",
    "Outcome": "papers.outcome",
    "Run": "runs.run",
    "Solution": "runs.solve",
    "Trained": "control.train",
    "compare": "runs.compare",
    "merge": "runs.merge",
    "replay": "runs.replay",
    "reproduce": "papers",
    "run": "runs.execute",
    "solve": "runs.solve",
    "train": "control.train",
}
"""The module that defines each public name."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"permove.{_MODULES[name]}"), name)
    try:
        return import_module(f"permove.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"permove.{name}":
            raise
        raise AttributeError(f"module 'permove' has no attribute '{name}'") from None


def __dir__() -> list[str]:
    return [*__all__]
