"""The overhead of Python over the batch: planning the tasks, completing the records and writing them.

Both variants run the same problems alternately. The processor time of all threads is compared, which other programs
disturb less than the elapsed time, and the best round of each counts, since noise only adds time.
"""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import permove as pm
from permove import _core, data
from permove.agents.specs import columns, expand_all
from permove.common.machine import usable_cores
from permove.engines import tasks
from permove.records.columns import IDENTITY, SCHEMA
from permove.records.settings import Settings
from support import seconds

AGENTS = ["klrta(k={10,100})", "lrta(d=1..8)", "rta(d=1..3)"]
ROUNDS = 3
PROBLEMS = 80
ALPHA = 10.0
MAX_RATIO = 1.05


def batch_alone(suite: data.Suite) -> Callable[[], None]:
    """Return a function that runs the batch with prepared arguments."""
    agents = [agent.spec for agent in expand_all(AGENTS)]
    selection = suite.select(data.Choice(limit=PROBLEMS))
    nothing = pl.DataFrame(schema={name: SCHEMA[name] for name in IDENTITY})
    left = tasks.left_to_do(columns(expand_all(AGENTS)), selection.problems, nothing)
    cut = tasks.cut(left, usable_cores())

    def run() -> None:
        batch = _core.Batch(
            selection.grids,
            selection.rows,
            agents,
            cut.agents,
            cut.offsets,
            cut.problems,
            Settings(alpha=ALPHA),
            jobs=usable_cores(),
        )
        records = 0
        while not batch.done:
            finished = batch.next(0.1)
            records += 0 if finished is None else len(finished[0])
        assert records == cut.total

    return run


def test_run_from_python_costs_at_most_five_percent_more_than_the_batch(
    benchmark: BenchmarkFixture, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = data.load("embedded")
    alone = batch_alone(suite)
    batches, runs = [], []

    def run() -> pm.Run:
        return pm.run(suite, AGENTS, limit=PROBLEMS, alpha=ALPHA, out=tmp_path / str(len(runs)))

    def both() -> None:
        batches.append(seconds(alone))
        runs.append(seconds(run))

    benchmark.pedantic(both, rounds=ROUNDS)
    ratio = min(runs) / min(batches)
    benchmark.extra_info["ratio"] = ratio
    with capsys.disabled():
        times = f"batch {min(batches):.3f} s, run from Python {min(runs):.3f} s"
        print(f"\n{times}: ratio {ratio:.3f}, at most {MAX_RATIO}")
    assert pm.Run(tmp_path / "0").records.height == PROBLEMS * len(expand_all(AGENTS))
    assert ratio <= MAX_RATIO
