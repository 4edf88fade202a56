"""permove measures agents that may plan only a bounded amount before each move.

    import permove as pm
    run = pm.run("embedded", ["lrta(d=1..10)", "rtaa(k=33)"], cutoff=1000)
    run.report()
    run.records

Python has the same verbs as the command line; frames are polars. Names are loaded when they are first used, so that
`import permove` is fast.
"""

from typing import TYPE_CHECKING

from permove.common.lazy import lazy

if TYPE_CHECKING:
    from permove import select as select
    from permove.agents.listing import agents as agents
    from permove.common.errors import InputError as InputError
    from permove.common.version import __version__ as __version__
    from permove.control.train import Trained as Trained
    from permove.control.train import train as train
    from permove.data.listing import suites as suites
    from permove.data.suite import Suite as Suite
    from permove.exchange import export as export
    from permove.exchange import import_results as import_results
    from permove.papers import reproduce as reproduce
    from permove.papers.outcome import Outcome as Outcome
    from permove.runs.compare import compare as compare
    from permove.runs.execute import run as run
    from permove.runs.experiment import run_experiment as run_experiment
    from permove.runs.merge import merge as merge
    from permove.runs.replay import replay as replay
    from permove.runs.rerun import rerun as rerun
    from permove.runs.run import Interrupted as Interrupted
    from permove.runs.run import Run as Run
    from permove.runs.solve import Solution as Solution
    from permove.runs.solve import solve as solve
    from permove.views.comparison import Comparison as Comparison

_MODULES = {
    "__version__": "common.version",
    "Comparison": "views.comparison",
    "InputError": "common.errors",
    "Interrupted": "runs.run",
    "Outcome": "papers.outcome",
    "Run": "runs.run",
    "Solution": "runs.solve",
    "Suite": "data.suite",
    "Trained": "control.train",
    "compare": "runs.compare",
    "export": "exchange",
    "import_results": "exchange",
    "merge": "runs.merge",
    "replay": "runs.replay",
    "reproduce": "papers",
    "rerun": "runs.rerun",
    "run": "runs.execute",
    "run_experiment": "runs.experiment",
    "solve": "runs.solve",
    "suites": "data.listing",
    "train": "control.train",
}

__all__ = ["agents", "select", *_MODULES]
__getattr__ = lazy(__name__, _MODULES)
